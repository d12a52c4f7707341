#include "core/run/inject.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "core/options/grammar.h"
#include "matrix/row.h"
#include "solver/cg/cg_create.h"

/* Negative entry of `indefinite`, times the sum of magnitudes of its row. It makes p'A p negative
 * as soon as p has a millionth of its length there, and fits single precision. */
static const double FAR_BELOW = 0x1p40;

static bool on_device(enum cgs_fault_kind kind)
{
    return kind == CGS_FAULT_CUDA_ERROR || kind == CGS_FAULT_CUDA_HANG;
}

enum cgs_status cgs_inject_start(struct cgs_context *context, const struct cgs_fault *fault,
                                 bool planned, enum cgs_format format,
                                 const struct cgs_machine *machine, struct cgs_injection *injection)
{
    char text[64];
    *injection = (struct cgs_injection){.fault = *fault, .rank = CGS_NO_RANK};
    if (fault->kind == CGS_FAULT_NONE)
        return CGS_OK;
    cgs_fault_write(fault, text, sizeof text);
    if (planned)
        return cgs_fail(context, CGS_USAGE,
                        "\1plan solves nothing, so \1inject=%s finds nothing to harm: leave one of "
                        "them out",
                        text);
    if (on_device(fault->kind) && !machine->backend->fault)
        return cgs_fail(context, CGS_USAGE,
                        "\1inject=%s needs a CUDA device, and this run is on the CPU%s%s: take "
                        "\1backend=cuda where there is one ('cgsolve list backends')",
                        text, machine->why[0] ? ", as " : "", machine->why);
    if (fault->kind == CGS_FAULT_CUDA_HANG && cgs_comm_size(context) == 1)
        return cgs_fail(
            context, CGS_USAGE,
            "\1inject=%s needs the GPUs of several ranks, one of which then hangs: this "
            "process would only wait for its own; take \1gpus=2 or more",
            text);
    if (format == CGS_NONE &&
        (fault->kind == CGS_FAULT_INDEFINITE || fault->kind == CGS_FAULT_ASYMMETRIC))
        return cgs_fail(context, CGS_USAGE,
                        "\1inject=%s changes an entry of the matrix, but \1format=none has none: "
                        "take another format",
                        text);
    return CGS_OK;
}

/* ---- an entry of the matrix ---- */

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths_out)
{
    const struct cgs_injection *injection = source->self;
    injection->behind.lengths(&injection->behind, first, last, lengths_out);
}

/* Generates the original rows, then overwrites the changed entry. */
static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    enum { AT_ONCE = 64 };
    const struct cgs_injection *injection = source->self;
    const struct cgs_row_source *behind = &injection->behind;
    int32_t length[AT_ONCE];
    int64_t at = injection->place;
    behind->fill(behind, first, last, columns, values);
    if (injection->row < first || injection->row >= last)
        return;
    for (int64_t row = first; row < injection->row; row += AT_ONCE) {
        const int64_t end = row + AT_ONCE < injection->row ? row + AT_ONCE : injection->row;
        behind->lengths(behind, row, end, length);
        for (int64_t i = 0; i < end - row; i++)
            at += length[i];
    }
    values[at] = injection->value;
}

static double norm(const struct cgs_row_source *source)
{
    const struct cgs_injection *injection = source->self;
    const struct cgs_row_source *behind = &injection->behind;
    return fmax(behind->norm ? behind->norm(behind) : 0.0, injection->magnitudes);
}

/* Returns a row whose unknown affects CG: the middle one, or for the model problem the node at a
 * quarter of each edge, where no problem's solution is zero. */
static int64_t row_to_change(const struct cgs_row_source *source)
{
    if (!source->mesh)
        return source->rows / 2;
    const int64_t *n = source->mesh->n;
    return (((n[2] - 1) / 4 * n[1]) + (n[1] - 1) / 4) * n[0] + (n[0] - 1) / 4;
}

/* Chooses the entry of the row and its new value; returns false if there is none to change. */
static bool choose(struct cgs_injection *injection, const struct cgs_row *row)
{
    int32_t diagonal = -1, beside = -1;
    for (int32_t j = 0; j < row->length; j++) {
        if (row->columns[j] == injection->row)
            diagonal = j;
        else if (beside < 0 || row->columns[beside] < injection->row)
            beside = j; /* the first one to the right */
    }
    double sum = 0.0;
    for (int32_t j = 0; j < row->length; j++)
        sum += fabs(row->values[j]);
    const bool indefinite = injection->fault.kind == CGS_FAULT_INDEFINITE;
    injection->place = indefinite ? diagonal : beside;
    if (injection->place < 0)
        return false;
    injection->value = indefinite ? -FAR_BELOW * sum : row->values[beside] + sum / 16.0;
    injection->magnitudes = sum - fabs(row->values[injection->place]) + fabs(injection->value);
    return true;
}

