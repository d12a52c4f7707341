/* The rows of the star. */
#include <math.h>

#include "base/memory.h"
#include "fem/element/order_cells.h"
#include "fem/order/box.h"
#include "fem/order/rows.h"

struct rows {
    struct cgs_order_box box;
    double norm;
};

static const struct cgs_order_box *box_of(const struct cgs_row_source *source)
{
    return &((const struct rows *)source->self)->box;
}

/* The rows of K and the entries of M that meet in one row of the matrix. */
struct star {
    struct cgs_order_row row[3];
    double mass[3], over[3]; /* over: scale times the masses of the other two directions */
    double constant;         /* c M */
    int64_t at[3];
};

static void place(const struct cgs_order_box *box, int k, int64_t i, struct star *star)
{
    star->at[k] = i;
    cgs_order_row_of(&box->line[k], i, &star->row[k]);
    star->mass[k] = cgs_order_mass(&box->line[k], i);
}

static void find_star(const struct cgs_order_box *box, int64_t row, struct star *star)
{
    const int64_t nx = box->line[0].n, ny = box->line[1].n;
    place(box, 0, row % nx, star);
    place(box, 1, row / nx % ny, star);
    place(box, 2, row / (nx * ny), star);
    for (int k = 0; k < 3; k++)
        star->over[k] = box->scale * star->mass[(k + 1) % 3] * star->mass[(k + 2) % 3];
    star->constant = box->reaction * (star->over[0] * star->mass[0]);
}

static double entry_of(const struct star *star, int k, int64_t other)
{
    return star->over[k] * star->row[k].entry[other - star->row[k].first];
}

static double diagonal_of(const struct star *star)
{
    return entry_of(star, 0, star->at[0]) + entry_of(star, 1, star->at[1]) +
           entry_of(star, 2, star->at[2]) + star->constant;
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths_out)
{
    const struct cgs_order_box *box = box_of(source);
    struct star star;
    for (int64_t i = first; i < last; i++) {
        find_star(box, i, &star);
        lengths_out[i - first] = star.row[0].count + star.row[1].count + star.row[2].count - 2;
    }
}

/* Writes the entries of direction k before (side -1) or after (1) the unknown. */
static int64_t write_side(const struct cgs_order_box *box, const struct star *star, int k, int side,
                          int64_t row, int64_t distance, int32_t *columns, double *values)
{
    const struct cgs_order_row *from = &star->row[k];
    const int64_t low = side < 0 ? from->first : star->at[k] + 1;
    const int64_t high = side < 0 ? star->at[k] : from->first + from->count;
    for (int64_t i = low; i < high; i++) {
        const int64_t to = cgs_order_wrapped(&box->line[k], i);
        columns[i - low] = (int32_t)(row + (to - star->at[k]) * distance);
        values[i - low] = entry_of(star, k, i);
    }
    return high - low;
}

void cgs_order_sort_row(int64_t count, int32_t *columns, double *values)
{
    for (int64_t i = 1; i < count; i++) {
        const int32_t column = columns[i];
        const double value = values[i];
        int64_t j = i;
        for (; j > 0 && columns[j - 1] > column; j--) {
            columns[j] = columns[j - 1];
            values[j] = values[j - 1];
        }
        columns[j] = column;
        values[j] = value;
    }
}

static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct cgs_order_box *box = box_of(source);
    const int64_t distance[3] = {1, box->line[0].n, box->line[0].n * box->line[1].n};
    struct star star;
    int64_t at = 0;
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = at;
        find_star(box, i, &star);
        for (int k = 2; k >= 0; k--)
            at += write_side(box, &star, k, -1, i, distance[k], columns + at, values + at);
        columns[at] = (int32_t)i;
        values[at++] = diagonal_of(&star);
        for (int k = 0; k < 3; k++)
            at += write_side(box, &star, k, 1, i, distance[k], columns + at, values + at);
        cgs_order_sort_row(at - begin, columns + begin, values + begin);
    }
}

static enum cgs_status diagonal(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t first, int64_t last, double *entries)
{
    const struct cgs_order_box *box = box_of(source);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = first; i < last; i++) {
        struct star star;
        find_star(box, i, &star);
        entries[i - first] = diagonal_of(&star);
    }
    return CGS_OK;
}

/* A row of K by the sum of its magnitudes, and its entry of M. */
struct pair {
    double sum, mass;
};

/* Keeps of the rows of a direction those that may be in the largest row of the matrix, which grows
 * with both numbers: rows that another one exceeds in both are left out. Returns their number. */
static int64_t largest_rows(const struct cgs_order_line *line, struct pair *kept)
{
    static const double SAME = 1.0 + 1e-12; /* cells that are equal except for rounding */
    int64_t count = 0;
    for (int64_t i = 0; i < line->n; i++) {
        struct cgs_order_row row;
        struct pair pair = {0.0, cgs_order_mass(line, i)};
        bool exceeded = false;
        int64_t left = 0;
        cgs_order_row_of(line, i, &row);
        for (int a = 0; a < row.count; a++)
            pair.sum += fabs(row.entry[a]);
        for (int64_t k = 0; k < count && !exceeded; k++)
            exceeded = kept[k].sum * SAME >= pair.sum && kept[k].mass * SAME >= pair.mass;
        for (int64_t k = 0; k < count && !exceeded; k++)
            if (kept[k].sum > pair.sum || kept[k].mass > pair.mass)
                kept[left++] = kept[k];
        if (!exceeded) {
            kept[left++] = pair;
            count = left;
        }
    }
    return count;
}

