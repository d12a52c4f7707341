/* Shared by the tests of kernels without entries (--format=none): meshes, and a kernel at work on
 * one of them. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "fem/assembly.h"
#include "fem/element/lobatto.h"
#include "fem/order/rows.h"
#include "matrix/layout.h"
#include "solver/operator.h"
#include "tests/support/support.h"

static const int64_t sizes[] = {1, 2, 3, 5, 8, 17, 33};
/* LONG: of double a line is longer than what a warp has of it (planes.cuh). */
enum { LONG = CHECK_SMALL ? 65 : 139 };
enum { SIZES = sizeof sizes / sizeof *sizes - (CHECK_SMALL ? 2 : 0), MESHES = 8 };
/* Boxes: short lines, long lines, single planes and lines; cells that are cubes in a box that is
 * none. */
static const struct {
    int64_t n[3];
    double size[3];
} boxes[] = {{{5, 9, 3}, {1, 2, 0.5}},  {{1, 8, 2}, {0.5, 2, 1}},   {{3, 7, 15}, {1, 2, 4}},
             {{8, 8, 8}, {1, 1, 3}},    {{70, 3, 17}, {2, 1, 0.5}}, {{6, 1, 1}, {1, 1, 1}},
             {{9, 5, 20}, {1, 0.3, 1}}, {{33, 9, 34}, {1, 2, 0.5}}};
enum { BOXES = sizeof boxes / sizeof *boxes - (CHECK_SMALL ? 1 : 0), PLACES = SIZES + BOXES };
enum { MESHES_OF_BOXES = 5 }; /* the first meshes are not deformed */

/* Gauss, blended and the course's scale; coefficients; deformed; both. */
static inline struct cgs_mesh mesh_of(int which, int64_t n)
{
    const double cells = (double)(n + 1);
    struct cgs_mesh mesh = cgs_mesh_cube(n, which == 1 || which == 6 ? CGS_BLENDED : CGS_GAUSS,
                                         which == 2 ? cells * cells * cells : 1.0);
    if (which == 3 || which == 6 || which == 7)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_SMOOTH, .ratio = 1.0};
    if (which == 4)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_JUMP, .ratio = 1000.0};
    if (which == 5 || which == 6)
        mesh.deform = 0.1;
    if (which == 7)
        mesh.deform = -0.08;
    return mesh;
}

/* The same in place s: a cube, then a box. */
static inline struct cgs_mesh mesh_at(int which, int s)
{
    struct cgs_mesh mesh = mesh_of(which, s < SIZES ? sizes[s] : 1);
    for (int k = 0; s >= SIZES && k < 3; k++)
        mesh.size[k] = boxes[s - SIZES].size[k];
    if (s >= SIZES)
        cgs_mesh_resize(&mesh, boxes[s - SIZES].n);
    if (which == 2)
        mesh.scale = 1.0 / cgs_mesh_cell(&mesh);
    return mesh;
}

/* Cells of boxes of order p: few; one; a line of some; lines of several strips of the CPU's kernel;
 * several tiles of CUDA's in x and y, not full at the end (order.cu), and graded. */
enum { ORDERS = CGS_ORDER_MOST - 1, PLACES_OF_ORDER = 5, TILES = 4 };
static const double size_of_order[3] = {1.0, 2.0, 0.5};

/* Nodes of a line of cells whose lengths are as 1 to 1.5 in turn. */
static inline void grade_line(int p, int64_t cells, double size, double *nodes)
{
    const double unit = size / (1.25 * (double)cells - (cells % 2 == 0 ? 0.0 : 0.25));
    struct cgs_lobatto lobatto;
    double begin = 0.0;
    cgs_lobatto_make(p, &lobatto);
    for (int64_t c = 0; c < cells; c++) {
        const double length = unit * (c % 2 == 0 ? 1.0 : 1.5);
        for (int a = 0; a <= p; a++)
            nodes[p * c + a] = begin + 0.5 * length * (1.0 + lobatto.point[a]);
        begin += length;
    }
}

static inline struct cgs_mesh mesh_of_order(int p, int place)
{
    static double nodes[3][40 * CGS_ORDER_MOST];
    const int64_t wide = p == 2 ? 33 : p < 5 ? 17 : 9, high = p == 2 ? 9 : 7;
    const int64_t cells[PLACES_OF_ORDER][3] = {
        {3, 2, 2}, {1, 1, 1}, {1, 4, 1}, {180, 1, 1}, {wide, high, 2}};
    int64_t n[3];
    for (int k = 0; k < 3; k++)
        n[k] = p * cells[place][k] - 1;
    struct cgs_mesh mesh = cgs_mesh_box(n, size_of_order, CGS_GAUSS, 1.0);
    mesh.order = p;
    for (int k = 0; k < 3 && place == TILES; k++) {
        grade_line(p, cells[place][k], size_of_order[k], nodes[k]);
        mesh.nodes[k] = nodes[k];
    }
    return mesh;
}

/* Boxes with ends that are free, periodic or held, graded in y: the kinds of face, coefficients of
 * transfer at free ends, and c. Nodes of y are in `nodes`; y and z have 3 cells. */
static const int ends[][3] = {{1, CGS_PERIODIC, 2}, {CGS_PERIODIC, 3, CGS_PERIODIC}, {3, 3, 3}};
enum { ENDS = sizeof ends / sizeof *ends, LONGEST = 3 * CGS_ORDER_MOST + 1 };

