#include "core/options/grammar.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "core/options/values.h"

/* Returns the rest of text after `word`; NULL if text does not begin with it. */
static const char *after(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : NULL;
}

bool cgs_kappa_read(const char *text, struct cgs_kappa *kappa)
{
    struct cgs_kappa read = {.kind = CGS_KAPPA_ONE, .ratio = 1.0};
    const char *ratio = after(text, "jump:");
    if (ratio) {
        read.kind = CGS_KAPPA_JUMP;
        if (cgs_value_real(ratio, 1e-12, 1e12, &read.ratio) != CGS_VALUE_FINE)
            return false;
        if (read.ratio == 1.0) /* no jump */
            read.kind = CGS_KAPPA_ONE;
    } else if (strcmp(text, "smooth") == 0) {
        read.kind = CGS_KAPPA_SMOOTH;
    } else if (text[0] == '\0' || strcmp(text, "jump") == 0 || after(text, "jump=")) {
        return false;
    } else if (strcmp(text, "1") != 0) {
        read.kind = CGS_KAPPA_CELLS;
        read.text = text;
    }
    *kappa = read;
    return true;
}

void cgs_kappa_write(const struct cgs_kappa *kappa, char *text, size_t size)
{
    switch (kappa->kind) {
    case CGS_KAPPA_ONE:
        snprintf(text, size, "1");
        break;
    case CGS_KAPPA_SMOOTH:
        snprintf(text, size, "smooth");
        break;
    case CGS_KAPPA_CELLS:
        snprintf(text, size, "%s", kappa->text ? kappa->text : "cells");
        break;
    case CGS_KAPPA_JUMP: {
        char ratio[32];
        cgs_value_write(kappa->ratio, ratio, sizeof ratio);
        snprintf(text, size, "jump:%s", ratio);
        break;
    }
    }
}

/* Copies the text before the next comma or the end to word[size], and advances *text to there.
 * Returns false if it is empty or too long. */
