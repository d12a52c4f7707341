/* Fast diagonalisation on CUDA (kernels/fdm.h): passes x, y, z, y, x, each of which reads and
 * writes a vector once, 80 bytes an unknown in double.
 *
 * Along x and y sines and cosines whose period has no prime factor above 13 are transformed by
 * lines_kernel, some by instances of it that are compiled for their period; all others, and those
 * of order p > 1 that are short, by product_kernel. Lines along z are solved by line_kernel, or
 * order_line_kernel of their order. What each reaches:
 * bench/results/2026-11-27-fdm-transforms.md, 2026-11-28-fdm-tridiagonal.md. On several ranks the
 * vector is turned before and after z (kernels/fdm/turn_cuda.cuh).
 */
#include <bit>
#include <span>

#include "base/memory.h"
#include "kernels/backend.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/fdm.h"
#include "kernels/fdm/lines.cuh"
#include "kernels/fdm/order_lines.cuh"
#include "kernels/fdm/products.cuh"
#include "kernels/fdm/tridiagonal.cuh"
#include "kernels/fdm/turn_cuda.cuh"

namespace
{

using lines_function = void (*)(struct lines, struct shape, struct cgs_cg_state *);
using product_function = void (*)(struct lines, struct product, struct cgs_cg_state *);
using solve_function = void (*)(struct columns, struct cgs_cg_state *);
using order_function = void (*)(struct columns, struct order_line, struct cgs_cg_state *);

enum { X_FORWARD, Y_FORWARD, Y_BACK, X_BACK, PASSES }; /* those along z lie between */
const int direction_of[PASSES] = {0, 1, 1, 0};

/* An instance of a kernel: lines of a tile, threads of a block. */
struct instance {
    lines_function kernel;
    int width, threads;
};

/* Instances of a compiled size 2C = R A B, for each pass; the first that fits is taken. */
struct compiled {
    bool sines; /* alone; else any kind */
    int R, A, B;
    struct instance of[PASSES];
};

#define X(PASS, MODE, SINES, W, R, A, B, THREADS, FIT)                                             \
    {                                                                                              \
        lines_kernel<PASS, MODE, SINES, W, R, A, B, THREADS, FIT>, W, THREADS                      \
    }
#define Y(PASS, SINES, W, R, A, B, THREADS, FIT)                                                   \
    {                                                                                              \
        lines_kernel<PASS, ADJACENT, SINES, W, R, A, B, THREADS, FIT>, W, THREADS                  \
    }
/* Width of a tile, threads, blocks of a multiprocessor: of passes along x, of those along y, whose
 * last one has LAST threads. Those of sines in double were chosen by time
 * (bench/results/2026-11-28-fdm-passes.md). */
#define SIZE(SINES, R, A, B, X_W, X_THREADS, X_FIT, Y_W, Y_THREADS, Y_FIT, LAST)                   \
    {                                                                                              \
        SINES, R, A, B,                                                                            \
        {                                                                                          \
            X(FORWARD, SINES ? ALONG : PLAIN, SINES, X_W, R, A, B, X_THREADS, X_FIT),              \
                Y(FORWARD, SINES, Y_W, R, A, B, Y_THREADS, Y_FIT),                                 \
                Y(BACK, SINES, Y_W, R, A, B, LAST, Y_FIT),                                         \
                X(BACK, SINES ? PLAIN : ALONG, SINES, X_W, R, A, B, X_THREADS, X_FIT)              \
        }                                                                                          \
    }

const struct compiled sizes[] = {
    SIZE(true, 8, 8, 4, 2, 40, 16, 8, 160, 4, 160),
    SIZE(false, 8, 8, 4, 2, 40, 16, 8, 160, 4, 160),
#ifdef __CUDACC__ /* one will do in the emulator of the tests */
    SIZE(true, 8, 8, 8, 2, 80, 8, 4, 160, 4, 160),
    SIZE(false, 8, 8, 8, 2, 80, 8, 8, 320, 2, 320),
    SIZE(true, 8, 8, 16, 2, 160, 4, 4, 160, 4, 160),
    SIZE(false, 8, 16, 8, 2, 80, 5, 4, 160, 3, 160),
    SIZE(true, 8, 16, 16, 1, 80, 6, 4, 192, 2, 320),
    SIZE(false, 8, 16, 16, 2, 160, 3, 4, 160, 2, 320),
    SIZE(true, 16, 16, 16, 1, 128, 4, 4, 384, 1, 384),
#endif
};

#undef X
#undef Y
#undef SIZE

const struct instance any_size[] = {
    {lines_kernel<FORWARD, PLAIN, false, 4, 0, 0, 0, 256, 2>, 4, 256},
    {lines_kernel<BACK, PLAIN, false, 4, 0, 0, 0, 256, 2>, 4, 256}};
const struct instance any_order[] = {
    {lines_kernel<FORWARD, PLAIN, false, 4, 0, 0, 0, 256, 2, true>, 4, 256},
    {lines_kernel<BACK, PLAIN, false, 4, 0, 0, 0, 256, 2, true>, 4, 256}};

/* Lines of order > 1 with at most SHORT unknowns are multiplied by their modes on the tensor cores,
 * 2 n operations a number; longer ones have fast transforms. An estimate, not measured. */
enum { SHORT = 384 };

enum pass kind_of(int pass)
{
    return pass < Y_BACK ? FORWARD : BACK;
}

/* Instances of product_kernel for lines that take up to `rows` rows. */
struct wide {
    int rows, tall;             /* rows of a warp */
    product_function kernel[2]; /* by enum pass */
    int width, threads;
};

#define PRODUCTS(WARPS, TALL, WIDTH)                                                               \
    {                                                                                              \
        8 * WARPS *TALL, 8 * TALL,                                                                 \
            {product_kernel<FORWARD, WARPS, TALL, WIDTH>,                                          \
             product_kernel<BACK, WARPS, TALL, WIDTH>},                                            \
            8 * WIDTH, WARPS *CGS_WARP                                                             \
    }

const struct wide products[] = {PRODUCTS(8, 4, 4), PRODUCTS(16, 4, 4), PRODUCTS(16, 8, 2),
                                PRODUCTS(16, 16, 1)};

#undef PRODUCTS

enum { WIDES = sizeof products / sizeof *products };

/* Instances of line_kernel and order_line_kernel; the first that fits is taken. */
struct solver {
    int order;
    bool alike;
    int most, threads; /* unknowns, or slots of cells, of a segment; of a block */
    int least;         /* columns of a tile: rows of 128 or 64 bytes while segments suffice */
    solve_function kernel;
    order_function by_order; /* order > 1 */
};

#define SOLVER(ALIKE, MOST, THREADS, FIT, LEAST)                                                   \
    {                                                                                              \
        1, ALIKE, MOST, THREADS, LEAST, line_kernel<ALIKE, MOST, THREADS, FIT>, nullptr            \
    }
#define OF_ORDER(P, MOST)                                                                          \
    {                                                                                              \
        P, false, MOST, 512, 1, nullptr, order_line_kernel<P, MOST, 512>                           \
    }

const struct solver solvers[] = {SOLVER(true, 16, 512, 2, 16),
                                 SOLVER(true, 32, 512, 1, 1),
                                 SOLVER(false, 16, 512, 2, 8),
                                 SOLVER(false, 32, 512, 1, 1),
                                 SOLVER(false, 16, 256, 4, 1),
                                 OF_ORDER(2, 8),
                                 OF_ORDER(3, 5),
                                 OF_ORDER(4, 4),
                                 OF_ORDER(5, 3),
                                 OF_ORDER(6, 2),
                                 OF_ORDER(7, 2),
                                 OF_ORDER(8, 2)};

#undef OF_ORDER
#undef SOLVER

struct direction {
    bool fast;                       /* by lines_kernel */
    const struct compiled *compiled; /* NULL: by any_size */
    struct shape shape;
    const struct wide *wide; /* NULL: fast */
    struct product product;
    two *memory, *modes;
};

/* Launch of a pass. */
struct launch {
    lines_function by_lines; /* or NULL */
    product_function by_product;
    struct cgs_launch_shape blocks;
    struct lines of; /* all but the vectors */
};

/* The solution along z. */
struct solve {
    solve_function kernel;
    order_function by_order; /* instead of kernel, or NULL */
    struct cgs_launch_shape blocks;
    struct columns of; /* all but the vector */
    struct order_line order;
    line_entry *entries;
    order_cell *cells;
    bool constant; /* nothing holds u */
};

struct fdm {
    struct cgs_queue *queue;
    struct cgs_turn_shape shape;
    struct cgs_turn_cuda *turn;
    struct direction direction[2];
    struct launch launch[PASSES];
    struct solve solve;
};

/* ---- lengths ---- */

/* Splits m into the shape's radices A, mid[]; false if it takes too many or a larger prime. */
bool split(int m, struct shape *f)
{
    static const int radices[] = {8, 7, 5, 4, 3, 2, 11, 13};
    f->M = m;
    f->A = 1;
    f->mids = 0;
    for (int r : radices)
        for (; m % r == 0 && m > 1; m /= r) {
            if (f->A == 1)
                f->A = r;
            else if (f->mids < MIDS)
                f->mid[f->mids++] = r;
            else
                return false;
        }
    f->L = f->M / f->A;
    return m == 1;
}

/* Cells of half a period; 0: no transform by lines_kernel. */
int cells_of(const struct cgs_fdm_direction *d)
{
    switch (d->kind) {
    case CGS_FDM_SINE:
        return (int)d->n + 1;
    case CGS_FDM_COSINE:
        return (int)d->n - 1;
    case CGS_FDM_MIXED:
    case CGS_FDM_MIXED_REVERSED:
        return (int)d->n;
    default:
        return 0;
    }
}

const struct compiled *compiled_for(const struct cgs_fdm_direction *d)
{
    for (const struct compiled &c : sizes)
        if (d->order <= 1 && c.R * c.A * c.B == 2 * cells_of(d) &&
            (!c.sines || d->kind == CGS_FDM_SINE))
            return &c;
    return nullptr;
}

/* Fills in all but the tables; false if the length has none. c: NULL for any size. */
bool shape_of(const struct cgs_fdm_direction *d, const struct compiled *c, struct shape *f)
{
    static const int any[] = {16, 8, 14, 10, 6, 4, 2};
    const int cells = cells_of(d);
    const std::span<const int> classes = d->order > 1 ? std::span(&d->order, 1) : std::span(any);
    *f = {};
    f->cells = cells;
    f->n = (int)d->n;
    f->first = d->kind == CGS_FDM_COSINE ? 0 : 1;
    f->parity = d->kind == CGS_FDM_COSINE ? 1 : -1;
    f->mirror = d->kind == CGS_FDM_SINE ? -1 : 1;
    f->half = d->kind == CGS_FDM_MIXED || d->kind == CGS_FDM_MIXED_REVERSED;
    f->order = d->order > 1 ? d->order : 1;
    if (cells < 1 || d->n > 1 << 14 || (f->order > 1 && d->n <= SHORT))
        return false;
    f->ends = cgs_fdm_ends(d->kind);
    double least = 1e30; /* steps, times the redundant classes */
    struct shape best = {};
    for (int r : classes) {
        if (c ? r != c->R : 2 * cells % r != 0 || !split(2 * cells / r, f))
            continue;
        const double cost = (2.0 + f->mids) * (r + 2) / r;
        if (cost >= least)
            continue;
        least = cost;
        f->R = r;
        best = *f;
    }
    if (best.R == 0)
        return false;
    *f = best;
    if (c) {
        f->A = c->A;
        f->L = f->mid[0] = c->B;
        f->M = c->A * c->B;
        f->mids = 1;
    }
    f->classes = f->R / 2 + 1;
    f->rows_digit = c ? f->L : f->L | 1;
    f->rows_class = c ? f->M : (f->A * f->rows_digit) | 1;
    f->pairs = f->half ? (f->M + 1) / 2 : f->M / 2 + 1;
    return true;
}

int64_t shared_of(const struct shape *f, int width)
{
    return (int64_t)f->classes * f->rows_class * width * (int64_t)sizeof(two);
}

/* Rows of product_kernel; more than w->rows: it cannot. */
struct product product_of(const struct cgs_fdm_direction *d, const struct wide *w)
{
    struct product p = {.n = (int)d->n};
    /* modes of an angle of order > 1 are all even or all odd: not in turn */
    p.mirrored = d->order <= 1 && (d->kind == CGS_FDM_SINE || d->kind == CGS_FDM_COSINE ||
                                   (d->kind == CGS_FDM_DENSE && d->mirrored));
    const int longest = p.mirrored ? (p.n + 1) / 2 : p.n;
    p.part = (longest + w->tall - 1) / w->tall * w->tall;
    p.rows = p.mirrored ? 2 * p.part : p.part;
    return p;
}

int64_t product_shared(const struct product *p, const struct wide *w)
{
    return (int64_t)p->rows * (w->width + 4) * (int64_t)sizeof(double);
}

/* ---- tables ---- */

/* Complex numbers of the tables of lines_kernel: of factors between classes and modes, or of blocks
 * and their half angles; of all. */
int64_t class_numbers(const struct shape *f)
{
    const int64_t blocks = (int64_t)f->order * f->order * f->pairs;
    return f->order > 1 ? f->pairs + (blocks + 1) / 2 : (int64_t)f->classes * f->pairs;
}

int64_t root_numbers(const struct shape *f)
{
    int64_t numbers = f->M + f->M + class_numbers(f) + f->n;
    for (int i = 0, length = f->L; i < f->mids; length /= f->mid[i++])
        numbers += length;
    return numbers;
}

/* The same of the tables of product_kernel. */
int64_t product_numbers(const struct product *p)
{
    const int64_t doubles = 2 * (int64_t)p->rows * p->part;
    return doubles * (int64_t)sizeof(double) / (int64_t)sizeof(two) + p->n;
}

/* Returns the most that a direction's tables take on any device. */
int64_t table_numbers(const struct cgs_fdm_direction *d)
{
    enum { SMALL = 48 << 10 }; /* shared memory that every device has */
    struct shape f;
    int64_t most = 0;
    if (!shape_of(d, nullptr, &f) || shared_of(&f, any_size[0].width) > SMALL) {
        const struct product p = product_of(d, &products[WIDES - 1]);
        most = product_numbers(&p);
    } else {
        most = root_numbers(&f);
    }
    if (compiled_for(d) && shape_of(d, compiled_for(d), &f) && root_numbers(&f) > most)
        most = root_numbers(&f);
    return most;
}

two root(int64_t k, int64_t n) /* exp(-2 pi i k / n) */
{
    return {(real)cosine_of((int)(k % n), (int)n), (real)-sine_of((int)(k % n), (int)n)};
}

/* Writes the tables of lines_kernel to `host`, and where they will be on the device. */
void fill_roots(const struct cgs_fdm_direction *d, two *host, struct direction *me)
{
    struct shape *f = &me->shape;
    two *next = host;
    const auto here = [&]() { return me->memory + (next - host); };
    f->by_digit = here();
    for (int k = 0; k < f->A; k++)
        for (int m = 0; m < f->L; m++)
            *next++ = root((int64_t)k * m, f->M);
    for (int i = 0, length = f->L; i < f->mids; length /= f->mid[i++]) {
        f->by_mid[i] = here();
        for (int k = 0; k < f->mid[i]; k++)
            for (int m = 0; m < length / f->mid[i]; m++)
                *next++ = root((int64_t)k * m, length);
    }
    f->by_class = here();
    if (f->order > 1) {
        const int64_t blocks = (int64_t)f->order * f->order * f->pairs;
        for (int q = 0; q < f->pairs; q++)
            *next++ = root(2 * q + f->half, 8 * (int64_t)(f->cells / f->order));
        f->blocks = reinterpret_cast<const real *>(here());
        for (int64_t i = 0; i < blocks; i += 2)
            *next++ = {(real)d->blocks[i], (real)(i + 1 < blocks ? d->blocks[i + 1] : 0.0)};
    } else {
        for (int s = 0; s < f->classes; s++)
            for (int q = f->half; q < f->pairs + f->half; q++)
                *next++ = root((int64_t)s * (2 * q - f->half), 4 * (int64_t)f->cells);
    }
    f->shift = here();
    for (int m = 0; m < f->M; m++)
        *next++ = root(4 * (int64_t)f->M - m, 2 * f->M);
    me->modes = here();
    for (int64_t j = 0; j < d->n; j++)
        *next++ = {(real)d->lambda[j], (real)d->weight[j]};
}

/* Writes S' and S, which takes modes back to numbers, as product_kernel reads them. */
void fill_fragments(const struct cgs_fdm_direction *d, const struct product *p, double *forward,
                    double *back)
{
    const int n = p->n, steps = p->part / 4;
    const auto place = [&](int row, int column) {
        return ((int64_t)(row / 8) * steps + column % p->part / 4) * CGS_WARP + row % 8 * 4 +
               column % 4;
    };
    for (int j = 0; j < n; j++)
        for (int i = 0; i < (p->mirrored ? (n + 1 - j % 2) / 2 : n); i++) {
            const int mode = mode_row(*p, j), number = mode / p->part * p->part + i;
            forward[place(mode, number)] = back[place(number, mode)] = cgs_fdm_entry_of(d, i, j);
        }
}

/* The same for product_kernel. */
void fill_products(const struct cgs_fdm_direction *d, two *host, struct direction *me)
{
    struct product *p = &me->product;
    const int64_t numbers = (int64_t)p->rows * p->part;
    double *forward = reinterpret_cast<double *>(host), *back = forward + numbers;
    for (int64_t i = 0; i < 2 * numbers; i++)
        forward[i] = 0;
    fill_fragments(d, p, forward, back);
    p->forward = reinterpret_cast<double *>(me->memory);
    p->back = p->forward + numbers;
    me->modes = me->memory + (product_numbers(p) - p->n);
    for (int64_t j = 0; j < p->n; j++)
        host[me->modes - me->memory + j] = {(real)d->lambda[j], (real)d->weight[j]};
}

enum cgs_status direction_create(struct cgs_queue *queue, const struct cgs_fdm_direction *d,
                                 struct direction *me)
{
    const int64_t numbers = me->fast ? root_numbers(&me->shape) : product_numbers(&me->product);
    two *host;
    CGS_TRY(cgs_alloc(queue->context, numbers, sizeof(two), "tables of fdm", (void **)&host));
    enum cgs_status status =
        cgs_cuda_alloc(queue, numbers, sizeof(two), "tables of fdm", (void **)&me->memory);
    if (status == CGS_OK) {
        if (me->fast)
            fill_roots(d, host, me);
        else
            fill_products(d, host, me);
        status = cgs_cuda_send(queue, me->memory, host, numbers * (int64_t)sizeof(two));
    }
    cgs_free(queue->context, host);
    return status;
}

/* ---- launches ---- */

/* Dynamic shared memory of a block; what is left serves the sum over the grid. */
int64_t most_shared(const struct cgs_queue *queue)
{
    enum { OF_SUM = 512 };
    return (int64_t)cgs_cuda_device(queue)->properties.sharedMemPerBlockOptin - OF_SUM;
}

/* Opts in to all shared memory there is: other lines may have the same kernel, and the last call
 * would count. */
enum cgs_status allow_shared(struct cgs_queue *queue, const void *kernel)
{
    CGS_CUDA_TRY(queue->context,
                 cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)most_shared(queue)));
    return CGS_OK;
}

