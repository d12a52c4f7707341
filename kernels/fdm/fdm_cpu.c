/* Fast diagonalisation on the CPU (kernels/fdm.h), in place on y: transforms along x and y, solves
 * along z, transforms back along y and x.
 *
 * A pass takes tiles of LINES lines: it copies one into a thread's buffer, [place][line], in
 * double, transforms it there and writes it back. A tile is computed by one thread in a fixed
 * order, so that all bits are the same for any number of threads. Traffic of a pass: a vector read
 * and written; five passes. On several ranks the vector is turned before and after z
 * (kernels/fdm/turn.h). Two lines that are transformed as one are the same two on any number of
 * ranks: neighbours of a plane along x, else of a tile that is one rank's.
 *
 * Transforms are those of kernels/fdm/fft.h, or, for kinds and lengths that have none or a slower
 * one, products with S' (forward) or S (back), which stand in panels of ROWS rows:
 * panel[r / ROWS][column][r % ROWS]. Where the modes are even and odd about the middle, the
 * sums and differences of mirrored places are transformed by two matrices of half the size: half
 * the operations.
 *
 * A solve eliminates unknown after unknown of T. It carries the sum s_k of what is left of row k,
 * which like T's own row sums is a sum of positive numbers, but for terms that large masses make
 * good: the sums of K are 0 between layers of any contrast, and what the ends and lambda M add to
 * them is not lost in rounding of the diagonal.
 *
 *     ratio_k = T_k(k+1) / pivot_k,   s_k = sum_j T_kj - ratio_(k-1) s_(k-1),
 *     pivot_k = s_k - T_k(k+1)
 *
 * The last unknown of a period is coupled to all that are left, by arrow_k pivot_k.
 *
 * Lines of order p > 1 are condensed to their vertices first (fem/element/order_modes.h): in each
 * cell, with tau = (lambda mass + absorb) / stiff and i = 1 / (mu + tau),
 *
 *     g = Q' b of inner nodes,   b_low -= (r_s - r_d) / sqrt 2,   b_high -= (r_s + r_d) / sqrt 2,
 *     r_s = sum_even beta i g,   r_d = sum_odd beta i g
 *
 * T of the vertices is the sum of what is left in each cell, an even part S_e and an odd part S_o:
 * (S_e - S_o) / 2 beside the diagonal, row sums S_e, or (S_e + S_o) / 2 beside an end with a value.
 * The answer of the vertices gives that of the cells:
 *
 *     inner nodes = Q (g i / stiff - beta i (s or d))
 */
#include "kernels/fdm.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/vectorise.h"
#include "kernels/fdm/fft.h"
#include "kernels/fdm/turn.h"
#include "kernels/vector/state_cpu.h"

enum { ROWS = 6, HALVES = LINES / LANES };

/* The matrix of a transform, or half of it. */
struct panels {
    int64_t rows, columns;
    double *of;
};

struct transform {
    int64_t n;
    bool fast; /* by fft, else by panels */
    struct fft fft;
    bool mirrored; /* [0]: even, [1]: odd; else [0] alone */
    struct panels forward[2], back[2];
};

/* Numbers of row k of the lines along z, ROW of them: sums of the rows of K and M, which have all
 * their entries, and the entries beside the diagonal, (k, k + 1). */
enum { SUM_K, SUM_M, OFF_K, OFF_M, ROW };

/* Numbers of a cell of lines of order > 1, CELL of them. */
enum { STIFF, MASS, ABSORB, CELL };

struct line {
    int64_t n;
    bool periodic;
    bool held;
    double *rows;
    /* order > 1: n counts vertices */
    int order;
    int64_t unknowns, cells, first; /* first: unknown of the lowest node, -1 or 0 */
    double transfer[2];
    double *of_cell, *mass; /* mass: of each unknown */
    struct cgs_cell_modes cell;
};

struct fdm {
    struct cgs_context *context;
    int64_t n[3], rows; /* rows: of a thread's two buffers */
    struct cgs_turn_shape shape;
    struct cgs_turn *turn;
    int threads;
    enum cgs_number number;
    struct transform transform[2];
    double *lambda[2], *weight[2];
    struct line line;
    double *buffers;
    double *memory;
};

/* ---- matrices ---- */

static bool halves(const struct cgs_fdm_direction *d)
{
    if (d->order > 1) /* modes of an angle are all even or all odd: not in turn */
        return false;
    return d->kind == CGS_FDM_SINE || d->kind == CGS_FDM_COSINE ||
           (d->kind == CGS_FDM_DENSE && d->mirrored);
}

static int64_t panel_numbers(int64_t rows, int64_t columns)
{
    return (rows + ROWS - 1) / ROWS * ROWS * columns;
}

/* Plans the transforms of a direction, all but the tables. */
static struct transform plan_transform(const struct cgs_fdm_direction *d)
{
    struct transform t = {.n = d->n, .mirrored = halves(d)};
    const double time = fft_plan(d, &t.fft);
    t.fast = time > 0.0 && time < 9.0 + (double)d->n * (t.mirrored ? 0.5 : 1.0);
    return t;
}

