/* The figures of the laboratory and of cgsolve compare. */
#include <math.h>

#include "lab/compare/compare_plot.h"
#include "src/spmv/lab_plot.h"
#include "tests/src/plot.h"

static struct cgs_lab_row row(const char *name, enum cgs_device device, double median)
{
    struct cgs_lab_row r = {.device = device,
                            .format = CGS_CRS,
                            .threads = device == CGS_CPU ? 2 : 0,
                            .state = CGS_TRIAL_OPEN,
                            .median = median,
                            .least = 0.9 * median,
                            .most = 1.5 * median,
                            .gbs = 1e-3 / median,
                            .attainable_gbs = 40.0,
                            .speedup = 1e-3 / median};
    snprintf(r.name, sizeof r.name, "%s", name);
    return r;
}

TEST(laboratory)
{
    struct cgs_options options = {.settings.n = 9};
    struct cgs_machine machine = {.device = CGS_CPU};
    struct cgs_input input = {.kind = CGS_INPUT_BOX, .mesh = cgs_mesh_cube(9, CGS_GAUSS, 1.0)};
    struct cgs_lab_row rows[] = {row("slow", CGS_CPU, 1e-3),  row("vendor", CGS_CPU, 2e-4),
                                 row("fast", CGS_CPU, 1e-4),  row("bad", CGS_CPU, 0.0),
                                 row("other", CGS_CPU, 5e-4), row("left_out", CGS_CPU, 0.0)};
    const struct cgs_lab lab = {.options = &options,
                                .context = &context,
                                .machine = &machine,
                                .input = &input,
                                .crs = {.rows = 729, .nonzeros = 15625},
                                .rows = rows,
                                .count = 6};
    rows[0].threads = 1;
    rows[1].reference = true;
    rows[3].state = CGS_TRIAL_FAILED;
    rows[4].format = CGS_SELL;
    rows[4].chunk = 8;
    rows[4].sigma = 1;
    rows[5].state = CGS_TRIAL_SKIPPED;
    hide_gnuplot();
    ck_assert_int_eq(cgs_lab_plot(&context, &lab, "lab.svg"), CGS_FILE);
    char *text = get("lab.svg.gp");
    ck_assert_ptr_nonnull(text);
    /* fastest first, the failed one last and without a bar, the skipped one nowhere */
    const char *at = text;
    static const char *const order[] = {
        "Q1 matrix, N = 9: 729 rows",     "'fast, 2 threads' noenhanced",
        "'vendor, 2 threads' noenhanced", "'other 8-1, 2 threads' noenhanced",
        "'slow, 1 thread' noenhanced",    "'bad, 2 threads (FAILED)' noenhanced"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        ck_assert_msg(at != NULL, "no '%s', or too early", order[i]);
    }
    ck_assert_ptr_null(strstr(text, "left_out"));
    ck_assert_ptr_nonnull(
        strstr(text, "$d0_0 << EOD\n0 100 90 150\n2 500 450 750\n3 1000 900 1500\nEOD"));
    ck_assert_ptr_nonnull(strstr(text, "$d0_1 << EOD\n1 200 180 300\nEOD"));
    ck_assert_ptr_nonnull(strstr(text, "$d1_3 << EOD\n0 40 40 40\n"));
    ck_assert_ptr_nonnull(strstr(text, "$d2_0 << EOD\n0 10 10 10\n"));
    ck_assert_ptr_nonnull(strstr(text, "'10 = 25 %' noenhanced"));
    ck_assert_ptr_nonnull(strstr(text, "[us]"));
    free(text);
    /* memory that is refused, each block in turn */
    enum cgs_status status = CGS_MEMORY;
    for (int64_t k = 1; status == CGS_MEMORY; k++) {
        cgs_context_init(&context);
        context.starve_in[CGS_HOST] = k;
        status = cgs_lab_plot(&context, &lab, "lab.svg");
        ck_assert_int_eq(context.host_bytes, 0);
    }
    ck_assert_int_eq(status, CGS_FILE);
    find_gnuplot();
    if (!has_gnuplot())
        return;
    cgs_context_init(&context);
    ck_assert_msg(cgs_lab_plot(&context, &lab, "lab.svg") == CGS_OK, "%s", context.message);
    for (int i = 0; i < 6; i++) /* nothing was timed: names alone */
        rows[i].state = CGS_TRIAL_FAILED;
    ck_assert_msg(cgs_lab_plot(&context, &lab, "lab.svg") == CGS_OK, "%s", context.message);
    for (int i = 0; i < 6; i++)
        rows[i].state = CGS_TRIAL_SKIPPED;
    ck_assert_int_eq(cgs_lab_plot(&context, &lab, "lab.svg"), CGS_USAGE);
}

TEST(several_reports)
{
    json_t *reports[3];
    for (int i = 0; i < 3; i++)
        reports[i] =
            json_pack("{s:{s:{s:i}, s:[{s:s, s:s, s:s, s:i, s:f, s:f, s:f}, "
                      "{s:s, s:s, s:s, s:f, s:f, s:f}, {s:s, s:s}]}}",
                      "spmv", "matrix", "nonzeros", 1000 * (3 - i), "kernels", "name", "own",
                      "device", "cpu", "format", "crs", "threads", i == 1 ? 4 : 2, "median_seconds",
                      1e-3 * (3 - i), "min_seconds", 1e-4, "max_seconds", 1.0, "name", "gpu",
                      "device", "cuda", "format", "crs", "median_seconds", 1e-4, "min_seconds",
                      1e-5, "max_seconds", 1.0, "name", "untimed", "device", "cpu");
    hide_gnuplot();
    enum cgs_status status = CGS_MEMORY;
    for (int64_t k = 1; status == CGS_MEMORY; k++) {
        cgs_context_init(&context);
        context.starve_in[CGS_HOST] = k;
        status = cgs_compare_plot(&context, reports, 3, "c.pdf");
        ck_assert_int_eq(context.host_bytes, 0);
    }
    ck_assert_int_eq(status, CGS_FILE);
    char *text = get("c.pdf.gp");
    ck_assert_ptr_nonnull(text);
    /* by entries, however they came; the threads of each apart; the slope of the last point */
    ck_assert_ptr_nonnull(
        strstr(text, "$d0_0 << EOD\n1000 0.001 0.0001 1\n3000 0.003 0.0001 1\nEOD\n"
                     "$d0_1 << EOD\n2000 0.002 0.0001 1\nEOD\n"
                     "$d0_2 << EOD\n1000 0.001 0.001 0.001\n3000 0.003 0.003 0.003\nEOD\n"));
    ck_assert_ptr_nonnull(strstr(text, "'2 threads'"));
    ck_assert_ptr_nonnull(strstr(text, "'CPU, 4 threads: by kernel'"));
    ck_assert_ptr_nonnull(strstr(text, "'CUDA: by kernel'"));
    ck_assert_ptr_null(strstr(text, "untimed"));
    free(text);
    cgs_context_init(&context);
    json_object_clear(reports[0]);
    ck_assert_int_eq(cgs_compare_plot(&context, reports, 1, "c.pdf"), CGS_USAGE);
    for (int i = 0; i < 3; i++)
        json_decref(reports[i]);
}

int main(void)
{
    return run_tests("plots of the laboratory", 120, setup, teardown);
}
