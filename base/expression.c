#include "base/expression.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/expression_language.h"
#include "base/memory.h"

struct cgs_expression {
    struct cgs_context *context;
    int steps;
    char text[CGS_EXPRESSION_LENGTH + 1];
    struct cgs_step step[];
};

/* ---- expressions ---- */

static enum cgs_status check_constants(const struct cgs_expression_source *source)
{
    const struct cgs_constants *constants = source->constants;
    for (int i = 0; constants && i < constants->count; i++) {
        const char *name = constants->list[i].name;
        CGS_TRY(cgs_constant_check(source->context, source->option, name));
        for (int k = 0; k < source->variable_count; k++)
            if (strcmp(name, source->variables[k]) == 0)
                return cgs_fail(source->context, CGS_USAGE,
                                "%s: %s is a variable here, and a constant by \1let=%s=%g: give "
                                "that another name",
                                source->option, name, name, constants->list[i].value);
    }
    return CGS_OK;
}

enum cgs_status cgs_expression_create(struct cgs_context *context, const char *option,
                                      const char *text, const char *const *variables, int count,
                                      const struct cgs_constants *constants,
                                      struct cgs_expression **expression)
{
    assert(count <= CGS_EXPRESSION_VARIABLES);
    const struct cgs_expression_source source = {context,   option, text,
                                                 variables, count,  constants};
    const size_t length = strnlen(text, CGS_EXPRESSION_LENGTH + 1);
    void *block;
    CGS_TRY(check_constants(&source));
    if (text[strspn(text, " \t\r\n")] == '\0')
        return cgs_fail(context, CGS_USAGE,
                        "%s is empty: expected an expression, as in exp(x)*cos(2*y)", option);
    if (length > CGS_EXPRESSION_LENGTH)
        return cgs_fail(context, CGS_USAGE, "%s: the expression has more than %d characters",
                        option, CGS_EXPRESSION_LENGTH);
    CGS_TRY(cgs_alloc(context, 1, sizeof(struct cgs_expression) + length * sizeof(struct cgs_step),
                      "an expression", &block));
    struct cgs_expression *e = block;
    e->context = context;
    memcpy(e->text, text, length + 1);
    const enum cgs_status status = cgs_expression_read(&source, e->step, &e->steps);
    if (status == CGS_OK)
        *expression = e;
    else
        cgs_expression_release(e);
    return status;
}

bool cgs_expression_uses(const struct cgs_expression *e, int variable)
{
    return e->step[e->steps - 1].uses >> variable & 1;
}

bool cgs_expression_may_jump(const struct cgs_expression *e)
{
    for (int k = 0; k < e->steps; k++)
        if (e->step[k].jumps && e->step[k].uses)
            return true;
    return false;
}

const char *cgs_expression_text(const struct cgs_expression *e)
{
    return e->text;
}

void cgs_expression_release(struct cgs_expression *e)
{
    if (e)
        cgs_free(e->context, e);
}

/* ---- values ---- */

enum {
    ROOM = 8192, /* values that a thread has on its stack: `width` of each step */
    WIDEST = 512
};

/* The way through a grid: `width` points of a line at a time, on all lines, then the next ones. */
struct sweep {
    const struct cgs_expression *e;
    const struct cgs_expression_grid *grid;
    bool outcomes;   /* those of steps that jump are wanted, not the value */
    int along;       /* the direction of lines, the first one that has more than a point */
    unsigned moving; /* bit i: variable i changes along a line */
    int64_t lines;
    int width;
};

/* Computes the steps at `count` points from index[]. Steps that change only along lines keep their
 * values on another line, and those that do not are computed once a line: the steps that depend on
 * both cost every point. */
static void run_steps(const struct sweep *s, const int64_t *index, int count, bool another,
                      double *room)
{
    for (int k = 0; k < s->e->steps; k++) {
        const struct cgs_step *step = &s->e->step[k];
        const bool moves = (step->uses & s->moving) != 0;
        double *to = room + k * s->width;
        if (another && (step->uses & ~s->moving) == 0)
            continue;
        if (step->loop)
            step->loop(step, moves ? count : 1, room + step->from[0] * s->width,
                       room + step->from[1] * s->width, room + step->from[2] * s->width, to);
        else
            memcpy(to,
                   s->grid->variable[step->variable] + index[s->grid->direction[step->variable]],
                   (size_t)(moves ? count : 1) * sizeof *to);
        for (int i = 1; i < count && !moves; i++)
            to[i] = to[0];
    }
}

/* Computes a sum of the steps that jump, with square roots for weights: whole outcomes that differ
 * have different sums. */
static void add_outcomes(const struct sweep *s, int count, const double *room, double *values)
{
    memset(values, 0, (size_t)count * sizeof *values);
    for (int k = 0; k < s->e->steps; k++) {
        const double weight = sqrt(k + 2.0), *value = room + k * s->width;
        for (int i = 0; i < count && s->e->step[k].jumps; i++)
            values[i] += weight * value[i];
    }
}

/* Computes pieces begin ... end - 1: those of all lines from point 0 on, then from point `width`.
 * Returns the first point whose value is not finite, or INT64_MAX. */