bool by_planes(const struct fdm *f)
{
    return f->turn || f->queue->fixed;
}

/* Numbers from a row of a plane to the next: natural order or padded lines. */
int64_t pitch_of(const struct cgs_space *space, const struct cgs_fdm_direction direction[2])
{
    return space->layout.pitch ? space->layout.pitch : direction[0].n;
}

/* Distances of the lines of x or y. Lines along x that are transformed together, whose rounding may
 * reach each other, are of one plane where ranks or sums over fixed blocks are to have the same
 * bits. */
struct lines lines_of(const struct fdm *f, const struct cgs_space *space,
                      const struct cgs_fdm_direction direction[2], int k)
{
    const int64_t n0 = direction[0].n, n1 = direction[1].n;
    const int64_t pitch = pitch_of(space, direction);
    struct lines v = {};
    v.mode = k == 0 ? 1 : pitch;
    v.line = k == 0 ? pitch : 1;
    v.outer = pitch * n1;
    v.count = k > 0 ? n0 : by_planes(f) ? n1 : n1 * f->shape.n[2];
    const bool reversed = direction[k].kind == CGS_FDM_MIXED_REVERSED;
    v.place = f->direction[k].fast && reversed ? -v.mode : v.mode;
    v.place_0 = v.place < 0 ? (direction[k].n - 1) * v.mode : 0;
    return v;
}

