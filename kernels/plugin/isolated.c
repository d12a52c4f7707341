/* Kernel table of a user's kernel that runs in a worker process: the matrix and the vectors go
 * there through shared memory, and every product that is timed is checked here. */
#define _GNU_SOURCE /* fallocate */
#include <fcntl.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "kernels/plugin/direct.h"
#include "kernels/plugin/functional.h"
#include "kernels/plugin/isolated.h"
#include "kernels/plugin/process.h"
#include "matrix/fill.h"
#include "matrix/layout.h"

struct isolated {
    struct cgs_context *context;
    struct cgs_process process;
    struct cgs_job plan; /* the job as sent: the kernel can overwrite the shared one */
    struct cgs_space domain, range;
    enum cgs_number number;
    struct cgs_traffic traffic; /* of a product, with the bytes that the kernel says */
    struct cgs_functional functional;
    const struct cgs_plugin_check *check; /* replaces the functional if not NULL */
    struct cgs_plugin_note *note;         /* NULL: not wanted */
    uint64_t seed; /* for the next random x */
    uint64_t seeds[CGS_JOB_SLOTS_MOST]; /* from which the x of each slot was made */
    int random;      /* number of slots with a random x; the slot after them has the caller's x */
    int64_t product; /* number of products checked so far */
};

/* ---- the job ---- */

static void place_arrays(const struct cgs_matrix *matrix, struct cgs_job *job)
{
    const int64_t bytes[CGS_JOB_ARRAYS] = {
        [CGS_JOB_POINTERS] = (matrix->rows + 1) * (int64_t)sizeof(int64_t),
        [CGS_JOB_COLUMNS] = matrix->nonzeros * (int64_t)sizeof(int32_t),
        [CGS_JOB_VALUES] = matrix->nonzeros * (int64_t)sizeof(double),
        [CGS_JOB_X] = job->slots * matrix->columns * (int64_t)sizeof(double),
        [CGS_JOB_Y] = job->slots * matrix->rows * (int64_t)sizeof(double),
    };
    const int64_t page = 4096;
    int64_t offset = (int64_t)sizeof *job;
    for (int i = 0; i < CGS_JOB_ARRAYS; i++) {
        offset = (offset + page - 1) / page * page;
        job->offset[i] = offset;
        job->bytes[i] = bytes[i];
        offset += bytes[i];
    }
    job->length = offset;
}

/* Returns random bits that the kernel can't guess. */
static uint64_t new_seed(void)
{
    uint64_t seed = (uint64_t)getpid();
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = cgs_splitmix64(seed);
    return seed;
}

/* Chooses the functional that checks products. It is computed from the rows, so it has to happen
 * before forget_rows. */
static enum cgs_status choose_functional(struct isolated *isolated, struct cgs_job *job)
{
    const struct cgs_crs crs = cgs_job_rows(job);
    isolated->seed = new_seed();
    return cgs_functional_create(isolated->context, &crs, isolated->number, new_seed(),
                                 &isolated->functional);
}

/* Sends the rows as CRS in natural order; the worker lays them out as its kernel wants them. */
static enum cgs_status send_rows(struct cgs_context *context, const struct cgs_matrix *matrix,
                                 struct cgs_job *job)
{
    struct cgs_matrix crs;
    CGS_TRY(cgs_matrix_create(context, matrix->source, CGS_CRS, 1, 1, &crs));
    memcpy(cgs_job_array(job, CGS_JOB_POINTERS), crs.pointers,
           (size_t)job->bytes[CGS_JOB_POINTERS]);
    const enum cgs_status status =
        cgs_matrix_fill(context, &crs, 0, crs.units, CGS_F64, cgs_job_array(job, CGS_JOB_COLUMNS),
                        cgs_job_array(job, CGS_JOB_VALUES));
    cgs_matrix_release(context, &crs);
    return status;
}

/* Returns the memory of the rows to the system once the worker has read them. */
static void forget_rows(struct cgs_process *process)
{
    const struct cgs_job *job = process->job;
    const int64_t begin = job->offset[CGS_JOB_POINTERS];
    (void)fallocate(process->block, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin,
                    (off_t)(job->offset[CGS_JOB_X] - begin));
}

/* ---- the table ---- */