/* Returns the largest row sum of magnitudes, to 1e-12. */
static double norm_of(const struct cgs_order_box *box, struct pair *kept)
{
    struct pair *of[3] = {kept, kept + box->line[0].n, kept + box->line[0].n + box->line[1].n};
    int64_t count[3];
    double most = 0.0;
    for (int k = 0; k < 3; k++)
        count[k] = largest_rows(&box->line[k], of[k]);
    for (int64_t z = 0; z < count[2]; z++)
        for (int64_t y = 0; y < count[1]; y++)
            for (int64_t x = 0; x < count[0]; x++) {
                const struct pair a = of[0][x], b = of[1][y], c = of[2][z];
                most = fmax(most, a.sum * b.mass * c.mass + a.mass * b.sum * c.mass +
                                      a.mass * b.mass * (c.sum + box->reaction * c.mass));
            }
    return box->scale * most * (1.0 + 4e-12);
}

static double norm(const struct cgs_row_source *source)
{
    const struct rows *self = source->self;
    return self->norm;
}

static void statistics(const struct cgs_row_source *source, struct cgs_row_statistics *found)
{
    *found = cgs_order_statistics(source->mesh);
}

static int64_t pairs_of(const struct cgs_mesh *mesh)
{
    return mesh->n[0] + mesh->n[1] + mesh->n[2];
}

enum cgs_status cgs_order_source(struct cgs_context *context, const struct cgs_mesh *mesh,
                                 struct cgs_row_source *source)
{
    const int64_t rows = cgs_mesh_rows(mesh), plane = cgs_mesh_plane(mesh);
    const bool held = !(mesh->open[2] & 1); /* units end with ends of cells, or begin with them */
    struct rows *self;
    struct pair *kept;
    CGS_TRY(cgs_alloc(context, 1, sizeof *self, "rows of the mesh", (void **)&self));
    self->box = cgs_order_box(mesh);
    const enum cgs_status status = cgs_alloc(context, pairs_of(mesh), sizeof *kept,
                                             "rows that may be the largest", (void **)&kept);
    if (status != CGS_OK) {
        cgs_free(context, self);
        return status;
    }
    self->norm = norm_of(&self->box, kept);
    cgs_free(context, kept);
    *source = (struct cgs_row_source){
        .rows = rows,
        .columns = rows,
        .symmetric = true,
        .mesh = mesh,
        .plane = plane,
        .reach = cgs_periodic(mesh->open[2]) ? rows : mesh->order * plane,
        .unit = mesh->order * plane,
        .near = {held ? plane : mesh->order * plane, held ? mesh->order * plane : plane},
        .self = self,
        .lengths = lengths,
        .statistics = statistics,
        .norm = norm,
        .diagonal = diagonal,
        .fill = rows > INT32_MAX ? NULL : fill,
    };
    return CGS_OK;
}

void cgs_order_release(struct cgs_context *context, struct cgs_row_source *source)
{
    cgs_free(context, (void *)source->self);
    *source = (struct cgs_row_source){0};
}

int32_t cgs_order_diagonals(const struct cgs_mesh *mesh)
{
    int32_t diagonals = 1;
    for (int k = 0; k < 3; k++)
        diagonals += (cgs_periodic(mesh->open[k]) ? 4 : 2) * mesh->order;
    return cgs_order_star(mesh) ? diagonals : 0;
}

void cgs_order_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan)
{
    struct cgs_plan made = *plan;
    cgs_plan_add(plan, CGS_HOST, "rows of the mesh", 1, sizeof(struct rows));
    cgs_plan_add(&made, CGS_HOST, "", pairs_of(mesh), sizeof(struct pair));
    cgs_plan_add_earlier(plan, &made, plan->total, "rows that may be the largest");
}

struct cgs_row_statistics cgs_order_statistics(const struct cgs_mesh *mesh)
{
    struct cgs_row_statistics found = {.shortest = INT32_MAX};
    const int apart = cgs_order_apart(mesh);
    int64_t count[3][CGS_ORDER_ROW + 1] = {{0}}; /* rows of K by their length */
    for (int k = 0; k < 3; k++) {
        struct cgs_order_line line;
        struct cgs_order_row row;
        cgs_order_line_make(mesh, k, &line);
        for (int64_t i = 0; i < line.n; i++) {
            cgs_order_row_of(&line, i, &row);
            count[k][row.count]++;
        }
    }
    double squares = 0.0;
    for (int a = 1; a <= CGS_ORDER_ROW; a++)
        for (int b = 1; b <= CGS_ORDER_ROW; b++)
            for (int c = 1; c <= CGS_ORDER_ROW; c++) {
                const int64_t rows = count[0][a] * count[1][b] * count[2][c];
                const int32_t length = cgs_order_length(apart, (const int[3]){a, b, c});
                if (rows == 0)
                    continue;
                found.shortest = length < found.shortest ? length : found.shortest;
                found.longest = length > found.longest ? length : found.longest;
                squares += (double)rows * length * length;
                for (int k = 0; k < CGS_ROUNDINGS; k++)
                    found.rounded[k] += rows * ((length + (1 << k) - 1) >> k << k);
            }
    const double rows = (double)cgs_mesh_rows(mesh);
    found.mean = (double)found.rounded[0] / rows;
    found.deviation = sqrt(fmax(0.0, squares / rows - found.mean * found.mean));
    return found;
}
