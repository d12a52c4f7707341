/* fem/assembly.h: facts about the assembled rows. */
#include <float.h>
#include <math.h>

#include "fem/assembly.h"
#include "fem/diagonal.h"
#include "fem/rows.h"
#include "tests/support/rows.h"

static const double EPS = DBL_EPSILON;
static const int64_t SIZES[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {5, 5, 5},  {8, 8, 8},
                                   {5, 9, 3}, {9, 3, 5}, {1, 4, 2}, {33, 1, 2}, {2, 1, 6}};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

/* The cubes are unit cubes, the boxes are stretched. */
static struct cgs_mesh mesh_of(int i, enum cgs_quadrature rule, double scale)
{
    static const double one[3] = {1.0, 1.0, 1.0}, size[3] = {1.0, 2.0, 0.5};
    return cgs_mesh_box(SIZES[i], i < 5 ? one : size, rule, scale);
}

/* Classes of the cube's element matrix for h = 1: from the 1-D forms, by hand. */
static const double CLASSES[2][4] = {
    [CGS_GAUSS] = {1.0 / 3.0, 0.0, -1.0 / 12.0, -1.0 / 12.0},
    [CGS_BLENDED] = {75.0 / 144.0, -15.0 / 144.0, -9.0 / 144.0, -3.0 / 144.0},
};

static struct rows gather(const struct cgs_mesh *mesh, enum cgs_gather how, int64_t piece,
                          double *norm)
{
    struct cgs_context context;
    struct cgs_row_source source;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_assembler_create(&context, mesh, how, &source), CGS_OK);
    ck_assert_ptr_eq(source.mesh, mesh);
    const struct rows rows = rows_gather(&source, piece);
    if (norm != NULL)
        *norm = source.norm(&source);
    cgs_assembler_release(&context, &source);
    ck_assert_int_eq(context.host_bytes, 0);
    return rows;
}

static void ck_same_bits(const struct rows *a, const struct rows *b)
{
    ck_assert_int_eq(a->entries, b->entries);
    ck_assert_mem_eq(a->start, b->start, (size_t)(a->count + 1) * sizeof *a->start);
    ck_assert_mem_eq(a->columns, b->columns, (size_t)a->entries * sizeof *a->columns);
    ck_assert_mem_eq(a->values, b->values, (size_t)a->entries * sizeof *a->values);
}

LOOP_TEST(stencil_values, 2)
{
    const enum cgs_quadrature rule = _i;
    for (int s = 0; s < 2; s++) {
        struct cgs_mesh mesh = cgs_mesh_cube(3, rule, s == 0 ? 1.0 : 64.0);
        const struct rows rows = gather(&mesh, CGS_GATHER_SHARED, 27, NULL);
        const int64_t centre = 13;
        ck_assert_int_eq(rows.length[centre], 27);
        for (int k = 0; k < 27; k++) {
            const int64_t at = rows.start[centre] + k;
            const int d = (k % 3 != 1) + (k / 3 % 3 != 1) + (k / 9 != 1);
            const double value = mesh.scale * mesh.h[0] * (8 >> d) * CLASSES[rule][d];
            ck_assert_int_eq(rows.columns[at], k);
            ck_assert_double_eq_tol(rows.values[at], value, 16 * EPS * mesh.scale);
            if (rule == CGS_GAUSS && d == 1)
                ck_assert(rows.values[at] == 0.0);
        }
        struct rows freed = rows;
        rows_free(&freed);
    }
}

/* Row lengths by how many faces a row stands beside, columns ascending, the total prod (3 n -
 * 2). */
