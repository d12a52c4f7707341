/* Each rank sends its rows' columns to rank 0, which partitions them and tells all ranks the new
 * number of each row (4 bytes a row); then entries go to the owners of their rows, and rows are
 * sorted. Numbers are sent in rounds of ROUND for all ranks. */
#include "matrix/ranks/renumber.h"

#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "matrix/row.h"

enum { ROUND = 1 << 25 };

/* ---- exchanges ---- */

static int owner_of(const int64_t *cuts, int ranks, int64_t row)
{
    int low = 0, high = ranks - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (cuts[middle + 1] <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Pairs of numbers for other ranks, and those that came. */
struct mail {
    int64_t *out, *in;
    int *to, *from; /* numbers for and of each rank */
    int64_t coming;
};

static void drop_mail(struct cgs_context *context, struct mail *mail)
{
    cgs_free(context, mail->out);
    cgs_free(context, mail->in);
    mail->out = mail->in = NULL;
}

/* Sends mail->out, of which mail->to says how much goes to each; ranks in order. The ranks
 * agree. */
static enum cgs_status send_mail(struct cgs_context *context, enum cgs_status status,
                                 struct mail *mail)
{
    struct cgs_comm *comm = context->comm;
    int64_t out[CGS_RANKS_MOST], in[CGS_RANKS_MOST];
    int ones[CGS_RANKS_MOST];
    CGS_TRY(cgs_comm_agree(context, status));
    mail->coming = 0;
    for (int r = 0; r < comm->size; r++) {
        out[r] = mail->to[r];
        ones[r] = 1;
    }
    comm->ops->swap(comm, out, ones, in, ones);
    for (int r = 0; r < comm->size; r++) {
        mail->from[r] = (int)in[r];
        mail->coming += in[r];
    }
    CGS_TRY(cgs_comm_agree(context, cgs_alloc(context, mail->coming, sizeof *mail->in,
                                              "numbers of other ranks", (void **)&mail->in)));
    comm->ops->swap(comm, mail->out, mail->to, mail->in, mail->from);
    return CGS_OK;
}

/* Puts pairs, of which the first has the number of a row in its upper half, into mail to its
 * owner. */
static enum cgs_status sort_mail(struct cgs_context *context, const int64_t *cuts,
                                 const int64_t *pairs, int64_t count, struct mail *mail)
{
    int64_t places[CGS_RANKS_MOST], at = 0;
    const int ranks = context->comm->size;
    CGS_TRY(cgs_alloc(context, 2 * count, sizeof *mail->out, "numbers for other ranks",
                      (void **)&mail->out));
    memset(mail->to, 0, (size_t)ranks * sizeof *mail->to);
    for (int64_t k = 0; k < count; k++)
        mail->to[owner_of(cuts, ranks, pairs[2 * k] >> 32)] += 2;
    for (int r = 0; r < ranks; at += mail->to[r++])
        places[r] = at;
    for (int64_t k = 0; k < count; k++) {
        int64_t *place = &places[owner_of(cuts, ranks, pairs[2 * k] >> 32)];
        mail->out[*place] = pairs[2 * k];
        mail->out[*place + 1] = pairs[2 * k + 1];
        *place += 2;
    }
    return CGS_OK;
}

/* Numbers that a rank sends in a round. */
static int64_t round_of(const struct cgs_context *context)
{
    const int64_t share = ROUND / context->comm->size;
    return share > 1024 ? share : 1024;
}

/* ---- the graph on rank 0 ---- */

/* Collects `mine` of all ranks on rank 0, in rank order, in rounds; all: room for them there.
 * The numbers of a rank are together: `begins` says where. */
static enum cgs_status collect(struct cgs_context *context, const int32_t *mine, int64_t count,
                               int64_t *begins, int32_t *all)
{
    struct cgs_comm *comm = context->comm;
    const int64_t most = round_of(context);
    int to[CGS_RANKS_MOST], from[CGS_RANKS_MOST];
    for (int64_t done = 0;;) {
        struct mail mail = {.to = to, .from = from};
        const int64_t some = count - done < most ? count - done : most;
        if (cgs_comm_most(context, (double)some) == 0.0)
            return CGS_OK;
        memset(to, 0, (size_t)comm->size * sizeof *to);
        to[0] = (int)some;
        enum cgs_status status =
            cgs_alloc(context, some, sizeof *mail.out, "graph", (void **)&mail.out);
        for (int64_t k = 0; status == CGS_OK && k < some; k++)
            mail.out[k] = mine[done + k];
        status = send_mail(context, status, &mail);
        const int64_t *in = mail.in;
        for (int r = 0; status == CGS_OK && r < comm->size; r++)
            for (int k = 0; k < from[r]; k++)
                all[begins[r]++] = (int32_t)*in++;
        drop_mail(context, &mail);
        CGS_TRY(status);
        done += some;
    }
}

/* Lists the neighbours of this rank's rows, columns without the diagonal, and how many each row
 * has. Zeros do not count: they may be on one side of the diagonal alone. */
static enum cgs_status list_neighbours(struct cgs_context *context, const struct cgs_crs *crs,
                                       int32_t **counts, int32_t **neighbours, int64_t *count)
{
    int64_t at = 0;
    CGS_TRY(cgs_alloc(context, crs->rows, sizeof **counts, "graph", (void **)counts));
    CGS_TRY(cgs_alloc(context, crs->pointers[crs->rows], sizeof **neighbours, "graph",
                      (void **)neighbours));
    for (int64_t i = 0; i < crs->rows; i++) {
        const int64_t before = at;
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++)
            if (crs->column[k] != crs->first + i && crs->value[k] != 0.0)
                (*neighbours)[at++] = crs->column[k];
        (*counts)[i] = (int32_t)(at - before);
    }
    *count = at;
    return CGS_OK;
}

static enum cgs_status alloc_graph(struct cgs_context *context, int64_t rows, int64_t edges,
                                   struct cgs_graph *graph)
{
    if (context->comm->rank > 0)
        return CGS_OK;
    graph->vertices = (int32_t)rows;
    CGS_TRY(cgs_alloc(context, rows + 1, sizeof *graph->start, "graph", (void **)&graph->start));
    return cgs_alloc(context, edges, sizeof *graph->neighbour, "graph", (void **)&graph->neighbour);
}

static void free_graph(struct cgs_context *context, struct cgs_graph *graph)
{
    cgs_free(context, graph->start);
    cgs_free(context, graph->neighbour);
}

/* Makes the graph of the whole on rank 0. */
static enum cgs_status gather_graph(struct cgs_context *context, const struct cgs_crs *crs,
                                    const int64_t *cuts, struct cgs_graph *graph)
{
    struct cgs_comm *comm = context->comm;
    int32_t *counts = NULL, *neighbours = NULL;
    int64_t count = 0, begins[CGS_RANKS_MOST] = {0}, starts[CGS_RANKS_MOST];
    double mine, all[CGS_RANKS_MOST];
    int ones[CGS_RANKS_MOST];
    enum cgs_status status = list_neighbours(context, crs, &counts, &neighbours, &count);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        mine = (double)count;
        for (int r = 0; r < comm->size; r++)
            ones[r] = 1;
        comm->ops->gather(comm, &mine, ones, all);
        for (int r = 0; r < comm->size; r++) {
            starts[r] = cuts[r] + 1; /* the count of row i goes to start[i + 1] */
            begins[r] = r == 0 ? 0 : begins[r - 1] + (int64_t)all[r - 1];
        }
        const int64_t edges = begins[comm->size - 1] + (int64_t)all[comm->size - 1];
        if (edges > INT32_MAX)
            status = cgs_fail(context, CGS_USAGE,
                              "\1partition takes at most 2147483647 entries off the diagonal, "
                              "and the matrix has %lld: take contiguous",
                              (long long)edges);
        if (status == CGS_OK)
            status = alloc_graph(context, crs->whole, edges, graph);
        status = cgs_comm_agree(context, status);
    }
    if (status == CGS_OK)
        status = collect(context, counts, crs->rows, starts, graph->start);
    if (status == CGS_OK)
        status = collect(context, neighbours, count, begins, graph->neighbour);
    if (status == CGS_OK && comm->rank == 0) {
        graph->start[0] = 0;
        for (int32_t i = 0; i < graph->vertices; i++)
            graph->start[i + 1] += graph->start[i];
    }
    cgs_free(context, neighbours);
    cgs_free(context, counts);
    return status;
}

