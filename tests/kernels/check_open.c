/* Meshes with a kappa of each cell, with free faces and periodic directions: kernels without
 * entries, and on a device the assembly of entries and diagonals, against rows added up here
 * from the classes of cells. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fem/box.h"
#include "kernels/plugin/memory.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "solver/operator.h"
#include "tests/support/rows.h"
#include "tests/support/support.h"

/* Lines shorter and longer than a batch and a piece; single cells; all faces free, some, none;
 * masses on them, or none; deformed cubes; periodic directions, of as few cells as they may
 * have, and beside free faces; kappa of three numbers, with a reaction, and a reaction alone. */
static const struct place {
    int64_t n[3];
    double size[3], deform;
    int open[3];
    bool blended, masses;
    int numbers; /* of a cell; 0: c of the term c u alone */
} places[] = {
    {{5, 9, 3}, {1, 2, 0.5}, 0, {0, 0, 0}, false, false, 1},
    {{8, 8, 8}, {1, 1, 1}, 0, {0, 0, 0}, true, false, 1},
    {{7, 7, 7}, {1, 1, 1}, 0.1, {0, 0, 0}, false, false, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {1, 0, 0}, false, true, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {2, 0, 0}, true, true, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {0, 1, 0}, false, true, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {0, 2, 0}, true, true, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {0, 0, 1}, false, true, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {0, 0, 2}, true, true, 1},
    {{9, 9, 9}, {1, 1, 1}, 0, {3, 3, 3}, false, true, 1},
    {{9, 9, 9}, {1, 1, 1}, 0, {3, 3, 3}, false, false, 1},
    {{2, 3, 4}, {2, 1, 3}, 0, {3, 1, 2}, false, true, 1},
    {{1, 1, 1}, {1, 1, 1}, 0, {1, 2, 1}, true, true, 1},
    {{2, 2, 2}, {1, 1, 1}, 0, {3, 3, 3}, true, true, 1},
    {{33, 17, 10}, {1, 2, 0.5}, 0, {2, 3, 1}, true, true, 1},
    {{130, 4, 3}, {4, 1, 1}, 0, {3, 1, 3}, false, true, 1},
    {{128, 2, 4}, {4, 1, 1}, 0, {1, 3, 2}, false, true, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {CGS_PERIODIC, 0, 0}, false, false, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {0, CGS_PERIODIC, 0}, true, false, 1},
    {{7, 6, 5}, {1, 2, 0.5}, 0, {0, 0, CGS_PERIODIC}, false, false, 1},
    {{3, 3, 3}, {1, 1, 1}, 0, {CGS_PERIODIC, CGS_PERIODIC, CGS_PERIODIC}, true, false, 1},
    {{31, 17, 9}, {1, 2, 0.5}, 0, {CGS_PERIODIC, CGS_PERIODIC, CGS_PERIODIC}, false, false, 1},
    {{130, 9, 4}, {4, 1, 1}, 0, {CGS_PERIODIC, 3, 1}, false, true, 1},
    {{30, 8, 33}, {4, 1, 1}, 0, {2, CGS_PERIODIC, 3}, true, true, 1},
    {{128, 16, 8}, {4, 1, 1}, 0, {CGS_PERIODIC, 0, CGS_PERIODIC}, false, false, 1},
    {{5, 9, 3}, {1, 2, 0.5}, 0, {0, 0, 0}, false, false, 3},
    {{9, 9, 9}, {1, 1, 1}, 0, {3, 3, 3}, true, true, 3},
    {{130, 9, 4}, {4, 1, 1}, 0, {CGS_PERIODIC, 3, 1}, false, true, 3},
    {{30, 8, 33}, {4, 1, 1}, 0, {2, CGS_PERIODIC, CGS_PERIODIC}, true, true, 3},
    {{31, 17, 9}, {1, 2, 0.5}, 0, {CGS_PERIODIC, 3, CGS_PERIODIC}, false, false, 3},
    {{5, 9, 3}, {1, 2, 0.5}, 0, {0, 0, 0}, false, false, 4},
    {{9, 9, 9}, {1, 1, 1}, 0, {3, 3, 3}, true, true, 4},
    {{130, 9, 4}, {4, 1, 1}, 0, {CGS_PERIODIC, 3, 1}, false, true, 4},
    {{5, 9, 3}, {1, 2, 0.5}, 0, {0, 0, 0}, false, false, 0},
    {{130, 9, 4}, {4, 1, 1}, 0, {CGS_PERIODIC, 3, 1}, true, false, 0},
};
enum { PLACE_COUNT = sizeof places / sizeof *places };

