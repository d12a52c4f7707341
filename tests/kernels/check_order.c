/* Boxes of order 2 ... 8: rows against facts of the element, products against the rows, transfers
 * to lower orders against the polynomials. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/element/order_line.h"
#include "fem/order/rows.h"
#include "kernels/grid.h"
#include "solver/operator.h"
#include "tests/kernels/free.h"
#include "tests/support/rows.h"

/* g = t (1 - t) L^2 and g'' of an unknown in direction k, and its mass. */
static void bump(const struct cgs_order_line *line, int k, int64_t i, double out[3])
{
    const double t = cgs_order_coordinate(line, i + 1);
    out[0] = t * (1.0 - t) * size_of_order[k] * size_of_order[k];
    out[1] = -2.0;
    out[2] = cgs_order_mass(line, i);
}

/* A u = M f for u = prod_k x_k (L_k - x_k), to rounding: the rule integrates all of it exactly.
 * Rows are sorted, and as many entries as the statistics say; diagonal and norm are theirs. */
LOOP_TEST(rows_are_those_of_the_element, ORDERS)
{
    for (int place = 0; place < TILES; place++) {
        const struct cgs_mesh mesh = mesh_of_order(_i + 2, place);
        const struct cgs_row_statistics found = cgs_order_statistics(&mesh);
        struct cgs_order_line line[3];
        struct cgs_row_source source;
        for (int k = 0; k < 3; k++)
            cgs_order_line_make(&mesh, k, &line[k]);
        must(cgs_order_source(&bed.context, &mesh, &source));
        struct rows rows = rows_gather(&source, 7);
        double *u = must_have((size_t)rows.count * sizeof *u), norm = 0.0;
        double *diagonal = must_have((size_t)rows.count * sizeof *diagonal);
        must(source.diagonal(&bed.context, &source, 0, rows.count, diagonal));
        ck_assert_int_eq(rows.entries, found.rounded[0]);
        for (int64_t i = 0; i < rows.count; i++) {
            double x[3], y[3], z[3];
            bump(&line[0], 0, i % mesh.n[0], x);
            bump(&line[1], 1, i / mesh.n[0] % mesh.n[1], y);
            bump(&line[2], 2, i / (mesh.n[0] * mesh.n[1]), z);
            u[i] = x[0] * y[0] * z[0];
        }
        for (int64_t i = 0; i < rows.count; i++) {
            double sum = 0.0, all = 0.0, row = 0.0, x[3], y[3], z[3];
            for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
                const double part = rows.values[k] * u[rows.columns[k]];
                ck_assert(k == rows.start[i] || rows.columns[k - 1] < rows.columns[k]);
                ck_assert(rows.columns[k] != i || rows.values[k] == diagonal[i]);
                sum += part;
                all += fabs(part);
                row += fabs(rows.values[k]);
            }
            bump(&line[0], 0, i % mesh.n[0], x);
            bump(&line[1], 1, i / mesh.n[0] % mesh.n[1], y);
            bump(&line[2], 2, i / (mesh.n[0] * mesh.n[1]), z);
            const double f = -(x[1] * y[0] * z[0] + x[0] * y[1] * z[0] + x[0] * y[0] * z[1]);
            ck_assert_double_le(fabs(sum - x[2] * y[2] * z[2] * f), 512.0 * DBL_EPSILON * all);
            norm = fmax(norm, row);
        }
        ck_assert_double_le(source.norm(&source), norm * (1.0 + 1e-10));
        ck_assert_double_ge(source.norm(&source), norm * (1.0 - 1e-12));
        free(diagonal);
        free(u);
        rows_free(&rows);
        cgs_order_release(&bed.context, &source);
    }
}

/* Returns x' K y of a line, of the polynomials t^i and t^j at its nodes, or x' M y. */
static double form(const struct cgs_order_line *line, bool mass, int i, int j)
{
    double sum = 0.0;
    for (int64_t r = 0; r < line->n; r++) {
        struct cgs_order_row row;
        const double left = pow(cgs_order_coordinate(line, r + line->first), i);
        cgs_order_row_of(line, r, &row);
        if (mass)
            sum += left * cgs_order_mass(line, r) *
                   pow(cgs_order_coordinate(line, r + line->first), j);
        for (int a = 0; a < row.count && !mass; a++)
            sum += left * row.entry[a] *
                   pow(cgs_order_coordinate(line, row.first + a + line->first), j);
    }
    return sum;
}

/* Polynomials on a free graded line have the integrals that they should, as far as the rule is
 * exact. Lines with other ends have the same entries, and periodic ones no others. */