static void release(void *self)
{
    struct isolated *isolated = self;
    if (!isolated)
        return;
    struct cgs_context *context = isolated->context;
    struct cgs_context quiet = *context; /* all results have been received: ignore failures */
    cgs_process_end(&quiet, &isolated->process);
    cgs_functional_release(context, &isolated->functional);
    cgs_free(context, isolated);
}

/* Returns the bytes that a worker may allocate: a fixed amount for its libraries, and several
 * copies of the rows (in the worker's and in the kernel's layout) and of all vectors. */
static int64_t allowed_memory(int64_t entries, int64_t length)
{
    enum { COPIES = 8 };
    const int64_t entry = (int64_t)(sizeof(double) + sizeof(int32_t));
    return CGS_WORKER_MEMORY + COPIES * (entries * entry + length);
}

/* Adds the seconds and bytes that the worker reports to the program's own. The kernel can overwrite
 * these numbers, so they must be plausible for a preparation that took `passed` seconds. */
static enum cgs_status charge(struct isolated *isolated, double passed)
{
    const struct cgs_job *job = isolated->process.job;
    struct cgs_context *context = isolated->context;
    struct cgs_stopwatch *watch = &context->watch;
    const double convert = job->convert_seconds, transfer = job->transfer_seconds,
                 link = job->link_seconds;
    const int64_t bytes = job->link_bytes;
    if (!(convert >= 0.0 && transfer >= 0.0 && link >= 0.0 && convert + transfer <= passed &&
          link <= passed && bytes >= 0 &&
          bytes <= allowed_memory(isolated->process.entries, isolated->plan.length)))
        return cgs_fail(context, CGS_NOT_CONVERGED,
                        "kernel '%s' wrote over what is known of its preparation",
                        isolated->process.name);
    watch->seconds[CGS_PHASE_CONVERT] += convert;
    watch->seconds[CGS_PHASE_TRANSFER] += transfer;
    watch->since += convert + transfer;
    context->link_bytes += bytes;
    context->link_seconds += link;
    return CGS_OK;
}

static enum cgs_status start(struct cgs_queue *queue, const struct cgs_plugin_table *table,
                             const struct cgs_matrix *matrix, struct isolated *isolated)
{
    const struct cgs_plugin *plugin = table->plugin;
    const struct cgs_request prepare = {.order = CGS_ORDER_PREPARE};
    struct cgs_context *context = queue->context;
    const struct cgs_layout domain = {.size = matrix->columns}, range = {.size = matrix->rows};
    const struct cgs_space_ops *spaces =
        cgs_backend(plugin->isolated.device)->spaces[table->number];
    struct cgs_job plan = {0};
    struct cgs_reply reply;
    CGS_TRY(spaces->create(queue, &domain, &isolated->domain));
    CGS_TRY(spaces->create(queue, &range, &isolated->range));
    plan.threads = context->threads;
    plan.number = (int32_t)table->number;
    plan.chunk = matrix->chunk;
    plan.sigma = matrix->sigma;
    plan.rows = matrix->rows;
    plan.columns = matrix->columns;
    plan.nonzeros = matrix->nonzeros;
    plan.slots = cgs_plugin_slots(matrix);
    place_arrays(matrix, &plan);
    plan.memory =
        plugin->preload[0]
            ? 0
            : allowed_memory(matrix->stored, plan.length); /* the sanitizer reserves terabytes */
    cgs_plugin_address(plugin, &plan);
    CGS_TRY(cgs_process_create(context, plan.length, &isolated->process));
    struct cgs_job *job = isolated->process.job;
    *job = plan;
    isolated->plan = plan;
    CGS_TRY(send_rows(context, matrix, job));
    CGS_TRY(choose_functional(isolated, job));
    isolated->process.entries = matrix->stored;
    isolated->process.said = plugin->said;
    isolated->process.preload = plugin->preload;
    const double begin = cgs_now();
    CGS_TRY(cgs_process_start(context, plugin->compiled, &isolated->process));
    CGS_TRY(cgs_process_ask(context, &isolated->process, &prepare, &reply));
    forget_rows(&isolated->process);
    const struct cgs_traffic traffic = table->kernel.traffic(matrix);
    isolated->traffic = cgs_plugin_traffic(&traffic, job->layout_bytes);
    return charge(isolated, cgs_now() - begin);
}