enum cgs_status launch_create(struct fdm *f, const struct cgs_space *space,
                              const struct cgs_fdm_direction direction[2], int pass)
{
    const int k = direction_of[pass];
    const struct direction *me = &f->direction[k];
    struct launch *launch = &f->launch[pass];
    launch->of = lines_of(f, space, direction, k);
    const int64_t outer = k == 1 || by_planes(f) ? cgs_turn_planes(&f->shape) : 1;
    int width;
    if (me->fast) {
        const struct instance i = me->compiled          ? me->compiled->of[pass]
                                  : me->shape.order > 1 ? any_order[kind_of(pass)]
                                                        : any_size[kind_of(pass)];
        launch->by_lines = i.kernel;
        launch->blocks = {
            .count = 0, .threads = i.threads, .shared = shared_of(&me->shape, i.width)};
        width = 2 * i.width;
    } else {
        width = me->wide->width;
        launch->by_product = me->wide->kernel[kind_of(pass)];
        launch->blocks = {.count = 0,
                          .threads = me->wide->threads,
                          .shared = product_shared(&me->product, me->wide)};
    }
    launch->of.tiles = (launch->of.count + width - 1) / width;
    launch->blocks.count = launch->of.tiles * outer;
    const void *kernel =
        launch->by_lines ? (const void *)launch->by_lines : (const void *)launch->by_product;
    return allow_shared(f->queue, kernel);
}

