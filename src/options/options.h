/* What the person asked for: the options as typed values, from the tables options.def and
 * choices.def. The run writes its own decisions (chunk, tolerance, backend, ...) into the same
 * struct, so that "ran with" shows what was in effect.
 */
#ifndef CGS_SRC_OPTIONS_OPTIONS_H
#define CGS_SRC_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/context.h"
#include "fem/problem.h"
#include "kernels/registry.h"
#include "src/options/call.h"
#include "src/options/choices.h"
#include "src/options/grammar.h"
#include "src/options/handed.h"
#include "src/options/table.h"

#define CGS_FIELD_INT int64_t
#define CGS_FIELD_REAL double
#define CGS_FIELD_SIZE int64_t
#define CGS_FIELD_CHOICE int
#define CGS_FIELD_PROBLEM const struct cgs_problem *
#define CGS_FIELD_KAPPA struct cgs_kappa
#define CGS_FIELD_RANDOM struct cgs_random_matrix
#define CGS_FIELD_FAULT struct cgs_fault
#define CGS_FIELD_SLICE struct cgs_slice_request
#define CGS_FIELD_TEXT const char *
#define CGS_FIELD_FLAG bool

struct cgs_options {
    enum cgs_command command;
#define CGS_OPTION(group, commands, name, kind, field, ...) CGS_FIELD_##kind field;
#include "src/options/options.def"
#undef CGS_OPTION
    bool given[CGS_OPTIONS];  /* by the person */
    bool known[CGS_OPTIONS];  /* given, a default, or decided by the run */
    char *texts[CGS_OPTIONS]; /* as given; owned */
    const char **words;       /* what follows the command (list kernels ...); the array is owned, the words are argv's */
    int word_count;
    struct cgs_foreign *foreign; /* the kernel, where it is a file of the user's; owned by main */
    struct cgs_pulse *pulse;     /* for its watcher to see; NULL: nobody watches */
    const struct cgs_handed *handed; /* by a caller of the library; borrowed, NULL: nothing */
};

/* The file that --rhs names; NULL where it is a word (random, ones), or not known. */
const char *cgs_rhs_file(const struct cgs_options *options);

