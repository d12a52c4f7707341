#include "src/plot.h"

enum cgs_status cgs_plot_write(struct cgs_context *context, const struct cgs_plot *plot,
                               const char *path)
{
    (void)plot;
    return cgs_fail(context, CGS_BUG, "cannot draw '%s': to come", path);
}
