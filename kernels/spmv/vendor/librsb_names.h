/* File names of librsb, for dlopen. */
#pragma once

#define CGS_LIBRSB_NAMES "librsb.so.0", "librsb.so"
