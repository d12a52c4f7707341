/* core/field/planes and slice: nodal fields with their boundary, planes of them as pixels, in
 * the true place on deformed meshes, and the script that draws them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/field/even.h"
#include "core/field/grid.h"
#include "core/options/options.h"
#include "core/options/options_value.h"
#include "core/report/pictures.h"
#include "core/run/pipeline.h"
#include "fem/element/order_line.h"
#include "lab/command_line/options_parse.h"
#include "lab/figure/plot_script.h"
#include "lab/figure/slice_plot.h"
#include "tests/support/support.h"

enum { SIDE = CGS_SLICE_SIDE };

/* A polynomial of degree p in each direction, so that interpolation is exact: in coordinates
 * 0 ... 1 of the undeformed mesh. */
static double field(const double t[3], int p)
{
    return 1.0 + pow(t[0], p) - 2.0 * pow(t[1], p) + 3.0 * pow(t[2], p) +
           4.0 * t[0] * t[1] * pow(t[2], p);
}

/* Sets the coordinates of a node, counted in each direction. */
static void node_at(const struct cgs_mesh *mesh, const int64_t i[3], double t[3])
{
    for (int k = 0; k < 3; k++) {
        struct cgs_order_line line;
        cgs_order_line_make(mesh, k, &line);
        t[k] = mesh->order > 1 ? cgs_order_coordinate(&line, i[k])
                               : (double)i[k] / (double)(mesh->n[k] + 1);
    }
}

/* Sets the coordinates of a pixel, which are in cells. */
static void pixel_at(const struct cgs_mesh *mesh, const struct cgs_slice_pixel *pixel, double t[3])
{
    for (int k = 0; k < 3; k++)
        t[k] = pixel->at[k] * mesh->order / (double)(mesh->n[k] + 1);
}

static void slice_of(const char *request, const struct cgs_mesh *mesh, struct cgs_slice *slice)
{
    struct cgs_slice_request asked;
    const int64_t line = mesh->n[0] + 2, nodes = cgs_grid_plane_nodes(mesh);
    double *plane = must_have((size_t)nodes * sizeof *plane);
    ck_assert(cgs_slice_read(request, &asked));
    must(cgs_slice_open(&bed.context, &asked, mesh, slice));
    for (int64_t iz = 0; iz < mesh->n[2] + 2; iz++) {
        for (int64_t i = 0; i < nodes; i++) {
            double t[3];
            node_at(mesh, (int64_t[]){i % line, i / line, iz}, t);
            plane[i] = field(t, mesh->order);
        }
        if (cgs_slice_wants(slice, iz)) /* others have no part in it */
            cgs_slice_add(slice, iz, plane);
    }
    cgs_slice_finish(slice);
    free(plane);
}

/* Every pixel has the value of the point that the mesh moves to its place. */
static void expect_pixels(const char *request, const struct cgs_mesh *mesh)
{
    const double pi = 3.14159265358979323846;
    struct cgs_slice s;
    double least = INFINITY, most = -INFINITY;
    slice_of(request, mesh, &s);
    const int axis = s.request.axis, across = axis == 0, up = axis == 2 ? 1 : 2;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double value = s.pixels[i].value;
        double t[3], move = mesh->deform;
        pixel_at(mesh, &s.pixels[i], t);
        for (int k = 0; k < 3; k++)
            move *= sin(pi * t[k]);
        ck_assert_double_eq_tol(mesh->size[axis] * (t[axis] + move), s.request.position,
                                1e-12 * mesh->size[axis]);
        ck_assert_double_eq_tol(t[across] + move, (i % SIDE + 0.5) / SIDE, 1e-12);
        ck_assert_double_eq_tol(t[up] + move, (i / SIDE + 0.5) / SIDE, 1e-12);
        ck_assert_double_eq_tol(value, field(t, mesh->order), 1e-12);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    ck_assert_double_eq(least, s.least);
    ck_assert_double_eq(most, s.most);
    cgs_slice_release(&s);
}

