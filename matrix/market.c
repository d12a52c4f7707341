#include "matrix/market.h"

enum cgs_status cgs_market_read(struct cgs_context *context, const char *path,
                                const struct cgs_market_settings *settings, struct cgs_crs *crs,
                                struct cgs_market *market)
{
    (void)settings, (void)crs, (void)market;
    return cgs_fail(context, CGS_BUG, "%s: to come", path);
}
