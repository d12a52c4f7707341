/* Tables of commands, options and choices (commands.def, options.def, choices.def), for help, lists
 * and messages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* CGS_COMMAND_SOLVE, CGS_COMMAND_SPMV, ... */
enum cgs_command {
#define CGS_COMMAND(code, ...) CGS_COMMAND_##code,
#include "core/options/commands.def"
#undef CGS_COMMAND
    CGS_COMMANDS
};

/* CGS_OPTION_n, CGS_OPTION_problem, ... */
enum cgs_option_id {
#define CGS_OPTION(group, commands, name, kind, field, ...) CGS_OPTION_##field,
#define CGS_PROGRAM_OPTION CGS_OPTION
#include "core/options/options.def"
#undef CGS_OPTION
#undef CGS_PROGRAM_OPTION
    CGS_OPTIONS
};

enum cgs_option_group {
    CGS_GROUP_PROBLEM,
    CGS_GROUP_MATRIX,
    CGS_GROUP_MACHINE,
    CGS_GROUP_SOLVER,
    CGS_GROUP_OUTPUT,
    CGS_GROUP_HELP,
    CGS_GROUPS
};
enum cgs_option_kind {
    CGS_KIND_INT,
    CGS_KIND_REAL,
    CGS_KIND_SIZE,
    CGS_KIND_CHOICE,
    CGS_KIND_PROBLEM,
    CGS_KIND_KAPPA,
    CGS_KIND_CELLS,
    CGS_KIND_LENGTHS,
    CGS_KIND_RANDOM,
    CGS_KIND_GPUS,
    CGS_KIND_FAULT,
    CGS_KIND_SLICE,
    CGS_KIND_LINE,
    CGS_KIND_TEXT,
    CGS_KIND_TEXTS,
    CGS_KIND_FLAG
};
enum { CGS_KINDS = CGS_KIND_FLAG + 1 };

/* Returns true for options that may be given several times: a text of a line each. */
static inline bool cgs_kind_repeats(enum cgs_option_kind kind)
{
    return kind == CGS_KIND_TEXTS || kind == CGS_KIND_SLICE;
}

#define CGS_KIND_CHOICE(type) CGS_KIND_CHOICE /* the kind of a row of options.def */

struct cgs_option {
    enum cgs_option_group group;
    int commands; /* a bit for each command that takes it */
    const char *name;
    enum cgs_option_kind kind;
    size_t offset; /* offset of the field in struct cgs_options, and in its settings */
    char initial[16], shown[80]; /* default; its text in --help if that differs, else "" */
    double least, most;
    char argument[32]; /* name of the value in --help; "" for flags */
    char letter;       /* the short name, 'N' for -N; '\0': none */
    const char *brief; /* text of -h; NULL: --help alone lists the option */
    bool expert;       /* 'cgsolve help expert' lists it */
    const char *help;
};

struct cgs_choice {
    enum cgs_option_id option;
    const char *name;
    int value;
    const char *description;
};

enum { CGS_CHOICES_MOST = 16 };

extern const struct cgs_option cgs_option_table[CGS_OPTIONS];

/* Options that are about the box alone. */
extern const enum cgs_option_id cgs_options_of_box[];
extern const int cgs_options_of_box_count;

struct cgs_command_row {
    const char *name, *words, *help, *about; /* as in commands.def */
};

/* Lists of `cgsolve list`, each with a function list_<name> in src/list.c. */
#define CGS_LISTS(LIST) LIST(kernels) LIST(preconditioners) LIST(problems) LIST(backends)

extern const struct cgs_command_row cgs_command_table[CGS_COMMANDS];