TEST(pixels_are_where_they_are)
{
    static const char *const requests[] = {"z:0.5,a.png", "y:0.125,a.svg", "x:1,a.pdf",
                                           "z:0,error,a.png", "x:0.87,residual,b.png"};
    static const double deforms[] = {0.0, 0.1, -0.13};
    for (size_t r = 0; r < sizeof requests / sizeof *requests; r++)
        for (size_t d = 0; d < sizeof deforms / sizeof *deforms; d++) {
            struct cgs_mesh mesh = cgs_mesh_cube(r == 0 ? 1 : 6, CGS_GAUSS, 1.0);
            mesh.deform = deforms[d];
            expect_pixels(requests[r], &mesh);
        }
}

/* Positions are coordinates of the box: 0 ... L. */
TEST(pixels_of_boxes)
{
    static const struct {
        const char *request;
        int64_t n[3];
        double size[3], deform;
        int order;
    } boxes[] = {{"x:0.25,a.png", {4, 8, 2}, {1.0, 2.0, 0.5}, 0.0, 1},
                 {"y:2,a.png", {4, 8, 2}, {1.0, 2.0, 0.5}, 0.0, 1},
                 {"y:1.3,a.png", {4, 8, 2}, {1.0, 2.0, 0.5}, 0.0, 1},
                 {"z:0.49,a.png", {1, 13, 6}, {1.0, 2.0, 0.5}, 0.0, 1},
                 {"z:900000,a.png", {7, 1, 1}, {1e-5, 1.0, 999999.0}, 0.0, 1},
                 {"y:1.9,a.png", {6, 6, 6}, {3.0, 3.0, 3.0}, 0.1, 1},
                 {"z:0.3,a.png", {5, 11, 8}, {1.0, 2.0, 0.5}, 0.0, 3},
                 {"x:1,a.png", {7, 7, 15}, {1.0, 2.0, 0.5}, 0.0, 8},
                 {"y:1,a.png", {3, 3, 1}, {1.0, 2.0, 0.5}, 0.0, 2}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        struct cgs_mesh mesh = cgs_mesh_box(boxes[i].n, boxes[i].size, CGS_GAUSS, 1.0);
        mesh.deform = boxes[i].deform;
        mesh.order = boxes[i].order;
        expect_pixels(boxes[i].request, &mesh);
    }
}

/* The magnitude of the gradient of the field is exact, on both boundaries and between nodes, with
 * kappa of 1. */
LOOP_TEST(fluxes, 3)
{
    const int p = 1 << _i;
    static const char *const requests[] = {"z:0,flux,a.png", "z:0.5,flux,a.png", "z:0.3,flux,a.png",
                                           "x:1,flux,a.png", "y:0.61,flux,a.png"};
    const int64_t n[3] = {3, 7, _i > 0 ? 2 * p - 1 : 4};
    const double size[3] = {1.0, 2.0, 0.5};
    struct cgs_mesh mesh = cgs_mesh_box(n, size, CGS_GAUSS, 1.0);
    mesh.order = p;
    for (size_t r = 0; r < sizeof requests / sizeof *requests; r++) {
        struct cgs_slice s;
        slice_of(requests[r], &mesh, &s);
        for (int i = 0; i < SIDE * SIDE; i++) {
            double t[3], power[3];
            pixel_at(&mesh, &s.pixels[i], t);
            for (int k = 0; k < 3; k++)
                power[k] = p * pow(t[k], p - 1); /* the derivative */
            const double slope[3] = {(power[0] + 4.0 * t[1] * pow(t[2], p)) / size[0],
                                     (-2.0 * power[1] + 4.0 * t[0] * pow(t[2], p)) / size[1],
                                     (3.0 + 4.0 * t[0] * t[1]) * power[2] / size[2]};
            ck_assert_double_eq_tol(s.pixels[i].value, hypot(hypot(slope[0], slope[1]), slope[2]),
                                    1e-11);
        }
        cgs_slice_release(&s);
    }
}

