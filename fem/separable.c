/* Factors of kappa, from the numbers of cells.
 *
 * First those of the three lines of cells through the first one, which are exact if kappa is a
 * product; every cell is then compared. If one differs, the means of log kappa over planes: kappa
 * in x, y, z has each a mean m, and effects e(i), f(j), g(k) of planes, by which it differs from m;
 * log mass_x is the mean of the two e(i) of kappa in y and z, log stiff_x is m + e(i) of kappa in
 * x, and so on, which is the least squares where one kappa is in all directions. */
#include "fem/separable.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fem/element/order_line.h"

enum { PARTS = 16 }; /* of the sums of logarithms, added in order */

/* Rounding of a product of three factors, and of their expression; of a nearest factor. */
#define EXACTLY (64.0 * DBL_EPSILON)
#define CONSTANT 1e-10

struct look {
    const struct cgs_mesh *mesh;
    int64_t cells[3], low[3]; /* of the box; the first of them */
    int kinds;                /* kappas of a cell: 1, or 3 */
};

static struct look look_at(const struct cgs_mesh *mesh)
{
    struct look look = {.mesh = mesh, .kinds = mesh->kappa.orthotropic ? 3 : 1};
    for (int k = 0; k < 3; k++) {
        look.cells[k] = cgs_mesh_cells(mesh, k) / mesh->order;
        look.low[k] = mesh->open[k] & 1;
    }
    return look;
}

/* Returns kappa in direction k of cell (x, y, z) of the box. */
static double kappa_of(const struct look *look, int k, int64_t x, int64_t y, int64_t z)
{
    const struct cgs_mesh *mesh = look->mesh;
    x += look->low[0];
    y += look->low[1];
    z += look->low[2];
    if (mesh->deform == 0.0)
        return cgs_cell_kappa_along(mesh, k, x, y, z, NULL);
    const struct cgs_cell_wave wave = cgs_mesh_cell_wave(mesh, x, y, z);
    return cgs_cell_kappa_along(mesh, k, x, y, z, &wave);
}

static int64_t total_cells(const struct look *look)
{
    return look->cells[0] + look->cells[1] + look->cells[2];
}

/* Factors of the lines through the first cell. */
static void take_lines(const struct look *look, struct cgs_separable *s)
{
    for (int d = 0; d < 3; d++) {
        const int other = (d + 1) % 3;
        const double own = kappa_of(look, d, 0, 0, 0), across = kappa_of(look, other, 0, 0, 0);
        struct cgs_separable_direction *direction = &s->direction[d];
        for (int64_t c = 0; c < direction->cells; c++) {
            const int64_t x = d == 0 ? c : 0, y = d == 1 ? c : 0, z = d == 2 ? c : 0;
            direction->mass[c] = kappa_of(look, other, x, y, z) / across;
            direction->stiff[c] =
                look->kinds == 1 ? own * direction->mass[c] : kappa_of(look, d, x, y, z);
        }
    }
}

/* Computes the least and the most of kappa in direction k over what the factors make of it, on a
 * line of cells in x. */
static void compare_line(const struct look *look, const struct cgs_separable *s, int k, int64_t y,
                         int64_t z, double *least, double *most)
{
    const struct cgs_separable_direction *d = s->direction;
    const struct cgs_mesh *mesh = look->mesh;
    const double *factors = k == 0 ? d[0].stiff : d[0].mass;
    const double across =
        (k == 1 ? d[1].stiff : d[1].mass)[y] * (k == 2 ? d[2].stiff : d[2].mass)[z];
    double low = *least, high = *most;
    if (mesh->kappa.kind == CGS_KAPPA_CELLS) { /* by vectors */
        const double *kappa =
            mesh->kappa.cells + k * cgs_mesh_all_cells(mesh) +
            ((z + look->low[2]) * (mesh->n[1] + 1) + y + look->low[1]) * (mesh->n[0] + 1) +
            look->low[0];
#pragma omp simd reduction(min : low) reduction(max : high)
        for (int64_t x = 0; x < look->cells[0]; x++) {
            const double ratio = kappa[x] / (factors[x] * across);
            low = ratio < low ? ratio : low;
            high = ratio > high ? ratio : high;
        }
    } else {
        for (int64_t x = 0; x < look->cells[0]; x++) {
            const double ratio = kappa_of(look, k, x, y, z) / (factors[x] * across);
            low = fmin(low, ratio);
            high = fmax(high, ratio);
        }
    }
    *least = low;
    *most = high;
}

