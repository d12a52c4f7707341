/* --coarse=galerkin: P has the hat functions of the coarse grid in its columns; P'A P has their
 * energies in A, and is the rediscretised matrix where theory says so; counts are right before
 * anything is made. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "core/options/options.h"
#include "core/precond/galerkin.h"
#include "core/precond/galerkin_sizes.h"
#include "core/precond/grids.h"
#include "core/precond/hierarchy.h"
#include "fem/assembly.h"
#include "kernels/grid/prolongation.h"
#include "matrix/layout.h"
#include "tests/support/asked.h"

#define well(a, call) ck_assert_msg((call) == CGS_OK, "%s: %s", #call, (a)->context.message)

/* ---- P ---- */

/* Unknowns in x, y, z of the fine grid and of the coarse one. */
static const int64_t pairs[][2][3] = {
    {{1, 1, 1}, {1, 1, 1}},    {{2, 2, 2}, {1, 1, 1}},    {{3, 3, 3}, {1, 1, 1}},
    {{4, 4, 4}, {1, 1, 1}},    {{5, 5, 5}, {2, 2, 2}},    {{7, 7, 7}, {3, 3, 3}},
    {{8, 8, 8}, {4, 4, 4}},    {{9, 9, 9}, {4, 4, 4}},    {{9, 9, 9}, {3, 3, 3}},
    {{12, 12, 12}, {6, 6, 6}}, {{13, 13, 13}, {6, 6, 6}}, {{14, 14, 14}, {7, 7, 7}},
    {{3, 8, 12}, {3, 8, 6}},   {{14, 5, 2}, {7, 5, 2}},   {{1, 9, 13}, {1, 4, 6}},
    {{4, 13, 6}, {2, 6, 3}},   {{5, 1, 8}, {5, 1, 4}},
};
enum { PAIRS_OF_GRIDS = sizeof pairs / sizeof *pairs };

/* In one direction: of coarse j at fine i, nodes of the unit interval. */
static double hat(int64_t n, int64_t m, int64_t i, int64_t j)
{
    const double apart =
        fabs((double)(i + 1) / (double)(n + 1) - (double)(j + 1) / (double)(m + 1));
    return fmax(0.0, 1.0 - apart * (double)(m + 1));
}

LOOP_TEST(columns_are_hat_functions, PAIRS_OF_GRIDS)
{
    const int64_t *n = pairs[_i][0], *m = pairs[_i][1];
    const struct cgs_prolongation grids = {.n = {n[0], n[1], n[2]}, .m = {m[0], m[1], m[2]}};
    const struct cgs_row_source source = cgs_prolongation_source(&grids);
    ck_assert_int_eq(source.rows, n[0] * n[1] * n[2]);
    ck_assert_int_eq(source.columns, m[0] * m[1] * m[2]);
    for (int64_t row = 0; row < source.rows; row++) {
        int32_t length, column[8];
        double value[8];
        int at = 0;
        source.lengths(&source, row, row + 1, &length);
        ck_assert(length >= 1 && length <= 8);
        source.fill(&source, row, row + 1, column, value);
        for (int64_t c = 0; c < source.columns; c++) {
            const double weight = hat(n[0], m[0], row % n[0], c % m[0]) *
                                  hat(n[1], m[1], row / n[0] % n[1], c / m[0] % m[1]) *
                                  hat(n[2], m[2], row / (n[0] * n[1]), c / (m[0] * m[1]));
            if (at < length && column[at] == c)
                ck_assert(value[at] > 0.0 && fabs(value[at++] - weight) <= 32 * DBL_EPSILON);
            else
                ck_assert(weight <= 32 * DBL_EPSILON);
        }
        ck_assert_int_eq(at, length);
    }
}

/* ---- P'A P ---- */

/* The box of some options, its matrix A, P to the next coarser grid, and P'A P, all on the host. */
struct products {
    struct asked asked;
    struct cgs_mesh mesh, coarse;
    struct cgs_row_source source;
    struct cgs_prolongation grids;
    struct cgs_crs a, p, c;
};

