/* muParser's own check is not relied on: x=3 assigns there, x,y has two values, sin (x) is an
 * error, and the text of an error goes through a buffer that all threads share and long words
 * overflow. So texts are read here, word by word, by two rules: a value (a number, a name, a
 * parenthesis) stands where one is expected, at the start and after an operator; and parentheses,
 * arguments and a ? b : c are complete. */
#include "base/expression_language.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/spelling.h"

static double sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; /* NaN stays */
}

/* The least of several; NaN if one is. */
static double least(const double *values, int count)
{
    double found = values[0];
    for (int i = 1; i < count; i++)
        found = values[i] < found || isnan(values[i]) ? values[i] : found;
    return found;
}

static double greatest(const double *values, int count)
{
    double found = values[0];
    for (int i = 1; i < count; i++)
        found = values[i] > found || isnan(values[i]) ? values[i] : found;
    return found;
}

/* muParser's own are left out: its asinh(-1e9) is -inf, its rint rounds 0.5 up. */
const struct cgs_function cgs_functions[CGS_FUNCTIONS] = {
    {"abs", .one = fabs},    {"acos", .one = acos},     {"acosh", .one = acosh},
    {"asin", .one = asin},   {"asinh", .one = asinh},   {"atan", .one = atan},
    {"atan2", .two = atan2}, {"atanh", .one = atanh},   {"ceil", .one = ceil},
    {"cos", .one = cos},     {"cosh", .one = cosh},     {"erf", .one = erf},
    {"exp", .one = exp},     {"floor", .one = floor},   {"hypot", .two = hypot},
    {"ln", .one = log},      {"log", .one = log},       {"log10", .one = log10},
    {"log2", .one = log2},   {"max", .many = greatest}, {"min", .many = least},
    {"pow", .two = pow},     {"round", .one = round},   {"sign", .one = sign},
    {"sin", .one = sin},     {"sinh", .one = sinh},     {"sqrt", .one = sqrt},
    {"tan", .one = tan},     {"tanh", .one = tanh},
};

/* muParser's own _pi has twelve digits. */
const struct cgs_known_constant cgs_known_constants[CGS_KNOWN_CONSTANTS] = {
    {"pi", M_PI},
    {"e", M_E},
    {"_pi", M_PI},
    {"_e", M_E},
};

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

struct word {
    enum kind kind;
    int at, length;
    int function; /* index of a KIND_FUNCTION */
};

/* Contents of parentheses, or of none. */
struct group {
    int at;        /* of the parenthesis */
    int function;  /* whose arguments it has, or -1 */
    int commas;    /* so far */
    int questions; /* '?' without ':' so far */
    int question_at;
};

enum { DEEPEST = 100 };