/* Writes the old and the new value of the entry to injection->what. */
static void note_entry(struct cgs_injection *injection, const struct cgs_row *row)
{
    snprintf(injection->what, sizeof injection->what,
             "a(%" PRId64 ", %" PRId32 ") = %.6g became %.6g", injection->row + 1,
             row->columns[injection->place] + 1, row->values[injection->place], injection->value);
    injection->happened = true;
}

enum cgs_status cgs_inject_rows(struct cgs_context *context, struct cgs_injection *injection,
                                const struct cgs_row_source *source, struct cgs_row_source *drawn)
{
    struct cgs_row row;
    *drawn = *source;
    if (injection->fault.kind != CGS_FAULT_INDEFINITE &&
        injection->fault.kind != CGS_FAULT_ASYMMETRIC)
        return CGS_OK;
    injection->behind = *source;
    injection->row = row_to_change(source);
    CGS_TRY(cgs_row_generate(context, source, injection->row, &row));
    const bool found = choose(injection, &row);
    if (found)
        note_entry(injection, &row);
    cgs_row_release(context, &row);
    if (!found)
        return cgs_fail(context, CGS_USAGE,
                        "\1inject: row %" PRId64 " has no entry %s the diagonal that could be "
                        "changed: take another matrix, or a larger \1N",
                        injection->row + 1,
                        injection->fault.kind == CGS_FAULT_ASYMMETRIC ? "beside" : "on");
    drawn->self = injection;
    drawn->lengths = lengths;
    drawn->fill = fill;
    drawn->norm = norm;
    drawn->note_norm = NULL;
    drawn->statistics = NULL;
    drawn->diagonal = NULL;
    drawn->mesh = NULL; /* it is no longer that mesh's matrix */
    drawn->constant = false;
    drawn->symmetric = source->symmetric && injection->fault.kind == CGS_FAULT_INDEFINITE;
    return CGS_OK;
}

/* Says on which rank it happened. */
static void add_rank(struct cgs_injection *injection, int rank)
{
    const size_t used = strlen(injection->what);
    injection->rank = rank;
    snprintf(injection->what + used, sizeof injection->what - used, ", on rank %d", rank);
}

static int owner_of(const struct cgs_portion *portion, int64_t row)
{
    int rank = 0;
    while (portion->cuts[rank + 1] <= row)
        rank++;
    return rank;
}

void cgs_inject_locate(struct cgs_injection *injection, const struct cgs_portion *portion)
{
    const enum cgs_fault_kind kind = injection->fault.kind;
    if (kind == CGS_FAULT_INDEFINITE || kind == CGS_FAULT_ASYMMETRIC)
        add_rank(injection, owner_of(portion, injection->row));
}

static int middle_rank(const struct cgs_context *context)
{
    return cgs_comm_size(context) / 2;
}

/* ---- memory ---- */

void cgs_inject_starvation(struct cgs_context *context, struct cgs_injection *injection,
                           const struct cgs_machine *machine)
{
    const int victim = middle_rank(context);
    if (injection->fault.kind != CGS_FAULT_OOM)
        return;
    if (!context->comm || context->comm->rank == victim)
        context->starve_in[machine->backend->place] = 1;
    injection->happened = true;
    snprintf(injection->what, sizeof injection->what,
             "%s memory asked for more than there is, from the matrix on",
             cgs_place_name(machine->backend->place));
    if (context->comm)
        add_rank(injection, victim);
}

/* ---- a vector, or the device, between two iterations ---- */

/* Flips the lowest bit of the exponent, which doubles or halves x and keeps it finite; for x = 0
 * its highest bit, which gives 2. */
