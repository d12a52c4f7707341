/* How long a run would take.
 *
 * Assembly: a smaller cube of the same kind is laid out, filled and loaded by the very functions of
 * a run, and its seconds are scaled by entries (rows for the load vector); on a device it is as fast
 * as memory takes it, but on deformed meshes, where it computes. Transfer: bytes over the
 * bandwidth of the link. Iteration: bytes (the steps of CG, solver/cg/cg_steps.c) over
 * the bandwidth that is attainable for their mix of reads and writes.
 * How many iterations: predict_iterations.c.
 */
#include "src/plan/predict.h"

#include <math.h>

#include "base/memory.h"
#include "fem/assembly.h"
#include "src/precond/preconditioner.h"
#include "src/settle/asked.h"

/* Sides of the samples: 166 MB of entries, more than most caches hold, where a run fills memory of
 * its own; 36 MB, about what the staging takes, where it sends the entries on to a device. */
enum { SAMPLE_FRESH = 80, SAMPLE_STAGED = 48, SAMPLES = 2 };

/* ---- assembly ---- */

/* Where a sample's entries go, and its load vector. */
struct sample {
    struct cgs_mesh mesh;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    int32_t *columns;
    void *values;
    double *load;
    double matrix_seconds, load_seconds;
};

/* The largest side up to `most` whose entries, in double, take a small part of the room. */
static int64_t sample_side(int64_t n, int64_t most, int64_t room)
{
    int64_t side = n < most ? n : most;
    while (side > 1 && side * side * side * 27 * 12 > room / 4)
        side--;
    return side;
}

static void release_memory(struct cgs_context *context, struct sample *s)
{
    cgs_free(context, s->load);
    cgs_free(context, s->values);
    cgs_free(context, s->columns);
    s->load = NULL, s->values = NULL, s->columns = NULL;
    cgs_matrix_release(context, &s->matrix);
}

/* As a run does it: layout and entries into fresh memory, but on the way to a device into the same
 * staging again and again; then the load vector. */
static enum cgs_status assemble(struct cgs_context *context, const struct cgs_options *options,
                                bool fresh, struct sample *s)
{
    const enum cgs_number number = cgs_precision_value((enum cgs_precision)options->precision);
    double begin = cgs_now();
    CGS_TRY(cgs_matrix_create(context, &s->source, (enum cgs_format)options->format,
                              cgs_options_chunk(options), cgs_options_sigma(options), &s->matrix));
    CGS_TRY(cgs_alloc(context, s->matrix.stored, sizeof *s->columns, "columns of a sample",
                      (void **)&s->columns));
    CGS_TRY(cgs_alloc(context, s->matrix.stored, (size_t)cgs_number_bytes(number),
                      "values of a sample", &s->values));
    for (int time = 0; s->matrix.pointers && time < (fresh ? 1 : 2); time++) {
        begin = time == 0 ? begin : cgs_now();
        CGS_TRY(cgs_matrix_fill(context, &s->matrix, 0, s->matrix.units, number, s->columns,
                                s->values));
    }
    const double middle = cgs_now();
    CGS_TRY(cgs_alloc(context, s->matrix.rows, sizeof *s->load, "load vector of a sample",
                      (void **)&s->load));
    CGS_TRY((options->problem->product_rhs ? cgs_problem_solution : cgs_problem_load)(
        context, options->problem, &s->mesh, 0, s->matrix.rows, s->load));
    s->matrix_seconds = fmin(s->matrix_seconds, middle - begin);
    s->load_seconds = fmin(s->load_seconds, cgs_now() - middle);
    return CGS_OK;
}

/* Seconds in which a file's rows get from where they stand to the kernel: of the first units, as
 * many as a sample of the box has. */
static enum cgs_status predict_file(struct cgs_context *context, const struct cgs_options *options,
                                    const struct cgs_matrix *laid, int64_t room, double *seconds)
{
    const enum cgs_number number = cgs_precision_value((enum cgs_precision)options->precision);
    const int64_t side = sample_side(SAMPLE_FRESH, SAMPLE_FRESH, room);
    struct sample s = {.matrix_seconds = INFINITY};
    int64_t units = 0;
    while (units < laid->units && laid->pointers[units + 1] <= side * side * side * 27)
        units++;
    const double share = (double)laid->pointers[units] / (double)laid->stored;
    *seconds = 0.0;
    if (!(share > 0.0)) /* no entries, or a unit that is too large for a sample */
        return CGS_OK;
    enum cgs_status status = CGS_OK;
    for (int i = 0; i < SAMPLES && status == CGS_OK; i++) {
        const double begin = cgs_now();
        status = cgs_alloc(context, laid->pointers[units], sizeof *s.columns, "columns of a sample",
                           (void **)&s.columns);
        if (status == CGS_OK)
            status = cgs_alloc(context, laid->pointers[units], (size_t)cgs_number_bytes(number),
                               "values of a sample", &s.values);
        if (status == CGS_OK)
            status = cgs_matrix_fill(context, laid, 0, units, number, s.columns, s.values);
        s.matrix_seconds = fmin(s.matrix_seconds, cgs_now() - begin);
        release_memory(context, &s);
    }
    *seconds = s.matrix_seconds / share;
    return status;
}

