/* Choices of a run: for a matrix by rows its kernel and the precision of cycles, for the box its
 * preconditioner. */
#include "core/run/run_choose.h"

#include <math.h>

#include "core/options/solver_settings.h"
#include "core/run/steps.h"
#include "core/setup/machine_open.h"
#include "fem/separable.h"
#include "matrix/names.h"

/* Computes the memory left for candidates, without that held, CG's vectors and the test vectors. */
static enum cgs_status room_to_choose(const struct cgs_run *run,
                                      const struct cgs_settings *settings, struct cgs_room *room)
{
    enum { VECTORS = 8 }; /* maximum number of CG's vectors */
    const struct cgs_machine *m = &run->machine;
    const enum cgs_number real = cgs_precision_real(settings->precision);
    struct cgs_plan plan = {0};
    cgs_plan_add(&plan, CGS_HOST, "held", run->context->host_bytes, 1);
    cgs_plan_add(&plan, m->backend->place, "vectors", VECTORS * run->rows, cgs_number_bytes(real));
    cgs_plan_add(&plan, CGS_HOST, "test vector", run->rows, sizeof(double));
    cgs_testbed_plan(&plan, m->backend->place, real, run->rows, run->rows, 1);
    CGS_TRY(cgs_room_measure(m, cgs_settings_memory_limit(settings), room));
    for (int place = 0; place < CGS_PLACES; place++)
        room->bytes[place] -= plan.total[place];
    return CGS_OK;
}

/* --kernel=auto without timing: SELL, sorted if that saves much padding; CRS if much remains. */
static enum cgs_status choose_by_lengths(struct cgs_run *run)
{
    struct cgs_settings *o = run->settings;
    struct cgs_machine *m = &run->machine;
    const struct cgs_kernel_entry *entry = m->entry;
    struct cgs_padding padding;
    if (!m->automatic || o->given[CGS_OPTION_format])
        return CGS_OK;
    CGS_TRY(cgs_padding_measure(run->context, o, m->backend, &run->drawn, &padding));
    if (cgs_padding_format(o, &padding) == CGS_CRS)
        CGS_TRY(cgs_kernel_find(run->context, "auto", m->device, CGS_CRS, &entry));
    CGS_TRY(cgs_machine_take(run->context, o, entry, padding.chunk, padding.sigma, m));
    run->report->machine = *m;
    return CGS_OK;
}

enum cgs_status cgs_run_choose_kernel(struct cgs_run *run)
{
    struct cgs_machine *m = &run->machine;
    struct cgs_settings settings = *run->settings;
    struct cgs_room room;
    if (!m->automatic || run->context->comm) /* ranks: the format's default, the same on all */
        return CGS_OK;
    if (!cgs_run_measures(run) || settings.reproducible)
        return choose_by_lengths(run);
    cgs_run_enter(run, CGS_PHASE_SETUP);
    if (settings.given[CGS_OPTION_chunk] || settings.given[CGS_OPTION_sigma])
        settings.given[CGS_OPTION_format] = true; /* these options belong to SELL */
    CGS_TRY(room_to_choose(run, &settings, &room));
    if (room.bytes[CGS_HOST] < 0 || room.bytes[m->backend->place] < 0)
        return CGS_OK;
    const enum cgs_status status =
        cgs_choose(&settings, m->backend, m->queue, &run->drawn, &room, &run->report->choice);
    if (status == CGS_USAGE || status == CGS_MEMORY) {
        run->context->status = CGS_OK;
        run->context->message[0] = '\0';
        return CGS_OK;
    }
    CGS_TRY(status);
    const struct cgs_selection *choice = &run->report->choice;
    const struct cgs_candidate *best = &choice->items[choice->chosen].candidate;
    CGS_TRY(
        cgs_machine_take(run->context, run->settings, best->entry, best->chunk, best->sigma, m));
    run->report->has_choice = true;
    run->report->machine = *m;
    return CGS_OK;
}

bool cgs_run_cycle_open(const struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    return cgs_precond_is(o->precond, CGS_PRECOND_AGGREGATES) &&
           o->precision == CGS_PRECISION_F64 && o->precond_precision == CGS_CYCLE_AUTO;
}

enum cgs_status cgs_run_choose_cycle(struct cgs_run *run)
{
    struct cgs_settings *o = run->settings;
    if (!cgs_run_cycle_open(run))
        return CGS_OK;
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    CGS_TRY(cgs_run_note_range(run));
    if (cgs_report_leaves(CGS_F32, run->report->least_diagonal) ||
        cgs_report_leaves(CGS_F32, run->report->most_diagonal))
        CGS_DECIDE(o, precond_precision, CGS_CYCLE_DOUBLE);
    return CGS_OK;
}

/* Returns the operations for each unknown of dense transforms, there and back, and of LAPACK, which
 * finds their modes: 30 n^3 a direction. Lines along z take neither, nor do fast transforms. */
static double dense_operations(const struct cgs_separable *separable)
{
    const struct cgs_separable_direction *line = separable->direction;
    const double rows = (double)line[0].n * (double)line[1].n * (double)line[2].n;
    double operations = 0.0;
    for (int d = 0; d < 2; d++) {
        const double n = (double)line[d].n;
        operations += line[d].uniform ? 0.0 : 4.0 * n + 30.0 * n * n * n / rows;
    }
    return operations;
}

/* Returns the bytes for each unknown that multigrid moves until it has converged, by estimate.
 * Above order 1 an iteration moves twice as many, and as orders of all directions are halved
 * together, iterations grow with the cells' length over their width. */
static double bytes_of_grids(const struct cgs_mesh *mesh)
{
    const double *h = mesh->h, bytes = 1500.0;
    const double longest = fmax(h[0], fmax(h[1], h[2])), shortest = fmin(h[0], fmin(h[1], h[2]));
    return mesh->order == 1 ? bytes : 2.0 * bytes * longest / shortest;
}

/* Returns what --precond=auto takes for the box. fdm of a separable box takes one or two
 * iterations, unless its dense products take longer than all of multigrid. Of the nearest separable
 * box it saves enough of multigrid's five to eight iterations only if that is near, since an
 * iteration costs one to three of multigrid's (bench/results/2026-11-28-fdm-auto.md). */
static enum cgs_precond better(const struct cgs_mesh *mesh, const struct cgs_separable *separable,
                               enum cgs_place place, const char **why)
{
    static const double NEAR = 1.05;
    static const double operations[] = {[CGS_HOST] = 3.0, [CGS_DEVICE_MEMORY] = 12.0}; /* a byte */
    if (dense_operations(separable) > bytes_of_grids(mesh) * operations[place]) {
        *why = "the box has long lines without fast transforms";
        return CGS_PRECOND_MG;
    }
    *why = separable->why;
    if (!separable->exact && separable->spread > 0.0 && separable->spread <= NEAR)
        *why = "kappa is nearly a product a(x) b(y) c(z)";
    return *why != separable->why || separable->exact ? CGS_PRECOND_FDM : CGS_PRECOND_MG;
}

enum cgs_status cgs_run_choose_precond(struct cgs_run *run)
{
    struct cgs_separable separable;
    const char *why;
    CGS_TRY(cgs_separable_create(run->context, &run->input.mesh, &separable));
    enum cgs_precond precond =
        better(&run->input.mesh, &separable, run->machine.backend->place, &why);
    cgs_separable_release(run->context, &separable);
    cgs_settings_take_precond(run->settings, precond, why);
    run->spec = cgs_spec_asked(run->settings, &run->machine, NULL);
    return CGS_OK;
}
