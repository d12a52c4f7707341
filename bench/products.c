/* Seconds of one product y = A x by every kernel of the registry, side by side.
 *
 *     products [--device=cuda|cpu] [--matrix=q1|arrow|power|even] [--N=64] [--n=1000000] [--mean=8]
 *              [--precision=double|single|f64v32] [--kernel=NAME,...] [--rounds=21] [--batch=20]
 *
 * q1: N^3 unknowns. The others have n rows (bench/shapes.h), `mean` entries in each of `even`.
 * Kernels take turns: in each round each does `batch` products in a row between two marks of the
 * device's clock; prints median, minimum and maximum of the rounds. GB/s count the bytes that the
 * kernel says it must move, padding included; `pad` is the share of padding in the matrix's bytes,
 * and `ratio` the time of the format's first vendor kernel over this one's. `off` is the largest
 * difference from the first kernel's y over the largest |y|.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "bench/shapes.h"
#include "fem/assembly.h"
#include "matrix/crs.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "solver/operator.h"

enum { MOST = 64, ROUNDS_MOST = 999 };

struct rival {
    const struct cgs_kernel_entry *entry;
    struct cgs_operator op;
    struct cgs_traffic traffic;
    double seconds[ROUNDS_MOST], off;
};

struct bench {
    struct cgs_context context;
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
    enum cgs_precision precision;
    const char *shape, *names;
    int64_t n, N;
    double mean;
    int rounds, batch, count;
    struct cgs_mesh mesh;
    struct cgs_crs crs;
    struct cgs_row_source source;
    struct rival *rivals;
    void *x, *y;
    double *first; /* y of the first kernel, then of each */
};

static void check(struct bench *b, enum cgs_status status)
{
    if (status == CGS_OK)
        return;
    fprintf(stderr, "products: %s\n", b->context.message);
    exit(cgs_status_exit(status));
}

/* ---- matrices ---- */

static void make_source(struct bench *b)
{
    if (strcmp(b->shape, "q1") != 0) {
        check(b, cgs_shape_make(&b->context, b->shape, b->n, b->mean, &b->crs));
        b->source = cgs_crs_source(&b->crs);
        return;
    }
    b->mesh = cgs_mesh_cube(b->N, CGS_GAUSS, 1.0);
    check(b, cgs_assembler_create(&b->context, &b->mesh, CGS_GATHER_SHARED, &b->source));
}

/* ---- kernels ---- */

/* Returns true if the name is in the comma-separated list. */
static bool among(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *next; names; names = next ? next + 1 : NULL) {
        next = strchr(names, ',');
        const size_t there = next ? (size_t)(next - names) : strlen(names);
        if (there == length && strncmp(names, name, length) == 0)
            return true;
    }
    return false;
}

static bool wanted(const struct bench *b, const struct cgs_kernel_entry *entry)
{
    if (entry->device != (b->backend == cgs_backend(CGS_CPU) ? CGS_CPU : CGS_CUDA) ||
        entry->format == CGS_NONE || entry->tables[b->precision]->layout)
        return false;
    return strcmp(b->names, "all") == 0 || among(b->names, entry->name);
}

/* Makes the operator, unless the kernel refuses the matrix. */
static void add_rival(struct bench *b, const struct cgs_kernel_entry *entry)
{
    struct rival *rival = &b->rivals[b->count];
    const struct cgs_kernel *kernel = entry->tables[b->precision];
    const int32_t chunk = b->backend->chunk[cgs_precision_value(b->precision)];
    struct cgs_matrix matrix;
    check(b, cgs_matrix_create(&b->context, &b->source, entry->format, chunk, 1, &matrix));
    if (kernel->accepts && kernel->accepts(&b->context, &matrix) != CGS_OK) {
        printf("%-14s refused: %s\n", entry->name, b->context.message);
        b->context.status = CGS_OK;
        b->context.message[0] = '\0';
    } else {
        rival->entry = entry;
        rival->traffic = kernel->traffic(&matrix);
        check(b,
              cgs_operator_create(b->queue, b->backend, kernel, b->precision, &matrix, &rival->op));
        b->count++;
    }
    cgs_matrix_release(&b->context, &matrix);
}

static void make_vectors(struct bench *b)
{
    const struct cgs_operator *op = &b->rivals[0].op;
    const int64_t most = op->domain.size > op->range.size ? op->domain.size : op->range.size;
    check(b, cgs_alloc(&b->context, 2 * most, sizeof *b->first, "vectors", (void **)&b->first));
    for (int64_t i = 0; i < op->domain.size; i++)
        b->first[i] = cgs_random((uint64_t)i + 77);
    check(b, op->domain.ops->alloc(&op->domain, "x", &b->x));
    check(b, op->range.ops->alloc(&op->range, "y", &b->y));
    check(b, op->domain.ops->put(&op->domain, b->first, 0, op->domain.size, b->x));
}

static void product(struct bench *b, struct rival *rival)
{
    check(b, cgs_operator_apply(&rival->op, b->queue, NULL, b->x, b->y));
}

/* Compares each kernel's y with the first one's; y holds the previous kernel's result before. */
static void compare(struct bench *b)
{
    const struct cgs_space *range = &b->rivals[0].op.range;
    double *mine = b->first + range->size;
    for (int k = 0; k < b->count; k++) {
        double largest = 0.0, difference = 0.0;
        product(b, &b->rivals[k]);
        check(b, range->ops->get(range, b->y, 0, range->size, k ? mine : b->first));
        for (int64_t i = 0; k && i < range->size; i++) {
            const double d = fabs(mine[i] - b->first[i]);
            difference = d <= difference ? difference : d; /* NaN stays */
            largest = fmax(largest, fabs(b->first[i]));
        }
        b->rivals[k].off = k ? difference / largest : 0.0;
        memset(mine, 0xff, (size_t)range->size * sizeof *mine);
        check(b, range->ops->put(range, mine, 0, range->size, b->y));
    }
}