LOOP_TEST(structure_of_the_rows, 2)
{
    const enum cgs_gather how = _i;
    for (int s = 0; s < SIZE_COUNT; s++) {
        const int64_t *n = SIZES[s];
        const struct cgs_mesh mesh = mesh_of(s, CGS_GAUSS, 1.0);
        struct rows rows = gather(&mesh, how, 7, NULL);
        ck_assert_int_eq(rows.count, n[0] * n[1] * n[2]);
        ck_assert_int_eq(rows.entries, cgs_mesh_nonzeros(&mesh));
        ck_assert_int_eq(rows.entries, (3 * n[0] - 2) * (3 * n[1] - 2) * (3 * n[2] - 2));
        for (int64_t i = 0; i < rows.count; i++) {
            const int64_t at[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
            int expected = 1;
            for (int k = 0; k < 3; k++)
                expected *= 1 + (at[k] > 0) + (at[k] < n[k] - 1);
            ck_assert_int_eq(rows.length[i], expected);
            for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
                const int64_t j = rows.columns[k];
                ck_assert(j >= 0 && j < rows.count);
                ck_assert(k == rows.start[i] || j > rows.columns[k - 1]);
                ck_assert(llabs(j % n[0] - at[0]) <= 1 && llabs(j / n[0] % n[1] - at[1]) <= 1 &&
                          llabs(j / (n[0] * n[1]) - at[2]) <= 1);
            }
        }
        rows_free(&rows);
    }
}

LOOP_TEST(shared_is_the_sum_over_cells, 2)
{
    const enum cgs_quadrature rule = _i;
    for (int s = 0; s < SIZE_COUNT; s++) {
        const struct cgs_mesh mesh = mesh_of(s, rule, 3.0);
        double norm[2];
        struct rows shared = gather(&mesh, CGS_GATHER_SHARED, 64, &norm[0]);
        struct rows cells = gather(&mesh, CGS_GATHER_CELLS, 64, &norm[1]);
        ck_assert_int_eq(shared.entries, cells.entries);
        ck_assert_mem_eq(shared.columns, cells.columns,
                         (size_t)shared.entries * sizeof *shared.columns);
        double most = 0.0;
        for (int64_t i = 0; i < shared.count; i++) {
            double row = 0.0;
            for (int64_t k = shared.start[i]; k < shared.start[i + 1]; k++)
                row += fabs(cells.values[k]);
            most = fmax(most, row);
            for (int64_t k = shared.start[i]; k < shared.start[i + 1]; k++)
                ck_assert_double_eq_tol(shared.values[k], cells.values[k], 16 * EPS * row);
        }
        ck_assert(norm[1] == most);
        ck_assert_double_eq_tol(norm[0], most, 16 * EPS * most);
        rows_free(&shared);
        rows_free(&cells);
    }
}

/* Pairs of nodes at the same distance have the same bits. */
LOOP_TEST(equal_entries_are_bit_equal, 2)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(6, _i, 1.0);
    struct rows rows = gather(&mesh, CGS_GATHER_SHARED, 50, NULL);
    double seen[4];
    int known[4] = {0};
    for (int64_t i = 0; i < rows.count; i++)
        for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
            const int64_t j = rows.columns[k];
            const int d = (j % 6 != i % 6) + (j / 6 % 6 != i / 6 % 6) + (j / 36 != i / 36);
            if (!known[d]++)
                seen[d] = rows.values[k];
            ck_assert_mem_eq(&seen[d], &rows.values[k], sizeof seen[d]);
        }
    rows_free(&rows);
}

LOOP_TEST(matrix_is_symmetric_with_zero_row_sums, 8)
{
    const enum cgs_quadrature rule = _i & 1;
    const enum cgs_gather how = _i >> 1 & 1;
    const struct cgs_mesh mesh = mesh_of(_i < 4 ? 3 : 5, rule, 1.0);
    double norm;
    struct rows rows = gather(&mesh, how, 11, &norm);
    for (int64_t i = 0; i < rows.count; i++) {
        double sum = 0.0;
        for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
            sum += rows.values[k];
            ck_assert(rows.values[k] == rows_entry(&rows, rows.columns[k], i));
        }
        if (rows.length[i] == 27)
            ck_assert_double_eq_tol(sum, 0.0, 27 * EPS * norm);
        else
            ck_assert_double_gt(sum, (_i < 4 ? 0.01 : 0.002) * norm);
    }
    rows_free(&rows);
}

