/* Fuzz target of expressions: the input's last line is one, each line before it a definition of
 * --let. Whatever they are:
 *
 *     definition   adds one finite constant, or says CGS_USAGE and adds none
 *     expression   says CGS_OK, or CGS_USAGE with a message that fits its room
 *     when OK      it has the same bits by any number of threads and on any grid with the
 *                  same points, and variables that do not occur are not read
 *     release      leaves nothing behind (the address sanitizer looks) */
#include <math.h>
#include <string.h>

#include "base/expression.h"
#include "tests/fuzz/fuzz.h"

enum { POINTS = 1500, VARIABLES = 6 };

const char fuzz_name[] = "expression", fuzz_seeds[] = "tests/fuzz/expressions";
const int fuzz_changes = 20000;

static const char *const names[VARIABLES] = {"x", "y", "z", "nx", "ny", "nz"};

void fuzz_word(uint64_t draw, char *word, size_t room)
{
    static const char *const words[] = {
        "x",  "y",  "nz",  "pi", "_e",   "k",    "(",      ")",      ",",      "?",        ":",
        "<",  "<=", ">",   ">=", "==",   "!=",   "&&",     "||",     "+",      "-",        "*",
        "/",  "^",  "=",   " ",  "1",    "0.5",  "1e-3",   "1e999",  ".",      "sin(",     "max(",
        "\"", "!",  "^-2", "\t", "\nk=", "x?1:", "min(1,", "atan2(", "sqrt (", "\xcf\x80",
    };
    snprintf(word, room, "%s", words[draw % (sizeof words / sizeof *words)]);
}

static void check_message(const struct cgs_context *context, enum cgs_status status)
{
    const size_t length = strlen(context->message);
    HOLDS(status == CGS_OK || status == CGS_USAGE, "status %d: %s", (int)status, context->message);
    HOLDS((status == CGS_OK) == (length == 0), "status %d: '%s'", (int)status, context->message);
    HOLDS(length < sizeof context->message - 1, "the message is cut");
    HOLDS(context->host_bytes == 0, "%lld bytes are held", (long long)context->host_bytes);
}

static void define(struct cgs_constants *constants, const char *text)
{
    struct cgs_context context;
    cgs_context_init(&context);
    const int before = constants->count;
    const enum cgs_status status = cgs_constants_parse(&context, text, constants);
    check_message(&context, status);
    HOLDS(constants->count == before + (status == CGS_OK), "%d constants", constants->count);
    HOLDS(status != CGS_OK || isfinite(constants->list[before].value), "%s", text);
}

/* Computes values at points, by one thread and by three, then on a grid whose lines have these
 * points, and holds them against each other. */
static void compute(struct cgs_context *context, const struct cgs_expression *expression)
{
    enum { LINES = 2 };
    static double points[VARIABLES][POINTS], values[2][POINTS], lines[LINES][POINTS];
    struct cgs_expression_grid grid = {.count = {POINTS, 1, 1}};
    for (int i = 0; i < VARIABLES; i++) {
        for (int k = 0; k < POINTS; k++)
            points[i][k] = (k - 700) * (i + 1) / 256.0;
        grid.variable[i] = cgs_expression_uses(expression, i) ? points[i] : NULL;
    }
    for (int run = 0; run < 2; run++) {
        context->threads = run == 0 ? 1 : 3;
        cgs_expression_evaluate(expression, &grid, values[run]);
    }
    HOLDS(memcmp(values[0], values[1], sizeof values[0]) == 0, "other bits");
    grid.count[1] = LINES;
    cgs_expression_evaluate(expression, &grid, lines[0]);
    for (int line = 0; line < LINES; line++)
        HOLDS(memcmp(lines[line], values[0], sizeof values[0]) == 0, "other bits on line %d", line);
    for (int i = 1; i < VARIABLES; i++) /* x along lines, y = y[1] on line 1, the others fixed */
        grid.direction[i] = i == 1 ? 1 : CGS_FIXED;
    cgs_expression_evaluate(expression, &grid, lines[0]);
    for (int i = 1; i < VARIABLES; i++)
        for (int k = 0; k < POINTS; k++)
            points[i][k] = points[i][i == 1];
    grid.count[1] = 1;
    for (int i = 1; i < VARIABLES; i++)
        grid.direction[i] = 0;
    cgs_expression_evaluate(expression, &grid, values[0]);
    HOLDS(memcmp(lines[1], values[0], sizeof values[0]) == 0, "other bits where lines differ");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cgs_context context;
    struct cgs_constants constants = {.count = 0};
    struct cgs_expression *expression;
    char *copy = malloc(size + 1), *text = copy, *end;
    HOLDS(copy, "no memory");
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    for (; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        *end = '\0';
        define(&constants, text);
    }
    cgs_context_init(&context);
    const enum cgs_status status = cgs_expression_create(&context, "--source", text, names,
                                                         VARIABLES, &constants, &expression);
    if (status == CGS_OK) {
        HOLDS(strcmp(cgs_expression_text(expression), text) == 0, "%s", text);
        compute(&context, expression);
        cgs_expression_release(expression);
    }
    check_message(&context, status);
    free(copy);
    return 0;
}
