/* Numbers of the materials' cells, a plane of cells at a time. */
#include "fem/user_problem/materials.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fem/grading.h"
#include "fem/user_problem/cells.h"
#include "fem/user_problem/points.h"
#include "fem/user_problem/settle.h"

/* The planes of cells while they are filled. */
struct filling {
    struct cgs_context *context;
    struct cgs_materials *materials;
    struct cgs_user_problem *user;
    struct cgs_user_points points;
    struct cgs_user_grid grid; /* the centres of plane cz */
    int64_t cz, count;        /* cells of a plane */
    int *material;            /* [count], CGS_NO_MATERIAL: in no region */
    double *values;           /* [count], of one expression */
    double *sources;          /* [count]; at the centres, or means over cells */
    double *cells;            /* kappa of all cells */
    double *cell_source;      /* NULL: no material has a source */
    const struct cgs_mesh *mesh;
    struct cgs_user_cells integrals; /* without cell_source: of the source of the problem */
    double *vectors;                /* 8 numbers a cell of a plane of the mesh */
};

static const char *name_of(const struct filling *filling, int material)
{
    return material == CGS_NO_MATERIAL ? "" : filling->materials->list[material].name;
}

/* Returns the volume of cell i of the plane, in units of that of equal cells. */
static double volume_of(const struct filling *filling, int64_t i)
{
    const struct cgs_mesh *mesh = filling->mesh;
    const int64_t c[3] = {i % filling->points.cells[0] + (mesh->open[0] & 1),
                          i / filling->points.cells[0] + (mesh->open[1] & 1),
                          filling->cz + (mesh->open[2] & 1)};
    return cgs_grading_volume(mesh, c);
}

/* ---- which material ---- */

static void paint_box(struct filling *filling, const struct cgs_region *region)
{
    const int64_t *cells = filling->points.cells;
    double *const *centre = filling->points.centre;
    const double z = centre[2][filling->cz];
    if (z < region->low[2] || z > region->high[2])
        return;
    for (int64_t cy = 0; cy < cells[1]; cy++) {
        if (centre[1][cy] < region->low[1] || centre[1][cy] > region->high[1])
            continue;
        for (int64_t cx = 0; cx < cells[0]; cx++)
            if (centre[0][cx] >= region->low[0] && centre[0][cx] <= region->high[0]) {
                filling->material[cy * cells[0] + cx] = region->material;
                filling->materials->list[region->material].held = true;
            }
    }
}

static enum cgs_status paint_expression(struct filling *filling, const struct cgs_region *region)
{
    char what[80];
    snprintf(what, sizeof what, "\1region=%s:", name_of(filling, region->material));
    CGS_TRY(cgs_user_evaluate_finite(filling->context, what, region->inside, &filling->grid,
                                     filling->values));
    for (int64_t i = 0; i < filling->count; i++)
        if (filling->values[i] != 0.0) {
            filling->material[i] = region->material;
            filling->materials->list[region->material].held = true;
        }
    return CGS_OK;
}

static enum cgs_status paint(struct filling *filling)
{
    const struct cgs_materials *materials = filling->materials;
    double *const *centre = filling->points.centre;
    filling->grid =
        (struct cgs_user_grid){.at = {centre[0], centre[1], centre[2] + filling->cz},
                               .count = {filling->points.cells[0], filling->points.cells[1], 1}};
    for (int64_t i = 0; i < filling->count; i++)
        filling->material[i] = CGS_NO_MATERIAL;
    for (int r = 0; r < materials->region_count; r++) {
        const struct cgs_region *region = &materials->regions[r];
        if (region->inside)
            CGS_TRY(paint_expression(filling, region));
        else
            paint_box(filling, region);
    }
    return CGS_OK;
}

enum cgs_status cgs_materials_plane(struct cgs_context *context, struct cgs_materials *materials,
                                    const struct cgs_user_points *points, int64_t cz,
                                    double *values, int *material)
{
    struct filling filling = {.context = context,
                              .materials = materials,
                              .points = *points,
                              .cz = cz,
                              .count = points->cells[0] * points->cells[1],
                              .material = material,
                              .values = values};
    return paint(&filling);
}

/* ---- numbers ---- */