/* The same of all cells; or of some, once they have shown a difference beyond `enough`. */
static void compare(struct cgs_context *context, const struct look *look,
                    const struct cgs_separable *s, double enough, double *least, double *most)
{
    double low = HUGE_VAL, high = 0.0;
    if (look->mesh->kappa.kind == CGS_KAPPA_ONE) {
        *least = *most = 1.0;
        return;
    }
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(min              \
                                                                                  : low)           \
    reduction(max                                                                                  \
              : high)
    for (int64_t z = 0; z < look->cells[2]; z++)
        for (int64_t y = 0; y < look->cells[1]; y++)
            for (int k = 0; k < look->kinds && !(low < 1.0 - enough || high > 1.0 + enough); k++)
                compare_line(look, s, k, y, z, &low, &high);
    *least = low;
    *most = high;
}

/* Sums of log kappa in direction k over planes x, y and z, of planes z of one part. */
static void add_part(const struct look *look, int k, int part, double *sums)
{
    const int64_t *cells = look->cells;
    double *sx = sums, *sy = sx + cells[0], *sz = sy + cells[1];
    memset(sums, 0, (size_t)total_cells(look) * sizeof *sums);
    for (int64_t z = part * cells[2] / PARTS; z < (part + 1) * cells[2] / PARTS; z++)
        for (int64_t y = 0; y < cells[1]; y++) {
            double line = 0.0;
            for (int64_t x = 0; x < cells[0]; x++) {
                const double value = log(kappa_of(look, k, x, y, z));
                sx[x] += value;
                line += value;
            }
            sy[y] += line;
            sz[z] += line;
        }
}

/* Puts the factors of means over planes in the place of those of lines. sums: PARTS + 1 times
 * total_cells. */
static void take_means(struct cgs_context *context, const struct look *look,
                       struct cgs_separable *s, double *sums)
{
    const int64_t all = total_cells(look);
    const double count = (double)look->cells[0] * (double)look->cells[1] * (double)look->cells[2];
    double *const sum = sums + PARTS * all;
    for (int d = 0; d < 3; d++)
        memset(s->direction[d].mass, 0, (size_t)look->cells[d] * sizeof(double));
    for (int k = 0; k < look->kinds; k++) {
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1)
        for (int part = 0; part < PARTS; part++)
            add_part(look, k, part, sums + part * all);
        memset(sum, 0, (size_t)all * sizeof *sum);
        for (int part = 0; part < PARTS; part++)
            for (int64_t i = 0; i < all; i++)
                sum[i] += sums[part * all + i];
        double mean = 0.0;
        for (int64_t x = 0; x < look->cells[0]; x++)
            mean += sum[x] / count;
        const double *of = sum;
        for (int d = 0; d < 3; of += look->cells[d], d++)
            for (int64_t c = 0; c < look->cells[d]; c++) {
                const double plane = of[c] * (double)look->cells[d] / count; /* its mean */
                if (look->kinds == 1 || k == d)
                    s->direction[d].stiff[c] = exp(plane);
                if (look->kinds == 1 || k != d)
                    s->direction[d].mass[c] += (plane - mean) / (look->kinds == 1 ? 1.0 : 2.0);
            }
    }
    for (int d = 0; d < 3; d++)
        for (int64_t c = 0; c < look->cells[d]; c++)
            s->direction[d].mass[c] = exp(s->direction[d].mass[c]);
}

