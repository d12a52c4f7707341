/* Each entry looks its mirror image up: in this process's rows by a binary search, in another
 * rank's by a message.
 *
 *     rank r, row i         (i, j), a_ij, max_k |a_ik|          rank s, row j
 *        a_ij          -------------------------------->           a_ji, or none
 *                      <--------------------------------
 *                          (j, i), a_ji, max_k |a_jk|
 *
 * Both ranks of a pair compute the same average and the same ratio. An entry for which no message
 * comes has no mirror image; the other rank, which got its message, knows how large it is. New
 * values go into an array of their own, which becomes the matrix's once all pairs have been found
 * to differ by rounding alone.
 */
#include "core/setup/symmetrise.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "kernels/sparse/mail.h"
#include "matrix/symmetry.h"

/* Entries that all ranks send in a round, 24 MiB; a rank sends at least the second number. */
enum { ROUND = 1 << 20, ROUND_LEAST = 1 << 10, WORDS = 3 };

/* Findings of a thread, or of a rank. */
struct found {
    struct cgs_asymmetry worst, first; /* first: pair beyond rounding; row INT64_MAX: none */
    int64_t alone;                     /* entries other than 0 without a mirror image */
};

struct task {
    struct cgs_context *context;
    const struct cgs_crs *crs;
    bool shared;     /* ranks have a part of the rows each */
    double *largest; /* of each row */
    double *value;   /* new values of all entries */
};

static const struct found nothing = {.first = {.row = INT64_MAX, .column = INT64_MAX}};

static bool is_before(const struct cgs_asymmetry *a, const struct cgs_asymmetry *b)
{
    return a->row < b->row || (a->row == b->row && a->column < b->column);
}

/* Adds the findings of another thread or rank. */
static void merge(struct found *found, const struct found *more)
{
    const struct cgs_asymmetry *worst = &more->worst;
    if (worst->most > found->worst.most ||
        (worst->most == found->worst.most && is_before(worst, &found->worst)))
        found->worst = *worst;
    if (is_before(&more->first, &found->first))
        found->first = more->first;
    found->alone += more->alone;
}

/* Notes the pair a = a_ij, b = a_ji; in_i, in_j: largest magnitudes of the rows. */
static void note(struct found *found, int64_t i, int64_t j, double a, double b, double in_i,
                 double in_j)
{
    if (a == b)
        return;
    struct found pair = nothing;
    pair.worst = (struct cgs_asymmetry){.most = fabs(a - b) / fmax(in_i, in_j),
                                        .row = i < j ? i : j,
                                        .column = i < j ? j : i,
                                        .entry = i < j ? a : b,
                                        .mirror = i < j ? b : a};
    if (pair.worst.most > CGS_ROUNDING_MOST)
        pair.first = pair.worst;
    merge(found, &pair);
}

/* Halves first: the sum of two numbers may overflow. */
static double average(double a, double b)
{
    return a == b ? a : 0.5 * a + 0.5 * b;
}

/* Returns the place of this process's entry in row i and column j, -1 if it is missing; i from the
 * first row. */
static int64_t find(const struct cgs_crs *crs, int64_t i, int64_t j)
{
    int64_t low = crs->pointers[i], high = crs->pointers[i + 1];
    const int64_t end = high;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (crs->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && crs->column[low] == j ? low : -1;
}

static bool is_local(const struct cgs_crs *crs, int64_t row)
{
    return row >= crs->first && row < crs->first + crs->rows;
}

static void measure_row(const struct task *task, int64_t i)
{
    const struct cgs_crs *crs = task->crs;
    double largest = 0.0;
    for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
        const double size = fabs(crs->value[k]);
        largest = size > largest ? size : largest;
    }
    task->largest[i] = largest;
}

/* Steps from the last mirror image's place in its row, beyond which the next one is sought. */
enum { STEPS = 8 };

/* Returns the place of the mirror image in row j of an entry of row i, -1 if it is missing.
 * *offset: its place in row j, first that of the entry before in its row: images of neighbours are
 * as far from the beginnings of their rows, or nearly. */
static int64_t find_mirror(const struct cgs_crs *crs, int64_t j, int64_t i, int64_t *offset)
{
    const int64_t first = crs->pointers[j], last = crs->pointers[j + 1] - 1;
    int64_t at = first + *offset < last ? first + *offset : last;
    for (int n = 0; n < STEPS && at > first && crs->column[at] > i; n++)
        at--;
    for (int n = 0; n < STEPS && at < last && crs->column[at] < i; n++)
        at++;
    if (last < first || crs->column[at] != i)
        at = find(crs, j, i);
    *offset = at < 0 ? *offset : at - first;
    return at;
}

