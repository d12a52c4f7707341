#include "kernels/sparse/ghosts.h"

#include <string.h>

#include "base/memory.h"
#include "kernels/registry.h"
#include "kernels/sparse/columns.h"

enum { WORD = sizeof(int64_t) };

/* ---- who needs what ---- */

/* Returns the place of ghost g among the columns. */
static int64_t place_of(const struct cgs_portion *portion, int64_t g)
{
    return g < portion->below ? g : g + portion->count;
}

static int64_t number_of(const struct cgs_portion *portion, int64_t g)
{
    return cgs_portion_global(portion, place_of(portion, g) - portion->below);
}

static int64_t count_of(const struct cgs_portion *portion)
{
    return portion->below + portion->above;
}

void cgs_ghosts_release(struct cgs_context *context, struct cgs_ghosts *ghosts)
{
    cgs_free(context, ghosts->packed);
    cgs_mail_release(context, &ghosts->mail);
    *ghosts = (struct cgs_ghosts){0};
}

enum cgs_status cgs_ghosts_create(struct cgs_context *context, const struct cgs_portion *portion,
                                  struct cgs_ghosts *ghosts)
{
    struct cgs_ghosts made = {.portion = portion, .columns = portion->count + count_of(portion)};
    int64_t words[CGS_RANKS_MOST] = {0};
    int owner = 0;
    for (int64_t g = 0; g < count_of(portion); g++) {
        while (number_of(portion, g) >= portion->cuts[owner + 1])
            owner++;
        words[owner]++;
    }
    *ghosts = (struct cgs_ghosts){0};
    CGS_TRY(cgs_mail_open(context, CGS_OK, words, &made.mail));
    enum cgs_status status = cgs_alloc(context, made.mail.in_words, sizeof *made.packed,
                                       "numbers for other ranks", (void **)&made.packed);
    status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_ghosts_release(context, &made);
        return status;
    }
    for (int64_t g = 0; g < count_of(portion); g++)
        made.mail.out[g] = number_of(portion, g);
    cgs_mail_send(context, &made.mail);
    for (int64_t i = 0; i < made.mail.in_words; i++)
        made.mail.in[i] -= portion->first;
    *ghosts = made;
    return CGS_OK;
}

/* ---- numbers ---- */

void cgs_ghosts_fetch(struct cgs_context *context, const struct cgs_ghosts *ghosts, void *numbers)
{
    struct cgs_comm *comm = context->comm;
    const struct cgs_portion *portion = ghosts->portion;
    const struct cgs_mail *mail = &ghosts->mail;
    char *const at = numbers;
    for (int64_t i = 0; i < mail->in_words; i++)
        memcpy(&ghosts->packed[i], at + WORD * (portion->below + mail->in[i]), WORD);
    comm->ops->swap(comm, ghosts->packed, mail->in_counts, mail->out, mail->out_counts);
    memcpy(at, mail->out, (size_t)(WORD * portion->below));
    memcpy(at + WORD * (portion->below + portion->count), mail->out + portion->below,
           (size_t)(WORD * portion->above));
}

/* ---- rows ---- */

/* Words of a row in a message: entries, columns, values. */
static int64_t words_of(const struct cgs_sparse *m, int64_t row)
{
    return 1 + 2 * (m->pointers[row + 1] - m->pointers[row]);
}

static void pack_rows(const struct cgs_ghosts *ghosts, const struct cgs_sparse *m, int64_t *to)
{
    for (int64_t i = 0; i < ghosts->mail.in_words; i++) {
        const int64_t row = ghosts->mail.in[i], begin = m->pointers[row];
        const int64_t entries = m->pointers[row + 1] - begin;
        *to++ = entries;
        for (int64_t e = begin; e < begin + entries; e++)
            *to++ = m->column[e];
        memcpy(to, (const double *)m->value + begin, (size_t)(WORD * entries));
        to += entries;
    }
}

/* Sets the pointers of all rows: those of ghosts have come. */
static void lay_out(const struct cgs_ghosts *ghosts, const struct cgs_sparse *local,
                    const int64_t *come, struct cgs_sparse *all)
{
    const int64_t below = ghosts->portion->below, last = below + local->rows;
    all->pointers[0] = 0;
    for (int64_t i = 0; i < ghosts->columns; i++) {
        int64_t entries;
        if (i >= below && i < last) {
            entries = local->pointers[i - below + 1] - local->pointers[i - below];
        } else {
            entries = *come;
            come += 1 + 2 * entries;
        }
        all->pointers[i + 1] = all->pointers[i] + entries;
    }
}