TEST(requests)
{
    static const char *const wrong[] = {"",
                                        "z",
                                        "z:",
                                        "z:0.5",
                                        "z:0.5,",
                                        "w:0.5,a.png",
                                        "z:1e14,a.png",
                                        "z:-0.1,a.png",
                                        "z:nan,a.png",
                                        "0.5,a.png",
                                        "z:x,a.png",
                                        "z:0.5,error,"};
    struct cgs_slice_request s = {.file = "untouched"};
    const char *left = "z:0,a.png\nx:1,flux,b,c.png";
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!cgs_slice_read(wrong[i], &s), "'%s'", wrong[i]);
        ck_assert_str_eq(s.file, "untouched");
    }
    ck_assert(cgs_slice_read("y:0,residual,a,b.png", &s));
    ck_assert_int_eq(s.axis, 1);
    ck_assert_double_eq(s.position, 0.0);
    ck_assert_int_eq(s.field, CGS_NODAL_RESIDUAL);
    ck_assert_str_eq(s.file, "a,b.png");
    ck_assert(cgs_slice_read("y:0,flux,a.png", &s) && s.flux && s.field == CGS_NODAL_SOLUTION);
    ck_assert(cgs_slice_read("x:1,flux.png", &s) && !s.flux);
    ck_assert(cgs_slice_read("x:1,error.png", &s));
    ck_assert_int_eq(s.field, CGS_NODAL_SOLUTION);
    ck_assert_str_eq(s.file, "error.png");
    ck_assert(cgs_slice_read("z:12.5,error.png", &s)); /* a box may be as long */
    ck_assert_double_eq(s.position, 12.5);
    ck_assert(cgs_slice_next(&left, &s)); /* a line each */
    ck_assert_str_eq(s.file, "a.png");
    ck_assert(cgs_slice_next(&left, &s) && s.flux && !left);
    ck_assert_str_eq(s.file, "b,c.png");
    ck_assert(!cgs_slice_next(&left, &s));
}