/* Chooses how a direction is transformed. Compiled sizes of y need lines that begin at even
 * numbers. */
enum cgs_status choose(const struct fdm *f, const struct cgs_space *space, int k,
                       const struct cgs_fdm_direction *d, struct direction *me)
{
    const int64_t most = most_shared(f->queue);
    const struct compiled *c = compiled_for(d);
    const bool even = k == 0 || (space->layout.pitch > 0 && space->layout.pitch % 2 == 0);
    me->fast = c && even && shape_of(d, c, &me->shape) &&
               shared_of(&me->shape, c->of[Y_FORWARD].width) <= most;
    me->compiled = me->fast ? c : nullptr;
    if (!me->fast)
        me->fast =
            shape_of(d, nullptr, &me->shape) && shared_of(&me->shape, any_size[0].width) <= most;
    for (int i = 0; i < WIDES && !me->fast && !me->wide; i++) {
        me->product = product_of(d, &products[i]);
        if (me->product.rows <= products[i].rows &&
            product_shared(&me->product, &products[i]) <= most)
            me->wide = &products[i];
    }
    if (!me->fast && !me->wide)
        return cgs_fail(f->queue->context, CGS_USAGE,
                        "fdm on this GPU takes fewer than %lld unknowns in a direction like this "
                        "one: its lines do not fit shared memory",
                        (long long)d->n);
    return CGS_OK;
}

