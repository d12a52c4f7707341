/* Symmetry by fingerprints: one pass over the rows, none of which is stored.
 *
 * a_ij and a_ji are the pair (i, j), i < j. Every entry has a hash of 64 bits of its pair and its
 * value alone. Hashes above the diagonal are added, those below it subtracted:
 *
 *     F_g = sum over the pairs of group g of  h(i, j, a_ij) - h(i, j, a_ji)   (mod 2^64)
 *
 * A symmetric matrix gives F_g = 0 for any order of summation; another one gives 0 with probability
 * 2^-64. Looking every mirror image up instead would generate rows of 27 entries some six times as
 * often, and sort. The first pass makes one group of all pairs, whose sum wide vectors make. Where
 * it is not zero, groups are ranges of i: the first nonzero F_g contains the first differing pair,
 * and is divided again, down to one row. Source: MSet-Add-Hash of D. Clarke, S. Devadas, M. van
 * Dijk, B. Gassend, G. E. Suh, "Incremental multiset hash functions and their application to memory
 * integrity checking", ASIACRYPT 2003.
 *
 * Where ranks have a part of the rows each, they add up the sums of groups, each rank those of a
 * range of groups, and pass on the one or two rows that a message is about: all fail alike.
 */
#include "matrix/symmetry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vectorise.h"
#include "matrix/row.h"
#include "matrix/walk.h"

enum { GROUPS = 4096 }; /* 32 KiB a thread */

/* Findings of a thread. */
struct found {
    uint64_t group[GROUPS]; /* its part of F_g */
    int64_t row;            /* first row without a positive diagonal entry; INT64_MAX: none */
};

/* A pass over the pairs first <= i < last, in groups of 2^shift rows i. */
struct search {
    int64_t offset; /* number of the source's first row in the matrix */
    int64_t first, last;
    int shift;
    struct found *of_thread;
};

/* The last step: compares row j's entry in column i with row i's entry in column j. */
struct last_search {
    const struct cgs_row *row; /* i */
    int64_t offset;
    struct found *of_thread;
};

/* Zeros have fingerprint 0, like missing entries. */
CGS_PIECE uint64_t fingerprint(int64_t i, int64_t j, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t h = cgs_splitmix64(bits ^ cgs_splitmix64((uint64_t)i << 32 | (uint64_t)j));
    return value == 0.0 ? 0 : h;
}

static void add_fingerprints(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct search *search = user;
    uint64_t *group = search->of_thread[thread].group;
    int64_t at = 0;
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t row = search->offset + block->first + i;
        for (const int64_t end = at + block->lengths[i]; at < end; at++) {
            const int64_t column = block->columns[at];
            const double value = block->values[at];
            const int64_t lower = row < column ? row : column;
            if (column == row || lower < search->first || search->last <= lower)
                continue;
            if (column < row)
                group[(lower - search->first) >> search->shift] -= fingerprint(column, row, value);
            else
                group[(lower - search->first) >> search->shift] += fingerprint(row, column, value);
        }
    }
}

/* Adds the fingerprints of a row to a sum. Returns its diagonal entry, 0 if it is missing. */
CGS_PIECE double add_row(int64_t row, int32_t length, const int32_t *restrict columns,
                         const double *restrict values, uint64_t *sum)
{
    uint64_t all = 0, own = 0;
    double diagonal;
    for (int32_t e = 0; e < length; e++) {
        const int64_t column = columns[e];
        const int64_t i = row < column ? row : column, j = row < column ? column : row;
        const uint64_t h = fingerprint(i, j, values[e]);
        const uint64_t minus = row < column ? 0 : UINT64_MAX;
        uint64_t bits;
        memcpy(&bits, &values[e], sizeof bits);
        own |= column == row ? bits : 0;
        all += (h ^ minus) - minus;
    }
    memcpy(&diagonal, &own, sizeof diagonal);
    *sum += all + fingerprint(row, row, diagonal); /* which was subtracted */
    return diagonal;
}

/* As add_fingerprints for one group of all pairs; finds the first row without a positive diagonal
 * entry, too. */
CGS_CLONES static void add_all(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct search *search = user;
    struct found *found = &search->of_thread[thread];
    int64_t at = 0;
    for (int64_t i = 0; i < block->rows; at += block->lengths[i++]) {
        const int64_t row = search->offset + block->first + i;
        const double diagonal = add_row(row, block->lengths[i], block->columns + at,
                                        block->values + at, &found->group[0]);
        if (!(diagonal > 0.0) && row < found->row)
            found->row = row;
    }
}

