/* Modes of lines along x and y. Order p > 1: cells alike by the formulas of
 * fem/element/order_modes.h, else as two full matrices. Order 1:
 *
 * Cells alike: K = (ratio a / h) (2 - 2 cos theta) W and M = a h (1 - m s) W on the mode of angle
 * theta, with s = 4 sin^2(theta / 2), m = (1 - p^2)/4 and W = 1, 1/2 at free ends.
 *
 * Else by LAPACK's divide and conquer. As long as K is `ratio` times the same factors, cell by cell
 * M = D - (m h^2 / ratio) K with a diagonal D, so that K v = mu D v has the same modes, lambda = mu
 * / (1 - m h^2 mu / ratio), and D^-1/2 K D^-1/2 is tridiagonal unless the line is periodic.
 * Transfer adds to K and D. A tridiagonal line that is its own mirror image has even and odd modes,
 * which are two problems of half the size. Other lines are a problem of two full matrices. All
 * lambda are Rayleigh's quotients of the modes, sums of positive numbers.
 */
#include "core/precond/modes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fem/element/lobatto.h"

/* ---- formulas ---- */

static enum cgs_fdm_kind kind_of(int open, bool periodic)
{
    return periodic    ? CGS_FDM_PERIODIC
           : open == 0 ? CGS_FDM_SINE
           : open == 1 ? CGS_FDM_MIXED_REVERSED
           : open == 2 ? CGS_FDM_MIXED
                       : CGS_FDM_COSINE;
}

/* Returns half the angle of mode j, and sum_i W_i S_ij^2. */
static double half_angle(enum cgs_fdm_kind kind, int64_t n, int64_t j, double *square)
{
    const double pi = 3.14159265358979323846, m = (double)n;
    *square = 0.5 * m;
    switch (kind) {
    case CGS_FDM_SINE:
        *square = 0.5 * (m + 1.0);
        return 0.5 * pi * (double)(j + 1) / (m + 1.0);
    case CGS_FDM_COSINE:
        *square = j == 0 || j == n - 1 ? m - 1.0 : 0.5 * (m - 1.0);
        return 0.5 * pi * (double)j / (m - 1.0);
    case CGS_FDM_PERIODIC:
        *square = j == 0 || 2 * j == n ? m : 0.5 * m;
        return pi * (double)(2 * j <= n ? j : n - j) / m;
    default:
        return 0.5 * pi * ((double)j + 0.5) / m;
    }
}

static void by_formula(const struct cgs_separable_direction *line, double lag,
                       const struct cgs_fdm_direction *modes, double *lambda, double *weight)
{
    for (int64_t j = 0; j < line->n; j++) {
        double square;
        const double sine = sin(half_angle(modes->kind, line->n, j, &square));
        const double s = 4.0 * sine * sine, mass = 1.0 - lag * s;
        lambda[j] = line->ratio * s / (line->h * line->h * mass);
        weight[j] = 1.0 / (line->mass[0] * line->h * mass * square);
    }
}

/* Cells alike, of order p > 1. */
static void by_blocks(const struct cgs_separable_direction *line,
                      const struct cgs_fdm_direction *modes, double *lambda, double *weight,
                      double *blocks)
{
    struct cgs_cell_modes cell;
    cgs_cell_modes_make(line->order, &cell);
    cgs_order_line_modes(&cell, cgs_fdm_ends(modes->kind), line->cells, lambda, blocks);
    for (int64_t j = 0; j < line->n; j++) {
        lambda[j] *= line->ratio * 4.0 / (line->h * line->h);
        weight[j] = 2.0 / (line->mass[0] * line->h);
    }
}

/* ---- eigenproblems ---- */

/* A tridiagonal matrix (d, e), or the pencil (z, b) of full ones. */
struct problem {
    int64_t n;
    int info;  /* 0: solved */
    double *d; /* the diagonal before, the eigenvalues after */
    double *e; /* beside the diagonal */
    double *z; /* eigenvector j: the n numbers from j n on */
    double *b; /* NULL: tridiagonal */
    double *work;
    int *indices;
};

static int64_t count_work(int64_t n, bool full)
{
    return full ? 1 + 6 * n + 2 * n * n : 1 + 4 * n + n * n;
}

