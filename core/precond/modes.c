/* Modes of lines.
 *
 * Cells alike: K = (ratio a / h) (2 - 2 cos theta) W and M = a h (1 - m s) W on the mode of angle
 * theta, with s = 4 sin^2(theta / 2), m = (1 - p^2)/4 and W = 1, 1/2 at free ends.
 *
 * Else, as long as K is `ratio` times the same factors: cell by cell M = D - (m h^2 / ratio) K
 * with a diagonal D, so that K v = mu D v has the same modes, lambda = mu / (1 - m h^2 mu / ratio),
 * and D^-1/2 K D^-1/2 is tridiagonal. Transfer adds to K and D. Otherwise M = L L', and L^-1 K L^-T
 * is made tridiagonal by Householder's reflections. A line that is its own mirror image has even
 * and odd modes, which are two problems of half the size. All lambda are Rayleigh's quotients of
 * the modes, sums of positive numbers.
 */
#include "core/precond/modes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vectorise.h"

enum { SWEEPS = 60, TABLES = 12 };

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

/* ---- tridiagonal matrices ---- */

/* Rotates two rows. */
static CGS_CLONES void rotate(int64_t n, double c, double s, double *restrict low,
                              double *restrict high)
{
    for (int64_t i = 0; i < n; i++) {
        const double f = high[i], g = low[i];
        high[i] = s * g + c * f;
        low[i] = c * g - s * f;
    }
}

/* QL with implicit shifts (EISPACK's tql2). d, e: diagonal and, from e[0], the numbers beside
 * it; d becomes the eigenvalues. z: rows that are rotated along, row i beside d[i], of `width`.
 * Returns false if an eigenvalue does not come. */
static bool ql(int64_t n, double *d, double *e, double *z, int64_t width)
{
    e[n - 1] = 0.0;
    for (int64_t l = 0; l < n; l++)
        for (int sweep = 0;; sweep++) {
            int64_t m = l, i;
            while (m < n - 1 && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])))
                m++;
            if (m == l)
                break;
            if (sweep == SWEEPS)
                return false;
            double g = (d[l + 1] - d[l]) / (2.0 * e[l]), r = hypot(g, 1.0);
            g = d[m] - d[l] + e[l] / (g + copysign(r, g));
            double s = 1.0, c = 1.0, p = 0.0;
            for (i = m - 1; i >= l; i--) {
                double f = s * e[i];
                const double b = c * e[i];
                e[i + 1] = r = hypot(f, g);
                if (r == 0.0) {
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                rotate(width, c, s, z + i * width, z + (i + 1) * width);
            }
            if (r == 0.0 && i >= l)
                continue;
            d[l] -= p;
            e[l] = g;
            e[m] = 0.0;
        }
    return true;
}

static void make_unit(int64_t n, double *z)
{
    memset(z, 0, (size_t)(n * n) * sizeof *z);
    for (int64_t i = 0; i < n; i++)
        z[i * n + i] = 1.0;
}

/* Sorts d ascending, and the rows of z with it; used: n numbers to work with. */
static void sort(int64_t n, double *d, double *z, double *used)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            least = d[j] < d[least] ? j : least;
        if (least == i)
            continue;
        const double number = d[i];
        d[i] = d[least];
        d[least] = number;
        memcpy(used, z + i * n, (size_t)n * sizeof *z);
        memcpy(z + i * n, z + least * n, (size_t)n * sizeof *z);
        memcpy(z + least * n, used, (size_t)n * sizeof *z);
    }
}

/* Eigenvectors of a tridiagonal matrix that is its own mirror image: row 2 i of z even, row
 * 2 i + 1 odd, in ascending order. `work`: (n + 1)^2 / 2 numbers; small: 3 n. */
