/* The matrix of a handle of libcgsolve: the caller's rows, the box, or a file, as asked for. One
 * that is refused leaves none, so that no solve takes another matrix than the caller believes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/library/handle.h"
#include "core/library/library_call.h"
#include "core/library/library_matrix.h"
#include "core/library/library_ranks.h"
#include "core/options/options_value.h"
#include "kernels/near_null.h"
#include "matrix/crs_check.h"

static enum cgs_status check_arrays(struct cgs_context *context, const struct cgsolve_arrays *a)
{
    if (!a)
        return cgs_fail(context, CGS_USAGE, "arrays is NULL: expected a struct cgsolve_arrays");
    if (a->pointers && a->row)
        return cgs_fail(
            context, CGS_USAGE,
            "both pointers and row are given: expected pointers for a matrix by rows, or row "
            "for one entry by entry");
    if ((!a->pointers && !a->row) || !a->columns || !a->values)
        return cgs_fail(context, CGS_USAGE, "%s is NULL: expected an array",
                        !a->pointers && !a->row ? "pointers"
                        : !a->columns           ? "columns"
                                                : "values");
    if (a->pointers && a->pointer_bits != 64 && a->pointer_bits != 32)
        return cgs_fail(context, CGS_USAGE, "pointer_bits = %d: expected 64 or 32",
                        a->pointer_bits);
    if (a->stored != CGSOLVE_FULL && a->stored != CGSOLVE_LOWER && a->stored != CGSOLVE_UPPER)
        return cgs_fail(context, CGS_USAGE,
                        "stored = %d: expected CGSOLVE_FULL, CGSOLVE_LOWER or CGSOLVE_UPPER",
                        (int)a->stored);
    return CGS_OK;
}

/* Sizes of what is to be allocated. */
static enum cgs_status check_sizes(struct cgs_context *context, const struct cgsolve_arrays *a)
{
    if (a->rows < 1 || a->rows > INT32_MAX)
        return cgs_fail(context, CGS_FILE, "rows = %" PRId64 ": expected 1 ... 2147483647",
                        a->rows);
    if (a->nonzeros < 0)
        return cgs_fail(context, CGS_FILE, "nonzeros = %" PRId64 ": expected 0 or more",
                        a->nonzeros);
    const struct cgs_crs unread = {.rows = a->rows, .columns = a->rows};
    if (a->nonzeros < a->rows) /* no memory for rows of which some are empty */
        return cgs_crs_check(context, &unread, a->nonzeros);
    return CGS_OK;
}

/* Copies 32-bit pointers. */
static enum cgs_status widen(struct cgsolve *s, const struct cgsolve_arrays *a)
{
    const int32_t *narrow = a->pointers;
    if (!(s->own.pointers = malloc(((size_t)a->rows + 1) * sizeof *s->own.pointers)))
        return cgs_fail(&s->call, CGS_MEMORY, "no memory for row pointers of 64 bits");
    for (int64_t i = 0; i <= a->rows; i++)
        s->own.pointers[i] = narrow[i];
    return CGS_OK;
}

/* Arrays on a device, which set-up looks at. */
static enum cgs_status take_there(struct cgsolve *s, const struct cgsolve_arrays *a)
{
    if (a->row || a->stored != CGSOLVE_FULL)
        return cgs_fail(
            &s->call, CGS_USAGE,
            "arrays on a device are by rows and of both triangles: expected pointers and "
            "CGSOLVE_FULL");
    CGS_TRY(check_sizes(&s->call, a));
    s->on_device = true;
    s->crs.rows = a->rows;
    s->there = (struct cgs_caller_rows){.rows = a->rows,
                                        .nonzeros = a->nonzeros,
                                        .pointers = a->pointers,
                                        .pointer_bits = a->pointer_bits,
                                        .column = a->columns,
                                        .value = a->values};
    return CGS_OK;
}

/* Fails where an array is not in the host's memory. Its length may be wrong, and is checked
 * elsewhere. */
