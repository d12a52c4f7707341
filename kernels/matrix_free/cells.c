/* y = A x cell by cell, for any mesh and coefficient (cell_lanes.h).
 *
 *     y_i = sum over the cells c around node i of (K^c x^c)_i
 *
 * Each thread has a slab of planes of nodes and traverses the layers of cells from the one below
 * its first plane to the one above its last. A line of cells adds to the four lines of nodes around
 * it, except those of other threads, which compute the same cells again. So a line of nodes gets
 * its four lines of cells in one order, and the fused x'y is summed by planes: the same bits for
 * any number of threads. A product moves x and y, but the time goes into arithmetic: some 60
 * operations a cell on the box, 290 on the deformed mesh.
 *
 * Void cells outside a free face (cgs_cell_class) are whole lines, which have factors of their own,
 * and the two ends of other lines, which are computed once more, one by one. In periodic directions
 * the numbers beyond an end are those at the other one.
 */
#include <math.h>
#include <omp.h>
#include <stddef.h>

#include "base/memory.h"
#include "kernels/matrix_free/cell_lanes.h"
#include "kernels/matrix_free/free.h"
#include "kernels/matrix_free/planes_cpu.h"
#include "kernels/vector/state_cpu.h"
#include "kernels/vector/sum_cpu.h"

enum { PIECE = 128, ROOM = PIECE + 2 * CGS_CELLS_AT_ONCE }; /* nodes of a line at a time */

struct cells {
    struct cgs_context *context;
    struct cgs_mesh mesh;
    struct cgs_planes_here planes;
    const struct cgs_portion *portion; /* borrowed; NULL: all planes */
    real factor[8];                    /* plain cells: lambda / 8 */
    real part[CGS_MOST_NUMBERS][8];    /* where kappa is orthotropic: that of each direction */
    real face[CGS_MOST_NUMBERS][8];    /* cells that have a mass (cgs_face_factors): the same */
    real end[8];       /* those at the ends of a line: their element matrix, by a ^ b */
    bool open;         /* there are such cells */
    bool cubic;        /* cells are cubes, or deformed ones */
    real *wave, *step; /* deformed cells: at node i = 0 ... n, and ROOM zeros */
    double *waves[2];  /* the same in double, for kappa and the constants of a line */
};

/* Four lines of nodes around a line of cells, at[side in y + 2 side in z]. */
struct lines {
    const real *x[4]; /* NULL: on the boundary */
    real *y[4];       /* NULL: on the boundary, or another thread's */
    bool add[4];      /* add to the present value; else overwrite */
};

/* Buffers of a piece of a line: x[q][j] is the node left of cell j, x[q][j + 1] the one right of
 * it; r[a][j] is the contribution of cell j to its node a. */
struct piece {
    real x[4][ROOM], r[8][ROOM], kappa[ROOM];
    real across[CGS_MOST_NUMBERS - 1][ROOM]; /* kappa in y and z, and c (cgs_mesh_numbers) */
};

static struct cgs_cell_wave wave_of(const struct cells *self, int64_t cx, int64_t cy, int64_t cz)
{
    const double *at = self->waves[0], *step = self->waves[1];
    return (struct cgs_cell_wave){{at[cx], step[cx]}, {at[cy], step[cy]}, {at[cz], step[cz]}};
}

static struct cgs_cell_line line_of(const struct cells *self, int64_t cy, int64_t cz)
{
    const real y[2] = {self->wave[cy], self->step[cy]}, z[2] = {self->wave[cz], self->step[cz]};
    return cgs_cell_line_of(cgs_cell_over(&self->mesh), (real)cgs_rule_point(self->mesh.quadrature),
                            y, z);
}

/* Loads kappa of cells first ... first + count; beyond them any harmless number. */
CGS_PIECE void load_kappa(const struct cells *self, enum cgs_kappa_kind kind, int64_t cy,
                          int64_t cz, int64_t first, int64_t count, real *kappa)
{
    struct cgs_mesh mesh = self->mesh;
    mesh.kappa.kind = kind; /* known to the compiler: a loop without branches */
    for (int64_t j = 0; j <= count; j++) {
        const struct cgs_cell_wave wave = wave_of(self, first + j, cy, cz);
        kappa[j] = (real)cgs_cell_kappa(&mesh, first + j, cy, cz, &wave);
    }
    for (int64_t j = count + 1; j < ROOM; j++)
        kappa[j] = 1;
}

