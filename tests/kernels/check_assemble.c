/* Assembly of the box on the device against the host: entries, load vector,
 * solution, error norms. On the device alone. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/setup/assemble.h"
#include "fem/assembly.h"
#include "fem/consistency.h"
#include "fem/errors.h"
#include "fem/errors_cells.h"
#include "fem/interpolation.h"
#include "fem/load.h"
#include "kernels/plugin/memory.h"
#include "matrix/fill.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "matrix/pad.h"
#include "tests/support/support.h"

/* Cubes, which may be deformed, then boxes. */
static const int64_t SIZES[][3] = {{3, 3, 3},    {8, 8, 8},    {5, 9, 3},    {1, 1, 1},
                                   {2, 2, 2},    {1, 4, 2},    {33, 1, 2},   {3, 35, 33},
                                   {17, 17, 17}, {33, 33, 33}, {40, 40, 40}, {70, 10, 31},
                                   {31, 7, 130}, {17, 17, 16}};
enum { SIZE_COUNT = CHECK_SMALL ? 8 : sizeof SIZES / sizeof *SIZES, MESHES = 7 };

/* The unit cube or a stretched box by either rule, coefficients, deformed cubes. */
static struct cgs_mesh mesh_of(int which, const int64_t n[3])
{
    static const double one[3] = {1.0, 1.0, 1.0}, stretched[3] = {1.0, 2.0, 0.5};
    const bool cube = n[0] == n[1] && n[1] == n[2];
    struct cgs_mesh mesh = cgs_mesh_box(n, cube ? one : stretched,
                                        which % 2 ? CGS_BLENDED : CGS_GAUSS, which ? 1.0 : 3.0);
    if (which == 2)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_JUMP, .ratio = 1000.0};
    if (which == 3 || which == 5)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_SMOOTH, .ratio = 1.0};
    if (which == 6)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_JUMP, .ratio = 0.1};
    if (which >= 4 && cube)
        mesh.deform = which == 4 ? 0.1 : -0.07;
    return mesh;
}

/* ---- entries ---- */

static const struct {
    enum cgs_format format;
    int32_t chunk;
    int power; /* of padded rows; 0: not padded */
} LAYOUTS[] = {
    {CGS_CRS, 1, 0}, {CGS_CRS, 1, 2}, {CGS_SELL, 32, 0}, {CGS_SELL, 1, 0}, {CGS_SELL, 256, 0}};
enum { LAYOUT_COUNT = sizeof LAYOUTS / sizeof *LAYOUTS };

/* Leaves NaN where the next allocation may find them. */
static void poison(int64_t entries)
{
    const struct cgs_space space = bed_space(CGS_F64, entries);
    space.ops->free(&space, bed_vector(&space, NULL));
}

static void compare(const struct cgs_matrix *matrix, enum cgs_number number, bool exactly,
                    double tolerance, const struct cgs_plugin_arrays *arrays)
{
    const int64_t stored = matrix->stored, size = cgs_number_bytes(number);
    int32_t *columns = must_have((size_t)stored * sizeof *columns);
    void *values = must_have((size_t)(stored * size));
    must(cgs_matrix_fill(&bed.context, matrix, 0, matrix->units, number, columns, values));
    int64_t *pointers = bed_fetch(arrays->pointers.data, (matrix->units + 1) * 8);
    int32_t *got_columns = bed_fetch(arrays->columns.data, stored * 4);
    void *got = bed_fetch(arrays->values.data, stored * size);
    ck_assert_mem_eq(pointers, matrix->pointers, (size_t)(matrix->units + 1) * 8);
    for (int64_t i = 0; i < stored; i++) {
        if (got_columns[i] != columns[i]) /* Check notes every assertion in a file: too dear here */
            ck_abort_msg("entry %lld: column %d, not %d", (long long)i, (int)got_columns[i],
                         (int)columns[i]);
        const double is = number == CGS_F64 ? ((double *)got)[i] : ((float *)got)[i];
        const double right = number == CGS_F64 ? ((double *)values)[i] : ((float *)values)[i];
        const double off = number == CGS_F64 ? 0.0 : FLT_EPSILON * fabs(right);
        if (!(fabs(is - right) <= (exactly ? 0.0 : tolerance + off)))
            ck_abort_msg("entry %lld: %.17g, not %.17g", (long long)i, is, right);
    }
    free(got);
    free(got_columns);
    free(pointers);
    free(values);
    free(columns);
}

