/* P'(A P) of algebraic multigrid on the CPU (kernels/amg.h) for a matrix that equals its transpose:
 * column J of A P is then row J of P'A, a sum of rows of A, which are longer than those of P:
 *
 *     for each coarse column J:
 *         fine    = sum over k in row J of R, ascending, of r_Jk a_k        column J of A P
 *         coarse  = sum over i of fine, ascending, of fine_i p_i            column J of P'(A P)
 *
 * These are the products of the two general ones, added in their order: their bits. A P is never
 * stored. Columns of the result are made as rows, and transposed in the end.
 *
 * Each thread makes consecutive columns. It needs a sum for each fine row between the lowest and
 * the highest that they reach: where rows are not numbered by neighbourhood, that takes more memory
 * than A P, and this way is refused.
 *
 * Traffic: a row of A is read once for each entry of its row of P, from the cache where rows are
 * numbered by neighbourhood.
 */
#include "kernels/amg/coarse_cpu.h"

#include <string.h>

#include "base/memory.h"
#include "base/vectorise.h"

extern const struct cgs_sparse_ops cgs_cpu_sparse_f64;

/* ---- symmetry ---- */

/* Returns true if row j has the number of row i, column j, in column i. It is sought first where a
 * stencil has it: as far from the end of its row as entry e is from the beginning of row i. */
static bool has_mirrored(const struct cgs_sparse *a, int64_t i, int64_t e)
{
    const double *number = a->value;
    const int64_t j = a->column[e];
    int64_t first = a->pointers[j], last = a->pointers[j + 1];
    const int64_t guess = last - 1 - (e - a->pointers[i]);
    if (guess >= first && a->column[guess] == i)
        return number[guess] == number[e];
    while (first < last) {
        const int64_t middle = first + (last - first) / 2;
        if (a->column[middle] < i)
            first = middle + 1;
        else
            last = middle;
    }
    return first < a->pointers[j + 1] && a->column[first] == i && number[first] == number[e];
}

/* Rows whose symmetry is checked at once. */
enum { ROWS_CHECKED = 4096 };

/* Returns true if A equals its transpose, number by number: entries above the diagonal are as many
 * as those below, each of which has its equal above. */
static bool equals_transpose(const struct cgs_sparse *a, int threads)
{
    bool same = true;
    int64_t above = 0, below = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(&& : same)                \
    reduction(+ : above, below)
    for (int64_t begin = 0; begin < a->rows; begin += ROWS_CHECKED)
        for (int64_t i = begin; same && i < a->rows && i < begin + ROWS_CHECKED; i++)
            for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++) {
                above += a->column[e] > i;
                below += a->column[e] < i;
                if (a->column[e] < i)
                    same = same && has_mirrored(a, i, e);
            }
    return same && above == below;
}

/* ---- sums ---- */

/* Columns of a line; lines looked through at once. */
enum { LINE = 16, LINES = 64 };

/* Sums of a sparse row, one for each column from `first` on. NONE stands where nothing was added:
 * no sum is -0, since 0 is added to each product. */
struct sums {
    int64_t first;
    double *sum;
    uint8_t *met; /* lines: 1 if something was added */
};

static const double NONE = -0.0;

static int64_t lines_of(int64_t columns)
{
    return (columns / LINE / LINES + 1) * LINES;
}

static void clear(const struct sums *sums, int64_t lines)
{
    memset(sums->met, 0, (size_t)lines);
    for (int64_t c = 0; c < lines * LINE; c++)
        sums->sum[c] = NONE;
}

/* Lines that a row may have. */
struct reach {
    int64_t low, high;
};

CGS_PIECE void add(const struct sums *sums, const struct cgs_sparse *m, int64_t row, double factor,
                   struct reach *reach)
{
    const int64_t begin = m->pointers[row], length = m->pointers[row + 1] - begin;
    const int32_t *restrict column = m->column + begin;
    const double *restrict number = (const double *)m->value + begin;
    const int64_t first = sums->first;
    double *restrict sum = sums->sum;
    uint8_t *restrict met = sums->met;
    if (length == 0)
        return;
    for (int64_t e = 0; e < length; e++) {
        const uint64_t at = (uint64_t)(column[e] - first);
        sum[at] += factor * number[e] + 0.0;
        met[at / LINE] = 1;
    }
    const int64_t low = (column[0] - first) / LINE;
    const int64_t high = (column[length - 1] - first) / LINE;
    reach->low = low < reach->low ? low : reach->low;
    reach->high = high > reach->high ? high : reach->high;
}

