/* Vectors in the host's memory turned among ranks. Bytes beside the messages: a slab read and
 * written each time, and twice more where ranks are cut within planes. */
#include "kernels/fdm/turn.h"

#include <string.h>

#include "base/clock.h"
#include "base/integers.h"
#include "base/memory.h"
#include "matrix/names.h"
#include "matrix/ranks/portion.h"

struct cgs_turn {
    struct cgs_context *context;
    struct cgs_turn_shape shape;
    char *lines, *packed;
    char *slab; /* NULL: vectors are of whole planes */
    struct cgs_message *messages;
};

struct cgs_turn_shape cgs_turn_shape_of(const struct cgs_space *space, const int64_t n[3])
{
    const struct cgs_portion *portion = space->layout.portion;
    const int64_t pitch = space->layout.pitch ? space->layout.pitch : n[0];
    struct cgs_turn_shape shape = {.n = {n[0], n[1], n[2]},
                                   .plane = pitch * n[1],
                                   .bytes = cgs_number_bytes(space->number),
                                   .ranks = 1};
    if (portion && portion->ranks > 1) {
        shape.rank = portion->rank;
        shape.ranks = portion->ranks;
        shape.cuts = portion->cuts;
    }
    return shape;
}

int cgs_turn_messages(const struct cgs_turn_shape *shape, bool over, char *packed, char *lines,
                      struct cgs_message *messages)
{
    const int rank = shape->rank;
    int count = 0;
    for (int r = 0; r < shape->ranks; r++) {
        const struct cgs_turn_block theirs = cgs_turn_block(shape, rank, r),
                                    mine = cgs_turn_block(shape, r, rank);
        const int64_t there = theirs.planes * theirs.run, here = mine.planes * mine.run;
        if (r != rank && there > 0)
            messages[count++] = (struct cgs_message){r, !over, packed + theirs.in_packed, there};
        if (r != rank && here > 0)
            messages[count++] = (struct cgs_message){r, over, lines + mine.in_lines, here};
    }
    return count;
}

/* ---- room ---- */

bool cgs_turn_of_whole_planes(const struct cgs_turn_shape *shape)
{
    bool whole = true;
    for (int r = 0; shape->cuts && r <= shape->ranks; r++)
        whole = whole && shape->cuts[r] % (shape->n[0] * shape->n[1]) == 0;
    return whole;
}

/* Memory that ranks of one host share for their messages counts for those who touch it: an outbox
 * of 2 MiB a rank of core/ranks/local.h, its own and what it gets of the others'. */
static int64_t message_bytes(const struct cgs_turn_shape *shape)
{
    enum { OUTBOX = 2 << 20 };
    return cgs_least(cgs_turn_slab_bytes(shape), OUTBOX) +
           cgs_least(cgs_turn_lines_bytes(shape, shape->rank),
                     (shape->ranks - 1) * (int64_t)OUTBOX);
}

void cgs_turn_plan(struct cgs_plan *plan, const struct cgs_turn_shape *shape)
{
    if (!shape->cuts)
        return;
    cgs_plan_add(plan, CGS_HOST, "messages of fdm", 1, message_bytes(shape));
    cgs_plan_add(plan, CGS_HOST, "turn of fdm", 1, sizeof(struct cgs_turn));
    cgs_plan_add(plan, CGS_HOST, "turn of fdm", 2 * (int64_t)shape->ranks,
                 sizeof(struct cgs_message));
    cgs_plan_add(plan, CGS_HOST, "lines of fdm", 1, cgs_turn_lines_bytes(shape, shape->rank));
    cgs_plan_add(plan, CGS_HOST, "slabs of fdm", cgs_turn_of_whole_planes(shape) ? 1 : 2,
                 cgs_turn_slab_bytes(shape));
}

void cgs_turn_release(struct cgs_turn *turn)
{
    if (!turn)
        return;
    struct cgs_context *context = turn->context;
    cgs_free(context, turn->messages);
    cgs_free(context, turn->slab);
    cgs_free(context, turn->packed);
    cgs_free(context, turn->lines);
    cgs_free(context, turn);
}

