/* T of near-null vectors that ranks share (kernels/near_null.h). An aggregate may have nodes of
 * several ranks: their rows go to the rank that has the aggregate, in ascending order, where Q and
 * R are made as one process makes them, and come back as rows of T.
 *
 *     there   of each node   aggregate, rows, vectors of these rows
 *     back    of each row    entries, first column, numbers of T
 */
#include "kernels/amg/fit_shared.h"

#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "kernels/amg/fit_cpu.h"
#include "kernels/amg/strong_cpu.h"
#include "kernels/sparse/mail.h"

enum { HEAD = 2, WORD = sizeof(int64_t) };

/* The rows of this rank, and who has their aggregates. */
struct sending {
    struct cgs_context *context;
    const int64_t *starts;
    const int32_t *of;
    const struct cgs_near_null *near;
};

/* The rows that have come, by sender. */
struct coming {
    struct cgs_near_null near;
    int32_t *of;                    /* nodes: aggregates of this rank, from 0 */
    int64_t nodes[CGS_RANKS_MOST];  /* of each sender */
};

/* ---- there ---- */

/* Returns the rank that has the aggregate; the search begins at `near`. */
static int owner_of(const struct sending *s, int32_t aggregate, int near)
{
    while (aggregate >= s->starts[near + 1])
        near++;
    while (aggregate < s->starts[near])
        near--;
    return near;
}

/* Counts the words for each rank; with `to`, where those for rank r begin at to[r], writes them. */
static void post(const struct sending *s, int64_t *words, int64_t **to)
{
    const struct cgs_near_null *near = s->near;
    int owner = 0;
    for (int64_t i = 0; i < near->nodes; i++) {
        const int64_t rows = near->first[i + 1] - near->first[i], numbers = rows * near->count;
        if (s->of[i] < 0)
            continue;
        owner = owner_of(s, s->of[i], owner);
        words[owner] += HEAD + numbers;
        if (!to)
            continue;
        to[owner][0] = s->of[i] - s->starts[owner];
        to[owner][1] = rows;
        memcpy(to[owner] + HEAD, near->vector + near->first[i] * near->count,
               (size_t)numbers * WORD);
        to[owner] += HEAD + numbers;
    }
}

static enum cgs_status send_nodes(const struct sending *s, struct cgs_mail *mail)
{
    int64_t words[CGS_RANKS_MOST] = {0}, again[CGS_RANKS_MOST] = {0}, *to[CGS_RANKS_MOST], at = 0;
    post(s, words, NULL);
    CGS_TRY(cgs_mail_open(s->context, CGS_OK, words, mail));
    for (int r = 0; r < s->context->comm->size; at += words[r++])
        to[r] = mail->out + at;
    post(s, again, to);
    cgs_mail_send(s->context, mail);
    return CGS_OK;
}

/* Counts the nodes and rows that have come, or with coming->of takes them. */
static void unpack(struct cgs_context *context, const struct cgs_mail *mail, struct coming *coming,
                   int64_t *nodes, int64_t *rows)
{
    struct cgs_near_null *near = &coming->near;
    const int64_t *from = mail->in;
    *nodes = *rows = 0;
    for (int r = 0; r < context->comm->size; r++) {
        const int64_t *const end = from + mail->in_counts[r];
        for (coming->nodes[r] = 0; from < end; coming->nodes[r]++) {
            const int64_t numbers = from[1] * near->count;
            if (coming->of) {
                coming->of[*nodes] = (int32_t)from[0];
                near->first[*nodes] = *rows;
                memcpy(near->vector + *rows * near->count, from + HEAD, (size_t)numbers * WORD);
            }
            ++*nodes;
            *rows += from[1];
            from += HEAD + numbers;
        }
    }
    if (coming->of)
        near->first[*nodes] = *rows;
}

static enum cgs_status take_nodes(struct cgs_queue *queue, int count, const struct cgs_mail *mail,
                                  struct coming *coming)
{
    int64_t nodes, rows;
    coming->near.count = count;
    unpack(queue->context, mail, coming, &nodes, &rows);
    CGS_TRY(cgs_near_null_cpu_take(queue, count, nodes, rows, &coming->near));
    CGS_TRY(cgs_alloc(queue->context, nodes, sizeof *coming->of, "aggregates of nodes",
                      (void **)&coming->of));
    unpack(queue->context, mail, coming, &nodes, &rows);
    return CGS_OK;
}

/* ---- back ---- */

/* Counts the words for each rank, or with `to` writes them, one rank after the other. first: the
 * first of T's columns here. */
static void post_rows(struct cgs_context *context, const struct coming *coming,
                      const struct cgs_sparse *t, int64_t first, int64_t *words, int64_t *to)
{
    const double *number = t->value;
    int64_t node = 0;
    for (int r = 0; r < context->comm->size; r++) {
        const int64_t begin = coming->near.first[node];
        node += coming->nodes[r];
        for (int64_t row = begin; row < coming->near.first[node]; row++) {
            const int64_t at = t->pointers[row], entries = t->pointers[row + 1] - at;
            words[r] += HEAD + entries;
            if (!to)
                continue;
            to[0] = entries;
            to[1] = entries > 0 ? first + t->column[at] : 0;
            memcpy(to + HEAD, number + at, (size_t)entries * WORD);
            to += HEAD + entries;
        }
    }
}