static double flip(double x, enum cgs_number number, int *bit)
{
    if (number == CGS_F32) {
        const float f = (float)x;
        float flipped;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        *bit = f == 0.0f ? 30 : 23;
        bits ^= UINT32_C(1) << *bit;
        memcpy(&flipped, &bits, sizeof flipped);
        return flipped;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *bit = x == 0.0 ? 62 : 52;
    bits ^= UINT64_C(1) << *bit;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The number of a vector that is harmed, the middle one: which of the whole, which of its owner,
 * that rank. */
struct victim {
    int64_t whole, local;
    int rank;
    bool here; /* this rank owns it */
};

static struct victim find_victim(const struct cgs_space *space)
{
    const struct cgs_portion *portion = space->layout.portion;
    const int64_t middle = (portion ? portion->whole : space->size) / 2;
    struct victim victim = {.whole = middle, .local = middle, .here = true};
    if (!portion)
        return victim;
    victim.rank = owner_of(portion, middle);
    victim.here = victim.rank == portion->rank;
    victim.local = middle - portion->first;
    return victim;
}

/* Tells all ranks what has happened on that of the victim. */
static enum cgs_status tell(struct cgs_injection *injection, const struct cgs_space *space,
                            const struct victim *victim, enum cgs_status status)
{
    struct cgs_comm *comm = space->queue->context->comm;
    if (!comm)
        return status;
    CGS_TRY(cgs_comm_agree(space->queue->context, status));
    comm->ops->share(comm, victim->rank, injection->what, (int64_t)sizeof injection->what);
    add_rank(injection, victim->rank);
    return CGS_OK;
}

static enum cgs_status strike_residual(struct cgs_injection *injection, struct cgs_cg *cg)
{
    const struct cgs_space *space = cgs_cg_residual_space(cg);
    const struct victim victim = find_victim(space);
    const double wrong = NAN;
    snprintf(injection->what, sizeof injection->what,
             "r(%" PRId64 ") became NaN after iteration %" PRId64, victim.whole + 1,
             injection->fault.at);
    const enum cgs_status status =
        victim.here ? space->ops->put(space, &wrong, victim.local, 1, cgs_cg_residual(cg)) : CGS_OK;
    return tell(injection, space, &victim, status);
}

/* Flips a bit of the victim on the rank that owns it. */
static enum cgs_status flip_here(struct cgs_injection *injection, struct cgs_cg *cg,
                                 const struct victim *victim)
{
    const struct cgs_space *space = cgs_cg_space(cg);
    double x;
    int bit;
    CGS_TRY(space->ops->get(space, cgs_cg_solution(cg), victim->local, 1, &x));
    const double wrong = flip(x, space->number, &bit);
    snprintf(injection->what, sizeof injection->what,
             "bit %d of x(%" PRId64 ") after iteration %" PRId64 ": %.6g became %.6g", bit,
             victim->whole + 1, injection->fault.at, x, wrong);
    return space->ops->put(space, &wrong, victim->local, 1, cgs_cg_solution(cg));
}

static enum cgs_status strike_solution(struct cgs_injection *injection, struct cgs_cg *cg)
{
    const struct cgs_space *space = cgs_cg_space(cg);
    const struct victim victim = find_victim(space);
    const enum cgs_status status = victim.here ? flip_here(injection, cg, &victim) : CGS_OK;
    return tell(injection, space, &victim, status);
}

/* Lets the device of one rank hang; the others go on, and wait for it. */
static enum cgs_status strike_rank(struct cgs_injection *injection)
{
    const struct cgs_machine *machine = injection->machine;
    const struct cgs_comm *comm = machine->queue->context->comm;
    const int victim = middle_rank(machine->queue->context);
    snprintf(injection->what, sizeof injection->what,
             "a kernel that goes on for a minute, before the first iteration");
    add_rank(injection, victim);
    return comm->rank == victim ? machine->backend->hang(machine->queue) : CGS_OK;
}

static enum cgs_status strike(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    (void)now;
    struct cgs_injection *injection = user;
    const struct cgs_machine *machine = injection->machine;
    injection->happened = true;
    switch (injection->fault.kind) {
    case CGS_FAULT_NAN:
        return strike_residual(injection, cg);
    case CGS_FAULT_BITFLIP:
        return strike_solution(injection, cg);
    case CGS_FAULT_CUDA_HANG:
        return strike_rank(injection);
    default:
        snprintf(injection->what, sizeof injection->what,
                 "a kernel that writes where no memory is, before the first iteration");
        return machine->backend->fault(machine->queue);
    }
}

void cgs_inject_pause(struct cgs_injection *injection, const struct cgs_machine *machine,
                      struct cgs_cg_settings *settings)
{
    const enum cgs_fault_kind kind = injection->fault.kind;
    if (kind != CGS_FAULT_NAN && kind != CGS_FAULT_BITFLIP && !on_device(kind))
        return;
    if (!on_device(kind) && injection->fault.at >= settings->max_iterations)
        return; /* the loop ends before that iteration */
    injection->machine = machine;
    settings->pause = strike;
    settings->pause_at = injection->fault.at;
    settings->pause_user = injection;
}
