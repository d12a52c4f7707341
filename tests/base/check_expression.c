/* Expressions: values against C's, what is refused and where the caret stands, definitions of
 * constants, bits by any number of threads, other locales. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/expression.h"
#include "base/expression_language.h"
#include "tests/support/check.h"

static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz"};
enum { VARIABLES = sizeof names / sizeof *names };

static const double X = 0.3, Y = -1.75, Z = 12.5;

/* Computes an expression at points, variable i having the value variables[i][k] at point k. */
static void evaluate(const struct cgs_expression *expression, int64_t count,
                     const double *const *variables, double *values)
{
    struct cgs_expression_grid grid = {.count = {count, 1, 1}};
    for (int i = 0; i < VARIABLES; i++)
        grid.variable[i] = cgs_expression_uses(expression, i) ? variables[i] : NULL;
    cgs_expression_evaluate(expression, &grid, values);
}

/* Computes an expression in x = X, y = Y, z = Z, with k = 2 and w = 0.5. */
static double value_of(const char *text)
{
    const struct cgs_constants constants = {.count = 2, .list = {{"k", 2.0}, {"w", 0.5}}};
    const double *variables[VARIABLES] = {&X, &Y, &Z};
    struct cgs_context context;
    struct cgs_expression *expression = NULL;
    double value;
    cgs_context_init(&context);
    if (cgs_expression_create(&context, "--source", text, names, VARIABLES, &constants,
                              &expression) != CGS_OK)
        ck_abort_msg("%s", context.message);
    ck_assert_str_eq(cgs_expression_text(expression), text);
    evaluate(expression, 1, variables, &value);
    cgs_expression_release(expression);
    ck_assert_int_eq(context.host_bytes, 0);
    return value;
}

/* The text, and the same in C. */
#define SAME(expression)                                                                           \
    {                                                                                              \
        .text = #expression, .value = expression                                                   \
    }

