/* Error messages of algebraic multigrid's set-up, for any device (kernels/amg.h). */
#include "kernels/amg/rules.h"

#include <inttypes.h>

enum cgs_status cgs_amg_not_positive(struct cgs_context *context, int64_t row)
{
    return cgs_fail(context, CGS_BREAKDOWN,
                    "the diagonal entry of row %" PRId64
                    " (counting from 1) is not positive, as algebraic multigrid wants it",
                    row + 1);
}
