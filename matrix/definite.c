/* Facts about a matrix that is not positive definite, or is so badly scaled that CG takes it for
 * one: the range of its diagonal; the 2 x 2 minor a_ii a_jj - a_ij^2, which of a positive definite
 * matrix is positive, and which no scaling S A S of rows and columns changes in sign; and the sums
 * of its rows.
 */
#include "matrix/definite.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "matrix/walk.h"

int cgs_minor_sign(double a, double b, double c)
{
    int ea, eb, ec;
    const double ma = frexp(a, &ea), mb = frexp(b, &eb), mc = frexp(fabs(c), &ec);
    const int shift = ea + eb - 2 * ec; /* a b / c^2 = 2^shift ma mb / mc^2 */
    if (mc == 0.0 || shift > 2)
        return 1;
    if (shift < -2)
        return -1;
    const double left = ldexp(ma, shift), product = left * mb, square = mc * mc;
    if (product != square)
        return product > square ? 1 : -1;
    const double rest = fma(left, mb, -product) - fma(mc, mc, -square);
    return (rest > 0.0) - (rest < 0.0);
}

/* The minor of a pair of rows. */
struct pair {
    int64_t i, j;
    int sign;
    double ratio; /* |a_ij| / sqrt(a_ii a_jj) */
    double a_ij;
};

static const struct pair none = {.i = -1, .j = -1, .sign = 1};

/* Returns true if pair a says more than pair b. */
static bool says_more(const struct pair *a, const struct pair *b)
{
    if (a->i < 0 || b->i < 0)
        return a->i >= 0;
    if (a->sign != b->sign)
        return a->sign < b->sign;
    if (a->ratio != b->ratio)
        return a->ratio > b->ratio;
    return a->i != b->i ? a->i < b->i : a->j < b->j;
}

struct look {
    int64_t first;          /* row of the whole that is row 0 here */
    const double *diagonal; /* of the whole */
    struct of_thread {
        struct pair most;
        bool constants, some;
        char apart[64]; /* from the next thread's */
    } * of_thread;
};

static bool adds_up_to_zero(double sum, double size, int32_t length)
{
    return fabs(sum) <= DBL_EPSILON * (double)length * size;
}

static void look_at_rows(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct look *look = user;
    struct of_thread *mine = &look->of_thread[thread];
    const double *d = look->diagonal;
    int64_t at = 0;
    for (int64_t k = 0; k < block->rows; k++) {
        const int64_t i = look->first + block->first + k;
        double sum = 0.0, size = 0.0;
        for (int32_t e = 0; e < block->lengths[k]; e++, at++) {
            const int64_t j = block->columns[at];
            const double a = block->values[at];
            sum += a;
            size += fabs(a);
            if (j <= i || !(d[i] > 0.0) || !(d[j] > 0.0))
                continue;
            struct pair pair = {i, j, 1, fabs(a) / sqrt(d[i]) / sqrt(d[j]), a};
            if (pair.ratio > 1.0 - 8.0 * DBL_EPSILON)
                pair.sign = cgs_minor_sign(d[i], d[j], a);
            if (says_more(&pair, &mine->most))
                mine->most = pair;
        }
        const bool zero = adds_up_to_zero(sum, size, block->lengths[k]);
        mine->constants = mine->constants && zero;
        mine->some = mine->some || zero;
    }
}

/* Replaces a rank's pair by that of all ranks which says most. */
static void agree_on_pair(struct cgs_context *context, struct pair *pair)
{
    double all[5][CGS_RANKS_MOST];
    struct pair most = none;
    cgs_comm_each(context, (double)pair->i, all[0]);
    cgs_comm_each(context, (double)pair->j, all[1]);
    cgs_comm_each(context, (double)pair->sign, all[2]);
    cgs_comm_each(context, pair->ratio, all[3]);
    cgs_comm_each(context, pair->a_ij, all[4]);
    for (int r = 0; r < cgs_comm_size(context); r++) {
        const struct pair other = {(int64_t)all[0][r], (int64_t)all[1][r], (int)all[2][r],
                                   all[3][r], all[4][r]};
        if (says_more(&other, &most))
            most = other;
    }
    *pair = most;
}

/* The diagonal of the whole matrix, `all`, on each rank. */
static enum cgs_status take_diagonal(struct cgs_context *context,
                                     const struct cgs_row_source *source, double *all)
{
    double first[CGS_RANKS_MOST];
    int64_t starts[CGS_RANKS_MOST + 1];
    enum cgs_status status = cgs_matrix_diagonal(context, source, all + source->first);
    if (!source->whole)
        return status;
    CGS_TRY(cgs_comm_agree(context, status));
    cgs_comm_each(context, (double)source->first, first);
    for (int r = 0; r < cgs_comm_size(context); r++)
        starts[r] = (int64_t)first[r];
    starts[cgs_comm_size(context)] = source->whole;
    return cgs_comm_complete(context, starts, 1, all);
}