/* Lists the lines that were met, ascending, and forgets them. Returns their number. */
CGS_PIECE int64_t list_lines(const struct sums *sums, const struct reach *reach,
                             int32_t *restrict line)
{
    int64_t count = 0;
    if (reach->high < 0)
        return 0;
    for (int64_t l = reach->low / LINES * LINES; l <= reach->high; l += LINES) {
        uint8_t *restrict met = sums->met + l;
        uint8_t any = 0;
        for (int q = 0; q < LINES; q++)
            any |= met[q];
        if (!any)
            continue;
        for (int q = 0; q < LINES; q++) {
            line[count] = (int32_t)(l + q);
            count += met[q];
        }
        memset(met, 0, LINES);
    }
    return count;
}

/* Moves the sums of a line out, with room for all. Returns their number. */
CGS_PIECE int64_t take_line(const struct sums *sums, int32_t line, int32_t *restrict column,
                            double *restrict number)
{
    double *restrict sum = sums->sum + (int64_t)line * LINE;
    const int32_t first = (int32_t)(sums->first + (int64_t)line * LINE);
    int64_t count = 0;
    for (int q = 0; q < LINE; q++) {
        uint64_t bits, none;
        memcpy(&bits, sum + q, sizeof bits);
        memcpy(&none, &NONE, sizeof none);
        column[count] = first + q;
        number[count] = sum[q];
        count += bits != none;
    }
    for (int q = 0; q < LINE; q++)
        sum[q] = NONE;
    return count;
}

/* Rows of A asked for ahead of their use, and of P: lines of sums. */
enum { ROWS_AHEAD = 4, LINES_AHEAD = 3 };

/* Prefetches rows from `row` on. */
CGS_PIECE void ask_rows(const struct cgs_sparse *m, int64_t row, int64_t rows)
{
    const int64_t last = row + rows < m->rows ? row + rows : m->rows;
    const char *column = (const char *)(m->column + m->pointers[row]);
    const char *end = (const char *)(m->column + m->pointers[last]);
    const char *number = (const char *)m->value + m->pointers[row] * (int64_t)sizeof(double);
    for (; column < end; column += 64, number += 128) {
        __builtin_prefetch(column);
        __builtin_prefetch(number);
        __builtin_prefetch(number + 64);
    }
}

/* ---- columns of the result ---- */

/* Columns first ... last - 1 of the result, made by one thread as rows. */
struct part {
    int64_t first, last;
    struct sums fine, coarse;
    int64_t fine_lines, coarse_lines;
    int32_t *line;         /* the greater number of these */
    int64_t room, entries; /* entries that fit and those that are made */
    int32_t *column;
    double *number;
};

struct making {
    struct cgs_queue *queue;
    const struct cgs_sparse *a, *p, *r;
    struct part *part; /* threads */
    int64_t *length;   /* of the result's columns */
    bool fits;
};