static int64_t count_indices(int64_t n)
{
    return 3 + 5 * n;
}

enum { LONGEST = 32000 }; /* the work of a full problem is counted in int */

/* Fortran's names; lengths of texts come last. */
void dstevd_(const char *job, const int *n, double *d, double *e, double *z, const int *step,
             double *work, const int *numbers, int *indices, const int *count, int *info, size_t);
void dsygvd_(const int *type, const char *job, const char *triangle, const int *n, double *a,
             const int *step, double *b, const int *step_b, double *d, double *work,
             const int *numbers, int *indices, const int *count, int *info, size_t, size_t);

static void solve(struct problem *p)
{
    const int type = 1, n = (int)p->n, numbers = (int)count_work(n, p->b != NULL),
              count = (int)count_indices(n);
    if (p->b)
        dsygvd_(&type, "V", "L", &n, p->z, &n, p->b, &n, p->d, p->work, &numbers, p->indices,
                &count, &p->info, 1, 1);
    else
        dstevd_("V", &n, p->d, p->e, p->z, &n, p->work, &numbers, p->indices, &count, &p->info, 1);
}

/* ---- a line ---- */

/* A direction without formulas. */
struct line {
    const struct cgs_separable_direction *of;
    struct cgs_line_matrices matrices; /* mass: D, if there is a ratio */
    struct problem problem[2];         /* even and odd modes; else one alone */
    int problems;
    double *vectors, *lambda, *weight; /* to be found */
};

static bool is_mirrored(const struct cgs_separable_direction *line)
{
    const int64_t last = line->cells - 1;
    bool mirrored = line->order == 1 && line->ratio > 0.0 && !line->periodic &&
                    (line->open == 0 || line->open == 3) && line->transfer[0] == line->transfer[1];
    for (int64_t c = 0; c <= last && mirrored; c++)
        mirrored = line->mass[c] == line->mass[last - c];
    return mirrored;
}

/* Returns true if the problem is one of two full matrices. */
static bool is_full(const struct cgs_separable_direction *line)
{
    return line->periodic || line->ratio == 0.0 || line->order > 1;
}

enum { TABLES = 6 }; /* four of the matrices, and d and e of the problems */

/* Returns a bound of the numbers that a line's problems take. */
static int64_t line_numbers(int64_t n, bool full)
{
    return TABLES * n + n * n + count_work(n, full) + count_indices(n) + 8;
}

/* Takes a problem's memory from *next on; square: with n^2 numbers, which are returned. */
static double *take(int64_t n, bool full, bool square, double **next, struct problem *problem)
{
    *problem = (struct problem){.n = n, .d = *next, .e = *next + n, .work = *next + 2 * n};
    *next = problem->work + count_work(n, full);
    problem->indices = (int *)*next;
    *next += (count_indices(n) + 1) / 2;
    double *numbers = *next;
    *next += square ? n * n : 0;
    return square ? numbers : NULL;
}

/* ---- lines of order p ---- */

/* Returns the unknown of a node of cell c, or -1. */
static int64_t unknown_of(const struct cgs_separable_direction *line, int64_t c, int node)
{
    const int64_t unknown = line->first + c * line->order + node;
    return line->periodic && unknown == line->n ? 0 : unknown < line->n ? unknown : -1;
}

/* Computes the factors of a cell for the reference cell's K and M. */
static struct cgs_fdm_cell cell_of(const struct cgs_separable_direction *line, int64_t c)
{
    return (struct cgs_fdm_cell){.stiff = line->stiff[c] * 2.0 / line->h,
                                 .mass = line->mass[c] * line->h / 2.0,
                                 .absorb = line->absorb ? line->absorb[c] * line->h / 2.0 : 0.0};
}

