/* lab/study/study_curves, study_sheet, study_drawings: which points make a curve, which curves
 * agree, which share a panel; whose the reports are (study_origin). */
#include "lab/study/study_drawings.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"
#include "lab/study/study_sheet.h"
#include "tests/src/studied.h"

static struct studied s;

static void setup(void)
{
    start_study(&s);
}

static void teardown(void)
{
    end_study(&s);
}

/* The order of cgs_study_make: N slowest, the other two as they testbed. */
static const char *const sizes[] = {"7", "15"}, *const one_size[] = {"7"},
                         *const threads[] = {"1", "2", "4"},
                         *const formats[] = {"crs", "sell", "none"},
                         *const rules[] = {"gauss", "blended"};

static void sweep(enum cgs_option_id id, const char *const *values, int count)
{
    s.study.lists[id] = (struct cgs_list){.values = (char **)(uintptr_t)values, .count = count};
    if (count > 1)
        s.study.swept[s.study.swept_count++] = id;
}

static struct cgs_list *list_of(int i)
{
    return &s.study.lists[s.study.swept[i]];
}

/* Points of the sweep, errors h^2 / (1 + the number of the rule); series where N is swept. */
static void make_points(void)
{
    int count = 1;
    for (int i = 0; i < s.study.swept_count; i++)
        count *= list_of(i)->count;
    for (int p = 0; p < count; p++) {
        const char *values[CGS_OPTIONS] = {NULL};
        int rest = p;
        for (int i = s.study.swept_count - 1; i >= 0; i--) {
            values[s.study.swept[i]] = list_of(i)->values[rest % list_of(i)->count];
            rest /= list_of(i)->count;
        }
        const int n = values[CGS_OPTION_n] ? atoi(values[CGS_OPTION_n]) : 7;
        const bool blended =
            values[CGS_OPTION_quadrature] && strcmp(values[CGS_OPTION_quadrature], "blended") == 0;
        const int series = values[CGS_OPTION_n] ? p % (count / list_of(0)->count) : p;
        if (series == s.study.series_count)
            add_series(&s, "");
        const double e = pow(n + 1.0, -2.0) / (1 + blended);
        struct cgs_point *point = add_point(&s, series, n, &plain, (const double[]){e, e, e, e});
        memcpy(point->values, values, sizeof values);
        point->facts[CGS_FACT_mups] = 10.0 + p;
        char label[256];
        cgs_point_label(&s.study, point, true, label, sizeof label);
        free(s.series[series].label);
        s.series[series].label = strdup(label);
    }
    cgs_study_fit(&s.study);
}

TEST(curves_of_n)
{
    struct cgs_curves c;
    sweep(CGS_OPTION_n, sizes, 2);
    sweep(CGS_OPTION_quadrature, rules, 2);
    sweep(CGS_OPTION_format, formats, 3);
    make_points();
    ck_assert_int_eq(cgs_curves_make(&s.study, &c), CGS_OK);
    ck_assert_int_eq(c.axis, CGS_AXIS_N);
    ck_assert_int_eq(c.count, 6);
    ck_assert_str_eq(c.curves[4].label, "blended, sell");
    ck_assert_int_eq(c.curves[4].count, 2);
    ck_assert_double_eq(cgs_curves_x(&c, &s.points[c.curves[4].points[1]]), 15.0);
    /* all formats agree; and where one does not, the others are named */
    ck_assert_int_eq(cgs_curves_merge(&s.study, &c, cgs_error_facts, CGS_ERROR_FACTS), CGS_OK);
    ck_assert_int_eq(c.count, 2);
    ck_assert_str_eq(c.curves[0].label, "gauss");
    ck_assert_str_eq(c.curves[1].label, "blended");
    cgs_curves_release(&c);
    s.points[s.members[2][1]].facts[CGS_FACT_max] *= 1.5; /* gauss, none */
    ck_assert_int_eq(cgs_curves_make(&s.study, &c), CGS_OK);
    ck_assert_int_eq(cgs_curves_merge(&s.study, &c, cgs_error_facts, CGS_ERROR_FACTS), CGS_OK);
    ck_assert_int_eq(c.count, 3);
    ck_assert_str_eq(c.curves[0].label, "gauss, crs/sell");
    ck_assert_str_eq(c.curves[1].label, "gauss, none");
    cgs_curves_release(&c);
}