static void try_layout(const struct cgs_row_source *source, int layout, enum cgs_number number)
{
    const bool plain = cgs_mesh_plain(source->mesh);
    struct cgs_matrix laid, padded = {0};
    struct cgs_plugin_arrays arrays;
    must(cgs_matrix_create(&bed.context, source, LAYOUTS[layout].format, LAYOUTS[layout].chunk, 1,
                           &laid));
    laid.on_device = true;
    if (LAYOUTS[layout].power > 0)
        must(cgs_matrix_pad(&bed.context, &laid, LAYOUTS[layout].power, &padded));
    const struct cgs_matrix *matrix = padded.pointers ? &padded : &laid;
    ck_assert_ptr_null(bed.backend->box->refuses(bed.queue, matrix, source->mesh));
    poison(matrix->stored);
    const int64_t link = bed.context.link_bytes;
    must((bed.backend->plugin->hold)(bed.queue, matrix, number,
                                     &arrays));     /* hold is a macro of the tests, too */
    ck_assert_int_eq(bed.context.link_bytes, link); /* no entry was sent */
    const double norm = source->norm(source);       /* nothing has been drawn yet */
    compare(matrix, number, plain, 1e-13 * norm, &arrays);
    const double drawn = source->norm(source);
    ck_assert_double_eq_tol(norm, drawn, 1e-13 * drawn);
    cgs_plugin_drop(bed.backend->plugin, bed.queue, &arrays);
    cgs_matrix_release(&bed.context, &padded);
    cgs_matrix_release(&bed.context, &laid);
}

LOOP_TEST(entries_are_the_hosts, MESHES)
{
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++)
            for (int number = 0; number < CGS_NUMBERS; number++) {
                const struct cgs_mesh mesh = mesh_of(_i, SIZES[s]);
                struct cgs_row_source source;
                must(cgs_assembler_create(&bed.context, &mesh, cgs_gather_of(&mesh), &source));
                try_layout(&source, layout, (enum cgs_number)number);
                cgs_assembler_release(&bed.context, &source);
            }
}

/* Entry (i, j) and entry (j, i) have the same bits wherever blocks meet. */
LOOP_TEST(symmetric_to_the_bit, 2)
{
    static const int64_t sizes[4][3] = {{40, 40, 40}, {70, 10, 40}, {12, 12, 12}, {33, 9, 4}};
    struct cgs_mesh mesh = mesh_of(6, sizes[_i + (CHECK_SMALL ? 2 : 0)]);
    struct cgs_row_source source;
    struct cgs_matrix crs;
    struct cgs_plugin_arrays arrays;
    must(cgs_assembler_create(&bed.context, &mesh, CGS_GATHER_CELLS, &source));
    must(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &crs));
    crs.on_device = true;
    must((bed.backend->plugin->hold)(bed.queue, &crs, CGS_F64,
                                     &arrays)); /* hold is a macro of the tests, too */
    int32_t *columns = bed_fetch(arrays.columns.data, crs.stored * 4);
    double *values = bed_fetch(arrays.values.data, crs.stored * 8);
    for (int64_t i = 0; i < crs.rows; i++)
        for (int64_t k = crs.pointers[i]; k < crs.pointers[i + 1]; k++) {
            const int64_t j = columns[k];
            int64_t at = crs.pointers[j];
            while (at < crs.pointers[j + 1] && columns[at] != i)
                at++;
            ck_assert(at < crs.pointers[j + 1] && values[at] == values[k]);
        }
    free(values);
    free(columns);
    cgs_plugin_drop(bed.backend->plugin, bed.queue, &arrays);
    cgs_matrix_release(&bed.context, &crs);
    cgs_assembler_release(&bed.context, &source);
}

TEST(what_it_cannot_is_refused)
{
    const struct cgs_mesh mesh = mesh_of(4, SIZES[1]);
    const struct cgs_matrix sorted = {.format = CGS_SELL, .chunk = 32, .sigma = 64};
    const struct cgs_matrix odd = {.format = CGS_SELL, .chunk = 24, .sigma = 1};
    const struct cgs_matrix none = {.format = CGS_NONE, .chunk = 1, .sigma = 1};
    const struct cgs_matrix fine = {.format = CGS_CRS, .chunk = 1, .sigma = 1};
    ck_assert_ptr_nonnull(bed.backend->box->refuses(bed.queue, &sorted, &mesh));
    ck_assert_ptr_nonnull(bed.backend->box->refuses(bed.queue, &odd, &mesh));
    ck_assert_ptr_nonnull(bed.backend->box->refuses(bed.queue, &none, &mesh));
    ck_assert_ptr_nonnull(bed.backend->box->refuses(bed.queue, &fine, NULL));
    ck_assert_ptr_null(bed.backend->box->refuses(bed.queue, &fine, &mesh));
}

/* ---- load vector, solution, errors ---- */

/* All problems on all meshes; course on the plain box alone. */
static bool makes_sense(const struct cgs_problem *problem, const struct cgs_mesh *mesh)
{
    return !problem->course || cgs_mesh_plain(mesh);
}

static double largest(const double *x, int64_t n)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void check_vector(const char *what, const struct cgs_problem *problem, int mesh,
                         const int64_t n[3], const struct cgs_space *space, const void *vector,
                         const double *right)
{
    const double unit = space->number == CGS_F64 ? 1e-12 : 2.0 * FLT_EPSILON;
    const double size = largest(right, space->size);
    double *got = must_have((size_t)space->size * sizeof *got);
    bed_get(space, vector, got);
    for (int64_t i = 0; i < space->size; i++)
        if (!(fabs(got[i] - right[i]) <= unit * size + 1e-15))
            ck_abort_msg("%s of %s, mesh %d, N = %d %d %d, at %lld: %.17g, not %.17g", what,
                         problem->name, mesh, (int)n[0], (int)n[1], (int)n[2], (long long)i, got[i],
                         right[i]);
    free(got);
}