/* Returns the rows of the tile and of what its transform takes beside it: for a dense one the most
 * of any kind, since plans take a direction for dense whose kind they do not know. */
static int64_t buffer_rows(const struct cgs_fdm_direction *d)
{
    const struct transform t = plan_transform(d);
    return d->n + (t.fast ? fft_rows(&t.fft) : 2 * (d->n + 1));
}

/* Returns the numbers of all tables of a direction. */
static int64_t transform_numbers(const struct cgs_fdm_direction *d)
{
    const int64_t even = (d->n + 1) / 2, odd = d->n / 2;
    const struct transform t = plan_transform(d);
    if (t.fast)
        return fft_numbers(&t.fft);
    return halves(d) ? 2 * (panel_numbers(even, even) + panel_numbers(odd, odd))
                     : 2 * panel_numbers(d->n, d->n);
}

/* Fills a matrix for unknowns 0 ... count - 1 and modes first, first + step, ..., of which there
 * are as many. */
static void fill(const struct cgs_fdm_direction *d, bool back, int64_t count, int64_t first,
                 int64_t step, double **next, struct panels *panels)
{
    *panels = (struct panels){count, count, *next};
    for (int64_t row = 0; row < (count + ROWS - 1) / ROWS * ROWS; row++)
        for (int64_t column = 0; column < count; column++) {
            const int64_t i = back ? row : column, j = first + step * (back ? column : row);
            (*next)[(row / ROWS * count + column) * ROWS + row % ROWS] =
                row < count ? cgs_fdm_entry_of(d, i, j) : 0.0;
        }
    *next += panel_numbers(count, count);
}

static void make_transform(const struct cgs_fdm_direction *d, double **next, struct transform *t)
{
    *t = plan_transform(d);
    if (t->fast)
        fft_fill(d->blocks, &t->fft, next);
    for (int half = 0; half < (t->fast ? 0 : t->mirrored ? 2 : 1); half++) {
        const int64_t count = t->mirrored ? (d->n + 1 - half) / 2 : d->n;
        fill(d, false, count, half, t->mirrored ? 2 : 1, next, &t->forward[half]);
        fill(d, true, count, half, t->mirrored ? 2 : 1, next, &t->back[half]);
    }
}

/* ---- transforms of a tile ---- */

#define LOAD(vector, from) memcpy(&(vector), (from), sizeof(lanes))
#define STORE(to, vector) memcpy((to), &(vector), sizeof(lanes))

/* Rows first, first + step, ... of `to` = P rows 0, from_step, ... of `from`. */
CGS_PIECE void multiply(const struct panels *p, const double *from, int64_t from_step, double *to,
                        int64_t to_step)
{
    for (int64_t r = 0; r < p->rows; r += ROWS) {
        const int64_t left = p->rows - r < ROWS ? p->rows - r : ROWS;
        for (int half = 0; half < LINES; half += LANES) {
            const double *panel = p->of + r * p->columns, *x = from + half;
            lanes sum[ROWS] = {{0.0}};
            for (int64_t c = 0; c < p->columns; c++) {
                lanes value;
                LOAD(value, x);
                for (int i = 0; i < ROWS; i++)
                    sum[i] += panel[i] * value;
                panel += ROWS;
                x += from_step * LINES;
            }
            for (int i = 0; i < ROWS; i++) /* of constant bounds: sums stay in registers */
                if (i < left)
                    STORE(to + (r + i) * to_step * LINES + half, sum[i]);
        }
    }
}

/* Sums of mirrored places into the first rows of `to`, differences into those after. */
CGS_PIECE void fold(int64_t n, const double *from, double *to)
{
    double *restrict even = to, *restrict odd = to + (n + 1) / 2 * LINES;
    for (int64_t i = 0; i < n / 2; i++)
        for (int l = 0; l < LINES; l++) {
            const double low = from[i * LINES + l], high = from[(n - 1 - i) * LINES + l];
            even[i * LINES + l] = low + high;
            odd[i * LINES + l] = low - high;
        }
    if (n % 2 == 1)
        memcpy(even + n / 2 * LINES, from + n / 2 * LINES, LINES * sizeof(double));
}

CGS_PIECE void unfold(int64_t n, const double *from, double *to)
{
    const double *even = from, *odd = from + (n + 1) / 2 * LINES;
    for (int64_t i = 0; i < n / 2; i++)
        for (int l = 0; l < LINES; l++) {
            const double e = even[i * LINES + l], o = odd[i * LINES + l];
            to[i * LINES + l] = e + o;
            to[(n - 1 - i) * LINES + l] = e - o;
        }
    if (n % 2 == 1)
        memcpy(to + n / 2 * LINES, even + n / 2 * LINES, LINES * sizeof(double));
}