/* Seconds of the whole assembly, from the best of a few samples. */
static enum cgs_status predict_assembly(struct cgs_context *context,
                                        const struct cgs_options *options,
                                        const struct cgs_machine *machine,
                                        const struct cgs_matrix *whole, int64_t room,
                                        double *seconds)
{
    const bool fresh = machine->backend->place == CGS_HOST;
    const int64_t side = sample_side(options->n, fresh ? SAMPLE_FRESH : SAMPLE_STAGED, room);
    struct sample s = {.mesh = cgs_mesh_asked(options, side),
                       .matrix_seconds = INFINITY,
                       .load_seconds = INFINITY};
    CGS_TRY(cgs_assembler_create(context, &s.mesh, cgs_gather_of(&s.mesh), &s.source));
    double entries = 1.0, rows = 1.0;
    enum cgs_status status = CGS_OK;
    for (int i = 0; i < SAMPLES && status == CGS_OK; i++) {
        status = assemble(context, options, fresh, &s);
        entries = (double)s.matrix.nonzeros;
        rows = (double)s.matrix.rows;
        release_memory(context, &s);
    }
    cgs_assembler_release(context, &s.source);
    *seconds = s.matrix_seconds * (double)whole->nonzeros / entries +
               s.load_seconds * (double)whole->rows / rows;
    return status;
}

/* ---- transfer and iteration ---- */

/* Matrix and right-hand side on their way there, the solution on its way back. */
static enum cgs_status predict_transfer(const struct cgs_machine *machine,
                                        const struct cgs_bandwidth *host, double matrix_bytes,
                                        double vector_bytes, double natural_bytes,
                                        struct cgs_prediction *p)
{
    double pinning;
    if (p->on_device) {
        p->prepare_seconds = p->assemble_seconds;
        return CGS_OK;
    }
    if (machine->backend->place == CGS_HOST) {
        p->transfer_seconds = 1e-9 * 2.0 * (vector_bytes + natural_bytes) / host->copy_gbs;
        p->prepare_seconds = p->assemble_seconds + p->transfer_seconds;
        return CGS_OK;
    }
    CGS_TRY(machine->backend->link(machine->queue, &pinning, &p->link_gbs));
    const double copies = 1e-9 * (matrix_bytes + 2.0 * vector_bytes) / p->link_gbs;
    p->transfer_seconds = pinning + copies;
    p->prepare_seconds = pinning + fmax(p->assemble_seconds, copies);
    return CGS_OK;
}

/* An operator that tells its traffic, but can't be applied: there is no matrix behind it. */
static enum cgs_status forecast_operator(const struct cgs_spec *forecast,
                                         const struct cgs_matrix *matrix, struct cgs_queue *queue,
                                         struct cgs_operator *op)
{
    const struct cgs_space_ops *spaces =
        forecast->backend->spaces[cgs_precision_real(forecast->precision)];
    struct cgs_layout domain = {.size = matrix->columns}, range = {.size = matrix->rows};
    if (forecast->kernel->layout)
        forecast->kernel->layout(matrix, &domain, &range);
    *op = (struct cgs_operator){.steps = &forecast->kernel->steps};
    return spaces->create(queue, &domain, &op->domain);
}

/* The preconditioner as far as it tells what it moves; empty: none. */
static struct cgs_operator forecast_preconditioner(const struct cgs_spec *forecast,
                                                   const struct cgs_operator *op)
{
    static const struct cgs_steps plain = {.apply = NULL};
    const struct cgs_preconditioner *preconditioner = cgs_preconditioner(forecast->precond);
    struct cgs_operator made = {.steps = &plain};
    if (!preconditioner->foresee)
        return (struct cgs_operator){0};
    preconditioner->foresee(forecast, op, &made);
    return made;
}

enum { VECTORS = 5 }; /* x, r, p, q, b */

enum cgs_status cgs_predict(struct cgs_context *context, const struct cgs_options *options,
                            const struct cgs_machine *machine, const struct cgs_matrix *laid,
                            const struct cgs_room *room, const struct cgs_bandwidth *host,
                            const struct cgs_bandwidth *memory, struct cgs_prediction *prediction)
{
    const struct cgs_spec forecast = cgs_spec_asked(options, machine, laid);
    struct cgs_prediction p = {.link_gbs = 0.0};
    struct cgs_matrix matrix;
    struct cgs_operator op;
    cgs_spec_matrix(&forecast, &matrix);
    CGS_TRY(forecast_operator(&forecast, &matrix, machine->queue, &op));

    const double rows = (double)matrix.rows;
    const double vector_bytes = rows * (double)cgs_number_bytes(op.domain.number);
    const double matrix_bytes =
        (double)forecast.kernel->traffic(&matrix).matrix +
        (forecast.outer ? (double)forecast.outer->traffic(&matrix).matrix : 0.0);
    p.on_device = !laid && forecast.on_device;
    if (p.on_device)
        p.assemble_seconds = 1e-9 * (matrix_bytes + vector_bytes) / memory->copy_gbs;
    else
        CGS_TRY(laid ? predict_file(context, options, laid, room->bytes[CGS_HOST],
                                    &p.assemble_seconds)
                     : predict_assembly(context, options, machine, &matrix, room->bytes[CGS_HOST],
                                        &p.assemble_seconds));
    CGS_TRY(predict_transfer(machine, host, matrix_bytes, vector_bytes, rows * sizeof(double), &p));

    const struct cgs_operator preconditioner = forecast_preconditioner(&forecast, &op);
    p.iteration_bytes = rows * cgs_bytes_per_unknown(forecast.kernel, &matrix, &op, &preconditioner,
                                                     CGS_LAUNCH_PLAIN);
    const struct cgs_cg_step iteration = cgs_cg_iteration(&op, &preconditioner, CGS_LAUNCH_PLAIN);
    p.attainable_gbs = cgs_attainable(memory, (int64_t)cgs_cg_bytes_written(&iteration, &op),
                                      (int64_t)p.iteration_bytes, &p.attainable_kind);
    p.iteration_seconds = 1e-9 * p.iteration_bytes / p.attainable_gbs;
    p.cached = matrix_bytes + VECTORS * vector_bytes <= (double)machine->info.cache_bytes;
    cgs_predict_iterations(options, &p);
    *prediction = p;
    return CGS_OK;
}