TEST(values_are_those_of_c)
{
    const double x = X, y = Y, z = Z, k = 2.0, w = 0.5, pi = M_PI, e = M_E;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        SAME(1),
        SAME(.5),
        SAME(1e-3),
        SAME(2.5E+2),
        SAME(x),
        SAME(-x),
        SAME(+x),
        SAME(x + y * z),
        SAME((x + y) * z),
        SAME(x - y - z),
        SAME(x / y / z),
        SAME(x / y * z),
        SAME(x - -y),
        SAME(x * -y),
        SAME(pi),
        SAME(e),
        SAME(sin(k * pi * x) * cos(w * y)),
        SAME(exp(x) * cos(2 * y) + z * z),
        SAME(log(z) + log10(z) + log2(z)),
        SAME(sqrt(z) + sqrt(x)),
        SAME(tan(x) + asin(x) + acos(x) + atan(y)),
        SAME(sinh(x) + cosh(y) + tanh(z)),
        SAME(asinh(y) + acosh(z) + atanh(x)),
        SAME(atan2(y, x) + hypot(x, z) + pow(z, x)),
        SAME(floor(y) + ceil(y) * 10 + round(z) * 100),
        SAME(erf(x)),
        SAME(x < y),
        SAME(x <= x),
        SAME(x > y),
        SAME(y >= z),
        SAME(x == 0.3),
        SAME(x != 0.3),
        SAME(x > 0 && y > 0),
        SAME(x > 0 || y > 0),
        SAME(x < 0.5 ? y : z),
        SAME(x > 0.5   ? y
             : x > 0.4 ? z
                       : w),
        SAME(x < 0.5 ? y < 0 ? 1 : 2 : 3),
        SAME((x < 0.5 ? 1 : 2) * z),
        SAME(w && k), /* constants keep their fractions */
        SAME(0.0 || w),
        SAME(w && x),
        SAME(w > 0.25 && x < w),
        SAME(x > 1 || w),
        SAME(w ? 3 : 4),
        {"0.5 && 1", 1.0},
        {"0.5 || 0", 1.0},
        {"0 || -0.25", 1.0},
        {"0.5 && 0", 0.0},
        {"0.5 && -0.25 && +sin(1)", 1.0},
        {"1 || 0 && 0", 1.0},
        {"0 == 0.5 || 0.5 && 0.25 > 0.125", 1.0},
        {"0.5 && 0.25 ? 2 : 3", 2.0},
        {"3*(0.5 && 1e-300)^2", 3.0},
        {"0.25 < 0.5", 1.0},
        {"0.25 == 0.5", 0.0},
        {"0.25 != 0.5", 1.0},
        {"0/0 && 1", 1.0}, /* NaN is not 0 */
        {"0 || 0/0", 1.0},
        {"-x^2", -(X * X)},
        {"(-x)^2", X * X},
        {"2^-1", 0.5},
        {"2^3^2", 512.0},
        {"-2^2", -4.0},
        {"x*-y^2", X * -(Y * Y)},
        {"z^2.5", pow(Z, 2.5)},
        {"x^5", pow(X, 5.0)},
        {"_pi", M_PI},
        {"_e", M_E},
        {"ln(z)", log(Z)},
        {"log(e)", 1.0},
        {"abs(y)", 1.75},
        {"sign(y) + 10*sign(z) + 100*sign(0)", 9.0},
        {"min(x, y, z)", Y},
        {"max(x, y)", X},
        {"max(x < 0 ? 1 : 2, y, k)", 2.0},
        {"asinh(-1e9)", asinh(-1e9)},
        {"sin (x)\t+ \n cos( y )", sin(X) + cos(Y)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double value = value_of(cases[i].text);
        if (!(fabs(value - cases[i].value) <= 4e-16 * fabs(cases[i].value)))
            ck_abort_msg("%s is %.17g, expected %.17g", cases[i].text, value, cases[i].value);
    }
    ck_assert(isinf(value_of("1/(x - x)")));
    ck_assert(isnan(value_of("sqrt(y)")));
    ck_assert(isnan(value_of("max(1, sqrt(y), 2)")) && isnan(value_of("min(sqrt(y), 2)")));
}

/* Returns the message about a text; "": it is an expression. */
static const char *refusal(const char *text)
{
    static struct cgs_context context;
    const struct cgs_constants constants = {.count = 1, .list = {{"kappa", 2.0}}};
    struct cgs_expression *expression = NULL;
    cgs_context_init(&context);
    const enum cgs_status status = cgs_expression_create(&context, "--source", text, names,
                                                         VARIABLES, &constants, &expression);
    ck_assert_int_eq(status, context.status);
    ck_assert_int_eq(status, context.message[0] ? CGS_USAGE : CGS_OK);
    ck_assert(status == CGS_OK || !expression);
    cgs_expression_release(expression);
    ck_assert_int_eq(context.host_bytes, 0);
    return context.message;
}

