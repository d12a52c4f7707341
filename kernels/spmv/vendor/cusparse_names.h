/* File names of cuSPARSE from CUDA 12.0 on, for dlopen. */
#pragma once

#define CGS_CUSPARSE_NAMES "libcusparse.so.12", "libcusparse.so.13", "libcusparse.so"