/* Transforms a tile; returns the one of the two buffers that then holds it. */
CGS_PIECE double *transform_tile(const struct transform *t, bool back, double *tile, double *other)
{
    const int64_t even = (t->n + 1) / 2 * LINES;
    if (t->fast) {
        fft_apply(&t->fft, back, tile, other);
        return tile;
    }
    if (!t->mirrored) {
        multiply(back ? &t->back[0] : &t->forward[0], tile, 1, other, 1);
        return other;
    }
    if (!back)
        fold(t->n, tile, other);
    for (int half = 0; half < 2; half++) {
        if (back)
            multiply(&t->back[half], tile + half * LINES, 2, other + half * even, 1);
        else
            multiply(&t->forward[half], other + half * even, 1, tile + half * LINES, 2);
    }
    if (back)
        unfold(t->n, other, tile);
    return tile;
}

/* ---- tiles and vectors ---- */

/* A tile: `lines` lines of n numbers; number i of line l is at place + i * step + l, or, of lines
 * along x, at at[l] + i (below 0: there is no such line). */
struct tile {
    int64_t n, place, step, at[LINES];
    int lines;
    bool along; /* x */
};

CGS_PIECE void read_tile(const struct tile *t, enum cgs_number number, const void *vector,
                         double *restrict to)
{
    for (int64_t i = 0; i < t->n && t->lines < LINES; i++)
        memset(to + i * LINES, 0, LINES * sizeof *to);
#define READ(type)                                                                                 \
    {                                                                                              \
        const type *from = (const type *)vector + t->place;                                        \
        if (t->along)                                                                              \
            for (int l = 0; l < LINES; l++)                                                        \
                for (int64_t i = 0, at = t->at[l], n = at < 0 ? 0 : t->n; i < n; i++)              \
                    to[i * LINES + l] = (double)from[at + i];                                      \
        else if (t->lines == LINES)                                                                \
            for (int64_t i = 0; i < t->n; i++)                                                     \
                for (int l = 0; l < LINES; l++)                                                    \
                    to[i * LINES + l] = (double)from[i * t->step + l];                             \
        else                                                                                       \
            for (int64_t i = 0; i < t->n; i++)                                                     \
                for (int l = 0; l < t->lines; l++)                                                 \
                    to[i * LINES + l] = (double)from[i * t->step + l];                             \
    }
    if (number == CGS_F64)
        READ(double)
    else
        READ(float)
}

CGS_PIECE void write_tile(const struct tile *t, enum cgs_number number, const double *from,
                          void *vector)
{
#define WRITE(type)                                                                                \
    {                                                                                              \
        type *restrict to = (type *)vector + t->place;                                             \
        if (t->along)                                                                              \
            for (int l = 0; l < LINES; l++)                                                        \
                for (int64_t i = 0, at = t->at[l], n = at < 0 ? 0 : t->n; i < n; i++)              \
                    to[at + i] = (type)from[i * LINES + l];                                        \
        else if (t->lines == LINES)                                                                \
            for (int64_t i = 0; i < t->n; i++)                                                     \
                for (int l = 0; l < LINES; l++)                                                    \
                    to[i * t->step + l] = (type)from[i * LINES + l];                               \
        else                                                                                       \
            for (int64_t i = 0; i < t->n; i++)                                                     \
                for (int l = 0; l < t->lines; l++)                                                 \
                    to[i * t->step + l] = (type)from[i * LINES + l];                               \
    }
    if (number == CGS_F64)
        WRITE(double)
    else
        WRITE(float)
}

/* Returns the tiles of lines along x, and with `tile` the one of that number: pairs of neighbours,
 * whose first ones come first. */
static int64_t tiles_along(const struct fdm *f, int64_t number, struct tile *tile)
{
    const int64_t pairs = (f->n[1] + 1) / 2, all = pairs * cgs_turn_planes(&f->shape);
    if (tile)
        *tile = (struct tile){.n = f->n[0], .along = true};
    for (int l = 0; l < LINES && tile; l++) {
        const int64_t pair = number * LANES + l % LANES, y = pair % pairs * 2 + l / LANES;
        const bool there = pair < all && y < f->n[1];
        tile->at[l] = there ? (pair / pairs * f->n[1] + y) * f->n[0] : -1;
        tile->lines += there;
    }
    return (all + LANES - 1) / LANES;
}

/* Returns the tiles of a pass, and with `tile` the one of that number. */
static int64_t tiles_of(const struct fdm *f, int k, int64_t number, struct tile *tile)
{
    if (k == 0)
        return tiles_along(f, number, tile);
    const int64_t blocks = k == 1 ? cgs_turn_planes(&f->shape) : 1;
    const int64_t inside = k == 1 ? f->n[0] : cgs_turn_lines(&f->shape);
    const int64_t across = (inside + LINES - 1) / LINES;
    if (tile) {
        const int64_t first = number % across * LINES;
        *tile = (struct tile){.n = f->n[k],
                              .step = inside,
                              .place = number / across * f->n[0] * f->n[1] + first,
                              .lines = (int)(inside - first < LINES ? inside - first : LINES)};
    }
    return across * blocks;
}

/* Rounds a tile to floats, so that doubles become the floats that other ranks are sent. */
static void round_tile(int64_t count, double *tile)
{
    for (int64_t i = 0; i < count; i++)
        tile[i] = (float)tile[i];
}

