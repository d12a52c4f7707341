/* A vector is a matrix of one column, array or coordinate, put into a plain one. */
#include <inttypes.h>
#include <string.h>

#include "matrix/market.h"

struct wanted {
    const char *path;
    int64_t rows;
};

static enum cgs_status accept_size(void *user, struct cgs_context *context,
                                   const struct cgs_market *market, const struct cgs_plan *plan)
{
    const struct wanted *wanted = user;
    (void)plan;
    if (market->rows == wanted->rows && market->columns == 1)
        return CGS_OK;
    return cgs_fail(context, CGS_FILE,
                    "%s: expected a vector, %" PRId64 " rows and 1 column, found %" PRId64
                    " rows and %" PRId64 " columns",
                    wanted->path, wanted->rows, market->rows, market->columns);
}

enum cgs_status cgs_market_read_vector(struct cgs_context *context, const char *path, int64_t rows,
                                       double *values)
{
    struct wanted wanted = {path, rows};
    const struct cgs_market_settings settings = {.accept = accept_size, .user = &wanted};
    struct cgs_market market;
    struct cgs_crs crs;
    CGS_TRY(cgs_market_read(context, path, &settings, &crs, &market));
    for (int64_t i = 0; i < rows; i++)
        values[i] = crs.pointers[i] < crs.pointers[i + 1] ? crs.value[crs.pointers[i]] : 0.0;
    cgs_crs_release(context, &crs);
    return CGS_OK;
}
