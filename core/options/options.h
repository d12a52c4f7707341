/* The options as typed values, from the tables options.def and choices.def. The run writes its own
 * decisions (chunk, tolerance, backend, ...) into the same struct, so that "ran with" shows the
 * values in effect. */
#ifndef CGS_CORE_OPTIONS_OPTIONS_H
#define CGS_CORE_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "core/options/arguments.h"
#include "core/options/call.h"
#include "core/options/choices.h"
#include "core/options/grammar.h"
#include "core/options/handed.h"
#include "core/options/table.h"
#include "fem/problem.h"
#include "kernels/registry.h"

#define CGS_FIELD_INT int64_t
#define CGS_FIELD_REAL double
#define CGS_FIELD_SIZE int64_t
#define CGS_FIELD_CHOICE(type) type
#define CGS_FIELD_PROBLEM const struct cgs_problem *
#define CGS_FIELD_KAPPA struct cgs_kappa
#define CGS_FIELD_CELLS struct cgs_cell_counts
#define CGS_FIELD_LENGTHS struct cgs_lengths
#define CGS_FIELD_RANDOM struct cgs_random_matrix
#define CGS_FIELD_GPUS struct cgs_gpus
#define CGS_FIELD_FAULT struct cgs_fault
#define CGS_FIELD_SLICE struct cgs_slice_request
#define CGS_FIELD_TEXT const char *
#define CGS_FIELD_TEXTS const char *
#define CGS_FIELD_FLAG bool

struct cgs_options {
    enum cgs_command command;
#define CGS_OPTION(group, commands, name, kind, field, ...) CGS_FIELD_##kind field;
#include "core/options/options.def"
#undef CGS_OPTION
    bool screen;              /* help by -h: one screen */
    bool given[CGS_OPTIONS];  /* given by the user */
    int places[CGS_OPTIONS];  /* where argv has it; 0: it does not */
    const struct cgs_arguments *arguments; /* that were parsed; borrowed, NULL: they are gone, or none */
    bool known[CGS_OPTIONS];  /* given, a default, or decided by the run */
    char *texts[CGS_OPTIONS]; /* values as given; owned */
    const char **words;       /* words after the command; array owned, strings borrowed from argv */
    int word_count;
    const char *guess_file;      /* the file of --guess; borrowed, NULL: a word */
    struct cgs_foreign *foreign; /* the user's kernel, if --kernel names a file; owned by main */
    struct cgs_pulse *pulse;     /* shows the kernel's progress to its watcher; NULL: none */
    struct cgs_own_problem
        *own; /* of the user's own expressions, which `problem` is then; owned, NULL: none */
    const struct cgs_handed *handed; /* data of the library's caller; borrowed, NULL: none */
};

/* Returns the file of --rhs; NULL if it is a word (random, ones) or unknown. */
const char *cgs_rhs_file(const struct cgs_options *options);

/* Returns true if that text of --guess names a file: it has an ending or a folder, as no word has. */
static inline bool cgs_guess_names_file(const char *text)
{
    return strpbrk(text, "./") != NULL;
}