/* Source and target of a pass, and their numbers. */
struct ends {
    const void *x;
    void *y;
    enum cgs_number from, to;
};

static CGS_CLONES void transform_lines(const struct fdm *f, int k, bool back,
                                       const struct tile *tile, const struct ends *ends,
                                       double *buffer)
{
    const int64_t count = f->n[k] * LINES;
    read_tile(tile, ends->from, ends->x, buffer);
    if (ends->from != f->number)
        round_tile(count, buffer);
    double *modes = transform_tile(&f->transform[k], back, buffer, buffer + count);
    if (ends->to != f->number)
        round_tile(count, modes);
    write_tile(tile, ends->to, modes, ends->y);
}

/* ---- solves along z ---- */

/* Numbers of the lines of a tile. */
struct sums {
    double lambda[LINES], weight[LINES];
    double pin[LINES]; /* added to the first pivot, where T is singular without */
};

/* T of condensed lines, [vertex][line]. */
struct vertices {
    double *sum, *off;
};

/* Solves T x = weight b in place; beside: room for n LINES numbers, and for as many more if
 * periodic. T: NULL, or instead of that of the rows, with `of` as for lambda = 0. */
CGS_PIECE void solve_tile(const struct line *line, bool periodic, const struct vertices *T,
                          const struct sums *of, double *restrict x, double *restrict beside)
{
    const int64_t n = line->n, last = n - 1;
    const double *row = line->rows;
    lanes lambda[HALVES], weight[HALVES], sum[HALVES], off[HALVES] = {{0.0}};
    lanes ratio[HALVES], answer[HALVES] = {{0.0}};
    /* couplings with the last unknown of a period, and what they add to its row */
    lanes arrow[HALVES] = {{0.0}}, last_sum[HALVES] = {{0.0}}, last_b[HALVES] = {{0.0}};
    for (int h = 0; h < HALVES; h++) {
        LOAD(lambda[h], of->lambda + h * LANES);
        LOAD(weight[h], of->weight + h * LANES);
        LOAD(sum[h], of->pin + h * LANES);
        sum[h] = -sum[h]; /* as if it came from a row before */
        ratio[h] = (lanes){0.0} + 1.0;
        if (periodic && T)
            LOAD(arrow[h], T->off + last * LINES + h * LANES);
        else if (periodic)
            arrow[h] = row[last * ROW + OFF_K] + lambda[h] * row[last * ROW + OFF_M];
    }
    for (int64_t k = 0; k < n; k++, row += ROW)
        for (int h = 0; h < HALVES; h++) {
            double *const place = x + k * LINES + h * LANES, *const there = beside + (place - x);
            lanes b, pivot, next, here;
            LOAD(b, place);
            b = weight[h] * b - off[h] * answer[h];
            if (T) {
                LOAD(here, T->sum + k * LINES + h * LANES);
                LOAD(next, T->off + k * LINES + h * LANES);
            } else {
                here = row[SUM_K] + lambda[h] * row[SUM_M];
                next = row[OFF_K] + lambda[h] * row[OFF_M];
            }
            sum[h] = here - ratio[h] * sum[h];
            if (periodic && k == last) {
                b -= last_b[h];
                sum[h] -= last_sum[h];
                next = arrow[h] = (lanes){0.0};
            } else if (periodic && k == last - 1) {
                arrow[h] += next;
                next = (lanes){0.0};
            }
            pivot = sum[h] - next;
            if (periodic)
                pivot -= arrow[h];
            const lanes inverse = 1.0 / pivot;
            answer[h] = b * inverse;
            ratio[h] = next * inverse;
            off[h] = next;
            STORE(place, answer[h]);
            STORE(there, ratio[h]);
            if (periodic) {
                const lanes over = arrow[h] * inverse;
                STORE(there + n * LINES, over);
                last_sum[h] += over * sum[h];
                last_b[h] += arrow[h] * answer[h];
                arrow[h] *= -ratio[h];
            }
        }
    for (int h = 0; h < HALVES; h++)
        last_b[h] = answer[h];
    for (int64_t k = last - 1; k >= 0; k--)
        for (int h = 0; h < HALVES; h++) {
            double *const place = x + k * LINES + h * LANES, *const there = beside + (place - x);
            lanes value, over;
            LOAD(value, place);
            LOAD(ratio[h], there);
            answer[h] = value - ratio[h] * answer[h];
            if (periodic) {
                LOAD(over, there + n * LINES);
                answer[h] -= over * last_b[h];
            }
            STORE(place, answer[h]);
        }
}

static double mass_of(const struct line *line, int64_t unknown)
{
    return line->order > 1 ? line->mass[unknown] : line->rows[unknown * ROW + SUM_M];
}

/* Takes the constant out of the first line of a tile: of a right-hand side (sum: 1'b) or of an
 * answer (1'M x). */
CGS_PIECE void leave_constant_out(const struct line *line, bool answer, double *x)
{
    double sum = 0.0, mass = 0.0;
    for (int64_t k = 0; k < line->unknowns; k++) {
        const double here = mass_of(line, k);
        sum += answer ? here * x[k * LINES] : x[k * LINES];
        mass += here;
    }
    for (int64_t k = 0; k < line->unknowns; k++)
        x[k * LINES] -= sum / mass * (answer ? 1.0 : mass_of(line, k));
}

