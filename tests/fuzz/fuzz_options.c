/* Fuzz target of the option parser: the input's lines (or what stands between its NULs) are the
 * arguments. Whatever they are:
 *
 *     parse      says CGS_OK, or CGS_USAGE with a message that fits its room
 *     when OK    every number is in its range, every choice one of the table, every text not empty
 *     round trip what "ran with" prints for them, parsed again, gives the same values
 *     release    leaves nothing behind (the address sanitizer looks)
 *
 * No file is touched: options that name files are only read here. Built with clang's libFuzzer by
 * `make fuzz`; with tests/fuzz/fuzz_main.c it is an ordinary test of `make check`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/options/option_table.h"
#include "core/options/options.h"
#include "core/options/options_value.h"
#include "lab/command_line/help.h"
#include "lab/command_line/options_parse.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_ARGUMENTS = 200, WIDTH = 100, INDENT = 11 };

struct line {
    char *text; /* owned; the arguments point into it */
    int count;
    const char *arguments[MOST_ARGUMENTS + 1];
};

const char fuzz_name[] = "options", fuzz_seeds[] = "tests/fuzz/seeds";
const int fuzz_changes = 30000;

/* An option of the table, perhaps with one of its choices. */
void fuzz_word(uint64_t draw, char *word, size_t room)
{
    const enum cgs_option_id id = (enum cgs_option_id)(draw % CGS_OPTIONS);
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    snprintf(word, room, "\n--%s=%s", cgs_option_table[id].name,
             count > 0 ? choices[draw / CGS_OPTIONS % (uint64_t)count].name : "");
}

/* Cuts a copy of the text at any of the characters; empty pieces are arguments where `empty` is. */
static struct line cut(const char *text, size_t size, const char *at, bool empty)
{
    struct line line = {.text = malloc(size + 1), .count = 1, .arguments = {"cgsolve"}};
    HOLDS(line.text, "no memory");
    if (size > 0)
        memcpy(line.text, text, size);
    line.text[size] = '\0';
    char *begin = line.text, *const end = line.text + size;
    while (begin < end && line.count < MOST_ARGUMENTS) {
        char *stop = begin;
        while (stop < end && *stop != '\0' && !strchr(at, *stop))
            stop++;
        *stop = '\0';
        if (stop > begin || empty)
            line.arguments[line.count++] = begin;
        begin = stop + 1;
    }
    return line;
}

static const void *field(const struct cgs_options *options, const struct cgs_option *option)
{
    return (const char *)options + option->offset;
}

