#include "core/precond/shared.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/sparse/columns.h"
#include "solver/jacobi.h"

enum { WORD = sizeof(int64_t) };

struct cgs_machine cgs_shared_machine(const struct cgs_machine *machine)
{
    struct cgs_machine host = *machine;
    host.queue = machine->host_queue;
    host.device = CGS_CPU;
    host.backend = cgs_backend(CGS_CPU);
    return host;
}

static struct cgs_context *context_of(const struct cgs_galerkin *host)
{
    return host->machine->queue->context;
}

/* ---- rows ---- */

static void shift_columns(struct cgs_context *context, const struct cgs_sparse *m, int64_t by)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t e = 0; e < m->nonzeros; e++)
        m->column[e] += (int32_t)by;
}

void cgs_shared_release(const struct cgs_galerkin *host, struct cgs_shared *m)
{
    host->sparse->release(host->machine->queue, &m->rows);
    cgs_ghosts_release(context_of(host), &m->ghosts);
    *m = (struct cgs_shared){0};
}

enum cgs_status cgs_shared_take(const struct cgs_galerkin *host, const struct cgs_portion *portion,
                                struct cgs_sparse *rows, struct cgs_shared *m)
{
    struct cgs_context *context = context_of(host);
    struct cgs_shared made = {.portion = portion};
    CGS_TRY(cgs_ghosts_create(context, portion, &made.ghosts));
    made.rows = *rows;
    *rows = (struct cgs_sparse){0};
    made.rows.columns = made.ghosts.columns;
    shift_columns(context, &made.rows, portion->below);
    made.nonzeros = (int64_t)cgs_comm_sum(context, (double)made.rows.nonzeros);
    *m = made;
    return CGS_OK;
}

enum cgs_status cgs_shared_draw(const struct cgs_galerkin *host,
                                const struct cgs_row_source *source, struct cgs_shared *m)
{
    struct cgs_context *context = context_of(host);
    struct cgs_sparse rows = {0};
    if (source->portion->whole > INT32_MAX)
        return cgs_fail(context, CGS_USAGE,
                        "coarser grids that are made of a matrix need row numbers of 31 bits, and "
                        "it has %" PRId64
                        " rows: take \1precond=chebyshev, or mg with \1coarse=rediscretize",
                        source->portion->whole);
    enum cgs_status status = cgs_comm_agree(context, cgs_galerkin_draw(host, NULL, source, &rows));
    if (status == CGS_OK)
        status = cgs_shared_take(host, source->portion, &rows, m);
    host->sparse->release(host->machine->queue, &rows);
    return status;
}

/* ---- products ---- */

enum cgs_status cgs_shared_multiply(const struct cgs_galerkin *host, const struct cgs_sparse *a,
                                    struct cgs_sparse *b, struct cgs_sparse *c)
{
    struct cgs_context *context = context_of(host);
    struct cgs_columns columns;
    CGS_TRY(cgs_columns_find(context, b->column, b->nonzeros, &columns));
    cgs_columns_compress(context, &columns, b->column, b->nonzeros);
    const int64_t all = b->columns;
    b->columns = columns.count;
    const enum cgs_status status = cgs_galerkin_multiply(host, a, b, c);
    if (status == CGS_OK) {
        cgs_columns_expand(context, &columns, c->column, c->nonzeros);
        c->columns = all;
    }
    cgs_columns_release(context, &columns);
    return status;
}

/* Rows of P and A P that reach this rank's coarse rows, ascending. P's columns are counted from
 * the first of these; row: numbers in the whole. */
struct reaching {
    struct cgs_sparse p, ap;
    int32_t *row;
};

static void release_reaching(const struct cgs_galerkin *host, struct reaching *all)
{
    struct cgs_queue *queue = host->machine->queue;
    host->sparse->release(queue, &all->p);
    host->sparse->release(queue, &all->ap);
    cgs_free(queue->context, all->row);
}

/* Returns the end of the entries from e on, before `last`, whose columns rank *owner has, the
 * next one from the old *owner on. */
static int64_t end_of_run(const struct cgs_sparse *p, int64_t e, int64_t last, const int64_t *cuts,
                          int *owner)
{
    while (p->column[e] >= cuts[*owner + 1])
        (*owner)++;
    while (e < last && p->column[e] < cuts[*owner + 1])
        e++;
    return e;
}

/* A row in a message: its number, entries of P and A P; then their columns and values. */
enum { ROW, P_ENTRIES, AP_ENTRIES, HEAD };

