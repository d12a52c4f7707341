/* kappa and source at points of cells. */
#include "fem/user_problem/layers.h"

#include <inttypes.h>
#include <math.h>

#include "fem/user_problem/material.h"
#include "fem/user_problem/nodes.h"
#include "fem/user_problem/points.h"

bool cgs_user_source_given(const struct cgs_user_problem *user)
{
    return user->source || user->cell_source || user->constant_source;
}

/* ---- which numbers ---- */

static bool varies(const struct cgs_expression *expression)
{
    bool uses = false;
    for (int k = 0; k < CGS_USER_VARIABLES && expression; k++)
        uses = uses || cgs_expression_uses(expression, k);
    return uses;
}

int cgs_user_kappa_points(const struct cgs_user_problem *user,
                          const struct cgs_materials *materials, int points)
{
    bool found = varies(user->kappa) || varies(user->across[0]) || varies(user->across[1]);
    for (int m = 0; m < materials->count; m++) {
        const struct cgs_material *material = &materials->list[m];
        found = found || varies(material->kappa) || varies(material->across[0]) ||
                varies(material->across[1]);
    }
    if (found)
        return points;
    return user->kappa || user->cells_file || materials->count > 0 || cgs_user_varying(user);
}

int cgs_user_varying(const struct cgs_user_problem *user)
{
    int found = varies(user->reaction) ? CGS_VARYING_REACTION : 0;
    for (int f = 0; f < CGS_USER_FACES; f++)
        if (varies(user->face[f >> 1][f & 1].transfer))
            found |= 1 << f;
    return found;
}

/* ---- a layer ---- */

/* A number of the user's: kappa in a direction, c, or f. */
enum { REACTION = CGS_REACTION, SOURCE };

static const char *const names[] = {"kappa", "kappa", "kappa", "the reaction", "the source"};
static const char *const expected[] = {" > 0", " > 0", " > 0", " >= 0", ""};

static const struct cgs_expression *expression_of(const struct cgs_user_problem *user, int number,
                                                  int material)
{
    if (number == REACTION)
        return user->reaction;
    if (material == CGS_NO_MATERIAL)
        return number == SOURCE ? user->source
                                : cgs_user_along_axis(user->kappa, user->across, number);
    const struct cgs_material *of = &user->materials->list[material];
    if (number == SOURCE)
        return of->source ? of->source : user->source;
    return cgs_user_along_axis(of->kappa, of->across, number);
}

static struct cgs_user_grid grid_of(const struct cgs_user_layer *layer)
{
    const int m = layer->points;
    return (struct cgs_user_grid){.at = {layer->at[0], layer->at[1], layer->at[2] + layer->cz * m},
                                  .count = {layer->cells[0] * m, layer->cells[1] * m, m}};
}

/* Returns the cell of the box that point i of the layer is in. */
static int64_t cell_of(const struct cgs_user_layer *layer, int64_t i)
{
    const int64_t m = layer->points, line = layer->cells[0] * m;
    return (layer->cz * layer->cells[1] + i / line % (layer->cells[1] * m) / m) * layer->cells[0] +
           i % line / m;
}

static int material_of(const struct cgs_user_problem *user, int64_t cell)
{
    return user->material ? user->material[cell] : CGS_NO_MATERIAL;
}

/* Refuses the number at point i. */
static enum cgs_status refuse(struct cgs_context *context, const struct cgs_user_problem *user,
                              const struct cgs_user_layer *layer, int number, int64_t i,
                              double value)
{
    const int material = material_of(user, cell_of(layer, i));
    const struct cgs_expression *expression = expression_of(user, number, material);
    const struct cgs_user_grid grid = grid_of(layer);
    const bool whole = material == CGS_NO_MATERIAL || number == REACTION;
    const char *text = expression ? cgs_expression_text(expression) : user->cells_file;
    return cgs_fail(context, CGS_USAGE,
                    "%s '%s'%s%s is %g at x = %g, y = %g, z = %g: expected a finite number%s",
                    names[number], text ? text : "", whole ? "" : " of material ",
                    whole ? "" : user->materials->list[material].name, value,
                    grid.at[0][i % grid.count[0]], grid.at[1][i / grid.count[0] % grid.count[1]],
                    grid.at[2][i / (grid.count[0] * grid.count[1])], expected[number]);
}

static enum cgs_status fill(struct cgs_context *context, const struct cgs_user_problem *user,
                            const struct cgs_user_layer *layer, int number, double *scratch,
                            double *values)
{
    const struct cgs_user_grid grid = grid_of(layer);
    const int64_t count = cgs_user_grid_points(&grid),
                  all = layer->cells[0] * layer->cells[1] * layer->cells[2];
    const double *cells =
        number >= REACTION || !user->cells
            ? NULL
            : user->cells + (user->orthotropic && user->material ? number : 0) * all;
    const int materials = user->material ? user->materials->count : 0;
    for (int m = CGS_NO_MATERIAL; m < materials; m++) {
        const struct cgs_expression *expression = expression_of(user, number, m);
        if (expression)
            cgs_user_evaluate(expression, &grid, scratch);
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int64_t i = 0; i < count; i++) {
            const int64_t cell = cell_of(layer, i);
            if (material_of(user, cell) == m)
                values[i] = expression         ? scratch[i]
                            : number == SOURCE ? 0.0
                            : cells            ? cells[cell]
                                               : 1.0;
        }
    }
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i]) || (number < REACTION && !(values[i] > 0.0)) ||
            (number == REACTION && values[i] < 0.0))
            return refuse(context, user, layer, number, i, values[i]);
    return CGS_OK;
}

enum cgs_status cgs_user_layer_kappa(struct cgs_context *context,
                                     const struct cgs_user_problem *user,
                                     const struct cgs_user_layer *layer, int k, double *scratch,
                                     double *values)
{
    return fill(context, user, layer, k, scratch, values);
}

enum cgs_status cgs_user_layer_reaction(struct cgs_context *context,
                                        const struct cgs_user_problem *user,
                                        const struct cgs_user_layer *layer, double *scratch,
                                        double *values)
{
    return fill(context, user, layer, REACTION, scratch, values);
}

enum cgs_status cgs_user_layer_source(struct cgs_context *context,
                                      const struct cgs_user_problem *user,
                                      const struct cgs_user_layer *layer, double *scratch,
                                      double *values)
{
    return fill(context, user, layer, SOURCE, scratch, values);
}