static enum cgs_status alloc_all(struct cgs_turn *turn)
{
    struct cgs_context *context = turn->context;
    const int64_t slab = cgs_turn_slab_bytes(&turn->shape);
    CGS_TRY(cgs_alloc(context, 2 * (int64_t)turn->shape.ranks, sizeof *turn->messages,
                      "turn of fdm", (void **)&turn->messages));
    CGS_TRY(cgs_alloc(context, cgs_turn_lines_bytes(&turn->shape, turn->shape.rank), 1,
                      "lines of fdm", (void **)&turn->lines));
    CGS_TRY(cgs_alloc(context, slab, 1, "slabs of fdm", (void **)&turn->packed));
    if (cgs_turn_of_whole_planes(&turn->shape))
        return CGS_OK;
    return cgs_alloc(context, slab, 1, "slabs of fdm", (void **)&turn->slab);
}

enum cgs_status cgs_turn_create(struct cgs_context *context, const struct cgs_turn_shape *shape,
                                struct cgs_turn **turn)
{
    struct cgs_turn *made;
    *turn = NULL;
    if (!shape->cuts)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "turn of fdm", (void **)&made));
    *made = (struct cgs_turn){.context = context, .shape = *shape};
    const enum cgs_status status = alloc_all(made);
    if (status == CGS_OK)
        *turn = made;
    else
        cgs_turn_release(made);
    return status;
}

/* ---- steps ---- */

/* Moves a vector between the cuts of the ranks and whole planes. */
static void move(const struct cgs_turn *turn, bool to_planes, const void *from, void *to)
{
    const struct cgs_turn_shape *shape = &turn->shape;
    const int64_t *cuts = shape->cuts, plane = shape->n[0] * shape->n[1];
    int64_t planes[CGS_RANKS_MOST + 1];
    const double begin = cgs_now();
    for (int r = 0; r <= shape->ranks; r++)
        planes[r] = cgs_turn_plane(shape, r) * plane;
    const int64_t *before = to_planes ? cuts : planes, *after = to_planes ? planes : cuts;
    const struct cgs_comm_ranges ranges = {before, after, after + 1};
    cgs_comm_fetch_items(turn->context, &ranges, shape->bytes, from, before[shape->rank], to);
    cgs_comm_count_halo(turn->context, begin);
}

/* Copies the blocks of a slab to the packed ones, and this rank's own to its lines, or back. */
static void pack(const struct cgs_turn *turn, bool over, char *slab)
{
    const struct cgs_turn_shape *shape = &turn->shape;
    const int64_t planes = cgs_turn_planes(shape);
#pragma omp parallel for num_threads(turn->context->threads) schedule(static) collapse(2)
    for (int r = 0; r < shape->ranks; r++)
        for (int64_t z = 0; z < planes; z++) {
            const struct cgs_turn_block b = cgs_turn_block(shape, shape->rank, r);
            char *const here = slab + b.in_slab + z * b.slab_step;
            char *const there =
                (r == shape->rank ? turn->lines + b.in_lines : turn->packed + b.in_packed) +
                z * b.run;
            memcpy(over ? there : here, over ? here : there, (size_t)b.run);
        }
}

static void swap(const struct cgs_turn *turn, bool over)
{
    const double begin = cgs_now();
    const int count =
        cgs_turn_messages(&turn->shape, over, turn->packed, turn->lines, turn->messages);
    cgs_comm_exchange(turn->context->comm, turn->messages, count);
    cgs_comm_count_exchange(turn->context, turn->messages, count);
    cgs_comm_count_halo(turn->context, begin);
}

void *cgs_turn_begin(const struct cgs_turn *turn, const void *x, void *y, const void **from)
{
    *from = x;
    if (!turn || !turn->slab)
        return y;
    move(turn, true, x, turn->slab);
    *from = turn->slab;
    return turn->slab;
}

void *cgs_turn_over(const struct cgs_turn *turn, void *slab)
{
    if (!turn)
        return slab;
    pack(turn, true, slab);
    swap(turn, true);
    return turn->lines;
}

void cgs_turn_back(const struct cgs_turn *turn, void *slab)
{
    if (!turn)
        return;
    swap(turn, false);
    pack(turn, false, slab);
}

void cgs_turn_end(const struct cgs_turn *turn, const void *slab, void *y)
{
    if (turn && turn->slab)
        move(turn, false, slab, y);
}
