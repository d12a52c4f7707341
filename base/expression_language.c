/* A text becomes a program word by word. Two rules say which texts are expressions: a value (a
 * number, a name, a parenthesis) stands where one is expected, at the start and after an operator;
 * and parentheses, arguments and a ? b : c are complete. An operator waits until a weaker one ends
 * its last operand (Dijkstra's shunting yard), so that nothing recurses. */
#include "base/expression_language.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/spelling.h"

static double sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; /* NaN stays */
}

/* The lesser of two; NaN if one is. */
static double least(double a, double b)
{
    return b < a || isnan(b) ? b : a;
}

static double greatest(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

/* Products are faster than pow, and agree with it but for the last digits. */
static double raise_to(double x, double power)
{
    return power == 2.0   ? x * x
           : power == 3.0 ? x * x * x
           : power == 4.0 ? x * x * x * x
                          : pow(x, power);
}

/* Loops of steps (base/expression_language.h), one an operation. */
#define LOOP(name, value)                                                                          \
    static void name(const struct cgs_step *step, int count, const double *a, const double *b,     \
                     const double *c, double *restrict to)                                         \
    {                                                                                              \
        (void)step, (void)a, (void)b, (void)c;                                                     \
        for (int i = 0; i < count; i++)                                                            \
            to[i] = (value);                                                                       \
    }
LOOP(number, step->value)
LOOP(call_one, step->one(a[i]))
LOOP(call_two, step->two(a[i], b[i]))
LOOP(negate, -a[i])
LOOP(add, a[i] + b[i])
LOOP(subtract, a[i] - b[i])
LOOP(multiply, a[i] * b[i])
LOOP(divide, a[i] / b[i])
LOOP(power, raise_to(a[i], b[i]))
LOOP(less, a[i] < b[i])
LOOP(less_equal, a[i] <= b[i])
LOOP(greater, a[i] > b[i])
LOOP(greater_equal, a[i] >= b[i])
LOOP(equal, a[i] == b[i])
LOOP(unequal, a[i] != b[i])
LOOP(both, a[i] != 0.0 && b[i] != 0.0)
LOOP(either, a[i] != 0.0 || b[i] != 0.0)
LOOP(choose, a[i] != 0.0 ? b[i] : c[i])

/* clang-format off */
static const struct function {
    const char *name;
    double (*one)(double); /* of one argument, or NULL */
    double (*two)(double, double);
    bool more;  /* than two arguments, too: max(a, b, c) is max(max(a, b), c) */
    bool jumps; /* its value is a step function */
} functions[] = {
    {"abs", .one = fabs},    {"acos", .one = acos},     {"acosh", .one = acosh},
    {"asin", .one = asin},   {"asinh", .one = asinh},   {"atan", .one = atan},
    {"atan2", .two = atan2}, {"atanh", .one = atanh},   {"ceil", .one = ceil, .jumps = true},
    {"cos", .one = cos},     {"cosh", .one = cosh},     {"erf", .one = erf},
    {"exp", .one = exp},     {"floor", .one = floor, .jumps = true},
    {"hypot", .two = hypot}, {"ln", .one = log},        {"log", .one = log},
    {"log10", .one = log10}, {"log2", .one = log2},     {"max", .two = greatest, .more = true},
    {"min", .two = least, .more = true},                {"pow", .two = pow},
    {"round", .one = round, .jumps = true},             {"sign", .one = sign, .jumps = true},
    {"sin", .one = sin},     {"sinh", .one = sinh},     {"sqrt", .one = sqrt},
    {"tan", .one = tan},     {"tanh", .one = tanh},
};
/* clang-format on */

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct cgs_constants built_in = {
    4, {{"pi", M_PI}, {"e", M_E}, {"_pi", M_PI}, {"_e", M_E}}};

static const char digits[] = "0123456789",
                  letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                  name_characters[] =
                      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789",
                  blanks[] = " \t\r\n";

enum kind {
    KIND_NUMBER,
    KIND_NAME, /* of a variable or constant */
    KIND_FUNCTION,
    KIND_OPEN,
    KIND_CLOSE,
    KIND_COMMA,
    KIND_QUESTION,
    KIND_COLON,
    KIND_SIGN,    /* + or - before a value */
    KIND_OPERATOR /* between two; also what stands before the first word */
};

/* How strongly a word binds its operands, from weak to strong. */
enum strength { OPEN, QUESTION, COLON, OR, AND, COMPARISON, SUM, PRODUCT, POWER };

static const struct symbol {
    const char *text; /* "<=" stands before "<" */
    enum kind kind;
    cgs_loop *loop;
    enum strength strength;
} symbols[] = {
    {"(", KIND_OPEN, NULL, OPEN},
    {")", KIND_CLOSE, NULL, OPEN},
    {",", KIND_COMMA, NULL, OPEN},
    {"?", KIND_QUESTION, choose, QUESTION},
    {":", KIND_COLON, NULL, COLON},
    {"||", KIND_OPERATOR, either, OR},
    {"&&", KIND_OPERATOR, both, AND},
    {"<=", KIND_OPERATOR, less_equal, COMPARISON},
    {">=", KIND_OPERATOR, greater_equal, COMPARISON},
    {"==", KIND_OPERATOR, equal, COMPARISON},
    {"!=", KIND_OPERATOR, unequal, COMPARISON},
    {"<", KIND_OPERATOR, less, COMPARISON},
    {">", KIND_OPERATOR, greater, COMPARISON},
    {"+", KIND_OPERATOR, add, SUM},
    {"-", KIND_OPERATOR, subtract, SUM},
    {"*", KIND_OPERATOR, multiply, PRODUCT},
    {"/", KIND_OPERATOR, divide, PRODUCT},
    {"^", KIND_OPERATOR, power, POWER},
};

struct word {
    enum kind kind;
    int at, length;
    const struct function *function; /* of a KIND_FUNCTION */
    const struct symbol *symbol;     /* of a KIND_OPERATOR */
    struct cgs_step step;            /* of a KIND_NUMBER or KIND_NAME */
};

/* An operator whose last operand is not complete, or a group: parentheses, or the whole text. */
struct waiting {
    enum strength strength;
    int at;
    cgs_loop *loop;                  /* of an operator */
    int operands;                    /* of an operator */
    int commas;                      /* of a group, so far */
    const struct function *function; /* of a group of arguments, else NULL */
};

enum { DEEPEST = 100 };

struct reading {
    const struct cgs_expression_source *source;
    struct word last, now;
    int depth; /* open parentheses */
    int steps;
    struct cgs_step *step;
    struct waiting *top, waiting[CGS_EXPRESSION_LENGTH + 1]; /* [0]: the whole text */
};

/* ---- messages ---- */

/* Adds two lines: the text, or what of a long one is around the place, and a caret below it. */
static void show(const struct cgs_expression_source *s, int at)
{
    enum { WIDTH = 72 };
    const int length = (int)strnlen(s->text, CGS_EXPRESSION_LENGTH);
    int begin = 0;
    if (length > WIDTH && at > WIDTH / 2)
        begin = at - WIDTH / 2 < length - WIDTH ? at - WIDTH / 2 : length - WIDTH;
    const char *before = begin > 0 ? "..." : "", *after = begin + WIDTH < length ? "..." : "";
    cgs_fail_add(s->context, "\n    %s%.*s%s", before, WIDTH, s->text + begin, after);
    cgs_fail_add(s->context, "\n    %*s^", (int)strlen(before) + at - begin, "");
}

static enum cgs_status refuse(const struct cgs_expression_source *s, int at, const char *format,
                              ...) CGS_PRINTF(3, 4);

static enum cgs_status refuse(const struct cgs_expression_source *s, int at, const char *format,
                              ...)
{
    if (s->context->status != CGS_OK)
        return s->context->status;
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    cgs_fail(s->context, CGS_USAGE, "%s: %s", s->option, what);
    show(s, at);
    return CGS_USAGE;
}

/* Returns true if the whole text is the name of a file: "u.npy", "data/f.csv". */
static bool names_file(const char *text)
{
    const char *dot = strrchr(text, '.');
    return dot && dot > text && strchr(letters, dot[1]) && dot[1] && !strpbrk(text, "*^+?()<> ,") &&
           dot[1 + strspn(dot + 1, name_characters)] == '\0';
}

static enum cgs_status refuse_name(const struct reading *r)
{
    const struct cgs_expression_source *s = r->source;
    if (names_file(s->text))
        return refuse(s, r->now.at,
                      "a file is named, and an expression belongs here, as in 2*x+1: numbers of "
                      "files are taken by \1kappa (.npy or .raw, a number a cell), \1rhs (a load "
                      "vector, a number an unknown) and \1guess");
    const char *names[CGS_EXPRESSION_VARIABLES + CGS_CONSTANTS + FUNCTIONS];
    const char *after = s->text + r->now.at + r->now.length;
    const bool call = after[strspn(after, blanks)] == '(';
    int count = 0;
    for (int i = 0; i < FUNCTIONS && call; i++)
        names[count++] = functions[i].name;
    for (int i = 0; i < s->variable_count && !call; i++)
        names[count++] = s->variables[i];
    for (int i = 0; i < 2 && !call; i++)
        names[count++] = built_in.list[i].name;
    for (int i = 0; s->constants && i < s->constants->count && !call; i++)
        names[count++] = s->constants->list[i].name;
    char name[64], known[512] = "";
    snprintf(name, sizeof name, "%.*s", r->now.length, s->text + r->now.at);
    for (int i = 0; i < count; i++) {
        if (strlen(known) + strlen(names[i]) + sizeof ", ..." > sizeof known) {
            cgs_append(known, sizeof known, ", ...");
            break;
        }
        cgs_append(known, sizeof known, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const int nearest = cgs_nearest(name, names, count);
    const bool unit = r->now.at > 0 && strchr(digits, s->text[r->now.at - 1]);
    return refuse(
        s, r->now.at, "unknown %s '%s'%s%s%s%s (known here: %s)", call ? "function" : "name", name,
        unit ? ": numbers stand without a unit" : "", nearest < 0 || unit ? "" : "; did you mean '",
        nearest < 0 || unit ? "" : names[nearest], nearest < 0 || unit ? "" : "'?", known);
}

static enum cgs_status refuse_character(const struct reading *r)
{
    const struct cgs_expression_source *s = r->source;
    const char *at = s->text + r->now.at;
    uint32_t code;
    const int length = cgs_character(at, strlen(at), &code);
    if ((unsigned char)*at >= 0x80)
        return refuse(s, r->now.at,
                      "'%.*s' is not ASCII, though it may look so: expressions are written as in "
                      "2*pi*x^2",
                      length, at);
    const char *hint = *at == '='                 ? "; two values are compared by =="
                       : *at == '&' || *at == '|' ? "; && is 'and', || is 'or'"
                       : *at == '!'               ? "; != is 'not equal'"
                       : strchr("[]{}", *at)      ? "; parentheses are round"
                                                  : "";
    return refuse(s, r->now.at, "'%c' has no meaning here%s", *at, hint);
}

/* ---- words ---- */

static bool same(const char *name, const char *text, int length)
{
    return strncmp(name, text, (size_t)length) == 0 && name[length] == '\0';
}

static const struct function *find_function(const char *name, int length)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (same(functions[i].name, name, length))
            return &functions[i];
    return NULL;
}

static const double *find_constant(const struct cgs_constants *constants, const char *text,
                                   int length)
{
    for (int i = 0; constants && i < constants->count; i++)
        if (same(constants->list[i].name, text, length))
            return &constants->list[i].value;
    return NULL;
}

static enum cgs_status read_name(struct reading *r)
{
    const struct cgs_expression_source *s = r->source;
    const char *text = s->text + r->now.at;
    const int length = r->now.length = (int)strspn(text, name_characters);
    r->now.kind = KIND_NAME;
    r->now.function = find_function(text, length);
    if (r->now.function) {
        r->now.kind = KIND_FUNCTION;
        return CGS_OK;
    }
    for (int i = 0; i < s->variable_count; i++)
        if (same(s->variables[i], text, length)) {
            r->now.step = (struct cgs_step){.variable = i, .uses = 1U << i};
            return CGS_OK;
        }
    const double *constant = find_constant(&built_in, text, length);
    if (!constant)
        constant = find_constant(s->constants, text, length);
    if (!constant)
        return refuse_name(r);
    r->now.step = (struct cgs_step){.loop = number, .value = *constant};
    return CGS_OK;
}

/* Numbers are those of strtod in the locale C, without hexadecimal ones. */
static enum cgs_status read_number(struct reading *r)
{
    const char *text = r->source->text + r->now.at;
    char *end;
    const double value = strtod(text, &end);
    const bool plain = text[0] != '0' || (text[1] != 'x' && text[1] != 'X');
    r->now.kind = KIND_NUMBER;
    r->now.length = plain ? (int)(end - text) : 1;
    r->now.step = (struct cgs_step){.loop = number, .value = plain ? value : 0.0};
    if (isinf(r->now.step.value))
        return refuse(r->source, r->now.at, "'%.*s' is beyond the largest number, 1.8e308",
                      r->now.length > 40 ? 40 : r->now.length, text);
    return CGS_OK;
}

static enum cgs_status read_word(struct reading *r)
{
    const char *text = r->source->text + r->now.at;
    if (strchr(letters, *text))
        return read_name(r);
    if (strchr(digits, *text) || (*text == '.' && text[1] && strchr(digits, text[1])))
        return read_number(r);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strncmp(text, symbols[i].text, strlen(symbols[i].text)) == 0) {
            r->now.kind = symbols[i].kind;
            r->now.symbol = &symbols[i];
            r->now.length = (int)strlen(symbols[i].text);
            return CGS_OK;
        }
    return refuse_character(r);
}

/* ---- order ---- */

/* Returns true if a word completes a value, so that an operator may follow. */
static bool completes(const struct word *word)
{
    return word->kind == KIND_NUMBER || word->kind == KIND_NAME || word->kind == KIND_CLOSE;
}

static bool begins_value(const struct word *word)
{
    return word->kind == KIND_NUMBER || word->kind == KIND_NAME || word->kind == KIND_FUNCTION ||
           word->kind == KIND_OPEN;
}

static enum cgs_status refuse_count(const struct reading *r, const struct function *function)
{
    return refuse(r->source, r->now.at, "%s takes %s", function->name,
                  function->one    ? "one argument"
                  : function->more ? "two arguments or more"
                                   : "two arguments");
}

/* Refuses a word that stands in place of a value. */
static enum cgs_status refuse_in_place(const struct reading *r)
{
    const char *text = r->source->text + r->now.at;
    if (r->now.kind == KIND_CLOSE && r->last.kind == KIND_OPEN && r->top->function)
        return refuse_count(r, r->top->function);
    const bool power =
        *text == '*' && r->last.kind == KIND_OPERATOR && r->last.length > 0 && text[-1] == '*';
    return refuse(r->source, r->now.at, "a number, a name or '(' is expected before '%.*s'%s",
                  r->now.length, text, power ? "; powers are written x^2" : "");
}

static enum cgs_status refuse_neighbours(const struct reading *r)
{
    const char *text = r->source->text;
    if (r->now.kind == KIND_OPEN && r->last.kind == KIND_NAME)
        return refuse(r->source, r->now.at, "'%.*s' is no function; a product is written with '*'",
                      r->last.length, text + r->last.at);
    return refuse(r->source, r->now.at,
                  "an operator is missing before '%.*s'; a product is written with '*'",
                  r->now.length > 40 ? 40 : r->now.length, text + r->now.at);
}

/* Checks that the word may follow the last one; an operator in place of a value becomes a sign. */
static enum cgs_status check_order(struct reading *r)
{
    const char *text = r->source->text;
    if (r->last.kind == KIND_FUNCTION && r->now.kind != KIND_OPEN)
        return refuse(r->source, r->last.at,
                      "%.*s is a function: its argument stands in parentheses", r->last.length,
                      text + r->last.at);
    if (completes(&r->last))
        return begins_value(&r->now) ? refuse_neighbours(r) : CGS_OK;
    if (begins_value(&r->now))
        return CGS_OK;
    if (r->now.kind != KIND_OPERATOR || (text[r->now.at] != '+' && text[r->now.at] != '-'))
        return refuse_in_place(r);
    if (r->last.kind == KIND_SIGN)
        return refuse(r->source, r->now.at, "two signs follow each other");
    r->now.kind = KIND_SIGN;
    return CGS_OK;
}

/* ---- steps ---- */

/* Adds a step. Its last operand is the step before it, the one before that operand's own steps is
 * the last but one, and so on. */
static void add_step(struct reading *r, struct cgs_step step, int operands)
{
    step.first = r->steps;
    while (operands-- > 0) {
        const int from = step.from[operands] = step.first - 1;
        step.first = r->step[from].first;
        step.uses |= r->step[from].uses;
    }
    r->step[r->steps++] = step;
}

static void add_call(struct reading *r, const struct function *function)
{
    if (function->one)
        add_step(
            r, (struct cgs_step){.loop = call_one, .jumps = function->jumps, .one = function->one},
            1);
    else
        add_step(r, (struct cgs_step){.loop = call_two, .two = function->two}, 2);
}

static void wait_with(struct reading *r, enum strength strength, cgs_loop *loop, int operands)
{
    *++r->top = (struct waiting){strength, r->now.at, loop, operands, 0, NULL};
}

/* Adds the steps of operators that wait and bind as strongly as this, or more so. */
static void complete(struct reading *r, enum strength strength)
{
    for (; r->top->strength >= strength; r->top--)
        add_step(r,
                 (struct cgs_step){.loop = r->top->loop, .jumps = r->top->strength == COMPARISON},
                 r->top->operands);
}

/* Adds the steps of operators that wait in the group, which is r->top afterwards. */
static enum cgs_status complete_group(struct reading *r)
{
    complete(r, COLON);
    if (r->top->strength == QUESTION)
        return refuse(r->source, r->top->at, "'?' lacks its ':', as in x < 0 ? 1 : 2");
    return CGS_OK;
}

static const struct waiting *group_of(const struct reading *r)
{
    const struct waiting *group = r->top;
    while (group->strength != OPEN)
        group--;
    return group;
}

static enum cgs_status open_group(struct reading *r)
{
    if (r->depth++ == DEEPEST)
        return refuse(r->source, r->now.at, "more than %d parentheses are open", DEEPEST);
    wait_with(r, OPEN, NULL, 0);
    r->top->function = r->last.function;
    return CGS_OK;
}

static enum cgs_status close_group(struct reading *r)
{
    if (r->depth-- == 0)
        return refuse(r->source, r->now.at, "')' closes nothing: there is no '(' before it");
    CGS_TRY(complete_group(r));
    const struct function *function = r->top->function;
    if (function && !function->one && r->top->commas < 1)
        return refuse_count(r, function);
    if (function)
        add_call(r, function);
    r->top--;
    return CGS_OK;
}

static enum cgs_status take_comma(struct reading *r)
{
    const struct function *function = group_of(r)->function;
    if (!function)
        return refuse(r->source, r->now.at,
                      "',' stands between the arguments of functions alone; decimals have a point");
    CGS_TRY(complete_group(r));
    if (!function->more && r->top->commas + 1 >= (function->one ? 1 : 2))
        return refuse_count(r, function);
    if (r->top->commas++ > 0)
        add_call(r, function);
    return CGS_OK;
}

/* a ? b : c waits for c as one operator with three operands. */
static enum cgs_status take_colon(struct reading *r)
{
    complete(r, COLON);
    if (r->top->strength != QUESTION)
        return refuse(r->source, r->now.at, "':' lacks its '?', as in x < 0 ? 1 : 2");
    r->top->strength = COLON;
    return CGS_OK;
}

static enum cgs_status take_word(struct reading *r)
{
    const struct symbol *symbol = r->now.symbol;
    switch (r->now.kind) {
    case KIND_FUNCTION: /* its parenthesis follows */
        return CGS_OK;
    case KIND_OPEN:
        return open_group(r);
    case KIND_CLOSE:
        return close_group(r);
    case KIND_COMMA:
        return take_comma(r);
    case KIND_COLON:
        return take_colon(r);
    case KIND_NUMBER:
    case KIND_NAME:
        add_step(r, r->now.step, 0);
        return CGS_OK;
    case KIND_SIGN:
        if (symbol->loop == subtract)
            wait_with(r, PRODUCT, negate, 1);
        return CGS_OK;
    case KIND_QUESTION:
        complete(r, OR);
        wait_with(r, QUESTION, choose, 3);
        return CGS_OK;
    case KIND_OPERATOR: /* powers are from the right */
        complete(r, symbol->strength + (symbol->strength == POWER));
        wait_with(r, symbol->strength, symbol->loop, 2);
    }
    return CGS_OK;
}

static enum cgs_status take_end(struct reading *r)
{
    if (r->last.kind == KIND_FUNCTION)
        return check_order(r);
    if (!completes(&r->last))
        return refuse(r->source, r->now.at, "it ends where a number, a name or '(' is expected");
    if (r->depth > 0)
        return refuse(r->source, group_of(r)->at, "'(' is not closed");
    return complete_group(r);
}

static enum cgs_status read_words(struct reading *r)
{
    const char *text = r->source->text;
    for (;; r->last = r->now) {
        r->now = (struct word){.kind = KIND_OPERATOR, .at = r->last.at + r->last.length};
        r->now.at += (int)strspn(text + r->now.at, blanks);
        if (text[r->now.at] == '\0')
            return take_end(r);
        CGS_TRY(read_word(r));
        CGS_TRY(check_order(r));
        CGS_TRY(take_word(r));
    }
}

enum cgs_status cgs_expression_read(const struct cgs_expression_source *source,
                                    struct cgs_step *step, int *steps)
{
    struct cgs_context *context = source->context;
    void *block;
    CGS_TRY(cgs_alloc(context, 1, sizeof(struct reading), "words of an expression", &block));
    struct reading *r = block;
    r->source = source;
    r->last = (struct word){.kind = KIND_OPERATOR};
    r->depth = r->steps = 0;
    r->step = step;
    r->top = r->waiting;
    *r->top = (struct waiting){.strength = OPEN};
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    const enum cgs_status status = read_words(r);
    uselocale(before);
    if (plain)
        freelocale(plain);
    *steps = r->steps;
    cgs_free(context, r);
    return status;
}

enum cgs_status cgs_constant_check(struct cgs_context *context, const char *option,
                                   const char *name)
{
    const int length = (int)strnlen(name, CGS_CONSTANT_NAME);
    if (length == 0 || !strchr(letters, name[0]) || strspn(name, name_characters) != strlen(name))
        return cgs_fail(context, CGS_USAGE,
                        "%s: '%s' is no name: letters, digits and _, a letter first", option, name);
    if (length == CGS_CONSTANT_NAME)
        return cgs_fail(context, CGS_USAGE, "%s: the name '%s' has more than %d characters", option,
                        name, CGS_CONSTANT_NAME - 1);
    if (find_function(name, length))
        return cgs_fail(context, CGS_USAGE, "%s: %s is a function: take another name", option,
                        name);
    if (find_constant(&built_in, name, length))
        return cgs_fail(context, CGS_USAGE, "%s: %s is known already: take another name", option,
                        name);
    return CGS_OK;
}