static void make(struct products *s, const char *words)
{
    struct asked *own = &s->asked;
    ask(own, words);
    struct cgs_context *context = &own->context;
    struct cgs_queue *queue = own->machine.queue;
    const struct cgs_assembly_ops *box =
        cgs_spec_asked(&own->options.settings, &own->machine, NULL).box;
    struct cgs_galerkin galerkin;
    struct cgs_sparse a, p, r, c;
    s->mesh = cgs_mesh_asked(&own->options.settings);
    s->coarse = cgs_coarser(&s->mesh);
    s->grids = (struct cgs_prolongation){.n = {0}};
    for (int k = 0; k < 3; k++) {
        s->grids.n[k] = s->mesh.n[k];
        s->grids.m[k] = s->coarse.n[k];
    }
    const struct cgs_row_source rows = cgs_prolongation_source(&s->grids);
    well(own, cgs_assembler_create(context, &s->mesh, cgs_gather_of(&s->mesh), &s->source));
    well(own, cgs_crs_generate(context, &s->source, &s->a));
    well(own, cgs_crs_generate(context, &rows, &s->p));
    well(own, cgs_galerkin_find(&own->machine, CGS_F64, &galerkin));
    well(own, cgs_galerkin_draw(&galerkin, box, &s->source, &a));
    well(own, cgs_galerkin_draw(&galerkin, box, &rows, &p));
    well(own, cgs_galerkin_project(&galerkin, &a, &p, &r, &c));
    well(own, galerkin.sparse->fetch(queue, &c, &s->c));
    galerkin.sparse->release(queue, &a);
    galerkin.sparse->release(queue, &p);
    galerkin.sparse->release(queue, &r);
    galerkin.sparse->release(queue, &c);
}

static void unmake(struct products *s)
{
    struct cgs_context *context = &s->asked.context;
    cgs_crs_release(context, &s->a);
    cgs_crs_release(context, &s->p);
    cgs_crs_release(context, &s->c);
    cgs_assembler_release(context, &s->source);
    dismiss(&s->asked);
}

/* y = A x; with `size`, |A| |x|. */
static double *times(const struct cgs_crs *a, const double *x, bool size)
{
    double *y = must_have((size_t)a->rows * sizeof *y);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++) {
            const double product = a->value[e] * x[a->column[e]];
            y[i] += size ? fabs(product) : product;
        }
    return y;
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Arrays of rows are borrowed on the host, and stay when the matrix goes; other rows are drawn. */
TEST(rows_in_arrays_are_borrowed)
{
    struct products s;
    make(&s, "--N=7");
    struct asked *own = &s.asked;
    struct cgs_galerkin galerkin;
    well(own, cgs_galerkin_find(&own->machine, CGS_F64, &galerkin));
    const bool host = own->machine.backend->place == CGS_HOST;
    const struct cgs_row_source sources[] = {cgs_crs_source(&s.a), s.source};
    for (int k = 0; k < 2; k++) {
        struct cgs_sparse m;
        struct cgs_crs seen;
        well(own, cgs_galerkin_borrow(&galerkin, NULL, &sources[k], &m));
        ck_assert(((double *)m.value == s.a.value) == (host && k == 0));
        ck_assert((m.column == s.a.column) == (host && k == 0));
        well(own, galerkin.sparse->fetch(own->machine.queue, &m, &seen));
        galerkin.sparse->release(own->machine.queue, &m);
        ck_assert_int_eq(seen.pointers[seen.rows], s.a.pointers[s.a.rows]);
        for (int64_t e = 0; e < s.a.pointers[s.a.rows]; e++) {
            ck_assert_int_eq(seen.column[e], s.a.column[e]);
            ck_assert(seen.value[e] == s.a.value[e]);
        }
        cgs_crs_release(&own->context, &seen);
    }
    unmake(&s);
}

/* x'C y, and what rounding may make of it: (P|x|)'|A| P|y|, as P has no negative entries. */
static double energy(const struct products *s, const double *x, const double *y, double *size)
{
    const int64_t m = s->c.rows, n = s->a.rows;
    double *magnitude[2], *cy = times(&s->c, y, false);
    const double value = dot(m, x, cy);
    for (int k = 0; k < 2; k++) {
        magnitude[k] = must_have((size_t)m * sizeof(double));
        for (int64_t i = 0; i < m; i++)
            magnitude[k][i] = fabs(k == 0 ? x[i] : y[i]);
    }
    double *px = times(&s->p, magnitude[0], false), *py = times(&s->p, magnitude[1], false);
    double *apy = times(&s->a, py, true);
    *size = dot(n, px, apy);
    free(apy), free(px), free(py), free(cy), free(magnitude[0]), free(magnitude[1]);
    return value;
}

static const char *const boxes[] = {
    "--N=7",
    "--N=8",
    "--N=10 --deform=0.1",
    "--N=9 --kappa=smooth --quadrature=blended",
    "--N=14 --kappa=jump:1e6",
    "--N=2",
    "--cells=9x5x12",
    "--cells=8x8x8 --size=1x10x1",
    "--cells=11x9x6 --size=1x10x100 --kappa=jump:1e6",
    "--cells=2x7x10 --kappa=smooth --quadrature=blended",
    "--cells=8x2x2",
};
enum { BOXES = sizeof boxes / sizeof *boxes };