/* A range may begin and end anywhere. */
LOOP_TEST(ranges_cut_anywhere_give_the_same_bits, 2)
{
    const enum cgs_gather how = _i;
    for (int s = 0; s < SIZE_COUNT; s++) {
        const struct cgs_mesh mesh = mesh_of(s, CGS_BLENDED, 1.0);
        const int64_t all = cgs_mesh_rows(&mesh);
        struct rows whole = gather(&mesh, how, all, NULL);
        for (int64_t piece = 1; piece <= 40; piece++) {
            struct rows cut = gather(&mesh, how, piece, NULL);
            ck_same_bits(&whole, &cut);
            rows_free(&cut);
        }
        rows_free(&whole);
    }
}

/* Called from within a parallel region, in any order. */
TEST(threads_do_not_change_bits)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(17, CGS_BLENDED, 1.0);
    struct cgs_context context;
    struct cgs_row_source source;
    cgs_context_init(&context);
    for (int how = 0; how < 2; how++) {
        double norm[3];
        for (int threads = 1; threads <= 3; threads++) {
            context.threads = threads;
            ck_assert_int_eq(cgs_assembler_create(&context, &mesh, how, &source), CGS_OK);
            struct rows serial = rows_gather(&source, source.rows), parallel = serial;
            norm[threads - 1] = source.norm(&source);
            parallel.columns = malloc((size_t)serial.entries * sizeof *parallel.columns);
            parallel.values = malloc((size_t)serial.entries * sizeof *parallel.values);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
            for (int64_t first = 0; first < source.rows; first += 32) {
                const int64_t last = first + 32 < source.rows ? first + 32 : source.rows;
                source.fill(&source, first, last, parallel.columns + serial.start[first],
                            parallel.values + serial.start[first]);
            }
            ck_same_bits(&serial, &parallel);
            free(parallel.columns);
            free(parallel.values);
            rows_free(&serial);
            cgs_assembler_release(&context, &source);
        }
        ck_assert(norm[0] == norm[1] && norm[0] == norm[2]);
    }
}

/* The diagonal without rows, for any planes, and the statistics of the row lengths in closed
 * form. */
LOOP_TEST(diagonal_and_statistics_are_those_of_the_rows, 3)
{
    for (int s = 0; s < SIZE_COUNT; s++) {
        struct cgs_mesh mesh = mesh_of(s, CGS_BLENDED, 3.0);
        mesh.kappa = (struct cgs_kappa){.kind = (enum cgs_kappa_kind)_i, .ratio = 7.0};
        struct rows rows = gather(&mesh, cgs_gather_of(&mesh), 64, NULL);
        const int64_t plane = cgs_mesh_plane(&mesh);
        double *diagonal = malloc((size_t)rows.count * sizeof *diagonal), squares = 0.0;
        struct cgs_context context;
        cgs_context_init(&context);
        for (int64_t begin = 0; begin < mesh.n[2]; begin += 2) {
            const int64_t end = begin + 2 < mesh.n[2] ? begin + 2 : mesh.n[2];
            ck_assert_int_eq(
                cgs_mesh_diagonal(&context, &mesh, begin, end, diagonal + begin * plane), CGS_OK);
        }
        const struct cgs_row_statistics found = cgs_mesh_statistics(&mesh);
        int32_t shortest = INT32_MAX, longest = 0;
        for (int64_t i = 0; i < rows.count; i++) {
            const double off = rows.length[i] - (double)rows.entries / (double)rows.count;
            ck_assert(diagonal[i] == rows_entry(&rows, i, i));
            shortest = rows.length[i] < shortest ? rows.length[i] : shortest;
            longest = rows.length[i] > longest ? rows.length[i] : longest;
            squares += off * off;
        }
        ck_assert_int_eq(found.shortest, shortest);
        ck_assert_int_eq(found.longest, longest);
        ck_assert_double_eq_tol(found.mean, (double)rows.entries / (double)rows.count, 1e-13);
        ck_assert_double_eq_tol(found.deviation, sqrt(squares / (double)rows.count), 1e-12);
        for (int k = 0; k < CGS_ROUNDINGS; k++) {
            int64_t rounded = 0;
            for (int64_t i = 0; i < rows.count; i++)
                rounded += (rows.length[i] + (1 << k) - 1) >> k << k;
            ck_assert_int_eq(found.rounded[k], rounded);
        }
        free(diagonal);
        rows_free(&rows);
    }
}

