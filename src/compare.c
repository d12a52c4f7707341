#include "src/compare.h"

enum cgs_status cgs_compare(struct cgs_context *context, const struct cgs_options *options,
                            FILE *text)
{
    (void)options, (void)text;
    return cgs_fail(context, CGS_BUG, "cgsolve compare: to come");
}
