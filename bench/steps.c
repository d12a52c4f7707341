/* Seconds of each step of an iteration on its own, and of the iteration: where the time goes.
 *
 *     steps [--device=cuda|cpu] [--N=64,256] [--precision=double|single] [--kernel=auto]
 *           [--format=sell|crs|sellc|none] [--repeats=100]
 *
 * Each step is queued `repeats` times in a row between two marks of the device's clock; best of
 * five. GB/s count the bytes that the step must move. A repeated step finds other data in the
 * caches than within an iteration: only the last line measures an iteration, the others explain it.
 * If an operator has its own steps, these are timed; GB/s of an iteration then count 7 vectors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "fem/assembly.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_internal.h"

struct rig {
    struct cgs_context context;
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    struct cgs_cg *plain, *graph, *together;
    int repeats;
};

static void check(struct rig *rig, enum cgs_status status)
{
    if (status == CGS_OK)
        return;
    fprintf(stderr, "steps: %s\n", rig->context.message);
    exit(cgs_status_exit(status));
}

enum step { APPLY, APPLY_DOT, UPDATE, DIRECTION, ITERATION, GRAPH, TOGETHER, STEPS };

static enum cgs_status do_step(struct rig *rig, enum step step)
{
    struct cgs_cg *cg = rig->plain;
    const struct cgs_space *space = &rig->op.domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    switch (step) {
    case APPLY:
        return cgs_operator_apply(&rig->op, rig->queue, cg->state, v->p, v->q);
    case APPLY_DOT:
        return cgs_operator_apply_dot(&rig->op, rig->queue, cg->state, v->p, v->q, CGS_SUM_PQ);
    case UPDATE:
        if (rig->op.steps->update)
            return rig->op.steps->update(rig->op.self, rig->queue, cg->state, v);
        return space->ops->update(space, rig->queue, cg->state, v->p, v->q, v->x, v->r);
    case DIRECTION:
        if (rig->op.steps->direction_apply_dot)
            return rig->op.steps->direction_apply_dot(rig->op.self, rig->queue, cg->state, v);
        return space->ops->direction(space, rig->queue, cg->state, v->z, v->p);
    case ITERATION:
        return cgs_cg_iterate(cg);
    case GRAPH:
        return cgs_cg_advance(rig->graph, rig->graph->batch);
    default:
        return cgs_cg_advance(rig->together, rig->repeats);
    }
}

/* Resets the CG: finite vectors, no reason to stop. */
static void restart(struct rig *rig, struct cgs_cg *cg)
{
    const struct cgs_space *space = &rig->op.domain;
    const struct cgs_cg_state state = {.max_iterations = 1 << 20, .stagnation_window = 1 << 20};
    struct cgs_cg_vectors *v = &cg->vectors;
    check(rig, space->ops->state_set(space, rig->queue, cg->state, &state));
    check(rig, space->ops->copy(space, rig->queue, NULL, v->b, v->r));
    check(rig, space->ops->copy(space, rig->queue, NULL, v->b, v->p));
    check(rig, cgs_operator_apply_dot(&rig->op, rig->queue, cg->state, v->p, v->q, CGS_SUM_PQ));
    check(rig, space->ops->dot(space, rig->queue, cg->state, v->r, v->r, CGS_SUM_RR));
    check(rig, space->ops->begin(space, rig->queue, cg->state));
}

static double measure(struct rig *rig, enum step step)
{
    struct cgs_cg *cg = step == GRAPH ? rig->graph : step == TOGETHER ? rig->together : rig->plain;
    const int each = step == GRAPH ? cg->batch : step == TOGETHER ? rig->repeats : 1;
    const int calls = (rig->repeats + each - 1) / each;
    double best = 0.0;
    for (int round = 0; round < 6; round++) {
        double seconds;
        restart(rig, cg);
        check(rig, rig->backend->mark(rig->queue, 0));
        for (int i = 0; i < calls; i++)
            check(rig, do_step(rig, step));
        check(rig, rig->backend->mark(rig->queue, 1));
        check(rig, rig->backend->elapsed(rig->queue, 0, 1, &seconds));
        if (round > 0 && (best == 0.0 || seconds < best))
            best = seconds;
    }
    return best / (calls * each);
}

