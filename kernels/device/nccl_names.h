/* File names of NCCL for dlopen, and the youngest of its functions that are called (NCCL 2.7). */
#pragma once

#define CGS_NCCL_NAMES "libnccl.so.2", "libnccl.so"
#define CGS_NCCL_SYMBOL "ncclSend"