static void run_on(struct cgs_point *point, const char *backend)
{
    json_object_set_new(point->report, "backend", json_string(backend));
}

/* Names of kernels do not say where they run. */
TEST(devices)
{
    struct cgs_curves c;
    struct cgs_sheet sheet;
    sweep(CGS_OPTION_n, sizes, 2);
    sweep(CGS_OPTION_quadrature, rules, 2);
    sweep(CGS_OPTION_format, formats, 3);
    make_points();
    for (int i = 0; i < s.study.count; i++)
        run_on(&s.points[i], i % 3 == 1 ? "cuda" : "cpu");
    ck_assert_int_eq(cgs_curves_make(&s.study, &c), CGS_OK);
    ck_assert_str_eq(c.curves[4].label, "blended, sell, GPU");
    ck_assert_str_eq(c.curves[5].label, "blended, none, CPU");
    s.points[s.members[0][1]].facts[CGS_FACT_max] *= 1.5; /* gauss, crs */
    ck_assert_int_eq(cgs_curves_merge(&s.study, &c, cgs_error_facts, CGS_ERROR_FACTS), CGS_OK);
    ck_assert_int_eq(c.count, 3);
    ck_assert_str_eq(c.curves[0].label, "gauss, crs, CPU");
    ck_assert_str_eq(c.curves[1].label, "gauss, sell/none"); /* of both */
    ck_assert_str_eq(c.curves[2].label, "blended");
    cgs_curves_release(&c);
    for (int i = 0; i < s.study.count; i++) {
        s.points[i].facts[CGS_FACT_spmv_gbs] = 100.0 + i;
        s.points[i].facts[CGS_FACT_attainable_gbs] = 200.0;
    }
    ck_assert_int_eq(cgs_sheet_make(&s.study, CGS_DRAWING_spmv_gbs, &sheet), CGS_OK);
    ck_assert_int_eq(sheet.plot.panels[0].series_count, 8);
    ck_assert_str_eq(sheet.plot.panels[0].series[6].name, "attainable, CPU");
    ck_assert_str_eq(sheet.plot.panels[0].series[7].name, "attainable, GPU");
    cgs_sheet_release(&sheet);
    /* transfers are the GPU's, whose link they take */
    for (int i = 0; i < s.study.count; i++) {
        s.points[i].facts[CGS_FACT_transfer_seconds] = 1e-3;
        if (i % 3 == 1)
            s.points[i].facts[CGS_FACT_transfer_gbs] = 50.0;
    }
    ck_assert_int_eq(cgs_sheet_make(&s.study, CGS_DRAWING_transfer_seconds, &sheet), CGS_OK);
    ck_assert_int_eq(sheet.plot.panels[0].series_count, 2);
    ck_assert_str_eq(sheet.plot.panels[0].series[1].name, "blended, sell, GPU");
    cgs_sheet_release(&sheet);
    /* one device, or a sweep of them, needs no other word */
    for (int i = 0; i < s.study.count; i++)
        run_on(&s.points[i], "cuda");
    ck_assert_int_eq(cgs_curves_make(&s.study, &c), CGS_OK);
    ck_assert_str_eq(c.curves[4].label, "blended, sell");
    cgs_curves_release(&c);
}