static void forget(struct cgs_context *context, struct found *of_thread)
{
    for (int t = 0; t < context->threads; t++) {
        memset(of_thread[t].group, 0, sizeof of_thread[t].group);
        of_thread[t].row = INT64_MAX;
    }
}

/* ---- several ranks ---- */

/* Returns true if ranks have a part of the rows each. */
static bool is_shared(const struct cgs_context *context, const struct cgs_row_source *source)
{
    return context->comm && source->whole > 0;
}

/* Number of rows of the matrix. */
static int64_t all_rows(const struct cgs_row_source *source)
{
    return source->whole > 0 ? source->whole : source->rows;
}

/* Returns the least of the ranks' numbers, each below 2^53 or INT64_MAX. */
static int64_t least_of(struct cgs_context *context, int64_t mine)
{
    const double none = 9007199254740992.0; /* 2^53 */
    const double least = -cgs_comm_most(context, mine == INT64_MAX ? -none : -(double)mine);
    return least == none ? INT64_MAX : (int64_t)least;
}

/* First group of a rank's range. */
static int groups_of(const struct cgs_comm *comm, int rank)
{
    return (int)((int64_t)GROUPS * rank / comm->size);
}

/* Returns the first group whose sum over all ranks is not zero; sums: this rank's. */
static enum cgs_status first_group_of_ranks(struct cgs_context *context, const int64_t *sums,
                                            int *group)
{
    struct cgs_comm *comm = context->comm;
    const int begin = groups_of(comm, comm->rank), mine = groups_of(comm, comm->rank + 1) - begin;
    int out[CGS_RANKS_MOST], in[CGS_RANKS_MOST];
    int64_t *all = NULL, found = GROUPS;
    enum cgs_status status = cgs_alloc(context, (int64_t)mine * comm->size, sizeof *all,
                                       "fingerprints of the ranks", (void **)&all);
    status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_free(context, all);
        return status;
    }
    for (int r = 0; r < comm->size; r++) {
        out[r] = groups_of(comm, r + 1) - groups_of(comm, r);
        in[r] = mine;
    }
    comm->ops->swap(comm, sums, out, all, in);
    for (int g = mine - 1; g >= 0; g--) {
        uint64_t sum = 0;
        for (int r = 0; r < comm->size; r++)
            sum += (uint64_t)all[(int64_t)r * mine + g];
        found = sum != 0 ? begin + g : found;
    }
    cgs_free(context, all);
    *group = (int)least_of(context, found);
    return CGS_OK;
}

/* Generates row i of the matrix; of several ranks, its owner does and passes it on. */
static enum cgs_status take_row(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t i, struct cgs_row *row)
{
    struct cgs_comm *comm = context->comm;
    struct cgs_row made = {.index = i};
    enum cgs_status status = CGS_OK;
    if (!is_shared(context, source))
        return cgs_row_generate(context, source, i, row);
    const bool mine = source->first <= i && i < source->first + source->rows;
    const int owner = (int)cgs_comm_most(context, mine ? comm->rank : 0);
    if (mine)
        status = cgs_row_generate(context, source, i - source->first, &made);
    status = cgs_comm_agree(context, status);
    made.index = i;
    if (status == CGS_OK)
        comm->ops->share(comm, owner, &made.length, (int64_t)sizeof made.length);
    if (status == CGS_OK && !mine) {
        status = cgs_alloc(context, made.length, sizeof *made.values, "matrix row",
                           (void **)&made.values);
        if (status == CGS_OK)
            status = cgs_alloc(context, made.length, sizeof *made.columns, "matrix row",
                               (void **)&made.columns);
    }
    status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_row_release(context, &made);
        return status;
    }
    comm->ops->share(comm, owner, made.columns, made.length * (int64_t)sizeof *made.columns);
    comm->ops->share(comm, owner, made.values, made.length * (int64_t)sizeof *made.values);
    *row = made;
    return CGS_OK;
}

/* ---- one pass ---- */

static int64_t least_row(struct cgs_context *context, const struct cgs_row_source *source,
                         const struct found *of_thread)
{
    int64_t row = INT64_MAX;
    for (int t = 0; t < context->threads; t++)
        row = of_thread[t].row < row ? of_thread[t].row : row;
    return is_shared(context, source) ? least_of(context, row) : row;
}

/* Finds the first group whose sum over all threads and ranks is not zero; GROUPS: none. */
static enum cgs_status first_group(struct cgs_context *context, const struct cgs_row_source *source,
                                   const struct found *of_thread, int *group)
{
    int64_t sums[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        uint64_t sum = 0;
        for (int t = 0; t < context->threads; t++)
            sum += of_thread[t].group[g];
        sums[g] = (int64_t)sum;
    }
    if (is_shared(context, source))
        return first_group_of_ranks(context, sums, group);
    for (*group = 0; *group < GROUPS && sums[*group] == 0;)
        ++*group;
    return CGS_OK;
}

