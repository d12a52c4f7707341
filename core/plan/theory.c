#include "core/plan/theory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/context.h"
#include "core/options/grammar.h"
#include "fem/load.h"

/* The problem on its own mesh, or with n > 0 unknowns in each direction; NULL: its error is not one
 * of discretisation, or not known. */
static const struct cgs_problem *problem_of(const struct cgs_theory_box *box, int64_t n,
                                            struct cgs_mesh *mesh)
{
    int64_t unknowns[3];
    const struct cgs_problem *problem = cgs_problem_find(box->problem);
    if (!problem || problem->product_rhs)
        return NULL;
    for (int k = 0; k < 3; k++)
        unknowns[k] = n > 0 ? n : (int64_t)box->cells[k] - 1;
    *mesh = cgs_mesh_box(unknowns, box->size,
                         strcmp(box->quadrature, "blended") == 0 ? CGS_BLENDED : CGS_GAUSS, 1.0);
    mesh->deform = box->deform;
    if (!cgs_kappa_read(box->kappa, &mesh->kappa) ||
        cgs_problem_known(problem, mesh) != CGS_KNOWN_EVERYWHERE)
        return NULL;
    return problem;
}

int cgs_theory_nodal_order(const struct cgs_theory_box *box)
{
    struct cgs_mesh mesh;
    if (!problem_of(box, 0, &mesh))
        return 0;
    return mesh.quadrature == CGS_BLENDED && mesh.deform == 0.0 &&
                   mesh.kappa.kind != CGS_KAPPA_SMOOTH
               ? 4
               : 2;
}

double cgs_theory_energy(const struct cgs_theory_box *box)
{
    enum { N = 7, ROWS = N * N * N };
    double x[ROWS], b[ROWS], xb = 0.0;
    struct cgs_mesh mesh;
    struct cgs_context context;
    const struct cgs_problem *problem = problem_of(box, N, &mesh);
    cgs_context_init(&context);
    context.threads = 1;
    if (!problem || problem->mass || /* its forms are not those of order 1 */
        cgs_problem_solution(&context, problem, &mesh, 0, ROWS, x) != CGS_OK ||
        cgs_problem_load(&context, problem, &mesh, 0, ROWS, b) != CGS_OK)
        return NAN;
    for (int i = 0; i < ROWS; i++)
        xb += x[i] * b[i];
    return sqrt(fabs(xb));
}

void cgs_theory_kappa(const struct cgs_theory_box *box, double *least, double *greatest)
{
    struct cgs_kappa kappa = {.kind = CGS_KAPPA_ONE, .ratio = 1.0};
    (void)!cgs_kappa_read(box->kappa, &kappa);
    *least = kappa.kind == CGS_KAPPA_JUMP ? fmin(1.0, kappa.ratio) : 1.0;
    *greatest = kappa.kind == CGS_KAPPA_SMOOTH ? 4.0
                : kappa.kind == CGS_KAPPA_JUMP ? fmax(1.0, kappa.ratio)
                                               : 1.0;
}