static void check_value(const struct cgs_options *options, enum cgs_option_id id)
{
    const struct cgs_option *o = &cgs_option_table[id];
    const void *value = field(options, o);
    switch (o->kind) {
    case CGS_KIND_INT:
    case CGS_KIND_SIZE: {
        const double number = (double)*(const int64_t *)value;
        HOLDS(number >= o->least && number <= o->most, "--%s is %g", o->name, number);
        break;
    }
    case CGS_KIND_REAL: {
        const double number = *(const double *)value;
        HOLDS(number > o->least && number < o->most, "--%s is %g", o->name, number);
        break;
    }
    case CGS_KIND_CHOICE:
        HOLDS(strcmp(cgs_option_choice(&options->settings, id), "?") != 0, "%s", o->name);
        break;
    case CGS_KIND_PROBLEM:
        HOLDS(*(const struct cgs_problem *const *)value, "--%s", o->name);
        break;
    case CGS_KIND_KAPPA: {
        const struct cgs_kappa *kappa = value;
        HOLDS(kappa->kind != CGS_KAPPA_JUMP || (kappa->ratio > 1e-12 && kappa->ratio < 1e12),
              "ratio %g", kappa->ratio);
        break;
    }
    case CGS_KIND_CELLS: { /* 0: --N says */
        const int64_t *of = ((const struct cgs_cell_counts *)value)->of;
        for (int k = 0; k < 3; k++)
            HOLDS(of[k] == 0 ? of[0] == 0 : of[k] >= 2 && of[k] <= 10001, "%lld cells",
                  (long long)of[k]);
        break;
    }
    case CGS_KIND_LENGTHS: {
        const double *of = ((const struct cgs_lengths *)value)->of;
        for (int k = 0; k < 3; k++)
            HOLDS(of[k] > 1e-13 && of[k] < 1e13, "a length of %g", of[k]);
        break;
    }
    case CGS_KIND_RANDOM: {
        const struct cgs_random_matrix *random = value;
        HOLDS(random->n >= 1 && random->density > 0.0 && random->density <= 1.0, "%g",
              random->density);
        break;
    }
    case CGS_KIND_GPUS: {
        const struct cgs_gpus *gpus = value;
        HOLDS(gpus->count >= 0 && gpus->count <= CGS_GPUS_MOST &&
                  (!gpus->listed || gpus->count > 0),
              "%d", gpus->count);
        break;
    }
    case CGS_KIND_FAULT: {
        const struct cgs_fault *fault = value;
        HOLDS(fault->kind < CGS_FAULTS && fault->at >= 0, "fault %d", (int)fault->kind);
        break;
    }
    case CGS_KIND_LINE: {
        const struct cgs_line_request *line = value;
        HOLDS(line->points >= 2 && line->points <= CGS_LINE_POINTS && (!line->file || *line->file),
              "%d points", (int)line->points);
        break;
    }
    case CGS_KIND_SLICE: {
        struct cgs_slice_request slice;
        const char *left = *(const char *const *)value;
        while (cgs_slice_next(&left, &slice))
            HOLDS(slice.position >= 0.0 && slice.position < 1e6 && slice.axis >= 0 &&
                      slice.axis < 3 && *slice.file,
                  "%d:%g,%s", slice.axis, slice.position, slice.file);
        HOLDS(!left, "--%s is '%s'", o->name, left);
        break;
    }
    case CGS_KIND_TEXT:
    case CGS_KIND_TEXTS:
        HOLDS(**(const char *const *)value, "--%s is empty", o->name);
        break;
    case CGS_KIND_FLAG:
        HOLDS(*(const bool *)value, "--%s is off", o->name);
        break;
    }
}

/* Returns true if both have the same value of the option; kappa's ratio counts only if it is
 * used. */
static bool equal(const struct cgs_options *a, const struct cgs_options *b, enum cgs_option_id id)
{
    const struct cgs_option *o = &cgs_option_table[id];
    const void *left = field(a, o), *right = field(b, o);
    switch (o->kind) {
    case CGS_KIND_INT:
    case CGS_KIND_SIZE:
        return *(const int64_t *)left == *(const int64_t *)right;
    case CGS_KIND_REAL:
        return memcmp(left, right, sizeof(double)) == 0;
    case CGS_KIND_CHOICE:
        return *(const int *)left == *(const int *)right;
    case CGS_KIND_PROBLEM: { /* grading, reaction: written as a model of its own each time */
        const struct cgs_problem *const *x = left, *const *y = right;
        return strcmp((*x)->name, (*y)->name) == 0;
    }
    case CGS_KIND_KAPPA: {
        const struct cgs_kappa *x = left, *y = right;
        return x->kind == y->kind && (x->kind != CGS_KAPPA_JUMP || x->ratio == y->ratio);
    }
    case CGS_KIND_CELLS:
        return memcmp(left, right, sizeof(struct cgs_cell_counts)) == 0;
    case CGS_KIND_LENGTHS:
        return memcmp(left, right, sizeof(struct cgs_lengths)) == 0;
    case CGS_KIND_RANDOM: {
        const struct cgs_random_matrix *x = left, *y = right;
        return x->n == y->n && x->density == y->density && x->powerlaw == y->powerlaw;
    }
    case CGS_KIND_GPUS:
        return memcmp(left, right, sizeof(struct cgs_gpus)) == 0;
    case CGS_KIND_FAULT: {
        const struct cgs_fault *x = left, *y = right;
        return x->kind == y->kind && x->at == y->at;
    }
    case CGS_KIND_LINE: {
        const struct cgs_line_request *x = left, *y = right;
        return memcmp(x->from, y->from, sizeof x->from) == 0 &&
               memcmp(x->to, y->to, sizeof x->to) == 0 && x->points == y->points &&
               strcmp(x->file ? x->file : "", y->file ? y->file : "") == 0;
    }
    case CGS_KIND_TEXT:
    case CGS_KIND_TEXTS:
    case CGS_KIND_SLICE:
        return strcmp(*(const char *const *)left, *(const char *const *)right) == 0;
    case CGS_KIND_FLAG:
        return *(const bool *)left == *(const bool *)right;
    }
    return false;
}

