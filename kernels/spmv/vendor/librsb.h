/* librsb, a sparse BLAS, loaded at run time: without it only its kernel is missing.
 *
 * The functions have the types of the library's header; nothing is linked.
 * Source: M. Martone, "Efficient multithreaded untransposed, transposed or symmetric sparse
 * matrix-vector multiplication with the Recursive Sparse Blocks format", Parallel Computing 40
 * (2014).
 */
#pragma once

#include <rsb.h>

#include "base/context.h"

struct cgs_librsb {
    __typeof__(&rsb_lib_init) init;
    __typeof__(&rsb_lib_set_opt) set_option;
    __typeof__(&rsb_strerror_r) describe_error;
    __typeof__(&rsb_mtx_alloc_from_coo_inplace) assemble;
    __typeof__(&rsb_spmv) multiply;
    __typeof__(&rsb_mtx_free) free;
};

/* Loads the library and starts it, once a process however often this is called; it stays loaded.
 * CGS_DEVICE says what is missing and which package brings it. */
enum cgs_status cgs_librsb_open(struct cgs_context *context, struct cgs_librsb *library);

/* Has the library compute on context->threads threads, as far as it can. */
enum cgs_status cgs_librsb_threads(struct cgs_context *context, const struct cgs_librsb *library);

/* CGS_OK, or CGS_MEMORY or CGS_DEVICE with the library's own words for the error. */
enum cgs_status cgs_librsb_check(struct cgs_context *context, const struct cgs_librsb *library,
                                 const char *call, rsb_err_t error);
