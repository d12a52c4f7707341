/* Settings of a run: the values of the options that it reads (options.def), which of them the
 * user gave, and which are known. A run writes its own decisions (chunk, tolerance, backend,
 * ...) into the same struct, so that "ran with" shows the values in effect. Files outside
 * core/options see no more of the options than this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/context.h"
#include "core/options/choices.h"
#include "core/options/file_types.h"
#include "core/options/grammar.h"
#include "core/options/table.h"
#include "fem/problem.h"
#include "kernels/near_null.h"
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
#define CGS_FIELD_SLICE const char *
#define CGS_FIELD_LINE struct cgs_line_request
#define CGS_FIELD_TEXT const char *
#define CGS_FIELD_TEXTS const char *
#define CGS_FIELD_FLAG bool

struct cgs_settings {
    enum cgs_command command; /* that runs with them */
#define CGS_OPTION(group, commands, name, kind, field, ...) CGS_FIELD_##kind field;
#define CGS_PROGRAM_OPTION(...)
#include "core/options/options.def"
#undef CGS_OPTION
#undef CGS_PROGRAM_OPTION
    bool given[CGS_OPTIONS]; /* given by the user */
    bool known[CGS_OPTIONS]; /* given, a default, or decided by the run */
    const char *guess_file;  /* the file of --guess; borrowed, NULL: a word */
    struct cgs_user_model
        *model; /* of the user's own expressions, which `problem` is then; owned, NULL: none */
    struct cgs_near_null_asked near; /* of the file, or the library's caller, once it is known */
    const char *precond_why; /* of --precond=auto: why it took what it did; NULL: not asked */
    bool from_caller; /* the rows are those of the library's caller (core/setup/external.h) */
};

/* Sets settings->field to a value decided by the run. */
#define CGS_DECIDE(settings, field, value)                                                         \
    ((settings)->field = (value), (settings)->known[CGS_OPTION_##field] = true)

/* Returns the file of --rhs; NULL if it is a word (random, ones) or unknown. */
const char *cgs_rhs_file(const struct cgs_settings *settings);

/* Returns the file of --nullspace; NULL if it is a word (constant, none) or unknown. */
const char *cgs_nullspace_file(const struct cgs_settings *settings);

/* Returns true if that text of --guess names a file: it has an ending or a folder, as no word
 * has. */
static inline bool cgs_guess_names_file(const char *text)
{
    return strpbrk(text, "./") != NULL;
}

/* Returns the bytes of --memory-limit, for host and device each; INT64_MAX if it is not given. */
static inline int64_t cgs_settings_memory_limit(const struct cgs_settings *settings)
{
    return settings->known[CGS_OPTION_memory_limit] ? settings->memory_limit : INT64_MAX;
}

/* Returns true for the model problem's matrix; others are given by rows: a file's, the caller's, a
 * random one. */
static inline bool cgs_settings_box(const struct cgs_settings *settings)
{
    return !settings->matrix && !settings->from_caller && settings->random.n == 0;
}

/* Sets n to the unknowns of the box in x, y and z: of --cells, or of --N. */
void cgs_settings_unknowns(const struct cgs_settings *settings, int64_t n[3]);

/* Returns the rule, also before defaults are settled: of order p > 1 that of the nodes. */
enum cgs_quadrature cgs_settings_rule(const struct cgs_settings *settings);

/* Returns true if the matrix of order p > 1 is a star (fem/element/order_line.h); if CUDA has what
 * is asked of that order: before the user's expressions are read, as far as is known. */
bool cgs_settings_star(const struct cgs_settings *settings);
bool cgs_settings_order_on_device(const struct cgs_settings *settings);

/* Returns true for as many unknowns in each direction; for those of the unit cube. */
bool cgs_settings_equal_n(const struct cgs_settings *settings);
bool cgs_settings_unit_cube(const struct cgs_settings *settings);

/* Writes how the box is cut, "N = 64" or "20x36x50 cells", and the setting that says so,
 * "\1N=64" or "\1cells=20x36x50". */
void cgs_settings_name_box(const struct cgs_settings *settings, char *text, size_t size);
void cgs_settings_write_cut(const struct cgs_settings *settings, char *text, size_t size);

/* Returns the type of --output's file by its ending; NULL: no output, or an ending without a
 * type. */
const struct cgs_file_type *cgs_settings_file_type(const struct cgs_settings *settings);
/* Returns what there is for --output. */
enum cgs_holding cgs_settings_holding(const struct cgs_settings *settings);
/* Returns true if that file holds fields on the mesh of the model problem, not a vector. */
bool cgs_settings_fields(const struct cgs_settings *settings);
/* Returns true if --output or --slice asks for fields on the mesh of the model problem. */
/* Returns true if b - A x is among what is drawn. */
bool cgs_settings_draw_residual(const struct cgs_settings *settings);

static inline bool cgs_settings_pictures(const struct cgs_settings *settings)
{
    return cgs_settings_fields(settings) || settings->slice;
}

/* Returns true if --probe or --line asks for u at points of the box. */
static inline bool cgs_settings_probes(const struct cgs_settings *settings)
{
    return settings->probe || settings->line.points > 0;
}

/* Return C and sigma of SELL-C-sigma in rows; 1 for other formats. */
static inline int32_t cgs_settings_chunk(const struct cgs_settings *settings)
{
    return cgs_format_chunked(settings->format) ? (int32_t)settings->chunk : 1;
}

static inline int32_t cgs_settings_sigma(const struct cgs_settings *settings)
{
    return cgs_format_chunked(settings->format) ? (int32_t)settings->sigma : 1;
}

/* Marks the options of the box as unknown. */
void cgs_settings_forget_box(struct cgs_settings *settings);

/* The text of an option that may be given several times (cgs_kind_repeats) has a line each: length
 * of the first one, the lines after it, NULL at the end, the last one, and how many there are, none
 * where it is NULL. */
static inline int cgs_line_length(const char *lines)
{
    return (int)strcspn(lines, "\n");
}

static inline const char *cgs_line_after(const char *lines)
{
    const char *end = strchr(lines, '\n');
    return end ? end + 1 : NULL;
}

static inline const char *cgs_line_last(const char *lines)
{
    const char *end = strrchr(lines, '\n');
    return end ? end + 1 : lines;
}

static inline int cgs_line_count(const char *lines)
{
    int count = 0;
    for (; lines; lines = cgs_line_after(lines))
        count++;
    return count;
}

/* Returns two texts as two lines, owned by the caller; NULL: no memory. */
char *cgs_lines_join(const char *first, const char *second);
