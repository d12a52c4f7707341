#include "kernels/plugin/direct.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "include/cgsolve/kernel.h"
#include "matrix/names.h"

struct direct {
    struct cgs_direct_settings settings;
    const struct cgs_plugin_memory *memory;
    struct cgs_queue *queue;
    struct cgs_plugin_arrays arrays;
    int64_t shift;                /* of columns, and of x */
    struct cgsolve_matrix matrix; /* the kernel's view */
    char why[CGS_DIRECT_WHY];
    int64_t bytes; /* that a product reads of the kernel's own layout, as it says; 0: it does not */
    void *own; /* the kernel's self */
    bool prepared;
};

/* Fails because the kernel has returned a nonzero status. */
static enum cgs_status refused(struct direct *direct, const char *where)
{
    direct->why[sizeof direct->why - 1] = '\0';
    if (direct->why[0] && strcmp(where, "prepare") == 0)
        return cgs_fail(direct->queue->context, CGS_NOT_CONVERGED,
                        "kernel '%s'" CGS_DIRECT_DECLINES "%s", direct->settings.name, direct->why);
    return cgs_fail(direct->queue->context, CGS_NOT_CONVERGED, "kernel '%s' failed in its %s%s%s",
                    direct->settings.name, where, direct->why[0] ? ": " : ", and says no reason",
                    direct->why);
}

static void describe(const struct cgs_matrix *matrix, struct direct *direct)
{
    const struct cgs_plugin_arrays *arrays = &direct->arrays;
    direct->matrix = (struct cgsolve_matrix){
        .rows = matrix->rows,
        .columns = matrix->columns + direct->shift,
        .nonzeros = matrix->nonzeros,
        .stored = matrix->stored,
        .units = matrix->units,
        .chunk = matrix->chunk,
        .sigma = matrix->sigma,
        .value_bytes = (int32_t)cgs_number_bytes(direct->settings.number),
        .threads = direct->queue->context->threads,
        .device = direct->settings.index,
        .row_longest = matrix->statistics.longest,
        .pointers = arrays->pointers.data,
        .column = arrays->columns.data,
        .values = arrays->values.data,
        .permutation = arrays->permutation.data,
        .why = direct->why,
        .why_room = sizeof direct->why,
        .bytes = &direct->bytes,
    };
}

static enum cgs_status let_prepare(struct direct *direct)
{
    const struct cgsolve_kernel *kernel = direct->settings.kernel;
    struct cgs_pulse *pulse = direct->settings.pulse;
    if (!kernel->prepare)
        return CGS_OK;
    cgs_pulse_do(pulse, CGS_DOING_PREPARE);
    const int said = kernel->prepare(&direct->matrix, &direct->own);
    cgs_pulse_do(pulse, CGS_DOING_OURS);
    direct->prepared = said == 0;
    if (said != 0)
        return refused(direct, "prepare");
    if (direct->bytes < 0)
        return cgs_fail(direct->queue->context, CGS_NOT_CONVERGED,
                        "kernel '%s' says in its prepare that a product reads %lld bytes of the "
                        "matrix",
                        direct->settings.name, (long long)direct->bytes);
    return CGS_OK;
}

enum cgs_status cgs_direct_prepare(const struct cgs_direct_settings *settings,
                                   struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                   void **self)
{
    struct cgs_context *context = queue->context;
    struct direct *made;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "user's kernel", (void **)&made));
    *made = (struct direct){.settings = *settings,
                            .memory = cgs_backend(settings->device)->plugin,
                            .queue = queue,
                            .shift = cgs_plugin_shift(matrix->source, settings->number)};
    /* for the kernel's own parallel regions */
    omp_set_num_threads(settings->threads > 0 ? settings->threads : context->threads);
    enum cgs_status status = made->memory->hold(queue, matrix, settings->number, &made->arrays);
    if (status == CGS_OK) {
        cgs_pulse_allow(settings->pulse, matrix->stored);
        describe(matrix, made);
        status = let_prepare(made);
    }
    if (status == CGS_OK)
        *self = made;
    else
        cgs_direct_release(made);
    return status;
}

enum cgs_status cgs_direct_apply(const void *self, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const void *x, void *y)
{
    struct direct *direct = (struct direct *)self; /* for `why` and the kernel's self */
    const struct cgsolve_kernel *kernel = direct->settings.kernel;
    struct cgs_pulse *pulse = direct->settings.pulse;
    (void)state;
    const char *first = (const char *)x - direct->shift * direct->matrix.value_bytes;
    direct->why[0] = '\0';
    cgs_pulse_do(pulse, CGS_DOING_PRODUCT);
    const int said = kernel->apply(direct->own, &direct->matrix, first, y, queue->stream);
    if (direct->settings.device == CGS_CPU) /* on a device it has only begun */
        cgs_pulse_do(pulse, CGS_DOING_OURS);
    return said == 0 ? CGS_OK : refused(direct, "apply");
}

const void *cgs_direct_entries(const void *self, int64_t *bytes)
{
    const struct direct *direct = self;
    *bytes = direct->arrays.values.bytes;
    return direct->settings.device == CGS_CPU ? direct->arrays.values.data : NULL;
}

int64_t cgs_direct_bytes(const void *self)
{
    const struct direct *direct = self;
    return direct->bytes;
}

struct cgs_traffic cgs_direct_moved(const void *self)
{
    const struct direct *direct = self;
    return cgs_plugin_traffic(&direct->settings.traffic, direct->bytes);
}

bool cgs_direct_owns(const void *self, const char *address)
{
    const struct direct *direct = self;
    if (!direct)
        return false;
    const struct cgs_fenced *const blocks[] = {&direct->arrays.pointers, &direct->arrays.columns,
                                               &direct->arrays.values, &direct->arrays.permutation};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const char *begin = blocks[i]->whole;
        if (begin && address >= begin && address < begin + blocks[i]->length)
            return true;
    }
    return false;
}

void cgs_direct_release(void *self)
{
    struct direct *direct = self;
    if (!direct)
        return;
    const struct cgsolve_kernel *kernel = direct->settings.kernel;
    cgs_pulse_do(direct->settings.pulse, CGS_DOING_RELEASE);
    if (direct->prepared && kernel->release)
        kernel->release(direct->own);
    cgs_pulse_do(direct->settings.pulse, CGS_DOING_OURS);
    cgs_plugin_drop(direct->memory, direct->queue, &direct->arrays);
    cgs_free(direct->queue->context, direct);
}