static enum cgs_status send_rows(struct cgs_context *context, const struct coming *coming,
                                 const struct cgs_sparse *t, int64_t first, struct cgs_mail *mail)
{
    int64_t words[CGS_RANKS_MOST] = {0}, again[CGS_RANKS_MOST] = {0};
    post_rows(context, coming, t, first, words, NULL);
    CGS_TRY(cgs_mail_open(context, CGS_OK, words, mail));
    post_rows(context, coming, t, first, again, mail->out);
    cgs_mail_send(context, mail);
    return CGS_OK;
}

/* Sets pointers of this rank's rows of T, or with `fill` their entries. */
static void receive(const struct sending *s, const struct cgs_mail *mail, bool fill,
                    struct cgs_sparse *t)
{
    const int64_t *from[CGS_RANKS_MOST], *at = mail->in;
    double *number = t->value;
    int owner = 0;
    for (int r = 0; r < s->context->comm->size; at += mail->in_counts[r++])
        from[r] = at;
    for (int64_t i = 0; i < s->near->nodes; i++) {
        owner = s->of[i] >= 0 ? owner_of(s, s->of[i], owner) : owner;
        for (int64_t row = s->near->first[i]; row < s->near->first[i + 1]; row++) {
            const int64_t *word = from[owner], entries = s->of[i] >= 0 ? word[0] : 0;
            from[owner] += s->of[i] >= 0 ? HEAD + entries : 0;
            for (int64_t k = 0; k < entries && fill; k++)
                t->column[t->pointers[row] + k] = (int32_t)(word[1] + k);
            if (fill && entries > 0)
                memcpy(number + t->pointers[row], word + HEAD, (size_t)entries * WORD);
            else if (!fill)
                t->pointers[row + 1] = t->pointers[row] + entries;
        }
    }
}

static enum cgs_status take_rows(struct cgs_queue *queue, const struct sending *s,
                                 const struct cgs_mail *mail, int64_t columns, struct cgs_sparse *t,
                                 int64_t *aggregated)
{
    static const char what[] = "tentative prolongation";
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    const int64_t rows = s->near->first[s->near->nodes];
    CGS_TRY(ops->pointers(queue, what, rows, columns, t));
    t->pointers[0] = 0;
    receive(s, mail, false, t);
    CGS_TRY(ops->entries(queue, what, t->pointers[rows], t));
    receive(s, mail, true, t);
    *aggregated = 0;
    for (int64_t i = 0; i < rows; i++)
        *aggregated += t->pointers[i + 1] > t->pointers[i];
    return CGS_OK;
}

/* ---- all of it ---- */

/* Makes T of the rows that have come, and brings its rows to those who have them. */
static enum cgs_status fit(struct cgs_queue *queue, const struct sending *s,
                           const struct coming *coming, struct cgs_sparse *t,
                           struct cgs_near_null *coarse, int64_t *aggregated)
{
    struct cgs_context *context = queue->context;
    const int rank = context->comm->rank;
    const struct cgs_aggregates mine = {.rows = coming->near.nodes,
                                        .count = s->starts[rank + 1] - s->starts[rank],
                                        .of = coming->of};
    struct cgs_sparse here = {0};
    struct cgs_mail mail = {0};
    int64_t columns[CGS_RANKS_MOST + 1];
    enum cgs_status status = cgs_comm_agree(
        context, cgs_near_null_cpu_fit(queue, &mine, &coming->near, &here, coarse, aggregated));
    if (status == CGS_OK) {
        cgs_comm_starts(context, here.columns, columns);
        status = send_rows(context, coming, &here, columns[rank], &mail);
    }
    cgs_cpu_sparse_f64.release(queue, &here);
    if (status == CGS_OK)
        status = cgs_comm_agree(context, take_rows(queue, s, &mail, columns[context->comm->size],
                                                   t, aggregated));
    cgs_mail_release(context, &mail);
    return status;
}

enum cgs_status cgs_near_null_shared_fit(struct cgs_queue *queue, const int64_t *starts,
                                         const int32_t *of, const struct cgs_near_null *near,
                                         struct cgs_sparse *t, struct cgs_near_null *coarse,
                                         int64_t *aggregated)
{
    struct cgs_context *context = queue->context;
    const struct sending sending = {context, starts, of, near};
    struct coming coming = {.of = NULL};
    struct cgs_sparse made = {0};
    struct cgs_near_null next = {0};
    struct cgs_mail mail = {0};
    enum cgs_status status = send_nodes(&sending, &mail);
    if (status == CGS_OK)
        status = cgs_comm_agree(context, take_nodes(queue, near->count, &mail, &coming));
    cgs_mail_release(context, &mail);
    if (status == CGS_OK)
        status = fit(queue, &sending, &coming, &made, &next, aggregated);
    cgs_near_null_cpu_release(queue, &coming.near);
    cgs_free(context, coming.of);
    if (status != CGS_OK) {
        cgs_cpu_sparse_f64.release(queue, &made);
        cgs_near_null_cpu_release(queue, &next);
        return status;
    }
    *t = made;
    *coarse = next;
    return CGS_OK;
}