/* ---- lines of order p ---- */

/* From nodes to the even and odd parts of inner nodes, or back. */
CGS_PIECE void order_parts(int p, bool back, lanes *a)
{
    lanes b[CGS_INNER_MOST];
    const double root = 0.70710678118654752440;
#pragma GCC unroll 4
    for (int i = 1; i <= p / 2; i++) {
        if (2 * i == p) { /* the middle */
            b[i - 1] = a[i - 1];
            continue;
        }
        const int low = i - 1, high = back ? p / 2 + i - 1 : p - i - 1;
        const int odd = back ? p - i - 1 : p / 2 + i - 1;
        b[low] = (a[low] + a[high]) * root;
        b[odd] = (a[low] - a[high]) * root;
    }
#pragma GCC unroll 8
    for (int i = 0; i < p - 1; i++)
        a[i] = b[i];
}

/* a = Q a, or Q' a. */
CGS_PIECE void order_inner(int p, bool transposed, const struct cgs_cell_modes *cell, lanes *a)
{
    lanes b[CGS_INNER_MOST];
#pragma GCC unroll 8
    for (int i = 0; i < p - 1; i++) {
        const int from = i < p / 2 ? 0 : p / 2, to = i < p / 2 ? p / 2 : p - 1;
        b[i] = a[from] * (transposed ? cell->Q[from][i] : cell->Q[i][from]);
#pragma GCC unroll 4
        for (int j = from + 1; j < to; j++)
            b[i] += a[j] * (transposed ? cell->Q[j][i] : cell->Q[i][j]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < p - 1; i++)
        a[i] = b[i];
}

/* Factors of a cell of LANES lines: i / stiff and beta i / sqrt 2 of inner modes, S_e, S_o. */
struct order_part {
    lanes over[CGS_INNER_MOST], beta[CGS_INNER_MOST], even, odd;
};

CGS_PIECE void order_parts_of(int p, const struct cgs_cell_modes *cell, const double *of_cell,
                              lanes lambda, struct order_part *part)
{
    const double stiff = of_cell[STIFF], over = 1.0 / stiff;
    const lanes tau = (lambda * of_cell[MASS] + of_cell[ABSORB]) * over;
    part->even = (lanes){0.0} + cell->weight;
    part->odd = (lanes){0.0} + cell->weight;
#pragma GCC unroll 8
    for (int i = 0; i < p - 1; i++) {
        const lanes inverse = 1.0 / (cell->mu[i] + tau);
        const lanes more = inverse * (cell->beta[i] * cell->beta[i] / cell->mu[i]);
        if (i < p / 2)
            part->even += more;
        else
            part->odd += more;
        part->over[i] = inverse * over;
        part->beta[i] = inverse * (0.70710678118654752440 * cell->beta[i]);
    }
    part->even = stiff * tau * part->even;
    part->odd = stiff + stiff * tau * part->odd;
}

/* Room for a tile of condensed lines after its n LINES numbers. */
struct condensed {
    double *b; /* of the vertices, then the answer */
    struct vertices T;
    double *beside;
};

CGS_PIECE void add_to(double *place, lanes value)
{
    lanes sum;
    LOAD(sum, place);
    sum += value;
    STORE(place, sum);
}

/* Returns the vertex among those of T at the low (side 0) or high end of a cell, or -1. */
CGS_PIECE int64_t vertex_of(const struct line *line, int64_t c, int side)
{
    const int64_t vertex = c + side + line->first;
    return line->periodic && vertex == line->n ? 0 : vertex < line->n ? vertex : -1;
}

/* Returns the unknown that is vertex v. */
CGS_PIECE int64_t unknown_of(const struct line *line, int64_t v)
{
    return (v - line->first) * line->order + line->first;
}

/* Condenses a tile: inner nodes become g, and T and b of the vertices are added up. */
CGS_PIECE void condense(int p, const struct line *line, const struct sums *of, double *x,
                        const struct condensed *to)
{
    const int64_t count = line->n * LINES;
    memset(to->T.sum, 0, (size_t)count * sizeof *x);
    memset(to->T.off, 0, (size_t)count * sizeof *x);
    for (int64_t v = 0; v < line->n; v++)
        for (int l = 0; l < LINES; l++)
            to->b[v * LINES + l] = of->weight[l] * x[unknown_of(line, v) * LINES + l];
    for (int h = 0; h < HALVES; h++) {
        struct order_part part = {.even = {0.0}};
        lanes lambda, weight;
        LOAD(lambda, of->lambda + h * LANES);
        LOAD(weight, of->weight + h * LANES);
        for (int64_t c = 0; c < line->cells; c++) {
            const double *of_cell = line->of_cell + c * CELL;
            const int64_t low = vertex_of(line, c, 0), high = vertex_of(line, c, 1);
            double *const inner = x + (line->first + c * p + 1) * LINES + h * LANES;
            lanes g[CGS_INNER_MOST], s = {0.0}, d = {0.0};
            if (c == 0 || memcmp(of_cell, of_cell - CELL, CELL * sizeof *of_cell) != 0)
                order_parts_of(p, &line->cell, of_cell, lambda, &part);
#pragma GCC unroll 8
            for (int i = 0; i < p - 1; i++) {
                LOAD(g[i], inner + i * LINES);
                g[i] *= weight;
            }
            order_parts(p, false, g);
            order_inner(p, true, &line->cell, g);
#pragma GCC unroll 8
            for (int i = 0; i < p - 1; i++) {
                if (i < p / 2)
                    s += part.beta[i] * g[i];
                else
                    d += part.beta[i] * g[i];
                STORE(inner + i * LINES, g[i]);
            }
            const lanes own = 0.5 * (part.even + part.odd);
            const int64_t lane = h * LANES;
            if (low >= 0) {
                add_to(to->b + low * LINES + lane, d - s);
                add_to(to->T.sum + low * LINES + lane, high >= 0 ? part.even : own);
            }
            if (high >= 0) {
                add_to(to->b + high * LINES + lane, -s - d);
                add_to(to->T.sum + high * LINES + lane, low >= 0 ? part.even : own);
            }
            if (low >= 0 && high >= 0)
                add_to(to->T.off + low * LINES + lane, 0.5 * (part.even - part.odd));
        }
    }
    for (int l = 0; l < LINES && line->n > 0; l++) {
        to->T.sum[l] += line->transfer[0];
        to->T.sum[(line->n - 1) * LINES + l] += line->transfer[1];
    }
}

/* Puts the answer of the vertices and the inner nodes that follow from it into a tile. */
CGS_PIECE void expand(int p, const struct line *line, const struct sums *of,
                      const struct condensed *from, double *x)
{
    const lanes zero = {0.0};
    for (int64_t v = 0; v < line->n; v++)
        memcpy(x + unknown_of(line, v) * LINES, from->b + v * LINES, LINES * sizeof *x);
    for (int h = 0; h < HALVES; h++) {
        struct order_part part = {.even = {0.0}};
        lanes lambda;
        LOAD(lambda, of->lambda + h * LANES);
        for (int64_t c = 0; c < line->cells; c++) {
            const double *of_cell = line->of_cell + c * CELL;
            const int64_t low = vertex_of(line, c, 0), high = vertex_of(line, c, 1);
            double *const inner = x + (line->first + c * p + 1) * LINES + h * LANES;
            lanes g[CGS_INNER_MOST], below = zero, above = zero;
            if (c == 0 || memcmp(of_cell, of_cell - CELL, CELL * sizeof *of_cell) != 0)
                order_parts_of(p, &line->cell, of_cell, lambda, &part);
            if (low >= 0)
                LOAD(below, from->b + low * LINES + h * LANES);
            if (high >= 0)
                LOAD(above, from->b + high * LINES + h * LANES);
            const lanes s = below + above, d = above - below;
#pragma GCC unroll 8
            for (int i = 0; i < p - 1; i++) {
                LOAD(g[i], inner + i * LINES);
                g[i] = g[i] * part.over[i] - part.beta[i] * (i < p / 2 ? s : d);
            }
            order_inner(p, false, &line->cell, g);
            order_parts(p, true, g);
#pragma GCC unroll 8
            for (int i = 0; i < p - 1; i++)
                STORE(inner + i * LINES, g[i]);
        }
    }
}

static CGS_CLONES void condense_lines(const struct line *line, const struct sums *of, double *x,
                                      const struct condensed *to)
{
#define CALL(p) condense(p, line, of, x, to)
    BY_ORDER(CALL, line->order)
#undef CALL
}

static CGS_CLONES void expand_lines(const struct line *line, const struct sums *of,
                                    const struct condensed *from, double *x)
{
#define CALL(p) expand(p, line, of, from, x)
    BY_ORDER(CALL, line->order)
#undef CALL
}

static CGS_CLONES void solve_vertices(const struct line *line, const struct sums *of,
                                      const struct condensed *c)
{
    struct sums plain = *of;
    for (int l = 0; l < LINES; l++)
        plain.weight[l] = 1.0;
    if (line->periodic)
        solve_tile(line, true, &c->T, &plain, c->b, c->beside);
    else if (line->n > 0)
        solve_tile(line, false, &c->T, &plain, c->b, c->beside);
}

static void solve_order(const struct line *line, const struct sums *of, double *x)
{
    const int64_t count = line->n * LINES;
    double *room = x + line->unknowns * LINES;
    const struct condensed c = {room, {room + count, room + 2 * count}, room + 3 * count};
    condense_lines(line, of, x, &c);
    solve_vertices(line, of, &c);
    expand_lines(line, of, &c, x);
}

static CGS_CLONES void solve_lines(const struct fdm *f, const struct tile *tile, void *y,
                                   double *buffer)
{
    const struct line *line = &f->line;
    const int64_t first = cgs_turn_line(&f->shape, f->shape.rank) + tile->place;
    struct sums sums = {.pin = {0.0}};
    for (int l = 0; l < LINES; l++) {
        const int64_t place = first + (l < tile->lines ? l : 0);
        const int64_t i = place % f->n[0], j = place / f->n[0];
        sums.lambda[l] = f->lambda[0][i] + f->lambda[1][j];
        sums.weight[l] = f->weight[0][i] * f->weight[1][j];
    }
    const bool singular = first == 0 && !line->held && sums.lambda[0] == 0.0;
    read_tile(tile, f->number, y, buffer);
    if (singular) {
        sums.pin[0] = line->order > 1 ? line->of_cell[STIFF]
                      : line->n > 1   ? -line->rows[OFF_K]
                                      : 1.0;
        leave_constant_out(line, false, buffer);
    }
    if (line->order > 1)
        solve_order(line, &sums, buffer);
    else if (line->periodic)
        solve_tile(line, true, NULL, &sums, buffer, buffer + line->n * LINES);
    else
        solve_tile(line, false, NULL, &sums, buffer, buffer + line->n * LINES);
    if (singular)
        leave_constant_out(line, true, buffer);
    write_tile(tile, f->number, buffer, y);
}

/* ---- passes ---- */

/* Transforms along x or y (k: 0 or 1), or solves along z in place (2). */
static void pass(const struct fdm *f, int k, bool back, struct ends ends)
{
    const int64_t tiles = tiles_of(f, k, 0, NULL);
#pragma omp parallel num_threads(f->threads)
    {
        double *buffer = f->buffers + omp_get_thread_num() * f->rows * LINES;
#pragma omp for schedule(dynamic, 4)
        for (int64_t i = 0; i < tiles; i++) {
            struct tile tile;
            tiles_of(f, k, i, &tile);
            if (k == 2)
                solve_lines(f, &tile, ends.y, buffer);
            else
                transform_lines(f, k, back, &tile, &ends, buffer);
        }
    }
}

/* Rounds this rank's numbers of x to floats, or makes doubles of them again. */
static void convert(const struct fdm *f, bool narrow, const void *x, void *y)
{
    const int64_t rows = f->shape.cuts[f->shape.rank + 1] - f->shape.cuts[f->shape.rank];
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int64_t i = 0; i < rows; i++)
        if (narrow)
            ((float *)y)[i] = (float)((const double *)x)[i];
        else
            ((double *)y)[i] = ((const float *)x)[i];
}