/* Adds cells to the diagonal of M and, unless NULL, the lower triangle of K. */
static void add_cells(const struct cgs_separable_direction *line, double *stiffness, int64_t step,
                      double *mass)
{
    struct cgs_lobatto lobatto;
    cgs_lobatto_make(line->order, &lobatto);
    for (int64_t c = 0; c < line->cells; c++) {
        const struct cgs_fdm_cell cell = cell_of(line, c);
        for (int a = 0; a <= line->order; a++) {
            const int64_t i = unknown_of(line, c, a);
            if (i < 0)
                continue;
            mass[i * step] += cell.mass * lobatto.weight[a];
            for (int b = 0; b <= line->order && stiffness; b++) {
                const int64_t j = unknown_of(line, c, b);
                double sum = a == b ? cell.absorb * lobatto.weight[a] : 0.0;
                for (int q = 0; q <= line->order; q++)
                    sum += cell.stiff * lobatto.weight[q] * lobatto.slope[q * CGS_NODES_MOST + a] *
                           lobatto.slope[q * CGS_NODES_MOST + b];
                if (j >= 0 && j <= i)
                    stiffness[j * line->n + i] += sum;
            }
        }
    }
    for (int side = 0; side < 2 && stiffness; side++)
        stiffness[side * (line->n * line->n - 1)] += line->transfer[side];
}

/* Returns v'K v without transfer; *mass: v'M v. */
static double quotient_of_order(const struct cgs_separable_direction *line, const double *v,
                                double *mass)
{
    struct cgs_lobatto lobatto;
    double energy = 0.0;
    cgs_lobatto_make(line->order, &lobatto);
    *mass = 0.0;
    for (int64_t c = 0; c < line->cells; c++) {
        const struct cgs_fdm_cell cell = cell_of(line, c);
        double u[CGS_NODES_MOST];
        for (int a = 0; a <= line->order; a++) {
            const int64_t i = unknown_of(line, c, a);
            u[a] = i < 0 ? 0.0 : v[i];
            *mass += cell.mass * lobatto.weight[a] * u[a] * u[a];
            energy += cell.absorb * lobatto.weight[a] * u[a] * u[a];
        }
        for (int q = 0; q <= line->order; q++) {
            double slope = 0.0;
            for (int a = 0; a <= line->order; a++)
                slope += lobatto.slope[q * CGS_NODES_MOST + a] * u[a];
            energy += cell.stiff * lobatto.weight[q] * slope * slope;
        }
    }
    return energy;
}

/* ---- its problems ---- */

/* K and M, lower triangles column by column. */
static void pose_full(struct line *line, double *next)
{
    const int64_t n = line->of->n;
    struct problem *p = &line->problem[0];
    p->b = take(n, true, true, &next, p);
    p->z = line->vectors;
    memset(p->z, 0, (size_t)(n * n) * sizeof(double));
    memset(p->b, 0, (size_t)(n * n) * sizeof(double));
    line->problems = 1;
    if (line->of->order > 1) {
        add_cells(line->of, p->z, n + 1, p->b);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        p->z[i * n + i] = line->matrices.stiffness[i];
        p->b[i * n + i] = line->matrices.mass[i];
    }
    for (int64_t i = 0; i < n - 1 + line->of->periodic; i++) { /* at last the corner */
        const int64_t place = i + 1 < n ? i * n + i + 1 : n - 1;
        p->z[place] = line->matrices.stiffness_off[i];
        p->b[place] = line->matrices.mass_off[i];
    }
}

/* D^-1/2 K D^-1/2; of a mirrored line its even and its odd part. */
static void pose_tridiagonal(struct line *line, double *next)
{
    const struct cgs_line_matrices *m = &line->matrices;
    const int64_t n = line->of->n, middle = n / 2;
    const bool mirrored = is_mirrored(line->of);
    line->problems = mirrored && n > 1 ? 2 : 1;
    for (int odd = 0; odd < line->problems; odd++) {
        const int64_t count = mirrored ? (n + 1 - odd) / 2 : n;
        struct problem *p = &line->problem[odd];
        double *z = take(count, false, mirrored, &next, p);
        p->z = mirrored ? z : line->vectors;
        for (int64_t i = 0; i < count; i++) {
            p->d[i] = m->stiffness[i] / m->mass[i];
            p->e[i] = i + 1 < n ? m->stiffness_off[i] / sqrt(m->mass[i] * m->mass[i + 1]) : 0.0;
        }
        if (mirrored && n % 2 == 0)
            p->d[count - 1] += odd ? -p->e[middle - 1] : p->e[middle - 1];
        else if (mirrored && !odd && n > 1)
            p->e[count - 2] *= sqrt(2.0);
    }
}

