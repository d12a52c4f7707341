#include "src/setup/mesh.h"

struct cgs_mesh cgs_mesh_asked(const struct cgs_options *options, int64_t n)
{
    const double cells = (double)(n + 1); /* 1/h */
    struct cgs_mesh mesh = cgs_mesh_cube(n, (enum cgs_quadrature)options->quadrature,
                                         options->problem->course ? cells * cells * cells : 1.0);
    mesh.deform = options->deform;
    mesh.kappa = options->kappa;
    return mesh;
}