static bool next_number(const char **text, char *word, size_t size)
{
    const size_t length = strcspn(*text, ",");
    if (length == 0 || length >= size)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

/* Reads a number, for all three directions, or three with an x between them: "20x36x50". Returns
 * false if it is neither, or one is not least < value < most. */
static bool read_three(const char *text, double least, double most, double value[3])
{
    const char *at = text;
    char word[64];
    int count = 0;
    for (; count < 3; count++) {
        const size_t length = strcspn(at, "x");
        if (length == 0 || length >= sizeof word)
            return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (cgs_value_real(word, least, most, &value[count]) != CGS_VALUE_FINE)
            return false;
        at += length;
        if (*at == '\0')
            break;
        at++;
    }
    if (count == 0)
        value[1] = value[2] = value[0];
    return *at == '\0' && (count == 0 || count == 2);
}

bool cgs_cells_read(const char *text, struct cgs_cell_counts *cells)
{
    double value[3];
    if (!read_three(text, 1.5, 10001.5, value))
        return false;
    for (int k = 0; k < 3; k++)
        if (value[k] != (double)(int64_t)value[k])
            return false;
    for (int k = 0; k < 3; k++)
        cells->of[k] = (int64_t)value[k];
    return true;
}

bool cgs_lengths_read(const char *text, struct cgs_lengths *lengths)
{
    return read_three(text, 1e-13, 1e13, lengths->of);
}

void cgs_cells_write(const struct cgs_cell_counts *cells, char *text, size_t size)
{
    snprintf(text, size, "%lldx%lldx%lld", (long long)cells->of[0], (long long)cells->of[1],
             (long long)cells->of[2]);
}

void cgs_lengths_write(const struct cgs_lengths *lengths, char *text, size_t size)
{
    char length[3][32];
    for (int k = 0; k < 3; k++)
        cgs_value_write(lengths->of[k], length[k], sizeof length[k]);
    snprintf(text, size, "%sx%sx%s", length[0], length[1], length[2]);
}

static const char *const nodal_names[] = {[CGS_NODAL_SOLUTION] = "solution",
                                          [CGS_NODAL_ERROR] = "error",
                                          [CGS_NODAL_RESIDUAL] = "residual"};
static const char *const nodal_formulas[] = {[CGS_NODAL_SOLUTION] = "solution u_h",
                                             [CGS_NODAL_ERROR] = "error u_h - u",
                                             [CGS_NODAL_RESIDUAL] = "residual b - A x"};

const char *cgs_nodal_name(enum cgs_nodal nodal)
{
    return nodal_names[nodal];
}

static const char *nodal_formula(enum cgs_nodal nodal)
{
    return nodal_formulas[nodal];
}

const char *cgs_slice_name(const struct cgs_slice_request *slice)
{
    return slice->flux ? "flux" : cgs_nodal_name(slice->field);
}

const char *cgs_slice_formula(const struct cgs_slice_request *slice)
{
    return slice->flux ? "flux |kappa grad u_h|" : nodal_formula(slice->field);
}

bool cgs_slice_read(const char *text, struct cgs_slice_request *slice)
{
    static const char axes[] = "xyz";
    struct cgs_slice_request read = {.field = CGS_NODAL_SOLUTION};
    char word[64];
    const char *axis = text[0] ? strchr(axes, text[0]) : NULL;
    if (!axis || text[1] != ':')
        return false;
    read.axis = (int)(axis - axes);
    text += 2;
    if (!next_number(&text, word, sizeof word) ||
        cgs_value_real(word, -DBL_MIN, 1e13, &read.position) != CGS_VALUE_FINE || *text++ != ',')
        return false;
    const char *begin = text;
    for (int i = 0; i < CGS_NODALS; i++) {
        const char *rest = after(text, cgs_nodal_name((enum cgs_nodal)i));
        if (rest && *rest == ',') {
            read.field = (enum cgs_nodal)i;
            text = rest + 1;
            break;
        }
    }
    const char *rest = after(text, "flux");
    if (text == begin && rest && *rest == ',') {
        read.flux = true;
        text = rest + 1;
    }
    if (text == begin && text[strcspn(text, ",/\n")] == ',')
        return false; /* unknown field */
    const size_t length = strcspn(text, "\n");
    if (length == 0 || length >= sizeof read.file)
        return false;
    memcpy(read.file, text, length);
    *slice = read;
    return true;
}

bool cgs_slice_next(const char **left, struct cgs_slice_request *slice)
{
    if (!*left || !cgs_slice_read(*left, slice))
        return false;
    const char *end = strchr(*left, '\n');
    *left = end ? end + 1 : NULL;
    return true;
}

/* Reads a text of slices, a line each, which the field then borrows. */
static bool read_slices(const char *text, void *field)
{
    struct cgs_slice_request slice;
    const char *left = text;
    while (cgs_slice_next(&left, &slice))
        continue;
    if (!left)
        *(const char **)field = text;
    return !left;
}

static void write_slices(const void *field, char *text, size_t size)
{
    snprintf(text, size, "%s", *(const char *const *)field);
}

bool cgs_point_read(const char *text, size_t length, double point[3])
{
    char copy[200], word[64];
    const char *at = copy;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    for (int k = 0; k < 3; k++) {
        if (k > 0 && *at++ != ',')
            return false;
        if (!next_number(&at, word, sizeof word) ||
            cgs_value_real(word, -1e13, 1e13, &point[k]) != CGS_VALUE_FINE)
            return false;
    }
    return *at == '\0';
}

bool cgs_line_read(const char *text, struct cgs_line_request *line)
{
    struct cgs_line_request read = {.points = 0};
    double *const ends[2] = {read.from, read.to};
    char word[64];
    for (int end = 0; end < 2; end++) {
        const size_t length = strcspn(text, ":");
        if (text[length] != ':' || !cgs_point_read(text, length, ends[end]))
            return false;
        text += length + 1;
    }
    if (!next_number(&text, word, sizeof word) ||
        cgs_value_whole(word, 2, CGS_LINE_POINTS, &read.points) != CGS_VALUE_FINE)
        return false;
    read.file = *text == ',' ? text + 1 : NULL;
    if (read.file && !*read.file)
        return false;
    *line = read;
    return true;
}

void cgs_line_write(const struct cgs_line_request *line, char *text, size_t size)
{
    char number[6][32];
    for (int k = 0; k < 6; k++)
        cgs_value_write(k < 3 ? line->from[k] : line->to[k - 3], number[k], sizeof number[k]);
    snprintf(text, size, "%s,%s,%s:%s,%s,%s:%lld%s%s", number[0], number[1], number[2], number[3],
             number[4], number[5], (long long)line->points, line->file ? "," : "",
             line->file ? line->file : "");
}

bool cgs_random_read(const char *text, struct cgs_random_matrix *random)
{
    struct cgs_random_matrix read = {0};
    char word[64];
    if (!next_number(&text, word, sizeof word) ||
        cgs_value_whole(word, 1, 2147483647, &read.n) != CGS_VALUE_FINE || *text++ != ',')
        return false;
    if (!next_number(&text, word, sizeof word) ||
        cgs_value_real(word, 0.0, 1.0 + DBL_EPSILON, &read.density) != CGS_VALUE_FINE)
        return false;
    if (strcmp(text, ",powerlaw") == 0)
        read.powerlaw = true;
    else if (*text != '\0')
        return false;
    *random = read;
    return true;
}

void cgs_random_write(const struct cgs_random_matrix *random, char *text, size_t size)
{
    char density[32];
    cgs_value_write(random->density, density, sizeof density);
    snprintf(text, size, "%lld,%s%s", (long long)random->n, density,
             random->powerlaw ? ",powerlaw" : "");
}

static const struct {
    const char *name;
    bool at; /* an iteration follows */
} faults[CGS_FAULTS] = {
    [CGS_FAULT_NAN] = {"nan", true},
    [CGS_FAULT_BITFLIP] = {"bitflip", true},
    [CGS_FAULT_INDEFINITE] = {"indefinite", false},
    [CGS_FAULT_ASYMMETRIC] = {"asymmetric", false},
    [CGS_FAULT_OOM] = {"oom", false},
    [CGS_FAULT_CUDA_ERROR] = {"cuda-error", false},
    [CGS_FAULT_CUDA_HANG] = {"cuda-hang", false},
};

bool cgs_fault_read(const char *text, struct cgs_fault *fault)
{
    for (int kind = CGS_FAULT_NONE + 1; kind < CGS_FAULTS; kind++) {
        struct cgs_fault read = {(enum cgs_fault_kind)kind, 0};
        const char *rest = after(text, faults[kind].name);
        if (!rest)
            continue;
        if (faults[kind].at ? *rest != '@' || cgs_value_whole(rest + 1, 0, 1e9, &read.at) != 0
                            : *rest != '\0')
            return false;
        *fault = read;
        return true;
    }
    return false;
}

void cgs_fault_write(const struct cgs_fault *fault, char *text, size_t size)
{
    if (fault->kind == CGS_FAULT_NONE)
        snprintf(text, size, "none");
    else if (faults[fault->kind].at)
        snprintf(text, size, "%s@%lld", faults[fault->kind].name, (long long)fault->at);
    else
        snprintf(text, size, "%s", faults[fault->kind].name);
}

bool cgs_gpus_read(const char *text, struct cgs_gpus *gpus)
{
    struct cgs_gpus read = {.listed = strchr(text, ',') != NULL};
    char word[16];
    int64_t number;
    if (!read.listed && strcmp(text, "all") != 0) {
        if (cgs_value_whole(text, 1, CGS_GPUS_MOST, &number) != CGS_VALUE_FINE)
            return false;
        read.count = (int)number;
    }
    while (read.listed) {
        if (read.count == CGS_GPUS_MOST || !next_number(&text, word, sizeof word) ||
            cgs_value_whole(word, 0, 1023, &number) != CGS_VALUE_FINE)
            return false;
        for (int i = 0; i < read.count; i++) /* each process needs a device of its own */
            if (read.device[i] == number)
                return false;
        read.device[read.count++] = (int)number;
        if (*text++ == '\0')
            break;
    }
    *gpus = read;
    return true;
}

void cgs_gpus_write(const struct cgs_gpus *gpus, char *text, size_t size)
{
    snprintf(text, size, "%s", "all");
    if (gpus->count > 0 && !gpus->listed)
        snprintf(text, size, "%d", gpus->count);
    if (gpus->listed)
        text[0] = '\0';
    for (int i = 0; gpus->listed && i < gpus->count; i++)
        cgs_append(text, size, "%s%d", i > 0 ? "," : "", gpus->device[i]);
}

/* Functions of a kind for the table, whose fields have no type. */
#define FUNCTIONS(name, type)                                                                      \
    static bool read_##name(const char *text, void *field)                                         \
    {                                                                                              \
        return cgs_##name##_read(text, (type *)field);                                             \
    }                                                                                              \
    static void write_##name(const void *field, char *text, size_t size)                           \
    {                                                                                              \
        cgs_##name##_write((const type *)field, text, size);                                       \
    }
FUNCTIONS(kappa, struct cgs_kappa)
FUNCTIONS(cells, struct cgs_cell_counts)
FUNCTIONS(lengths, struct cgs_lengths)
FUNCTIONS(random, struct cgs_random_matrix)
FUNCTIONS(gpus, struct cgs_gpus)
FUNCTIONS(fault, struct cgs_fault)
FUNCTIONS(line, struct cgs_line_request)

const struct cgs_phrase cgs_phrases[CGS_KINDS] = {
    [CGS_KIND_KAPPA] =
        {read_kappa, write_kappa,
         "1, smooth, jump:R with a number R, 1e-12 < R < 1e12, or an expression in x, y,"
         " z"},
    [CGS_KIND_CELLS] =
        {read_cells, write_cells,
         "whole numbers in x, y and z, each 2 ... 10001: 20x36x50, or 20 for all three"},
    [CGS_KIND_LENGTHS] = {read_lengths, write_lengths,
                          "lengths in x, y and z, each 1e-13 < L < 1e13: 1x2x0.5, or 2 for all "
                          "three, without a unit: "
                          "10 mm are 0.01 where all else is in metres"},
    [CGS_KIND_RANDOM] =
        {read_random, write_random,
         "n,density or n,density,powerlaw with a whole number n, 1 ... 2147483647, and 0"
         " < density <= 1"},
    [CGS_KIND_GPUS] =
        {read_gpus, write_gpus,
         "all, a number of devices, 1 ... 64, or up to 64 different numbers of devices, "
         "0 ... 1023: 0,2"},
    [CGS_KIND_FAULT] = {read_fault, write_fault,
                        "nan@K or bitflip@K (after iteration K), indefinite, asymmetric, oom, cuda-"
                        "error or cuda-hang"},
    [CGS_KIND_SLICE] =
        {read_slices, write_slices,
         "AXIS:POSITION,FILE or AXIS:POSITION,FIELD,FILE with an axis x, y or z, 0 <= "
         "POSITION <= 1 (with --size the length in that direction), a FIELD solution, "
         "error, residual or flux, and a FILE that ends with .png, .svg or .pdf"},
    [CGS_KIND_LINE] =
        {read_line, write_line,
         "X,Y,Z:X,Y,Z:N or X,Y,Z:X,Y,Z:N,FILE with two points of the box and 2 ... 10000 points "
         "from one to the other"},
};
