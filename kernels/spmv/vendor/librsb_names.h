/* File names of librsb, for dlopen. */
#ifndef CGS_KERNELS_SPMV_VENDOR_LIBRSB_NAMES_H
#define CGS_KERNELS_SPMV_VENDOR_LIBRSB_NAMES_H

#define CGS_LIBRSB_NAMES "librsb.so.0", "librsb.so"

#endif