static struct cgs_mesh closed_mesh(const struct place *p)
{
    struct cgs_mesh mesh =
        cgs_mesh_box(p->n, p->size, p->blended ? CGS_BLENDED : CGS_GAUSS, p->blended ? 1.0 : 3.0);
    mesh.deform = p->deform;
    return mesh;
}

static bool is_void(const struct cgs_mesh *mesh, int k, int64_t c)
{
    return mesh->open[k] != CGS_PERIODIC &&
           ((c == 0 && (mesh->open[k] & 1)) || (c == mesh->n[k] && (mesh->open[k] & 2)));
}

/* Number of void directions of a cell. */
static int void_ways(const struct cgs_mesh *mesh, const int64_t c[3])
{
    return is_void(mesh, 0, c[0]) + is_void(mesh, 1, c[1]) + is_void(mesh, 2, c[2]);
}

/* Random numbers in cells, and in void ones beside a face if `masses`, else zero. */
static void draw_kappa(const struct cgs_mesh *mesh, bool masses, uint64_t seed, double *kappa)
{
    const int64_t wide = mesh->n[0] + 1, high = mesh->n[1] + 1,
                  count = wide * high * (mesh->n[2] + 1);
    plain_vector(count, PLAIN_RANDOM, CGS_F64, seed, kappa);
    for (int64_t i = 0; i < count; i++) {
        const int ways = void_ways(mesh, (int64_t[]){i % wide, i / wide % high, i / wide / high});
        kappa[i] = ways > 1 || (ways == 1 && !masses) ? 0.0 : 1.5 + kappa[i];
    }
    const int64_t stride[3] = {1, wide, wide * high};
    for (int k = 0; k < 3; k++) /* cell 0 of a periodic direction is cell n */
        for (int64_t i = 0; i < count; i++)
            if (mesh->open[k] == CGS_PERIODIC && i / stride[k] % (mesh->n[k] + 1) == 0)
                kappa[i] = kappa[i + mesh->n[k] * stride[k]];
}

static double *random_kappa(const struct cgs_mesh *mesh, bool masses)
{
    const int64_t count = cgs_mesh_all_cells(mesh);
    const int numbers = cgs_mesh_numbers(mesh);
    double *kappa = must_have((size_t)(numbers * count) * sizeof *kappa);
    for (int k = 0; k < numbers; k++)
        draw_kappa(mesh, masses && k < CGS_REACTION, 11 + (uint64_t)k, kappa + k * count);
    return kappa;
}

static struct cgs_mesh mesh_at(int which)
{
    const struct place *p = &places[which];
    struct cgs_mesh mesh = closed_mesh(p);
    for (int k = 0; k < 3; k++)
        mesh.open[k] = p->open[k];
    cgs_mesh_resize(&mesh, p->n);
    mesh.kappa.kind = CGS_KAPPA_CELLS;
    mesh.kappa.orthotropic = p->numbers > 1;
    mesh.kappa.reaction = p->numbers > CGS_REACTION;
    mesh.kappa.mass = p->numbers == 0;
    mesh.kappa.cells = random_kappa(&mesh, p->masses);
    return mesh;
}

/* ---- the rows ---- */

struct oracle {
    struct cgs_mesh mesh;
    double classes[4][8], noted;
};

/* Entry (a, b) of cell c. */
static double entry_of(const struct oracle *o, const int64_t c[3], int a, int b)
{
    const struct cgs_mesh *mesh = &o->mesh;
    const double *cells =
        &mesh->kappa.cells[(c[2] * (mesh->n[1] + 1) + c[1]) * (mesh->n[0] + 1) + c[0]];
    const double kappa = *cells;
    double sum = 0.0;
    int kind = 0;
    for (int k = 0; k < 3; k++)
        if (is_void(mesh, k, c[k]))
            kind = 1 + k;
    for (int k = 0; k < cgs_mesh_numbers(mesh) && mesh->kappa.orthotropic; k++)
        sum += cells[k * cgs_mesh_all_cells(mesh)] * cgs_box_part(mesh, k, a ^ b);
    if (mesh->kappa.orthotropic && kind == 0)
        return sum;
    if (mesh->kappa.mass)
        return kappa * cgs_box_part(mesh, CGS_REACTION, a ^ b);
    if (mesh->deform == 0.0)
        return kappa * o->classes[kind][a ^ b];
    double corner[24], stiffness[CGS_PACKED];
    cgs_mesh_corners(mesh, c[0], c[1], c[2], corner);
    cgs_element_stiffness(corner, mesh->quadrature, kappa, stiffness);
    return stiffness[cgs_packed(a, b)];
}