static void check_load(const struct cgs_problem *problem, const struct cgs_mesh *mesh, int which,
                       const struct cgs_space *space)
{
    const struct cgs_box_problem plain = cgs_assemble_problem(problem, mesh);
    double *right = must_have((size_t)space->size * sizeof *right);
    void *b = bed_vector(space, NULL);
    struct cgs_tables tables = {0};
    if (cgs_mesh_plain(mesh))
        must(cgs_load_tables(&bed.context, problem, mesh, &tables));
    must(bed.backend->box->load(space, &plain, tables.values ? &tables : NULL, b));
    must(cgs_problem_load(&bed.context, problem, mesh, 0, space->size, right));
    check_vector("load", problem, which, mesh->n, space, b, right);
    cgs_tables_release(&bed.context, &tables);
    space->ops->free(space, b);
    free(right);
}

static void near(const char *what, const struct cgs_problem *problem, int which, double is,
                 double right, double scale)
{
    ck_assert_msg(fabs(is - right) <= 1e-11 * fabs(right) + 1e-14 * scale,
                  "%s of %s, mesh %d: %.17g, not %.17g", what, problem->name, which, is, right);
}

/* Errors of numbers that are not the solution, so that nothing cancels, and the solution itself. */
static void check_errors(const struct cgs_problem *problem, const struct cgs_mesh *mesh, int which,
                         const struct cgs_space *space)
{
    const struct cgs_box_problem plain = cgs_assemble_problem(problem, mesh);
    double *x = must_have((size_t)space->size * sizeof *x);
    struct cgs_errors right, is;
    must(cgs_problem_solution(&bed.context, problem, mesh, 0, space->size, x));
    void *u = bed_vector(space, NULL);
    must(bed.backend->box->solution(space, &plain, u));
    check_vector("solution", problem, which, mesh->n, space, u, x);
    for (int64_t i = 0; i < space->size; i++)
        x[i] = (double)(float)(x[i] + 0.01 * (double)(i % 7)); /* the same in both precisions */
    void *v = bed_vector(space, x);
    const struct cgs_slab whole = cgs_slab_whole(mesh);
    must(cgs_errors_measure(&bed.context, problem, mesh, &whole, x, &right));
    if (problem->terms > 0 && !cgs_mesh_plain(mesh)) {
        struct cgs_point_sums sums;
        must(bed.backend->box->points(space, &plain, v, &sums));
        is = cgs_errors_of_points(problem, mesh, &sums);
    } else {
        struct cgs_interpolation interpolation;
        struct cgs_error_sums sums;
        must(cgs_interpolation_create(&bed.context, problem, mesh, &interpolation));
        must(bed.backend->box->errors(space, &plain, &interpolation.tables, v, &sums));
        is = cgs_errors_of_sums(problem, mesh, &interpolation, &sums);
        cgs_interpolation_release(&bed.context, &interpolation);
    }
    ck_assert(is.integral == right.integral);
    near("nodal L2", problem, which, is.nodal_l2, right.nodal_l2, 1.0);
    near("max", problem, which, is.max, right.max, 10.0);
    if (is.integral) {
        near("L2", problem, which, is.l2, right.l2, 1.0);
        near("H1", problem, which, is.h1, right.h1, 10.0);
        near("energy", problem, which, is.energy, right.energy, 100.0);
    }
    if (problem->course) {
        double sum, consistency;
        must(cgs_errors_consistency(&bed.context, problem, mesh, &whole, x, &consistency));
        must(bed.backend->box->consistency(space, &plain, cgs_course_eigenvalue(mesh), v, &sum));
        near("consistency", problem, which, sqrt(cgs_mesh_cell(mesh) * sum), consistency, 10.0);
    }
    space->ops->free(space, v);
    space->ops->free(space, u);
    free(x);
}

LOOP_TEST(load_and_errors_are_the_hosts, MESHES)
{
    int count;
    const struct cgs_problem *problems = cgs_problems(&count);
    for (int s = 0; s < (CHECK_SMALL ? 3 : SIZE_COUNT); s += CHECK_SMALL ? 2 : 1)
        for (int p = 0; p < count; p++)
            for (int number = 0; number < CGS_NUMBERS; number++) {
                const struct cgs_mesh mesh = mesh_of(_i, SIZES[s]);
                const struct cgs_space space =
                    bed_space((enum cgs_number)number, cgs_mesh_rows(&mesh));
                if (!makes_sense(&problems[p], &mesh) ||
                    (CHECK_SMALL && (p + number + s / 2 + _i) % 4))
                    continue;
                if (!problems[p].product_rhs)
                    check_load(&problems[p], &mesh, _i, &space);
                if (cgs_problem_known(&problems[p], &mesh) != CGS_KNOWN_NOWHERE)
                    check_errors(&problems[p], &mesh, _i, &space);
            }
}

int main(void)
{
    return bed_tests("assembly on the device", 300);
}
