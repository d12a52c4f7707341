/* src/planes and src/slice: nodal fields with their boundary, planes of them as pixels, in the true
 * place on deformed meshes, and the script that draws them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "src/figure/plot_script.h"
#include "src/figure/slice_plot.h"
#include "src/run/run.h"
#include "tests/support/support.h"

enum { SIDE = CGS_SLICE_SIDE };

/* Trilinear, so that interpolation is exact: in the undeformed mesh's own coordinates. */
static double field(const double *at, double cells)
{
    const double x = at[0] / cells, y = at[1] / cells, z = at[2] / cells;
    return 1.0 + x - 2.0 * y + 3.0 * z + 4.0 * x * y * z;
}

static void slice_of(const char *request, double deform, int64_t n, struct cgs_slice *slice)
{
    struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    struct cgs_slice_request asked;
    const int64_t nodes = n + 2;
    double *plane = must_have((size_t)(nodes * nodes) * sizeof *plane);
    mesh.deform = deform;
    ck_assert(cgs_slice_read(request, &asked));
    must(cgs_slice_open(&bed.context, &asked, &mesh, slice));
    for (int64_t iz = 0; iz < nodes; iz++) {
        for (int64_t i = 0; i < nodes * nodes; i++) {
            const double at[3] = {(double)(i % nodes), (double)(i / nodes), (double)iz};
            plane[i] = field(at, (double)(n + 1));
        }
        if (cgs_slice_wants(slice, iz)) /* others have no part in it */
            cgs_slice_add(slice, n, iz, plane);
    }
    cgs_slice_finish(slice);
    free(plane);
}

/* Every pixel has the value of the point that the mesh moves to its place. */
START_TEST(pixels_are_where_they_are)
{
    static const char *const requests[] = {"z:0.5,a.png", "y:0.125,a.svg", "x:1,a.pdf",
                                           "z:0,error,a.png", "x:0.87,residual,b.png"};
    static const double deforms[] = {0.0, 0.1, -0.13};
    for (size_t r = 0; r < sizeof requests / sizeof *requests; r++)
        for (size_t d = 0; d < sizeof deforms / sizeof *deforms; d++) {
            const int64_t n = r == 0 ? 1 : 6;
            const double cells = (double)(n + 1), pi = 3.14159265358979323846;
            struct cgs_slice s;
            double least = INFINITY, most = -INFINITY;
            slice_of(requests[r], deforms[d], n, &s);
            const int axis = s.request.axis, across = axis == 0, up = axis == 2 ? 1 : 2;
            for (int i = 0; i < SIDE * SIDE; i++) {
                const double *at = s.pixels[i].at, value = s.pixels[i].value;
                const double move = deforms[d] * sin(pi * at[0] / cells) * sin(pi * at[1] / cells) *
                                    sin(pi * at[2] / cells);
                ck_assert_double_eq_tol(at[axis] / cells + move, s.request.position, 1e-12);
                ck_assert_double_eq_tol(at[across] / cells + move, (i % SIDE + 0.5) / SIDE, 1e-12);
                ck_assert_double_eq_tol(at[up] / cells + move, (i / SIDE + 0.5) / SIDE, 1e-12);
                ck_assert_double_eq_tol(value, field(at, cells), 1e-12);
                least = fmin(least, value);
                most = fmax(most, value);
            }
            ck_assert_double_eq(least, s.least);
            ck_assert_double_eq(most, s.most);
            cgs_slice_release(&s);
        }
}
END_TEST

START_TEST(requests)
{
    static const char *const wrong[] = {"",
                                        "z",
                                        "z:",
                                        "z:0.5",
                                        "z:0.5,",
                                        "w:0.5,a.png",
                                        "z:1.1,a.png",
                                        "z:-0.1,a.png",
                                        "z:nan,a.png",
                                        "0.5,a.png",
                                        "z:x,a.png",
                                        "z:0.5,error,"};
    struct cgs_slice_request s = {.file = "untouched"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!cgs_slice_read(wrong[i], &s), "'%s'", wrong[i]);
        ck_assert_str_eq(s.file, "untouched");
    }
    ck_assert(cgs_slice_read("y:0,residual,a,b.png", &s));
    ck_assert_int_eq(s.axis, 1);
    ck_assert_double_eq(s.position, 0.0);
    ck_assert_int_eq(s.field, CGS_NODAL_RESIDUAL);
    ck_assert_str_eq(s.file, "a,b.png");
    ck_assert(cgs_slice_read("x:1,error.png", &s));
    ck_assert_int_eq(s.field, CGS_NODAL_SOLUTION);
    ck_assert_str_eq(s.file, "error.png");
}
END_TEST

/* The script of a slice as a run takes it; owned. */
static char *script_of(const char *slice, const char *problem)
{
    const char *arguments[] = {"cgsolve", "--backend=cpu", "--N=5", "--threads=1", slice, problem};
    const int count = sizeof arguments / sizeof *arguments;
    struct cgs_options options;
    struct cgs_report report;
    char *text = NULL;
    size_t size;
    must(cgs_options_parse(&bed.context, count, arguments, &options));
    report = cgs_report_start(&bed.context, &options, count, arguments);
    must(cgs_run(&bed.context, &options, NULL, NULL, NULL, NULL, &report));
    ck_assert_ptr_nonnull(report.slice.pixels);
    struct cgs_plot plot;
    must(cgs_slice_plot(&bed.context, &report, &plot));
    FILE *file = open_memstream(&text, &size);
    cgs_plot_script(file, &plot, "svg", NULL);
    fclose(file);
    cgs_plot_release(&plot);
    cgs_free(&bed.context, report.result.history);
    cgs_free(&bed.context, report.algebraic);
    cgs_slice_release(&report.slice);
    cgs_options_release(&options);
    return text;
}

/* Solutions from their least to their most, others alike on both sides of 0; never an empty range. */
START_TEST(scripts)
{
    double least, most;
    char *text = script_of("--slice=z:0.5,u.png", "--problem=smooth");
    ck_assert_ptr_nonnull(strstr(text, "'Solution u_h at z = 0.5' noenhanced at"));
    ck_assert_ptr_nonnull(strstr(text, "#440154"));
    ck_assert_int_eq(sscanf(strstr(text, "set cbrange"), "set cbrange [%lf:%lf]", &least, &most),
                     2);
    ck_assert(least >= 0.0 && most > 0.3 && most < 0.6);
    ck_assert_ptr_null(strstr(text, "nan"));
    free(text);
    text = script_of("--slice=y:0.25,error,u.png", "--problem=smooth");
    ck_assert_ptr_nonnull(strstr(text, "'Error u_h - u at y = 0.25' noenhanced at"));
    ck_assert_ptr_nonnull(strstr(text, "set xlabel 'x' noenhanced\nset ylabel 'z' noenhanced"));
    ck_assert_ptr_nonnull(strstr(text, "8 '#dddddd'"));
    ck_assert_int_eq(sscanf(strstr(text, "set cbrange"), "set cbrange [%lf:%lf]", &least, &most),
                     2);
    ck_assert_double_eq(least, -most);
    free(text);
    text = script_of("--slice=x:0,error,u.png", "--problem=boundary"); /* 0 everywhere */
    ck_assert_ptr_nonnull(strstr(text, "set cbrange [-0.5:0.5]"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("slice");
    TCase *tcase = bed_case(suite, "slice", 60.0);
    tcase_add_test(tcase, pixels_are_where_they_are);
    tcase_add_test(tcase, requests);
    tcase_add_test(tcase, scripts);
    return bed_run(suite);
}