static bool printed(enum cgs_option_id id)
{
    const enum cgs_option_group group = cgs_option_table[id].group;
    return group != CGS_GROUP_OUTPUT && group != CGS_GROUP_HELP;
}

static bool plain(const char *text)
{
    static const char characters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        "-_./,:+=@%";
    return strlen(text) <= 400 && text[strspn(text, characters)] == '\0';
}

/* "Ran with" is for a shell: a text that it would see otherwise is in quotes, which are not read
 * here, one longer than a line of text is cut, and control codes are not shown. */
static bool can_be_printed(const struct cgs_options *options)
{
    if (options->settings.kappa.kind == CGS_KAPPA_CELLS) /* an expression may have any character */
        return false;
    if (options->settings.guess_file && !plain(options->settings.guess_file))
        return false;
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const enum cgs_option_kind kind = cgs_option_table[i].kind;
        if ((kind == CGS_KIND_TEXT || kind == CGS_KIND_TEXTS) && options->settings.known[i] &&
            !plain(*(const char *const *)field(options, &cgs_option_table[i])))
            return false;
    }
    return true;
}

static void check_round_trip(const struct cgs_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    HOLDS(file, "no memory");
    cgs_print_effective(file, &options->settings, INDENT, WIDTH);
    fclose(file);
    struct line line = cut(text, size, " \n", false);
    struct cgs_context context;
    struct cgs_options again;
    memmove(line.arguments + 2, line.arguments + 1,
            (size_t)(line.count++ - 1) * sizeof *line.arguments);
    line.arguments[1] = cgs_command_name(options->settings.command);
    cgs_context_init(&context);
    const enum cgs_status status = cgs_options_parse(&context, line.count, line.arguments, &again);
    HOLDS(status == CGS_OK, "%s\nof: %s", context.message, text);
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const enum cgs_option_id id = (enum cgs_option_id)i;
        HOLDS(!printed(id) || !options->settings.known[id] ||
                  (again.settings.known[id] && equal(options, &again, id)),
              "--%s is another one after: %s", cgs_option_table[id].name, text);
    }
    cgs_options_release(&again);
    free(line.text);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line line = cut((const char *)data, size, "\n", true);
    struct cgs_context context;
    struct cgs_options options;
    cgs_context_init(&context);
    const enum cgs_status status =
        cgs_options_parse(&context, line.count, line.arguments, &options);
    HOLDS(status == CGS_OK || status == CGS_USAGE || (status == CGS_FILE && options.settings.grid),
          "status %d", (int)status);
    HOLDS(status == context.status, "%d is not %d", (int)status, (int)context.status);
    const size_t length = strlen(context.message);
    HOLDS((status == CGS_OK) == (length == 0), "status %d: '%s'", (int)status, context.message);
    HOLDS(length < sizeof context.message - 1, "the message is cut");
    HOLDS(options.settings.command < CGS_COMMANDS && cgs_command_name(options.settings.command),
          "command");
    const bool stopped = options.help || options.usage || options.version || options.cite;
    for (int i = 0; i < CGS_OPTIONS && status == CGS_OK; i++) {
        HOLDS(!options.settings.given[i] || options.settings.known[i], "--%s",
              cgs_option_table[i].name);
        if (options.settings.known[i])
            check_value(&options, (enum cgs_option_id)i);
    }
    if (status == CGS_OK && !stopped &&
        (options.settings.command == CGS_COMMAND_SOLVE ||
         options.settings.command == CGS_COMMAND_SPMV) &&
        can_be_printed(&options))
        check_round_trip(&options);
    cgs_options_release(&options);
    HOLDS(context.host_bytes == 0, "%lld bytes are held", (long long)context.host_bytes);
    free(line.text);
    return 0;
}
