#include "core/autotune/calls.h"

#include <string.h>

#include "base/memory.h"
#include "kernels/plugin/compile.h"
#include "kernels/plugin/contain.h"
#include "kernels/plugin/plugin.h"
#include "matrix/layout.h"

struct cgs_calls {
    const struct cgs_callee *callee;
    struct cgs_matrix matrix;
    struct cgs_crs empty; /* the matrix where there are no entries */
    void *self;
};

void cgs_callee_alone(void)
{
    cgs_contain_alone();
}

bool cgs_callee_is_blind(void)
{
    return cgs_contain_hides_files();
}

enum cgs_status cgs_callee_judge(struct cgs_context *context, const char *file, char *const *words,
                                 double seconds, FILE *printed, FILE *said, int *status)
{
    return cgs_compile_judge(context, file, words, seconds, printed, said, status);
}

enum cgs_status cgs_callee_gpu(struct cgs_context *context)
{
    const struct cgs_backend *backend = cgs_backend(CGS_CUDA);
    struct cgs_queue *queue;
    if (!backend)
        return cgs_fail(context, CGS_DEVICE, "%s", cgs_backend_reason(CGS_CUDA));
    CGS_TRY(backend->open(context, 0, &queue));
    backend->close(queue);
    return CGS_OK;
}

enum cgs_status cgs_callee_open(struct cgs_context *context, const char *file,
                                struct cgs_callee *callee)
{
    const struct cgs_backend *backend = cgs_backend(CGS_CPU);
    *callee = (struct cgs_callee){.context = context};
    CGS_TRY(backend->open(context, 0, &callee->queue));
    context->threads = CGS_CALL_THREADS;
    CGS_TRY(cgs_plugin_open(context, file, 0, &callee->plugin));
    const char *broken = cgs_plugin_broken(callee->plugin);
    if (broken)
        return cgs_fail(context, CGS_NOT_CONVERGED, "%s", broken);
    const struct cgs_kernel_entry *entry = cgs_plugin_isolated(callee->plugin);
    callee->kernel = entry->device == CGS_CPU ? entry->tables[CGS_PRECISION_F64] : NULL;
    if (!callee->kernel)
        return cgs_fail(context, CGS_FILE,
                        "'%s' has no function for the CPU in double precision: keep the last line "
                        "of the file that you began with",
                        file);
    return CGS_OK;
}

void cgs_callee_close(struct cgs_callee *callee)
{
    cgs_plugin_close(callee->context, callee->plugin);
    if (callee->queue)
        cgs_backend(CGS_CPU)->close(callee->queue);
}

const char *cgs_callee_calls(const struct cgs_callee *callee)
{
    return cgs_plugin_calls(callee->plugin);
}

void cgs_callee_check_by(const struct cgs_callee *callee, const struct cgs_plugin_check *check)
{
    cgs_plugin_check_by(callee->plugin, check);
}

void cgs_callee_note(const struct cgs_callee *callee, struct cgs_plugin_note *note)
{
    cgs_plugin_note(callee->plugin, note);
}

static enum cgs_status begin(const struct cgs_callee *callee, const struct cgs_crs *crs,
                             struct cgs_calls *calls)
{
    struct cgs_row_source source = cgs_crs_source(crs);
    source.mesh = callee->mesh;
    CGS_TRY(cgs_matrix_create(callee->context, &source, callee->mesh ? CGS_NONE : CGS_CRS, 1, 1,
                              &calls->matrix));
    return callee->kernel->prepare_user
               ? callee->kernel->prepare_user(callee->kernel, callee->queue, &calls->matrix,
                                              &calls->self)
               : callee->kernel->prepare(callee->queue, &calls->matrix, &calls->self);
}

static enum cgs_status allocate(const struct cgs_callee *callee, struct cgs_calls **calls)
{
    *calls = NULL;
    CGS_TRY(cgs_alloc(callee->context, 1, sizeof **calls, "calls", (void **)calls));
    **calls = (struct cgs_calls){.callee = callee};
    return CGS_OK;
}

enum cgs_status cgs_calls_begin(const struct cgs_callee *callee, const struct cgs_crs *crs,
                                struct cgs_calls **calls)
{
    CGS_TRY(allocate(callee, calls));
    return begin(callee, crs, *calls);
}

enum cgs_status cgs_calls_begin_plain(const struct cgs_callee *callee, int64_t outputs,
                                      int64_t inputs, struct cgs_calls **calls)
{
    CGS_TRY(allocate(callee, calls));
    struct cgs_crs *empty = &(*calls)->empty;
    CGS_TRY(cgs_crs_alloc(callee->context, outputs, inputs, 0, empty));
    memset(empty->pointers, 0, (size_t)(outputs + 1) * sizeof *empty->pointers);
    return begin(callee, empty, *calls);
}

void cgs_calls_end(struct cgs_calls *calls)
{
    if (!calls)
        return;
    struct cgs_context *context = calls->callee->context;
    if (calls->self)
        calls->callee->kernel->steps.release(calls->self);
    cgs_matrix_release(context, &calls->matrix);
    cgs_crs_release(context, &calls->empty);
    cgs_free(context, calls);
}

enum cgs_status cgs_call(const struct cgs_calls *calls, const double *x, double *y)
{
    const struct cgs_callee *callee = calls->callee;
    return callee->kernel->steps.apply(calls->self, callee->queue, NULL, x, y);
}

enum cgs_status cgs_calls_time(const struct cgs_calls *calls, const double *x, double *y, int count,
                               double *seconds)
{
    const struct cgs_callee *callee = calls->callee;
    return callee->kernel->steps.time(calls->self, callee->queue, x, y, count, seconds);
}

struct cgs_traffic cgs_calls_traffic(const struct cgs_calls *calls)
{
    return calls->callee->kernel->traffic(&calls->matrix);
}
