#include "src/lab.h"

enum cgs_status cgs_lab(struct cgs_context *context, struct cgs_options *options, int argc,
                        const char *const *argv, FILE *text, FILE *verbose)
{
    (void)options, (void)argc, (void)argv, (void)text, (void)verbose;
    return cgs_fail(context, CGS_BUG, "cgsolve spmv: to come");
}