/* Sums over the 8 cells of a row; slots of neighbours outside the box are of no use. */
static void sum_row(const struct oracle *o, int64_t row, double sums[CGS_SLOTS_OF_ROW])
{
    const int64_t *n = o->mesh.n, i[3] = {row % n[0], row / n[0] % n[1], row / n[0] / n[1]};
    memset(sums, 0, CGS_SLOTS_OF_ROW * sizeof *sums);
    for (int q = 0; q < 8; q++) {
        const int64_t c[3] = {i[0] + (q & 1), i[1] + (q >> 1 & 1), i[2] + (q >> 2)};
        for (int b = 0; b < 8; b++) {
            const int x = (q & 1) + (b & 1), y = (q >> 1 & 1) + (b >> 1 & 1),
                      z = (q >> 2) + (b >> 2);
            sums[x + 3 * y + 9 * z] += o->mesh.scale * entry_of(o, c, 7 ^ q, b);
        }
    }
}

/* Returns the column of a slot of a row, or -1 where there is no unknown. */
static int64_t column_of(const struct cgs_mesh *mesh, int64_t row, int slot)
{
    const int64_t *n = mesh->n, i[3] = {row % n[0], row / n[0] % n[1], row / n[0] / n[1]};
    const int step[3] = {slot % 3 - 1, slot / 3 % 3 - 1, slot / 9 - 1};
    int64_t at[3];
    for (int k = 0; k < 3; k++) {
        at[k] = i[k] + step[k];
        if (mesh->open[k] == CGS_PERIODIC)
            at[k] = (at[k] + n[k]) % n[k];
        if (at[k] < 0 || at[k] >= n[k])
            return -1;
    }
    return (at[2] * n[1] + at[1]) * n[0] + at[0];
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *out)
{
    const struct oracle *o = source->self;
    for (int64_t row = first; row < last; row++) {
        out[row - first] = 0;
        for (int slot = 0; slot < CGS_SLOTS_OF_ROW; slot++)
            out[row - first] += column_of(&o->mesh, row, slot) >= 0;
    }
}

static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct oracle *o = source->self;
    int64_t e = 0;
    for (int64_t row = first; row < last; row++) {
        double sums[CGS_SLOTS_OF_ROW];
        const int64_t begin = e;
        sum_row(o, row, sums);
        for (int slot = 0; slot < CGS_SLOTS_OF_ROW; slot++) {
            const int64_t column = column_of(&o->mesh, row, slot);
            int64_t at = e;
            if (column < 0)
                continue;
            for (; at > begin && columns[at - 1] > column; at--) {
                columns[at] = columns[at - 1];
                values[at] = values[at - 1];
            }
            columns[at] = (int32_t)column;
            values[at] = sums[slot];
            e++;
        }
    }
}

static double norm(const struct cgs_row_source *source)
{
    return ((const struct oracle *)source->self)->noted;
}

static void note_norm(const struct cgs_row_source *source, double noted)
{
    ((struct oracle *)source->self)->noted = noted;
}

static struct cgs_row_source oracle_source(int which, struct oracle *o)
{
    o->mesh = mesh_at(which);
    o->noted = 0.0;
    cgs_box_classes(&o->mesh, o->classes[0]);
    for (int k = 0; k < 3; k++)
        cgs_box_face_classes(&o->mesh, k, o->classes[1 + k]);
    const int64_t rows = cgs_mesh_rows(&o->mesh), plane = cgs_mesh_plane(&o->mesh);
    return (struct cgs_row_source){.rows = rows,
                                   .columns = rows,
                                   .symmetric = true,
                                   .mesh = &o->mesh,
                                   .plane = plane,
                                   .reach = rows,
                                   .self = o,
                                   .lengths = lengths,
                                   .norm = norm,
                                   .note_norm = note_norm,
                                   .fill = fill};
}

static void oracle_end(struct oracle *o)
{
    free((double *)o->mesh.kappa.cells);
}

/* The oracle itself: without masses a box with free faces or periodic directions all around
 * leaves constants alone. */