struct reading {
    const struct cgs_expression_source *source;
    bool *uses;
    struct word last, now;
    int depth;
    struct group groups[DEEPEST + 1]; /* [depth]: the one at hand */
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

static enum cgs_status refuse_name(const struct reading *r)
{
    const struct cgs_expression_source *s = r->source;
    const char *names[CGS_EXPRESSION_VARIABLES + CGS_CONSTANTS + CGS_FUNCTIONS];
    const char *after = s->text + r->now.at + r->now.length;
    const bool call = after[strspn(after, blanks)] == '(';
    int count = 0;
    for (int i = 0; i < CGS_FUNCTIONS && call; i++)
        names[count++] = cgs_functions[i].name;
    for (int i = 0; i < s->variable_count && !call; i++)
        names[count++] = s->variables[i];
    for (int i = 0; i < 2 && !call; i++)
        names[count++] = cgs_known_constants[i].name;
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
    return refuse(s, r->now.at, "unknown %s '%s'%s%s%s (known here: %s)",
                  call ? "function" : "name", name, nearest < 0 ? "" : "; did you mean '",
                  nearest < 0 ? "" : names[nearest], nearest < 0 ? "" : "'?", known);
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

static int find_function(const char *name, int length)
{
    for (int i = 0; i < CGS_FUNCTIONS; i++)
        if ((int)strlen(cgs_functions[i].name) == length &&
            strncmp(cgs_functions[i].name, name, (size_t)length) == 0)
            return i;
    return -1;
}

static bool same(const char *name, const char *text, int length)
{
    return strncmp(name, text, (size_t)length) == 0 && name[length] == '\0';
}

static bool is_constant(const struct cgs_constants *constants, const char *text, int length)
{
    for (int i = 0; i < CGS_KNOWN_CONSTANTS; i++)
        if (same(cgs_known_constants[i].name, text, length))
            return true;
    for (int i = 0; constants && i < constants->count; i++)
        if (same(constants->list[i].name, text, length))
            return true;
    return false;
}

static enum cgs_status read_name(struct reading *r)
{
    const struct cgs_expression_source *s = r->source;
    const char *text = s->text + r->now.at;
    const int length = r->now.length = (int)strspn(text, name_characters);
    r->now.kind = KIND_NAME;
    r->now.function = find_function(text, length);
    if (r->now.function >= 0) {
        r->now.kind = KIND_FUNCTION;
        return CGS_OK;
    }
    for (int i = 0; i < s->variable_count; i++)
        if (same(s->variables[i], text, length)) {
            r->uses[i] = true;
            return CGS_OK;
        }
    return is_constant(s->constants, text, length) ? CGS_OK : refuse_name(r);
}

/* Digits with or without a point, and an exponent where digits follow its e: 2exp(x) has none. */
static int number_length(const char *text)
{
    const char *at = text + strspn(text, digits);
    if (*at == '.')
        at += 1 + strspn(at + 1, digits);
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        const size_t count = strspn(exponent, digits);
        at = count > 0 ? exponent + count : at;
    }
    return (int)(at - text);
}

static enum cgs_status read_word(struct reading *r)
{
    static const char *const operators[] = {"<=", ">=", "==", "!=", "&&", "||", "<",
                                            ">",  "+",  "-",  "*",  "/",  "^"};
    static const char marks[] = "(),?:";
    static const enum kind kinds[] = {KIND_OPEN, KIND_CLOSE, KIND_COMMA, KIND_QUESTION, KIND_COLON};
    const char *text = r->source->text + r->now.at, *mark = strchr(marks, *text);
    if (strchr(letters, *text))
        return read_name(r);
    if (strchr(digits, *text) || (*text == '.' && text[1] && strchr(digits, text[1]))) {
        r->now.kind = KIND_NUMBER;
        r->now.length = number_length(text);
        if (isinf(strtod(text, NULL)))
            return refuse(r->source, r->now.at, "'%.*s' is beyond the largest number, 1.8e308",
                          r->now.length > 40 ? 40 : r->now.length, text);
        return CGS_OK;
    }
    if (mark) {
        r->now.kind = kinds[mark - marks];
        r->now.length = 1;
        return CGS_OK;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(text, operators[i], strlen(operators[i])) == 0) {
            r->now.kind = KIND_OPERATOR;
            r->now.length = (int)strlen(operators[i]);
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

static enum cgs_status refuse_count(const struct reading *r, const struct cgs_function *function)
{
    return refuse(r->source, r->now.at, "%s takes %s", function->name,
                  function->one   ? "one argument"
                  : function->two ? "two arguments"
                                  : "two arguments or more");
}

/* Refuses a word that stands in place of a value. */
static enum cgs_status refuse_in_place(const struct reading *r)
{
    const struct group *group = &r->groups[r->depth];
    const char *text = r->source->text + r->now.at;
    if (r->now.kind == KIND_CLOSE && r->last.kind == KIND_OPEN && group->function >= 0)
        return refuse_count(r, &cgs_functions[group->function]);
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

/* ---- groups ---- */

static enum cgs_status check_questions(const struct reading *r)
{
    const struct group *group = &r->groups[r->depth];
    if (group->questions > 0)
        return refuse(r->source, group->question_at, "'?' lacks its ':', as in x < 0 ? 1 : 2");
    return CGS_OK;
}

static enum cgs_status open_group(struct reading *r)
{
    if (r->depth == DEEPEST)
        return refuse(r->source, r->now.at, "more than %d parentheses are open", DEEPEST);
    r->groups[++r->depth] = (struct group){
        .at = r->now.at,
        .function = r->last.kind == KIND_FUNCTION ? r->last.function : -1,
    };
    return CGS_OK;
}

static enum cgs_status close_group(struct reading *r)
{
    const struct group *group = &r->groups[r->depth];
    if (r->depth == 0)
        return refuse(r->source, r->now.at, "')' closes nothing: there is no '(' before it");
    CGS_TRY(check_questions(r));
    if (group->function >= 0 && !cgs_functions[group->function].one && group->commas < 1)
        return refuse_count(r, &cgs_functions[group->function]);
    r->depth--;
    return CGS_OK;
}

static enum cgs_status take_comma(struct reading *r)
{
    struct group *group = &r->groups[r->depth];
    if (group->function < 0)
        return refuse(r->source, r->now.at,
                      "',' stands between the arguments of functions alone; decimals have a point");
    const struct cgs_function *function = &cgs_functions[group->function];
    CGS_TRY(check_questions(r));
    if (!function->many && group->commas + 1 >= (function->one ? 1 : 2))
        return refuse_count(r, function);
    group->commas++;
    return CGS_OK;
}

static enum cgs_status check_group(struct reading *r)
{
    struct group *group = &r->groups[r->depth];
    switch (r->now.kind) {
    case KIND_OPEN:
        return open_group(r);
    case KIND_CLOSE:
        return close_group(r);
    case KIND_COMMA:
        return take_comma(r);
    case KIND_QUESTION:
        group->questions++;
        group->question_at = r->now.at;
        return CGS_OK;
    case KIND_COLON:
        if (group->questions == 0)
            return refuse(r->source, r->now.at, "':' lacks its '?', as in x < 0 ? 1 : 2");
        group->questions--;
        return CGS_OK;
    default:
        return CGS_OK;
    }
}

static enum cgs_status check_end(struct reading *r)
{
    if (r->last.kind == KIND_FUNCTION)
        return check_order(r);
    if (!completes(&r->last))
        return refuse(r->source, r->now.at, "it ends where a number, a name or '(' is expected");
    if (r->depth > 0)
        return refuse(r->source, r->groups[r->depth].at, "'(' is not closed");
    return check_questions(r);
}

enum cgs_status cgs_expression_check(const struct cgs_expression_source *source, char *bare,
                                     bool *uses)
{
    const char *text = source->text;
    if (text[strspn(text, blanks)] == '\0')
        return cgs_fail(source->context, CGS_USAGE,
                        "%s is empty: expected an expression, as in exp(x)*cos(2*y)",
                        source->option);
    if (strnlen(text, CGS_EXPRESSION_LENGTH + 1) > CGS_EXPRESSION_LENGTH)
        return cgs_fail(source->context, CGS_USAGE,
                        "%s: the expression has more than %d characters", source->option,
                        CGS_EXPRESSION_LENGTH);
    struct reading r = {
        .source = source,
        .uses = uses,
        .last = {.kind = KIND_OPERATOR},
        .groups = {{.function = -1}},
    };
    for (;; r.last = r.now) {
        r.now = (struct word){.kind = KIND_OPERATOR, .at = r.last.at + r.last.length};
        r.now.at += (int)strspn(text + r.now.at, blanks);
        if (text[r.now.at] == '\0')
            break;
        CGS_TRY(read_word(&r));
        CGS_TRY(check_order(&r));
        CGS_TRY(check_group(&r));
        const bool logical = text[r.now.at] == '&' || text[r.now.at] == '|';
        const size_t length = logical ? 1 : (size_t)r.now.length;
        memcpy(bare, text + r.now.at, length);
        bare += length;
    }
    *bare = '\0';
    return check_end(&r);
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
    if (find_function(name, length) >= 0)
        return cgs_fail(context, CGS_USAGE, "%s: %s is a function: take another name", option,
                        name);
    if (is_constant(NULL, name, length))
        return cgs_fail(context, CGS_USAGE, "%s: %s is known already: take another name", option,
                        name);
    return CGS_OK;
}