/* Refuses the number of cell i of the plane. what: "kappa", "source". expression: NULL if the
 * number is none's. */
static enum cgs_status refuse(const struct filling *filling, const char *what,
                              const struct cgs_expression *expression, int material, int64_t i,
                              double value, const char *expected)
{
    const struct cgs_user_points *points = &filling->points;
    const int64_t c[3] = {i % points->cells[0], i / points->cells[0], filling->cz};
    const char *file = !expression && filling->user->cells_file ? filling->user->cells_file : NULL;
    const char *text = expression ? cgs_expression_text(expression) : file;
    return cgs_fail(filling->context, CGS_USAGE,
                    "%s%s%s%s%s%s is %g in cell (%" PRId64 ", %" PRId64 ", %" PRId64
                    ") of (0, 0, 0) ... (%" PRId64 ", %" PRId64 ", %" PRId64
                    "), with its centre at x = %g, y = %g, z = %g: expected %s",
                    what, text ? file ? " of '" : " '" : "", text ? text : "", text ? "'" : "",
                    material == CGS_NO_MATERIAL ? "" : " of material ", name_of(filling, material),
                    value, c[0], c[1], c[2], points->cells[0] - 1, points->cells[1] - 1,
                    points->cells[2] - 1, points->centre[0][c[0]], points->centre[1][c[1]],
                    points->centre[2][c[2]], expected);
}

/* Writes the expression's values into those cells of `to` that have this material. */
static void put(struct filling *filling, const struct cgs_expression *expression, int material,
                double *restrict to)
{
    cgs_user_evaluate(expression, &filling->grid, filling->values);
    for (int64_t i = 0; i < filling->count; i++)
        if (filling->material[i] == material)
            to[i] = filling->values[i];
}

/* Writes kappa in direction k. */
static enum cgs_status put_kappa(struct filling *filling, int k, double *kappa)
{
    const struct cgs_user_problem *user = filling->user;
    struct cgs_expression *rest = cgs_user_along_axis(user->kappa, user->across, k);
    const struct cgs_material *list = filling->materials->list;
    if (rest)
        put(filling, rest, CGS_NO_MATERIAL, kappa);
    else if (!user->cells)
        for (int64_t i = 0; i < filling->count; i++)
            kappa[i] = 1.0;
    for (int m = 0; m < filling->materials->count; m++)
        put(filling, cgs_user_along_axis(list[m].kappa, list[m].across, k), m, kappa);
    for (int64_t i = 0; i < filling->count; i++) {
        const int m = filling->material[i];
        if (!(kappa[i] > 0.0) || !isfinite(kappa[i]))
            return refuse(
                filling, "kappa",
                m == CGS_NO_MATERIAL ? rest : cgs_user_along_axis(list[m].kappa, list[m].across, k),
                m, i, kappa[i], "a finite number > 0");
    }
    return CGS_OK;
}

static enum cgs_status put_sources(struct filling *filling)
{
    struct cgs_expression *shared = filling->user->source;
    for (int m = CGS_NO_MATERIAL; m < filling->materials->count; m++) {
        struct cgs_expression *given =
            m == CGS_NO_MATERIAL ? NULL : filling->materials->list[m].source;
        struct cgs_expression *source = given ? given : shared;
        if (source)
            put(filling, source, m, filling->sources);
        else
            for (int64_t i = 0; i < filling->count; i++)
                if (filling->material[i] == m)
                    filling->sources[i] = 0.0;
    }
    for (int64_t i = 0; i < filling->count; i++) {
        const int m = filling->material[i];
        struct cgs_expression *given =
            m == CGS_NO_MATERIAL ? NULL : filling->materials->list[m].source;
        if (!isfinite(filling->sources[i]))
            return refuse(filling, "source", given ? given : shared, given ? m : CGS_NO_MATERIAL, i,
                          filling->sources[i], "a finite number");
    }
    return CGS_OK;
}

