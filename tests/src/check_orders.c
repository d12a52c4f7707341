/* lab/study/study_orders: fits of known powers, intervals, points that rounding
 * rules, and what theory says. */
#include "lab/command_line/options_list.h"
#include "lab/study/study_limits.h"
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

/* e = 3 h^p in each norm, orders in the order of enum cgs_norm. */
static void add_powers(int series, int n, const struct made *m, const double orders[CGS_NORMS])
{
    double errors[CGS_NORMS];
    for (int k = 0; k < CGS_NORMS; k++)
        errors[k] = 3.0 * pow(n + 1.0, -orders[k]);
    add_point(&s, series, n, m, errors);
}

static const double second[CGS_NORMS] = {2, 2, 1, 2}, fourth[CGS_NORMS] = {2, 4, 1, 4};

TEST(exact_powers)
{
    const int k = add_series(&s, "");
    for (int n = 7; n < 64; n = 2 * n + 1)
        add_powers(k, n, &plain, second);
    cgs_study_fit(&s.study);
    for (int norm = 0; norm < CGS_NORMS; norm++) {
        const struct cgs_order *o = &s.series[k].orders[norm];
        ck_assert(o->fitted && o->expected && o->met);
        ck_assert_double_eq_tol(o->order, second[norm], 1e-12);
        ck_assert_double_eq_tol(o->factor, 3.0, 1e-11);
        ck_assert_double_lt(o->half, 1e-6);
        ck_assert_int_eq(o->count, 4);
        ck_assert_int_eq(o->limited, -1);
        ck_assert_double_eq(o->theory, second[norm]);
    }
    ck_assert_double_eq_tol(cgs_series_local_order(&s.study, &s.series[k], 2, CGS_FACT_h1), 1.0,
                            1e-12);
    ck_assert(isnan(cgs_series_local_order(&s.study, &s.series[k], 0, CGS_FACT_h1)));
}

/* Order p in H1 and p + 1 in L2; of nodes nothing is expected beyond trilinear elements. */
TEST(higher_order)
{
    static const double quartic[CGS_NORMS] = {5, 6, 4, 6};
    const int k = add_series(&s, "");
    for (int n = 7; n < 64; n = 2 * n + 1) {
        add_powers(k, n, &plain, quartic);
        json_object_set_new(json_object_get(s.points[s.study.count - 1].report, "problem"), "order",
                            json_integer(4));
    }
    cgs_study_fit(&s.study);
    const struct cgs_order *l2 = &s.series[k].orders[CGS_NORM_L2],
                           *h1 = &s.series[k].orders[CGS_NORM_H1];
    ck_assert(l2->expected && l2->met && l2->theory == 5.0);
    ck_assert(h1->expected && h1->met && h1->theory == 4.0);
    ck_assert(!s.series[k].orders[CGS_NORM_NODAL_L2].expected);
    ck_assert(!s.series[k].orders[CGS_NORM_MAX].expected);
}

/* By hand: X = log h = 0, -1, -2, -3; Y = 0.1, -2, -4.1, -5.9. Sum of (X - mean)^2 is 5, slope
 * 2.01, rest of squares 0.027 exactly; t(0.975, 2) = 4.3027. */
TEST(known_interval)
{
    const double h[] = {1.0, exp(-1.0), exp(-2.0), exp(-3.0)},
                 e[] = {exp(0.1), exp(-2.0), exp(-4.1), exp(-5.9)};
    struct cgs_order o = {.limited = -1};
    cgs_order_fit(h, e, 4, &o);
    ck_assert(o.fitted);
    ck_assert_double_eq_tol(o.order, 2.01, 1e-12);
    ck_assert_double_eq_tol(o.factor, exp(0.04), 1e-12);
    const double rest = 0.06 * 0.06 + 0.03 * 0.03 + 0.12 * 0.12 + 0.09 * 0.09;
    ck_assert_double_eq_tol(o.half, 4.3027 * sqrt(rest / 2.0 / 5.0), 1e-10);
}