/* The same where it is an array; k: direction of an orthotropic one. */
static CGS_CLONES void load_array(const struct cgs_mesh *mesh, int k, int64_t cy, int64_t cz,
                                  int64_t first, int64_t count, real *restrict kappa)
{
    const double *restrict from = mesh->kappa.cells + k * cgs_mesh_all_cells(mesh) +
                                  ((cz * (mesh->n[1] + 1) + cy) * (mesh->n[0] + 1) + first);
    for (int64_t j = 0; j <= count; j++)
        kappa[j] = (real)from[j];
    for (int64_t j = count + 1; j < ROOM; j++)
        kappa[j] = 1;
}

/* Loads x and kappa of cells first ... first + count, which touch `count` nodes. */
static CGS_CLONES void load_piece(const struct cells *self, const struct lines *lines, int64_t cy,
                                  int64_t cz, int64_t first, int64_t count, struct piece *piece)
{
    const int64_t begin = first > 0 ? 0 : 1; /* node first - 1 + begin is the first in the line */
    const int64_t end = first + count < self->mesh.n[0] ? count + 2 : count + 1;
    for (int q = 0; q < 4; q++) {
        real *restrict x = piece->x[q];
        const real *restrict from = lines->x[q] ? lines->x[q] + first - 1 : NULL;
        x[0] = 0;
        for (int64_t j = from ? end : 0; j < ROOM; j++)
            x[j] = 0;
        for (int64_t j = begin; from && j < end; j++)
            x[j] = from[j];
        if (from && cgs_periodic(self->mesh.open[0])) {
            if (first == 0)
                x[0] = from[self->mesh.n[0]];
            if (first + count == self->mesh.n[0])
                x[count + 1] = lines->x[q][0];
        }
    }
    switch (self->mesh.kappa.kind) {
    case CGS_KAPPA_SMOOTH:
        load_kappa(self, CGS_KAPPA_SMOOTH, cy, cz, first, count, piece->kappa);
        break;
    case CGS_KAPPA_JUMP:
        load_kappa(self, CGS_KAPPA_JUMP, cy, cz, first, count, piece->kappa);
        break;
    case CGS_KAPPA_CELLS:
        load_array(&self->mesh, 0, cy, cz, first, count, piece->kappa);
        for (int k = 1; k < cgs_mesh_numbers(&self->mesh); k++)
            load_array(&self->mesh, k, cy, cz, first, count, piece->across[k - 1]);
        break;
    default:
        load_kappa(self, CGS_KAPPA_ONE, cy, cz, first, count, piece->kappa);
    }
}

/* Adds r to `count` nodes. */
static CGS_CLONES void add_piece(const struct lines *lines, int64_t first, int64_t count,
                                 const struct piece *piece)
{
    for (int q = 0; q < 4; q++) {
        const real *restrict right = piece->r[2 * q + 1], *restrict left = piece->r[2 * q] + 1;
        if (!lines->y[q])
            continue;
        real *restrict y = lines->y[q] + first;
        if (lines->add[q])
            for (int64_t i = 0; i < count; i++)
                y[i] += right[i] + left[i];
        else
            for (int64_t i = 0; i < count; i++)
                y[i] = right[i] + left[i];
    }
}

/* Computes r from x for cells first ... first + count. */
static CGS_CLONES void multiply_piece(const struct cells *self, const struct cgs_cell_line *line,
                                      int64_t first, int64_t count, struct piece *piece)
{
    const bool deformed = self->mesh.deform != 0.0, cubic = self->cubic;
    const real weight = cgs_cell_weight(&self->mesh);
    for (int64_t j = 0; j <= count; j += CGS_CELLS_AT_ONCE) {
        cgs_cell_lanes x[8], kappa, wave, step;
        for (int a = 0; a < 8; a++)
            CGS_CELL_LOAD(x[a], &piece->x[a >> 1][j + (a & 1)]);
        CGS_CELL_LOAD(kappa, &piece->kappa[j]);
        if (deformed) {
            CGS_CELL_LOAD(wave, &self->wave[first + j]);
            CGS_CELL_LOAD(step, &self->step[first + j]);
            cgs_cell_deformed(line, weight * kappa, wave, step, x);
        } else if (cubic) {
            cgs_cell_plain(true, self->factor, kappa, x);
        } else {
            cgs_cell_plain(false, self->factor, kappa, x);
        }
        for (int a = 0; a < 8; a++)
            CGS_CELL_STORE(&piece->r[a][j], x[a]);
    }
}

/* The same where kappa is orthotropic; numbers: those of a cell, known to the compiler. */
CGS_PIECE void multiply_numbers(const struct cells *self, int numbers, int64_t count,
                                struct piece *piece)
{
    for (int64_t j = 0; j <= count; j += CGS_CELLS_AT_ONCE) {
        cgs_cell_lanes x[8], kappa[CGS_MOST_NUMBERS];
        for (int a = 0; a < 8; a++)
            CGS_CELL_LOAD(x[a], &piece->x[a >> 1][j + (a & 1)]);
        CGS_CELL_LOAD(kappa[0], &piece->kappa[j]);
        for (int k = 1; k < numbers; k++)
            CGS_CELL_LOAD(kappa[k], &piece->across[k - 1][j]);
        cgs_cell_orthotropic(numbers > CGS_REACTION, self->part, kappa, x);
        for (int a = 0; a < 8; a++)
            CGS_CELL_STORE(&piece->r[a][j], x[a]);
    }
}