TEST(oracle_knows_constants)
{
    for (int which = 0; which < PLACE_COUNT; which++) {
        struct oracle o;
        const struct cgs_row_source source = oracle_source(which, &o);
        double sums[CGS_SLOTS_OF_ROW], all = 0.0, most = 0.0;
        bool free_box = true;
        for (int k = 0; k < 3; k++)
            free_box =
                free_box && (places[which].open[k] == 3 || places[which].open[k] == CGS_PERIODIC);
        for (int64_t row = 0; free_box && row < source.rows; row++) {
            sum_row(&o, row, sums);
            most = fmax(most, sums[13]);
            for (int slot = 0; slot < CGS_SLOTS_OF_ROW; slot++)
                all += sums[slot];
        }
        if (free_box && !places[which].masses)
            ck_assert(fabs(all) <= 1e-12 * most * (double)source.rows);
        oracle_end(&o);
    }
}

/* ---- kernels without entries ---- */

static void product(const struct cgs_operator *op, int threads, bool fused, const double *x,
                    double *y, double *dot)
{
    const struct cgs_space *space = &op->domain;
    void *vx = bed_vector(space, x), *vy = bed_vector(space, NULL);
    struct cgs_cg_state *state = bed_state(space, 1);
    bed.context.threads = threads;
    if (fused)
        must(cgs_operator_apply_dot(op, bed.queue, state, vx, vy, CGS_SUM_PQ));
    else
        must(cgs_operator_apply(op, bed.queue, NULL, vx, vy));
    must(space->ops->wait(bed.queue));
    bed.context.threads = 2;
    bed_get(space, vy, y);
    *dot = bed_look(space, state).sums[CGS_SUM_PQ];
    space->ops->state_free(space, state);
    space->ops->free(space, vx);
    space->ops->free(space, vy);
}

static void check_product(const char *words, const struct rows *rows, const struct cgs_operator *op)
{
    const size_t bytes = (size_t)rows->count * sizeof(double);
    const double eps = op->domain.number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    double *x = must_have(bytes), *y = must_have(bytes), *other = must_have(bytes), dot;
    long double sum = 0.0L, size = 0.0L;
    plain_vector(rows->count, PLAIN_RANDOM, op->domain.number, 7, x);
    product(op, 2, false, x, y, &dot);
    for (int64_t i = 0; i < rows->count; i++) {
        long double right = 0.0L, all = 0.0L, most = 0.0L;
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            right += (long double)rows->values[k] * x[rows->columns[k]];
            all += fabsl((long double)x[rows->columns[k]]);
            most = fmaxl(most, fabsl((long double)rows->values[k]));
        }
        if (!(fabsl(y[i] - right) <= 32 * eps * most * all))
            ck_abort_msg("%s: row %lld is %.17g, should be %.17Lg", words, (long long)i, y[i],
                         right);
        sum += (long double)x[i] * y[i];
        size += fabsl((long double)x[i] * y[i]);
    }
    for (int threads = 1; threads <= 3; threads++) {
        product(op, threads, true, x, other, &dot);
        ck_assert_msg(memcmp(y, other, bytes) == 0, "%s: other bits by %d threads", words, threads);
        ck_assert_msg(fabsl(dot - sum) <= ((double)rows->count + 2) * DBL_EPSILON * size,
                      "%s: x'y = %.17g, should be %.17Lg", words, dot, sum);
    }
    free(x);
    free(y);
    free(other);
}

/* `cells` alone computes such a mesh; the others say why not. */
static void check_kernel(const struct cgs_kernel_entry *entry, enum cgs_precision precision,
                         const struct cgs_row_source *source, const struct rows *rows, int which)
{
    struct cgs_matrix matrix;
    struct cgs_operator op;
    char words[100];
    snprintf(words, sizeof words, "%s %s, mesh %d", entry->name, cgs_precision_name(precision),
             which);
    must(cgs_matrix_create(&bed.context, source, CGS_NONE, 1, 1, &matrix));
    const enum cgs_status status = cgs_operator_create(
        bed.queue, bed.backend, entry->tables[precision], precision, &matrix, &op);
    ck_assert_msg((status == CGS_OK) == (strcmp(entry->name, "cells") == 0), "%s", words);
    if (status == CGS_OK) {
        check_product(words, rows, &op);
        cgs_operator_release(&op);
    } else {
        ck_assert(bed.context.message[0] != '\0');
        bed_forgive();
    }
    cgs_matrix_release(&bed.context, &matrix);
}