TEST(quantiles) /* A&S table 26.10, and the normal distribution */
{
    static const struct {
        int degrees;
        double t;
    } known[] = {{1, 12.706}, {2, 4.303},  {5, 2.571},   {10, 2.228},
                 {11, 2.201}, {20, 2.086}, {120, 1.980}, {1000000, 1.960}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_double_eq_tol(cgs_student(known[i].degrees), known[i].t, 6e-4);
    ck_assert(isnan(cgs_student(0)));
}

TEST(few_points)
{
    const double gone[CGS_NORMS] = {NAN, 0.0, INFINITY, -1.0};
    const int one = add_series(&s, "one"), two = add_series(&s, "two"),
              hole = add_series(&s, "hole"), none = add_series(&s, "none");
    add_powers(one, 7, &plain, second);
    add_powers(two, 7, &plain, second);
    add_powers(two, 15, &plain, second);
    add_powers(hole, 7, &plain, second);
    add_point(&s, hole, 15, &plain, gone);
    add_powers(hole, 31, &plain, second);
    add_point(&s, none, 7, &plain, gone);
    s.series[s.study.series_count].points = s.members[s.study.series_count];
    s.series[s.study.series_count++].label = strdup("empty");
    cgs_study_fit(&s.study);
    for (int norm = 0; norm < CGS_NORMS; norm++) {
        const struct cgs_order *o = &s.series[one].orders[norm];
        ck_assert(!o->fitted && o->met && isnan(o->order) && o->count == 1);
        o = &s.series[two].orders[norm];
        ck_assert(o->fitted && o->met && isnan(o->half) && o->count == 2);
        ck_assert_double_eq_tol(o->order, second[norm], 1e-12);
        o = &s.series[hole].orders[norm];
        ck_assert(o->fitted && o->met && o->count == 2);
        ck_assert(!s.series[none].orders[norm].fitted && s.series[none].orders[norm].count == 0);
        ck_assert(!s.series[none + 1].orders[norm].expected);
    }
    ck_assert_double_eq_tol(cgs_series_local_order(&s.study, &s.series[hole], 2, CGS_FACT_l2), 2.0,
                            1e-12);
}

/* Nodal errors of the blended rule in single precision, as measured: N = 31 is ruled by the
 * tolerance (the excess is within what CG estimates), N = 63 by rounding. */
TEST(plateau)
{
    static const double l2[] = {1.6780e-02, 4.3217e-03, 1.0882e-03, 2.7142e-04},
                        nodal[] = {1.0048e-04, 6.4924e-06, 9.9849e-07, 2.3667e-06},
                        h1[] = {3.6685e-01, 1.8309e-01, 9.1461e-02, 4.5719e-02},
                        energy[] = {1.92e-05, 1.54e-05, 9.19e-06, -1.0};
    const int single = add_series(&s, "single"), wrong = add_series(&s, "wrong");
    for (int i = 0, n = 7; i < 4; i++, n = 2 * n + 1) {
        const double errors[CGS_NORMS] = {l2[i], nodal[i], h1[i], NAN};
        const struct made m = {
            "smooth", "blended", "1", "single", i == 3 ? "rounding_floor" : "converged",
            0.0,      energy[i]};
        struct made fine = m;
        fine.status = "converged";
        fine.energy = 1e-12;
        add_point(&s, single, n, &m, errors);
        add_point(&s, wrong, n, &fine, errors);
    }
    cgs_study_fit(&s.study);
    const struct cgs_order *o = s.series[single].orders;
    ck_assert_int_eq(o[CGS_NORM_NODAL_L2].limited, 2);
    ck_assert_int_eq(o[CGS_NORM_NODAL_L2].count, 2);
    ck_assert_double_eq(o[CGS_NORM_NODAL_L2].theory, 4.0);
    ck_assert(o[CGS_NORM_NODAL_L2].met);
    ck_assert_int_eq(o[CGS_NORM_L2].limited, -1);
    ck_assert(o[CGS_NORM_L2].met && o[CGS_NORM_L2].count == 4);
    char why[128];
    ck_assert_str_eq(cgs_study_limit(&s.points[6], why, sizeof why),
                     "rounding in single precision");
    ck_assert_ptr_nonnull(strstr(cgs_study_limit(&s.points[4], why, sizeof why), "the tolerance"));
    /* the same numbers without evidence: an order that is wrong */
    o = s.series[wrong].orders;
    ck_assert_int_eq(o[CGS_NORM_NODAL_L2].limited, -1);
    ck_assert(o[CGS_NORM_NODAL_L2].expected && !o[CGS_NORM_NODAL_L2].met);
    ck_assert(o[CGS_NORM_L2].met);
}

/* At the rounding floor errors that the residual cannot explain are the mesh's: as measured with
 * --problem=octants --kappa=jump:1000 --tol=1e-17, whose coarse points bend. */
TEST(floors)
{
    static const double l2[] = {2.50e-1, 1.42e-1, 7.80e-2, 4.74e-2},
                        residual[] = {1e-16, 1e-15, 2.5e-15, 3.8e-15};
    static const struct made floor = {"octants",        "gauss", "jump:1000", "double",
                                      "rounding_floor", 0.0,     -1.0};
    const int bent = add_series(&s, "bent"), large = add_series(&s, "large");
    for (int i = 0; i < 4; i++) {
        const double errors[CGS_NORMS] = {l2[i], NAN, NAN, NAN};
        const struct cgs_point *p = add_point(&s, bent, 2 * i + 1, &floor, errors),
                               *q = add_point(&s, large, 2 * i + 1, &floor, errors);
        json_object_set_new(json_object_get(p->report, "solver"), "true_relative_residual",
                            json_real(residual[i]));
        json_object_set_new(json_object_get(q->report, "solver"), "true_relative_residual",
                            json_real(1e-2));
    }
    cgs_study_fit(&s.study);
    ck_assert_int_eq(s.series[bent].orders[CGS_NORM_L2].limited, -1);
    ck_assert_int_eq(s.series[bent].orders[CGS_NORM_L2].count, 4);
    ck_assert_int_eq(s.series[large].orders[CGS_NORM_L2].limited, 1);
    for (int norm = 0; norm < CGS_NORMS; norm++) {
        ck_assert_double_lt(cgs_study_algebraic(&s.points[2], (enum cgs_norm)norm), 1e-11);
        ck_assert_double_gt(cgs_study_algebraic(&s.points[2], (enum cgs_norm)norm), 1e-15);
    }
}

/* A point that did not converge has errors, but they are the solver's. */
TEST(failed_points)
{
    static const double far[CGS_NORMS] = {1e-4, 1e-4, 1e-4, 1e-4};
    const int k = add_series(&s, "");
    for (int n = 7; n < 32; n = 2 * n + 1)
        add_powers(k, n, &plain, second);
    struct made limit = plain;
    limit.status = "iteration_limit";
    add_point(&s, k, 63, &limit, far)->exit_status = 2;
    cgs_study_fit(&s.study);
    for (int norm = 0; norm < CGS_NORMS; norm++) {
        const struct cgs_order *o = &s.series[k].orders[norm];
        ck_assert(o->fitted && o->met && o->count == 3 && o->limited == -1);
        ck_assert_double_eq_tol(o->order, second[norm], 1e-12);
    }
}

TEST(wrong_orders_are_found)
{
    static const double first[CGS_NORMS] = {1.7, 1.7, 0.8, 1.7};
    const int k = add_series(&s, "");
    for (int n = 15; n < 128; n = 2 * n + 1)
        add_powers(k, n, &plain, first);
    cgs_study_fit(&s.study);
    for (int norm = 0; norm < CGS_NORMS; norm++)
        ck_assert(s.series[k].orders[norm].expected && !s.series[k].orders[norm].met);
}

/* Coarse points prove little, but never nothing: order 1 is not taken for 2. */
TEST(coarse_points)
{
    static const double first[CGS_NORMS] = {0.9, 0.9, 0.4, 0.9};
    const int k = add_series(&s, "");
    add_powers(k, 1, &plain, first);
    add_powers(k, 3, &plain, first);
    cgs_study_fit(&s.study);
    for (int norm = 0; norm < CGS_NORMS; norm++)
        ck_assert(!s.series[k].orders[norm].met);
}

TEST(expectations)
{
    static const struct {
        const char *text;
        bool expected[CGS_NORMS], met[CGS_NORMS];
    } cases[] = {
        {"none", {false, false, false, false}, {true, true, true, true}},
        {"theory", {true, true, true, true}, {true, true, true, true}},
        {"l2:3", {true, false, false, false}, {false, true, true, true}},
        {"l2:2:0.01,h1:1", {true, false, true, false}, {true, true, true, true}},
        {"nodal_l2:2.4:0.5,max:2.4:0.3", {false, true, false, true}, {true, true, true, false}},
    };
    const int k = add_series(&s, ""), one = add_series(&s, "one");
    for (int n = 15; n < 64; n = 2 * n + 1)
        add_powers(k, n, &plain, second);
    add_powers(one, 7, &plain, second);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        s.options.expect_order = cases[c].text;
        cgs_study_fit(&s.study);
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            const struct cgs_order *o = &s.series[k].orders[norm];
            ck_assert_msg(o->expected == cases[c].expected[norm] && o->met == cases[c].met[norm],
                          "%s: %s", cases[c].text, cgs_norms[norm].name);
        }
    }
    /* what is asked for has to be seen, and one point shows no order */
    ck_assert(!s.series[one].orders[CGS_NORM_MAX].met);
    ck_assert(s.series[one].orders[CGS_NORM_L2].met);
}