static bool mirrored_modes(int64_t n, const double *d, const double *e, double *z, double *work,
                           double *small)
{
    double *half = small, *beside = small + n, *used = small + 2 * n;
    for (int odd = 0; odd < 2; odd++) {
        const int64_t count = (n + 1 - odd) / 2, middle = n / 2;
        if (count == 0)
            continue;
        memcpy(half, d, (size_t)count * sizeof *d);
        memcpy(beside, e, (size_t)count * sizeof *e);
        if (n % 2 == 0)
            half[count - 1] += odd ? -e[middle - 1] : e[middle - 1];
        else if (!odd && n > 1)
            beside[count - 2] *= sqrt(2.0);
        make_unit(count, work);
        if (!ql(count, half, beside, work, count))
            return false;
        sort(count, half, work, used);
        for (int64_t j = 0; j < count; j++) {
            double *row = z + (2 * j + odd) * n;
            memset(row, 0, (size_t)n * sizeof *row);
            for (int64_t i = 0; i < n / 2; i++) {
                row[i] = sqrt(0.5) * work[j * count + i];
                row[n - 1 - i] = odd ? -row[i] : row[i];
            }
            if (n % 2 == 1 && !odd)
                row[middle] = work[j * count + middle];
        }
    }
    return true;
}

/* ---- dense matrices ---- */

static CGS_CLONES double inner(int64_t n, const double *restrict a, const double *restrict b)
{
    double sum[8] = {0.0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++)
            sum[l] += a[i + l] * b[i + l];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static CGS_CLONES void add(int64_t n, double factor, const double *restrict from,
                           double *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* Householder's reflections: a, symmetric, becomes tridiagonal (d, e), and z = Q', whose rows turn
 * into the eigenvectors' by ql. small: 2 n. Each reflection I - v v' with v'v = 2 stays in row k of
 * a, from column k + 1 on. */
static void make_tridiagonal(int64_t n, double *a, double *d, double *e, double *z, double *small)
{
    double *p = small;
    for (int64_t k = 0; k + 1 < n; k++) {
        double *v = a + k * n;
        const int64_t first = k + 1, count = n - first;
        const double length = sqrt(inner(count, v + first, v + first));
        d[k] = v[k];
        e[k] = v[first];
        if (count == 1 || length == 0.0) {
            memset(v + first, 0, (size_t)count * sizeof *v);
            continue;
        }
        e[k] = v[first] > 0.0 ? -length : length;
        v[first] -= e[k];
        const double scale = sqrt(2.0 / inner(count, v + first, v + first));
        for (int64_t i = first; i < n; i++)
            v[i] *= scale;
        for (int64_t i = first; i < n; i++)
            p[i] = inner(count, a + i * n + first, v + first);
        const double half = 0.5 * inner(count, p + first, v + first);
        add(count, -half, v + first, p + first);
        for (int64_t i = first; i < n; i++) {
            add(count, -v[i], p + first, a + i * n + first);
            add(count, -p[i], v + first, a + i * n + first);
        }
    }
    d[n - 1] = a[n * n - 1];
    make_unit(n, z);
    for (int64_t k = n - 2; k >= 0; k--) { /* z = Q': rows get their reflections from the right */
        const double *v = a + k * n;
        const int64_t first = k + 1, count = n - first;
        for (int64_t i = first; i < n; i++)
            add(count, -inner(count, z + i * n + first, v + first), v + first, z + i * n + first);
    }
}

/* ---- a line ---- */

/* Numbers of a line: matrices, the factor L of what is taken for M (diagonal, beside it, last row),
 * and its cells. */
struct line {
    const struct cgs_separable_direction *of;
    int64_t n;
    double *k, *k_off, *m, *m_off, *l, *l_off, *l_last, *d, *e, *small; /* small: 3 n */
    bool diagonal;                                                      /* M is */
};

/* M = L L'. */
static void factorise(struct line *line)
{
    const int64_t n = line->n;
    double square = line->m[n - 1];
    memset(line->l_last, 0, (size_t)n * sizeof *line->l_last);
    if (line->of->periodic)
        line->l_last[0] = line->m_off[n - 1];
    if (n > 1)
        line->l_last[n - 2] += line->m_off[n - 2];
    for (int64_t i = 0; i + 1 < n; i++) {
        const double before = i > 0 ? line->l_off[i - 1] : 0.0;
        line->l[i] = sqrt(line->m[i] - before * before);
        line->l_off[i] = i + 2 < n ? line->m_off[i] / line->l[i] : 0.0;
        line->l_last[i] =
            (line->l_last[i] - (i > 0 ? line->l_last[i - 1] * before : 0.0)) / line->l[i];
        square -= line->l_last[i] * line->l_last[i];
    }
    line->l[n - 1] = sqrt(square);
}

/* Rows of a = L^-1 a. */
static void solve_rows(const struct line *line, double *a)
{
    const int64_t n = line->n;
    for (int64_t i = 0; i < n; i++) {
        double *row = a + i * n;
        if (i + 1 < n && i > 0 && line->l_off[i - 1] != 0.0)
            add(n, -line->l_off[i - 1], row - n, row);
        for (int64_t j = 0; j < n && i + 1 == n; j++)
            if (line->l_last[j] != 0.0 && j < i)
                add(n, -line->l_last[j], a + j * n, row);
        for (int64_t j = 0; j < n; j++)
            row[j] /= line->l[i];
    }
}

static void transpose(int64_t n, double *a)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            const double number = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = number;
        }
}