static enum cgs_status check_host(struct cgs_context *context, const struct cgsolve_arrays *a)
{
    const struct {
        const char *name;
        const void *array;
    } arrays[] = {
        {"pointers", a->pointers}, {"row", a->row}, {"columns", a->columns}, {"values", a->values}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        CGS_TRY(cgs_library_check_place(
            context, arrays[i].name, arrays[i].array, 1,
            "; on_device says that arrays are in the memory of a CUDA device"));
    return CGS_OK;
}

/* Takes the arrays as they are where they are rows of the whole matrix, else makes these of
 * them. */
static enum cgs_status take(struct cgsolve *s, const struct cgsolve_arrays *a)
{
    CGS_TRY(check_arrays(&s->call, a));
    s->nonzeros = a->nonzeros;
    cgs_library_share(s, a->nonzeros);
    if (a->on_device)
        return take_there(s, a);
    CGS_TRY(check_host(&s->call, a));
    if (a->row || a->stored != CGSOLVE_FULL || a->pointer_bits == 32)
        CGS_TRY(check_sizes(&s->call, a));
    if (a->row || a->stored != CGSOLVE_FULL) {
        CGS_TRY(cgs_library_rows_make(&s->call, a, &s->own, &s->crs, &s->nonzeros));
        return cgs_crs_check(&s->call, &s->crs, s->nonzeros);
    }
    if (a->pointer_bits == 32)
        CGS_TRY(widen(s, a));
    /* Borrowed and only read: struct cgs_crs owns its arrays elsewhere. */
    s->crs =
        (struct cgs_crs){.rows = a->rows,
                         .columns = a->rows,
                         .pointers = s->own.pointers ? s->own.pointers : (int64_t *)a->pointers,
                         .column = (int32_t *)a->columns,
                         .value = (double *)a->values};
    return cgs_crs_check(&s->call, &s->crs, s->nonzeros);
}

static enum cgsolve_status take_arrays(struct cgsolve *s, const char *function,
                                       const struct cgsolve_arrays *arrays)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, function))
        return CGSOLVE_USAGE;
    cgs_library_forget_matrix(s);
    cgs_library_compute(s->call.threads);
    if (take(s, arrays) != CGS_OK)
        cgs_library_forget_arrays(s);
    return cgs_library_end_matrix(&call, CGS_LIBRARY_CRS);
}

enum cgsolve_status cgsolve_matrix_crs(struct cgsolve *s, int64_t rows, int64_t nonzeros,
                                       const int64_t *pointers, const int32_t *columns,
                                       const double *values)
{
    const struct cgsolve_arrays arrays = {.rows = rows,
                                          .nonzeros = nonzeros,
                                          .pointers = pointers,
                                          .pointer_bits = 64,
                                          .columns = columns,
                                          .values = values};
    return take_arrays(s, "cgsolve_matrix_crs", &arrays);
}

enum cgsolve_status cgsolve_matrix_arrays(struct cgsolve *s, const struct cgsolve_arrays *arrays)
{
    return take_arrays(s, "cgsolve_matrix_arrays", arrays);
}

static enum cgs_status take_values(struct cgsolve *s, int64_t nonzeros, const double *values)
{
    if (s->matrix != CGS_LIBRARY_CRS)
        return cgs_fail(&s->call, CGS_USAGE,
                        "the matrix of the handle is not one of arrays: expected "
                        "cgsolve_matrix_crs, _arrays or "
                        "_distributed before");
    const int64_t entries = s->own.slot ? s->own.entries : s->nonzeros;
    if (!values)
        return cgs_fail(&s->call, CGS_USAGE, "values is NULL: expected an array");
    if (nonzeros != entries)
        return cgs_fail(&s->call, CGS_USAGE,
                        "%" PRId64 " values, but the pattern has %" PRId64
                        " entries: expected as many",
                        nonzeros, entries);
    cgs_library_share(s, entries);
    if (s->on_device) { /* the set-up looks at them */
        s->there.value = values;
        s->stale = CGS_RUN_STALE_VALUES;
        return CGS_OK;
    }
    CGS_TRY(cgs_library_check_place(&s->call, "values", values, nonzeros * (int64_t)sizeof *values,
                                    ", as the pattern's are"));
    if (s->own.slot)
        CGS_TRY(cgs_library_rows_fill(&s->call, values, &s->crs, &s->own));
    else {
        CGS_TRY(cgs_library_check_finite(&s->call, nonzeros, values));
        s->crs.value = (double *)values;
    }
    s->stale = CGS_RUN_STALE_VALUES;
    return CGS_OK;
}

enum cgsolve_status cgsolve_matrix_values(struct cgsolve *s, int64_t nonzeros, const double *values)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_matrix_values"))
        return CGSOLVE_USAGE;
    cgs_library_compute(s->call.threads);
    if (s->matrix == CGS_LIBRARY_PART)
        cgs_library_part_values(s, nonzeros, values);
    else
        take_values(s, nonzeros, values);
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_matrix_operator(struct cgsolve *s, int64_t rows, cgsolve_apply *apply,
                                            void *user)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_matrix_operator"))
        return CGSOLVE_USAGE;
    cgs_library_forget_matrix(s);
    if (!apply)
        cgs_fail(&s->call, CGS_USAGE, "apply is NULL: expected a function that computes y = A x");
    else if (rows < 1 || rows > INT32_MAX)
        cgs_fail(&s->call, CGS_FILE, "rows = %" PRId64 ": expected 1 ... 2147483647", rows);
    else
        s->product = (struct cgs_callback){rows, apply, user, "product"};
    return cgs_library_end_matrix(&call, CGS_LIBRARY_OPERATOR);
}