static int64_t *pack(const struct cgs_sparse *m, int64_t begin, int64_t end, int64_t *to)
{
    for (int64_t e = begin; e < end; e++)
        *to++ = m->column[e];
    memcpy(to, (const double *)m->value + begin, (size_t)((end - begin) * WORD));
    return to + (end - begin);
}

/* Counts the words for each other rank; with `to`, where those for rank r begin at to[r], writes
 * them. */
static void post(const struct cgs_portion *portion, const struct cgs_sparse *p,
                 const struct cgs_sparse *ap, const int64_t *cuts, int64_t *words, int64_t **to)
{
    for (int64_t i = 0; i < p->rows; i++) {
        const int64_t begin = ap->pointers[i], entries = ap->pointers[i + 1] - begin;
        const int64_t last = p->pointers[i + 1];
        int owner = 0;
        for (int64_t e = p->pointers[i], end; e < last; e = end) {
            end = end_of_run(p, e, last, cuts, &owner);
            if (owner == portion->rank)
                continue;
            words[owner] += HEAD + 2 * (end - e) + 2 * entries;
            if (!to)
                continue;
            to[owner][ROW] = portion->first + i;
            to[owner][P_ENTRIES] = end - e;
            to[owner][AP_ENTRIES] = entries;
            to[owner] = pack(p, e, end, to[owner] + HEAD);
            to[owner] = pack(ap, begin, begin + entries, to[owner]);
        }
    }
}

/* Sends rows to those who own coarse rows that they reach. */
static enum cgs_status send_rows(struct cgs_context *context, const struct cgs_portion *portion,
                                 const struct cgs_sparse *p, const struct cgs_sparse *ap,
                                 const int64_t *cuts, struct cgs_mail *mail)
{
    int64_t words[CGS_RANKS_MOST] = {0}, again[CGS_RANKS_MOST] = {0}, *to[CGS_RANKS_MOST], at = 0;
    post(portion, p, ap, cuts, words, NULL);
    CGS_TRY(cgs_mail_open(context, CGS_OK, words, mail));
    for (int r = 0; r < portion->ranks; at += words[r++])
        to[r] = mail->out + at;
    post(portion, p, ap, cuts, again, to);
    cgs_mail_send(context, mail);
    return CGS_OK;
}

/* Appends values to the row under way of m, whose columns are there. */
static void append(struct cgs_sparse *m, int64_t entries, const void *value)
{
    memcpy((double *)m->value + m->nonzeros, value, (size_t)(entries * WORD));
    m->nonzeros += entries;
}

static const int64_t *unpack(const int64_t *from, int64_t entries, int64_t base,
                             struct cgs_sparse *m)
{
    for (int64_t e = 0; e < entries; e++)
        m->column[m->nonzeros + e] = (int32_t)(from[e] - base);
    append(m, entries, from + entries);
    return from + 2 * entries;
}

static void copy(const struct cgs_sparse *local, int64_t begin, int64_t end, int64_t base,
                 struct cgs_sparse *m)
{
    for (int64_t e = begin; e < end; e++)
        m->column[m->nonzeros + e - begin] = (int32_t)(local->column[e] - base);
    append(m, end - begin, (const double *)local->value + begin);
}

/* Adds the rows that a message has, or counts them (all->row NULL). */
static void add_message(const int64_t *from, int64_t words, int64_t base, struct reaching *all)
{
    for (const int64_t *end = from + words; from < end; all->p.rows++, all->ap.rows++) {
        const int64_t row = from[ROW], entries = from[P_ENTRIES], more = from[AP_ENTRIES];
        from += HEAD;
        if (all->row) {
            all->row[all->p.rows] = (int32_t)row;
            all->p.pointers[all->p.rows] = all->p.nonzeros;
            all->ap.pointers[all->p.rows] = all->ap.nonzeros;
            from = unpack(from, entries, base, &all->p);
            from = unpack(from, more, 0, &all->ap);
        } else {
            all->p.nonzeros += entries;
            all->ap.nonzeros += more;
            from += 2 * (entries + more);
        }
    }
}

