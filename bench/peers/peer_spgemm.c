/* Products of sparse matrices, C = A A in single precision: ours, SMMP (tests/support/smmp.h),
 * GraphBLAS and Eigen, all in one run.
 *
 *     peer_spgemm [--N=64 | --random=n,density] [--threads=1,2] [--rounds=7] [--rivals=NAME,...]
 *                 [--ways=sorted] [--warm=0]
 *
 * Rivals take turns, sorted and unsorted (--ways=sorted: only that): in each round each computes
 * the product once, allocation included. --warm=0: no warm-up round, for products of minutes.
 * Prints median and minimum of the rounds, and the minimum of all threads' CPU seconds, which other
 * load disturbs less; `ratio` is that minimum over the one of our first kernel on one thread. All
 * must agree in the entries, and in their sum to rounding. Exit status: 0, 1 usage, 2 they do not
 * agree, 5 no memory.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/spgemm.h"
#include "fem/assembly.h"
#include "kernels/spgemm.h"
#include "matrix/random.h"

#define SMMP_NUMBER float
#include "kernels/spgemm/spgemm.h"
#include "kernels/spgemm/spgemm_table.h"
#include "matrix/layout.h"
#include "tests/support/smmp.h"

enum { MOST_RIVALS = 16, MOST_ROUNDS = 99, WAYS = 2 };

struct bench {
    struct cgs_context context;
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
    struct cgs_crs crs;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_sparse a;
    int64_t N, n;
    double density;
    int threads[2], teams, rounds, warm;
    const char *only; /* names of rivals; NULL: all */
    int first_way;    /* 0: unsorted, too */
};

/* An implementation of the product: a library's, or a kernel of ours. */
struct rival {
    const char *name;
    const struct peer_multiplier *peer;
    const struct cgs_spgemm_kernel *kernel;
    void *self;
    int threads;
    bool fails, shares; /* self is another's */
    double wall[WAYS][MOST_ROUNDS], work[WAYS][MOST_ROUNDS];
    struct peer_product product;
};

static void must(struct bench *b, enum cgs_status status)
{
    if (status == CGS_OK)
        return;
    fprintf(stderr, "peer_spgemm: %s\n", b->context.message);
    exit(cgs_status_exit(status));
}

/* ---- SMMP ---- */

static void *smmp_begin(const struct peer_matrix *m)
{
    struct smmp *a = malloc(sizeof *a);
    if (a)
        *a =
            (struct smmp){m->n, m->n, (int64_t *)m->start, (int32_t *)m->column, (float *)m->value};
    return a;
}

static bool smmp_square(void *self, int threads, bool sorted, struct peer_product *product)
{
    const struct smmp *a = self;
    struct smmp c;
    (void)threads;
    const struct peer_seconds from = peer_now();
    if (!smmp_multiply(a, a, &c))
        return false;
    const bool fine = !sorted || smmp_sort(&c);
    *product = (struct peer_product){.seconds = peer_since(from), .entries = c.start[c.rows]};
    for (int64_t e = 0; e < product->entries; e++)
        product->sum += (double)c.value[e];
    smmp_free(&c);
    return fine;
}

static const struct peer_multiplier smmp = {
    .name = "SMMP", .begin = smmp_begin, .multiply = smmp_square, .end = free};

/* ---- rivals ---- */

static bool wanted(const struct bench *b, const char *name)
{
    return !b->only || strstr(b->only, name);
}