/* Row v = L^-T v. */
static void solve_back(const struct line *line, double *v)
{
    const int64_t n = line->n;
    v[n - 1] /= line->l[n - 1];
    for (int64_t i = n - 2; i >= 0; i--)
        v[i] = (v[i] - (i + 2 < n ? line->l_off[i] * v[i + 1] : 0.0) - line->l_last[i] * v[n - 1]) /
               line->l[i];
}

/* Eigenvectors of L^-1 K L^-T into the rows of z, in ascending order. */
static bool solve_line(const struct line *line, bool mirrored, double *z, double *work)
{
    const int64_t n = line->n;
    if (line->diagonal && !line->of->periodic) {
        for (int64_t i = 0; i < n; i++) {
            line->d[i] = line->k[i] / (line->l[i] * line->l[i]);
            line->e[i] = i + 1 < n ? line->k_off[i] / (line->l[i] * line->l[i + 1]) : 0.0;
        }
        if (mirrored)
            return mirrored_modes(n, line->d, line->e, z, work, line->small);
        make_unit(n, z);
    } else {
        memset(work, 0, (size_t)(n * n) * sizeof *work);
        for (int64_t i = 0; i < n; i++) {
            work[i * n + i] = line->k[i];
            if (i + 1 < n)
                work[i * n + i + 1] = work[(i + 1) * n + i] = line->k_off[i];
        }
        if (line->of->periodic)
            work[n - 1] = work[(n - 1) * n] = line->k_off[n - 1];
        solve_rows(line, work);
        transpose(n, work);
        solve_rows(line, work);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++) {
                const double mean = 0.5 * (work[i * n + j] + work[j * n + i]);
                work[i * n + j] = work[j * n + i] = mean;
            }
        make_tridiagonal(n, work, line->d, line->e, z, line->small);
    }
    if (!ql(n, line->d, line->e, z, n))
        return false;
    sort(n, line->d, z, line->small);
    return true;
}

/* Returns v'K v; *mass: v'M v. */
static double quotient(const struct cgs_separable_direction *line, double lag, const double *v,
                       double *mass)
{
    double energy =
        line->transfer[0] * v[0] * v[0] + line->transfer[1] * v[line->n - 1] * v[line->n - 1];
    *mass = 0.0;
    for (int64_t c = 0; c < line->cells; c++) {
        const int64_t i = line->first + c, next = line->periodic && i + 1 == line->n ? 0 : i + 1;
        const double low = i >= 0 ? v[i] : 0.0, high = next < line->n ? v[next] : 0.0;
        energy += line->stiff[c] / line->h * ((high - low) * (high - low));
        *mass += line->mass[c] * line->h *
                 ((0.5 - lag) * (low * low + high * high) + 2.0 * lag * low * high);
    }
    return energy;
}

static bool is_mirrored(const struct cgs_separable_direction *line)
{
    const int64_t last = line->cells - 1;
    bool mirrored = line->ratio > 0.0 && !line->periodic && (line->open == 0 || line->open == 3) &&
                    line->transfer[0] == line->transfer[1];
    for (int64_t c = 0; c <= last && mirrored; c++)
        mirrored = line->mass[c] == line->mass[last - c];
    return mirrored;
}