/* options->field = value, decided by the run. */
#define CGS_DECIDE(options, field, value)                                                          \
    ((options)->field = (value), (options)->known[CGS_OPTION_##field] = true)

/* Bytes of each memory that --memory-limit allows; INT64_MAX where it is not given. */
static inline int64_t cgs_options_memory_limit(const struct cgs_options *options)
{
    return options->known[CGS_OPTION_memory_limit] ? options->memory_limit : INT64_MAX;
}

/* A matrix in the memory of a caller of the library; NULL: none. */
static inline const struct cgs_crs *cgs_options_memory(const struct cgs_options *options)
{
    return options->handed ? options->handed->crs : NULL;
}

/* The matrix is that of the box; else it comes by its rows, from a file, from memory, at random. */
static inline bool cgs_options_box(const struct cgs_options *options)
{
    return !options->matrix && !cgs_options_memory(options) && options->random.n == 0;
}

/* Reads the command line. At --help, --usage or --version it stops reading. After a wrong option
 * it goes on to the others, so that options->json is there for the report of the failure.
 * CGS_USAGE: unknown option or command (with the nearest spelling), value not valid or out of
 * range, combination that makes no sense. Always to be released. */
enum cgs_status cgs_options_parse(struct cgs_context *context, int argc, const char *const *argv,
                                  struct cgs_options *options);
void cgs_options_release(struct cgs_options *options);

/* ---- parts of cgs_options_parse, for who has no command line ---- */
/* The defaults alone, of `solve`. */
enum cgs_status cgs_options_start(struct cgs_context *context, struct cgs_options *options);
/* The option of that name, without dashes. CGS_USAGE: unknown, with the nearest spelling. */
enum cgs_status cgs_options_find(struct cgs_context *context, const char *name,
                                 enum cgs_option_id *id);
/* After the last option: CGS_USAGE for combinations that make no sense; then settles what follows
 * from the others. */
enum cgs_status cgs_options_settle(struct cgs_context *context, struct cgs_options *options);

/* ---- options_value.c ---- */
/* Reads `text` into the option's field. CGS_USAGE: not valid or out of range. */
enum cgs_status cgs_options_take(struct cgs_context *context, struct cgs_options *options,
                                 enum cgs_option_id id, const char *text);

/* What is meant by `word` as a value of that option, or, where the option is "", as an option's name, in
 * other programs (synonyms.def); NULL where nobody knows. Large and small letters are the same. */
const char *cgs_synonym(const char *option, const char *word);

/* ---- options_list.c: several values of an option, for `study` ---- */
struct cgs_list {
    char **values; /* as one would write them, briefly: "1e1" is "10"; owned, and each of them */
    int count;
};

/* The values of an option that is listable; of others the text itself. CGS_USAGE: one of them is not
 * valid, or is there twice. To be released also then. */
enum cgs_status cgs_list_read(struct cgs_context *context, enum cgs_option_id id, const char *text,
                              struct cgs_list *list);
void cgs_list_release(struct cgs_list *list);
/* As cgs_options_take, of `study`: the field becomes the last of several values, but a TEXT's is all
 * of the text. */
enum cgs_status cgs_options_take_list(struct cgs_context *context, struct cgs_options *options,
                                      enum cgs_option_id id, const char *text);
/* CGS_USAGE: --resume or --draw without --report, --expect-order not understood, files named
 * twice. */
enum cgs_status cgs_options_check_study(struct cgs_context *context, const struct cgs_options *o);

/* ---- options_command.c ---- */
/* The command is the first argument, unless that is an option; *taken: arguments that it took, 0 or
 * 1, or 2: the help of `command` (help spmv). CGS_USAGE: unknown. */
enum cgs_status cgs_options_find_command(struct cgs_context *context, int argc,
                                         const char *const *argv, enum cgs_command *command,
                                         int *taken);
/* CGS_USAGE: options that the command does not take, words too many or too few. */
enum cgs_status cgs_options_check_words(struct cgs_context *context,
                                        const struct cgs_options *options);

/* ---- options_input.c ---- */
/* Returns true if --output names a .vtkhdf file: fields on the mesh of the box. */
bool cgs_options_vtkhdf(const struct cgs_options *o);
/* Returns true if --output or --slice asks for fields on the mesh of the box. */
static inline bool cgs_options_pictures(const struct cgs_options *o)
{
    return cgs_options_vtkhdf(o) || o->slice.file;
}
/* CGS_USAGE: options of the box beside --matrix or --random, both of these, --rhs without --matrix,
 * --output of a product that is not sorted. */
enum cgs_status cgs_options_check_input(struct cgs_context *context, const struct cgs_options *o);
/* What describes the box is no longer known where the matrix comes from elsewhere; --rhs is. */
void cgs_options_settle_input(struct cgs_options *o);
/* Whether the path is a file that the run reads, by its options; of a study one of the files that a
 * list names, or a part of the study in --report. */
bool cgs_options_keeps(const struct cgs_options *o, const char *path);
/* CGS_USAGE: --json or --csv is kept in that sense. */
enum cgs_status cgs_options_check_kept(struct cgs_context *context, const struct cgs_options *o);
/* Returns true if the name's ending says that something else than JSON is in the file. */
bool cgs_options_json_misnamed(const char *path);
/* CGS_USAGE: an output that makes no sense with --plan, or is "-", or ends in what is not written, or is
 * another file of the run. */
enum cgs_status cgs_options_check_files(struct cgs_context *context, const struct cgs_options *o);

/* Rows of a chunk, and of a window that is sorted; 1 where the format has none. */
static inline int32_t cgs_options_chunk(const struct cgs_options *o)
{
    return cgs_format_chunked((enum cgs_format)o->format) ? (int32_t)o->chunk : 1;
}

static inline int32_t cgs_options_sigma(const struct cgs_options *o)
{
    return cgs_format_chunked((enum cgs_format)o->format) ? (int32_t)o->sigma : 1;
}

/* ---- options_solver.c ---- */
/* Whether grids of the box are made: of multigrid as preconditioner, or as a start. */
bool cgs_options_grids(const struct cgs_options *o);
/* Whether there are cycles: on such grids, or on those of --precond=amg. */
bool cgs_options_cycles(const struct cgs_options *o);
/* The numbers of the preconditioner's cycles; where it has none, of the start's. There are cycles. */
enum cgs_number cgs_options_cycle(const struct cgs_options *o);
/* CGS_USAGE: degree or precision of what is not there, grids for a file's matrix, ... */
enum cgs_status cgs_options_check_solver(struct cgs_context *context, const struct cgs_options *o);
/* CGS_USAGE: the kernel cannot be that of grids, or has no entries for --precond=amg. `entry` NULL: it
 * is not known yet. */
enum cgs_status cgs_options_check_grids(struct cgs_context *context, const struct cgs_options *o,
                                        const struct cgs_kernel_entry *entry);
/* Degree and strength, where they were left open. */
void cgs_options_settle_solver(struct cgs_options *o);

/* ---- values as text ---- */
/* The present value as one would write it; of a FLAG "". */
void cgs_option_value(const struct cgs_options *options, enum cgs_option_id option, char *text,
                      size_t size);
/* The name of a CHOICE's present value. */
const char *cgs_option_choice(const struct cgs_options *options, enum cgs_option_id option);
/* ---- texts (help.c) ---- */
/* The options of one command; `help`: of all. */
void cgs_print_help(FILE *file, enum cgs_command command);
/* The command `help`, and --help: of the command that was named, or of all. */
enum cgs_status cgs_help(struct cgs_context *context, const struct cgs_call *call);
void cgs_print_usage(FILE *file);
/* "--N=64 --problem=smooth ...": everything known but output and help, in lines of `width`
 * characters at most, each after the first indented by `indent`. */
void cgs_print_effective(FILE *file, const struct cgs_options *options, int indent, int width);

#endif