/* From x to y, of numbers `outside`, by way of `work`, which may be y. */
static void run(const struct fdm *f, enum cgs_number outside, const void *x, void *work, void *y)
{
    /* ranks that complete their planes first send floats */
    const bool apart = outside != f->number && !cgs_turn_of_whole_planes(&f->shape);
    const enum cgs_number number = f->number, outer = apart ? number : outside;
    const void *from;
    if (apart)
        convert(f, true, x, work);
    void *slab = cgs_turn_begin(f->turn, apart ? work : x, work, &from);
    void *to = slab == work && !apart ? y : slab;
    const struct ends inside = {slab, slab, number, number};
    pass(f, 0, false, (struct ends){from, slab, outer, number});
    pass(f, 1, false, inside);
    void *lines = cgs_turn_over(f->turn, slab);
    pass(f, 2, false, (struct ends){lines, lines, number, number});
    cgs_turn_back(f->turn, slab);
    pass(f, 1, true, inside);
    pass(f, 0, true, (struct ends){slab, to, number, outer});
    cgs_turn_end(f->turn, slab, work);
    if (apart)
        convert(f, false, work, y);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct fdm *f = self;
    (void)queue;
    if (!cgs_cpu_stopped(state))
        run(f, f->number, x, y, y);
    return CGS_OK;
}