/* Factors of order p > 1, kappa = 1: those of the lengths of cells. */
static void take_lengths(const struct cgs_mesh *mesh, struct cgs_separable *s)
{
    for (int d = 0; d < 3; d++) {
        struct cgs_order_line line;
        struct cgs_separable_direction *direction = &s->direction[d];
        cgs_order_line_make(mesh, d, &line);
        for (int64_t c = 0; c < line.cells; c++) {
            direction->mass[c] = cgs_order_stretch(&line, c);
            direction->stiff[c] = 1.0 / direction->mass[c];
        }
        memcpy(direction->transfer, line.transfer, sizeof line.transfer);
    }
    s->reaction = mesh->reaction;
}

/* ---- transfer ---- */

/* Returns the transfer coefficient beside cell (l, m) of face (d, side), directions d + 1 and
 * d + 2. */
static double transfer_at(const struct look *look, int d, int side, int64_t l, int64_t m)
{
    int64_t c[3];
    c[d] = side ? look->mesh->n[d] : 0;
    c[(d + 1) % 3] = l + look->low[(d + 1) % 3];
    c[(d + 2) % 3] = m + look->low[(d + 2) % 3];
    return cgs_cell_kappa(look->mesh, c[0], c[1], c[2], NULL);
}

/* Computes the least and the most of the coefficients of a face over what the factors make of 1,
 * and returns their mean by areas. */
static double compare_transfer(const struct look *look, const struct cgs_separable *s, int d,
                               int side, double *least, double *most)
{
    const struct cgs_separable_direction *one = &s->direction[(d + 1) % 3],
                                         *two = &s->direction[(d + 2) % 3];
    double sum = 0.0, factors = 0.0;
    *least = HUGE_VAL;
    *most = 0.0;
    for (int64_t m = 0; m < two->cells; m++)
        for (int64_t l = 0; l < one->cells; l++) {
            const double transfer = transfer_at(look, d, side, l, m),
                         factor = one->mass[l] * two->mass[m];
            sum += transfer;
            factors += factor;
            *least = fmin(*least, transfer / factor);
            *most = fmax(*most, transfer / factor);
        }
    return sum / factors;
}

/* The same of the reaction of cells; the mean is one by volumes. */
static double compare_reaction(struct cgs_context *context, const struct look *look,
                               const struct cgs_separable *s, double *sums, double *least,
                               double *most)
{
    const struct cgs_separable_direction *d = s->direction;
    double low = HUGE_VAL, high = 0.0, sum = 0.0, factors = 0.0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(min              \
                                                                                  : low)           \
    reduction(max                                                                                  \
              : high)
    for (int64_t z = 0; z < look->cells[2]; z++) {
        sums[2 * z] = sums[2 * z + 1] = 0.0;
        for (int64_t y = 0; y < look->cells[1]; y++)
            for (int64_t x = 0; x < look->cells[0]; x++) {
                const double reaction = kappa_of(look, CGS_REACTION, x, y, z),
                             factor = d[0].mass[x] * d[1].mass[y] * d[2].mass[z];
                sums[2 * z] += reaction;
                sums[2 * z + 1] += factor;
                low = fmin(low, reaction / factor);
                high = fmax(high, reaction / factor);
            }
    }
    for (int64_t z = 0; z < look->cells[2]; z++) {
        sum += sums[2 * z];
        factors += sums[2 * z + 1];
    }
    *least = low;
    *most = high;
    return sum / factors;
}

/* Finds a direction in whose layers the reaction is a number times the mass factors of the other
 * two, and gives it these numbers, from `absorb` on. Returns false if there is none. */
static bool find_layers(struct cgs_context *context, const struct look *look,
                        struct cgs_separable *s, double *absorb)
{
    struct cgs_separable_direction *d = s->direction;
    bool found = false;
    for (int k = 0; k < 3 && !found; k++) {
        const double first = d[(k + 1) % 3].mass[0] * d[(k + 2) % 3].mass[0];
        for (int64_t c = 0; c < d[k].cells; c++)
            absorb[c] =
                kappa_of(look, CGS_REACTION, k == 0 ? c : 0, k == 1 ? c : 0, k == 2 ? c : 0) /
                first;
        found = true;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(&& : found)
        for (int64_t z = 0; z < look->cells[2]; z++)
            for (int64_t y = 0; y < look->cells[1] && found; y++)
                for (int64_t x = 0; x < look->cells[0]; x++) {
                    const double reaction = kappa_of(look, CGS_REACTION, x, y, z),
                                 product = (k == 0 ? absorb[x] : d[0].mass[x]) *
                                           (k == 1 ? absorb[y] : d[1].mass[y]) *
                                           (k == 2 ? absorb[z] : d[2].mass[z]);
                    found = found && fabs(reaction - product) <= EXACTLY * reaction;
                }
        if (found)
            d[k].absorb = absorb;
    }
    return found;
}