static int gather_rivals(const struct bench *b, struct rival *rivals)
{
    const struct peer_matrix m = {b->a.rows, b->a.pointers, b->a.column, b->a.value};
    const struct peer_multiplier *peers[] = {
        &smmp,
#ifdef HAVE_GRAPHBLAS
        &peer_graphblas,
#endif
#ifdef HAVE_EIGEN
        &peer_eigen,
#endif
    };
    void *own[sizeof peers / sizeof *peers]; /* one a library, for all teams */
    int kernels, count = 0;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&kernels);
    for (int t = 0; t < b->teams; t++) {
        for (int k = 0; k < kernels; k++)
            if (entries[k].device == CGS_CPU && wanted(b, entries[k].name) && count < MOST_RIVALS)
                rivals[count++] = (struct rival){.name = entries[k].name,
                                                 .kernel = entries[k].tables[CGS_F32],
                                                 .threads = b->threads[t]};
        for (size_t p = 0; p < sizeof peers / sizeof *peers && count < MOST_RIVALS; p++) {
            if ((t > 0 && !peers[p]->threaded) || !wanted(b, peers[p]->name))
                continue;
            struct rival *r = &rivals[count++];
            *r = (struct rival){.name = peers[p]->name,
                                .peer = peers[p],
                                .self = t > 0 ? own[p] : peers[p]->begin(&m),
                                .threads = peers[p]->threaded ? b->threads[t] : 1,
                                .shares = t > 0};
            own[p] = r->self;
            r->fails = !r->self;
        }
    }
    return count;
}

static bool multiply_ours(struct bench *b, struct rival *r, bool sorted)
{
    struct cgs_sparse c;
    b->context.threads = r->threads;
    const struct peer_seconds from = peer_now();
    const enum cgs_status status =
        cgs_spgemm(b->queue, b->backend, r->kernel, CGS_F32, &b->a, &b->a, sorted, &c, NULL);
    r->product = (struct peer_product){.seconds = peer_since(from)};
    if (status != CGS_OK)
        return false;
    r->product.entries = c.nonzeros;
    for (int64_t e = 0; e < c.nonzeros; e++)
        r->product.sum += (double)((const float *)c.value)[e];
    b->backend->sparse[CGS_F32]->release(b->queue, &c);
    return true;
}

static void run(struct bench *b, struct rival *r, int way, int round)
{
    if (r->fails)
        return;
    const bool sorted = way == 1;
    const bool fine = r->kernel ? multiply_ours(b, r, sorted)
                                : r->peer->multiply(r->self, r->threads, sorted, &r->product);
    r->fails = !fine;
    r->wall[way][round] = r->product.seconds.wall;
    r->work[way][round] = r->product.seconds.work;
}

/* ---- the table ---- */