/* Computes K and M of direction k in the 4 n numbers from `memory` on. */
static struct cgs_line_matrices matrices_of(const struct cgs_separable *separable, int k,
                                            double *memory)
{
    const int64_t n = separable->direction[k].n;
    const struct cgs_line_matrices m = {memory, memory + n, memory + 2 * n, memory + 3 * n};
    cgs_separable_matrices(separable, k, &m);
    return m;
}

static void pose(const struct cgs_separable *separable, int k, struct line *line, double *next)
{
    const struct cgs_separable_direction *of = line->of;
    struct cgs_line_matrices *m = &line->matrices;
    if (of->order > 1) {
        pose_full(line, next);
        return;
    }
    *m = matrices_of(separable, k, next);
    next += 4 * of->n;
    for (int64_t i = 0; i < of->n && of->ratio > 0.0; i++) {
        m->mass[i] +=
            cgs_separable_lag(separable->quadrature) * of->h * of->h / of->ratio * m->stiffness[i];
        m->mass_off[i] = 0.0;
    }
    if (is_full(of))
        pose_full(line, next);
    else
        pose_tridiagonal(line, next);
}

/* Mode j of the line from those of its problems. */
static void take_mode(const struct line *line, int64_t j, double *v)
{
    const int64_t n = line->of->n;
    if (is_mirrored(line->of)) {
        const struct problem *p = &line->problem[j % 2];
        const double *half = p->z + j / 2 * p->n;
        for (int64_t i = 0; i < n / 2; i++) {
            v[i] = sqrt(0.5) * half[i];
            v[n - 1 - i] = j % 2 ? -v[i] : v[i];
        }
        if (n % 2 == 1)
            v[n / 2] = j % 2 ? 0.0 : half[n / 2];
    }
    for (int64_t i = 0; i < n; i++)
        if (j == 0 && !line->of->held)
            v[i] = 1.0;
        else if (!is_full(line->of))
            v[i] /= sqrt(line->matrices.mass[i]);
}

/* Returns v'K v; *mass: v'M v. */
static double quotient(const struct cgs_separable_direction *line, double lag, const double *v,
                       double *mass)
{
    double energy =
        line->transfer[0] * v[0] * v[0] + line->transfer[1] * v[line->n - 1] * v[line->n - 1];
    if (line->order > 1)
        return energy + quotient_of_order(line, v, mass);
    *mass = 0.0;
    for (int64_t c = 0; c < line->cells; c++) {
        const int64_t i = line->first + c, next = line->periodic && i + 1 == line->n ? 0 : i + 1;
        const double low = i >= 0 ? v[i] : 0.0, high = next < line->n ? v[next] : 0.0;
        const double square =
            line->h * ((0.5 - lag) * (low * low + high * high) + 2.0 * lag * low * high);
        energy += line->stiff[c] / line->h * ((high - low) * (high - low));
        energy += line->absorb ? line->absorb[c] * square : 0.0;
        *mass += line->mass[c] * square;
    }
    return energy;
}

static void finish(const struct line *line, double lag, int threads)
{
    const int64_t n = line->of->n;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < n; j++) {
        double *v = line->vectors + j * n, mass;
        take_mode(line, j, v);
        const double energy = quotient(line->of, lag, v, &mass);
        line->lambda[j] = j == 0 && !line->of->held ? 0.0 : energy / mass;
        line->weight[j] = 1.0;
        for (int64_t i = 0; i < n; i++)
            v[i] /= sqrt(mass);
    }
}

/* ---- all of it ---- */

/* Adds the reaction c to the sums of lambda of two directions, half of it to each of them: K_d +
 * c/2 M_d has the modes of K_d. Directions that are alike stay so. */
static void add_reaction(const struct cgs_separable *separable, int64_t n, double *lambda)
{
    for (int64_t j = 0; j < n && separable->reaction > 0.0; j++)
        lambda[j] += separable->reaction / 2.0;
}

/* Returns true if y is like x. */
static bool are_alike(const struct cgs_separable *separable)
{
    const struct cgs_separable_direction *x = &separable->direction[0],
                                         *y = &separable->direction[1];
    const size_t bytes = (size_t)x->cells * sizeof(double);
    return !x->absorb && !y->absorb && x->n == y->n && x->cells == y->cells && x->open == y->open &&
           x->h == y->h && x->transfer[0] == y->transfer[0] && x->transfer[1] == y->transfer[1] &&
           memcmp(x->stiff, y->stiff, bytes) == 0 && memcmp(x->mass, y->mass, bytes) == 0;
}

