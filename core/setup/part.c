#include "core/setup/part.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"

/* ---- checks ---- */

static enum cgs_status check_pointers(struct cgs_context *context,
                                      const struct cgs_caller_part *part, int64_t nonzeros)
{
    const int64_t *pointers = part->pointers;
    if (pointers[0] != 0 || pointers[part->rows] != nonzeros)
        return cgs_fail(context, CGS_FILE,
                        "pointers go from %" PRId64 " to %" PRId64
                        ": expected 0 to nonzeros = %" PRId64,
                        pointers[0], pointers[part->rows], nonzeros);
    for (int64_t i = 0; i < part->rows; i++)
        if (pointers[i + 1] < pointers[i] || pointers[i + 1] > nonzeros)
            return cgs_fail(context, CGS_FILE,
                            "row %" PRId64 ": pointers go from %" PRId64 " to %" PRId64
                            ": expected ascending ones, at most nonzeros = %" PRId64,
                            part->first + i, pointers[i], pointers[i + 1], nonzeros);
    return CGS_OK;
}

static bool is_wrong(const struct cgs_caller_part *part, int64_t i, int64_t k)
{
    const int64_t before = k > part->pointers[i] ? part->column[k - 1] : -1;
    return part->column[k] <= before || part->column[k] >= part->whole || !isfinite(part->value[k]);
}

/* Returns the first row with a wrong entry; part->rows: none. */
static int64_t first_wrong(const struct cgs_context *context, const struct cgs_caller_part *part)
{
    int64_t first = part->rows;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(min : first)
    for (int64_t i = 0; i < part->rows; i++)
        for (int64_t k = part->pointers[i]; k < part->pointers[i + 1]; k++)
            if (i < first && is_wrong(part, i, k))
                first = i;
    return first;
}

/* Says what is wrong with entry k of row i. */
static enum cgs_status name_wrong(struct cgs_context *context, const struct cgs_caller_part *part,
                                  int64_t i, int64_t k)
{
    const int64_t row = part->first + i, column = part->column[k];
    if (column < 0 || column >= part->whole)
        return cgs_fail(context, CGS_FILE,
                        "row %" PRId64 ": columns[%" PRId64 "] = %" PRId64
                        " is out of range: expected 0 ... %" PRId64,
                        row, k, column, part->whole - 1);
    if (!isfinite(part->value[k]))
        return cgs_fail(context, CGS_FILE,
                        "row %" PRId64 ": values[%" PRId64 "] is %g: expected finite numbers", row,
                        k, part->value[k]);
    return cgs_fail(context, CGS_FILE,
                    "row %" PRId64 ": columns[%" PRId64 "] = %" PRId64 " comes after %" PRId64
                    ": expected columns in ascending order, each once",
                    row, k, column, part->column[k - 1]);
}

enum cgs_status cgs_part_check(struct cgs_context *context, const struct cgs_caller_part *part,
                               int64_t nonzeros)
{
    CGS_TRY(check_pointers(context, part, nonzeros));
    const int64_t i = first_wrong(context, part);
    if (i == part->rows)
        return CGS_OK;
    int64_t k = part->pointers[i];
    while (!is_wrong(part, i, k))
        k++;
    return name_wrong(context, part, i, k);
}

/* ---- moves ---- */

void cgs_part_move(struct cgs_context *context, const int64_t *from, const double *mine,
                   const int64_t *to, double *there)
{
    cgs_comm_recut(context, (int64_t)sizeof *mine, from, mine, to, there);
}

static int rank_of(const struct cgs_context *context)
{
    return context->comm ? context->comm->rank : 0;
}

