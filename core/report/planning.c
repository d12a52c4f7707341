#include "core/report/planning.h"

#include "base/comm.h"
#include "core/io/format.h"
#include "core/report/planning_ranks.h"
#include "core/setup/asked.h"
#include "matrix/ranks/cut.h"

/* Adds the right-hand sides of a file, which are read when everything else is there and, if there
 * are several, stay; their solutions come later. Returns the bytes. rows: of this rank. */
static int64_t plan_rhs(const struct cgs_settings *settings, struct cgs_rhs_size rhs, int64_t rows,
                        struct cgs_plan *plan)
{
    const int64_t before = plan->total[CGS_HOST], numbers = cgs_bytes(rows, rhs.vectors);
    if (rhs.vectors > 1)
        cgs_plan_add(plan, CGS_HOST, "right-hand sides", numbers, sizeof(double));
    struct cgs_plan reading = *plan;
    cgs_plan_add(&reading, CGS_HOST, "", 1, rhs.reading);
    if (rhs.vectors == 1)
        cgs_plan_add(&reading, CGS_HOST, "", numbers, sizeof(double));
    if (rhs.vectors > 1 && settings->output)
        cgs_plan_add(plan, CGS_HOST, "solutions", numbers, sizeof(double));
    cgs_plan_add_earlier(plan, &reading, plan->total, "right-hand sides while they are read");
    return plan->total[CGS_HOST] - before;
}

enum cgs_status cgs_planning_make(struct cgs_context *context, struct cgs_report *report,
                                  const struct cgs_matrix *laid, struct cgs_rhs_size rhs)
{
    const struct cgs_settings *settings = report->settings;
    const struct cgs_machine *m = &report->machine;
    struct cgs_spec forecast = cgs_spec_asked(settings, m, laid);
    struct cgs_matrix matrix;
    forecast.constants |= report->nullspace.constants;
    cgs_spec_matrix(&forecast, &matrix);
    const int64_t unit = cgs_spec_unit(&forecast, matrix.rows);
    enum cgs_status status = CGS_OK;
    if (!laid) /* a file's rows are cut already */
        status = cgs_portion_accept(context, matrix.rows, unit, cgs_comm_size(context));
    if (status == CGS_OK)
        status = cgs_plan_accepts(context, &forecast);
    if (status == CGS_OK)
        status = cgs_room_measure(m, cgs_settings_memory_limit(settings), &report->room);
    CGS_TRY(cgs_comm_agree(context, status));
    struct cgs_room equal = report->room;
    struct cgs_matrix part = matrix;
    cgs_plan_run(&forecast, &report->plan);
    cgs_spec_take_part(&forecast, &part);
    if (report->nullspace.bytes > 0)
        cgs_plan_add(&report->plan, CGS_HOST, "null space", part.rows, report->nullspace.bytes);
    equal.bytes[CGS_HOST] -= part.rows * report->nullspace.bytes;
    equal.bytes[CGS_HOST] -= plan_rhs(settings, rhs, part.rows, &report->plan);
    cgs_planning_share(context, report, part.rows, &equal);
    report->has_plan = true;
    if (settings->plan || !cgs_plan_fits(&report->plan, &report->room))
        report->variant_count = cgs_variants(settings, m, laid, &equal, report->variants);
    if (settings->plan) {
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

/* Says whose figures do not fit. */
static void explain_part(struct cgs_context *context, const struct cgs_report *report)
{
    const struct cgs_gpu_part *part = &report->ranks.share[report->planned_rank];
    if (report->ranks.shares == 0 || report->plan.total[CGS_DEVICE_MEMORY] <= part->available)
        cgs_fail_add(context, "; these are figures of rank %d, and its share of what its host has",
                     report->planned_rank);
    else if (part->sharers == 1)
        cgs_fail_add(context, "; these are figures of rank %d on GPU %d", report->planned_rank,
                     part->device);
    else
        cgs_fail_add(context,
                     "; these are figures of rank %d, and its share of GPU %d, which %d ranks have",
                     report->planned_rank, part->device, part->sharers);
}

enum cgs_status cgs_planning_check(struct cgs_context *context, const struct cgs_report *report,
                                   const struct cgs_matrix *laid)
{
    const enum cgs_status status =
        cgs_fitting_check(context, report->settings, &report->machine, laid, report->variants,
                          report->variant_count, &report->plan, &report->room);
    if (status == CGS_MEMORY && context->comm)
        explain_part(context, report);
    return status;
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
    if (cgs_settings_box(report->settings) && report->settings->order > 1 && !report->context->comm)
        CGS_TRY(cgs_measure_arithmetic(m->backend, m->queue,
                                       cgs_precision_real(report->settings->precision),
                                       &report->arithmetic_gflops));
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
                     cgs_settings_box(report->settings) ? "a smaller \1N" : "\1precision=single");
}