/* The message of each has a text, and a caret below one of its characters. */
TEST(refusals_name_the_place)
{
    static const struct {
        const char *text;
        int at;
        const char *what;
    } cases[] = {
        {"exp(x)*foo(y)", 7, "unknown function 'foo' (known here: abs, acos, "},
        {"1 + foo", 4, "unknown name 'foo' (known here: x, y, z, nx, ny, nz, pi, e, kappa)"},
        {"kapa*x", 0, "unknown name 'kapa'; did you mean 'kappa'?"},
        {"sine(x)", 0, "unknown function 'sine'; did you mean 'sin'?"},
        {"x + ", 4, "it ends where a number, a name or '(' is expected"},
        {"x +* y", 3, "a number, a name or '(' is expected before '*'"},
        {"x**2", 2, "powers are written x^2"},
        {"*x", 0, "is expected before '*'"},
        {"--x", 1, "two signs follow each other"},
        {"2x", 1, "an operator is missing before 'x'; a product is written with '*'"},
        {"2exp(x)", 1, "an operator is missing before 'exp'"},
        {"(x)(y)", 3, "an operator is missing before '('"},
        {"1..5", 2, "an operator is missing before '.5'"},
        {"x(y + 1)", 1, "'x' is no function; a product is written with '*'"},
        {"2*(x + (y - 1)", 2, "'(' is not closed"},
        {"x)", 1, "')' closes nothing"},
        {"()", 1, "is expected before ')'"},
        {"sin + 1", 0, "sin is a function: its argument stands in parentheses"},
        {"x*sin", 2, "sin is a function"},
        {"sin()", 4, "sin takes one argument"},
        {"sin(x, y)", 5, "sin takes one argument"},
        {"atan2(y)", 7, "atan2 takes two arguments"},
        {"atan2(1, 2, 3)", 10, "atan2 takes two arguments"},
        {"max(x)", 5, "max takes two arguments or more"},
        {"max(x,)", 6, "is expected before ')'"},
        {"x, y", 1, "decimals have a point"},
        {"0,5*x", 1, "decimals have a point"},
        {"max((x, y), z)", 6, "between the arguments of functions alone"},
        {"x = 3", 2, "two values are compared by =="},
        {"x & y", 2, "&& is 'and'"},
        {"!x", 0, "!= is 'not equal'"},
        {"[x]", 0, "parentheses are round"},
        {"x ? 1", 2, "'?' lacks its ':'"},
        {"(x ? 1) : 2", 3, "'?' lacks its ':'"},
        {"x : 1", 2, "':' lacks its '?'"},
        {"1e400*x", 0, "'1e400' is beyond the largest number"},
        {"\"x\"", 0, "'\"' has no meaning here"},
        {"x;y", 1, "';' has no meaning here"},
        {"2*\xcf\x80", 2, "'\xcf\x80' is not ASCII"},
        {"x\x01", 1, "has no meaning here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *message = refusal(cases[i].text), *line = strchr(message, '\n');
        if (strncmp(message, "--source: ", 10) != 0 || !strstr(message, cases[i].what) || !line)
            ck_abort_msg("%s: %s", cases[i].text, message);
        const char *caret = strchr(line + 1, '\n');
        ck_assert_ptr_nonnull(caret);
        ck_assert_msg(strspn(caret + 1, " ") == strlen(caret + 1) - 1 && strchr(caret, '^') &&
                          strchr(caret, '^') - caret - 1 == 4 + cases[i].at,
                      "%s", message);
    }
    ck_assert_str_eq(refusal("exp(x)*sni(y)"),
                     "--source: unknown function 'sni'; did you mean 'sin'? (known here: abs, "
                     "acos, acosh, asin, asinh, atan, atan2, atanh, ceil, cos, cosh, erf, exp, "
                     "floor, hypot, ln, log, log10, log2, max, min, pow, round, sign, sin, sinh, "
                     "sqrt, tan, tanh)\n"
                     "    exp(x)*sni(y)\n"
                     "           ^");
}

TEST(sizes_are_limited)
{
    char text[CGS_EXPRESSION_LENGTH + 2];
    ck_assert_str_eq(refusal(""),
                     "--source is empty: expected an expression, as in exp(x)*cos(2*y)");
    ck_assert_str_eq(refusal(" \t\n"), refusal(""));
    for (int i = 0; i <= CGS_EXPRESSION_LENGTH; i++)
        text[i] = i % 2 == 0 ? 'x' : '+';
    text[CGS_EXPRESSION_LENGTH + 1] = '\0';
    ck_assert_str_eq(refusal(text), "--source: the expression has more than 4096 characters");
    text[CGS_EXPRESSION_LENGTH - 1] = '\0';
    ck_assert_str_eq(refusal(text), "");
    ck_assert_double_eq_tol(value_of(text), CGS_EXPRESSION_LENGTH / 2 * X, 1e-9);
    /* A long text is shown around the place alone. */
    text[2002] = ')';
    ck_assert_str_eq(
        refusal(text),
        "--source: a number, a name or '(' is expected before ')'\n"
        "    ...x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+)+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+...\n"
        "                                           ^");
    memset(text, 'a', 3000);
    text[3000] = '\0';
    ck_assert_int_lt(strlen(refusal(text)), 1000);
    memset(text, '(', 3000);
    ck_assert_ptr_nonnull(strstr(refusal(text), "more than 100 parentheses are open"));
}

TEST(first_failure_stays)
{
    struct cgs_context context;
    struct cgs_expression *expression;
    cgs_context_init(&context);
    cgs_fail(&context, CGS_FILE, "earlier");
    ck_assert_int_ne(cgs_expression_create(&context, "--source", "x+", names, 1, NULL, &expression),
                     CGS_OK);
    ck_assert_str_eq(context.message, "earlier");
}

TEST(variables_that_occur_are_known)
{
    struct cgs_context context;
    struct cgs_expression *expression;
    double value[2];
    const double z[2] = {3.0, 4.0}, *variables[VARIABLES] = {[2] = z};
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_expression_create(&context, "--source", "0*z + pi", names, VARIABLES, NULL,
                                           &expression),
                     CGS_OK);
    for (int i = 0; i < VARIABLES; i++)
        ck_assert_int_eq(cgs_expression_uses(expression, i), i == 2);
    evaluate(expression, 2, variables, value);
    ck_assert_double_eq_tol(value[1], M_PI, 1e-15);
    cgs_expression_release(expression);
    ck_assert_int_eq(
        cgs_expression_create(&context, "--source", "2*pi", NULL, 0, NULL, &expression), CGS_OK);
    evaluate(expression, 0, NULL, NULL);
    evaluate(expression, 2, NULL, value);
    ck_assert_double_eq_tol(value[1], 2.0 * M_PI, 1e-15);
    cgs_expression_release(expression);
    cgs_expression_release(NULL);
}