LOOP_TEST(lines_integrate_polynomials, ORDERS)
{
    const int p = _i + 2;
    double nodes[LONGEST];
    struct cgs_mesh mesh = mesh_of_ends(p, 2, 3, nodes);
    struct cgs_order_line all, line;
    struct cgs_order_row own, other;
    memset(mesh.transfer, 0, sizeof mesh.transfer);
    cgs_order_line_make(&mesh, 1, &all);
    for (int i = 0; i <= p; i++)
        for (int j = 0; j <= p && i + j <= 2 * p - 1; j++) {
            const double mass = 2.0 / (i + j + 1);
            const double stiff = i * j == 0 ? 0.0 : 0.5 * i * j / (i + j - 1);
            ck_assert_double_eq_tol(form(&all, true, i, j), mass, 64 * DBL_EPSILON);
            ck_assert_double_eq_tol(form(&all, false, i, j), stiff, 1024 * DBL_EPSILON * p * p);
        }
    for (int open = 0; open <= CGS_PERIODIC; open += open < 2 ? 1 : 3) {
        const bool ring = open == CGS_PERIODIC;
        mesh.open[1] = open;
        mesh.n[1] = 3 * p - 1 + (ring ? 1 : (open > 0));
        cgs_order_line_make(&mesh, 1, &line);
        ck_assert_int_eq(line.cells, 3);
        for (int64_t i = 0; i < line.n; i++) {
            cgs_order_row_of(&line, i, &own);
            cgs_order_row_of(&all, i + line.first, &other);
            if (ring && i == 0) { /* node 0 is also the last one */
                double sum = 0.0;
                for (int a = 0; a < own.count; a++)
                    sum += own.entry[a];
                ck_assert_double_le(fabs(sum), 256 * DBL_EPSILON * own.entry[p]);
                ck_assert_int_eq(own.first, -p);
                ck_assert_int_eq(own.count, 2 * p + 1);
                ck_assert(cgs_order_mass(&line, 0) ==
                          cgs_order_mass(&all, 3 * p) + cgs_order_mass(&all, 0));
                continue;
            }
            ck_assert(cgs_order_mass(&line, i) == cgs_order_mass(&all, i + line.first));
            for (int a = 0; a < own.count; a++) {
                const int64_t node = own.first + a + line.first;
                ck_assert(own.entry[a] == other.entry[node - other.first]);
            }
            for (int side = 0; side < 2; side++) {
                const int64_t end = side ? 3 * p : 0, at = end - other.first;
                const double entry = at >= 0 && at < other.count ? other.entry[at] : 0.0;
                if (!ring)
                    ck_assert(cgs_order_coupling(&line, side, i) == entry || i + line.first == end);
            }
        }
    }
}

static const struct cgs_kernel_entry *order_entry(void)
{
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    for (int i = 0; i < count; i++)
        if (entries[i].device == CGS_CPU && strcmp(entries[i].name, "order") == 0)
            return &entries[i];
    ck_abort_msg("no kernel order");
}

/* The step of a smoother in one pass has the bits of A x and the space's step. */
static void check_relax(const struct cgs_operator *op, const void *x, const double *numbers)
{
    const struct cgs_space *space = &op->domain;
    const int64_t n = space->size;
    double *y[2] = {must_have((size_t)n * sizeof(double)), must_have((size_t)n * sizeof(double))};
    void *b = bed_vector(space, numbers), *product = bed_vector(space, NULL);
    for (int how = 0; how < 4; how++) {
        void *out[2] = {bed_vector(space, numbers), bed_vector(space, numbers)};
        struct cgs_relaxation step = {.on_x = 1.25,
                                      .on_y = how & 1 ? -0.25 : 0.0,
                                      .c = 0.5,
                                      .d = how & 2 ? b : NULL,
                                      .b = b,
                                      .x = x,
                                      .y = out[0]};
        must(op->steps->relax(op->self, bed.queue, NULL, &step));
        step.y = out[1];
        must(cgs_operator_apply(op, bed.queue, NULL, x, product));
        must(space->ops->relax(space, bed.queue, NULL, &step, product));
        for (int i = 0; i < 2; i++) {
            bed_get(space, out[i], y[i]);
            space->ops->free(space, out[i]);
        }
        ck_assert(memcmp(y[0], y[1], (size_t)n * sizeof(double)) == 0);
    }
    space->ops->free(space, product);
    space->ops->free(space, b);
    free(y[0]);
    free(y[1]);
}

/* The product is that of the rows, with the same bits by any number of threads. */
static void check_product(const struct cgs_mesh *mesh, enum cgs_precision precision)
{
    const double eps = cgs_precision_real(precision) == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    must(cgs_order_source(&bed.context, mesh, &source));
    must(cgs_matrix_create(&bed.context, &source, CGS_NONE, 1, 1, &matrix));
    must(cgs_operator_create(bed.queue, bed.backend, order_entry()->tables[precision], precision,
                             &matrix, &op));
    struct rows rows = rows_gather(&source, 1000);
    const struct cgs_space *space = &op.domain;
    const size_t bytes = (size_t)rows.count * sizeof(double);
    double *x = must_have(bytes), *y[2] = {must_have(bytes), must_have(bytes)};
    void *vx, *vy;
    must(space->ops->alloc(space, "x", &vx));
    must(space->ops->alloc(space, "y", &vy));
    plain_vector(rows.count, PLAIN_RANDOM, space->number, 3, x);
    must(space->ops->put(space, x, 0, rows.count, vx));
    for (int t = 0; t < 2; t++) {
        bed.context.threads = 1 + 2 * t;
        must(op.steps->apply(op.self, bed.queue, NULL, vx, vy));
        must(space->ops->get(space, vy, 0, rows.count, y[t]));
    }
    bed.context.threads = 2;
    ck_assert(memcmp(y[0], y[1], bytes) == 0);
    check_relax(&op, vx, x);
    for (int64_t i = 0; i < rows.count; i++) {
        double sum = 0.0, all = 0.0;
        for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
            sum += rows.values[k] * x[rows.columns[k]];
            all += fabs(rows.values[k] * x[rows.columns[k]]);
        }
        /* Three sums add up to the diagonal, which alone is not cancelled. */
        ck_assert_double_le(fabs(y[0][i] - sum), (rows.length[i] + 8) * eps * all);
    }
    space->ops->free(space, vx);
    space->ops->free(space, vy);
    free(x);
    free(y[0]);
    free(y[1]);
    rows_free(&rows);
    cgs_operator_release(&op);
    cgs_matrix_release(&bed.context, &matrix);
    cgs_order_release(&bed.context, &source);
}