static void look_at_diagonal(int64_t rows, const double *diagonal, struct cgs_definite *found)
{
    found->least = INFINITY;
    found->most = -INFINITY;
    for (int64_t i = 0; i < rows; i++) {
        if (diagonal[i] < found->least) {
            found->least = diagonal[i];
            found->least_row = i;
        }
        if (diagonal[i] > found->most) {
            found->most = diagonal[i];
            found->most_row = i;
        }
    }
}

static enum cgs_status look(struct cgs_context *context, const struct cgs_row_source *source,
                            double *diagonal, struct of_thread *of_thread,
                            struct cgs_definite *definite)
{
    const int64_t rows = source->whole ? source->whole : source->rows;
    struct look look = {source->first, diagonal, of_thread};
    struct cgs_definite found = {0};
    struct pair most = none;
    bool constants = true, some = false;
    CGS_TRY(take_diagonal(context, source, diagonal));
    look_at_diagonal(rows, diagonal, &found);
    for (int t = 0; t < context->threads; t++)
        of_thread[t] = (struct of_thread){.most = none, .constants = true};
    enum cgs_status status = cgs_walk_rows(context, source, 0, source->rows, look_at_rows, &look);
    CGS_TRY(source->whole ? cgs_comm_agree(context, status) : status);
    for (int t = 0; t < context->threads; t++) {
        constants = constants && of_thread[t].constants;
        some = some || of_thread[t].some;
        if (says_more(&of_thread[t].most, &most))
            most = of_thread[t].most;
    }
    if (source->whole) {
        agree_on_pair(context, &most);
        constants = cgs_comm_most(context, constants ? 0.0 : 1.0) == 0.0;
        some = cgs_comm_most(context, some ? 1.0 : 0.0) > 0.0;
    }
    found.i = most.i;
    found.j = most.j;
    found.minor = most.sign;
    found.constants = constants;
    found.some = some;
    if (most.i >= 0) {
        found.a_ii = diagonal[most.i];
        found.a_jj = diagonal[most.j];
        found.a_ij = most.a_ij;
    }
    *definite = found;
    return CGS_OK;
}

enum cgs_status cgs_matrix_look_definite(struct cgs_context *context,
                                         const struct cgs_row_source *source,
                                         struct cgs_definite *definite)
{
    const int64_t rows = source->whole ? source->whole : source->rows;
    double *diagonal = NULL;
    struct of_thread *of_thread = NULL;
    enum cgs_status status =
        cgs_alloc(context, rows, sizeof *diagonal, "diagonal", (void **)&diagonal);
    if (status == CGS_OK)
        status = cgs_alloc(context, context->threads, sizeof *of_thread, "minors of the threads",
                           (void **)&of_thread);
    if (source->whole)
        status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        status = look(context, source, diagonal, of_thread, definite);
    cgs_free(context, of_thread);
    cgs_free(context, diagonal);
    return status;
}

/* ---- parts ---- */

/* Rows of one part have the same root: part[i] leads there. */
struct joining {
    int32_t *part;
    bool *open; /* of a root: a row of the part does not add up to 0 */
};

static int32_t root_of(int32_t *part, int32_t i)
{
    while (part[i] != i)
        i = part[i] = part[part[i]];
    return i;
}

static void join_rows(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct joining *joining = user;
    int32_t *part = joining->part;
    int64_t at = 0;
    (void)thread;
    for (int64_t k = 0; k < block->rows; k++) {
        int32_t root = root_of(part, (int32_t)(block->first + k));
        double sum = 0.0, size = 0.0;
        for (int32_t e = 0; e < block->lengths[k]; e++, at++) {
            if (block->values[at] == 0.0)
                continue;
            const int32_t other = root_of(part, block->columns[at]);
            sum += block->values[at];
            size += fabs(block->values[at]);
            const int32_t low = root < other ? root : other, high = root < other ? other : root;
            part[high] = low; /* the first row of a part is its root */
            joining->open[low] = joining->open[low] || joining->open[high];
            root = low;
        }
        joining->open[root] = joining->open[root] || !adds_up_to_zero(sum, size, block->lengths[k]);
    }
}

/* Numbers the parts whose rows add up to 0. */
static int64_t number_parts(int64_t n, const struct joining *joining, int32_t *part)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t root = root_of(joining->part, (int32_t)i);
        part[i] = root < i ? part[root] : joining->open[i] ? -1 : (int32_t)count++;
    }
    return count;
}