/* Makes the pointers of the rows between `cuts`. */
static enum cgs_status take_pointers(struct cgs_context *context,
                                     const struct cgs_caller_part *part, const int64_t *cuts,
                                     struct cgs_crs *made)
{
    int64_t *lengths = NULL;
    enum cgs_status status =
        cgs_alloc(context, part->rows, sizeof *lengths, "lengths of rows", (void **)&lengths);
    if (status == CGS_OK)
        status = cgs_alloc(context, made->rows + 1, sizeof *made->pointers, "pointers of rows",
                           (void **)&made->pointers);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        for (int64_t i = 0; i < part->rows; i++)
            lengths[i] = part->pointers[i + 1] - part->pointers[i];
        cgs_comm_recut(context, (int64_t)sizeof *lengths, part->cuts, lengths, cuts,
                       made->pointers + 1);
        status = cgs_comm_agree(context, CGS_OK);
    }
    cgs_free(context, lengths);
    CGS_TRY(status);
    made->pointers[0] = 0;
    for (int64_t i = 0; i < made->rows; i++)
        made->pointers[i + 1] += made->pointers[i];
    return CGS_OK;
}

/* Fetches columns in 32 bits. from, to: the ranks' first entries. */
static enum cgs_status take_columns(struct cgs_context *context, const struct cgs_caller_part *part,
                                    const int64_t *from, const int64_t *to, struct cgs_crs *made)
{
    const int64_t count = part->pointers[part->rows], entries = made->pointers[made->rows];
    int32_t *narrow = NULL;
    enum cgs_status status =
        cgs_alloc(context, count, sizeof *narrow, "columns of a part", (void **)&narrow);
    if (status == CGS_OK)
        status = cgs_alloc(context, entries, sizeof *made->column, "columns of rows",
                           (void **)&made->column);
    if (status == CGS_OK)
        status = cgs_alloc(context, entries, sizeof *made->value, "values of rows",
                           (void **)&made->value);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int64_t k = 0; k < count; k++)
            narrow[k] = (int32_t)part->column[k];
        cgs_comm_recut(context, (int64_t)sizeof *narrow, from, narrow, to, made->column);
        status = cgs_comm_agree(context, CGS_OK);
    }
    cgs_free(context, narrow);
    return status;
}

/* Sets the values, and the norm of the whole. */
static void take_values(struct cgs_context *context, const struct cgs_caller_part *part,
                        const int64_t *from, const int64_t *to, struct cgs_crs *made)
{
    cgs_part_move(context, from, part->value, to, made->value);
    cgs_crs_measure(context, made);
    made->norm = cgs_comm_most(context, made->norm);
}

static enum cgs_status take(struct cgs_context *context, const struct cgs_caller_part *part,
                            const int64_t *cuts, struct cgs_crs *made)
{
    int64_t from[CGS_RANKS_MOST + 1], to[CGS_RANKS_MOST + 1];
    CGS_TRY(take_pointers(context, part, cuts, made));
    cgs_comm_starts(context, part->pointers[part->rows], from);
    cgs_comm_starts(context, made->pointers[made->rows], to);
    CGS_TRY(take_columns(context, part, from, to, made));
    take_values(context, part, from, to, made);
    return CGS_OK;
}

enum cgs_status cgs_part_take(struct cgs_context *context, const struct cgs_caller_part *part,
                              const int64_t *cuts, struct cgs_crs *crs)
{
    const int rank = rank_of(context);
    struct cgs_crs made = {.rows = cuts[rank + 1] - cuts[rank], .columns = part->whole};
    if (context->comm) {
        made.first = cuts[rank];
        made.whole = part->whole;
    }
    const enum cgs_status status = take(context, part, cuts, &made);
    if (status == CGS_OK)
        *crs = made;
    else
        cgs_crs_release(context, &made);
    return status;
}

void cgs_part_take_values(struct cgs_context *context, const struct cgs_caller_part *part,
                          struct cgs_crs *crs)
{
    int64_t from[CGS_RANKS_MOST + 1], to[CGS_RANKS_MOST + 1];
    cgs_comm_starts(context, part->pointers[part->rows], from);
    cgs_comm_starts(context, crs->pointers[crs->rows], to);
    take_values(context, part, from, to, crs);
}