static inline struct cgs_mesh mesh_of_ends(int p, int place, int64_t cells_x, double nodes[LONGEST])
{
    static const double edge[] = {0.0, 0.5, 1.25, 2.0};
    struct cgs_lobatto lobatto;
    int64_t n[3];
    for (int k = 0; k < 3; k++)
        n[k] = (k == 0 ? cells_x : 3) * p - 1 +
               (ends[place][k] == CGS_PERIODIC ? 1 : (ends[place][k] & 1) + ends[place][k] / 2);
    struct cgs_mesh mesh = cgs_mesh_box(n, size_of_order, CGS_GAUSS, 1.0);
    memcpy(mesh.open, ends[place], sizeof mesh.open);
    cgs_mesh_resize(&mesh, n);
    mesh.order = p;
    mesh.reaction = 1.5;
    cgs_lobatto_make(p, &lobatto);
    for (int i = 0; i <= 3 * p; i++) {
        const int c = i < 3 * p ? i / p : 2, a = i - p * c;
        nodes[i] = edge[c] + 0.5 * (edge[c + 1] - edge[c]) * (1.0 + lobatto.point[a]);
    }
    mesh.nodes[1] = nodes;
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++)
            mesh.transfer[k][side] =
                ends[place][k] != CGS_PERIODIC && ends[place][k] >> side & 1 ? 0.5 + k + side : 0.0;
    return mesh;
}

/* The kernels of this device, `precision` varying fastest; found: room for 32, or NULL. */
static inline int pairs(const struct cgs_kernel_entry **found)
{
    int all, count = 0;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    for (int i = 0; i < all; i++)
        if (of_order_1(&entries[i])) {
            if (found)
                found[count] = &entries[i];
            count++;
        }
    return count * CGS_PRECISIONS;
}

/* A kernel at work on a mesh, beside the rows that the assembler makes of it. */
struct work {
    const struct cgs_kernel *kernel;
    enum cgs_precision precision;
    struct cgs_mesh mesh;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    int64_t count;
    char words[100];
};

static inline void release_source(struct work *work)
{
    (work->mesh.order > 1 ? cgs_order_release : cgs_assembler_release)(&bed.context, &work->source);
}

/* False where the kernel refuses the mesh; then with a reason. */
static inline bool begin_with(struct work *work, const struct cgs_kernel_entry *entry,
                              enum cgs_precision precision, int which, struct cgs_mesh mesh)
{
    *work = (struct work){.precision = precision,
                          .kernel = entry->tables[precision],
                          .mesh = mesh,
                          .count = cgs_mesh_rows(&mesh)};
    snprintf(work->words, sizeof work->words, "%s %s, mesh %d, N = %lld x %lld x %lld", entry->name,
             cgs_precision_name(work->precision), which, (long long)mesh.n[0], (long long)mesh.n[1],
             (long long)mesh.n[2]);
    if (mesh.order > 1)
        must(cgs_order_source(&bed.context, &work->mesh, &work->source));
    else
        must(cgs_assembler_create(&bed.context, &work->mesh, cgs_gather_of(&work->mesh),
                                  &work->source));
    must(cgs_matrix_create(&bed.context, &work->source, CGS_NONE, 1, 1, &work->matrix));
    if (cgs_operator_create(bed.queue, bed.backend, work->kernel, work->precision, &work->matrix,
                            &work->op) == CGS_OK)
        return true;
    if (mesh.order > 1) /* a block of an old device has less shared memory */
        ck_assert(strstr(bed.context.message, "shared memory") != NULL);
    else
        ck_assert(!cgs_mesh_plain(&work->mesh));
    ck_assert(bed.context.message[0] != '\0');
    bed_forgive();
    cgs_matrix_release(&bed.context, &work->matrix);
    release_source(work);
    return false;
}

static inline bool begin_mesh(struct work *work, int pair, int which, struct cgs_mesh mesh)
{
    const struct cgs_kernel_entry *found[32];
    ck_assert_int_lt(pair, pairs(found));
    return begin_with(work, found[pair / CGS_PRECISIONS],
                      (enum cgs_precision)(pair % CGS_PRECISIONS), which, mesh);
}

static inline bool begin(struct work *work, int pair, int which, int64_t n)
{
    return begin_mesh(work, pair, which, mesh_of(which, n));
}

/* The kernel of boxes of order p; place: PLACES_OF_ORDER ... are the ends, with 3 cells in x, then
 * with as many as TILES. nodes: of the mesh, while it is at work. */
static inline bool begin_order(struct work *work, enum cgs_precision precision, int p, int place,
                               double nodes[LONGEST])
{
    const int end = place - PLACES_OF_ORDER;
    const int64_t wide = end < ENDS ? 3 : (mesh_of_order(p, TILES).n[0] + 1) / p;
    const struct cgs_mesh mesh =
        end < 0 ? mesh_of_order(p, place) : mesh_of_ends(p, end % ENDS, wide, nodes);
    int all;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    for (int i = 0; i < all; i++)
        if (entries[i].device == CHECK_DEVICE && strcmp(entries[i].name, "order") == 0)
            return begin_with(work, &entries[i], precision, place, mesh);
    ck_abort_msg("no kernel order");
}

static inline void end(struct work *work)
{
    cgs_operator_release(&work->op);
    cgs_matrix_release(&bed.context, &work->matrix);
    release_source(work);
}