/* The estimate of the norm is above that of the rows, and near it on large plain boxes. */
LOOP_TEST(estimated_norms_are_above, 2)
{
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int kind = 0; kind < 3; kind++) {
            struct cgs_mesh mesh = mesh_of(s, _i, 3.0);
            mesh.kappa = (struct cgs_kappa){.kind = (enum cgs_kappa_kind)kind, .ratio = 7.0};
            double norm;
            struct rows rows = gather(&mesh, CGS_GATHER_CELLS, 64, &norm);
            ck_assert_double_le(norm, cgs_mesh_norm(&mesh) * (1.0 + 1e-12));
            rows_free(&rows);
        }
}

/* sin(i pi x) sin(j pi y) sin(k pi z) is an eigenvector; with 1-D symbols K = (2 - 2 c)/h and
 * M = h (w0 + 2 w1 c), c = cos(i pi h), the eigenvalue is K M M + M K M + M M K. For Gauss this is
 * h (2/3) (4 - ci cj - cj ck - ci ck - ci cj ck) (FIGURES.md, A2). */
LOOP_TEST(sines_are_eigenvectors, 2)
{
    enum { N = 15 };
    static const int modes[][3] = {{1, 1, 1}, {2, 3, 5}, {15, 15, 15}, {1, 8, 15}};
    const enum cgs_quadrature rule = _i;
    const struct cgs_mesh mesh = cgs_mesh_cube(N, rule, 1.0);
    double norm, weight[2], *x = malloc(2 * N * N * N * sizeof *x), *y = x + N * N * N;
    struct rows rows = gather(&mesh, CGS_GATHER_SHARED, 100, &norm);
    cgs_mass_weights(rule, weight);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        double c[3], k[3], mass[3];
        for (int d = 0; d < 3; d++) {
            c[d] = cos(modes[m][d] * M_PI * mesh.h[0]);
            k[d] = (2 - 2 * c[d]) / mesh.h[0];
            mass[d] = mesh.h[0] * (weight[0] + 2 * weight[1] * c[d]);
        }
        const double lambda =
            k[0] * mass[1] * mass[2] + mass[0] * k[1] * mass[2] + mass[0] * mass[1] * k[2];
        if (rule == CGS_GAUSS)
            ck_assert_double_eq_tol(
                lambda,
                mesh.h[0] * 2 / 3 *
                    (4 - c[0] * c[1] - c[1] * c[2] - c[0] * c[2] - c[0] * c[1] * c[2]),
                16 * EPS * norm);
        for (int i = 0; i < N * N * N; i++)
            x[i] = sin(modes[m][0] * M_PI * mesh.h[0] * (i % N + 1)) *
                   sin(modes[m][1] * M_PI * mesh.h[0] * (i / N % N + 1)) *
                   sin(modes[m][2] * M_PI * mesh.h[0] * (i / (N * N) + 1));
        rows_multiply(&rows, x, y);
        for (int i = 0; i < N * N * N; i++)
            ck_assert_double_eq_tol(y[i], lambda * x[i], 64 * EPS * norm);
    }
    rows_free(&rows);
    free(x);
}

int main(void)
{
    return run_tests("fem", 120, NULL, NULL);
}
