/* Entries become rows by two counting sorts, by columns and then by rows, both stable: entries
 * of a row ascend then, and those at the same place follow each other in the caller's order. */
#include "core/library/library_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entries of both triangles: number k < given is the caller's, the others mirror one of those. */
struct entries {
    const struct cgsolve_arrays *arrays;
    int32_t *row_of;          /* of CRS: rows written out; owned */
    const int32_t *row;       /* arrays->row, or row_of */
    int64_t given, count;     /* count = given and as many as are mirrored */
    int64_t *mirrored;        /* the caller's entry behind number given + i; owned */
    int64_t *order, *scratch; /* count each; owned */
    int64_t *counts;          /* rows + 1; owned */
};

static void entries_release(struct entries *e)
{
    free(e->row_of);
    free(e->mirrored);
    free(e->order);
    free(e->scratch);
    free(e->counts);
}

static enum cgs_status no_memory(struct cgs_context *context)
{
    return cgs_fail(context, CGS_MEMORY, "no memory to sort the entries of the matrix into rows");
}

static void *numbers(int64_t count, size_t size)
{
    return calloc((size_t)count + 1, size);
}

static int64_t row_of(const struct entries *e, int64_t k)
{
    return k < e->given ? e->row[k] : e->arrays->columns[e->mirrored[k - e->given]];
}

static int64_t column_of(const struct entries *e, int64_t k)
{
    return k < e->given ? e->arrays->columns[k] : e->row[e->mirrored[k - e->given]];
}

/* ---- what the caller gives ---- */

enum cgs_status cgs_library_check_finite(struct cgs_context *context, int64_t count,
                                         const double *values)
{
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return cgs_fail(context, CGS_FILE, "values[%" PRId64 "] is %g: expected finite numbers",
                            k, values[k]);
    return CGS_OK;
}

static enum cgs_status check_index(struct cgs_context *context, const char *name, int64_t k,
                                   int64_t index, int64_t rows)
{
    if (index >= 0 && index < rows)
        return CGS_OK;
    return cgs_fail(context, CGS_FILE,
                    "%s[%" PRId64 "] = %" PRId64 " is out of range: expected 0 ... %" PRId64, name,
                    k, index, rows - 1);
}

static enum cgs_status check_entries(struct cgs_context *context, const struct entries *e)
{
    const struct cgsolve_arrays *a = e->arrays;
    for (int64_t k = 0; k < a->nonzeros; k++) {
        CGS_TRY(check_index(context, "row", k, e->row[k], a->rows));
        CGS_TRY(check_index(context, "columns", k, a->columns[k], a->rows));
        if (a->stored == CGSOLVE_LOWER ? a->columns[k] > e->row[k]
                                       : a->stored == CGSOLVE_UPPER && a->columns[k] < e->row[k])
            return cgs_fail(context, CGS_FILE,
                            "entry %" PRId64 " (row %d, column %d) is in the other triangle: "
                            "expected the %s one alone",
                            k, e->row[k], a->columns[k],
                            a->stored == CGSOLVE_LOWER ? "lower" : "upper");
    }
    return cgs_library_check_finite(context, a->nonzeros, a->values);
}

static int64_t pointer_at(const struct cgsolve_arrays *a, int64_t i)
{
    return a->pointer_bits == 32 ? ((const int32_t *)a->pointers)[i]
                                 : ((const int64_t *)a->pointers)[i];
}

/* Writes out the rows of a matrix by rows, whose pointers must ascend from 0 to nonzeros. */
static enum cgs_status write_rows(struct cgs_context *context, struct entries *e)
{
    const struct cgsolve_arrays *a = e->arrays;
    if (!(e->row_of = numbers(a->nonzeros, sizeof *e->row_of)))
        return no_memory(context);
    if (pointer_at(a, 0) != 0 || pointer_at(a, a->rows) != a->nonzeros)
        return cgs_fail(context, CGS_FILE,
                        "pointers go from %" PRId64 " to %" PRId64
                        ": expected 0 to nonzeros = %" PRId64,
                        pointer_at(a, 0), pointer_at(a, a->rows), a->nonzeros);
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t begin = pointer_at(a, i), end = pointer_at(a, i + 1);
        if (end < begin || end > a->nonzeros)
            return cgs_fail(context, CGS_FILE,
                            "row %" PRId64 ": pointers go from %" PRId64 " to %" PRId64
                            ": expected ascending ones, at most nonzeros = %" PRId64,
                            i, begin, end, a->nonzeros);
        for (int64_t k = begin; k < end; k++)
            e->row_of[k] = (int32_t)i;
    }
    return CGS_OK;
}

/* Lists the entries that are to be mirrored. */
static enum cgs_status mirror(struct cgs_context *context, struct entries *e)
{
    const struct cgsolve_arrays *a = e->arrays;
    e->given = e->count = a->nonzeros;
    if (a->stored == CGSOLVE_FULL)
        return CGS_OK;
    if (!(e->mirrored = numbers(a->nonzeros, sizeof *e->mirrored)))
        return no_memory(context);
    for (int64_t k = 0; k < e->given; k++)
        if (e->row[k] != a->columns[k])
            e->mirrored[e->count++ - e->given] = k;
    return CGS_OK;
}