/* Entries of unknowns 1 to n - 2 are those of unknown 1, and those beside them of 0 to n - 2. */
bool are_alike(const line_entry *entries, int64_t n)
{
    bool alike = true;
    for (int64_t k = 0; k + 1 < n && alike; k++)
        alike = entries[k].stiffness_off == entries[1].stiffness_off &&
                entries[k].mass_off == entries[1].mass_off &&
                (k == 0 || (entries[k].stiffness == entries[1].stiffness &&
                            entries[k].mass == entries[1].mass));
    return alike;
}

/* Chooses the kernel and the segments of lines along z, more of them than must be where blocks
 * would not fill the device. alike: entries of order 1 are. */
enum cgs_status choose_solver(struct fdm *f, int order, bool alike)
{
    enum { SHARE = 8 }; /* segments that make shared pivots worth their while */
    const int64_t n = order > 1 ? f->solve.order.slots : f->shape.n[2],
                  least = order > 1 ? 1 : 2; /* of a segment, unless it must be */
    const int64_t lines = cgs_turn_lines(&f->shape);
    const int processors = cgs_cuda_device(f->queue)->properties.multiProcessorCount;
    for (const struct solver &c : solvers) {
        if (c.order != order)
            continue;
        int64_t segments = (int64_t)std::bit_ceil((uint64_t)((n + c.most - 1) / c.most));
        while (2 * segments * least <= n && 2 * segments * c.least <= c.threads &&
               lines * segments < (int64_t)c.threads * processors)
            segments *= 2;
        const int64_t width = c.threads / segments,
                      numbers = order > 1 ? exchanged_numbers(c.threads)
                                          : line_numbers(c.alike, c.most, c.threads, (int)width),
                      shared = numbers * (int64_t)sizeof(real);
        if (width < c.least || shared > most_shared(f->queue) ||
            (c.alike && (!alike || segments < SHARE)))
            continue;
        f->solve.kernel = c.kernel;
        f->solve.by_order = c.by_order;
        f->solve.of.segments = (int)segments;
        f->solve.of.width = (int)width;
        f->solve.blocks = {
            .count = (lines + width - 1) / width, .threads = c.threads, .shared = shared};
        return allow_shared(f->queue,
                            c.by_order ? (const void *)c.by_order : (const void *)c.kernel);
    }
    return cgs_fail(f->queue->context, CGS_USAGE,
                    "fdm on this GPU takes fewer than %lld unknowns in z: a line does not fit a "
                    "block",
                    (long long)f->shape.n[2]);
}