TEST(outcomes_tell_where_it_may_jump)
{
    static const struct {
        const char *text;
        bool may, differ; /* differ: the outcomes at x = 0.25 and 0.75 */
    } cases[] = {
        {"x*y", false, false},
        {"max(x, 0.5)", false, false},
        {"1 < 2 ? x : 0", false, false},
        {"x < 0.5", true, true},
        {"x > 0.1 ? 2 : 1", true, false},
        {"floor(2*x)*y", true, true},
        {"round(x)+ceil(x)", true, true},
        {"sign(y-0.5)", true, false},
        {"(x >= 0.5) + (x <= 0.5)", true, true}, /* whose value is the same */
    };
    const double x[2] = {0.25, 0.75}, y[2] = {0.0, 0.0};
    const struct cgs_expression_grid grid = {.count = {2, 1, 1}, .variable = {x, y}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cgs_context context;
        struct cgs_expression *expression;
        double outcomes[2];
        cgs_context_init(&context);
        ck_assert_int_eq(cgs_expression_create(&context, "--source", cases[i].text, names,
                                               VARIABLES, NULL, &expression),
                         CGS_OK);
        ck_assert_msg(cgs_expression_may_jump(expression) == cases[i].may, "%s", cases[i].text);
        cgs_expression_outcomes(expression, &grid, outcomes);
        ck_assert_msg((outcomes[0] != outcomes[1]) == cases[i].differ, "%s", cases[i].text);
        cgs_expression_release(expression);
    }
}