/* Figures say where and when points ran as their reports do. */
TEST(origin)
{
    char text[256];
    sweep(CGS_OPTION_n, sizes, 2);
    ck_assert(!cgs_study_reported(&s.study));
    cgs_study_days(&s.study, text, sizeof text);
    ck_assert_str_eq(text, "2026-11-22"); /* the study's own */
    make_points();
    ck_assert(cgs_study_reported(&s.study));
    cgs_study_told(&s.study, "cgsolve.commit", "ours", text, sizeof text);
    ck_assert_str_eq(text, "ours");
    for (int i = 0; i < 2; i++)
        json_object_update_new(s.points[i].report,
                               json_pack("{ss s{ss ss} s{ss si}}", "date",
                                         i == 0 ? "2026-12-03T00:00:00Z" : "2026-11-30T09:00:00Z",
                                         "cgsolve", "commit", i == 0 ? "abc" : "def", "cuda",
                                         "13.0", "host", "cpu", "a CPU", "threads", 2));
    cgs_study_days(&s.study, text, sizeof text);
    ck_assert_str_eq(text, "2026-11-30 to 2026-12-03");
    cgs_study_told(&s.study, "cgsolve.commit", "ours", text, sizeof text);
    ck_assert_str_eq(text, "abc and def");
    cgs_study_told(&s.study, "cgsolve.cuda", NULL, text, sizeof text);
    ck_assert_str_eq(text, "13.0");
    json_object_update_new(s.points[0].report,
                           json_pack("{s{ss si}}", "host", "cpu", "a CPU", "threads", 1));
    cgs_study_machines(&s.study, text, sizeof text);
    ck_assert_str_eq(text, "a CPU, 1 to 2 threads");
    json_object_update_new(s.points[0].report,
                           json_pack("{ss s{ss}}", "backend", "cuda", "device", "name", "a GPU"));
    cgs_study_machines(&s.study, text, sizeof text);
    ck_assert_str_eq(text, "a GPU and a CPU, 2 threads");
}

TEST(curves_of_an_option)
{
    struct cgs_curves c;
    sweep(CGS_OPTION_n, one_size, 1);
    sweep(CGS_OPTION_format, formats, 3);
    sweep(CGS_OPTION_threads, threads, 3);
    make_points();
    ck_assert_int_eq(cgs_curves_make(&s.study, &c), CGS_OK);
    ck_assert_int_eq(c.axis, CGS_AXIS_OPTION);
    ck_assert_int_eq(c.option, CGS_OPTION_threads);
    ck_assert_int_eq(c.count, 3);
    ck_assert_str_eq(c.curves[2].label, "none");
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(cgs_curves_x(&c, &s.points[c.curves[2].points[i]]), atof(threads[i]));
    char why[256];
    ck_assert(!cgs_drawing_wanted(&s.study, &c, CGS_DRAWING_l2, why, sizeof why));
    ck_assert_ptr_nonnull(strstr(why, "several N"));
    ck_assert(cgs_drawing_wanted(&s.study, &c, CGS_DRAWING_mups, why, sizeof why));
    cgs_curves_release(&c);
}

TEST(bars)
{
    struct cgs_curves c;
    struct cgs_sheet sheet;
    sweep(CGS_OPTION_quadrature, rules, 2);
    sweep(CGS_OPTION_format, formats, 3);
    make_points();
    ck_assert_int_eq(cgs_curves_make(&s.study, &c), CGS_OK);
    ck_assert_int_eq(c.axis, CGS_AXIS_NAMES);
    ck_assert_int_eq(c.count, 6);
    cgs_curves_release(&c);
    ck_assert_int_eq(cgs_sheet_make(&s.study, CGS_DRAWING_mups, &sheet), CGS_OK);
    ck_assert_int_eq(sheet.plot.panels[0].bar_count, 6);
    ck_assert_str_eq(sheet.plot.panels[0].bars[5].name, "blended, none");
    ck_assert_str_eq(sheet.plot.panels[0].bars[5].value, "15.0");
    cgs_sheet_release(&sheet);
}

