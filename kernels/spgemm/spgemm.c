/* Products of matrices: the list of kernels, the search by name, and the sequence of stages. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "base/available.h"
#include "base/memory.h"
#include "base/spelling.h"
#include "kernels/spgemm/spgemm.h"
#include "kernels/spgemm/spgemm_table.h"
#include "matrix/names.h"

enum cgs_status cgs_spgemm_find(struct cgs_context *context, const char *name,
                                enum cgs_device device, const struct cgs_spgemm_entry **entry)
{
    const char *names[32];
    int all, count = 0;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&all);
    if (!cgs_backend(device))
        return cgs_fail(context, CGS_DEVICE, "%s", cgs_backend_reason(device));
    for (int i = 0; i < all; i++) {
        if (entries[i].device != device)
            continue;
        if (strcmp(name, entries[i].name) == 0 ||
            (entries[i].automatic && strcmp(name, "auto") == 0))
            return *entry = &entries[i], CGS_OK;
        if (count < (int)(sizeof names / sizeof *names))
            names[count++] = entries[i].name;
    }
    const int nearest = cgs_nearest(name, names, count);
    return cgs_fail(context, CGS_USAGE,
                    "unknown kernel '%s' for products of matrices on the %s; did you mean '%s'? "
                    "('cgsolve list kernels' names all)",
                    name, cgs_device_name(device), names[nearest < 0 ? 0 : nearest]);
}

/* ---- the stages ---- */

/* A product in progress: what to release if a stage fails. */
struct product {
    struct cgs_queue *queue;
    const struct cgs_backend *backend;
    const struct cgs_spgemm_kernel *kernel;
    const struct cgs_sparse_ops *ops;
    enum cgs_number number;
    void *work;
    struct cgs_sparse c;
    struct cgs_spgemm_facts facts;
    bool timed;
};

/* Ends a stage; marks 0 ... CGS_SPGEMM_STAGES separate the stages. */
static enum cgs_status ended(const struct product *p, enum cgs_spgemm_stage stage)
{
    return p->timed ? p->backend->mark(p->queue, (int)stage + 1) : CGS_OK;
}

static const char what[] = "product of matrices";

static int64_t bytes_of(const struct product *p, int64_t entries)
{
    return cgs_bytes(entries, cgs_number_bytes(p->number) + (int64_t)sizeof(int32_t));
}

/* Bytes of C above which available memory is checked, which takes a tenth of a millisecond. */
static const int64_t ASKED_FROM = INT64_C(1) << 28;

/* Upper bound of the bytes of C. A host overcommits memory and kills the process that fills it; a
 * device refuses, and so is not checked. */
static int64_t bytes_there(const struct product *p, int64_t wanted)
{
    return p->backend->place != CGS_HOST || wanted < ASKED_FROM ? wanted : cgs_memory_available();
}

static enum cgs_status check_room(const struct product *p, int64_t entries)
{
    const int64_t bytes = bytes_of(p, entries), there = bytes_there(p, bytes);
    if (bytes <= there)
        return CGS_OK;
    return cgs_fail(p->queue->context, CGS_MEMORY,
                    "the product of matrices has %lld entries, which take %.1f GB of host memory, "
                    "but %.1f GB is free (%s): multiply fewer rows at once",
                    (long long)entries, 1e-9 * (double)bytes, 1e-9 * (double)there,
                    cgs_memory_limit());
}

static enum cgs_status count_and_fill(struct product *p)
{
    int64_t entries;
    CGS_TRY(p->kernel->count(p->work, p->c.pointers, &entries));
    CGS_TRY(ended(p, CGS_SPGEMM_COUNT));
    p->facts.size.entries = entries;
    CGS_TRY(check_room(p, entries));
    CGS_TRY(p->ops->entries(p->queue, what, entries, &p->c));
    CGS_TRY(ended(p, CGS_SPGEMM_ALLOC));
    CGS_TRY(p->kernel->fill(p->work, &p->c));
    return ended(p, CGS_SPGEMM_FILL);
}