/* x'C y = (P x)'A (P y), y'C x, to the rounding of as many products and sums as there are. */
LOOP_TEST(energies_are_those_of_the_fine_grid, BOXES)
{
    enum { SUMS = 27 + 8 + 343 };
    struct products s;
    make(&s, boxes[_i]);
    const int64_t rows = cgs_mesh_rows(&s.coarse);
    ck_assert_int_eq(rows, s.c.rows);
    const double eps = DBL_EPSILON * (SUMS + 3.0 * (double)s.a.rows);
    double *x = must_have((size_t)rows * sizeof *x), *y = must_have((size_t)rows * sizeof *y), size;
    for (int64_t i = 0; i < rows; i++) {
        x[i] = cgs_random((uint64_t)i);
        y[i] = cgs_random((uint64_t)(rows + i));
    }
    double *px = times(&s.p, x, false), *py = times(&s.p, y, false), *apy = times(&s.a, py, false);
    const double coarse = energy(&s, x, y, &size), fine = dot(s.a.rows, px, apy);
    ck_assert_double_le(fabs(coarse - fine), eps * size);
    ck_assert_double_le(fabs(energy(&s, y, x, &size) - coarse), eps * size);
    ck_assert_double_gt(energy(&s, x, x, &size), 0.0);
    free(apy), free(py), free(px), free(y), free(x);
    unmake(&s);
}

/* Grids that nest, integrals that are exact, kappa constant in each coarse cell: the same
 * matrix, entry by entry, to k eps (P'|A| P)_ij <= k eps (sum of |a| of a row) x 27 fine nodes. */
TEST(products_are_rediscretised_matrices)
{
    static const char *const words[] = {"--N=3",
                                        "--N=7",
                                        "--N=15",
                                        "--N=15 --kappa=jump:1000",
                                        "--N=11 --kappa=jump:0.01",
                                        "--N=7 --problem=course",
                                        "--cells=4x8x12",
                                        "--cells=8x8x8 --size=1x10x1",
                                        "--cells=9x8x5 --size=9x0.8x50",
                                        "--cells=4x8x12 --size=2x1x1 --problem=course"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        struct products s;
        struct cgs_row_source source;
        struct cgs_crs again;
        make(&s, words[w]);
        struct cgs_mesh mesh = s.mesh; /* its jumps in the middle, as on the finest grid */
        cgs_mesh_resize(&mesh, s.coarse.n);
        struct cgs_context *context = &s.asked.context;
        well(&s.asked, cgs_assembler_create(context, &mesh, cgs_gather_of(&mesh), &source));
        well(&s.asked, cgs_crs_generate(context, &source, &again));
        ck_assert_int_eq(s.c.pointers[s.c.rows], again.pointers[again.rows]);
        for (int64_t i = 0; i < again.rows; i++) {
            ck_assert(s.c.pointers[i] == again.pointers[i]);
            for (int64_t e = again.pointers[i]; e < again.pointers[i + 1]; e++) {
                ck_assert(s.c.column[e] == again.column[e]);
                ck_assert(fabs(s.c.value[e] - again.value[e]) <= 27 * 8 * DBL_EPSILON * s.a.norm);
            }
        }
        cgs_crs_release(context, &again);
        cgs_assembler_release(context, &source);
        unmake(&s);
    }
}

/* ---- operators ---- */

/* y = A x of some x, on the host; owned by the caller. */
static double *product_of(struct asked *a, const struct cgs_operator *op)
{
    const struct cgs_space *in = &op->domain, *out = &op->range;
    double *x = must_have((size_t)in->size * sizeof *x),
           *y = must_have((size_t)out->size * sizeof *y);
    void *of[2];
    for (int64_t i = 0; i < in->size; i++)
        x[i] = cgs_random((uint64_t)i);
    well(a, in->ops->alloc(in, "x", &of[0]));
    well(a, out->ops->alloc(out, "y", &of[1]));
    well(a, in->ops->put(in, x, 0, in->size, of[0]));
    well(a, cgs_operator_apply(op, a->machine.queue, NULL, of[0], of[1]));
    well(a, out->ops->get(out, of[1], 0, out->size, y));
    in->ops->free(in, of[0]);
    out->ops->free(out, of[1]);
    free(x);
    return y;
}