static bool same(double least, double most)
{
    return most <= least * (1.0 + EXACTLY);
}

/* ---- all of it ---- */

/* Notes what the factors of a direction are like, and makes those constant that nearly are. */
static void describe(struct cgs_separable_direction *d, double rounding)
{
    bool constant = true, alike = true;
    const double ratio = d->stiff[0] / d->mass[0];
    for (int64_t c = 0; c < d->cells; c++) {
        constant = constant && fabs(d->mass[c] / d->mass[0] - 1.0) <= rounding;
        alike = alike && fabs(d->stiff[c] / d->mass[c] / ratio - 1.0) <= rounding;
    }
    for (int64_t c = 0; c < d->cells && alike; c++) {
        d->mass[c] = constant ? d->mass[0] : d->mass[c];
        d->stiff[c] = ratio * d->mass[c];
    }
    d->ratio = alike ? ratio : 0.0;
    d->uniform = constant && alike && d->transfer[0] == 0.0 && d->transfer[1] == 0.0;
    if (d->absorb) { /* K has not the modes of its cells */
        d->ratio = 0.0;
        d->uniform = false;
    }
    d->held =
        d->absorb || (!d->periodic && d->open != 3) || d->transfer[0] > 0.0 || d->transfer[1] > 0.0;
}

static void find(struct cgs_context *context, const struct look *look, struct cgs_separable *s,
                 double *sums, double *absorb)
{
    const struct cgs_mesh *mesh = look->mesh;
    double least, most, lowest = 1.0, highest = 1.0;
    bool faces = true, reaction = true;
    if (mesh->order > 1)
        take_lengths(mesh, s);
    else
        take_lines(look, s);
    compare(context, look, s, EXACTLY, &least, &most);
    const bool product = least >= 1.0 - EXACTLY && most <= 1.0 + EXACTLY;
    if (!product) {
        take_means(context, look, s, sums);
        compare(context, look, s, HUGE_VAL, &least, &most);
    }
    for (int d = 0; d < 3 && mesh->order == 1; d++)
        for (int side = 0; side < 2; side++) {
            double low, high;
            if (cgs_periodic(mesh->open[d]) || !(mesh->open[d] >> side & 1))
                continue;
            const double mean = compare_transfer(look, s, d, side, &low, &high);
            s->direction[d].transfer[side] = same(low, high) ? high : mean;
            if (same(low, high)) /* all 0, too */
                continue;
            faces = false;
            lowest = fmin(lowest, low / mean);
            highest = fmax(highest, high / mean);
        }
    if (mesh->kappa.reaction) {
        double low, high;
        const double mean = compare_reaction(context, look, s, sums, &low, &high);
        reaction = same(low, high);
        s->reaction = reaction ? high : mean;
        if (!reaction && product && find_layers(context, look, s, absorb)) {
            reaction = true;
            s->reaction = 0.0;
        }
        lowest = reaction ? lowest : fmin(lowest, low / mean);
        highest = reaction ? highest : fmax(highest, high / mean);
    }
    for (int d = 0; d < 3; d++)
        describe(&s->direction[d], product ? EXACTLY : CONSTANT);
    for (int d = 0; d < 3; d++) { /* of the matrix */
        for (int64_t c = 0; c < s->direction[d].cells; c++) {
            s->direction[d].stiff[c] *= mesh->scale;
            if (s->direction[d].absorb)
                s->direction[d].absorb[c] *= mesh->scale;
        }
        s->direction[d].ratio *= mesh->scale;
        s->direction[d].transfer[0] *= mesh->scale;
        s->direction[d].transfer[1] *= mesh->scale;
    }
    s->reaction *= mesh->scale;
    s->exact = product && faces && reaction && mesh->deform == 0.0;
    s->spread = s->exact                               ? 1.0
                : mesh->deform != 0.0 || lowest <= 0.0 ? 0.0
                                                       : fmax(most, highest) / fmin(least, lowest);
    s->why = mesh->deform != 0.0 ? "the cells are deformed"
             : !product          ? "kappa is not a product a(x) b(y) c(z)"
             : !faces    ? "a transfer coefficient varies over its face, other than kappa along it"
             : !reaction ? "the reaction does not vary as kappa does"
                         : "kappa is a product a(x) b(y) c(z)";
}