/* The same of this rank's own rows. */
static void add_local(const struct cgs_portion *portion, const struct cgs_sparse *p,
                      const struct cgs_sparse *ap, const int64_t *cuts, struct reaching *all)
{
    const int64_t first = cuts[portion->rank], last = cuts[portion->rank + 1];
    for (int64_t i = 0; i < p->rows; i++) {
        int64_t begin = p->pointers[i], end = p->pointers[i + 1];
        while (begin < end && p->column[begin] < first)
            begin++;
        while (begin < end && p->column[end - 1] >= last)
            end--;
        if (begin == end)
            continue;
        if (all->row) {
            all->row[all->p.rows] = (int32_t)(portion->first + i);
            all->p.pointers[all->p.rows] = all->p.nonzeros;
            all->ap.pointers[all->p.rows] = all->ap.nonzeros;
            copy(p, begin, end, first, &all->p);
            copy(ap, ap->pointers[i], ap->pointers[i + 1], 0, &all->ap);
        } else {
            all->p.nonzeros += end - begin;
            all->ap.nonzeros += ap->pointers[i + 1] - ap->pointers[i];
        }
        all->p.rows++;
        all->ap.rows++;
    }
}

/* Adds, or counts, all rows in ascending order. */
static void add_all(const struct cgs_portion *portion, const struct cgs_sparse *p,
                    const struct cgs_sparse *ap, const int64_t *cuts, const struct cgs_mail *mail,
                    struct reaching *all)
{
    const int64_t *from = mail->in;
    for (int r = 0; r < portion->ranks; from += mail->in_counts[r++])
        if (r == portion->rank)
            add_local(portion, p, ap, cuts, all);
        else
            add_message(from, mail->in_counts[r], cuts[portion->rank], all);
}

static enum cgs_status alloc_rows(const struct cgs_galerkin *host, int64_t columns,
                                  struct cgs_sparse *m)
{
    static const char what[] = "rows of other ranks";
    struct cgs_queue *queue = host->machine->queue;
    const int64_t entries = m->nonzeros;
    CGS_TRY(host->sparse->pointers(queue, what, m->rows, columns, m));
    CGS_TRY(host->sparse->entries(queue, what, entries, m));
    m->pointers[m->rows] = entries;
    return CGS_OK;
}

static enum cgs_status take_reaching(const struct cgs_galerkin *host,
                                     const struct cgs_portion *portion, const struct cgs_sparse *p,
                                     const struct cgs_sparse *ap, const int64_t *cuts,
                                     const struct cgs_mail *mail, struct reaching *all)
{
    struct reaching made = {0};
    add_all(portion, p, ap, cuts, mail, &made);
    enum cgs_status status = cgs_alloc(context_of(host), made.p.rows, sizeof *made.row,
                                       "rows of other ranks", (void **)&made.row);
    if (status == CGS_OK)
        status = alloc_rows(host, cuts[portion->rank + 1] - cuts[portion->rank], &made.p);
    if (status == CGS_OK)
        status = alloc_rows(host, p->columns, &made.ap);
    if (status != CGS_OK) {
        release_reaching(host, &made);
        return status;
    }
    made.p.rows = made.p.nonzeros = made.ap.rows = made.ap.nonzeros = 0;
    add_all(portion, p, ap, cuts, mail, &made);
    *all = made;
    return CGS_OK;
}

/* r = p', coarse = r (a p) of rows that reach this rank's coarse ones. */
static enum cgs_status multiply_reaching(const struct cgs_galerkin *host, struct reaching *all,
                                         struct cgs_sparse *r, struct cgs_sparse *coarse)
{
    CGS_TRY(host->sparse->transpose(host->machine->queue, &all->p, r));
    CGS_TRY(cgs_shared_multiply(host, r, &all->ap, coarse));
    for (int64_t e = 0; e < r->nonzeros; e++)
        r->column[e] = all->row[r->column[e]];
    return CGS_OK;
}

enum cgs_status cgs_shared_project(const struct cgs_galerkin *host, const struct cgs_shared *a,
                                   const struct cgs_sparse *p, const int64_t *cuts,
                                   struct cgs_sparse *r, struct cgs_sparse *coarse)
{
    struct cgs_queue *queue = host->machine->queue;
    struct cgs_context *context = queue->context;
    struct cgs_sparse all = {0}, ap = {0}, made[2] = {{0}};
    struct reaching reaching = {0};
    struct cgs_mail mail = {0};
    enum cgs_status status = cgs_ghosts_fetch_rows(queue, &a->ghosts, p, &all);
    if (status == CGS_OK)
        status = cgs_comm_agree(context, cgs_shared_multiply(host, &a->rows, &all, &ap));
    host->sparse->release(queue, &all);
    if (status == CGS_OK)
        status = send_rows(context, a->portion, p, &ap, cuts, &mail);
    if (status == CGS_OK) {
        status = take_reaching(host, a->portion, p, &ap, cuts, &mail, &reaching);
        host->sparse->release(queue, &ap);
        cgs_mail_release(context, &mail);
        if (status == CGS_OK)
            status = multiply_reaching(host, &reaching, &made[0], &made[1]);
        status = cgs_comm_agree(context, status);
    }
    host->sparse->release(queue, &ap);
    release_reaching(host, &reaching);
    if (status != CGS_OK) {
        host->sparse->release(queue, &made[0]);
        host->sparse->release(queue, &made[1]);
        return status;
    }
    made[0].columns = a->portion->whole;
    *r = made[0];
    *coarse = made[1];
    return CGS_OK;
}