/* A plane must be within the box that options describe. */
TEST(planes_outside)
{
    static const struct {
        const char *slice, *size, *message; /* NULL: fine */
    } cases[] = {
        {"--slice=z:1.5,u.png", "--size=1",
         "--slice=z:1.5 lies outside of the box: take 0 <= POSITION <= 1, "},
        {"--slice=z:1,u.png", "--size=1", NULL},
        {"--slice=y:2,u.png", "--size=1x2x0.5", NULL},
        {"--slice=y:2.01,u.png", "--size=1x2x0.5", "0 <= POSITION <= 2, its length in y"},
        {"--slice=z:0.6,u.png", "--size=1x2x0.5", "0 <= POSITION <= 0.5, its length in z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *arguments[] = {"cgsolve", "--N=5", cases[i].slice, cases[i].size};
        struct cgs_options options;
        const enum cgs_status status = cgs_options_parse(&bed.context, 4, arguments, &options);
        ck_assert_int_eq(status, cases[i].message ? CGS_USAGE : CGS_OK);
        if (cases[i].message)
            ck_assert_msg(strstr(bed.context.message, cases[i].message), "%s", bed.context.message);
        cgs_options_release(&options);
        bed_forgive();
    }
}

/* The script of a slice as a run takes it; owned. box: "--N=5". */
static char *script_of(const char *slice, const char *problem, const char *box, const char *lengths)
{
    const char *arguments[] = {"cgsolve", "--backend=cpu", "--threads=1", slice, problem,
                               box,       lengths};
    const int count = sizeof arguments / sizeof *arguments;
    struct cgs_options options;
    struct cgs_report report;
    char *text = NULL;
    size_t size;
    must(cgs_options_parse(&bed.context, count, arguments, &options));
    report = cgs_report_start(&bed.context, &options.settings, count, arguments);
    must(cgs_run(&bed.context, &options.settings, NULL, NULL, NULL, NULL, &report));
    ck_assert_int_eq(report.slice_count, 1);
    struct cgs_plot plot;
    must(cgs_slice_plot(&bed.context, &report, report.slices, &plot));
    FILE *file = open_memstream(&text, &size);
    cgs_plot_script(file, &plot, "svg", NULL);
    fclose(file);
    cgs_plot_release(&plot);
    cgs_free(&bed.context, report.result.history);
    cgs_free(&bed.context, report.algebraic);
    cgs_pictures_release(&bed.context, &report);
    cgs_options_release(&options);
    return text;
}

/* Solutions from their least to their most, others alike on both sides of 0; never an empty
 * range. */
TEST(scripts)
{
    double least, most;
    char *text = script_of("--slice=z:0.5,u.png", "--problem=smooth", "--N=5", "--size=1");
    ck_assert_ptr_nonnull(strstr(text, "'Solution u_h at z = 0.5' noenhanced at"));
    ck_assert_ptr_nonnull(strstr(text, "'problem smooth, N = 5' noenhanced"));
    ck_assert_ptr_nonnull(
        strstr(text, "set xrange [0:1]\nset yrange [0:1]\nset xtics 0.2\nset ytics 0.2 out"));
    ck_assert_ptr_nonnull(
        strstr(text, "matrix using (($1 + 0.5) / 300):(($2 + 0.5) / 300):3 with"));
    ck_assert_ptr_nonnull(strstr(text, "#440154"));
    ck_assert_int_eq(sscanf(strstr(text, "set cbrange"), "set cbrange [%lf:%lf]", &least, &most),
                     2);
    ck_assert(least >= 0.0 && most > 0.3 && most < 0.6);
    ck_assert_ptr_null(strstr(text, "nan"));
    free(text);
    text = script_of("--slice=y:0.25,error,u.png", "--problem=smooth", "--N=5", "--size=1");
    ck_assert_ptr_nonnull(strstr(text, "'Error u_h - u at y = 0.25' noenhanced at"));
    ck_assert_ptr_nonnull(strstr(text, "set label 'error u_h - u' noenhanced at screen"));
    ck_assert_ptr_nonnull(strstr(text, "set xlabel 'x' noenhanced offset"));
    ck_assert_ptr_nonnull(strstr(text, "8 '#dddddd'"));
    ck_assert_int_eq(sscanf(strstr(text, "set cbrange"), "set cbrange [%lf:%lf]", &least, &most),
                     2);
    ck_assert_double_eq(least, -most);
    free(text);
    text = script_of("--slice=x:0,error,u.png", "--problem=boundary", "--N=5",
                     "--size=1"); /* 0 everywhere */
    ck_assert_ptr_nonnull(strstr(text, "set cbrange [-0.5:0.5]"));
    free(text);
}

/* A polynomial of degree p that is 0 at the ends, and the product of three. */
static double bubble(int p, double t)
{
    return t * (1.0 - t) * (1.0 - 1.5 * pow(t, p - 2));
}

static double bubbles(const double t[3], int p)
{
    return bubble(p, t[0]) * bubble(p, t[1]) * bubble(p, t[2]);
}

static enum cgs_status get_plane(const struct cgs_space *space, const void *vector, int64_t first,
                                 int64_t count, double *natural)
{
    (void)space;
    memcpy(natural, (const double *)vector + first, (size_t)count * sizeof *natural);
    return CGS_OK;
}

/* Planes of points are those of the polynomial, and come in turn. */
static enum cgs_status expect_plane(struct cgs_field_file *file, int64_t iz,
                                    double *const plane[CGS_NODALS])
{
    const struct cgs_mesh *mesh = file->mesh;
    int64_t *next = file->state;
    ck_assert_int_eq(iz, (*next)++);
    for (int64_t i = 0; i < cgs_grid_plane_nodes(mesh); i++) {
        const int64_t line = mesh->n[0] + 2, at[3] = {i % line, i / line, iz};
        double t[3];
        for (int k = 0; k < 3; k++)
            t[k] = (double)at[k] / (double)(mesh->n[k] + 1);
        ck_assert_double_eq_tol(plane[CGS_NODAL_SOLUTION][i], bubbles(t, mesh->order), 1e-14);
        ck_assert_double_eq_tol(plane[CGS_NODAL_RESIDUAL][i],
                                cgs_mesh_cell(mesh) * bubbles(t, mesh->order), 1e-14);
    }
    return CGS_OK;
}

/* Solution and residual of order p as files have them: at equal distances; the residual, which is
 * weighed by the mass matrix, as a function. */
LOOP_TEST(planes_of_points, CGS_ORDER_MOST - 1)
{
    static const struct cgs_space_ops ops = {.get = get_plane};
    static const struct cgs_problem problem = {.terms = 0};
    static const struct cgs_writer writer = {.put = expect_plane};
    const struct cgs_space space = {.ops = &ops};
    const int p = 2 + _i;
    const int64_t n[3] = {2 * p - 1, p - 1, 3 * p - 1};
    struct cgs_mesh mesh = cgs_mesh_box(n, (double[]){1.0, 2.0, 0.5}, CGS_GAUSS, 1.0);
    mesh.order = p;
    const size_t rows = (size_t)cgs_mesh_rows(&mesh);
    double *x = must_have(rows * sizeof *x), *residual = must_have(rows * sizeof *x);
    double *memory = must_have(CGS_NODALS * (size_t)cgs_planes_room(&mesh) * sizeof *memory);
    for (size_t row = 0; row < rows; row++) {
        const int64_t r = (int64_t)row,
                      i[3] = {r % n[0] + 1, r / n[0] % n[1] + 1, r / (n[0] * n[1]) + 1};
        double t[3];
        node_at(&mesh, i, t);
        x[row] = residual[row] = bubbles(t, p);
        for (int k = 0; k < 3; k++) {
            struct cgs_order_line line;
            cgs_order_line_make(&mesh, k, &line);
            residual[row] *= cgs_order_mass(&line, i[k] - 1);
        }
    }
    struct cgs_planes planes = {.context = &bed.context,
                                .problem = &problem,
                                .mesh = &mesh,
                                .space = &space,
                                .x = x,
                                .residual = residual};
    int64_t next = 0;
    struct cgs_field_file file = {
        .writer = &writer, .context = &bed.context, .mesh = &mesh, .state = &next};
    struct cgs_even even;
    must(cgs_planes_open(&planes));
    must(cgs_even_open(&file, &even));
    for (int64_t iz = 0; iz < n[2] + 2; iz++) {
        double *plane[CGS_NODALS];
        for (int i = 0; i < CGS_NODALS; i++)
            plane[i] = memory + i * cgs_planes_room(&mesh);
        must(cgs_planes_get(&planes, iz, plane));
        must(cgs_even_put(&even, iz, plane));
    }
    ck_assert_int_eq(next, n[2] + 2);
    cgs_even_release(&even);
    cgs_planes_release(&planes);
    free(memory);
    free(residual);
    free(x);
}

/* Axes of a box have its lengths, and its title says how it is cut. */
TEST(scripts_of_boxes)
{
    char *text =
        script_of("--slice=x:0.75,u.png", "--problem=smooth", "--cells=5x9x3", "--size=1x2x0.5");
    ck_assert_ptr_nonnull(strstr(text, "'Solution u_h at x = 0.75' noenhanced at"));
    ck_assert_ptr_nonnull(strstr(text, "'problem smooth, 5x9x3 cells, size 1x2x0.5' noenhanced"));
    ck_assert_ptr_nonnull(strstr(text, "set cbtics 0.2 textcolor")); /* 0 ... 0.74, a low bar */
    ck_assert_ptr_nonnull(
        strstr(text, "set xlabel 'y' noenhanced offset 0,0.3\nset label 'z' noenhanced"));
    ck_assert_ptr_nonnull(
        strstr(text, "set xrange [0:2]\nset yrange [0:0.5]\nset xtics 0.5\nset ytics 0.2 out"));
    double across, up;
    ck_assert_int_eq(sscanf(strstr(text, "matrix using"),
                            "matrix using (($1 + 0.5) * %lf):(($2 + 0.5) * %lf):3", &across, &up),
                     2);
    ck_assert_double_eq(across, 2.0 / SIDE);
    ck_assert_double_eq(up, 0.5 / SIDE);
    free(text);
    text = script_of("--slice=z:0.5,u.png", "--problem=smooth", "--cells=5x9x3", "--size=1");
    ck_assert_ptr_nonnull(strstr(text, "'problem smooth, 5x9x3 cells' noenhanced"));
    ck_assert_ptr_nonnull(strstr(text, "set xrange [0:1]\nset yrange [0:1]\nset xtics 0.2\n"));
    free(text);
}

int main(void)
{
    return bed_tests("slice", 60);
}