TEST(theory)
{
    static const struct {
        struct made made;
        int n;
        double orders[CGS_NORMS]; /* 0: nothing */
    } cases[] = {
        {{"smooth", "gauss", "1", "double", "converged", 0, 0}, 7, {2, 2, 1, 2}},
        {{"smooth", "blended", "1", "double", "converged", 0, 0}, 7, {2, 4, 1, 4}},
        {{"sine", "blended", "1", "double", "converged", 0, 0}, 7, {2, 4, 1, 4}},
        {{"boundary", "blended", "1", "double", "converged", 0, 0}, 7, {2, 4, 1, 4}},
        {{"smooth", "blended", "1", "double", "converged", 0.1, 0}, 7, {2, 2, 1, 2}},
        {{"smooth", "blended", "smooth", "double", "converged", 0, 0}, 7, {2, 2, 1, 2}},
        {{"octants", "gauss", "jump:10", "double", "converged", 0, 0}, 7, {2, 2, 1, 2}},
        {{"octants", "blended", "jump:10", "double", "converged", 0, 0}, 7, {2, 4, 1, 4}},
        {{"octants", "gauss", "jump:10", "double", "converged", 0, 0}, 8, {0, 0, 0, 0}},
        {{"octants", "gauss", "1", "double", "converged", 0, 0}, 8, {2, 2, 1, 2}},
        {{"smooth", "gauss", "jump:10", "double", "converged", 0, 0}, 7, {0, 0, 0, 0}},
        {{"course", "gauss", "1", "double", "converged", 0, 0}, 7, {0, 0, 0, 0}},
        {{"random", "gauss", "1", "double", "converged", 0, 0}, 7, {0, 0, 0, 0}},
        {{"", "gauss", "1", "double", "converged", 0, 0}, 7, {0, 0, 0, 0}}, /* a file's matrix */
        {{"smooth", "gauss", "1", "double", "discretization", 0, 0}, 7, {0, 0, 1, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        teardown();
        setup();
        const int k = add_series(&s, "");
        add_powers(k, cases[c].n, &cases[c].made, fourth);
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            double order = 0.0;
            const bool known =
                cgs_study_theory(&s.study, &s.series[k], (enum cgs_norm)norm, &order);
            ck_assert_msg(known == (cases[c].orders[norm] > 0.0) && order == cases[c].orders[norm],
                          "%s %s kappa %s: %s", cases[c].made.problem, cases[c].made.quadrature,
                          cases[c].made.kappa, cgs_norms[norm].name);
        }
    }
}

TEST(consistency)
{
    static const double none[CGS_NORMS] = {NAN, NAN, NAN, NAN};
    static const double errors[] = {6.5163e-01, 1.6683e-01, 4.1957e-02}; /* gauss, as measured */
    struct cgs_order o;
    const struct made m = {"course", "gauss", "1", "double", "converged", 0.0, 0.0};
    const int k = add_series(&s, ""), other = add_series(&s, "other");
    for (int i = 0, n = 7; i < 3; i++, n = 2 * n + 1)
        add_point(&s, k, n, &m, none)->facts[CGS_FACT_consistency] = errors[i];
    add_powers(other, 7, &plain, second);
    cgs_study_fit_consistency(&s.study, &s.series[k], &o);
    ck_assert(o.fitted && o.expected && o.met && o.count == 3);
    ck_assert_double_eq_tol(o.order, 1.98, 0.01);
    cgs_study_fit_consistency(&s.study, &s.series[other], &o);
    ck_assert(!o.fitted && !o.expected);
}

/* ---- limits of the solution ---- */

/* Adds a point where most is u, and so is the second probe. */
static struct cgs_point *add_value(int series, int n, double u)
{
    static const double none[CGS_NORMS] = {NAN, NAN, NAN, NAN};
    struct cgs_point *point = add_point(&s, series, n, &plain, none);
    point->facts[CGS_FACT_least] = 0.0;
    point->facts[CGS_FACT_most] = u;
    json_object_set_new(point->report, "probes",
                        json_pack("[{s:f},{s:f}]", "value", 1.0, "value", u));
    return point;
}

static struct cgs_limit last_limit(int series, int quantity)
{
    return cgs_series_limit(&s.study, &s.series[series], s.series[series].count - 1, quantity);
}

TEST(limits_of_powers)
{
    static const double orders[] = {0.5, 1.0, 1.7, 2.0, 4.0};
    for (int i = 0; i < 5; i++) {
        const int k = add_series(&s, "");
        const double p = orders[i];
        add_value(k, 4, 99.0); /* the three finest count */
        for (int n = 9; n < 40; n += n < 10 ? 5 : 25)
            add_value(k, n, 2.0 - 3.0 * pow(n + 1.0, -p));
        ck_assert_int_eq(s.series[k].count, 4);
        for (int q = 1; q <= 4; q += 3) {
            const struct cgs_limit limit = last_limit(k, q);
            ck_assert(limit.found);
            ck_assert_double_eq_tol(limit.order, p, 1e-8);
            ck_assert_double_eq_tol(limit.value, 2.0, 1e-9);
        }
        const struct cgs_limit same = last_limit(k, CGS_QUANTITIES);
        ck_assert(same.found && isnan(same.order) && same.value == 1.0);
        ck_assert(!last_limit(k, 2).found); /* no mean */
    }
    ck_assert_int_eq(cgs_study_quantities(&s.study), CGS_QUANTITIES + 2);
}

TEST(no_limit)
{
    static const double values[][3] = {
        {1.0, 2.0, 1.5}, /* to and fro */
        {1.0, 2.0, 3.0}, /* on and on */
        {1.0, 2.0, 2.0}, /* settled at once: no power says that */
        {1.0, NAN, 2.0},
    };
    for (int i = 0; i < 4; i++) {
        const int k = add_series(&s, "");
        for (int j = 0; j < 3; j++)
            add_value(k, (8 << j) - 1, values[i][j]);
        ck_assert(!last_limit(k, 1).found);
    }
    const int failed = add_series(&s, "");
    for (int j = 0; j < 4; j++)
        add_value(failed, (8 << j) - 1, 2.0 + pow(0.25, j))->exit_status = j == 3 ? 2 : 0;
    ck_assert_int_eq(cgs_series_finest(&s.study, &s.series[failed], 1), 2);
    const struct cgs_limit limit = cgs_series_limit(&s.study, &s.series[failed], 2, 1);
    ck_assert(limit.found && !last_limit(failed, 1).found);
    ck_assert_double_eq_tol(limit.order, 2.0, 1e-9);
}

int main(void)
{
    return run_tests("orders of studies", 60, setup, teardown);
}