/* Rows of 0 to 40 entries, or all of one length; with `longest` entries in one of them. */
static struct cgs_crs uneven(struct asked *a, int64_t rows, int64_t columns, bool equal,
                             int64_t longest)
{
    struct cgs_crs m;
    well(a, cgs_crs_alloc(&a->context, rows, columns, 40 * rows + longest, &m));
    m.pointers[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t random = (int64_t)(cgs_splitmix64((uint64_t)i) % 41),
                      length = i == rows / 3 && longest > 0 ? longest
                               : equal                      ? 27
                                                            : random;
        int64_t e = m.pointers[i];
        for (int64_t k = 0; k < length; k++, e++) {
            m.column[e] = (int32_t)(k * columns / length);
            m.value[e] = cgs_random((uint64_t)e);
        }
        m.pointers[i + 1] = e;
    }
    return m;
}

/* The operator of a matrix where it was made has the bits of that of the same rows on the host,
 * and outlives the matrix. */
TEST(operators_are_those_of_the_hosts_rows)
{
    static const struct {
        int64_t rows, columns, longest;
        bool equal;
    } shapes[] = {{9001, 700, 0, false}, {700, 9001, 0, false},    {4097, 4097, 0, true},
                  {1, 5, 5, false},      {4096, 3000, 1020, true}, {5000, 3000, 3000, false}};
    struct asked a;
    ask(&a, "--N=3");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int number = 0; number < CGS_NUMBERS; number++) {
            struct cgs_crs crs =
                uneven(&a, shapes[k].rows, shapes[k].columns, shapes[k].equal, shapes[k].longest);
            const struct cgs_row_source source = cgs_crs_source(&crs);
            struct cgs_galerkin galerkin;
            struct cgs_galerkin_rows rows;
            struct cgs_sparse m;
            struct cgs_operator ops[2] = {{0}};
            struct cgs_traffic traffic[2];
            well(&a, cgs_galerkin_find(&a.machine, (enum cgs_number)number, &galerkin));
            well(&a, cgs_galerkin_draw(&galerkin, NULL, &source, &m));
            well(&a, cgs_galerkin_look(&galerkin, &m, &rows));
            well(&a, cgs_galerkin_operator(&galerkin, &rows.source, &ops[0], &traffic[0]));
            well(&a, cgs_galerkin_operator(&galerkin, &source, &ops[1], &traffic[1]));
            galerkin.sparse->release(a.machine.queue, &m);
            double *made = product_of(&a, &ops[0]), *right = product_of(&a, &ops[1]);
            for (int64_t i = 0; i < crs.rows; i++)
                ck_assert(made[i] == right[i]);
            ck_assert(traffic[0].matrix == traffic[1].matrix &&
                      traffic[0].vectors == traffic[1].vectors &&
                      traffic[0].operations == 2 * crs.pointers[crs.rows]);
            free(right), free(made);
            cgs_operator_release(&ops[0]);
            cgs_operator_release(&ops[1]);
            cgs_crs_release(&a.context, &crs);
        }
    dismiss(&a);
}

/* ---- before they exist ---- */

LOOP_TEST(counts_are_those_of_the_products, BOXES)
{
    struct products s;
    struct cgs_galerkin_sizes sizes;
    int64_t products = 0, longest = 0;
    make(&s, boxes[_i]);
    const struct cgs_mesh grids[2] = {s.mesh, s.coarse};
    cgs_galerkin_sizes(2, grids, &sizes);
    for (int64_t i = 0; i < s.a.rows; i++) {
        int64_t of_row = 0;
        for (int64_t e = s.a.pointers[i]; e < s.a.pointers[i + 1]; e++)
            of_row += s.p.pointers[s.a.column[e] + 1] - s.p.pointers[s.a.column[e]];
        products += of_row;
        longest = of_row > longest ? of_row : longest;
    }
    ck_assert_int_eq(sizes.ap.rows, s.a.rows);
    ck_assert_int_eq(sizes.ap.columns, s.c.rows);
    ck_assert_int_eq(sizes.ap.a, s.a.pointers[s.a.rows]);
    ck_assert_int_eq(sizes.ap.b, s.p.pointers[s.p.rows]);
    ck_assert_int_eq(sizes.ap.products, products);
    ck_assert_int_eq(sizes.ap.longest, longest);
    ck_assert_int_eq(sizes.coarse.rows, s.c.rows);
    ck_assert_int_eq(sizes.coarse.inner, s.a.rows);
    ck_assert_int_eq(sizes.coarse.a, sizes.ap.b);
    ck_assert_int_eq(sizes.coarse.b, sizes.ap.entries);
    ck_assert_int_eq(sizes.coarse.entries, s.c.pointers[s.c.rows]);
    unmake(&s);
}