TEST(bits_are_those_of_one_thread)
{
    enum { POINTS = 10007, MOST = 5 };
    static double points[3][POINTS], values[MOST + 1][POINTS];
    const double *variables[] = {points[0], points[1], points[2]};
    struct cgs_context context;
    struct cgs_expression *expression;
    cgs_context_init(&context);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++)
            points[k][i] = sin(0.37 * i * (k + 1));
    ck_assert_int_eq(cgs_expression_create(&context, "--source",
                                           "x < y ? exp(x)*cos(2*y) + z^2 : atan2(x, y)/3 + x*0.1",
                                           names, 3, NULL, &expression),
                     CGS_OK);
    for (int threads = 1; threads <= MOST; threads++) {
        context.threads = threads;
        evaluate(expression, POINTS, variables, values[threads]);
        ck_assert(memcmp(values[threads], values[1], sizeof values[1]) == 0);
    }
    context.threads = 2;
    evaluate(expression, POINTS, variables, points[0]);
    ck_assert(memcmp(points[0], values[1], sizeof values[1]) == 0);
    cgs_expression_release(expression);
    ck_assert_int_eq(context.host_bytes, 0);
}

/* Grids of all shapes against their points one by one, and the first value that is not finite. */
TEST(grids_are_their_points)
{
    enum { MOST = 2000, VARYING = 4 };
    static const char *const texts[] = {
        "sin(x)*cos(y)*exp(z) + nx",
        "x",
        "y",
        "z + nx",
        "x^2 + y",
        "nx*pi",
        "7",
        "x*(1 - x)*y*(1 - y)*z*(1 - z)",
        "x < y ? max(x, y, z) : atan2(x, z)/3",
        "1/(x - 3)",
        "log(z - 2) + 0*x",
        "y == 5 ? 0/0 : x",
    };
    static const int64_t shapes[][3] = {{1, 1, 1},   {7, 1, 1},    {1, 9, 1}, {1, 1, 8},
                                        {5, 4, 3},   {1, 6, 7},    {4, 1, 5}, {1100, 3, 2},
                                        {3, 600, 4}, {2, 3, 1500}, {0, 4, 4}, {600, 7, 1}};
    static double at[MOST], points[VARYING][16 * MOST], grid_values[16 * MOST], values[16 * MOST];
    struct cgs_context context;
    cgs_context_init(&context);
    for (int i = 0; i < MOST; i++)
        at[i] = i;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct cgs_expression *expression;
        ck_assert_int_eq(cgs_expression_create(&context, "--source", texts[t], names, VARIABLES,
                                               NULL, &expression),
                         CGS_OK);
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const struct cgs_expression_grid grid = {
                .count = {shapes[s][0], shapes[s][1], shapes[s][2]},
                .variable = {at, at + 1, at + 2, at + 3},
                .direction = {0, 1, 2, CGS_FIXED},
            };
            const int64_t *n = grid.count, all = n[0] * n[1] * n[2];
            const double *const variables[VARIABLES] = {points[0], points[1], points[2], points[3]};
            for (int64_t i = 0; i < all; i++) {
                points[0][i] = at[i % n[0]];
                points[1][i] = at[1 + i / n[0] % n[1]];
                points[2][i] = at[2 + i / n[0] / n[1]];
                points[3][i] = at[3];
            }
            evaluate(expression, all, variables, values);
            int64_t bad = 0;
            while (bad < all && isfinite(values[bad]))
                bad++;
            for (context.threads = 1; context.threads <= 3; context.threads++) {
                ck_assert_int_eq(cgs_expression_evaluate(expression, &grid, grid_values), bad);
                ck_assert_msg(memcmp(grid_values, values, (size_t)all * sizeof *values) == 0,
                              "%s, shape %zu", texts[t], s);
            }
        }
        cgs_expression_release(expression);
    }
}

TEST(memory_may_run_out)
{
    struct cgs_context context;
    struct cgs_expression *expression = NULL;
    for (int which = 1; which <= 2; which++) {
        cgs_context_init(&context);
        context.starve_in[CGS_HOST] = which;
        ck_assert_int_eq(
            cgs_expression_create(&context, "--source", "x", names, 1, NULL, &expression),
            CGS_MEMORY);
        ck_assert_ptr_null(expression);
        ck_assert_int_eq(context.host_bytes, 0);
    }
}