enum cgs_status cgs_matrix_find_null_parts(struct cgs_context *context,
                                           const struct cgs_row_source *source, int32_t **part,
                                           int64_t *count)
{
    const int64_t n = source->rows;
    const int threads = context->threads;
    struct joining joining = {0};
    int32_t *made = NULL;
    enum cgs_status status = cgs_alloc(context, n, sizeof *made, "parts", (void **)&made);
    if (status == CGS_OK)
        status = cgs_alloc(context, n, sizeof *joining.part, "parts", (void **)&joining.part);
    if (status == CGS_OK)
        status = cgs_alloc(context, n, sizeof *joining.open, "parts", (void **)&joining.open);
    if (status == CGS_OK) {
        for (int64_t i = 0; i < n; i++) {
            joining.part[i] = (int32_t)i;
            joining.open[i] = false;
        }
        context->threads = 1;
        status = cgs_walk_rows(context, source, 0, n, join_rows, &joining);
        context->threads = threads;
    }
    if (status == CGS_OK)
        *count = number_parts(n, &joining, made);
    cgs_free(context, joining.open);
    cgs_free(context, joining.part);
    if (status == CGS_OK)
        *part = made;
    else
        cgs_free(context, made);
    return status;
}

/* A part, and the sums of b and of its magnitudes on it. */
struct part_sums {
    int64_t rows, first;
    double sum, size;
};

static struct cgs_null_part choose_part(int64_t n, const int32_t *part, int64_t count,
                                        const double *b, struct part_sums *sums)
{
    struct cgs_null_part found = {0};
    memset(sums, 0, (size_t)count * sizeof *sums);
    for (int64_t i = 0; i < n; i++) {
        struct part_sums *s = part[i] >= 0 ? &sums[part[i]] : NULL;
        if (!s)
            continue;
        if (s->rows++ == 0)
            s->first = i;
        s->sum += b ? b[i] : 0.0;
        s->size += b ? fabs(b[i]) : 0.0;
    }
    for (int64_t c = 0; c < count; c++) {
        const double rhs = sums[c].size > 0.0 ? fabs(sums[c].sum) / sums[c].size : 0.0;
        if (found.rows == 0 || rhs > found.rhs)
            found = (struct cgs_null_part){sums[c].rows, sums[c].first, rhs};
    }
    return found;
}

enum cgs_status cgs_matrix_find_null_part(struct cgs_context *context,
                                          const struct cgs_row_source *source, const double *b,
                                          struct cgs_null_part *found)
{
    int32_t *part = NULL;
    struct part_sums *sums = NULL;
    int64_t count;
    CGS_TRY(cgs_matrix_find_null_parts(context, source, &part, &count));
    const enum cgs_status status =
        cgs_alloc(context, count, sizeof *sums, "sums of parts", (void **)&sums);
    if (status == CGS_OK)
        *found = choose_part(source->rows, part, count, b, sums);
    cgs_free(context, sums);
    cgs_free(context, part);
    return status;
}

/* ---- sums of rows ---- */

/* Returns true if the sum is 0 but for what rounding mostly leaves of terms of either sign, less
 * than adds_up_to_zero allows for a long row: what one entry more would hold is not taken for 0. */
static bool is_likely_zero(double sum, double size, int32_t length)
{
    return fabs(sum) <= DBL_EPSILON * sqrt((double)length) * size;
}

static void look_at_sums(void *user, int thread, const struct cgs_walk_block *block)
{
    bool *zero = user;
    int64_t at = 0;
    (void)thread;
    for (int64_t k = 0; k < block->rows; k++) {
        double sum = 0.0, size = 0.0;
        for (int32_t e = 0; e < block->lengths[k]; e++, at++) {
            sum += block->values[at];
            size += fabs(block->values[at]);
        }
        if (!is_likely_zero(sum, size, block->lengths[k])) {
#pragma omp atomic write
            *zero = false;
            return;
        }
    }
}

enum cgs_status cgs_matrix_adds_up_to_zero(struct cgs_context *context,
                                           const struct cgs_row_source *source, bool *all)
{
    enum { FIRST = 1024, GROWTH = 8 }; /* of most matrices one of the first rows has another sum */
    bool zero = true;
    enum cgs_status status = CGS_OK;
    int64_t end;
    for (int64_t first = 0, rows = FIRST; status == CGS_OK && zero && first < source->rows;
         first = end, rows *= GROWTH) {
        end = first + rows < source->rows ? first + rows : source->rows;
        status = cgs_walk_rows(context, source, first, end, look_at_sums, &zero);
    }
    CGS_TRY(source->whole ? cgs_comm_agree(context, status) : status);
    *all = source->whole ? cgs_comm_most(context, zero ? 0.0 : 1.0) == 0.0 : zero;
    return CGS_OK;
}