/* Writes the means of the problem's source over cells, as the load has it. */
static enum cgs_status average_sources(struct filling *filling)
{
    const struct cgs_mesh *mesh = filling->mesh;
    const int64_t *cells = filling->points.cells;
    if (!filling->user->source) {
        memset(filling->sources, 0, (size_t)filling->count * sizeof *filling->sources);
        return CGS_OK;
    }
    CGS_TRY(cgs_user_cells_plane(filling->context, &filling->integrals,
                                 filling->cz + (mesh->open[2] & 1), filling->vectors));
    for (int64_t i = 0; i < filling->count; i++) {
        const int64_t cx = i % cells[0] + (mesh->open[0] & 1),
                      cy = i / cells[0] + (mesh->open[1] & 1);
        const double *vector = filling->vectors + 8 * (cy * (mesh->n[0] + 1) + cx);
        double sum = 0.0;
        for (int a = 0; a < 8; a++)
            sum += vector[a];
        filling->sources[i] = sum / (cgs_mesh_cell(mesh) * volume_of(filling, i));
    }
    return CGS_OK;
}

/* ---- facts ---- */

/* first: kappa in x of the plane's first cell; those in y and z follow `apart` numbers apart. */
static void count_plane(struct filling *filling, const double *first, int directions, int64_t apart)
{
    struct cgs_materials *materials = filling->materials;
    for (int64_t i = 0; i < filling->count; i++) {
        const int m = filling->material[i];
        struct cgs_material_facts *facts =
            m == CGS_NO_MATERIAL ? &materials->rest : &materials->list[m].facts;
        for (int k = 0; k < directions; k++) {
            const double kappa = first[k * apart + i];
            if ((facts->cells == 0 && k == 0) || kappa < facts->kappa_least)
                facts->kappa_least = kappa;
            if ((facts->cells == 0 && k == 0) || kappa > facts->kappa_most)
                facts->kappa_most = kappa;
        }
        const double volume = volume_of(filling, i);
        facts->cells++;
        facts->volume += volume;
        facts->source += filling->sources[i] * volume;
    }
}

static enum cgs_status check_held(struct cgs_context *context,
                                  const struct cgs_materials *materials)
{
    for (int m = 0; m < materials->count; m++) {
        const struct cgs_material *material = &materials->list[m];
        if (material->facts.cells == 0)
            return cgs_fail(
                context, CGS_USAGE, "no cell has material %s: %s", material->name,
                material->held
                    ? "later \1region options take all of its cells, for the last one wins"
                    : "no centre of a cell lies in a \1region of it");
    }
    return CGS_OK;
}

/* ---- all of it ---- */

bool cgs_materials_have_source(const struct cgs_materials *materials)
{
    bool has = false;
    for (int m = 0; m < materials->count; m++)
        has = has || materials->list[m].source;
    return has;
}

static enum cgs_status fill_planes(struct filling *filling)
{
    const int64_t planes = filling->points.cells[2], all = planes * filling->count;
    const int directions = filling->user->orthotropic ? 3 : 1;
    for (filling->cz = 0; filling->cz < planes; filling->cz++) {
        const int64_t first = filling->cz * filling->count;
        CGS_TRY(paint(filling));
        if (filling->user->material)
            memcpy(filling->user->material + first, filling->material,
                   (size_t)filling->count * sizeof *filling->material);
        for (int k = 0; k < directions; k++)
            CGS_TRY(put_kappa(filling, k, filling->cells + k * all + first));
        CGS_TRY(filling->cell_source ? put_sources(filling) : average_sources(filling));
        count_plane(filling, filling->cells + first, directions, all);
        for (int64_t i = 0; i < filling->count && filling->cell_source; i++)
            filling->cell_source[first + i] = filling->sources[i];
    }
    return check_held(filling->context, filling->materials);
}

static enum cgs_status fill(struct filling *filling)
{
    struct cgs_context *context = filling->context;
    void *planes, *material;
    const int64_t vectors = 8 * (filling->mesh->n[0] + 1) * (filling->mesh->n[1] + 1);
    CGS_TRY(cgs_alloc(context, 2 * filling->count + vectors, sizeof(double), "a plane of materials",
                      &planes));
    filling->values = planes;
    filling->sources = filling->values + filling->count;
    filling->vectors = filling->sources + filling->count;
    enum cgs_status status =
        cgs_alloc(context, filling->count, sizeof(int), "materials of a plane", &material);
    if (status == CGS_OK) {
        filling->material = material;
        status = fill_planes(filling);
        cgs_free(context, material);
    }
    cgs_free(context, planes);
    return status;
}