TEST(constants_are_defined_one_by_one)
{
    struct cgs_constants constants = {.count = 0};
    struct cgs_context context;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_constants_parse(&context, "k=2", &constants), CGS_OK);
    ck_assert_int_eq(cgs_constants_parse(&context, " w = 2*pi*k", &constants), CGS_OK);
    ck_assert_int_eq(cgs_constants_parse(&context, "is_2=k==2", &constants), CGS_OK);
    ck_assert_int_eq(constants.count, 3);
    ck_assert_str_eq(constants.list[1].name, "w");
    ck_assert_double_eq_tol(constants.list[1].value, 4.0 * M_PI, 1e-14);
    ck_assert_double_eq(constants.list[2].value, 1.0);
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"k", "--let=k defines nothing: expected a name and its value, as in k=2 or w=2*pi*k"},
        {"=2", "--let==2 defines nothing: expected a name and its value, as in k=2 or w=2*pi*k"},
        {"m=", "--let=m is empty: expected an expression, as in exp(x)*cos(2*y)"},
        {"k=3", "--let=k=3: k is defined already, as 2: leave one of them out"},
        {"pi=3", "--let: pi is known already: take another name"},
        {"_e=3", "--let: _e is known already: take another name"},
        {"sin=3", "--let: sin is a function: take another name"},
        {"2m=3", "--let: '2m' is no name: letters, digits and _, a letter first"},
        {"a b=3", "--let: 'a b' is no name: letters, digits and _, a letter first"},
        {"m=1/0", "--let=m: the value of '1/0' is inf: expected a finite one"},
        {"m=1+n", "--let=m: unknown name 'n' (known here: pi, e, k, w, is_2)\n    1+n\n      ^"},
        {"a123456789b123456789c123456789d1=3",
         "--let: the name 'a123456789b123456789c123456789d1' has more than 31 characters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cgs_context_init(&context);
        ck_assert_int_eq(cgs_constants_parse(&context, cases[i].text, &constants), CGS_USAGE);
        ck_assert_str_eq(context.message, cases[i].message);
        ck_assert_int_eq(constants.count, 3);
    }
    cgs_context_init(&context);
    while (constants.count < CGS_CONSTANTS) {
        char text[16];
        snprintf(text, sizeof text, "c%d=1", constants.count);
        ck_assert_int_eq(cgs_constants_parse(&context, text, &constants), CGS_OK);
    }
    ck_assert_int_eq(cgs_constants_parse(&context, "m=3", &constants), CGS_USAGE);
    ck_assert_str_eq(context.message, "--let=m=3: more than 64 constants");
}

TEST(names_do_not_clash)
{
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"x", "--source: x is a variable here, and a constant by --let=x=2: give that another "
              "name"},
        {"pi", "--source: pi is known already: take another name"},
        {"cos", "--source: cos is a function: take another name"},
        {"1st", "--source: '1st' is no name: letters, digits and _, a letter first"},
        {"", "--source: '' is no name: letters, digits and _, a letter first"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cgs_constants constants = {.count = 1, .list = {{.value = 2.0}}};
        struct cgs_context context;
        struct cgs_expression *expression;
        cgs_context_init(&context);
        strcpy(constants.list[0].name, cases[i].name);
        ck_assert_int_eq(cgs_expression_create(&context, "--source", "1", names, VARIABLES,
                                               &constants, &expression),
                         CGS_USAGE);
        ck_assert_str_eq(context.message, cases[i].message);
    }
}

/* Locales whose decimals have a comma, those of them that are here. */
TEST(locales_change_nothing)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!setlocale(LC_ALL, locales[i]))
            continue;
        ck_assert_double_eq(value_of("1.5*k + 2.25e1"), 25.5);
        ck_assert_double_eq(value_of("max(1.5, 0.25)"), 1.5);
        ck_assert_ptr_nonnull(strstr(refusal("0,5*x"), "decimals have a point"));
    }
}

int main(void)
{
    return run_tests("expression", 60, NULL, NULL);
}