static int64_t kept_numbers(const struct cgs_fdm_direction *d)
{
    const int64_t angles =
        d->order > 1 ? cgs_order_angles(cgs_fdm_ends(d->kind), cgs_fdm_cells(d)) : 0;
    return 2 * d->n + (d->kind == CGS_FDM_DENSE ? d->n * d->n : angles * d->order * d->order);
}

/* Returns the kind of a direction. */
static enum cgs_fdm_kind kind_by(bool uniform, int order, int open)
{
    const bool periodic = cgs_periodic(open);
    return uniform && !(periodic && order > 1) ? kind_of(open, periodic) : CGS_FDM_DENSE;
}

static enum cgs_status accepts(struct cgs_context *context,
                               const struct cgs_separable_direction *of, int k)
{
    if (of->n > LONGEST)
        return cgs_fail(context, CGS_USAGE,
                        "\1precond=fdm: %lld unknowns in %c, where kappa varies or faces have "
                        "transfer, are more than %d: take \1precond=mg",
                        (long long)of->n, "xy"[k], LONGEST);
    return CGS_OK;
}

/* Solves the problems of all lines, each by one thread. */
static enum cgs_status solve_all(struct cgs_context *context, struct line line[2])
{
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1)
    for (int i = 0; i < 4; i++)
        if (i % 2 < line[i / 2].problems)
            solve(&line[i / 2].problem[i % 2]);
    for (int i = 0; i < 4; i++)
        if (i % 2 < line[i / 2].problems && line[i / 2].problem[i % 2].info != 0)
            return cgs_fail(context, CGS_BREAKDOWN,
                            "the modes of the box in %c were not found: LAPACK says %d",
                            "xy"[i / 2], line[i / 2].problem[i % 2].info);
    return CGS_OK;
}

/* Finds the modes of lines without formulas. */
static enum cgs_status by_lapack(struct cgs_context *context, const struct cgs_separable *separable,
                                 struct line line[2])
{
    int64_t numbers = 0;
    double *memory;
    for (int k = 0; k < 2; k++) {
        if (!line[k].of)
            continue;
        CGS_TRY(accepts(context, line[k].of, k));
        numbers += line_numbers(line[k].of->n, is_full(line[k].of));
    }
    if (numbers == 0)
        return CGS_OK;
    CGS_TRY(
        cgs_alloc(context, numbers, sizeof(double), "eigenproblems of lines", (void **)&memory));
    double *next = memory;
    for (int k = 0; k < 2; k++)
        if (line[k].of) {
            pose(separable, k, &line[k], next);
            next += line_numbers(line[k].of->n, is_full(line[k].of));
        }
    const enum cgs_status status = solve_all(context, line);
    for (int k = 0; k < 2 && status == CGS_OK; k++)
        if (line[k].of)
            finish(&line[k], cgs_separable_lag(separable->quadrature), context->threads);
    cgs_free(context, memory);
    return status;
}

/* Fills in lines along z, with tables of 4 n numbers. */
static void make_line(const struct cgs_separable *separable, double *numbers,
                      struct cgs_fdm_line *line)
{
    const struct cgs_separable_direction *z = &separable->direction[2];
    *line = (struct cgs_fdm_line){
        .n = z->n, .periodic = z->periodic, .held = z->held, .order = z->order};
    if (z->order > 1) {
        struct cgs_fdm_cell *cell = (struct cgs_fdm_cell *)(numbers + z->n);
        memset(numbers, 0, (size_t)z->n * sizeof *numbers);
        add_cells(z, NULL, 1, numbers);
        for (int64_t c = 0; c < z->cells; c++)
            cell[c] = cell_of(z, c);
        line->mass = numbers;
        line->cells = z->cells;
        line->first = z->first;
        line->cell = cell;
        memcpy(line->transfer, z->transfer, sizeof line->transfer);
        return;
    }
    const struct cgs_line_matrices m = matrices_of(separable, 2, numbers);
    line->stiffness = m.stiffness;
    line->stiffness_off = m.stiffness_off;
    line->mass = m.mass;
    line->mass_off = m.mass_off;
}