static int64_t run_pieces(const struct sweep *s, int64_t begin, int64_t end, double *values)
{
    _Alignas(CGS_ALIGNMENT) double room[ROOM];
    const int64_t *points = s->grid->count, length = points[s->along];
    int64_t bad = INT64_MAX;
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t line = piece % s->lines, first = piece / s->lines * s->width;
        const int64_t at = line * length + first, left = length - first;
        const int count = left < s->width ? (int)left : s->width;
        int64_t index[CGS_FIXED + 1] = {0};
        for (int64_t d = s->along + 1, rest = line; d < 3; rest /= points[d++])
            index[d] = rest % points[d];
        index[s->along] = first;
        run_steps(s, index, count, piece > begin && line > 0, room);
        const double *value = room + (s->e->steps - 1) * s->width;
        if (s->outcomes)
            add_outcomes(s, count, room, values + at);
        for (int i = 0; i < count && !s->outcomes; i++) {
            values[at + i] = value[i];
            bad = isfinite(value[i]) || at + i > bad ? bad : at + i;
        }
    }
    return bad;
}

static int64_t evaluate(const struct cgs_expression *e, const struct cgs_expression_grid *grid,
                        bool outcomes, double *values)
{
    const int64_t *count = grid->count, all = count[0] * count[1] * count[2];
    struct sweep s = {.e = e, .grid = grid, .outcomes = outcomes, .width = ROOM / e->steps};
    s.width = s.width < WIDEST ? s.width : WIDEST;
    while (s.along < 2 && count[s.along] == 1)
        s.along++;
    for (int i = 0; i < CGS_EXPRESSION_VARIABLES; i++)
        s.moving |= (unsigned)(grid->direction[i] == s.along) << i;
    s.lines = all > 0 ? all / count[s.along] : 0;
    const int64_t pieces = (count[s.along] + s.width - 1) / s.width * s.lines;
    int64_t bad = INT64_MAX;
    if (all < CGS_EXPRESSION_ALONE) { /* not worth waking other threads */
        bad = run_pieces(&s, 0, pieces, values);
        return bad < all ? bad : all;
    }
#pragma omp parallel num_threads(e->context->threads) reduction(min : bad)
    {
        const int64_t thread = omp_get_thread_num(), team = omp_get_num_threads();
        bad = run_pieces(&s, pieces * thread / team, pieces * (thread + 1) / team, values);
    }
    return bad < all ? bad : all;
}

int64_t cgs_expression_evaluate(const struct cgs_expression *e,
                                const struct cgs_expression_grid *grid, double *values)
{
    return evaluate(e, grid, false, values);
}

void cgs_expression_outcomes(const struct cgs_expression *e, const struct cgs_expression_grid *grid,
                             double *values)
{
    evaluate(e, grid, true, values);
}

/* ---- constants ---- */

/* Splits "name=expression"; blanks around the name do not count. An empty name: there is no '='. */
static const char *split_definition(const char *text, char *name, size_t size)
{
    const char *sign = strchr(text, '=');
    const char *begin = text + strspn(text, " \t"), *end = sign ? sign : begin;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    snprintf(name, size, "%.*s", end > begin ? (int)(end - begin < 64 ? end - begin : 64) : 0,
             begin);
    return sign ? sign + 1 : text;
}

static enum cgs_status compute_constant(struct cgs_context *context, const char *option,
                                        const char *text, const struct cgs_constants *constants,
                                        double *value)
{
    struct cgs_expression *e;
    CGS_TRY(cgs_expression_create(context, option, text, NULL, 0, constants, &e));
    const struct cgs_expression_grid one = {.count = {1, 1, 1}};
    const bool finite = cgs_expression_evaluate(e, &one, value) > 0;
    cgs_expression_release(e);
    if (!finite)
        return cgs_fail(context, CGS_USAGE, "%s: the value of '%s' is %g: expected a finite one",
                        option, text, *value);
    return CGS_OK;
}

enum cgs_status cgs_constants_parse(struct cgs_context *context, const char *text,
                                    struct cgs_constants *constants)
{
    char name[80], option[96];
    const char *definition = split_definition(text, name, sizeof name);
    double value;
    if (name[0] == '\0')
        return cgs_fail(context, CGS_USAGE,
                        "\1let=%s defines nothing: expected a name and its value, as in k=2 or "
                        "w=2*pi*k",
                        text);
    CGS_TRY(cgs_constant_check(context, "\1let", name));
    for (int i = 0; i < constants->count; i++)
        if (strcmp(constants->list[i].name, name) == 0)
            return cgs_fail(context, CGS_USAGE,
                            "\1let=%s: %s is defined already, as %g: leave one of them out", text,
                            name, constants->list[i].value);
    if (constants->count == CGS_CONSTANTS)
        return cgs_fail(context, CGS_USAGE, "\1let=%s: more than %d constants", text,
                        CGS_CONSTANTS);
    snprintf(option, sizeof option, "\1let=%s", name);
    CGS_TRY(compute_constant(context, option, definition, constants, &value));
    struct cgs_constant *added = &constants->list[constants->count++];
    strcpy(added->name, name);
    added->value = value;
    return CGS_OK;
}
