#include "src/run/planning.h"

#include "base/comm.h"
#include "src/io/format.h"
#include "src/settle/asked.h"

/* Several ranks: reduces the plan of the whole model problem to the share of one of them, and the room to
 * that of one of those on this host. */
static void share(const struct cgs_context *context, bool box, struct cgs_plan *plan,
                  struct cgs_room *room)
{
    const struct cgs_comm *comm = context->comm;
    if (!comm)
        return;
    for (int place = 0; place < CGS_PLACES; place++) {
        room->bytes[place] /= comm->on_host;
        if (box)
            plan->total[place] = (plan->total[place] + comm->size - 1) / comm->size;
    }
    for (int i = 0; i < plan->count && box; i++)
        plan->lines[i].bytes = (plan->lines[i].bytes + comm->size - 1) / comm->size;
}

enum cgs_status cgs_planning_make(struct cgs_context *context, struct cgs_report *report,
                                  const struct cgs_matrix *laid)
{
    const struct cgs_options *options = report->options;
    const struct cgs_machine *m = &report->machine;
    const struct cgs_spec forecast = cgs_spec_asked(options, m, laid);
    struct cgs_matrix matrix;
    cgs_spec_matrix(&forecast, &matrix);
    CGS_TRY(cgs_plan_accepts(context, &forecast));
    cgs_plan_run(&forecast, &report->plan);
    CGS_TRY(cgs_room_measure(m, cgs_options_memory_limit(options), &report->room));
    share(context, laid == NULL, &report->plan, &report->room);
    report->has_plan = true;
    if (options->plan || !cgs_plan_fits(&report->plan, &report->room))
        report->variant_count = cgs_variants(options, m, laid, &report->room, report->variants);
    if (options->plan) {
        if (!laid)
            report->mesh = forecast.mesh;
        report->matrix = matrix;
        report->matrix.source = NULL;
        report->matrix.on_device = !laid && forecast.on_device;
        cgs_report_take_traffic(report, &matrix);
        report->has_matrix = true;
    }
    return CGS_OK;
}

enum cgs_status cgs_planning_check(struct cgs_context *context, const struct cgs_report *report,
                                   const struct cgs_matrix *laid)
{
    return cgs_fitting_check(context, report->options, &report->machine, laid, report->variants,
                             report->variant_count, &report->plan, &report->room);
}

enum cgs_status cgs_planning_bandwidth(struct cgs_report *report)
{
    const struct cgs_machine *m = &report->machine;
    const enum cgs_place place = m->backend->place;
    const int64_t working_set = report->plan.total[place];
    CGS_TRY(cgs_measure_bandwidth(cgs_backend(CGS_CPU), m->host_queue, working_set,
                                  report->room.bytes[CGS_HOST], &report->host_bandwidth));
    report->bandwidth = report->host_bandwidth;
    if (m->queue != m->host_queue)
        CGS_TRY(cgs_measure_bandwidth(m->backend, m->queue, working_set, report->room.bytes[place],
                                      &report->bandwidth));
    report->has_bandwidth = true;
    return CGS_OK;
}

void cgs_planning_explain(struct cgs_context *context, const struct cgs_report *report, bool asked)
{
    const int last = report->machine.backend->place; /* a device's run needs host memory, too */
    cgs_fail_add(context, ", although the plan had fitted (");
    for (int place = CGS_HOST; place <= last; place++) {
        cgs_text planned, there;
        cgs_fail_add(context, "%s%s of %s memory, %s free", place == CGS_HOST ? "" : "; ",
                     cgs_bytes_text(report->plan.total[place], planned), cgs_place_name(place),
                     cgs_bytes_text(report->room.bytes[place], there));
    }
    if (asked)
        cgs_fail_add(context, "): the system was asked for more than it has");
    else
        cgs_fail_add(context,
                     "): other processes have taken it since; end them, or run again with %s",
                     cgs_options_box(report->options) ? "a smaller --N" : "--precision=single");
}
