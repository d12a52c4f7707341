#include "core/precond/sharing.h"

/* w: bytes/s of a thread, or of a device; l: seconds of a message, on a device with what is
 * launched for it. */
static const double BANDWIDTH[CGS_PLACES] = {[CGS_HOST] = 1e10, [CGS_DEVICE_MEMORY] = 3e12};
static const double MESSAGE[CGS_PLACES] = {[CGS_HOST] = 2e-6, [CGS_DEVICE_MEMORY] = 1e-5};

static double speed_of(const struct cgs_spec *spec)
{
    const enum cgs_place place = spec->backend->place;
    return (place == CGS_HOST ? spec->threads : 1) * BANDWIDTH[place];
}

static double exchange_seconds(const struct cgs_spec *spec)
{
    return 2.0 * (spec->degree + 1) * 2.0 * MESSAGE[spec->backend->place];
}

bool cgs_sharing_pays(const struct cgs_spec *spec, double bytes, double share)
{
    const double whole = 2.0 * spec->degree * bytes / speed_of(spec);
    return whole * (1.0 - share) > exchange_seconds(spec);
}

double cgs_sharing_most(const struct cgs_spec *spec, double share)
{
    return exchange_seconds(spec) * speed_of(spec) / (2.0 * spec->degree * (1.0 - share));
}

/* Bytes of a product on a whole grid. */
static double product_bytes(const struct cgs_spec *spec, const struct cgs_mesh *grid)
{
    struct cgs_spec level = *spec;
    struct cgs_matrix matrix;
    level.kernel = spec->cycle;
    level.precision = spec->cycle_number == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    level.mesh = *grid;
    cgs_spec_matrix(&level, &matrix);
    const struct cgs_traffic product = level.kernel->traffic(&matrix);
    return (double)(product.matrix + 2 * product.vectors);
}

bool cgs_sharing(const struct cgs_spec *spec, const struct cgs_mesh *grid)
{
    const int64_t n = grid->n[2], planes = (n + spec->ranks - 1) / spec->ranks;
    const double whole = (double)spec->whole_n;
    if (spec->ranks <= 1 || (grid->deform != 0.0 && n <= CGS_ESTIMATED_N))
        return false;
    if (spec->whole_n >= 0)
        return (double)cgs_mesh_rows(grid) > whole * whole * whole;
    return cgs_sharing_pays(spec, product_bytes(spec, grid), (double)planes / (double)n);
}
