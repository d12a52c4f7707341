/* The interpolation error of a separable solution, by 1-D integrals only.
 *
 * With delta_k = I g_k - g_k, a term of d = I u - u is a difference of two products,
 *
 *     d = (g_1 + delta_1)(g_2 + delta_2)(g_3 + delta_3) - g_1 g_2 g_3.
 *
 * Projections on hats: telescoped, d = delta_1 Ig_2 Ig_3 + g_1 delta_2 Ig_3 + g_1 g_2 delta_3.
 * Norms: multiplied out, d = sum over the 7 non-empty sets S of prod_S delta prod_rest g, so that
 * int d_s d_t is a sum of 49 products of three 1-D integrals. Neither form subtracts nearly equal
 * numbers: all that cancels is I g - g at the quadrature points, as in the direct sum.
 *
 * A tensor-product rule integrates a product of functions of one variable to the product of its 1-D
 * sums, so the result is the sum over 4^3 points in each cell, up to rounding.
 */
#include "fem/interpolation.h"

/* 1-D sums over pairs of functions of two terms: a, b = 0: g, 1: delta. */
struct pairs {
    double value[2][2];      /* int a b */
    double derivative[2][2]; /* int a' b' */
};

struct sums {
    struct pairs pair[CGS_TERMS][CGS_TERMS][3]; /* [s][t][axis] */
};

/* g and delta of one factor at one point, with derivatives in x = t / over: f[0][.] value,
 * f[1][.] derivative. */
struct at_point {
    double f[2][2];
};

static struct at_point evaluate(enum cgs_factor factor, double t, double over, double xi, double h,
                                double left, double right)
{
    double g[3];
    cgs_factor_at(factor, t, g);
    cgs_factor_stretch(over, g);
    return (struct at_point){{
        {g[0], (1.0 - xi) * left + xi * right - g[0]},
        {g[1], (right - left) / h - g[1]},
    }};
}

/* Adds one point of one cell to the tables of the cell's two nodes. */
static void add_to_tables(struct cgs_tables *tables, int term, int axis, int64_t cell, double xi,
                          double weight, double h, const struct at_point *p)
{
    const double phi[2] = {1.0 - xi, xi}, slope[2] = {-1.0 / h, 1.0 / h};
    for (int side = 0; side < 2; side++) {
        const int64_t i = cell + side;
        cgs_table(tables, term, axis, CGS_HAT_EXACT)[i] += weight * phi[side] * p->f[0][0];
        cgs_table(tables, term, axis, CGS_HAT_ERROR)[i] += weight * phi[side] * p->f[0][1];
        cgs_table(tables, term, axis, CGS_HAT_EXACT_D)[i] += weight * slope[side] * p->f[1][0];
        cgs_table(tables, term, axis, CGS_HAT_ERROR_D)[i] += weight * slope[side] * p->f[1][1];
    }
}

static void add_to_pair(struct pairs *pair, double weight, const struct at_point *s,
                        const struct at_point *t)
{
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            pair->value[a][b] += weight * s->f[0][a] * t->f[0][b];
            pair->derivative[a][b] += weight * s->f[1][a] * t->f[1][b];
        }
}

static void integrate_axis(const struct cgs_problem *problem, const struct cgs_mesh *mesh, int axis,
                           struct cgs_tables *tables, struct sums *sums)
{
    /* 4-point Gauss on [-1, 1]: exact to degree 7. */
    static const double point[4] = {-0.86113631159405257522, -0.33998104358485626480,
                                    0.33998104358485626480, 0.86113631159405257522};
    static const double share[4] = {0.34785484513745385737, 0.65214515486254614263,
                                    0.65214515486254614263, 0.34785484513745385737};
    const double h = mesh->h[axis], over = 1.0 / mesh->size[axis];
    for (int64_t cell = 0; cell <= mesh->n[axis]; cell++)
        for (int q = 0; q < 4; q++) {
            const double xi = 0.5 + 0.5 * point[q], weight = 0.5 * h * share[q];
            const double t = ((double)cell + xi) / (double)(mesh->n[axis] + 1);
            struct at_point p[CGS_TERMS];
            for (int term = 0; term < problem->terms; term++) {
                const double *nodal = cgs_table(tables, term, axis, CGS_HAT_NODAL) + cell;
                p[term] = evaluate(problem->factor[term][axis], t, over, xi, h, nodal[0], nodal[1]);
                add_to_tables(tables, term, axis, cell, xi, weight, h, &p[term]);
            }
            for (int i = 0; i < problem->terms; i++)
                for (int j = 0; j < problem->terms; j++)
                    add_to_pair(&sums->pair[i][j][axis], weight, &p[i], &p[j]);
        }
}

/* Returns int d^2, or int (d_k d)^2 for `direction` k = 0, 1, 2. */
static double norm_squared(const struct sums *sums, int terms, int direction)
{
    double norm = 0.0;
    for (int s = 0; s < terms; s++)
        for (int t = 0; t < terms; t++)
            for (int a = 1; a < 8; a++) /* bit k set: delta in direction k, else g */
                for (int b = 1; b < 8; b++) {
                    double product = 1.0;
                    for (int axis = 0; axis < 3; axis++) {
                        const struct pairs *pair = &sums->pair[s][t][axis];
                        const int of_a = a >> axis & 1, of_b = b >> axis & 1;
                        product *= axis == direction ? pair->derivative[of_a][of_b]
                                                     : pair->value[of_a][of_b];
                    }
                    norm += product;
                }
    return norm;
}

enum cgs_status cgs_interpolation_create(struct cgs_context *context,
                                         const struct cgs_problem *problem,
                                         const struct cgs_mesh *mesh,
                                         struct cgs_interpolation *interpolation)
{
    struct cgs_interpolation made = {.l2_squared = 0.0};
    CGS_TRY(cgs_tables_create(context, problem, mesh, CGS_HATS, &made.tables));
    for (int64_t i = 0; i < problem->terms * 3 * CGS_HATS * made.tables.stride; i++)
        made.tables.values[i] = 0.0;
    cgs_tables_nodal(problem, mesh, CGS_HAT_NODAL, &made.tables);
    struct sums sums = {0};
    for (int axis = 0; axis < 3; axis++)
        integrate_axis(problem, mesh, axis, &made.tables, &sums);
    made.l2_squared = norm_squared(&sums, problem->terms, -1);
    for (int direction = 0; direction < 3; direction++)
        made.h1_squared += norm_squared(&sums, problem->terms, direction);
    *interpolation = made;
    return CGS_OK;
}

void cgs_interpolation_release(struct cgs_context *context, struct cgs_interpolation *interpolation)
{
    cgs_tables_release(context, &interpolation->tables);
}