/* Allocates memory on the device with numbers of the host. */
enum cgs_status send_new(struct cgs_queue *queue, int64_t count, int64_t size, const void *host,
                         void **memory)
{
    CGS_TRY(cgs_cuda_alloc(queue, count, size, "lines of fdm", memory));
    return cgs_cuda_send(queue, *memory, host, count * size);
}

/* Cells of lines of order > 1 and their modes. */
enum cgs_status cells_create(struct fdm *f, const struct cgs_fdm_line *line)
{
    struct cgs_queue *queue = f->queue;
    struct order_line *o = &f->solve.order;
    struct cgs_cell_modes cell;
    order_cell *host;
    cgs_cell_modes_make(line->order, &cell);
    *o = {};
    o->cells = (int)line->cells;
    o->first = (int)line->first;
    o->high = line->periodic || line->first + line->order * line->cells < line->n;
    o->slots = o->cells + (o->high && !line->periodic);
    o->alike = true;
    for (int side = 0; side < 2; side++)
        o->transfer[side] = (real)line->transfer[side];
    o->weight = (real)cell.weight;
    for (int m = 0; m < line->order - 1; m++) {
        o->mu[m] = (real)cell.mu[m];
        o->square[m] = (real)(cell.beta[m] * cell.beta[m] / cell.mu[m]);
        o->beta[m] = (real)(0.70710678118654752440 * cell.beta[m]);
        for (int i = 0; i < line->order - 1; i++)
            o->Q[i][m] = (real)cell.Q[i][m];
    }
    CGS_TRY(cgs_alloc(queue->context, line->cells, sizeof *host, "lines of fdm", (void **)&host));
    for (int64_t c = 0; c < line->cells; c++) {
        const struct cgs_fdm_cell *of = &line->cell[c];
        host[c] = {(real)of->stiff, (real)(of->mass / of->stiff), (real)(of->absorb / of->stiff),
                   (real)(1.0 / of->stiff)};
        o->alike = o->alike && host[c].stiff == host[0].stiff && host[c].mass == host[0].mass &&
                   host[c].absorb == host[0].absorb;
    }
    const enum cgs_status status =
        send_new(queue, line->cells, sizeof *host, host, (void **)&f->solve.cells);
    cgs_free(queue->context, host);
    o->cell = f->solve.cells;
    return status;
}