/* Walks the rows of this source from row `first` of the matrix on. The ranks agree on the
 * outcome. */
static enum cgs_status walk_from(struct cgs_context *context, const struct cgs_row_source *source,
                                 int64_t first,
                                 void (*visit)(void *, int, const struct cgs_walk_block *),
                                 void *user)
{
    int64_t begin = first > source->first ? first - source->first : 0;
    begin = begin < source->rows ? begin : source->rows;
    const enum cgs_status status = cgs_walk_rows(context, source, begin, source->rows, visit, user);
    return is_shared(context, source) ? cgs_comm_agree(context, status) : status;
}

/* *first: least i of the differing pairs, or if not `locate` any row below; all_rows(source) if
 * there is none. *diagonal: first row whose diagonal entry is missing or not positive, INT64_MAX if
 * there is none. */
static enum cgs_status find_row(struct cgs_context *context, const struct cgs_row_source *source,
                                bool locate, struct found *of_thread, int64_t *first,
                                int64_t *diagonal)
{
    const int64_t rows = all_rows(source);
    struct search search = {.offset = source->first, .last = rows, .of_thread = of_thread};
    int group;
    forget(context, of_thread);
    CGS_TRY(walk_from(context, source, 0, add_all, &search));
    const int64_t not_positive = least_row(context, source, of_thread);
    CGS_TRY(first_group(context, source, of_thread, &group));
    for (bool found = !locate; !found && group < GROUPS;) {
        search.shift = 0;
        while ((search.last - search.first - 1) >> search.shift >= GROUPS)
            search.shift++;
        forget(context, of_thread);
        CGS_TRY(walk_from(context, source, search.first, add_fingerprints, &search));
        CGS_TRY(first_group(context, source, of_thread, &group));
        found = search.shift == 0;
        search.first += (int64_t)group << search.shift;
        const int64_t end = search.first + (INT64_C(1) << search.shift);
        search.last = end < search.last ? end : search.last;
    }
    *first = group == GROUPS ? rows : search.first;
    *diagonal = not_positive;
    return CGS_OK;
}

/* Returns true if the fingerprints are equal: equal values, or NaN of the same bits. */
static bool same(double a, double b)
{
    return a == b || memcmp(&a, &b, sizeof a) == 0;
}

static void compare_with_row(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct last_search *search = user;
    const struct cgs_row *row = search->row;
    struct found *found = &search->of_thread[thread];
    int64_t at = 0;
    bool there;
    for (int64_t k = 0; k < block->rows; at += block->lengths[k], k++) {
        const int64_t j = search->offset + block->first + k;
        const double lower = cgs_row_entry(block->lengths[k], block->columns + at,
                                           block->values + at, row->index, &there);
        if (j < found->row &&
            !same(cgs_row_entry(row->length, row->columns, row->values, j, &there), lower))
            found->row = j;
    }
}

/* Describes an entry: "a(17, 18) = -0.1", with `digits` digits, or "a(17, 18) is not there". */
static void name_entry(const struct cgs_row *row, int64_t column, int digits, char *text,
                       size_t size)
{
    bool there;
    const double value = cgs_row_entry(row->length, row->columns, row->values, column, &there);
    if (there)
        snprintf(text, size, "a(%" PRId64 ", %" PRId64 ") = %.*g", row->index + 1, column + 1,
                 digits, value);
    else
        snprintf(text, size, "a(%" PRId64 ", %" PRId64 ") is not there", row->index + 1,
                 column + 1);
}

/* Fails with the message for the pair of the rows i and j. */
static enum cgs_status name_pair(struct cgs_context *context, const struct cgs_row *i,
                                 const struct cgs_row *j)
{
    char upper[128], lower[128];
    bool there;
    const double a = cgs_row_entry(i->length, i->columns, i->values, j->index, &there);
    const double b = cgs_row_entry(j->length, j->columns, j->values, i->index, &there);
    char short_a[32], short_b[32];
    snprintf(short_a, sizeof short_a, "%.6g", a);
    snprintf(short_b, sizeof short_b, "%.6g", b);
    const int digits = strcmp(short_a, short_b) != 0 ? 6 : 17;
    name_entry(i, j->index, digits, upper, sizeof upper);
    name_entry(j, i->index, digits, lower, sizeof lower);
    return cgs_fail(context, CGS_BREAKDOWN,
                    "%s but %s (rows and columns counted from 1): the matrix is not symmetric, and "
                    "CG needs that",
                    upper, lower);
}