enum cgs_status cgs_plugin_prepare_isolated(const struct cgs_kernel *kernel,
                                            struct cgs_queue *queue,
                                            const struct cgs_matrix *matrix, void **self)
{
    const struct cgs_plugin_table *table = (const struct cgs_plugin_table *)kernel;
    struct isolated *made;
    if (table->plugin->broken[0])
        return cgs_fail(queue->context, CGS_NOT_CONVERGED, "%s", table->plugin->broken);
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "user's kernel", (void **)&made));
    *made = (struct isolated){.context = queue->context,
                              .number = table->number,
                              .check = table->plugin->check,
                              .note = table->plugin->note};
    const enum cgs_status status = start(queue, table, matrix, made);
    if (status == CGS_OK)
        *self = made;
    else
        release(made);
    return status;
}

/* ---- products ---- */

/* Vectors of a slot, at the offsets of the plan: the kernel can overwrite those of the job. */
static double *x_of(const struct isolated *isolated, int slot)
{
    const struct cgs_job *plan = &isolated->plan;
    return (double *)((char *)isolated->process.job + plan->offset[CGS_JOB_X]) +
           slot * plan->columns;
}

static double *y_of(const struct isolated *isolated, int slot)
{
    const struct cgs_job *plan = &isolated->plan;
    return (double *)((char *)isolated->process.job + plan->offset[CGS_JOB_Y]) + slot * plan->rows;
}

/* Returns entry j of the random x with this seed. */
static double input(const struct isolated *isolated, uint64_t seed, int64_t j)
{
    return cgs_rounded(isolated->number, cgs_random(seed + (uint64_t)j));
}

/* Fills the x of a slot with new random numbers. */
static void make_input(struct isolated *isolated, int slot)
{
    const uint64_t seed = isolated->seeds[slot] = cgs_splitmix64(isolated->seed++);
    const int64_t columns = isolated->plan.columns;
    double *x = x_of(isolated, slot);
#pragma omp parallel for schedule(static) num_threads(isolated->context->threads)
    for (int64_t j = 0; j < columns; j++)
        x[j] = input(isolated, seed, j);
}

/* Checks that the x of a slot is what was sent: a kernel that can write to the job could choose an
 * x that fits a wrong y. */
static enum cgs_status check_input(const struct isolated *isolated, int slot)
{
    const uint64_t seed = isolated->seeds[slot];
    const int64_t columns = isolated->plan.columns;
    const double *x = x_of(isolated, slot);
    const int threads = isolated->context->threads;
    int64_t changed = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : changed)
    for (int64_t j = 0; j < columns; j++)
        changed += x[j] != input(isolated, seed, j);
    return changed == 0
               ? CGS_OK
               : cgs_fail(isolated->context, CGS_NOT_CONVERGED,
                          "it has changed %lld numbers of an input in the program's memory",
                          (long long)changed);
}

/* Returns the first row that is NaN, or -1. */
static int64_t first_nan(const double *y, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        if (isnan(y[i]))
            return i;
    return -1;
}

/* Checks the y of a slot by the function of cgs_plugin_check_by. */
static enum cgs_status check_function(struct isolated *isolated, int slot)
{
    char why[256];
    return isolated->check->right(isolated->check->user, x_of(isolated, slot), y_of(isolated, slot),
                                  why, sizeof why)
               ? CGS_OK
               : cgs_fail(isolated->context, CGS_NOT_CONVERGED,
                          "its call %lld with an x of its own: %s", (long long)isolated->product,
                          why);
}

/* Checks the y of a slot by the functional. */
static enum cgs_status check(struct isolated *isolated, int slot)
{
    const double *y = y_of(isolated, slot);
    struct cgs_functional_values values;
    char where[96];
    if (cgs_functional_agrees(&isolated->functional, isolated->context->threads,
                              x_of(isolated, slot), y, &values))
        return CGS_OK;
    const int64_t row = first_nan(y, isolated->plan.rows);
    if (row >= 0)
        snprintf(where, sizeof where, "row %lld of %lld (counted from 0) is nan, ", (long long)row,
                 (long long)isolated->plan.rows);
    else
        where[0] = '\0';
    return cgs_fail(
        isolated->context, CGS_NOT_CONVERGED,
        "%sits product %lld with an x of its own is wrong: w'y is %.17g, but w'A x is %.17g "
        "within %.2g, w random",
        where, (long long)isolated->product, values.is, values.should_be, values.bound);
}

/* Requests 1 + `times` products, one for each slot, and checks each of them if they are timed.
 * *seconds: time of all products except the first. */