/* Makes column J. Returns its entries; -1: there may be no room for them. */
CGS_PIECE int64_t make_column(const struct making *making, const struct part *part, int64_t j)
{
    const struct cgs_sparse *r = making->r;
    const double *factor = r->value;
    struct reach fine = {INT64_MAX, -1}, coarse = {INT64_MAX, -1};
    int64_t entries = part->entries;
    for (int64_t e = r->pointers[j], end = r->pointers[part->last]; e < r->pointers[j + 1]; e++) {
        if (e + ROWS_AHEAD < end)
            ask_rows(making->a, r->column[e + ROWS_AHEAD], 1);
        add(&part->fine, making->a, r->column[e], factor[e], &fine);
    }
    int64_t lines = list_lines(&part->fine, &fine, part->line);
    for (int64_t l = 0; l < lines; l++) {
        int32_t column[LINE];
        double number[LINE];
        if (l + LINES_AHEAD < lines)
            ask_rows(making->p, part->fine.first + INT64_C(1) * LINE * part->line[l + LINES_AHEAD],
                     LINE);
        const int64_t count = take_line(&part->fine, part->line[l], column, number);
        for (int64_t q = 0; q < count; q++)
            add(&part->coarse, making->p, column[q], number[q], &coarse);
    }
    lines = list_lines(&part->coarse, &coarse, part->line);
    if (entries + lines * LINE > part->room)
        return -1;
    for (int64_t l = 0; l < lines; l++)
        entries +=
            take_line(&part->coarse, part->line[l], part->column + entries, part->number + entries);
    return entries - part->entries;
}

/* Makes the columns of a part. Returns false if there is no room. */
CGS_CLONES static bool make_columns(const struct making *making, struct part *part)
{
    clear(&part->fine, part->fine_lines);
    clear(&part->coarse, part->coarse_lines);
    for (int64_t j = part->first; j < part->last; j++) {
        const int64_t entries = make_column(making, part, j);
        if (entries < 0)
            return false;
        making->length[j] = entries;
        part->entries += entries;
    }
    return true;
}

/* ---- parts ---- */