static int ascending(const void *one, const void *other)
{
    const double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static bool agree(const struct rival *one, const struct rival *other, double scale)
{
    return one->product.entries == other->product.entries &&
           fabs(one->product.sum - other->product.sum) <= 1e-5 * scale;
}

static int print(const struct bench *b, struct rival *rivals, int count)
{
    const int half = b->rounds / 2;
    /* Sums of floats of either sign: their error grows with the entries. */
    const double scale = (double)rivals[0].product.entries + fabs(rivals[0].product.sum);
    int status = 0;
    printf("%-14s %7s %10s %9s %9s %6s %10s %9s %9s %6s %7s\n", "", "threads", "unsorted:", "least",
           "work", "ratio", "sorted:", "least", "work", "ratio", "agrees");
    for (int i = 0; i < count; i++) {
        struct rival *r = &rivals[i];
        if (r->fails) {
            printf("%-14s %7d %10s\n", r->name, r->threads, "failed");
            continue;
        }
        printf("%-14s %7d", r->name, r->threads);
        for (int way = 0; way < WAYS; way++) {
            if (way < b->first_way) {
                printf(" %10s %9s %9s %6s", "-", "-", "-", "-");
                continue;
            }
            qsort(r->wall[way], (size_t)b->rounds, sizeof(double), ascending);
            qsort(r->work[way], (size_t)b->rounds, sizeof(double), ascending);
            printf(" %10.3f %9.3f %9.3f %6.2f", 1e3 * r->wall[way][half], 1e3 * r->wall[way][0],
                   1e3 * r->work[way][0], r->work[way][0] / rivals[0].work[way][0]);
        }
        const bool same = agree(r, &rivals[0], scale);
        printf(" %7s\n", same ? "yes" : "NO");
        status = same ? status : 2;
    }
    return status;
}

static void make_matrix(struct bench *b)
{
    if (b->n > 0) {
        must(b, cgs_random_create(&b->context, b->n, b->density, false, &b->crs));
        b->source = cgs_crs_source(&b->crs);
    } else {
        const struct cgs_mesh mesh = cgs_mesh_cube(b->N, CGS_GAUSS, 1.0);
        must(b, cgs_assembler_create(&b->context, &mesh, CGS_GATHER_SHARED, &b->source));
    }
    must(b, cgs_matrix_create(&b->context, &b->source, CGS_CRS, 1, 1, &b->matrix));
    must(b, b->backend->sparse[CGS_F32]->generate(b->queue, &b->matrix, &b->a));
}

static int usage(void)
{
    fprintf(stderr, "usage: peer_spgemm [--N=64 | --random=n,density] [--threads=1,2] "
                    "[--rounds=7] [--rivals=NAME,...] [--ways=sorted] [--warm=0]\n");
    return 1;
}

static bool parse_threads(struct bench *b, const char *given)
{
    const int teams = sscanf(given, "--threads=%d,%d", &b->threads[0], &b->threads[1]);
    if (teams >= 1)
        b->teams = teams;
    return teams >= 1 && b->threads[0] > 0 && b->threads[1] > 0;
}

static bool parse(struct bench *b, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *given = argv[i];
        const bool known = sscanf(given, "--N=%" SCNd64, &b->N) == 1 ||
                           sscanf(given, "--random=%" SCNd64 ",%lf", &b->n, &b->density) == 2 ||
                           parse_threads(b, given) ||
                           sscanf(given, "--rounds=%d", &b->rounds) == 1 ||
                           sscanf(given, "--warm=%d", &b->warm) == 1 ||
                           (strcmp(given, "--ways=sorted") == 0 && (b->first_way = 1)) ||
                           (strncmp(given, "--rivals=", 9) == 0 && (b->only = given + 9));
        if (!known)
            return false;
    }
    return b->N > 0 && b->rounds > 0 && b->rounds <= MOST_ROUNDS;
}

/* The products a_ik b_kj. */
static int64_t products_of(const struct cgs_sparse *a)
{
    int64_t products = 0;
    for (int64_t e = 0; e < a->nonzeros; e++)
        products += a->pointers[a->column[e] + 1] - a->pointers[a->column[e]];
    return products;
}

static void take_turns(struct bench *b, struct rival *rivals, int count)
{
    for (int round = b->warm ? -1 : 0; round < b->rounds; round++)
        for (int i = 0; i < count; i++)
            for (int turn = b->first_way; turn < WAYS; turn++) {
                /* The first one gets memory that another has freed. */
                const int way = b->first_way ? turn : (turn + round + 1) % WAYS;
                run(b, &rivals[i], way, round < 0 ? 0 : round);
            }
}

int main(int argc, char **argv)
{
    struct bench b = {.N = 64, .threads = {1, 2}, .teams = 2, .rounds = 7, .warm = 1};
    struct rival *rivals = calloc(MOST_RIVALS, sizeof *rivals);
    if (!rivals || !parse(&b, argc, argv))
        return usage();
    cgs_context_init(&b.context);
    b.backend = cgs_backend(CGS_CPU);
    must(&b, b.backend->open(&b.context, 0, &b.queue));
    make_matrix(&b);
    const int count = gather_rivals(&b, rivals);
    take_turns(&b, rivals, count);
    printf("%lld rows, %lld entries, %lld products; C: %lld entries\n", (long long)b.a.rows,
           (long long)b.a.nonzeros, (long long)products_of(&b.a),
           (long long)rivals[0].product.entries);
    const int status = print(&b, rivals, count);
    for (int i = 0; i < count; i++)
        if (rivals[i].peer && rivals[i].self && !rivals[i].shares)
            rivals[i].peer->end(rivals[i].self);
    free(rivals);
    return status;
}