static enum cgs_status apply_narrow(const void *self, struct cgs_queue *queue,
                                    struct cgs_cg_state *state, const void *x, void *work, void *y,
                                    enum cgs_sum sum)
{
    (void)queue, (void)sum;
    if (!cgs_cpu_stopped(state))
        run(self, CGS_F64, x, work, y);
    return CGS_OK;
}

/* ---- all of it ---- */

/* Returns the vertices among the unknowns of a line of order > 1. */
static int64_t count_vertices(const struct cgs_fdm_line *line)
{
    return (line->n - 1 - line->first) / line->order + 1 + line->first;
}

static int64_t rows_of(const struct cgs_fdm_direction direction[2], const struct cgs_fdm_line *line)
{
    int64_t most = line->order > 1 ? line->n + (line->periodic ? 5 : 4) * count_vertices(line)
                                   : (line->periodic ? 3 : 2) * line->n;
    for (int k = 0; k < 2; k++) {
        const int64_t rows = buffer_rows(&direction[k]);
        most = rows > most ? rows : most;
    }
    return most;
}

/* Returns the numbers of matrices, tables and buffers. */
static int64_t line_numbers(const struct cgs_fdm_line *line)
{
    return line->order > 1 ? CELL * line->cells + line->n : ROW * line->n;
}

