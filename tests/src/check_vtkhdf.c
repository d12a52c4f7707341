/* --output=FILE.vtkhdf, read again by HDF5's own functions: the structure that VTK wants, and fields
 * that are what the report says: norms of error and residual, boundary values, the mesh's points and
 * cells. (tests/cli/cli_pictures.sh has VTK read them.) */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "core/field/grid.h"
#include "core/run/run.h"
#include "tests/support/support.h"

#define FILE_NAME "check_vtkhdf.vtkhdf"

static struct cgs_report report;
static hid_t file;

/* Runs it as the program does, and opens what it has written. words: "--N=7 --deform=0.1". */
static void solve(const char *words, struct cgs_options *options)
{
    static char text[512];
    static const char *arguments[32];
    int count = 0;
    snprintf(text, sizeof text, "cgsolve --backend=cpu --threads=2 --output=%s %s", FILE_NAME,
             words);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        arguments[count++] = word;
    must(cgs_options_parse(&bed.context, count, arguments, options));
    report = cgs_report_start(&bed.context, options, count, arguments);
    must(cgs_run(&bed.context, options, NULL, NULL, NULL, NULL, &report));
    ck_assert(report.has_fields);
    ck_assert_int_gt(report.fields_bytes, 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    ck_assert(file >= 0);
}

static void done(struct cgs_options *options)
{
    H5Fclose(file);
    unlink(FILE_NAME);
    cgs_free(&bed.context, report.result.history);
    cgs_free(&bed.context, report.algebraic);
    cgs_options_release(options);
}

static void attribute(const char *name, hid_t type, void *value)
{
    const hid_t a = H5Aopen_by_name(file, "/VTKHDF", name, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_msg(a >= 0, "%s", name);
    ck_assert(H5Aread(a, type, value) >= 0);
    H5Aclose(a);
}

static double real_attribute(const char *name)
{
    double value = NAN;
    attribute(name, H5T_NATIVE_DOUBLE, &value);
    return value;
}

/* A text of fixed length, as VTK wants it. */
static void text_attribute(const char *name, char text[256])
{
    const hid_t a = H5Aopen_by_name(file, "/VTKHDF", name, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_msg(a >= 0, "%s", name);
    const hid_t type = H5Aget_type(a);
    ck_assert(H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0);
    ck_assert_int_lt(H5Tget_size(type), 256);
    memset(text, 0, 256);
    ck_assert(H5Aread(a, type, text) >= 0);
    H5Tclose(type);
    H5Aclose(a);
}

/* All of an array, whose extents are checked; owned by the caller. */
static void *read_array(const char *path, hid_t type, size_t size, int rank, const hsize_t *extents)
{
    const hid_t array = H5Dopen2(file, path, H5P_DEFAULT);
    ck_assert_msg(array >= 0, "%s", path);
    const hid_t space = H5Dget_space(array);
    hsize_t found[4] = {0};
    ck_assert_int_eq(H5Sget_simple_extent_ndims(space), rank);
    H5Sget_simple_extent_dims(space, found, NULL);
    size_t count = 1;
    for (int k = 0; k < rank; k++) {
        ck_assert_int_eq(found[k], extents[k]);
        count *= found[k];
    }
    void *numbers = must_have(count * size);
    ck_assert(H5Dread(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Sclose(space);
    H5Dclose(array);
    return numbers;
}

static double norm(const double *x, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* A field of the run; owned. */
static double *read_field(const char *name, const struct cgs_options *o)
{
    char path[64];
    const int64_t *n = report.mesh.n;
    const hsize_t image[3] = {(hsize_t)n[2] + 2, (hsize_t)n[1] + 2, (hsize_t)n[0] + 2};
    const hsize_t list[1] = {image[0] * image[1] * image[2]};
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", name);
    return read_array(path, H5T_NATIVE_DOUBLE, sizeof(double), o->deform == 0.0 ? 3 : 1,
                      o->deform == 0.0 ? image : list);
}

/* Error and residual have the norms of the report, and attributes say them. */
static void expect_norms(const struct cgs_options *o)
{
    const int64_t nodes = cgs_grid_nodes(&report.mesh);
    const double reference = real_attribute("residual_reference");
    double *residual = read_field("residual", o);
    ck_assert_double_eq_tol(norm(residual, nodes) / reference, report.result.true_relative_residual,
                            1e-12 * report.result.true_relative_residual + 1e-300);
    ck_assert_double_eq(real_attribute("true_relative_residual"),
                        report.result.true_relative_residual);
    free(residual);
    if (cgs_options_equal_n(o))
        ck_assert_int_eq((int64_t)real_attribute("N"), report.mesh.n[0]);
    else
        ck_assert(H5Aexists_by_name(file, "/VTKHDF", "N", H5P_DEFAULT) == 0);
    if (!report.has_errors) {
        ck_assert(H5Lexists(file, "/VTKHDF/PointData/error", H5P_DEFAULT) == 0);
        return;
    }
    double *error = read_field("error", o);
    ck_assert_double_eq_tol(sqrt(cgs_mesh_cell(&report.mesh)) * norm(error, nodes),
                            report.errors.nodal_l2, 1e-12 * report.errors.nodal_l2);
    ck_assert_double_eq(real_attribute("error_nodal_l2"), report.errors.nodal_l2);
    free(error);
}

/* ||b|| as computed from the mesh. */
static double load_norm(const struct cgs_options *o)
{
    const int64_t rows = cgs_mesh_rows(&report.mesh);
    double *b = must_have((size_t)rows * sizeof *b);
    must(cgs_problem_load(&bed.context, o->problem, &report.mesh, 0, rows, b));
    const double found = norm(b, rows);
    free(b);
    return found;
}

START_TEST(images)
{
    static const char *const words[] = {"--N=9 --problem=boundary",
                                        "--N=1",
                                        "--N=12 --precision=mixed --tol=1e-9",
                                        "--N=9 --format=none --problem=random --precision=single",
                                        "--N=8 --problem=course",
                                        "--N=9 --kappa=jump:10 --problem=smooth",
                                        "--N=41 --tol=1e-3 --kappa=smooth",
                                        "--cells=5x9x3 --size=1x2x0.5 --problem=boundary",
                                        "--cells=20 --size=3",
                                        "--cells=301x4x3 --size=301x4x3",
                                        "--cells=3x301x4 --size=3x301x4",
                                        "--cells=4x3x301 --size=4x3x301 --kappa=smooth",
                                        "--cells=400x200x4 --size=400x200x4"};
    struct cgs_options o;
    char text[256];
    int64_t whole[6], version[2];
    double spacing[3];
    solve(words[_i], &o);
    text_attribute("Type", text);
    ck_assert_str_eq(text, "ImageData");
    attribute("Version", H5T_NATIVE_INT64, version);
    ck_assert(version[0] == 1 && version[1] == 0);
    attribute("WholeExtent", H5T_NATIVE_INT64, whole);
    attribute("Spacing", H5T_NATIVE_DOUBLE, spacing);
    for (int k = 0; k < 3; k++)
        ck_assert(whole[2 * k] == 0 && whole[2 * k + 1] == report.mesh.n[k] + 1 &&
                  spacing[k] == report.mesh.size[k] / (double)(report.mesh.n[k] + 1));
    text_attribute("command", text);
    ck_assert_ptr_nonnull(strstr(text, FILE_NAME " --"));
    if (o.given[CGS_OPTION_size]) {
        char size[64];
        text_attribute("size", text);
        cgs_lengths_write(&o.size, size, sizeof size);
        ck_assert_str_eq(text, size);
    }
    expect_norms(&o);
    if (!o.problem->product_rhs)
        ck_assert_double_eq_tol(real_attribute("residual_reference"), load_norm(&o),
                                1e-6 * load_norm(&o));
    done(&o);
}
END_TEST

/* exp(x) cos(2 y) + z^2 on the boundary, in coordinates of the unit cube; inside it plus the error. */
START_TEST(values_of_the_boundary)
{
    static const char *const words[] = {"--N=6 --problem=boundary --deform=0.08",
                                        "--N=6 --problem=boundary --deform=0.08 --size=3"};
    struct cgs_options o;
    solve(words[_i], &o);
    const int64_t side = o.n + 2;
    const double size = report.mesh.size[0];
    const hsize_t extents[2] = {(hsize_t)(side * side * side), 3};
    double *u = read_field("solution", &o), *error = read_field("error", &o);
    double *point = read_array("/VTKHDF/Points", H5T_NATIVE_DOUBLE, sizeof *point, 2, extents);
    for (int64_t i = 0; i < side * side * side; i++) {
        const double p[3] = {point[3 * i] / size, point[3 * i + 1] / size, point[3 * i + 2] / size};
        const int64_t at[3] = {i % side, i / side % side, i / (side * side)};
        const bool inside = at[0] % (o.n + 1) && at[1] % (o.n + 1) && at[2] % (o.n + 1);
        ck_assert_double_eq_tol(u[i] - error[i], exp(p[0]) * cos(2.0 * p[1]) + p[2] * p[2], 1e-12);
        ck_assert(inside ? error[i] != 0.0 : error[i] == 0.0);
    }
    expect_norms(&o);
    free(point);
    free(u);
    free(error);
    done(&o);
}
END_TEST

/* Six times the signed volume of a tetrahedron. */
static double volume(const double *p, int64_t a, int64_t b, int64_t c, int64_t d)
{
    double e[3][3];
    const int64_t corners[3] = {b, c, d};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = p[3 * corners[i] + k] - p[3 * a + k];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
           e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* On an image u_h - error is the same function. */
START_TEST(values_of_a_box)
{
    struct cgs_options o;
    solve("--cells=5x9x3 --size=1x2x0.5 --problem=boundary", &o);
    double *u = read_field("solution", &o), *error = read_field("error", &o);
    for (int64_t i = 0; i < 6 * 10 * 4; i++) {
        const double x = (double)(i % 6) / 5.0, y = (double)(i / 6 % 10) / 9.0,
                     z = (double)(i / 60) / 3.0;
        ck_assert_double_eq_tol(u[i] - error[i], exp(x) * cos(2.0 * y) + z * z, 1e-12);
    }
    free(u);
    free(error);
    done(&o);
}
END_TEST

START_TEST(deformed_grids)
{
    static const char *const words[] = {"--N=7 --deform=0.1", "--N=1 --deform=-0.15",
                                        "--N=42 --deform=0.05 --tol=1e-3",
                                        "--cells=8 --size=2 --deform=0.1"};
    struct cgs_options o;
    char text[256];
    solve(words[_i], &o);
    const int64_t side = report.mesh.n[0] + 2, nodes = side * side * side;
    const double size = report.mesh.size[0];
    const hsize_t cells = (hsize_t)((side - 1) * (side - 1) * (side - 1)), one = 1;
    const hsize_t triples[2] = {(hsize_t)nodes, 3}, ids = 8 * cells, bounds = cells + 1;
    static const char *const counts[] = {"Points", "Cells", "ConnectivityIds"};
    const int64_t expected[] = {nodes, (int64_t)cells, (int64_t)ids};
    double *point = read_array("/VTKHDF/Points", H5T_NATIVE_DOUBLE, sizeof *point, 2, triples);
    int64_t *id = read_array("/VTKHDF/Connectivity", H5T_NATIVE_INT64, sizeof *id, 1, &ids);
    int64_t *offset = read_array("/VTKHDF/Offsets", H5T_NATIVE_INT64, sizeof *offset, 1, &bounds);
    unsigned char *type = read_array("/VTKHDF/Types", H5T_NATIVE_UINT8, 1, 1, &cells);
    double whole = 0.0;
    text_attribute("Type", text);
    ck_assert_str_eq(text, "UnstructuredGrid");
    for (int i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "/VTKHDF/NumberOf%s", counts[i]);
        int64_t *count = read_array(path, H5T_NATIVE_INT64, sizeof *count, 1, &one);
        ck_assert_int_eq(*count, expected[i]);
        free(count);
    }
    for (hsize_t c = 0; c < cells; c++) {
        const int64_t *v = id + 8 * c;
        ck_assert(type[c] == 12 && offset[c] == (int64_t)(8 * c));
        /* VTK's order: corners 0, 1, 2, 3 around the lower face, 4 ... 7 above them */
        const double part = volume(point, v[0], v[1], v[3], v[4]);
        ck_assert(part > 0.0);
        ck_assert(volume(point, v[6], v[5], v[7], v[2]) > 0.0);
        whole += part;
    }
    ck_assert_int_eq(offset[cells], (int64_t)ids);
    ck_assert_double_eq_tol(whole / (size * size * size), 1.0, 0.2); /* parallelepipeds: about */
    /* the middle one of an odd N moves by A in each direction */
    const double *middle = point + 3 * (nodes / 2);
    if (side % 2 == 1)
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(middle[k], size * (0.5 + o.deform), 1e-15 * size);
    expect_norms(&o);
    free(point);
    free(id);
    free(offset);
    free(type);
    done(&o);
}
END_TEST

/* In chunks of at most 512 KiB, of whole planes where these are small, and compressed. */
START_TEST(compressed)
{
    static const struct {
        const char *words;
        hsize_t chunk[3];
    } cases[] = {{"--N=40 --tol=1e-3", {37, 42, 42}},
                 {"--cells=301x4x3 --size=301x4x3", {4, 5, 302}},
                 {"--cells=3x301x4 --size=3x301x4", {5, 302, 4}},
                 {"--cells=4x4x3000 --size=4x4x3000", {2621, 5, 5}},
                 {"--cells=400x200x4 --size=400x200x4", {1, 201, 326}},
                 {"--cells=200x400x4 --size=200x400x4", {1, 326, 201}}};
    struct cgs_options o;
    hsize_t chunk[3];
    solve(cases[_i].words, &o);
    const hid_t array = H5Dopen2(file, "/VTKHDF/PointData/solution", H5P_DEFAULT);
    const hid_t list = H5Dget_create_plist(array);
    ck_assert_int_eq(H5Pget_chunk(list, 3, chunk), 3);
    ck_assert_int_le(chunk[0] * chunk[1] * chunk[2] * 8, 512 << 10);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(chunk[k], cases[_i].chunk[k]);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        ck_assert_int_ge(H5Pget_nfilters(list), 1);
        ck_assert_int_lt(H5Dget_storage_size(array), 8 * cgs_grid_nodes(&report.mesh));
    }
    H5Pclose(list);
    H5Dclose(array);
    done(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vtkhdf");
    TCase *tcase = bed_case(suite, "vtkhdf", 60.0);
    tcase_add_loop_test(tcase, images, 0, 13);
    tcase_add_loop_test(tcase, values_of_the_boundary, 0, 2);
    tcase_add_test(tcase, values_of_a_box);
    tcase_add_loop_test(tcase, deformed_grids, 0, 4);
    tcase_add_loop_test(tcase, compressed, 0, 6);
    return bed_run(suite);
}