/* Allocates room for the upper bound of C, and checks the memory to fill it. Returns false if there
 * is none, or the kernel does not use it. */
static bool take_room(struct product *p)
{
    const struct cgs_spgemm_size *size = &p->facts.size;
    struct cgs_context *context = p->queue->context;
    struct cgs_sparse *c = &p->c;
    const int64_t bytes = bytes_of(p, size->entries);
    if (!p->kernel->make || !size->at_once || bytes > bytes_there(p, bytes))
        return false;
    c->column = cgs_room(context, size->entries, sizeof *c->column);
    c->value = cgs_room(context, size->entries, (size_t)cgs_number_bytes(p->number));
    if (c->column && c->value)
        return true;
    cgs_free(context, c->column);
    cgs_free(context, c->value);
    c->column = NULL;
    c->value = NULL;
    return false;
}

static enum cgs_status make_at_once(struct product *p)
{
    struct cgs_context *context = p->queue->context;
    struct cgs_sparse *c = &p->c;
    CGS_TRY(ended(p, CGS_SPGEMM_COUNT));
    CGS_TRY(ended(p, CGS_SPGEMM_ALLOC));
    CGS_TRY(p->kernel->make(p->work, c));
    p->facts.size.entries = c->nonzeros;
    CGS_TRY(cgs_settle(context, c->nonzeros, sizeof *c->column, what, (void **)&c->column));
    CGS_TRY(cgs_settle(context, c->nonzeros, (size_t)cgs_number_bytes(p->number), what, &c->value));
    return ended(p, CGS_SPGEMM_FILL);
}

static enum cgs_status stages(struct product *p, const struct cgs_sparse *a,
                              const struct cgs_sparse *b, bool sort)
{
    CGS_TRY(p->kernel->begin(p->queue, a, b, &p->work, &p->facts.size));
    CGS_TRY(ended(p, CGS_SPGEMM_BEGIN));
    CGS_TRY(p->ops->pointers(p->queue, what, a->rows, b->columns, &p->c));
    CGS_TRY(take_room(p) ? make_at_once(p) : count_and_fill(p));
    if (sort && p->kernel->sort)
        CGS_TRY(p->kernel->sort(p->work, &p->c));
    return ended(p, CGS_SPGEMM_SORT);
}

static enum cgs_status read_clock(struct product *p)
{
    for (int stage = 0; stage < CGS_SPGEMM_STAGES; stage++)
        CGS_TRY(p->backend->elapsed(p->queue, stage, stage + 1, &p->facts.seconds[stage]));
    return CGS_OK;
}

enum cgs_status cgs_spgemm(struct cgs_queue *queue, const struct cgs_backend *backend,
                           const struct cgs_spgemm_kernel *kernel, enum cgs_number number,
                           const struct cgs_sparse *a, const struct cgs_sparse *b, bool sort,
                           struct cgs_sparse *c, struct cgs_spgemm_facts *facts)
{
    struct product p = {
        .queue = queue,
        .backend = backend,
        .kernel = kernel,
        .ops = backend->sparse[number],
        .number = number,
        .timed = facts != NULL,
        .facts.size = {.rows = a->rows,
                       .columns = b->columns,
                       .inner = a->columns,
                       .a = a->nonzeros,
                       .b = b->nonzeros,
                       .unordered = !sort},
    };
    enum cgs_status status = p.timed ? backend->mark(queue, 0) : CGS_OK;
    if (status == CGS_OK)
        status = stages(&p, a, b, sort);
    if (status == CGS_OK && p.timed)
        status = read_clock(&p);
    kernel->release(p.work);
    if (status != CGS_OK) {
        p.ops->release(queue, &p.c);
        return status;
    }
    *c = p.c;
    if (facts)
        *facts = p.facts;
    return CGS_OK;
}