LOOP_TEST(products_are_the_rows, PLACE_COUNT)
{
    int all;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    struct oracle o;
    const struct cgs_row_source source = oracle_source(_i, &o);
    struct rows rows = rows_gather(&source, 64);
    for (int i = 0; i < all; i++)
        for (int p = 0; p < CGS_PRECISIONS; p++)
            if (of_order_1(&entries[i]))
                check_kernel(&entries[i], (enum cgs_precision)p, &source, &rows, _i);
    rows_free(&rows);
    oracle_end(&o);
}

TEST(deformed_free_faces_are_refused)
{
    struct oracle o;
    const struct cgs_row_source source = oracle_source(9, &o);
    int all;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    o.mesh.deform = 0.1;
    for (int i = 0; i < all; i++)
        if (of_order_1(&entries[i])) {
            struct cgs_matrix matrix;
            struct cgs_operator op;
            must(cgs_matrix_create(&bed.context, &source, CGS_NONE, 1, 1, &matrix));
            ck_assert_int_eq(cgs_operator_create(bed.queue, bed.backend, entries[i].tables[0],
                                                 (enum cgs_precision)0, &matrix, &op),
                             CGS_USAGE);
            bed_forgive();
            cgs_matrix_release(&bed.context, &matrix);
        }
    oracle_end(&o);
}

/* ---- on a device ---- */

static void check_entries(const struct oracle *o, const struct cgs_row_source *source,
                          const struct rows *rows, enum cgs_number number)
{
    struct cgs_matrix matrix;
    struct cgs_plugin_arrays arrays;
    double most = 0.0;
    must(cgs_matrix_create(&bed.context, source, CGS_CRS, 1, 1, &matrix));
    matrix.on_device = true;
    ck_assert_ptr_null(bed.backend->box->refuses(bed.queue, &matrix, source->mesh));
    must((bed.backend->plugin->hold)(bed.queue, &matrix, number, &arrays));
    int32_t *columns = bed_fetch(arrays.columns.data, rows->entries * 4);
    void *values = bed_fetch(arrays.values.data, rows->entries * cgs_number_bytes(number));
    for (int64_t i = 0; i < rows->count; i++) {
        double sum = 0.0;
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            sum += fabs(rows->values[k]);
        most = fmax(most, sum);
    }
    ck_assert_double_eq_tol(o->noted, most, 1e-13 * most);
    for (int64_t k = 0; k < rows->entries; k++) {
        const double is = number == CGS_F64 ? ((double *)values)[k] : ((float *)values)[k];
        const double off = number == CGS_F64 ? 0.0 : FLT_EPSILON * fabs(rows->values[k]);
        if (columns[k] != rows->columns[k] || !(fabs(is - rows->values[k]) <= 1e-13 * most + off))
            ck_abort_msg("entry %lld: column %d, %.17g, not %d, %.17g", (long long)k,
                         (int)columns[k], is, (int)rows->columns[k], rows->values[k]);
    }
    free(columns);
    free(values);
    cgs_plugin_drop(bed.backend->plugin, bed.queue, &arrays);
    cgs_matrix_release(&bed.context, &matrix);
}

static void check_diagonal(const struct oracle *o, const struct rows *rows, enum cgs_number number)
{
    const struct cgs_space space = bed_space(number, rows->count);
    const double eps = number == CGS_F64 ? 1e-13 : 2.0 * FLT_EPSILON;
    double *got = must_have((size_t)rows->count * sizeof *got);
    void *inverse = bed_vector(&space, NULL);
    int64_t bad;
    must(bed.backend->box->inverse_diagonal(&space, &o->mesh, inverse, &bad));
    ck_assert_int_eq(bad, -1);
    bed_get(&space, inverse, got);
    for (int64_t i = 0; i < rows->count; i++) {
        const double right = 1.0 / rows_entry(rows, i, i);
        if (!(fabs(got[i] - right) <= eps * right))
            ck_abort_msg("diagonal %lld: %.17g, not %.17g", (long long)i, got[i], right);
    }
    free(got);
    space.ops->free(&space, inverse);
}

LOOP_TEST(assembled_on_the_device, PLACE_COUNT)
{
    struct oracle o;
    const struct cgs_row_source source = oracle_source(_i, &o);
    struct rows rows = rows_gather(&source, 64);
    for (int number = 0; bed.backend->box && !o.mesh.kappa.mass && number < CGS_NUMBERS; number++) {
        check_entries(&o, &source, &rows, (enum cgs_number)number);
        check_diagonal(&o, &rows, (enum cgs_number)number);
    }
    rows_free(&rows);
    oracle_end(&o);
}

int main(void)
{
    return bed_tests("kappa by cells, free faces, periodic directions", 300);
}