enum cgsolve_status cgsolve_preconditioner(struct cgsolve *s, cgsolve_apply *apply, void *user)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_preconditioner"))
        return CGSOLVE_USAGE;
    cgs_library_close(s);
    s->precondition = (struct cgs_callback){0, apply, user, "preconditioner"};
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_near_null(struct cgsolve *s, int count, int64_t length,
                                      const double *vectors)
{
    struct cgs_library_call call;
    const bool none = count == 0 || (!vectors && (length > 0 || !cgs_library_comm(s)));
    if (!cgs_library_begin(&call, s, "cgsolve_near_null"))
        return CGSOLVE_USAGE;
    if (count < 0 || count > CGS_NEAR_MOST)
        cgs_fail(&s->call, CGS_USAGE, "count = %d: expected 0 ... %d", count, CGS_NEAR_MOST);
    else if (!none && (length < (cgs_library_comm(s) ? 0 : 1) || length > INT32_MAX))
        cgs_fail(&s->call, CGS_USAGE, "length = %" PRId64 ": expected the rows of the matrix",
                 length);
    else {
        cgs_library_close(s);
        s->caller.near = none ? (struct cgs_caller_vectors){0}
                              : (struct cgs_caller_vectors){count, length, vectors};
    }
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_matrix_box(struct cgsolve *s)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_matrix_box"))
        return CGSOLVE_USAGE;
    cgs_library_forget_matrix(s);
    return cgs_library_end_matrix(&call, CGS_LIBRARY_BOX);
}

enum cgsolve_status cgsolve_matrix_file(struct cgsolve *s, const char *path)
{
    struct cgs_library_call call;
    struct cgs_options scratch = {0};
    if (!cgs_library_begin(&call, s, "cgsolve_matrix_file"))
        return CGSOLVE_USAGE;
    cgs_library_forget_matrix(s);
    if (!path || !path[0])
        cgs_fail(&s->call, CGS_USAGE, "path is %s: expected the name of a Matrix Market file",
                 path ? "empty" : "NULL");
    else if (cgs_options_take(&s->call, &scratch, CGS_OPTION_matrix, path) == CGS_OK)
        cgs_library_keep(s, CGS_OPTION_matrix, path);
    return cgs_library_end_matrix(&call, CGS_LIBRARY_FILE);
}

enum cgs_status cgs_library_wants_matrix(struct cgsolve *s)
{
    if (s->matrix != CGS_LIBRARY_NONE)
        return CGS_OK;
    if (s->refused[0])
        return cgs_fail(&s->call, CGS_USAGE,
                        "the handle has no matrix: the last one was refused (%s)", s->refused);
    return cgs_fail(
        &s->call, CGS_USAGE,
        "the handle has no matrix: expected cgsolve_matrix_crs, _arrays, _distributed, _operator, "
        "_box or _file before");
}

enum cgs_status cgs_library_know_rows(struct cgsolve *s)
{
    CGS_TRY(cgs_library_wants_matrix(s));
    if (cgs_library_unknowns(s) > 0 || s->matrix == CGS_LIBRARY_PART)
        return CGS_OK;
    if (s->matrix == CGS_LIBRARY_BOX && !cgs_library_comm(s)) {
        cgs_library_unknowns_of_box(&s->call, s);
        return s->call.status;
    }
    if (s->matrix == CGS_LIBRARY_BOX)
        return cgs_fail(&s->call, CGS_USAGE,
                        "the set-up cuts the box among ranks: call cgsolve_setup first");
    return cgs_fail(&s->call, CGS_USAGE,
                    "the file %s has not been read since matrix or options changed: call "
                    "cgsolve_setup first",
                    s->values[CGS_OPTION_matrix]);
}

enum cgsolve_status cgsolve_unknowns(struct cgsolve *s, int64_t *unknowns)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_unknowns"))
        return CGSOLVE_USAGE;
    if (!unknowns)
        cgs_fail(&s->call, CGS_USAGE, "unknowns is NULL: expected room for a number");
    else if (cgs_library_know_rows(s) == CGS_OK)
        *unknowns = cgs_library_unknowns(s);
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_first_row(struct cgsolve *s, int64_t *first)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_first_row"))
        return CGSOLVE_USAGE;
    if (!first)
        cgs_fail(&s->call, CGS_USAGE, "first is NULL: expected room for a number");
    else if (cgs_library_know_rows(s) == CGS_OK)
        *first = s->matrix == CGS_LIBRARY_PART ? s->part.first : cgs_library_comm(s) ? s->first : 0;
    return cgs_library_end(&call);
}