static void run(struct rig *rig, int64_t n, enum cgs_precision precision,
                const struct cgs_kernel_entry *entry)
{
    static const char *const names[STEPS] = {"apply",     "apply, dot", "update",     "direction",
                                             "iteration", "in a graph", "in a kernel"};
    const struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    const struct cgs_kernel *kernel = entry->tables[precision];
    const bool graphs = kernel->capturable && rig->backend->place == CGS_DEVICE_MEMORY;
    struct cgs_cg_settings settings = {
        .tolerance = 1e-30, .max_iterations = 1 << 16, .stagnation_window = 1 << 20};
    struct cgs_row_source source;
    double *b;

    check(rig, cgs_assembler_create(&rig->context, &mesh, CGS_GATHER_SHARED, &source));
    check(rig,
          cgs_matrix_create(&rig->context, &source, entry->format,
                            rig->backend->chunk[cgs_precision_value(precision)], 1, &rig->matrix));
    check(rig,
          cgs_operator_create(rig->queue, rig->backend, kernel, precision, &rig->matrix, &rig->op));
    check(rig, cgs_alloc(&rig->context, source.rows, sizeof *b, "vector", (void **)&b));
    for (int64_t i = 0; i < source.rows; i++)
        b[i] = cgs_random((uint64_t)i);
    const bool can[3] = {true, graphs,
                         rig->op.steps->advance && rig->op.steps->can_advance(rig->op.self)};
    struct cgs_cg **all[3] = {&rig->plain, &rig->graph, &rig->together};
    for (int i = 0; i < 3; i++) {
        if (!can[i])
            continue;
        settings.launch = (enum cgs_launch)i;
        check(rig, cgs_cg_create(rig->queue, &rig->op, NULL, &settings, all[i]));
        check(rig,
              rig->op.domain.ops->put(&rig->op.domain, b, 0, source.rows, cgs_cg_rhs(*all[i])));
    }
    const struct cgs_traffic t = kernel->traffic(&rig->matrix);
    const double vector = (double)rig->op.domain.footprint,
                 product = (double)(t.matrix + t.vectors);
    const bool fused = rig->op.steps->update_conclude != NULL;
    const double iteration = fused ? 7 * vector : product + 9 * vector;
    const double bytes[STEPS] = {
        product, product, (fused ? 5 : 6) * vector, 3 * vector, iteration, iteration, iteration};
    for (int step = 0; step < STEPS; step++) {
        if (step > ITERATION && !can[step - ITERATION])
            continue;
        const double s = measure(rig, (enum step)step);
        printf("N %4lld %-6s %-12s %-11s %10.2f us %8.1f GB/s\n", (long long)n,
               cgs_precision_name(precision), entry->name, names[step], 1e6 * s,
               1e-9 * bytes[step] / s);
        fflush(stdout);
    }
    for (int i = 0; i < 3; i++) {
        cgs_cg_release(*all[i]);
        *all[i] = NULL;
    }
    cgs_operator_release(&rig->op);
    cgs_matrix_release(&rig->context, &rig->matrix);
    cgs_free(&rig->context, b);
    cgs_assembler_release(&rig->context, &source);
}

static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

int main(int argc, char **argv)
{
    struct rig rig = {.repeats = 100};
    const char *kernel = "auto", *sizes = "64";
    const char *format_name = "sell";
    enum cgs_precision precision = CGS_PRECISION_F64;
    enum cgs_format format = CGS_CRS;
    enum cgs_device device = cgs_backend(CGS_CUDA) ? CGS_CUDA : CGS_CPU;
    const struct cgs_kernel_entry *entry;

    for (int i = 1; i < argc; i++) {
        const char *v;
        if ((v = value_of(argv[i], "--device")))
            device = strcmp(v, "cpu") == 0 ? CGS_CPU : CGS_CUDA;
        else if ((v = value_of(argv[i], "--N")))
            sizes = v;
        else if ((v = value_of(argv[i], "--precision")))
            precision = strcmp(v, "single") == 0 ? CGS_PRECISION_F32 : CGS_PRECISION_F64;
        else if ((v = value_of(argv[i], "--kernel")))
            kernel = v;
        else if ((v = value_of(argv[i], "--format")))
            format_name = v;
        else if ((v = value_of(argv[i], "--repeats")) && atoi(v) > 0)
            rig.repeats = atoi(v);
        else {
            fprintf(stderr, "steps: unknown argument '%s'\n", argv[i]);
            return 1;
        }
    }
    while (format < CGS_FORMATS && strcmp(format_name, cgs_format_name(format)) != 0)
        format++;
    if (format == CGS_FORMATS) {
        fprintf(stderr, "steps: unknown format '%s'\n", format_name);
        return 1;
    }
    cgs_context_init(&rig.context);
    rig.backend = cgs_backend(device);
    if (!rig.backend) {
        fprintf(stderr, "steps: %s\n", cgs_backend_reason(device));
        return 6;
    }
    check(&rig, rig.backend->open(&rig.context, 0, &rig.queue));
    check(&rig, cgs_kernel_find(&rig.context, kernel, device, format, &entry));
    for (const char *s = sizes; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        run(&rig, atoll(s), precision, entry);
    rig.backend->close(rig.queue);
    return 0;
}