static enum cgs_status by_ql(struct cgs_context *context, const struct cgs_separable *separable,
                             int k, double *tables, double *work, double *z, double *lambda,
                             double *weight)
{
    const struct cgs_separable_direction *of = &separable->direction[k];
    const double lag = cgs_separable_lag(separable->quadrature);
    const int64_t n = of->n;
    struct line line = {.of = of, .n = n, .diagonal = of->ratio > 0.0};
    double **const table[] = {&line.k,     &line.k_off,  &line.m, &line.m_off, &line.l,
                              &line.l_off, &line.l_last, &line.d, &line.e,     &line.small};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        *table[i] = tables + (int64_t)i * n;
    cgs_separable_matrices(separable, k,
                           &(struct cgs_line_matrices){line.k, line.k_off, line.m, line.m_off});
    for (int64_t i = 0; i < n && line.diagonal; i++) {
        line.m[i] += lag * of->h * of->h / of->ratio * line.k[i];
        line.m_off[i] = 0.0;
    }
    factorise(&line);
    if (!solve_line(&line, is_mirrored(of), z, work))
        return cgs_fail(context, CGS_BREAKDOWN,
                        "the modes of the box in %c were not found: QL does not converge",
                        "xyz"[k]);
    for (int64_t j = 0; j < n; j++) {
        double *v = z + j * n, mass;
        for (int64_t i = 0; i < n && j == 0 && !of->held; i++)
            v[i] = 1.0;
        if (j > 0 || of->held)
            solve_back(&line, v);
        const double energy = quotient(of, lag, v, &mass);
        lambda[j] = energy / mass;
        weight[j] = 1.0;
        for (int64_t i = 0; i < n; i++)
            v[i] /= sqrt(mass);
    }
    return CGS_OK;
}

/* ---- all of it ---- */

/* Returns the numbers of tables, of what is kept and of what is only worked with. */
static int64_t numbers_of(const struct cgs_fdm_direction direction[3])
{
    int64_t kept = 0, work = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t n = direction[k].n, square = direction[k].kind == CGS_FDM_DENSE ? n * n : 0;
        const int64_t used = square > 0 ? square + TABLES * n : 0;
        kept += 2 * n + square;
        work = used > work ? used : work;
    }
    return kept + work;
}

enum cgs_status cgs_modes_create(struct cgs_context *context, const struct cgs_separable *separable,
                                 struct cgs_modes *modes)
{
    struct cgs_modes made = {.memory = NULL};
    const double lag = cgs_separable_lag(separable->quadrature);
    for (int k = 0; k < 3; k++) {
        const struct cgs_separable_direction *line = &separable->direction[k];
        made.direction[k] = (struct cgs_fdm_direction){
            .n = line->n,
            .kind = line->uniform ? kind_of(line->open, line->periodic) : CGS_FDM_DENSE,
            .mirrored = !line->uniform && is_mirrored(line)};
    }
    CGS_TRY(cgs_alloc(context, numbers_of(made.direction), sizeof(double), "modes of lines",
                      (void **)&made.memory));
    double *next = made.memory, *vectors[3];
    for (int k = 0; k < 3; k++) {
        struct cgs_fdm_direction *d = &made.direction[k];
        d->lambda = next;
        d->weight = next + d->n;
        vectors[k] = next + 2 * d->n;
        next += 2 * d->n + (d->kind == CGS_FDM_DENSE ? d->n * d->n : 0);
    }
    for (int k = 0; k < 3; k++) {
        struct cgs_fdm_direction *d = &made.direction[k];
        double *lambda = vectors[k] - 2 * d->n, *weight = lambda + d->n;
        enum cgs_status status = CGS_OK;
        d->vectors = vectors[k];
        if (d->kind == CGS_FDM_DENSE)
            status = by_ql(context, separable, k, next, next + TABLES * d->n, vectors[k], lambda,
                           weight);
        else
            by_formula(&separable->direction[k], lag, d, lambda, weight);
        if (!separable->direction[k].held)
            lambda[0] = 0.0;
        if (status != CGS_OK) {
            cgs_modes_release(context, &made);
            return status;
        }
    }
    *modes = made;
    return CGS_OK;
}

void cgs_modes_release(struct cgs_context *context, struct cgs_modes *modes)
{
    cgs_free(context, modes->memory);
    *modes = (struct cgs_modes){.memory = NULL};
}

void cgs_modes_foresee(const struct cgs_mesh *mesh, struct cgs_fdm_direction direction[3])
{
    for (int k = 0; k < 3; k++)
        direction[k] = (struct cgs_fdm_direction){
            .n = mesh->n[k],
            .kind = mesh->kappa.kind == CGS_KAPPA_ONE
                        ? kind_of(mesh->open[k], cgs_periodic(mesh->open[k]))
                        : CGS_FDM_DENSE};
}

void cgs_modes_plan(const struct cgs_fdm_direction direction[3], struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "modes of lines", numbers_of(direction), sizeof(double));
}