/* ---- other cuts ---- */

/* Makes the rows between the cuts `to`; on failure some of them. lengths: room for this rank's. */
static enum cgs_status recut(const struct cgs_galerkin *host, const int64_t *from,
                             const int64_t *to, const struct cgs_sparse *rows, int64_t *lengths,
                             struct cgs_sparse *made)
{
    static const char what[] = "rows of other ranks";
    struct cgs_queue *queue = host->machine->queue;
    struct cgs_context *context = queue->context;
    const int rank = context->comm->rank;
    const int64_t count = to[rank + 1] - to[rank];
    int64_t old[CGS_RANKS_MOST + 1], new[CGS_RANKS_MOST + 1];
    CGS_TRY(cgs_comm_agree(context,
                           host->sparse->pointers(queue, what, count, rows->columns, made)));
    for (int64_t i = 0; i < rows->rows; i++)
        lengths[i] = rows->pointers[i + 1] - rows->pointers[i];
    cgs_comm_recut(context, WORD, from, lengths, to, made->pointers + 1);
    made->pointers[0] = 0;
    for (int64_t i = 0; i < count; i++)
        made->pointers[i + 1] += made->pointers[i];
    CGS_TRY(cgs_comm_agree(context,
                           host->sparse->entries(queue, what, made->pointers[count], made)));
    cgs_comm_starts(context, rows->nonzeros, old);
    cgs_comm_starts(context, made->nonzeros, new);
    cgs_comm_recut(context, (int64_t)sizeof *rows->column, old, rows->column, new, made->column);
    cgs_comm_recut(context, WORD, old, rows->value, new, made->value);
    return CGS_OK;
}

enum cgs_status cgs_shared_recut(const struct cgs_galerkin *host, const int64_t *from,
                                 const int64_t *to, const struct cgs_sparse *rows,
                                 struct cgs_sparse *moved)
{
    struct cgs_queue *queue = host->machine->queue;
    struct cgs_context *context = queue->context;
    struct cgs_sparse made = {0};
    int64_t *lengths = NULL;
    enum cgs_status status = cgs_comm_agree(
        context,
        cgs_alloc(context, rows->rows, sizeof *lengths, "lengths of rows", (void **)&lengths));
    if (status == CGS_OK)
        status = recut(host, from, to, rows, lengths, &made);
    cgs_free(context, lengths);
    if (status == CGS_OK)
        *moved = made;
    else
        host->sparse->release(queue, &made);
    return status;
}

/* ---- all rows on each rank ---- */

/* Numbers of all entries on their way, one kind after the other. */
struct gathering {
    double *mine, *all;
    int counts[CGS_RANKS_MOST];
};

static void gather_lengths(struct cgs_context *context, const int64_t *cuts,
                           const struct cgs_sparse *rows, int64_t *pointers, struct gathering *g)
{
    const int64_t whole = cuts[context->comm->size];
    for (int64_t i = 0; i < rows->rows; i++)
        g->mine[i] = (double)(rows->pointers[i + 1] - rows->pointers[i]);
    for (int r = 0; r < context->comm->size; r++)
        g->counts[r] = (int)(cuts[r + 1] - cuts[r]);
    context->comm->ops->gather(context->comm, g->mine, g->counts, g->all);
    pointers[0] = 0;
    for (int64_t i = 0; i < whole; i++)
        pointers[i + 1] = pointers[i] + (int64_t)g->all[i];
    for (int r = 0; r < context->comm->size; r++)
        g->counts[r] = (int)(pointers[cuts[r + 1]] - pointers[cuts[r]]);
}

static enum cgs_status alloc_gathering(struct cgs_context *context, int64_t mine, int64_t all,
                                       struct gathering *g)
{
    static const char what[] = "rows of all ranks";
    CGS_TRY(cgs_alloc(context, mine, sizeof *g->mine, what, (void **)&g->mine));
    return cgs_alloc(context, all, sizeof *g->all, what, (void **)&g->all);
}