/* Takes the memory of the cells' numbers, and keeps it in `user` once it is filled. */
static enum cgs_status fill_cells(struct filling *filling, int64_t all)
{
    struct cgs_context *context = filling->context;
    struct cgs_user_problem *user = filling->user;
    const bool sources = cgs_materials_have_source(filling->materials);
    void *cells = user->cells, *cell_source = NULL;
    if (!cells || user->orthotropic)
        CGS_TRY(cgs_alloc(context, all * (user->orthotropic ? 3 : 1), sizeof(double),
                          "kappa of cells", &cells));
    for (int k = 0; k < 3 && user->cells && cells != user->cells; k++) /* those of a file */
        memcpy((double *)cells + k * all, user->cells, (size_t)all * sizeof(double));
    enum cgs_status status =
        sources ? cgs_alloc(context, all, sizeof(double), "source of cells", &cell_source) : CGS_OK;
    if (status == CGS_OK && user->order > 1)
        status = cgs_alloc(context, all, sizeof *user->material, "materials of cells",
                           (void **)&user->material);
    if (status == CGS_OK) {
        filling->cells = cells;
        filling->cell_source = cell_source;
        status = fill(filling);
    }
    if (status != CGS_OK) {
        cgs_free(context, cell_source);
        if (cells != user->cells)
            cgs_free(context, cells);
        return status;
    }
    if (cells != user->cells)
        cgs_free(context, user->cells);
    user->cells = cells;
    if (user->order > 1) { /* expressions stay, to be taken at points */
        user->materials = filling->materials;
        cgs_free(context, cell_source);
        return CGS_OK;
    }
    cgs_expression_release(user->kappa);
    user->kappa = NULL;
    for (int k = 0; k < 2; k++) {
        cgs_expression_release(user->across[k]);
        user->across[k] = NULL;
    }
    if (sources) {
        user->cell_source = cell_source;
        cgs_expression_release(user->source);
        user->source = NULL;
    }
    return CGS_OK;
}

/* volume: of equal cells. */
static void measure(struct cgs_material_facts *facts, double volume)
{
    facts->volume *= volume;
    facts->source *= volume;
}

enum cgs_status cgs_materials_settle(struct cgs_context *context, struct cgs_materials *materials,
                                     const struct cgs_mesh *mesh, struct cgs_user_problem *user)
{
    struct filling filling = {
        .context = context, .materials = materials, .user = user, .mesh = mesh};
    if (materials->count == 0)
        return CGS_OK;
    for (int m = 0; m < materials->count && cgs_user_source_known(user); m++)
        if (materials->list[m].source)
            return cgs_fail(
                context, CGS_USAGE,
                "material %s has a source, and that of other cells would follow from \1exact: give "
                "\1source, too, or leave out the material's",
                materials->list[m].name);
    materials->source_known = !cgs_user_source_known(user);
    CGS_TRY(cgs_user_points_create(context, mesh, &filling.points));
    const int64_t *cells = filling.points.cells;
    filling.count = cells[0] * cells[1];
    enum cgs_status status = CGS_OK;
    if (user->source && !cgs_materials_have_source(materials))
        status = cgs_user_cells_create(context, user, mesh, &filling.points, &filling.integrals);
    if (status == CGS_OK)
        status = fill_cells(&filling, filling.count * cells[2]);
    cgs_user_cells_release(context, &filling.integrals);
    cgs_user_points_release(context, &filling.points);
    for (int m = 0; m < materials->count; m++)
        measure(&materials->list[m].facts, cgs_mesh_cell(mesh));
    measure(&materials->rest, cgs_mesh_cell(mesh));
    return status;
}

void cgs_materials_release(struct cgs_context *context, struct cgs_materials *materials)
{
    for (int m = 0; m < materials->count; m++) {
        cgs_expression_release(materials->list[m].kappa);
        for (int k = 0; k < 2; k++)
            cgs_expression_release(materials->list[m].across[k]);
        cgs_expression_release(materials->list[m].source);
    }
    for (int r = 0; r < materials->region_count; r++)
        cgs_expression_release(materials->regions[r].inside);
    cgs_free(context, materials->list);
    cgs_free(context, materials->regions);
    *materials = (struct cgs_materials){0};
}