static int64_t numbers_of(const struct cgs_fdm_direction direction[2],
                          const struct cgs_fdm_line *line, int threads)
{
    int64_t numbers = LINES * rows_of(direction, line) * threads + line_numbers(line);
    for (int k = 0; k < 2; k++)
        numbers += transform_numbers(&direction[k]) + 2 * direction[k].n;
    return numbers;
}

static void plan(struct cgs_plan *plan, const struct cgs_fdm_direction direction[2],
                 const struct cgs_fdm_line *line, enum cgs_number number, int threads,
                 const struct cgs_turn_shape *shape)
{
    struct cgs_turn_shape tiles = *shape;
    (void)number;
    tiles.unit = LINES;
    cgs_turn_plan(plan, &tiles);
    cgs_plan_add(plan, CGS_HOST, "transforms of fdm", 1, sizeof(struct fdm));
    cgs_plan_add(plan, CGS_HOST, "matrices of fdm", numbers_of(direction, line, threads),
                 sizeof(double));
}

static void release(void *self)
{
    struct fdm *f = self;
    if (!f)
        return;
    struct cgs_context *context = f->context;
    cgs_turn_release(f->turn);
    cgs_free(context, f->memory);
    cgs_free(context, f);
}

/* Sums of K's rows are rounding alone where they are not more than what the diagonal rounds. */
static void make_line(const struct cgs_fdm_line *from, double *rows, struct line *line)
{
    const int64_t n = from->n;
    *line = (struct line){.n = n, .periodic = from->periodic, .held = from->held, .rows = rows};
    line->unknowns = n;
    for (int64_t k = 0; k < n; k++, rows += ROW) {
        const int64_t before = k > 0 ? k - 1 : n - 1;
        const double sum =
            from->stiffness[k] + from->stiffness_off[before] + from->stiffness_off[k];
        rows[SUM_K] = fabs(sum) <= 4.0 * DBL_EPSILON * from->stiffness[k] ? 0.0 : sum;
        rows[SUM_M] = from->mass[k] + from->mass_off[before] + from->mass_off[k];
        rows[OFF_K] = from->stiffness_off[k];
        rows[OFF_M] = from->mass_off[k];
    }
}

static void make_line_of_order(const struct cgs_fdm_line *from, double *numbers, struct line *line)
{
    *line = (struct line){.n = count_vertices(from),
                          .periodic = from->periodic,
                          .held = from->held,
                          .order = from->order,
                          .unknowns = from->n,
                          .cells = from->cells,
                          .first = from->first,
                          .transfer = {from->transfer[0], from->transfer[1]},
                          .of_cell = numbers,
                          .mass = numbers + CELL * from->cells};
    cgs_cell_modes_make(from->order, &line->cell);
    for (int64_t c = 0; c < from->cells; c++, numbers += CELL) {
        numbers[STIFF] = from->cell[c].stiff;
        numbers[MASS] = from->cell[c].mass;
        numbers[ABSORB] = from->cell[c].absorb;
    }
    memcpy(line->mass, from->mass, (size_t)from->n * sizeof *numbers);
}

static enum cgs_status create(const struct cgs_space *space,
                              const struct cgs_fdm_direction direction[2],
                              const struct cgs_fdm_line *line, void **self)
{
    const int64_t n[3] = {direction[0].n, direction[1].n, line->n};
    struct cgs_context *context = space->queue->context;
    struct fdm *f;
    CGS_TRY(cgs_alloc(context, 1, sizeof *f, "transforms of fdm", (void **)&f));
    *f = (struct fdm){.context = context,
                      .n = {n[0], n[1], n[2]},
                      .rows = rows_of(direction, line),
                      .shape = cgs_turn_shape_of(space, n),
                      .threads = context->threads,
                      .number = space->number};
    f->shape.unit = LINES;
    enum cgs_status status = cgs_alloc(context, numbers_of(direction, line, f->threads),
                                       sizeof(double), "matrices of fdm", (void **)&f->memory);
    if (status == CGS_OK)
        status = cgs_turn_create(context, &f->shape, &f->turn);
    if (status != CGS_OK) {
        release(f);
        return status;
    }
    double *next = f->memory;
    f->buffers = next;
    next += LINES * f->rows * f->threads;
    (line->order > 1 ? make_line_of_order : make_line)(line, next, &f->line);
    next += line_numbers(line);
    for (int k = 0; k < 2; k++) {
        make_transform(&direction[k], &next, &f->transform[k]);
        f->lambda[k] = memcpy(next, direction[k].lambda, (size_t)f->n[k] * sizeof *next);
        f->weight[k] = memcpy(next + f->n[k], direction[k].weight, (size_t)f->n[k] * sizeof *next);
        for (int64_t j = 0; j < f->n[k] && f->transform[k].fast; j++)
            f->weight[k][j] *= 0.25; /* both ways are doubled */
        next += 2 * f->n[k];
    }
    *self = f;
    return CGS_OK;
}

CGS_EXPORT(struct cgs_fdm_ops, cgs_cpu_fdm) = {.plan = plan,
                                               .create = create,
                                               .release = release,
                                               .apply = apply,
                                               .apply_narrow = apply_narrow};