static void unpack_rows(const struct cgs_ghosts *ghosts, const struct cgs_sparse *local,
                        const int64_t *come, struct cgs_sparse *all)
{
    const struct cgs_portion *portion = ghosts->portion;
    double *value = all->value;
    for (int64_t g = 0; g < count_of(portion); g++) {
        const int64_t at = all->pointers[place_of(portion, g)], entries = *come++;
        for (int64_t e = 0; e < entries; e++)
            all->column[at + e] = (int32_t)*come++;
        memcpy(value + at, come, (size_t)(WORD * entries));
        come += entries;
    }
    const int64_t at = all->pointers[portion->below], begin = local->pointers[0];
    memcpy(all->column + at, local->column + begin,
           (size_t)local->nonzeros * sizeof *local->column);
    memcpy(value + at, (const double *)local->value + begin,
           (size_t)local->nonzeros * sizeof *value);
}

/* Makes all rows of what has come. */
static enum cgs_status put_together(struct cgs_queue *queue, const struct cgs_ghosts *ghosts,
                                    const struct cgs_sparse *local, const int64_t *come,
                                    struct cgs_sparse *all)
{
    const struct cgs_sparse_ops *ops = cgs_backend(CGS_CPU)->sparse[CGS_F64];
    static const char what[] = "rows of other ranks";
    struct cgs_sparse made;
    CGS_TRY(ops->pointers(queue, what, ghosts->columns, local->columns, &made));
    lay_out(ghosts, local, come, &made);
    const enum cgs_status status = ops->entries(queue, what, made.pointers[ghosts->columns], &made);
    if (status != CGS_OK) {
        ops->release(queue, &made);
        return status;
    }
    unpack_rows(ghosts, local, come, &made);
    *all = made;
    return CGS_OK;
}

enum cgs_status cgs_ghosts_fetch_rows(struct cgs_queue *queue, const struct cgs_ghosts *ghosts,
                                      const struct cgs_sparse *local, struct cgs_sparse *all)
{
    struct cgs_context *context = queue->context;
    const struct cgs_mail *needed = &ghosts->mail;
    int64_t words[CGS_RANKS_MOST] = {0}, i = 0;
    struct cgs_mail mail;
    for (int r = 0; r < context->comm->size; r++)
        for (int k = 0; k < needed->in_counts[r]; k++)
            words[r] += words_of(local, needed->in[i++]);
    CGS_TRY(cgs_mail_open(context, CGS_OK, words, &mail));
    pack_rows(ghosts, local, mail.out);
    cgs_mail_send(context, &mail);
    struct cgs_sparse made = {0};
    const enum cgs_status status =
        cgs_comm_agree(context, put_together(queue, ghosts, local, mail.in, &made));
    cgs_mail_release(context, &mail);
    if (status == CGS_OK)
        *all = made;
    else
        cgs_backend(CGS_CPU)->sparse[CGS_F64]->release(queue, &made);
    return status;
}

/* ---- portions ---- */

/* Lists the columns that other ranks own. */
static enum cgs_status list_others(struct cgs_context *context, const struct cgs_columns *columns,
                                   struct cgs_portion *portion)
{
    const int64_t first = portion->first, last = first + portion->count;
    CGS_TRY(cgs_alloc(context, columns->count, sizeof *portion->ghosts, "ghosts",
                      (void **)&portion->ghosts));
    for (int64_t k = 0; k < columns->count; k++) {
        const int64_t column = columns->number[k];
        if (first <= column && column < last)
            continue;
        portion->ghosts[portion->below + portion->above] = column;
        portion->below += column < first;
        portion->above += column >= last;
    }
    portion->before = portion->below;
    portion->after = portion->above;
    return CGS_OK;
}

enum cgs_status cgs_ghosts_portion(struct cgs_context *context, const int64_t *cuts,
                                   const int32_t *column, int64_t entries,
                                   struct cgs_portion *portion)
{
    const int rank = context->comm->rank, ranks = context->comm->size;
    struct cgs_portion made = {.rank = rank,
                               .ranks = ranks,
                               .first = cuts[rank],
                               .count = cuts[rank + 1] - cuts[rank],
                               .whole = cuts[ranks]};
    struct cgs_columns columns = {0};
    enum cgs_status status =
        cgs_alloc(context, ranks + 1, sizeof *made.cuts, "cuts", (void **)&made.cuts);
    if (status == CGS_OK) {
        memcpy(made.cuts, cuts, (size_t)(ranks + 1) * sizeof *cuts);
        status = cgs_columns_find(context, column, entries, &columns);
    }
    if (status == CGS_OK)
        status = list_others(context, &columns, &made);
    cgs_columns_release(context, &columns);
    if (status == CGS_OK) {
        *portion = made;
        return CGS_OK;
    }
    cgs_free(context, made.cuts);
    cgs_free(context, made.ghosts);
    return status;
}

void cgs_ghosts_renumber(struct cgs_context *context, const struct cgs_portion *portion,
                         int32_t *column, int64_t entries)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t e = 0; e < entries; e++)
        column[e] = (int32_t)cgs_portion_local(portion, column[e]);
}
