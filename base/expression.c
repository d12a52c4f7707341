#include "base/expression.h"

#include <assert.h>
#include <math.h>
#include <muParserDLL.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/expression_language.h"
#include "base/memory.h"

/* A handle of muParser holds the program that it made of the text and the stack that it runs it on,
 * so that each thread has its own. It reads the variables from `point`. */
struct parser {
    _Alignas(CGS_ALIGNMENT) double point[CGS_EXPRESSION_VARIABLES];
    muParserHandle_t handle;
};

struct cgs_expression {
    struct cgs_context *context;
    int variables, used;
    const char *variable[CGS_EXPRESSION_VARIABLES];
    bool uses[CGS_EXPRESSION_VARIABLES];
    int use[CGS_EXPRESSION_VARIABLES]; /* the `used` variables that occur */
    struct cgs_constants constants;
    int parsers;
    struct parser *parser; /* [parsers] */
    char text[CGS_EXPRESSION_LENGTH + 1];
    char bare[CGS_EXPRESSION_LENGTH +
              1]; /* without blanks, which muParser refuses before '('; with & for && */
};

/* ---- muParser ---- */

/* muParser computes && and || of two constants by their whole parts, 0.5 && 1 as 0. So these are
 * operators of ours, whose names, & and |, are no text's (cgs_expression_check). */
static double both(double a, double b)
{
    return a != 0.0 && b != 0.0;
}

static double either(double a, double b)
{
    return a != 0.0 || b != 0.0;
}

enum { WEAK_OR = 1, WEAK_AND = 2 }; /* as muParser's || and && bind: below comparisons */

static void open_parser(const struct cgs_expression *e, struct parser *parser)
{
    *parser = (struct parser){.handle = mupCreate(muBASETYPE_FLOAT)};
    mupClearFun(parser->handle);
    mupClearConst(parser->handle);
    mupDefineOprt(parser->handle, "&", both, WEAK_AND, muOPRT_ASCT_LEFT, true);
    mupDefineOprt(parser->handle, "|", either, WEAK_OR, muOPRT_ASCT_LEFT, true);
    for (int i = 0; i < CGS_FUNCTIONS; i++) {
        const struct cgs_function *f = &cgs_functions[i];
        if (f->one)
            mupDefineFun1(parser->handle, f->name, f->one, true);
        else if (f->two)
            mupDefineFun2(parser->handle, f->name, f->two, true);
        else
            mupDefineMultFun(parser->handle, f->name, f->many, true);
    }
    for (int i = 0; i < CGS_KNOWN_CONSTANTS; i++)
        mupDefineConst(parser->handle, cgs_known_constants[i].name, cgs_known_constants[i].value);
    for (int i = 0; i < e->constants.count; i++)
        mupDefineConst(parser->handle, e->constants.list[i].name, e->constants.list[i].value);
    for (int i = 0; i < e->variables; i++)
        mupDefineVar(parser->handle, e->variable[i], &parser->point[i]);
    mupSetExpr(parser->handle, e->bare);
}

static void close_parsers(struct cgs_expression *e)
{
    for (int i = 0; i < e->parsers; i++)
        mupRelease(e->parser[i].handle);
    cgs_free(e->context, e->parser);
    e->parser = NULL;
    e->parsers = 0;
}

/* Sees to it that there are as many parsers as threads. Fewer ones are made anew: muParser keeps
 * the places of their variables. Each thread makes its own, one after the other: what they write lies then in blocks
 * of the C library for that thread, and not beside what another one reads. */
enum cgs_status cgs_expression_open(struct cgs_expression *e, int threads)
{
    if (e->parsers >= threads)
        return CGS_OK;
    void *block;
    CGS_TRY(
        cgs_alloc(e->context, threads, sizeof(struct parser), "parsers of an expression", &block));
    close_parsers(e);
    e->parser = block;
    e->parsers = threads;
#pragma omp parallel num_threads(threads)
#pragma omp critical(cgs_parsers)
    for (int i = omp_get_thread_num(); i < threads; i += omp_get_num_threads())
        open_parser(e, &e->parser[i]);
    return CGS_OK;
}

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
                                "%s: %s is a variable here, and a constant by --let=%s=%g: give "
                                "that another name",
                                source->option, name, name, constants->list[i].value);
    }
    return CGS_OK;
}

static enum cgs_status read_text(struct cgs_expression *e,
                                 const struct cgs_expression_source *source)
{
    CGS_TRY(check_constants(source));
    CGS_TRY(cgs_expression_check(source, e->bare, e->uses));
    strcpy(e->text, source->text);
    e->variables = source->variable_count;
    for (int i = 0; i < e->variables; i++) {
        e->variable[i] = source->variables[i];
        if (e->uses[i])
            e->use[e->used++] = i;
    }
    if (source->constants)
        e->constants = *source->constants;
    CGS_TRY(cgs_expression_open(e, 1));
    const muParserHandle_t handle = e->parser[0].handle;
    mupEval(handle);
    if (mupError(handle)) /* cgs_expression_check says what is wrong with a text */
        return cgs_fail(e->context, CGS_BUG, "%s: muParser refuses '%s' (its error %d)",
                        source->option, e->bare, mupGetErrorCode(handle));
    return CGS_OK;
}