/* ---- sorting ---- */

/* to = from, stably sorted by the index that `key` gives. */
static void sort_by(struct entries *e, int64_t (*key)(const struct entries *, int64_t),
                    const int64_t *from, int64_t *to)
{
    int64_t *counts = e->counts;
    memset(counts, 0, ((size_t)e->arrays->rows + 1) * sizeof *counts);
    for (int64_t k = 0; k < e->count; k++)
        counts[key(e, k) + 1]++;
    for (int64_t i = 0; i < e->arrays->rows; i++)
        counts[i + 1] += counts[i];
    for (int64_t i = 0; i < e->count; i++) {
        const int64_t k = from ? from[i] : i;
        to[counts[key(e, k)]++] = k;
    }
}

static enum cgs_status sort(struct cgs_context *context, struct entries *e)
{
    e->order = numbers(e->count, sizeof *e->order);
    e->scratch = numbers(e->count, sizeof *e->scratch);
    e->counts = numbers(e->arrays->rows, sizeof *e->counts);
    if (!e->order || !e->scratch || !e->counts)
        return no_memory(context);
    sort_by(e, column_of, NULL, e->scratch);
    sort_by(e, row_of, e->scratch, e->order);
    return CGS_OK;
}

/* ---- rows ---- */

/* Gives each place of the matrix a slot, and each entry its slot. */
static int64_t number_slots(const struct entries *e, struct cgs_library_rows *rows)
{
    int64_t slots = 0, row = -1, column = -1;
    for (int64_t i = 0; i < e->count; i++) {
        const int64_t k = e->order[i];
        if (row_of(e, k) != row || column_of(e, k) != column) {
            row = row_of(e, k);
            column = column_of(e, k);
            rows->column[slots++] = (int32_t)column;
            rows->pointers[row + 1]++;
        }
        if (k < e->given)
            rows->slot[k] = slots - 1;
        else
            rows->mirror[e->mirrored[k - e->given]] = slots - 1;
    }
    for (int64_t i = 0; i < e->arrays->rows; i++)
        rows->pointers[i + 1] += rows->pointers[i];
    return slots;
}

static enum cgs_status make(struct cgs_context *context, struct entries *e,
                            struct cgs_library_rows *rows, struct cgs_crs *crs, int64_t *nonzeros)
{
    const struct cgsolve_arrays *a = e->arrays;
    if (a->pointers)
        CGS_TRY(write_rows(context, e));
    e->row = a->pointers ? e->row_of : a->row;
    CGS_TRY(check_entries(context, e));
    CGS_TRY(mirror(context, e));
    CGS_TRY(sort(context, e));
    rows->entries = a->nonzeros;
    rows->pointers = numbers(a->rows, sizeof *rows->pointers);
    rows->column = numbers(e->count, sizeof *rows->column);
    rows->slot = numbers(e->given, sizeof *rows->slot);
    rows->mirror = numbers(e->given, sizeof *rows->mirror);
    if (!rows->pointers || !rows->column || !rows->slot || !rows->mirror)
        return no_memory(context);
    memset(rows->mirror, -1, (size_t)e->given * sizeof *rows->mirror);
    *nonzeros = number_slots(e, rows);
    *crs = (struct cgs_crs){
        .rows = a->rows, .columns = a->rows, .pointers = rows->pointers, .column = rows->column};
    return cgs_library_rows_fill(context, a->values, crs, rows);
}

enum cgs_status cgs_library_rows_make(struct cgs_context *context,
                                      const struct cgsolve_arrays *arrays,
                                      struct cgs_library_rows *rows, struct cgs_crs *crs,
                                      int64_t *nonzeros)
{
    struct entries entries = {.arrays = arrays};
    const enum cgs_status status = make(context, &entries, rows, crs, nonzeros);
    entries_release(&entries);
    if (status == CGS_OK)
        return CGS_OK;
    cgs_library_rows_release(rows);
    *crs = (struct cgs_crs){0};
    return status;
}

enum cgs_status cgs_library_rows_fill(struct cgs_context *context, const double *values,
                                      struct cgs_crs *crs, struct cgs_library_rows *rows)
{
    CGS_TRY(cgs_library_check_finite(context, rows->entries, values));
    double *sums = numbers(crs->pointers[crs->rows], sizeof *sums);
    if (!sums)
        return no_memory(context);
    for (int64_t k = 0; k < rows->entries; k++) {
        sums[rows->slot[k]] += values[k];
        if (rows->mirror[k] >= 0)
            sums[rows->mirror[k]] += values[k];
    }
    for (int64_t k = 0; k < rows->entries; k++)
        if (!isfinite(sums[rows->slot[k]])) {
            free(sums);
            return cgs_fail(context, CGS_FILE,
                            "values[%" PRId64
                            "] and others at the same place add up to more than a "
                            "number can be: expected finite sums",
                            k);
        }
    free(rows->value);
    crs->value = rows->value = sums;
    return CGS_OK;
}

void cgs_library_rows_release(struct cgs_library_rows *rows)
{
    free(rows->pointers);
    free(rows->column);
    free(rows->value);
    free(rows->slot);
    free(rows->mirror);
    *rows = (struct cgs_library_rows){0};
}