static CGS_CLONES void multiply_orthotropic(const struct cells *self, int64_t count,
                                            struct piece *piece)
{
    if (self->mesh.kappa.reaction)
        multiply_numbers(self, CGS_MOST_NUMBERS, count, piece);
    else
        multiply_numbers(self, CGS_REACTION, count, piece);
}

/* The same of void cells outside a free face of direction k, or of cells of the term c u alone. */
static CGS_CLONES void multiply_face(const struct cells *self, int k, int64_t count,
                                     struct piece *piece)
{
    for (int64_t j = 0; j <= count; j += CGS_CELLS_AT_ONCE) {
        cgs_cell_lanes x[8], kappa;
        for (int a = 0; a < 8; a++)
            CGS_CELL_LOAD(x[a], &piece->x[a >> 1][j + (a & 1)]);
        CGS_CELL_LOAD(kappa, &piece->kappa[j]);
        cgs_cell_face(self->face[k], kappa, x);
        for (int a = 0; a < 8; a++)
            CGS_CELL_STORE(&piece->r[a][j], x[a]);
    }
}

/* The same of cell j of the piece alone, outside a free face of direction x. */
static void multiply_end(const struct cells *self, int64_t j, struct piece *piece)
{
    for (int a = 0; a < 8; a++) {
        real sum = 0;
        for (int b = 0; b < 8; b++)
            sum += self->end[a ^ b] * piece->x[b >> 1][j + (b & 1)];
        piece->r[a][j] = piece->kappa[j] * sum;
    }
}

/* Multiplies a piece of a line that may have void cells. */
static void multiply_open(const struct cells *self, const struct cgs_cell_line *line, int64_t cy,
                          int64_t cz, int64_t first, int64_t count, struct piece *piece)
{
    const int kind = cgs_cell_class_of_line(&self->mesh, cy, cz);
    if (kind > 0)
        multiply_face(self, kind - 1, count, piece);
    else if (self->mesh.kappa.orthotropic)
        multiply_orthotropic(self, count, piece);
    else
        multiply_piece(self, line, first, count, piece);
    if (first == 0 && cgs_mesh_void(&self->mesh, 0, 0))
        multiply_end(self, 0, piece);
    if (first + count == self->mesh.n[0] && cgs_mesh_void(&self->mesh, 0, self->mesh.n[0]))
        multiply_end(self, count, piece);
}

/* Adds a line of cells to the four lines of nodes around it. */
static void multiply_line(const struct cells *self, int64_t cy, int64_t cz,
                          const struct lines *lines)
{
    const int64_t n = self->mesh.n[0];
    const struct cgs_cell_line line = line_of(self, cy, cz);
    struct piece piece;
    for (int64_t first = 0; first < n; first += PIECE) {
        const int64_t count = n - first < PIECE ? n - first : PIECE;
        load_piece(self, lines, cy, cz, first, count, &piece);
        if (self->mesh.kappa.mass)
            multiply_face(self, CGS_REACTION, count, &piece);
        else if (self->open)
            multiply_open(self, &line, cy, cz, first, count, &piece);
        else if (self->mesh.kappa.orthotropic)
            multiply_orthotropic(self, count, &piece);
        else
            multiply_piece(self, &line, first, count, &piece);
        add_piece(lines, first, count, &piece);
    }
}

/* Layer cz of cells, counted from below the first plane here; writes those of its two planes of
 * nodes that are in the slab. */
static void multiply_layer(const struct cells *self, int64_t cz, const struct cgs_slab *slab,
                           const real *x, real *y)
{
    const int64_t *n = self->mesh.n;
    for (int64_t cy = 0; cy <= n[1]; cy++) {
        struct lines lines;
        for (int q = 0; q < 4; q++) {
            const int64_t iy = cy - 1 + (q & 1), iz = cz - 1 + (q >> 1);
            const int64_t sy = cgs_mesh_wrapped(&self->mesh, 1, iy + 1) - 1;
            const int64_t sz = cgs_mesh_wrapped(&self->mesh, 2, iz + 1) - 1;
            const bool inside =
                sy >= 0 && sy < n[1] && sz >= self->planes.low && sz < self->planes.high;
            lines.x[q] = inside ? x + (sz * n[1] + sy) * n[0] : NULL;
            lines.y[q] = inside && iy == sy && iz >= slab->begin && iz < slab->end
                             ? y + (iz * n[1] + iy) * n[0]
                             : NULL;
            lines.add[q] = q != 3; /* a line of nodes first meets the line of cells below it */
        }
        multiply_line(self, cy, self->planes.first + cz, &lines);
    }
}