/* Sets options->field to a value decided by the run. */
#define CGS_DECIDE(options, field, value)                                                          \
    ((options)->field = (value), (options)->known[CGS_OPTION_##field] = true)

/* Returns the bytes of --memory-limit, for host and device each; INT64_MAX if it is not given. */
static inline int64_t cgs_options_memory_limit(const struct cgs_options *options)
{
    return options->known[CGS_OPTION_memory_limit] ? options->memory_limit : INT64_MAX;
}

/* Returns the matrix in the memory of the library's caller; NULL: none. */
static inline const struct cgs_crs *cgs_options_memory(const struct cgs_options *options)
{
    return options->handed ? options->handed->crs : NULL;
}

/* Returns the same in the memory of a device; NULL: none. */
static inline const struct cgs_handed_rows *cgs_options_there(const struct cgs_options *options)
{
    return options->handed ? options->handed->there : NULL;
}

/* Returns this rank's part of a matrix of the caller's; NULL: none. */
static inline const struct cgs_handed_part *cgs_options_part(const struct cgs_options *options)
{
    return options->handed ? options->handed->part : NULL;
}

/* Returns true if the library's caller brings the matrix. */
static inline bool cgs_options_handed(const struct cgs_options *options)
{
    return cgs_options_memory(options) || cgs_options_there(options) || cgs_options_part(options) ||
           (options->handed && options->handed->product);
}

/* Returns true for the model problem's matrix; others are given by rows: a file's, the caller's, a
 * random one. */
static inline bool cgs_options_box(const struct cgs_options *options)
{
    return !options->matrix && !cgs_options_handed(options) && options->random.n == 0;
}

/* The text of an option that may be given several times (CGS_KIND_TEXTS) has a line each: length of the first one, and
 * the lines after it, NULL at the end. */
static inline int cgs_line_length(const char *lines)
{
    return (int)strcspn(lines, "\n");
}

static inline const char *cgs_line_after(const char *lines)
{
    const char *end = strchr(lines, '\n');
    return end ? end + 1 : NULL;
}

/* Returns two texts as two lines, owned by the caller; NULL: no memory. */
char *cgs_lines_join(const char *first, const char *second);

/* Sets n to the unknowns of the box in x, y and z: of --cells, or of --N. */
void cgs_options_unknowns(const struct cgs_options *options, int64_t n[3]);

/* Returns true for as many unknowns in each direction; for those of the unit cube. */
bool cgs_options_equal_n(const struct cgs_options *options);
bool cgs_options_unit_cube(const struct cgs_options *options);

/* Writes how the box is cut, "N = 64" or "20x36x50 cells", and the option that says so, "--N=64" or
 * "--cells=20x36x50". */
void cgs_options_name_box(const struct cgs_options *options, char *text, size_t size);
void cgs_options_write_cut(const struct cgs_options *options, char *text, size_t size);

/* ---- own.c ---- */
/* Makes options->own of the options, and lets options->problem point to it, if there is one among them.
 * CGS_USAGE: an expression or a face is not understood, or options contradict each other. */
enum cgs_status cgs_ask_own(struct cgs_context *context, struct cgs_options *options);
/* Releases options->own. */
void cgs_forget_own(struct cgs_options *options);

/* Reads the command line; stops at --help, --usage or --version. After a wrong option it reads the
 * others, so that options->json is known for the report of the failure. CGS_USAGE: unknown option
 * or command (the message has the nearest spelling), an option given twice, invalid value,
 * contradictory options. Call cgs_options_release after errors, too. */
enum cgs_status cgs_options_parse(struct cgs_context *context, int argc, const char *const *argv,
                                  struct cgs_options *options);
/* The same for words of which some are from files, whose place is then in the message. The context may have failed
 * while they were read: the status is not CGS_OK then. Keeps `arguments` borrowed. */
enum cgs_status cgs_options_parse_arguments(struct cgs_context *context,
                                            const struct cgs_arguments *arguments,
                                            struct cgs_options *options);
void cgs_options_release(struct cgs_options *options);

/* ---- parts of cgs_options_parse, for the library, which has no command line ---- */
/* Sets the defaults of `solve`. */
enum cgs_status cgs_options_start(struct cgs_context *context, struct cgs_options *options);
/* Finds the option of that name, without dashes. CGS_USAGE: unknown; the message has the nearest
 * spelling. */
enum cgs_status cgs_options_find(struct cgs_context *context, const char *name,
                                 enum cgs_option_id *id);
/* Call after the last option: checks combinations and decides options that follow from others.
 * CGS_USAGE: contradictory options. */
enum cgs_status cgs_options_settle(struct cgs_context *context, struct cgs_options *options);

/* ---- options_value.c ---- */
/* Reads `text` into the option's field; TEXT and SLICE borrow it. CGS_USAGE: invalid or out of
 * range. */
enum cgs_status cgs_options_take(struct cgs_context *context, struct cgs_options *options,
                                 enum cgs_option_id id, const char *text);

/* ---- options_list.c: several values of an option, for `study` ---- */
struct cgs_list {
    char **values; /* in their shortest spelling, "10" for "1e1"; array and strings owned */
    int count;
};

/* Reads the values of a listable option, or one value of another. CGS_USAGE: a value is invalid or
 * occurs twice. Release the list after errors, too. */
enum cgs_status cgs_list_read(struct cgs_context *context, enum cgs_option_id id, const char *text,
                              struct cgs_list *list);
void cgs_list_release(struct cgs_list *list);
/* Returns true if the text has a comma, or is a range, where a study would take several values. */
bool cgs_list_several(enum cgs_option_id id, const char *text);
/* Takes an option of `study`, as cgs_options_take does. Of several values the field gets the last;
 * a TEXT gets the whole list. */
enum cgs_status cgs_options_take_list(struct cgs_context *context, struct cgs_options *options,
                                      enum cgs_option_id id, const char *text);
/* CGS_USAGE: --resume or --draw without --report, an invalid --expect-order, a file named twice. */
enum cgs_status cgs_options_check_study(struct cgs_context *context, const struct cgs_options *o);

/* ---- options_command.c ---- */
/* Finds the command: the first argument unless that is an option, else `solve`. *taken: number of
 * arguments used: 0, 1, or 2 for the help of `command` (help spmv). CGS_USAGE: unknown command. */
enum cgs_status cgs_options_find_command(struct cgs_context *context, int argc,
                                         const char *const *argv, enum cgs_command *command,
                                         int *taken);
/* CGS_USAGE: an option that the command does not take, too many or too few words. */
enum cgs_status cgs_options_check_words(struct cgs_context *context,
                                        const struct cgs_options *options);

/* ---- options_rules.c ---- */
/* CGS_USAGE: options that do not go together, on any machine. Expressions are not read yet. */
enum cgs_status cgs_options_check_rules(struct cgs_context *context, const struct cgs_options *o);
/* CGS_USAGE: --resume or --draw without the place of what is there. */
enum cgs_status cgs_options_check_folder(struct cgs_context *context, const struct cgs_options *o);
/* Marks the options of the box as unknown. */
void cgs_options_forget_box(struct cgs_options *o);

/* ---- options_input.c ---- */
/* Returns the type of --output's file by its ending; NULL: no output, or an ending without a type. */
const struct cgs_file_type *cgs_options_file_type(const struct cgs_options *o);
/* Returns true if that file holds fields on the mesh of the model problem, not a vector. */
bool cgs_options_fields(const struct cgs_options *o);
/* Returns true if --output or --slice asks for fields on the mesh of the model problem. */
static inline bool cgs_options_pictures(const struct cgs_options *o)
{
    return cgs_options_fields(o) || o->slice.file;
}
/* CGS_USAGE: an output that is one of the files that options were read from. */
enum cgs_status cgs_options_check_sources(struct cgs_context *context, const struct cgs_options *o);
/* For matrices given by rows: marks the options of the model problem as unknown, and decides
 * --rhs. */
void cgs_options_settle_input(struct cgs_options *o);
/* Returns true if the run reads the file `path`; for a study also if one of its lists names it, or
 * it is part of the study in --report. */
bool cgs_options_keeps(const struct cgs_options *o, const char *path);
/* CGS_USAGE: --json or --csv names such a file. */
enum cgs_status cgs_options_check_kept(struct cgs_context *context, const struct cgs_options *o);
/* Returns true if the name's ending stands for a format other than JSON. */
bool cgs_options_json_misnamed(const char *path);
/* CGS_USAGE: an output that does not go with --plan, is "-", has the ending of another format or of one
 * that needs more than there is to write, or is another file of the run. */
enum cgs_status cgs_options_check_files(struct cgs_context *context, const struct cgs_options *o);

/* Return C and sigma of SELL-C-sigma in rows; 1 for other formats. */
static inline int32_t cgs_options_chunk(const struct cgs_options *o)
{
    return cgs_format_chunked(o->format) ? (int32_t)o->chunk : 1;
}

static inline int32_t cgs_options_sigma(const struct cgs_options *o)
{
    return cgs_format_chunked(o->format) ? (int32_t)o->sigma : 1;
}

/* ---- options_solver.c ---- */
/* Returns true if grids of the model problem are made: for --precond=mg or --guess=fmg. */
bool cgs_options_grids(const struct cgs_options *o);
/* Returns true if there are multigrid cycles: on such grids, or with --precond=amg. */
bool cgs_options_cycles(const struct cgs_options *o);
/* Returns the number type of the preconditioner's cycles, or of the start vector's if it has
 * none. */
enum cgs_number cgs_options_cycle(const struct cgs_options *o);
/* CGS_USAGE: the kernel cannot be used on grids, or has no entries for --precond=amg. entry NULL:
 * the kernel is not chosen yet. */
enum cgs_status cgs_options_check_grids(struct cgs_context *context, const struct cgs_options *o,
                                        const struct cgs_kernel_entry *entry);
/* Decides --degree and --strength if they were left open. */
void cgs_options_settle_solver(struct cgs_options *o);

/* ---- values as text ---- */
/* ---- texts (help.c) ---- */
/* Prints the options of one command; of all for the command `help`. */
void cgs_print_help(FILE *file, enum cgs_command command);
/* Prints the options of a command that matter most, on one screen of 24 lines and 80 columns. */
void cgs_print_screen(FILE *file, enum cgs_command command);
/* Runs the command `help`, --help and -h: prints the help of the command named, or of all. */
enum cgs_status cgs_help(struct cgs_context *context, const struct cgs_call *call);
void cgs_print_usage(FILE *file);
/* Prints the known options apart from output and help, "--N=64 --problem=smooth ...", in lines of
 * at most `width` characters; all but the first line are indented by `indent`. */
void cgs_print_effective(FILE *file, const struct cgs_options *options, int indent, int width);

#endif