static void release_gathering(struct cgs_context *context, struct gathering *g)
{
    cgs_free(context, g->mine);
    cgs_free(context, g->all);
    g->mine = g->all = NULL;
}

/* Gathers columns and values of the rows that are laid out in *whole. */
static void gather_entries(struct cgs_context *context, const struct cgs_sparse *rows,
                           struct gathering *g, struct cgs_crs *whole)
{
    struct cgs_comm *comm = context->comm;
    for (int64_t e = 0; e < rows->nonzeros; e++)
        g->mine[e] = rows->column[e];
    comm->ops->gather(comm, g->mine, g->counts, g->all);
    for (int64_t e = 0; e < whole->pointers[whole->rows]; e++)
        whole->column[e] = (int32_t)g->all[e];
    comm->ops->gather(comm, rows->value, g->counts, whole->value);
}

enum cgs_status cgs_shared_gather(struct cgs_context *context, const int64_t *cuts,
                                  const struct cgs_sparse *rows, struct cgs_crs *whole)
{
    const int64_t count = cuts[context->comm->size];
    const int64_t entries = (int64_t)cgs_comm_sum(context, (double)rows->nonzeros);
    struct gathering g = {0};
    struct cgs_crs made = {0};
    enum cgs_status status = cgs_crs_alloc(context, count, count, entries, &made);
    if (status == CGS_OK)
        status = alloc_gathering(context, rows->rows, count, &g);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        gather_lengths(context, cuts, rows, made.pointers, &g);
        release_gathering(context, &g);
        status = cgs_comm_agree(context, alloc_gathering(context, rows->nonzeros, entries, &g));
    }
    if (status == CGS_OK)
        gather_entries(context, rows, &g, &made);
    release_gathering(context, &g);
    if (status == CGS_OK)
        *whole = made;
    else
        cgs_crs_release(context, &made);
    return status;
}

/* ---- operators ---- */

/* Sets the rows that have no ghosts among their columns (matrix/ranks/portion.h). */
static void find_inner(const struct cgs_sparse *rows, struct cgs_portion *portion)
{
    int64_t first = 0, last = rows->rows;
    for (int64_t i = 0; i < rows->rows; i++) {
        const int64_t begin = rows->pointers[i], end = rows->pointers[i + 1];
        if (begin == end)
            continue;
        if (rows->column[begin] < 0)
            first = i + 1;
        if (rows->column[end - 1] >= portion->count && i < last)
            last = i;
    }
    portion->inner_first = first;
    portion->inner_last = last > first ? last : first;
}

enum cgs_status cgs_shared_renumber(struct cgs_context *context, const int64_t *cuts,
                                    struct cgs_sparse *rows, struct cgs_portion *portion)
{
    CGS_TRY(cgs_comm_agree(
        context, cgs_ghosts_portion(context, cuts, rows->column, rows->nonzeros, portion)));
    cgs_ghosts_renumber(context, portion, rows->column, rows->nonzeros);
    rows->columns = portion->count + portion->above;
    find_inner(rows, portion);
    return CGS_OK;
}

/* Returns rows as a matrix of the host that borrows them. */
static struct cgs_crs crs_of(const struct cgs_sparse *rows)
{
    return (struct cgs_crs){.rows = rows->rows,
                            .columns = rows->columns,
                            .pointers = rows->pointers,
                            .column = rows->column,
                            .value = rows->value};
}

enum cgs_status cgs_shared_operator(const struct cgs_galerkin *by,
                                    const struct cgs_portion *portion,
                                    const struct cgs_sparse *rows, struct cgs_operator *op,
                                    struct cgs_traffic *product)
{
    const struct cgs_crs crs = crs_of(rows);
    struct cgs_row_source source = cgs_crs_source(&crs);
    source.portion = portion;
    return cgs_comm_agree(context_of(by), cgs_galerkin_operator(by, &source, op, product));
}

enum cgs_status cgs_shared_jacobi(const struct cgs_galerkin *by, const struct cgs_portion *portion,
                                  const struct cgs_sparse *rows, const struct cgs_operator *op,
                                  struct cgs_operator *jacobi)
{
    const struct cgs_crs crs = crs_of(rows);
    struct cgs_row_source source = cgs_crs_source(&crs);
    source.portion = portion;
    return cgs_comm_agree(context_of(by),
                          cgs_jacobi_create(by->machine->queue, op, &source, jacobi));
}