/* Sets the place of each row: in the file's order within a part. */
static void order_rows(int64_t count, int ranks, const int64_t *cuts, const int32_t *part,
                       int32_t *place)
{
    int64_t next[CGS_RANKS_MOST];
    memcpy(next, cuts, (size_t)ranks * sizeof *next);
    for (int64_t i = 0; i < count; i++)
        place[i] = (int32_t)next[part[i]]++;
}

/* Partitions the graph on rank 0, and sets places. */
static enum cgs_status partition(struct cgs_context *context,
                                 const struct cgs_partitioner *partitioner, const int64_t *cuts,
                                 struct cgs_graph *graph, struct cgs_renumbering *made)
{
    const int ranks = context->comm->size;
    int64_t sizes[CGS_RANKS_MOST];
    int32_t *part;
    CGS_TRY(cgs_alloc(context, made->rows, sizeof *part, "parts", (void **)&part));
    for (int r = 0; r < ranks; r++)
        sizes[r] = cuts[r + 1] - cuts[r];
    const enum cgs_status status = cgs_partition(context, partitioner, graph, ranks, sizes, part);
    if (status == CGS_OK)
        order_rows(made->rows, ranks, cuts, part, made->place);
    cgs_free(context, part);
    return status;
}

/* ---- the rows' new owners ---- */