/* Sets the new values of row i; 0 where a message is to come. A pair is noted in its first row. */
static void settle_row(const struct task *task, int64_t i, struct found *found)
{
    const struct cgs_crs *crs = task->crs;
    const int64_t row = crs->first + i;
    int64_t offset = 0;
    for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
        const int64_t column = crs->column[k], j = column - crs->first;
        const double value = crs->value[k];
        task->value[k] = column == row ? value : 0.0;
        if (column == row || !is_local(crs, column))
            continue;
        const int64_t mirror = find_mirror(crs, j, row, &offset);
        const double other = mirror < 0 ? 0.0 : crs->value[mirror];
        if (row < column || mirror < 0)
            note(found, row, column, value, other, task->largest[i], task->largest[j]);
        if (mirror >= 0)
            task->value[k] = average(value, other);
        else
            found->alone += value != 0.0;
    }
}

static void settle_rows(const struct task *task, struct found *found)
{
#pragma omp parallel for num_threads(task->context->threads) schedule(static)
    for (int64_t i = 0; i < task->crs->rows; i++)
        measure_row(task, i);
#pragma omp parallel num_threads(task->context->threads)
    {
        struct found mine = nothing;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < task->crs->rows; i++)
            settle_row(task, i, &mine);
#pragma omp critical(cgs_symmetrise)
        merge(found, &mine);
    }
}

/* ---- pairs of two ranks ---- */

/* Entries of a round whose columns are other ranks' rows. */
struct round {
    double starts[CGS_RANKS_MOST]; /* first row of each rank */
    int64_t row, entry;            /* where the next round begins */
    int64_t most, count;
    int64_t *entries, *rows; /* most; row from the first one */
    int *owners;             /* most */
};