static enum cgs_status ask(struct isolated *isolated, enum cgs_worker_order order, int times,
                           double *seconds)
{
    struct cgs_process *process = &isolated->process;
    const struct cgs_request request = {.order = (int32_t)order, .times = times};
    struct cgs_reply reply;
    if (isolated->domain.place ==
        CGS_HOST) /* idle OpenMP threads of this process would occupy the kernel's cores */
        omp_pause_resource_all(omp_pause_soft);
    const double begin = cgs_now();
    CGS_TRY(cgs_process_ask(isolated->context, process, &request, &reply));
    const double passed = cgs_now() - begin;
    if (times > 0 && !(reply.seconds > 0.0 && reply.seconds <= passed))
        return cgs_fail(
            isolated->context, CGS_NOT_CONVERGED,
            "kernel '%s' has tampered with the clock: %.3g s by its own, %.3g s by ours",
            process->name, reply.seconds, passed);
    *seconds = reply.seconds;
    if (isolated->note)
        *isolated->note = reply.note;
    for (int slot = 0; order == CGS_ORDER_TIME && slot <= times; slot++) {
        isolated->product++;
        if (slot < isolated->random)
            CGS_TRY(check_input(isolated, slot));
        CGS_TRY((isolated->check ? check_function : check)(isolated, slot));
    }
    return CGS_OK;
}

static enum cgs_status put_x(struct isolated *isolated, int slot, const void *x)
{
    return isolated->domain.ops->get(&isolated->domain, x, 0, isolated->plan.columns,
                                     x_of(isolated, slot));
}

static enum cgs_status get_y(struct isolated *isolated, int slot, void *y)
{
    return isolated->range.ops->put(&isolated->range, y_of(isolated, slot), 0, isolated->plan.rows,
                                    y);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    struct isolated *isolated = (struct isolated *)self; /* changes if its process ends */
    double unused;
    (void)queue, (void)state;
    CGS_TRY(put_x(isolated, 0, x));
    CGS_TRY(ask(isolated, CGS_ORDER_APPLY, 0, &unused));
    return get_y(isolated, 0, y);
}

/* Times products in batches of as many vectors as there are slots. The x are random, except the
 * last one, which is the caller's. */
static enum cgs_status time_products(const void *self, struct cgs_queue *queue, const void *x,
                                     void *y, int times, double *seconds)
{
    struct isolated *isolated = (struct isolated *)self; /* changes if its process ends */
    const int most = isolated->plan.slots - 1;
    (void)queue;
    double all = 0.0;
    for (int left = times; left > 0;) {
        const int now = left < most ? left : most;
        double some = 0.0;
        left -= now;
        isolated->random = now + (left > 0);
        for (int slot = 0; slot < isolated->random; slot++)
            make_input(isolated, slot);
        if (left == 0)
            CGS_TRY(put_x(isolated, now, x));
        CGS_TRY(ask(isolated, CGS_ORDER_TIME, now, &some));
        all += some;
        if (left == 0)
            CGS_TRY(get_y(isolated, now, y));
    }
    *seconds = all;
    return CGS_OK;
}

static struct cgs_traffic moved(const void *self)
{
    const struct isolated *isolated = self;
    return isolated->traffic;
}

const struct cgs_steps cgs_plugin_steps_isolated = {
    .apply = apply, .time = time_products, .moved = moved, .release = release};

void cgs_plugin_address(const struct cgs_plugin *plugin, struct cgs_job *job)
{
    snprintf(job->name, sizeof job->name, "%.255s", plugin->path);
    if (plugin->compiled >= 0)
        snprintf(job->path, sizeof job->path, "/proc/self/fd/%d", CGS_WORKER_LIBRARY);
    else
        snprintf(job->path, sizeof job->path, "%s", plugin->library);
    job->index = plugin->index;
    job->cuda = plugin->isolated.device == CGS_CUDA;
}

int cgs_plugin_slots(const struct cgs_matrix *matrix)
{
    enum { BYTES = 4 << 20 };
    const int64_t each = (matrix->rows + matrix->columns) * (int64_t)sizeof(double) + 1;
    const int64_t slots = BYTES / each;
    return slots < CGS_JOB_SLOTS_LEAST  ? CGS_JOB_SLOTS_LEAST
           : slots > CGS_JOB_SLOTS_MOST ? CGS_JOB_SLOTS_MOST
                                        : (int)slots;
}