/* Entries that have come: pairs of place and value. */
struct entries {
    int64_t *pairs;
    int64_t count, room;
};

static enum cgs_status keep(struct cgs_context *context, const struct mail *mail,
                            struct entries *all)
{
    const int64_t count = all->count + mail->coming;
    if (count > all->room) {
        int64_t *more;
        const int64_t room = count + all->room / 2;
        CGS_TRY(cgs_alloc(context, room, sizeof *more, "entries of new rows", (void **)&more));
        if (all->count > 0)
            memcpy(more, all->pairs, (size_t)all->count * sizeof *more);
        cgs_free(context, all->pairs);
        all->pairs = more;
        all->room = room;
    }
    if (mail->coming > 0)
        memcpy(all->pairs + all->count, mail->in, (size_t)mail->coming * sizeof *mail->in);
    all->count = count;
    return CGS_OK;
}

/* Lists entries first ... first + count - 1 of the rows with their new places; *row: where the
 * last search ended. */
static void list_entries(const struct cgs_crs *crs, const int32_t *place, int64_t first,
                         int64_t count, int64_t *row, int64_t *pairs)
{
    for (int64_t k = first; k < first + count; k++) {
        while (crs->pointers[*row + 1] <= k)
            ++*row;
        *pairs++ = (int64_t)place[crs->first + *row] << 32 | place[crs->column[k]];
        memcpy(pairs++, &crs->value[k], sizeof *pairs);
    }
}

static enum cgs_status send_entries(struct cgs_context *context, const int64_t *cuts,
                                    const struct cgs_crs *crs, const int32_t *place,
                                    struct entries *all)
{
    const int64_t most = round_of(context) / 2, count = crs->pointers[crs->rows];
    int to[CGS_RANKS_MOST], from[CGS_RANKS_MOST];
    int64_t row = 0, *pairs = NULL;
    enum cgs_status status = cgs_comm_agree(
        context, cgs_alloc(context, 2 * most, sizeof *pairs, "entries", (void **)&pairs));
    for (int64_t done = 0; status == CGS_OK;) {
        struct mail mail = {.to = to, .from = from};
        const int64_t some = count - done < most ? count - done : most;
        if (cgs_comm_most(context, (double)some) == 0.0)
            break;
        list_entries(crs, place, done, some, &row, pairs);
        status = send_mail(context, sort_mail(context, cuts, pairs, some, &mail), &mail);
        if (status == CGS_OK)
            status = cgs_comm_agree(context, keep(context, &mail, all));
        drop_mail(context, &mail);
        done += some;
    }
    cgs_free(context, pairs);
    return status;
}

/* Makes rows of the entries that came. */
static enum cgs_status make_rows(struct cgs_context *context, const struct entries *all,
                                 struct cgs_crs *crs)
{
    memset(crs->pointers, 0, (size_t)(crs->rows + 1) * sizeof *crs->pointers);
    for (int64_t k = 0; k < all->count; k += 2)
        crs->pointers[(all->pairs[k] >> 32) - crs->first + 1]++;
    for (int64_t i = 0; i < crs->rows; i++)
        crs->pointers[i + 1] += crs->pointers[i];
    for (int64_t k = 0; k < all->count; k += 2) {
        const int64_t to = crs->pointers[(all->pairs[k] >> 32) - crs->first]++;
        crs->column[to] = (int32_t)(all->pairs[k] & INT32_MAX);
        memcpy(&crs->value[to], &all->pairs[k + 1], sizeof *crs->value);
    }
    memmove(crs->pointers + 1, crs->pointers, (size_t)crs->rows * sizeof *crs->pointers);
    crs->pointers[0] = 0;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < crs->rows; i++) {
        const int64_t begin = crs->pointers[i];
        cgs_row_sort(crs->pointers[i + 1] - begin, crs->column + begin, crs->value + begin);
    }
    return CGS_OK;
}