/* Never more than can be told apart: by an option's values, or in their order. */
TEST(panels)
{
    struct cgs_sheet sheet;
    sweep(CGS_OPTION_n, sizes, 2);
    sweep(CGS_OPTION_format, formats, 3);
    sweep(CGS_OPTION_threads, threads, 3);
    make_points();
    ck_assert_int_eq(cgs_sheet_make(&s.study, CGS_DRAWING_mups, &sheet), CGS_OK);
    ck_assert_int_eq(sheet.curves.panel_count, 3);
    ck_assert_str_eq(sheet.plot.panels[1].title, "sell");
    ck_assert_int_eq(sheet.plot.panels[1].series_count, 3);
    ck_assert_str_eq(sheet.plot.panels[1].series[2].name,
                     "threads=4"); /* the title says the rest */
    ck_assert_int_eq(sheet.plot.tick_count, 2);
    cgs_sheet_release(&sheet);
    /* errors are those of one format and one thread */
    ck_assert_int_eq(cgs_sheet_make(&s.study, CGS_DRAWING_l2, &sheet), CGS_OK);
    ck_assert_int_eq(sheet.curves.panel_count, 1);
    ck_assert_str_eq(sheet.plot.panels[0].title, "");
    ck_assert_int_eq(sheet.plot.panels[0].series_count, 2);
    ck_assert_str_eq(sheet.plot.panels[0].series[0].name, "L2 error: order 2.00");
    ck_assert_str_eq(sheet.plot.panels[0].series[1].note, "order 2");
    ck_assert_int_eq(sheet.plot.panels[0].series[1].count, 4);
    /* against h, whose power they are */
    ck_assert_str_eq(sheet.plot.panels[0].x_label, "h = 1/(N + 1)");
    ck_assert(sheet.plot.tick_fractions && sheet.plot.tick_count == 2);
    for (int i = 0; i < 2; i++) {
        const double h = 1.0 / (atof(sizes[i]) + 1.0);
        ck_assert(sheet.plot.ticks[1 - i] == h);
        ck_assert(sheet.plot.panels[0].series[0].points[i].x == h);
    }
    const struct cgs_plot_point *corner = sheet.plot.panels[0].series[1].points;
    ck_assert_double_eq_tol(corner[0].y / corner[1].y, pow(corner[0].x / corner[1].x, 2.0), 1e-9);
    cgs_sheet_release(&sheet);
}

TEST(many_values)
{
    static char names[20][16];
    static const char *values[20];
    struct cgs_sheet sheet;
    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "%d", i + 1);
        values[i] = names[i];
    }
    sweep(CGS_OPTION_n, sizes, 2);
    sweep(CGS_OPTION_chunk, values, 16);
    make_points();
    ck_assert_int_eq(cgs_sheet_make(&s.study, CGS_DRAWING_mups, &sheet), CGS_OK);
    /* by chunk there would be a panel for each */
    ck_assert_int_eq(sheet.curves.panel_count, 3);
    ck_assert_str_eq(sheet.plot.panels[2].title, "part 3 of 3");
    ck_assert_int_eq(sheet.plot.panels[0].series_count, CGS_CURVES_MOST);
    ck_assert_int_eq(sheet.plot.panels[2].series_count, 2);
    cgs_sheet_release(&sheet);
}

TEST(nothing_there)
{
    struct cgs_curves c;
    char why[256];
    sweep(CGS_OPTION_n, sizes, 2);
    make_points();
    for (int i = 0; i < s.study.count; i++)
        for (int f = 0; f < CGS_FACTS; f++)
            s.points[i].facts[f] = NAN;
    cgs_study_fit(&s.study);
    ck_assert_int_eq(cgs_curves_make(&s.study, &c), CGS_OK);
    for (int i = 0; i < CGS_DRAWINGS; i++) {
        struct cgs_sheet sheet;
        char caption[1024];
        ck_assert(!cgs_drawing_wanted(&s.study, &c, (enum cgs_drawing)i, why, sizeof why));
        ck_assert(why[0] != '\0');
        ck_assert_int_eq(cgs_sheet_make(&s.study, (enum cgs_drawing)i, &sheet), CGS_OK);
        cgs_sheet_release(&sheet);
        cgs_drawing_caption(&s.study, &c, (enum cgs_drawing)i, caption, sizeof caption);
        ck_assert_ptr_null(strstr(caption, "nan"));
    }
    cgs_curves_release(&c);
    ck_assert_int_eq(s.context.host_bytes, 0);
}

int main(void)
{
    return run_tests("figures of studies", 60, setup, teardown);
}