enum cgs_status cgs_expression_create(struct cgs_context *context, const char *option,
                                      const char *text, const char *const *variables, int count,
                                      const struct cgs_constants *constants,
                                      struct cgs_expression **expression)
{
    assert(count <= CGS_EXPRESSION_VARIABLES);
    const struct cgs_expression_source source = {
        .context = context,
        .option = option,
        .text = text,
        .variables = variables,
        .variable_count = count,
        .constants = constants,
    };
    void *block;
    CGS_TRY(cgs_alloc(context, 1, sizeof(struct cgs_expression), "an expression", &block));
    struct cgs_expression *e = block;
    *e = (struct cgs_expression){.context = context};
    const enum cgs_status status = read_text(e, &source);
    if (status == CGS_OK)
        *expression = e;
    else
        cgs_expression_release(e);
    return status;
}

/* Each point by itself, so that its bits depend on nothing else. */
bool cgs_expression_evaluate_by(const struct cgs_expression *e, int thread, int64_t count,
                                const double *const *variables, double *values)
{
    struct parser *parser = &e->parser[thread];
    for (int64_t k = 0; k < count; k++) {
        for (int i = 0; i < e->used; i++)
            parser->point[e->use[i]] = variables[e->use[i]][k];
        values[k] = mupEval(parser->handle);
    }
    return !mupError(parser->handle);
}

enum cgs_status cgs_expression_fail(const struct cgs_expression *e)
{
    return cgs_fail(e->context, CGS_BUG, "muParser fails at '%s'", e->text);
}

enum cgs_status cgs_expression_evaluate(struct cgs_expression *e, int64_t count,
                                        const double *const *variables, double *values)
{
    enum { SHARE = 512 }; /* points that are worth another thread */
    const int64_t worth = 1 + count / SHARE;
    const int threads = worth < e->context->threads ? (int)worth : e->context->threads;
    bool fine = true;
    CGS_TRY(cgs_expression_open(e, threads));
#pragma omp parallel num_threads(threads) reduction(&& : fine)
    {
        const int64_t thread = omp_get_thread_num(), team = omp_get_num_threads();
        const int64_t begin = count * thread / team, end = count * (thread + 1) / team;
        const double *from[CGS_EXPRESSION_VARIABLES] = {NULL};
        for (int i = 0; i < e->used; i++)
            from[e->use[i]] = variables[e->use[i]] + begin;
        fine = cgs_expression_evaluate_by(e, (int)thread, end - begin, from, values + begin);
    }
    return fine ? CGS_OK : cgs_expression_fail(e);
}

bool cgs_expression_constant(const struct cgs_expression *e)
{
    return e->used == 0;
}

bool cgs_expression_uses(const struct cgs_expression *e, int variable)
{
    return e->uses[variable];
}

const char *cgs_expression_text(const struct cgs_expression *e)
{
    return e->text;
}

void cgs_expression_release(struct cgs_expression *e)
{
    if (!e)
        return;
    close_parsers(e);
    cgs_free(e->context, e);
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
    enum cgs_status status = cgs_expression_evaluate(e, 1, NULL, value);
    if (status == CGS_OK && !isfinite(*value))
        status = cgs_fail(context, CGS_USAGE, "%s: the value of '%s' is %g: expected a finite one",
                          option, text, *value);
    cgs_expression_release(e);
    return status;
}

enum cgs_status cgs_constants_parse(struct cgs_context *context, const char *text,
                                    struct cgs_constants *constants)
{
    char name[80], option[96];
    const char *definition = split_definition(text, name, sizeof name);
    double value;
    if (name[0] == '\0')
        return cgs_fail(context, CGS_USAGE,
                        "--let=%s defines nothing: expected a name and its value, as in k=2 or "
                        "w=2*pi*k",
                        text);
    CGS_TRY(cgs_constant_check(context, "--let", name));
    for (int i = 0; i < constants->count; i++)
        if (strcmp(constants->list[i].name, name) == 0)
            return cgs_fail(context, CGS_USAGE,
                            "--let=%s: %s is defined already, as %g: leave one of them out", text,
                            name, constants->list[i].value);
    if (constants->count == CGS_CONSTANTS)
        return cgs_fail(context, CGS_USAGE, "--let=%s: more than %d constants", text,
                        CGS_CONSTANTS);
    snprintf(option, sizeof option, "--let=%s", name);
    CGS_TRY(compute_constant(context, option, definition, constants, &value));
    struct cgs_constant *added = &constants->list[constants->count++];
    strcpy(added->name, name);
    added->value = value;
    return CGS_OK;
}
