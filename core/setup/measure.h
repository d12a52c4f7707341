/* Measurements of a run: attainable bandwidth, seconds of one product, memory really taken.
 *
 * Tests, which start the program hundreds of times and believe no figure of time, let it measure
 * for a part of the time (base/testing.h). */
#pragma once

#include "kernels/backend.h"
#include "solver/cg/cg.h"

/* Read, copy and triad on arrays of together about `working_set` bytes, so that they meet the
 * same caches as the run; within limits that keep it under a third of a second and of `room`. */
enum cgs_status cgs_measure_bandwidth(const struct cgs_backend *backend, struct cgs_queue *queue,
                                      int64_t working_set, int64_t room,
                                      struct cgs_bandwidth *bandwidth);

/* The same on arrays of about `bytes` bytes, however few: what a level of cache gives. */
enum cgs_status cgs_measure_level(const struct cgs_backend *backend, struct cgs_queue *queue,
                                  int64_t bytes, struct cgs_bandwidth *bandwidth);

/* Operations in registers, in 1e9 a second (struct cgs_backend). */
enum cgs_status cgs_measure_arithmetic(const struct cgs_backend *backend, struct cgs_queue *queue,
                                       enum cgs_number number, double *gflops);

/* The median; sorts the values. */
double cgs_median(double *values, int64_t count);

struct cgs_product_time {
    double seconds;     /* of one product: median over the batches */
    double least, most; /* over the batches */
    int products;       /* timed, all batches together */
    double read_gbs;    /* a plain read of the matrix entries, in turn with the batches: median; 0:
                           not measured */
};

/* Times y = A x by the device's clock: warm-up, then batches, about 0.15 s in all and at least 5
 * products; in turn with them a plain read of the same memory where that is worth knowing. */
enum cgs_status cgs_measure_product(const struct cgs_backend *backend, struct cgs_queue *queue,
                                    const struct cgs_operator *op, const void *x, void *y,
                                    struct cgs_product_time *time);

/* The one of read, copy and triad whose share of writes is nearest to `written` of `total` bytes;
 * *kind is its name. */
double cgs_attainable(const struct cgs_bandwidth *bandwidth, int64_t written, int64_t total,
                      const char **kind);

/* The limit that is nearer to a product: memory, whose bytes take so long at the attainable
 * bandwidth, or arithmetic, whose operations do in registers, whichever takes longer. */
struct cgs_nearer {
    const char *name; /* NULL: not measured */
    double share;     /* of the product's time that this takes */
};

/* Returns it from rates attained and attainable, in 1e9 a second; 0: not measured. */
struct cgs_nearer cgs_nearer_limit(double gbs, double attainable_gbs, double gflops,
                                   double attainable_gflops);

/* Returns `along`, the rate of a plain read in turn with products, unless that is 0 (not
 * measured) or less than half of `before`, what this run saw: others had the memory or the
 * processors meanwhile, and a product is held against `before`. */
double cgs_trusted_read(double before, double along);

/* Bytes that a step moves for one unknown, e.g. a whole iteration (cgs_cg_iteration). */
double cgs_bytes_per_unknown(const struct cgs_kernel *kernel, const struct cgs_matrix *matrix,
                             const struct cgs_operator *op, const struct cgs_cg_step *step);

/* Resident bytes that a run takes: `held` by it at the start (queues), and what comes on top;
 * `peak` is the most of it since. */
struct cgs_footprint {
    int64_t start; /* resident bytes at the start, without what was held */
    bool exact;    /* the system forgot the peak before it */
};
void cgs_footprint_start(struct cgs_footprint *footprint, int64_t held);
int64_t cgs_footprint_peak(const struct cgs_footprint *footprint);