enum cgs_status solve_create(struct fdm *f, const struct cgs_space *space,
                             const struct cgs_fdm_direction direction[2],
                             const struct cgs_fdm_line *line)
{
    struct cgs_queue *queue = f->queue;
    const int64_t pitch = pitch_of(space, direction),
                  first = cgs_turn_line(&f->shape, f->shape.rank);
    struct columns *v = &f->solve.of;
    line_entry *host;
    CGS_TRY(cgs_alloc(queue->context, line->n, sizeof(line_entry), "lines of fdm", (void **)&host));
    const bool cells = line->order > 1; /* M alone, for the constant */
    for (int64_t k = 0; k < line->n; k++)
        host[k] = {cells ? 0 : (real)line->stiffness[k], (real)line->mass[k],
                   cells ? 0 : (real)line->stiffness_off[k], cells ? 0 : (real)line->mass_off[k]};
    const bool alike = !cells && line->n > 2 && are_alike(host, line->n);
    const enum cgs_status status =
        send_new(queue, line->n, sizeof(line_entry), host, (void **)&f->solve.entries);
    cgs_free(queue->context, host);
    CGS_TRY(status);
    if (cells)
        CGS_TRY(cells_create(f, line));
    CGS_TRY(choose_solver(f, cells ? line->order : 1, alike));
    f->solve.constant = !line->held && direction[0].lambda[0] + direction[1].lambda[0] == 0.0;
    v->step = v->count = cgs_turn_lines(&f->shape);
    v->first = first;
    v->n = (int)line->n;
    v->n0 = (int)direction[0].n;
    v->pitch = (int)pitch;
    v->by_x = f->direction[0].modes;
    v->by_y = f->direction[1].modes;
    v->entries = f->solve.entries;
    v->scale = 1;
    for (const struct direction &d : f->direction)
        v->scale *= d.fast ? (real)0.25 : 1;
    v->loose = f->solve.constant;
    return CGS_OK;
}

/* Rows of a plane stay together on a rank. */
struct cgs_turn_shape by_rows(struct cgs_turn_shape shape)
{
    shape.unit = shape.plane / shape.n[1];
    return shape;
}

/* The sum of a rank that has none. */
__global__ void no_lines(struct cgs_cg_state *state, enum cgs_sum sum)
{
    if (cgs_cg_going_on(state))
        state->sums[sum] = 0;
}

} // namespace

static void plan(struct cgs_plan *plan, const struct cgs_fdm_direction direction[2],
                 const struct cgs_fdm_line *line, enum cgs_number, int,
                 const struct cgs_turn_shape *shape)
{
    int64_t most = 0;
    const struct cgs_turn_shape rows = by_rows(*shape);
    cgs_turn_cuda_plan(plan, &rows);
    cgs_plan_add(plan, CGS_HOST, "transforms of fdm", 1, sizeof(struct fdm));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "lines of fdm", line->n, sizeof(line_entry));
    cgs_plan_add(plan, CGS_HOST, "lines of fdm", line->n, sizeof(line_entry));
    if (line->order > 1)
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "lines of fdm", line->cells, sizeof(order_cell));
    for (int k = 0; k < 2; k++) {
        const int64_t numbers = table_numbers(&direction[k]);
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "tables of fdm", numbers, sizeof(two));
        most = numbers > most ? numbers : most;
    }
    cgs_plan_add(plan, CGS_HOST, "tables of fdm", most, sizeof(two));
}

static void release(void *self)
{
    struct fdm *f = static_cast<struct fdm *>(self);
    if (!f)
        return;
    for (const struct direction &d : f->direction)
        cgs_cuda_free(f->queue, d.memory);
    cgs_cuda_free(f->queue, f->solve.entries);
    cgs_cuda_free(f->queue, f->solve.cells);
    cgs_turn_cuda_release(f->turn);
    cgs_free(f->queue->context, f);
}

/* A rank's own part. */
static enum cgs_status make(const struct cgs_space *space,
                            const struct cgs_fdm_direction direction[2], struct fdm **made)
{
    struct cgs_queue *queue = space->queue;
    struct fdm *f;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *f, "transforms of fdm", (void **)&f));
    *f = {};
    *made = f;
    f->queue = queue;
    for (int k = 0; k < 2; k++) {
        CGS_TRY(choose(f, space, k, &direction[k], &f->direction[k]));
        CGS_TRY(direction_create(queue, &direction[k], &f->direction[k]));
    }
    return CGS_OK;
}