enum cgs_status cgs_separable_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                     struct cgs_separable *separable)
{
    const struct look look = look_at(mesh);
    struct cgs_separable made = {.quadrature = mesh->quadrature};
    const int64_t all = total_cells(&look);
    double *sums;
    CGS_TRY(cgs_alloc(context, 3 * all, sizeof(double), "factors of kappa", (void **)&made.memory));
    double *next = made.memory;
    for (int d = 0; d < 3; d++) {
        made.direction[d] =
            (struct cgs_separable_direction){.n = mesh->n[d],
                                             .cells = look.cells[d],
                                             .first = look.low[d] - 1,
                                             .order = mesh->order,
                                             .h = mesh->h[d] * mesh->order,
                                             .stiff = next,
                                             .mass = next + look.cells[d],
                                             .periodic = cgs_periodic(mesh->open[d]),
                                             .open = mesh->open[d]};
        next += 2 * look.cells[d];
    }
    const enum cgs_status status =
        cgs_alloc(context, (PARTS + 1) * all, sizeof(double), "sums of log kappa", (void **)&sums);
    if (status != CGS_OK) {
        cgs_separable_release(context, &made);
        return status;
    }
    find(context, &look, &made, sums, made.memory + 2 * all);
    cgs_free(context, sums);
    *separable = made;
    return CGS_OK;
}

void cgs_separable_release(struct cgs_context *context, struct cgs_separable *separable)
{
    cgs_free(context, separable->memory);
    *separable = (struct cgs_separable){.memory = NULL};
}

void cgs_separable_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan)
{
    const struct look look = look_at(mesh);
    cgs_plan_add(plan, CGS_HOST, "factors of kappa", (PARTS + 4) * total_cells(&look),
                 sizeof(double));
}

double cgs_separable_lag(enum cgs_quadrature quadrature)
{
    const double p = cgs_rule_point(quadrature);
    return 0.25 * (1.0 - p * p);
}

void cgs_separable_matrices(const struct cgs_separable *separable, int d,
                            const struct cgs_line_matrices *m)
{
    const struct cgs_separable_direction *line = &separable->direction[d];
    const double lag = cgs_separable_lag(separable->quadrature), own = 0.5 - lag;
    const size_t bytes = (size_t)line->n * sizeof(double);
    memset(m->stiffness, 0, bytes);
    memset(m->stiffness_off, 0, bytes);
    memset(m->mass, 0, bytes);
    memset(m->mass_off, 0, bytes);
    for (int64_t c = 0; c < line->cells; c++) {
        const double stiff = line->stiff[c] / line->h, mass = line->mass[c] * line->h;
        const double absorb = line->absorb ? line->absorb[c] * line->h : 0.0;
        const int64_t low = line->first + c;
        const int64_t high = line->periodic && low + 1 == line->n ? 0 : low + 1;
        if (low >= 0) {
            m->stiffness[low] += stiff + own * absorb;
            m->mass[low] += own * mass;
        }
        if (high < line->n) {
            m->stiffness[high] += stiff + own * absorb;
            m->mass[high] += own * mass;
        }
        if (low >= 0 && high < line->n) {
            m->stiffness_off[low] += lag * absorb - stiff;
            m->mass_off[low] += lag * mass;
        }
    }
    m->stiffness[0] += line->transfer[0];
    m->stiffness[line->n - 1] += line->transfer[1];
}
