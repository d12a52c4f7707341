/* General meshes: rows and load vectors, cell by cell against brute force, by any ranges and
 * threads. */
#include <string.h>

#include "base/random.h"
#include "fem/load.h"
#include "fem/load_cells.h"
#include "tests/fem/general.h"
#include "tests/fem/textbook.h"

/* The whole matrix and load vector by brute force: dense, cell by cell, boundary nodes included. */
struct dense {
    double *matrix; /* [row][node of the box, boundary included] */
    double *load;   /* of the rows */
};

static double source_term(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                          const double x[3], double *u)
{
    double gradient[3], f, p[3];
    for (int k = 0; k < 3; k++)
        p[k] = x[k] / mesh->size[k];
    exact(problem, mesh, x, u, gradient, &f);
    if (mesh->kappa.kind != CGS_KAPPA_SMOOTH)
        return f;
    return (1 + p[0] + 2 * p[1] * p[2]) * f - gradient[0] / mesh->size[0] -
           2 * p[2] * gradient[1] / mesh->size[1] - 2 * p[1] * gradient[2] / mesh->size[2];
}

static struct dense brute_force(const struct cgs_problem *problem, const struct cgs_mesh *mesh)
{
    const int64_t side[3] = {mesh->n[0] + 2, mesh->n[1] + 2, mesh->n[2] + 2};
    const int64_t nodes = side[0] * side[1] * side[2], rows = cgs_mesh_rows(mesh);
    struct dense d;
    d.matrix = calloc((size_t)(rows * nodes), sizeof *d.matrix);
    d.load = calloc((size_t)rows, sizeof *d.load);
    for (int64_t c = 0; c < cells_of(mesh); c++) {
        double corner[24], f[8], u[8], stiffness[CGS_PACKED];
        int64_t cell[3], node[8], row[8];
        cell_at(mesh, c, cell);
        for (int a = 0; a < 8; a++) {
            const int64_t i[3] = {cell[0] + (a & 1), cell[1] + (a >> 1 & 1), cell[2] + (a >> 2)};
            position(mesh, i, corner + 3 * a);
            f[a] = source_term(problem, mesh, corner + 3 * a, &u[a]);
            node[a] = (i[2] * side[1] + i[1]) * side[0] + i[0];
            row[a] = row_of_node(mesh, i);
        }
        cgs_element_stiffness(corner, mesh->quadrature, coefficient(mesh, cell), stiffness);
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8 && row[a] >= 0; b++) {
                double mass = 0.0;
                for (int q = 0; q < 8; q++) {
                    double s[3];
                    for (int k = 0; k < 3; k++)
                        s[k] = cgs_node_side(q, k) * cgs_rule_point(mesh->quadrature);
                    mass += cgs_shape(a, s) * cgs_shape(b, s) * cgs_jacobian_determinant(corner, s);
                }
                d.matrix[row[a] * nodes + node[b]] += stiffness[cgs_packed(a, b)];
                d.load[row[a]] += mass * f[b];
                if (row[b] < 0 && problem->boundary_values)
                    d.load[row[a]] -= stiffness[cgs_packed(a, b)] * u[b];
            }
    }
    return d;
}

static void compare(const struct cgs_problem *problem, const struct cgs_mesh *mesh)
{
    const int64_t *n = mesh->n, side[2] = {n[0] + 2, n[1] + 2}, rows = cgs_mesh_rows(mesh);
    struct dense d = brute_force(problem, mesh);
    struct rows a = textbook_matrix(mesh);
    struct cgs_context context;
    double b[256], most = 0.0;
    cgs_context_init(&context);
    ck_assert(rows <= 256);
    ck_assert_int_eq(cgs_problem_load(&context, problem, mesh, 0, rows, b), CGS_OK);
    for (int64_t i = 0; i < rows; i++)
        most = fmax(most, fabs(d.load[i]));
    for (int64_t i = 0; i < rows; i++) {
        const double *dense_row = d.matrix + i * side[0] * side[1] * (n[2] + 2);
        for (int64_t k = a.start[i]; k < a.start[i + 1]; k++) {
            const int64_t j = a.columns[k], x = j % n[0] + 1, y = j / n[0] % n[1] + 1;
            const int64_t at = ((j / (n[0] * n[1]) + 1) * side[1] + y) * side[0] + x;
            ck_assert_double_eq_tol(a.values[k], dense_row[at], 200 * EPS * rows_entry(&a, i, i));
            ck_assert(a.values[k] == rows_entry(&a, j, i)); /* symmetric to the bit */
        }
        ck_assert_double_eq_tol(b[i], d.load[i], 400 * EPS * most);
    }
    rows_free(&a);
    free(d.matrix);
    free(d.load);
}

LOOP_TEST(rows_and_load_are_the_sums_over_cells, 2)
{
    static const char *const names[] = {"smooth", "boundary"};
    const enum cgs_quadrature rule = _i & 1;
    for (int p = 0; p < 2; p++)
        for (int m = 0; m < MESHES; m++)
            for (int64_t n = 1; n <= 4; n += 3) {
                const struct cgs_problem problem = named(names[p]);
                const struct cgs_mesh mesh = mesh_number(m, n, rule);
                compare(&problem, &mesh);
            }
}

/* The same on boxes, plain ones and with coefficients. */
LOOP_TEST(rows_and_load_of_boxes, BOXES)
{
    const struct cgs_problem problems[] = {named("smooth"), named("boundary"), TWO_TERMS};
    for (int p = 0; p < 3; p++)
        for (int kind = 0; kind < 3; kind++)
            for (int rule = 0; rule < 2; rule++) {
                const struct cgs_mesh mesh =
                    box_number(_i, (enum cgs_quadrature)rule, (enum cgs_kappa_kind)kind, 1000.0);
                compare(&problems[p], &mesh);
            }
}