LOOP_TEST(products_are_those_of_the_rows, ORDERS)
{
    for (int place = 0; place < PLACES_OF_ORDER + ENDS; place++) {
        double nodes[LONGEST];
        const struct cgs_mesh mesh = place < PLACES_OF_ORDER
                                         ? mesh_of_order(_i + 2, place)
                                         : mesh_of_ends(_i + 2, place - PLACES_OF_ORDER, 3, nodes);
        check_product(&mesh, CGS_PRECISION_F64);
        check_product(&mesh, CGS_PRECISION_F32);
    }
}

/* Rows of boxes with all kinds of ends are sorted and symmetric; diagonal, norm and statistics are
 * as said; and A 1 = c M 1 + what transfer holds, where no face has a value. */
LOOP_TEST(rows_of_all_ends, ORDERS *ENDS)
{
    double nodes[LONGEST];
    const int p = _i / ENDS + 2, place = _i % ENDS;
    const struct cgs_mesh mesh = mesh_of_ends(p, place, 3, nodes);
    struct cgs_order_line line[3];
    struct cgs_row_source source;
    double norm = 0.0;
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(&mesh, k, &line[k]);
    must(cgs_order_source(&bed.context, &mesh, &source));
    struct rows rows = rows_gather(&source, 50);
    double *diagonal = must_have((size_t)rows.count * sizeof *diagonal);
    must(source.diagonal(&bed.context, &source, 0, rows.count, diagonal));
    ck_assert_int_eq(rows.entries, cgs_order_statistics(&mesh).rounded[0]);
    for (int64_t i = 0; i < rows.count; i++) {
        const int64_t at[3] = {i % mesh.n[0], i / mesh.n[0] % mesh.n[1],
                               i / (mesh.n[0] * mesh.n[1])};
        double sum = 0.0, all = 0.0, right = mesh.reaction;
        for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
            const int64_t j = rows.columns[k];
            ck_assert(k == rows.start[i] || rows.columns[k - 1] < j);
            ck_assert(j != i || rows.values[k] == diagonal[i]);
            int64_t back = rows.start[j];
            while (back < rows.start[j + 1] && rows.columns[back] != i)
                back++;
            ck_assert(back < rows.start[j + 1]);
            ck_assert_double_eq_tol(rows.values[back], rows.values[k],
                                    8 * DBL_EPSILON * fabs(diagonal[i]));
            sum += rows.values[k];
            all += fabs(rows.values[k]);
        }
        norm = fmax(norm, all);
        for (int k = 0; k < 3; k++) {
            const double mass = cgs_order_mass(&line[k], at[k]);
            right += at[k] == 0 ? mesh.transfer[k][0] / mass : 0.0;
            right += at[k] == mesh.n[k] - 1 ? mesh.transfer[k][1] / mass : 0.0;
        }
        for (int k = 0; k < 3; k++)
            right *= cgs_order_mass(&line[k], at[k]);
        if (place > 0) /* no face has a value */
            ck_assert_double_eq_tol(sum, right, 64 * DBL_EPSILON * all);
    }
    ck_assert_double_ge(source.norm(&source), norm * (1.0 - 1e-12));
    ck_assert_double_le(source.norm(&source), norm * (1.0 + 1e-10));
    free(diagonal);
    rows_free(&rows);
    cgs_order_release(&bed.context, &source);
}

/* Kernels of order 1 refuse the mesh. */
TEST(kernels_of_order_1_refuse_it)
{
    const struct cgs_mesh mesh = mesh_of_order(2, 0);
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    must(cgs_order_source(&bed.context, &mesh, &source));
    must(cgs_matrix_create(&bed.context, &source, CGS_NONE, 1, 1, &matrix));
    for (int i = 0; i < count; i++)
        if (of_order_1(&entries[i])) {
            ck_assert_int_eq(entries[i].tables[0]->accepts(&bed.context, &matrix), CGS_USAGE);
            bed_forgive();
        }
    cgs_matrix_release(&bed.context, &matrix);
    cgs_order_release(&bed.context, &source);
}

int main(void)
{
    return bed_tests("order", 120);
}