/* ---- the whole ---- */

static enum cgs_status make_places(struct cgs_context *context,
                                   const struct cgs_partitioner *partitioner, const int64_t *cuts,
                                   const struct cgs_crs *crs, struct cgs_renumbering *made)
{
    struct cgs_graph graph = {0};
    enum cgs_status status = cgs_alloc(context, made->rows, sizeof *made->place, "places of rows",
                                       (void **)&made->place);
    if (status == CGS_OK)
        status = cgs_alloc(context, made->count, sizeof *made->row, "rows by place",
                           (void **)&made->row);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        status = gather_graph(context, crs, cuts, &graph);
    if (status == CGS_OK && context->comm->rank == 0)
        status = partition(context, partitioner, cuts, &graph, made);
    free_graph(context, &graph);
    CGS_TRY(cgs_comm_agree(context, status));
    context->comm->ops->share(context->comm, 0, made->place,
                              made->rows * (int64_t)sizeof *made->place);
    for (int64_t i = 0; i < made->rows; i++)
        if (made->first <= made->place[i] && made->place[i] < made->first + made->count)
            made->row[made->place[i] - made->first] = (int32_t)i;
    return CGS_OK;
}

enum cgs_status cgs_renumber(struct cgs_context *context, const struct cgs_partitioner *partitioner,
                             const int64_t *cuts, struct cgs_crs *crs,
                             struct cgs_renumbering *renumbering)
{
    struct cgs_renumbering made = {.rows = crs->whole, .first = crs->first, .count = crs->rows};
    struct entries all = {0};
    struct cgs_crs moved = {0};
    enum cgs_status status = make_places(context, partitioner, cuts, crs, &made);
    if (status == CGS_OK)
        status = send_entries(context, cuts, crs, made.place, &all);
    if (status == CGS_OK) {
        status = cgs_crs_alloc(context, crs->rows, crs->columns, all.count / 2, &moved);
        status = cgs_comm_agree(context, status);
    }
    if (status == CGS_OK) {
        moved.first = crs->first;
        moved.whole = crs->whole;
        moved.symmetric = crs->symmetric;
        moved.norm = crs->norm;
        status = make_rows(context, &all, &moved);
    }
    cgs_free(context, all.pairs);
    if (status != CGS_OK) {
        cgs_renumbering_release(context, &made);
        return status;
    }
    cgs_crs_release(context, crs);
    *crs = moved;
    *renumbering = made;
    return CGS_OK;
}

enum cgs_status cgs_renumber_vector(struct cgs_context *context, const int64_t *cuts,
                                    const struct cgs_renumbering *renumbering, double *values)
{
    int to[CGS_RANKS_MOST], from[CGS_RANKS_MOST];
    struct mail mail = {.to = to, .from = from};
    int64_t *pairs;
    enum cgs_status status = cgs_alloc(context, 2 * renumbering->count, sizeof *pairs,
                                       "numbers to be moved", (void **)&pairs);
    for (int64_t i = 0; status == CGS_OK && i < renumbering->count; i++) {
        pairs[2 * i] = (int64_t)renumbering->place[renumbering->first + i] << 32;
        memcpy(&pairs[2 * i + 1], &values[i], sizeof *pairs);
    }
    if (status == CGS_OK) {
        status = sort_mail(context, cuts, pairs, renumbering->count, &mail);
        cgs_free(context, pairs);
    }
    status = send_mail(context, status, &mail);
    for (int64_t k = 0; status == CGS_OK && k < mail.coming; k += 2)
        memcpy(&values[(mail.in[k] >> 32) - renumbering->first], &mail.in[k + 1], sizeof *values);
    drop_mail(context, &mail);
    return status;
}

void cgs_renumbering_release(struct cgs_context *context, struct cgs_renumbering *renumbering)
{
    cgs_free(context, renumbering->place);
    cgs_free(context, renumbering->row);
    *renumbering = (struct cgs_renumbering){0};
}
