#include "kernels/spmv/vendor/librsb.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/spmv/vendor/librsb_names.h"

static const char *const names[] = {CGS_LIBRSB_NAMES};

enum { MOST_THREADS = 128 }; /* RSB_CONST_MAX_SUPPORTED_THREADS, as Debian builds it */

static enum cgs_status missing(struct cgs_context *context, const char *what)
{
    return cgs_fail(context, CGS_DEVICE,
                    "librsb can't be used: %s; its package is librsb0 (Debian) or librsb (Fedora)",
                    what);
}

/* On this system a data pointer is also a function pointer (POSIX dlsym). */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

enum cgs_status cgs_librsb_open(struct cgs_context *context, struct cgs_librsb *library)
{
    struct cgs_librsb l;
    void *loaded = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !loaded; i++)
        loaded = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!loaded)
        return missing(context, "librsb.so.0 was not found");
    const bool whole =
        find(loaded, "rsb_lib_init", &l.init) && find(loaded, "rsb_lib_set_opt", &l.set_option) &&
        find(loaded, "rsb_strerror_r", &l.describe_error) &&
        find(loaded, "rsb_mtx_alloc_from_coo_inplace", &l.assemble) &&
        find(loaded, "rsb_spmv", &l.multiply) && find(loaded, "rsb_mtx_free", &l.free);
    dlclose(loaded); /* stays loaded (RTLD_NODELETE) */
    if (!whole)
        return missing(context, "the library found lacks functions of librsb 1.2");
    CGS_TRY(cgs_librsb_check(context, &l, "rsb_lib_init", l.init(RSB_NULL_INIT_OPTIONS)));
    *library = l;
    return CGS_OK;
}

enum cgs_status cgs_librsb_threads(struct cgs_context *context, const struct cgs_librsb *library)
{
    const rsb_int_t threads = context->threads < MOST_THREADS ? context->threads : MOST_THREADS;
    return cgs_librsb_check(context, library, "rsb_lib_set_opt",
                            library->set_option(RSB_IO_WANT_EXECUTING_THREADS, &threads));
}

enum cgs_status cgs_librsb_check(struct cgs_context *context, const struct cgs_librsb *library,
                                 const char *call, rsb_err_t error)
{
    char words[256] = "";
    if (error == RSB_ERR_NO_ERROR)
        return CGS_OK;
    library->describe_error(error, words, sizeof words);
    return cgs_fail(context, error == RSB_ERR_ENOMEM ? CGS_MEMORY : CGS_DEVICE, "librsb: %s: %s",
                    call, words);
}