/* A larger mesh, of which pieces of lines, and batches of cells, have all sorts of ends. */
LOOP_TEST(matrices_are_symmetric_to_the_bit, 2 * MESHES + 1)
{
    static const int64_t longer[3] = {70, 3, 9};
    struct cgs_mesh mesh = mesh_number(_i % MESHES, _i < MESHES ? 9 : 33, CGS_GAUSS);
    if (_i >= 2 * MESHES) /* the longest box, with a coefficient */
        mesh = cgs_mesh_box(longer, BOX_SIZE[0], CGS_GAUSS, 1.0);
    if (_i >= 2 * MESHES)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_SMOOTH, .ratio = 1.0};
    struct rows a = textbook_matrix(&mesh);
    for (int64_t i = 0; i < a.count; i++) {
        double sum = 0.0;
        for (int64_t k = a.start[i]; k < a.start[i + 1]; k++) {
            const int64_t j = a.columns[k];
            sum += a.values[k];
            if (j > i)
                ck_assert(a.values[k] == rows_entry(&a, j, i));
        }
        const double diagonal = rows_entry(&a, i, i);
        ck_assert_double_gt(diagonal, 0.0);
        if (a.length[i] == 27) /* constants have no energy */
            ck_assert_double_eq_tol(sum, 0.0, 100 * EPS * diagonal);
    }
    rows_free(&a);
}

LOOP_TEST(ranges_and_threads_do_not_change_bits, MESHES + 1)
{
    static const int64_t flat[3] = {CHECK_SMALL ? 7 : 37, 11, 89}; /* nearly as many rows */
    struct cgs_mesh mesh = mesh_number(_i % MESHES, CHECK_SMALL ? 19 : 33, CGS_BLENDED);
    if (_i >= MESHES)
        mesh = cgs_mesh_box(flat, BOX_SIZE[0], CGS_BLENDED, 1.0);
    if (_i >= MESHES)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_JUMP, .ratio = 9.0};
    const struct cgs_problem problem = named("boundary");
    const int64_t rows = cgs_mesh_rows(&mesh);
    double *b = malloc(4 * (size_t)rows * sizeof *b), *u = b + rows, *again = u + rows,
           *u_again = again + rows;
    struct cgs_context context;
    struct cgs_row_source source;
    cgs_context_init(&context);
    context.threads = 1;
    ck_assert_int_eq(cgs_problem_load(&context, &problem, &mesh, 0, rows, b), CGS_OK);
    ck_assert_int_eq(cgs_problem_solution(&context, &problem, &mesh, 0, rows, u), CGS_OK);
    for (int threads = 2; threads <= 4; threads += CHECK_SMALL ? 2 : 1) {
        const int64_t cuts[] = {0, 1, 40, 1089, 5000, rows};
        context.threads = threads;
        for (int c = 0; c < 5; c++) {
            ck_assert_int_eq(
                cgs_problem_load(&context, &problem, &mesh, cuts[c], cuts[c + 1], again + cuts[c]),
                CGS_OK);
            ck_assert_int_eq(cgs_problem_solution(&context, &problem, &mesh, cuts[c], cuts[c + 1],
                                                  u_again + cuts[c]),
                             CGS_OK);
        }
        ck_assert_mem_eq(b, again, (size_t)rows * sizeof *b);
        ck_assert_mem_eq(u, u_again, (size_t)rows * sizeof *b);
    }
    /* Rows by pieces of any size, from many threads; the norm is that of the largest row. */
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_CELLS, &source), CGS_OK);
    struct rows whole = rows_gather(&source, rows);
    double norm = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int64_t k = whole.start[i]; k < whole.start[i + 1]; k++)
            sum += fabs(whole.values[k]);
        norm = fmax(norm, sum);
    }
    ck_assert(source.norm(&source) == norm);
    for (int64_t piece = 7; piece < 200; piece += 61) {
        struct rows cut = rows_gather(&source, piece);
        ck_assert_mem_eq(whole.values, cut.values, (size_t)whole.entries * sizeof *whole.values);
        rows_free(&cut);
    }
    rows_free(&whole);
    cgs_assembler_release(&context, &source);
    ck_assert_int_eq(context.host_bytes, 0);
    free(b);
}

/* The way by cells gives on the plain box what the tables give. */
LOOP_TEST(both_ways_to_a_load_vector_agree, 4)
{
    static const int64_t n[3] = {20, 7, 31};
    const struct cgs_mesh mesh =
        _i < 2 ? cgs_mesh_cube(20, _i, 2.0) : cgs_mesh_box(n, BOX_SIZE[0], _i & 1, 2.0);
    const int64_t rows = cgs_mesh_rows(&mesh);
    double *tables = malloc(2 * (size_t)rows * sizeof *tables), *cells = tables + rows, most = 0.0;
    struct cgs_context context;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_problem_load(&context, &TWO_TERMS, &mesh, 0, rows, tables), CGS_OK);
    ck_assert_int_eq(cgs_load_cells(&context, &TWO_TERMS, &mesh, 0, rows, cells), CGS_OK);
    for (int64_t i = 0; i < rows; i++)
        most = fmax(most, fabs(tables[i]));
    for (int64_t i = 0; i < rows; i++)
        ck_assert_double_eq_tol(cells[i], tables[i], 64 * EPS * most);
    free(tables);
}

int main(void)
{
    return run_tests("rows of general meshes", 300, NULL, NULL);
}