static int owner_of(const struct round *round, int ranks, int64_t row)
{
    int low = 0, high = ranks - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (round->starts[middle] <= (double)row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Lists the entries of the next round; returns false once none is left. */
static bool list_round(const struct task *task, struct round *round)
{
    const struct cgs_crs *crs = task->crs;
    round->count = 0;
    for (; round->row < crs->rows; round->row++)
        for (; round->entry < crs->pointers[round->row + 1]; round->entry++) {
            const int64_t column = crs->column[round->entry];
            if (is_local(crs, column))
                continue;
            if (round->count == round->most)
                return true;
            round->entries[round->count] = round->entry;
            round->rows[round->count] = round->row;
            round->owners[round->count++] = owner_of(round, task->context->comm->size, column);
        }
    return false;
}

static void pack(const struct task *task, const struct round *round, int64_t *words)
{
    const struct cgs_crs *crs = task->crs;
    const int ranks = task->context->comm->size;
    int64_t places[CGS_RANKS_MOST], counts[CGS_RANKS_MOST] = {0}, sum = 0;
    for (int64_t n = 0; n < round->count; n++)
        counts[round->owners[n]] += WORDS;
    for (int r = 0; r < ranks; r++) {
        places[r] = sum;
        sum += counts[r];
    }
    for (int64_t n = 0; n < round->count; n++) {
        int64_t *to = words + places[round->owners[n]];
        places[round->owners[n]] += WORDS;
        const int64_t row = round->rows[n], k = round->entries[n];
        to[0] = (crs->first + row) << 32 | crs->column[k];
        memcpy(&to[1], &crs->value[k], sizeof to[1]);
        memcpy(&to[2], &task->largest[row], sizeof to[2]);
    }
}

static void unpack(const struct task *task, const int64_t *words, int64_t count,
                   struct found *found)
{
    const struct cgs_crs *crs = task->crs;
    for (int64_t n = 0; n < count; n += WORDS) {
        const int64_t i = words[n] >> 32, j = words[n] & INT32_MAX;
        double value, largest;
        memcpy(&value, &words[n + 1], sizeof value);
        memcpy(&largest, &words[n + 2], sizeof largest);
        const int64_t local = find(crs, j - crs->first, i);
        const double mine = local < 0 ? 0.0 : crs->value[local];
        note(found, i, j, value, mine, largest, task->largest[j - crs->first]);
        if (local >= 0)
            task->value[local] = average(value, mine);
        else
            found->alone += value != 0.0;
    }
}

static enum cgs_status open_round(const struct task *task, struct round *round)
{
    struct cgs_context *context = task->context;
    const int ranks = context->comm->size;
    *round = (struct round){.most = ROUND / ranks > ROUND_LEAST ? ROUND / ranks : ROUND_LEAST};
    cgs_comm_each(context, (double)task->crs->first, round->starts);
    CGS_TRY(cgs_alloc(context, round->most, sizeof *round->entries, "entries for other ranks",
                      (void **)&round->entries));
    CGS_TRY(cgs_alloc(context, round->most, sizeof *round->rows, "entries for other ranks",
                      (void **)&round->rows));
    return cgs_alloc(context, round->most, sizeof *round->owners, "entries for other ranks",
                     (void **)&round->owners);
}

/* Sends the entries of one round, and takes those that come. */
static enum cgs_status exchange(const struct task *task, const struct round *round,
                                struct found *found)
{
    struct cgs_context *context = task->context;
    struct cgs_mail mail = {0};
    int64_t words[CGS_RANKS_MOST] = {0};
    for (int64_t n = 0; n < round->count; n++)
        words[round->owners[n]] += WORDS;
    CGS_TRY(cgs_mail_open(context, CGS_OK, words, &mail));
    pack(task, round, mail.out);
    cgs_mail_send(context, &mail);
    unpack(task, mail.in, mail.in_words, found);
    cgs_mail_release(context, &mail);
    return CGS_OK;
}

/* Makes the pairs of each rank those of all. */
static void share_findings(struct cgs_context *context, struct found *found)
{
    enum { NUMBERS = 5 };
    const double none = -1.0; /* for INT64_MAX, which no double is */
    struct cgs_asymmetry *const pairs[2] = {&found->worst, &found->first};
    double all[NUMBERS][CGS_RANKS_MOST];
    found->alone = (int64_t)cgs_comm_sum(context, (double)found->alone);
    for (int p = 0; p < 2; p++) {
        const struct cgs_asymmetry *mine = pairs[p];
        const double row = mine->row == INT64_MAX ? none : (double)mine->row;
        const double numbers[NUMBERS] = {mine->most, row, (double)mine->column, mine->entry,
                                         mine->mirror};
        for (int n = 0; n < NUMBERS; n++)
            cgs_comm_each(context, numbers[n], all[n]);
        for (int r = 0; r < context->comm->size; r++) {
            struct found theirs = nothing;
            const struct cgs_asymmetry pair = {all[0][r], (int64_t)all[1][r], (int64_t)all[2][r],
                                               all[3][r], all[4][r], 0};
            if (p == 0)
                theirs.worst = pair;
            else if (all[1][r] != none)
                theirs.first = pair;
            merge(found, &theirs);
        }
    }
}

static enum cgs_status settle_ranks(const struct task *task, struct found *found)
{
    struct cgs_context *context = task->context;
    struct round round;
    bool more = true;
    enum cgs_status status = cgs_comm_agree(context, open_round(task, &round));
    while (status == CGS_OK && more) {
        const bool mine = list_round(task, &round);
        status = exchange(task, &round, found);
        if (status == CGS_OK)
            more = cgs_comm_most(context, mine) != 0.0;
    }
    if (status == CGS_OK)
        share_findings(context, found);
    cgs_free(context, round.entries);
    cgs_free(context, round.rows);
    cgs_free(context, round.owners);
    return status;
}

/* ---- all ---- */

static enum cgs_status make_room(struct task *task)
{
    const struct cgs_crs *crs = task->crs;
    CGS_TRY(cgs_alloc(task->context, crs->rows, sizeof *task->largest, "largest entries of rows",
                      (void **)&task->largest));
    return cgs_alloc(task->context, crs->pointers[crs->rows], sizeof *task->value,
                     "symmetric values of rows", (void **)&task->value);
}

static enum cgs_status refuse(struct cgs_context *context, const struct cgs_crs *crs,
                              const struct cgs_asymmetry *pair)
{
    const struct cgs_row_source source = cgs_crs_source(crs);
    const enum cgs_status status =
        cgs_matrix_refuse_pair(context, &source, pair->row, pair->column);
    if (status == CGS_BREAKDOWN)
        cgs_fail_add(context,
                     "; they differ by %.1e of the largest entry in both rows, and up to %.0e is "
                     "taken as rounding",
                     pair->most, CGS_ROUNDING_MOST);
    return status;
}

enum cgs_status cgs_symmetrise(struct cgs_context *context, struct cgs_crs *crs,
                               struct cgs_asymmetry *worst)
{
    struct task task = {.context = context, .crs = crs, .shared = context->comm && crs->whole > 0};
    struct found found = nothing;
    enum cgs_status status = make_room(&task);
    if (task.shared)
        status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        settle_rows(&task, &found);
    if (status == CGS_OK && task.shared)
        status = settle_ranks(&task, &found);
    if (status == CGS_OK && found.first.row != INT64_MAX)
        status = refuse(context, crs, &found.first);
    if (status == CGS_OK) {
        double *const before = crs->value;
        crs->value = task.value;
        task.value = before;
        *worst = found.worst;
        worst->alone = found.alone;
    }
    cgs_free(context, task.value);
    cgs_free(context, task.largest);
    return status;
}
