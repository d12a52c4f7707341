#include "core/setup/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/available.h"
#include "base/memory.h"
#include "base/testing.h"
#include "solver/cg/cg_traffic.h"

enum { BATCHES = 21, PRODUCTS_LEAST = 5, WARM_UP = 2 };

/* A device keeps its speed, and has a clock of its own. */
static const double PRODUCT_SECONDS[CGS_PLACES] = {0.15, 0.05};
static const double BANDWIDTH_SECONDS[CGS_PLACES] = {0.08, 0.1};
/* Small arrays would measure launches and the cache, and a device's gigabyte takes no time. */
static const int64_t BANDWIDTH_LEAST[CGS_PLACES] = {24000000, 1000000000};
static const int64_t BANDWIDTH_MOST[CGS_PLACES] = {256000000, 2000000000};

/* Returns the part of those seconds to take: 1, unless a test wants less. */
static double measured_part(void)
{
    const double part = cgs_testing("part", 1.0);
    return part > 0.0 && part < 1.0 ? part : 1.0;
}

enum cgs_status cgs_measure_bandwidth(const struct cgs_backend *backend, struct cgs_queue *queue,
                                      int64_t working_set, int64_t room,
                                      struct cgs_bandwidth *bandwidth)
{
    const int64_t least = (int64_t)cgs_testing("bytes", (double)BANDWIDTH_LEAST[backend->place]);
    int64_t bytes = working_set < least ? least : working_set;
    if (bytes > BANDWIDTH_MOST[backend->place])
        bytes = BANDWIDTH_MOST[backend->place];
    if (bytes > room / 3)
        bytes = room / 3;
    return backend->bandwidth(queue, bytes, measured_part() * BANDWIDTH_SECONDS[backend->place],
                              bandwidth);
}

enum cgs_status cgs_measure_level(const struct cgs_backend *backend, struct cgs_queue *queue,
                                  int64_t bytes, struct cgs_bandwidth *bandwidth)
{
    static const double TOUCHED = 1e9; /* bytes of new pages a second, or less is measured on */
    const double seconds = BANDWIDTH_SECONDS[backend->place] + (double)bytes / TOUCHED;
    return backend->bandwidth(queue, bytes, measured_part() * seconds, bandwidth);
}

enum cgs_status cgs_measure_arithmetic(const struct cgs_backend *backend, struct cgs_queue *queue,
                                       enum cgs_number number, double *gflops)
{
    static const double SECONDS = 0.02;
    return backend->arithmetic(queue, number, measured_part() * SECONDS, gflops);
}

static enum cgs_status apply_times(struct cgs_queue *queue, const struct cgs_operator *op,
                                   const void *x, void *y, int times)
{
    for (int i = 0; i < times; i++)
        CGS_TRY(cgs_operator_apply(op, queue, NULL, x, y));
    return CGS_OK;
}

static enum cgs_status time_batch(const struct cgs_backend *backend, struct cgs_queue *queue,
                                  const struct cgs_operator *op, const void *x, void *y, int times,
                                  double *seconds)
{
    CGS_TRY(backend->mark(queue, 0));
    CGS_TRY(apply_times(queue, op, x, y, times));
    CGS_TRY(backend->mark(queue, 1));
    return backend->elapsed(queue, 0, 1, seconds);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double cgs_median(double *values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

enum cgs_status cgs_measure_product(const struct cgs_backend *backend, struct cgs_queue *queue,
                                    const struct cgs_operator *op, const void *x, void *y,
                                    struct cgs_product_time *time)
{
    double seconds[BATCHES], reads[BATCHES], one;
    int64_t bytes = 0;
    const void *entries =
        op->steps->entries && backend->read ? op->steps->entries(op->self, &bytes) : NULL;
    CGS_TRY(apply_times(queue, op, x, y, WARM_UP));
    CGS_TRY(time_batch(backend, queue, op, x, y, 1, &one));

    /* Runs as many products as the time allows, in BATCHES batches; fewer batches if products are
     * slow, or turn out to be slower than the first one. */
    const double patience = measured_part() * PRODUCT_SECONDS[backend->place];
    const double wanted = patience / fmax(one, 1e-7);
    const int products = (int)fmin(fmax(wanted, PRODUCTS_LEAST), 1e5);
    const int in_batch = products < BATCHES ? 1 : products / BATCHES;
    const double begin = cgs_now();
    int batches = 0;
    while (batches < BATCHES && batches * in_batch < products &&
           (batches * in_batch < PRODUCTS_LEAST || cgs_now() - begin < 2.0 * patience)) {
        CGS_TRY(time_batch(backend, queue, op, x, y, in_batch, &seconds[batches]));
        seconds[batches] /= in_batch;
        if (entries)
            CGS_TRY(backend->read(queue, entries, bytes, &reads[batches]));
        batches++;
    }
    *time = (struct cgs_product_time){
        .seconds = cgs_median(seconds, batches),
        .least = seconds[0], /* in ascending order now */
        .most = seconds[batches - 1],
        .products = batches * in_batch,
        .read_gbs = entries ? 1e-9 * (double)bytes / cgs_median(reads, batches) : 0.0,
    };
    return CGS_OK;
}

double cgs_attainable(const struct cgs_bandwidth *bandwidth, int64_t written, int64_t total,
                      const char **kind)
{
    const struct {
        const char *name;
        double gbs, share; /* of writes */
    } kinds[] = {{"read", bandwidth->read_gbs, 0.0},
                 {"triad", bandwidth->triad_gbs, 1.0 / 3.0},
                 {"copy", bandwidth->copy_gbs, 0.5}};
    const double share = total > 0 ? (double)written / (double)total : 0.0;
    int nearest = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(kinds[i].share - share) < fabs(kinds[nearest].share - share))
            nearest = i;
    *kind = kinds[nearest].name;
    return kinds[nearest].gbs;
}

struct cgs_nearer cgs_nearer_limit(double gbs, double attainable_gbs, double gflops,
                                   double attainable_gflops)
{
    if (!(gflops > 0.0) || !(attainable_gbs > 0.0))
        return (struct cgs_nearer){NULL, 0.0};
    const double memory = gbs / attainable_gbs, arithmetic = gflops / attainable_gflops;
    return arithmetic > memory ? (struct cgs_nearer){"arithmetic", arithmetic}
                               : (struct cgs_nearer){"memory", memory};
}

double cgs_trusted_read(double before, double along)
{
    return along > 0.5 * before ? along : before;
}

double cgs_bytes_per_unknown(const struct cgs_kernel *kernel, const struct cgs_matrix *matrix,
                             const struct cgs_operator *op, const struct cgs_cg_step *step)
{
    const struct cgs_traffic product = cgs_operator_traffic(op, kernel, matrix);
    return cgs_cg_bytes(step, op, &product) / (double)op->domain.size;
}

/* Linux forgets the peak (VmHWM) when 5 is written there; what measuring bandwidths took is given
 * back first. */
void cgs_footprint_start(struct cgs_footprint *footprint, int64_t held)
{
    cgs_memory_trim();
    FILE *file = fopen("/proc/self/clear_refs", "we");
    footprint->exact = file && fputs("5", file) >= 0;
    if (file && fclose(file) != 0)
        footprint->exact = false;
    footprint->start = cgs_memory_resident() - held;
}

int64_t cgs_footprint_peak(const struct cgs_footprint *footprint)
{
    const int64_t most = footprint->exact ? cgs_memory_resident_peak() : cgs_memory_resident();
    return most > footprint->start ? most - footprint->start : 0;
}