static CGS_CLONES double dot_of_plane(int64_t n, const real *x, const real *y)
{
    return cgs_lanes_dot(n, x, y);
}

static void multiply(const struct cells *self, struct cgs_queue *queue, double *partials,
                     const real *x, real *y)
{
    const int64_t plane = cgs_mesh_plane(&self->mesh);
#pragma omp parallel num_threads(queue->context->threads)
    {
        const struct cgs_slab slab = cgs_slab_of_thread(self->planes.count);
        for (int64_t cz = slab.begin; cz <= slab.end && slab.begin < slab.end; cz++) {
            const int64_t z = cz - 1; /* now complete */
            multiply_layer(self, cz, &slab, x, y);
            if (partials && z >= slab.begin)
                partials[z] = dot_of_plane(plane, x + z * plane, y + z * plane);
        }
    }
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    if (!state || cgs_cg_going_on(state))
        multiply(self, queue, NULL, x, y);
    return CGS_OK;
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct cells *cells = self;
    if (!cgs_cg_going_on(state))
        return CGS_OK;
    multiply(cells, queue, queue->partials, x, y);
    const int64_t plane = cgs_mesh_plane(&cells->mesh), count = cells->planes.count;
    const struct cgs_blocks blocks = {
        .n = count * plane, .size = plane, .count = count, .unit = plane, .per_unit = 1};
    cgs_cpu_add_up(queue, state, sum, cells->portion, &blocks);
    return CGS_OK;
}

/* ---- the table ---- */

static int64_t table_length(const struct cgs_mesh *mesh)
{
    return cgs_cell_table(mesh) + ROOM;
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan_out)
{
    cgs_plan_add(plan_out, CGS_HOST, "cells", 1, sizeof(struct cells));
    cgs_plan_add(plan_out, CGS_HOST, "tables of the mesh", table_length(matrix->mesh),
                 2 * (sizeof(real) + sizeof(double)));
}

static void release(void *self)
{
    struct cells *made = self;
    if (!made)
        return;
    struct cgs_context *context = made->context;
    cgs_free(context, made->waves[0]);
    cgs_free(context, made);
}

/* In all directions alike where the mesh is deformed; on other meshes nothing reads the wave. */
static void make_tables(struct cells *made)
{
    const int64_t n = made->mesh.n[0], length = table_length(&made->mesh);
    made->waves[1] = made->waves[0] + length;
    made->wave = (real *)(made->waves[1] + length);
    made->step = made->wave + length;
    for (int64_t i = 0; i < length; i++) {
        double *wave = &made->waves[0][i], *step = &made->waves[1][i];
        *wave = *step = 0.0;
        if (i <= n)
            cgs_mesh_wave(&made->mesh, 0, i, wave, step);
        made->wave[i] = (real)*wave;
        made->step[i] = (real)*step;
    }
}

static void make_faces(struct cells *made)
{
    double entry[8];
    cgs_face_factors(&made->mesh, made->face);
    cgs_box_face_classes(&made->mesh, 0, entry);
    for (int b = 0; b < 8; b++)
        made->end[b] = (real)(made->mesh.scale * entry[b]);
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cgs_context *context = queue->context;
    struct cells *made;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "cells", (void **)&made));
    const struct cgs_portion *portion = matrix->source->portion;
    *made = (struct cells){.context = context,
                           .mesh = *matrix->mesh,
                           .planes = cgs_planes_of(portion, matrix->mesh->n),
                           .portion = portion};
    const enum cgs_status status =
        cgs_alloc(context, table_length(&made->mesh), 2 * (sizeof(real) + sizeof(double)),
                  "tables of the mesh", (void **)&made->waves[0]);
    if (status != CGS_OK) {
        release(made);
        return status;
    }
    cgs_cell_factors(&made->mesh, made->factor);
    cgs_cell_parts(&made->mesh, made->part);
    made->open = cgs_mesh_open(&made->mesh);
    make_faces(made);
    made->cubic = cgs_mesh_cubic(&made->mesh);
    make_tables(made);
    *self = made;
    return CGS_OK;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_cells) = {
    .reproducible = true,
    .shared = true,
    .entryless = true,
    .accepts = cgs_free_accepts,
    .layout = cgs_planes_layout,
    .plan = plan,
    .prepare = prepare,
    .traffic = cgs_free_traffic,
    .steps = {.apply = apply, .apply_dot = apply_dot, .release = release},
};