/* On every grid of a hierarchy: what was forecast is what is there. */
TEST(grids_are_as_forecast)
{
    static const char *const words[] = {
        "--N=15 --precond=mg --coarse=galerkin",
        "--N=20 --precond=mg --coarse=galerkin --format=none",
        "--cells=9x30x14 --size=1x20x1 --precond=mg --coarse=galerkin --format=sell",
        "--N=25 --precond=mg --coarse=galerkin --deform=0.1 --format=sellc"};
    const size_t count = CHECK_SMALL ? 1 : sizeof words / sizeof *words;
    for (size_t w = 0; w < count; w++) {
        struct products s = {.asked.context = {0}};
        struct cgs_matrix matrix;
        struct cgs_operator op;
        struct cgs_hierarchy h;
        static struct cgs_grids grids;
        ask(&s.asked, words[w]);
        struct cgs_context *own = &s.asked.context;
        const struct cgs_options *o = &s.asked.options;
        const struct cgs_machine *m = &s.asked.machine;
        const struct cgs_spec forecast = cgs_spec_asked(&o->settings, m, NULL);
        cgs_grids_specify(&forecast, &grids);
        ck_assert_int_eq(cgs_grids_accept(own, &forecast), CGS_OK);
        s.mesh = cgs_mesh_asked(&o->settings);
        well(&s.asked, cgs_assembler_create(own, &s.mesh, cgs_gather_of(&s.mesh), &s.source));
        well(&s.asked,
             cgs_matrix_create(own, &s.source, o->settings.format, cgs_settings_chunk(&o->settings),
                               cgs_settings_sigma(&o->settings), &matrix));
        well(&s.asked,
             cgs_operator_create(m->queue, m->backend, m->kernel, CGS_PRECISION_F64, &matrix, &op));
        well(&s.asked, cgs_hierarchy_create(own, &forecast, m, &s.mesh, &op, CGS_F32, &h));
        ck_assert_int_eq(h.count, grids.settings.count);
        ck_assert_int_ge(h.count, 2);
        ck_assert(h.galerkin && h.galerkin_seconds > 0.0);
        for (int l = 1; l < h.count; l++) {
            const struct cgs_grid_spec *level = &grids.level[l];
            ck_assert(level->product);
            ck_assert_int_eq(h.level[l].op.domain.size, level->matrix.rows);
            ck_assert_int_eq(h.level[l].product.matrix, grids.settings.grid[l].product.matrix);
            ck_assert_int_eq(h.level[l].product.operations, 2 * level->matrix.nonzeros);
            ck_assert_int_eq(level->matrix.statistics.rounded[0], level->matrix.nonzeros);
            ck_assert_int_eq(h.level[l].op.domain.footprint, level->op.domain.footprint);
        }
        cgs_hierarchy_release(own, &h);
        cgs_operator_release(&op);
        cgs_matrix_release(own, &matrix);
        cgs_assembler_release(own, &s.source);
        dismiss(&s.asked);
    }
}

/* A row has 3^3 entries where grids nest, and never more than 7^3. */
static void check_rows(const struct cgs_mesh *mesh)
{
    struct cgs_galerkin_sizes sizes[CGS_GRIDS];
    struct cgs_mesh grids[CGS_GRIDS];
    bool nested = true;
    const int count = cgs_hierarchy_sizes(CGS_HOST, mesh, grids);
    cgs_galerkin_sizes(count, grids, sizes);
    for (int l = 0; l < count - 1; l++) {
        for (int k = 0; k < 3; k++)
            nested = nested && (grids[l].n[k] == grids[l + 1].n[k] ||
                                grids[l].n[k] == 2 * grids[l + 1].n[k] + 1);
        ck_assert(sizes[l].statistics.longest <= (nested ? 27 : 343));
        ck_assert(sizes[l].coarse.products >= sizes[l].coarse.entries);
        ck_assert(sizes[l].statistics.rounded[0] == sizes[l].coarse.entries);
    }
}

TEST(rows_do_not_grow)
{
    static const double sizes[][3] = {{1, 1, 1}, {1, 1, 10}, {1, 100, 1}, {1, 10, 100}};
    for (int64_t n = 1; n <= CGS_ASSEMBLER_MAX_N; n++) {
        const struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
        check_rows(&mesh);
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int64_t n = 1; n <= 400; n++) {
            const struct cgs_mesh mesh = cgs_mesh_box(
                (const int64_t[3]){n, 401 - n, (n * 7) % 301 + 1}, sizes[s], CGS_GAUSS, 1.0);
            check_rows(&mesh);
        }
}

int main(void)
{
    return bed_tests("Galerkin products", 60);
}