enum cgs_status cgs_matrix_refuse_pair(struct cgs_context *context,
                                       const struct cgs_row_source *source, int64_t i, int64_t j)
{
    struct cgs_row row, mirror;
    CGS_TRY(take_row(context, source, i, &row));
    enum cgs_status status = take_row(context, source, j, &mirror);
    if (status == CGS_OK) {
        status = name_pair(context, &row, &mirror);
        cgs_row_release(context, &mirror);
    }
    cgs_row_release(context, &row);
    return status;
}

/* Names the first differing pair of row i, which has one. */
static enum cgs_status explain_row(struct cgs_context *context, const struct cgs_row_source *source,
                                   struct found *of_thread, int64_t i)
{
    struct cgs_row row;
    CGS_TRY(take_row(context, source, i, &row));
    struct last_search search = {&row, source->first, of_thread};
    forget(context, of_thread);
    enum cgs_status status = walk_from(context, source, i + 1, compare_with_row, &search);
    const int64_t j = status == CGS_OK ? least_row(context, source, of_thread) : INT64_MAX;
    if (status == CGS_OK && j == INT64_MAX)
        status = cgs_fail(
            context, CGS_BUG,
            "row %" PRId64 " was refused as not symmetric, but nothing is wrong with it", i + 1);
    cgs_row_release(context, &row);
    CGS_TRY(status);
    return cgs_matrix_refuse_pair(context, source, i, j);
}

/* Returns true if no entry of the row is other than 0. */
static bool is_empty(const struct cgs_row *row)
{
    for (int64_t e = 0; e < row->length; e++)
        if (row->values[e] != 0.0)
            return false;
    return true;
}

/* Fails with the message for a row without nonzeros, whose column has none either. */
static enum cgs_status name_empty(struct cgs_context *context, const struct cgs_row *row)
{
    const int64_t i = row->index + 1;
    return cgs_fail(context, CGS_BREAKDOWN,
                    "row and column %" PRId64 " (counted from 1) %s: A is singular, as unknown "
                    "%" PRId64 " is in no equation; leave such rows and columns out, or give them "
                    "a(%" PRId64 ", %" PRId64 ") = 1 and 0 in b",
                    i, row->length == 0 ? "have no entries" : "hold only zeros", i, i, i);
}

/* Fails with the message for the diagonal entry of a row, which is not positive. */
static enum cgs_status name_diagonal(struct cgs_context *context, const struct cgs_row *row)
{
    char text[128];
    bool there;
    name_entry(row, row->index, 6, text, sizeof text);
    const bool negative =
        row->index == 0 && cgs_row_entry(row->length, row->columns, row->values, 0, &there) < 0.0;
    return cgs_fail(context, CGS_BREAKDOWN,
                    "%s (rows and columns counted from 1): the diagonal of a positive definite "
                    "matrix is positive, and CG needs that%s",
                    text, negative ? "; where A is negative definite, solve -A x = -b" : "");
}

static enum cgs_status explain_diagonal(struct cgs_context *context,
                                        const struct cgs_row_source *source, int64_t i)
{
    struct cgs_row row;
    CGS_TRY(take_row(context, source, i, &row));
    const enum cgs_status status =
        is_empty(&row) ? name_empty(context, &row) : name_diagonal(context, &row);
    cgs_row_release(context, &row);
    return status;
}

enum cgs_status cgs_matrix_check_symmetry(struct cgs_context *context,
                                          const struct cgs_row_source *source,
                                          bool positive_diagonal, bool *symmetric)
{
    struct found *of_thread = NULL;
    int64_t row, diagonal;
    const int64_t rows = all_rows(source);
    if (rows != source->columns)
        return cgs_fail(context, CGS_BREAKDOWN,
                        "the matrix has %" PRId64 " rows and %" PRId64 " columns: it is not "
                        "symmetric, and CG needs that",
                        rows, source->columns);
    enum cgs_status status = cgs_alloc(context, context->threads, sizeof *of_thread,
                                       "fingerprints of the threads", (void **)&of_thread);
    if (is_shared(context, source))
        status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        status = find_row(context, source, !symmetric, of_thread, &row, &diagonal);
    if (status == CGS_OK && symmetric)
        *symmetric = row == rows;
    if (status == CGS_OK && row < rows)
        status = symmetric ? CGS_OK : explain_row(context, source, of_thread, row);
    else if (status == CGS_OK && positive_diagonal && diagonal != INT64_MAX)
        status = explain_diagonal(context, source, diagonal);
    cgs_free(context, of_thread);
    return status;
}