/* Returns the first column of part t: parts have as many entries of R. */
static int64_t first_of(const struct cgs_sparse *r, int t, int parts)
{
    const int64_t wanted =
        r->pointers[0] + r->nonzeros / parts * t + r->nonzeros % parts * t / parts;
    int64_t low = 0, high = r->rows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (r->pointers[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return t == parts ? r->rows : low;
}

/* Entries of a column of the result for each of R's row and for each column, above which the
 * general products are left to make it. On boxes a column has a fifth of the entries of R's row. */
enum { ROOM_OF_ENTRY = 4, ROOM_OF_COLUMN = 64 };

/* Finds what a part reaches. */
static void measure(const struct making *making, int t, int parts, struct part *part)
{
    const struct cgs_sparse *a = making->a, *r = making->r;
    int64_t low = a->columns, high = -1;
    part->first = first_of(r, t, parts);
    part->last = first_of(r, t + 1, parts);
    const int64_t begin = r->pointers[part->first], end = r->pointers[part->last];
    for (int64_t e = begin; e < end; e++) {
        const int64_t k = r->column[e], first = a->pointers[k], last = a->pointers[k + 1];
        if (first == last)
            continue;
        low = a->column[first] < low ? a->column[first] : low;
        high = a->column[last - 1] > high ? a->column[last - 1] : high;
    }
    part->fine.first = low <= high ? low : 0;
    part->fine_lines = lines_of(high - part->fine.first + 1);
    part->coarse_lines = lines_of(making->p->columns);
    part->room = ROOM_OF_ENTRY * (end - begin) + ROOM_OF_COLUMN * (part->last - part->first);
}

/* Allocates a part. A room that the system refuses has no entries. */
static enum cgs_status take_part(struct cgs_context *context, struct part *part)
{
    const char *what = "sums of coarse rows";
    const int64_t fine = part->fine_lines, coarse = part->coarse_lines;
    CGS_TRY(cgs_alloc(context, fine * LINE, sizeof(double), what, (void **)&part->fine.sum));
    CGS_TRY(cgs_alloc(context, coarse * LINE, sizeof(double), what, (void **)&part->coarse.sum));
    CGS_TRY(cgs_alloc(context, fine, 1, what, (void **)&part->fine.met));
    CGS_TRY(cgs_alloc(context, coarse, 1, what, (void **)&part->coarse.met));
    CGS_TRY(cgs_alloc(context, (fine > coarse ? fine : coarse) + 1, sizeof *part->line, what,
                      (void **)&part->line));
    part->column = cgs_room(context, part->room + 1, sizeof *part->column);
    part->number = cgs_room(context, part->room + 1, sizeof *part->number);
    if (!part->column || !part->number)
        part->room = 0;
    return CGS_OK;
}

static void release_part(struct cgs_context *context, const struct part *part)
{
    cgs_free(context, part->number);
    cgs_free(context, part->column);
    cgs_free(context, part->line);
    cgs_free(context, part->coarse.met);
    cgs_free(context, part->fine.met);
    cgs_free(context, part->coarse.sum);
    cgs_free(context, part->fine.sum);
}

/* Makes all columns in parts, unless that takes more memory than half a number for each entry
 * of A. */
static enum cgs_status make_parts(struct making *making, int parts)
{
    struct cgs_context *context = making->queue->context;
    int64_t sums = 0;
    for (int t = 0; t < parts; t++) {
        measure(making, t, parts, &making->part[t]);
        sums += (making->part[t].fine_lines + making->part[t].coarse_lines) * LINE;
    }
    making->fits = sums / 2 <= making->a->nonzeros;
    if (!making->fits)
        return CGS_OK;
    for (int t = 0; t < parts; t++)
        CGS_TRY(take_part(context, &making->part[t]));
    bool fits = true;
#pragma omp parallel for schedule(static, 1) num_threads(parts) reduction(&& : fits)
    for (int t = 0; t < parts; t++)
        fits = fits && make_columns(making, &making->part[t]);
    making->fits = fits;
    return CGS_OK;
}

/* ---- all of it ---- */

/* Puts the parts together, as rows of the transposed result. */
static enum cgs_status join(const struct making *making, int parts, struct cgs_sparse *turned)
{
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    const char *what = "transposed coarse matrix";
    const int64_t rows = making->r->rows;
    struct cgs_sparse made;
    CGS_TRY(ops->pointers(making->queue, what, rows, rows, &made));
    made.pointers[0] = 0;
    for (int64_t j = 0; j < rows; j++)
        made.pointers[j + 1] = made.pointers[j] + making->length[j];
    const enum cgs_status status = ops->entries(making->queue, what, made.pointers[rows], &made);
    if (status != CGS_OK) {
        ops->release(making->queue, &made);
        return status;
    }
    for (int t = 0; t < parts; t++) {
        const struct part *part = &making->part[t];
        const int64_t to = made.pointers[part->first];
        memcpy(made.column + to, part->column, (size_t)part->entries * sizeof *made.column);
        memcpy((double *)made.value + to, part->number, (size_t)part->entries * sizeof(double));
    }
    *turned = made;
    return CGS_OK;
}

/* Makes the transposed result. It stays empty where general products suit A. */
static enum cgs_status make_turned(struct making *making, int parts, struct cgs_sparse *turned)
{
    struct cgs_context *context = making->queue->context;
    const char *what = "lengths of coarse rows";
    CGS_TRY(cgs_alloc(context, parts, sizeof *making->part, what, (void **)&making->part));
    memset(making->part, 0, (size_t)parts * sizeof *making->part);
    enum cgs_status status =
        cgs_alloc(context, making->r->rows, sizeof *making->length, what, (void **)&making->length);
    if (status == CGS_OK)
        status = make_parts(making, parts);
    if (status == CGS_OK && making->fits)
        status = join(making, parts, turned);
    for (int t = 0; t < parts; t++)
        release_part(context, &making->part[t]);
    cgs_free(context, making->length);
    cgs_free(context, making->part);
    return status;
}

enum cgs_status cgs_amg_cpu_coarse(struct cgs_queue *queue, const struct cgs_sparse *a,
                                   bool symmetric, const struct cgs_sparse *p,
                                   const struct cgs_sparse *r, struct cgs_sparse *coarse)
{
    const int threads = queue->context->threads;
    struct making making = {.queue = queue, .a = a, .p = p, .r = r};
    struct cgs_sparse turned = {0};
    *coarse = (struct cgs_sparse){0};
    if (!symmetric && !equals_transpose(a, threads))
        return CGS_OK;
    CGS_TRY(make_turned(&making, threads, &turned));
    if (!turned.pointers)
        return CGS_OK;
    const enum cgs_status status = cgs_cpu_sparse_f64.transpose(queue, &turned, coarse);
    cgs_cpu_sparse_f64.release(queue, &turned);
    return status;
}