static void measure(struct bench *b)
{
    for (int round = -1; round < b->rounds; round++)
        for (int k = 0; k < b->count; k++) {
            double seconds;
            product(b, &b->rivals[k]);
            check(b, b->backend->mark(b->queue, 0));
            for (int i = 0; i < b->batch; i++)
                product(b, &b->rivals[k]);
            check(b, b->backend->mark(b->queue, 1));
            check(b, b->backend->elapsed(b->queue, 0, 1, &seconds));
            if (round >= 0)
                b->rivals[k].seconds[round] = seconds / b->batch;
        }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(struct bench *b)
{
    for (int k = 0; k < b->count; k++)
        qsort(b->rivals[k].seconds, (size_t)b->rounds, sizeof(double), ascending);
    printf("%-14s %-4s %10s %10s %10s %8s %6s %6s %9s\n", "kernel", "form", "median us", "least",
           "most", "GB/s", "pad %", "ratio", "off");
    for (int k = 0; k < b->count; k++) {
        const struct rival *r = &b->rivals[k];
        const double s = r->seconds[b->rounds / 2];
        double vendor = NAN;
        for (int v = b->count - 1; v >= 0; v--)
            if (b->rivals[v].entry->format == r->entry->format &&
                b->rivals[v].entry->tables[b->precision]->reference)
                vendor = b->rivals[v].seconds[b->rounds / 2];
        printf("%-14s %-4s %10.2f %10.2f %10.2f %8.1f %6.1f %6.3f %9.1e\n", r->entry->name,
               cgs_format_name(r->entry->format), 1e6 * s, 1e6 * r->seconds[0],
               1e6 * r->seconds[b->rounds - 1],
               1e-9 * (double)(r->traffic.matrix + r->traffic.vectors) / s,
               100.0 * (double)r->traffic.padding / (double)r->traffic.matrix, vendor / s, r->off);
    }
}

static void run(struct bench *b)
{
    int all;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    make_source(b);
    check(b, cgs_alloc(&b->context, MOST, sizeof *b->rivals, "kernels", (void **)&b->rivals));
    for (int i = 0; i < all && b->count < MOST; i++)
        if (wanted(b, &entries[i]))
            add_rival(b, &entries[i]);
    if (b->count == 0) {
        fprintf(stderr, "products: no such kernel\n");
        exit(1);
    }
    make_vectors(b);
    compare(b);
    measure(b);
    printf("%s, %s, %lld rows, %lld entries\n", b->shape, cgs_precision_name(b->precision),
           (long long)b->source.rows, (long long)b->rivals[0].traffic.additions);
    print(b);
}

static void give_back(struct bench *b)
{
    const struct cgs_operator *op = &b->rivals[0].op;
    op->domain.ops->free(&op->domain, b->x);
    op->range.ops->free(&op->range, b->y);
    for (int k = 0; k < b->count; k++)
        cgs_operator_release(&b->rivals[k].op);
    cgs_free(&b->context, b->rivals);
    cgs_free(&b->context, b->first);
    if (b->crs.pointers)
        cgs_crs_release(&b->context, &b->crs);
    else
        cgs_assembler_release(&b->context, &b->source);
    b->backend->close(b->queue);
}

/* ---- arguments ---- */

static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

static bool take(struct bench *b, enum cgs_device *device, const char *argument)
{
    const char *v;
    if ((v = value_of(argument, "--device")))
        *device = strcmp(v, "cpu") == 0 ? CGS_CPU : CGS_CUDA;
    else if ((v = value_of(argument, "--matrix")))
        b->shape = v;
    else if ((v = value_of(argument, "--kernel")))
        b->names = v;
    else if ((v = value_of(argument, "--N")))
        b->N = atoll(v);
    else if ((v = value_of(argument, "--n")))
        b->n = atoll(v);
    else if ((v = value_of(argument, "--mean")))
        b->mean = atof(v);
    else if ((v = value_of(argument, "--rounds")) && atoi(v) > 0 && atoi(v) <= ROUNDS_MOST)
        b->rounds = atoi(v);
    else if ((v = value_of(argument, "--batch")) && atoi(v) > 0)
        b->batch = atoi(v);
    else if ((v = value_of(argument, "--precision")))
        b->precision = strcmp(v, "single") == 0   ? CGS_PRECISION_F32
                       : strcmp(v, "f64v32") == 0 ? CGS_PRECISION_F64V32
                                                  : CGS_PRECISION_F64;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct bench b = {.shape = "q1",
                      .names = "all",
                      .N = 64,
                      .n = 1000000,
                      .mean = 8.0,
                      .rounds = 21,
                      .batch = 20};
    enum cgs_device device = cgs_backend(CGS_CUDA) ? CGS_CUDA : CGS_CPU;
    for (int i = 1; i < argc; i++)
        if (!take(&b, &device, argv[i])) {
            fprintf(stderr, "products: unknown argument '%s'\n", argv[i]);
            return 1;
        }
    cgs_context_init(&b.context);
    b.backend = cgs_backend(device);
    if (!b.backend) {
        fprintf(stderr, "products: %s\n", cgs_backend_reason(device));
        return 6;
    }
    check(&b, b.backend->open(&b.context, 0, &b.queue));
    run(&b);
    give_back(&b);
    return 0;
}