enum cgs_status cgs_modes_create(struct cgs_context *context, const struct cgs_separable *separable,
                                 struct cgs_modes *modes)
{
    struct cgs_modes made = {.memory = NULL};
    struct line line[2] = {{.of = NULL}};
    const int directions = are_alike(separable) ? 1 : 2;
    const struct cgs_separable_direction *z = &separable->direction[2];
    int64_t numbers = 4 * z->n;
    for (int k = 0; k < 2; k++) {
        const struct cgs_separable_direction *of = &separable->direction[k];
        made.direction[k] =
            (struct cgs_fdm_direction){.n = of->n,
                                       .kind = kind_by(of->uniform, of->order, of->open),
                                       .order = of->order,
                                       .mirrored = !of->uniform && is_mirrored(of)};
        numbers += k < directions ? kept_numbers(&made.direction[k]) : 0;
    }
    CGS_TRY(cgs_alloc(context, numbers, sizeof(double), "modes of lines", (void **)&made.memory));
    make_line(separable, made.memory, &made.line);
    double *next = made.memory + 4 * z->n;
    for (int k = 0; k < directions; k++) {
        struct cgs_fdm_direction *d = &made.direction[k];
        double *lambda = next, *weight = next + d->n, *vectors = next + 2 * d->n;
        next += kept_numbers(d);
        d->lambda = lambda;
        d->weight = weight;
        d->vectors = d->kind == CGS_FDM_DENSE ? vectors : NULL;
        d->blocks = vectors;
        if (d->vectors)
            line[k] = (struct line){&separable->direction[k], .vectors = vectors, .lambda = lambda,
                                    .weight = weight};
        else if (d->order > 1)
            by_blocks(&separable->direction[k], d, lambda, weight, vectors);
        else
            by_formula(&separable->direction[k], cgs_separable_lag(separable->quadrature), d,
                       lambda, weight);
    }
    const enum cgs_status status = by_lapack(context, separable, line);
    for (int k = 0; k < directions && status == CGS_OK; k++)
        add_reaction(separable, made.direction[k].n, (double *)made.direction[k].lambda);
    if (directions == 1)
        made.direction[1] = made.direction[0];
    if (status != CGS_OK) {
        cgs_modes_release(context, &made);
        return status;
    }
    *modes = made;
    return CGS_OK;
}

void cgs_modes_release(struct cgs_context *context, struct cgs_modes *modes)
{
    cgs_free(context, modes->memory);
    *modes = (struct cgs_modes){.memory = NULL};
}

void cgs_modes_foresee(const struct cgs_mesh *mesh, struct cgs_fdm_direction direction[2],
                       struct cgs_fdm_line *line)
{
    *line = (struct cgs_fdm_line){.n = mesh->n[2],
                                  .periodic = cgs_periodic(mesh->open[2]),
                                  .order = mesh->order,
                                  .cells = cgs_mesh_cells(mesh, 2) / mesh->order,
                                  .first = (mesh->open[2] & 1) - 1};
    for (int k = 0; k < 2; k++)
        direction[k] = (struct cgs_fdm_direction){
            .n = mesh->n[k],
            .kind = kind_by(mesh->kappa.kind == CGS_KAPPA_ONE, mesh->order, mesh->open[k]),
            .order = mesh->order};
}

void cgs_modes_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan)
{
    struct cgs_fdm_direction direction[2];
    struct cgs_fdm_line line;
    cgs_modes_foresee(mesh, direction, &line);
    int64_t kept = 4 * line.n, lines = 0;
    for (int k = 0; k < 2; k++) {
        kept += kept_numbers(&direction[k]);
        if (direction[k].kind == CGS_FDM_DENSE)
            lines += line_numbers(direction[k].n, cgs_periodic(mesh->open[k]) ||
                                                      mesh->kappa.orthotropic || mesh->order > 1);
    }
    cgs_plan_add(plan, CGS_HOST, "modes of lines", kept, sizeof(double));
    cgs_plan_add(plan, CGS_HOST, "eigenproblems of lines", lines, sizeof(double));
}