static enum cgs_status create(const struct cgs_space *space,
                              const struct cgs_fdm_direction direction[2],
                              const struct cgs_fdm_line *line, void **self)
{
    const int64_t n[3] = {direction[0].n, direction[1].n, line->n};
    const struct cgs_turn_shape shape = by_rows(cgs_turn_shape_of(space, n));
    struct cgs_turn_cuda *turn;
    struct fdm *f = nullptr;
    enum cgs_status status = cgs_turn_cuda_create(space, &shape, make(space, direction, &f), &turn);
    if (status == CGS_OK) {
        f->shape = shape;
        f->turn = turn;
    }
    for (int pass = 0; pass < PASSES && status == CGS_OK; pass++)
        status = launch_create(f, space, direction, pass);
    if (status == CGS_OK)
        status = solve_create(f, space, direction, line);
    if (status == CGS_OK)
        *self = f;
    else
        release(f);
    return status;
}

/* Lines along z, in place. */
static enum cgs_status solve_lines(const struct fdm *f, struct cgs_queue *queue,
                                   struct cgs_cg_state *state, void *lines, enum cgs_sum sum)
{
    const struct solve *solve = &f->solve;
    struct columns v = solve->of;
    if (solve->blocks.count == 0) /* a rank without lines */
        return sum == CGS_SUM_NOWHERE
                   ? CGS_OK
                   : cgs_launch_blocks(queue, "no lines", no_lines, {1, 1}, state, sum);
    v.of = static_cast<real *>(lines);
    v.sum = sum;
    v.partials = queue->partials;
    v.tickets = queue->ticket;
    const bool constant = solve->constant && v.first == 0;
    if (constant)
        CGS_TRY(cgs_launch(queue, "constant of b", leave_constant_out, 1, v, false, state));
    if (solve->by_order)
        CGS_TRY(cgs_launch_blocks(queue, "lines along z", solve->by_order, solve->blocks, v,
                                  solve->order, state));
    else
        CGS_TRY(cgs_launch_blocks(queue, "lines along z", solve->kernel, solve->blocks, v, state));
    if (constant)
        CGS_TRY(cgs_launch(queue, "constant of x", leave_constant_out, 1, v, true, state));
    return CGS_OK;
}

/* From x to y by way of `work`. narrow: x and y are doubles around floats. */
static enum cgs_status run(const struct fdm *f, struct cgs_queue *queue, struct cgs_cg_state *state,
                           bool narrow, const void *x, void *work, void *y, enum cgs_sum sum)
{
    void *const slab = cgs_turn_cuda_slab(f->turn, work);
    const void *const in[PASSES] = {x, work, slab, work};
    void *const out[PASSES] = {work, work, work, y};
    for (int pass = 0; pass < PASSES; pass++) {
        const struct launch *launch = &f->launch[pass];
        const struct direction *me = &f->direction[direction_of[pass]];
        struct lines v = launch->of;
        if (pass == Y_BACK) {
            CGS_TRY(cgs_turn_cuda_over(f->turn, queue, state, work));
            CGS_TRY(solve_lines(f, queue, state, cgs_turn_cuda_lines(f->turn, work), sum));
            CGS_TRY(cgs_turn_cuda_back(f->turn, queue, state, work));
        }
        if (launch->blocks.count == 0) /* a rank without planes */
            continue;
        v.in = static_cast<const real *>(in[pass]);
        v.out = static_cast<real *>(out[pass]);
        v.wide_in = narrow && pass == X_FORWARD ? static_cast<const double *>(x) : nullptr;
        v.wide_out = narrow && pass == X_BACK ? static_cast<double *>(y) : nullptr;
        if (launch->by_lines)
            CGS_TRY(cgs_launch_blocks(queue, "fast transform", launch->by_lines, launch->blocks, v,
                                      me->shape, state));
        else
            CGS_TRY(cgs_launch_blocks(queue, "dense transform", launch->by_product, launch->blocks,
                                      v, me->product, state));
    }
    return CGS_OK;
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return run(static_cast<const struct fdm *>(self), queue, state, false, x, y, y, sum);
}

static enum cgs_status apply_narrow(const void *self, struct cgs_queue *queue,
                                    struct cgs_cg_state *state, const void *x, void *work, void *y,
                                    enum cgs_sum sum)
{
    return run(static_cast<const struct fdm *>(self), queue, state, true, x, work, y, sum);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return apply_dot(self, queue, const_cast<struct cgs_cg_state *>(state), x, y, CGS_SUM_NOWHERE);
}

CGS_TABLE(struct cgs_fdm_ops, cgs_cuda_fdm) = {.plan = plan,
                                               .create = create,
                                               .release = release,
                                               .apply = apply,
                                               .apply_dot = apply_dot,
                                               .apply_narrow = apply_narrow};
