/* File names of cuSPARSE from CUDA 12.0 on, for dlopen. */
#ifndef CGS_KERNELS_SPMV_VENDOR_CUSPARSE_NAMES_H
#define CGS_KERNELS_SPMV_VENDOR_CUSPARSE_NAMES_H

#define CGS_CUSPARSE_NAMES "libcusparse.so.12", "libcusparse.so.13", "libcusparse.so"

#endif
