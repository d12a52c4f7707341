/* Settings: what follows from several of them. */
#include "core/options/settings.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/options/user_model.h"

/* Returns the text unless it is one of these words. */
static const char *file_of(const char *text, const char *word, const char *other)
{
    return text && strcmp(text, word) != 0 && strcmp(text, other) != 0 ? text : NULL;
}

const char *cgs_rhs_file(const struct cgs_settings *settings)
{
    return file_of(settings->rhs, "random", "ones");
}

const char *cgs_nullspace_file(const struct cgs_settings *settings)
{
    return file_of(settings->nullspace, "constant", "none");
}

void cgs_settings_unknowns(const struct cgs_settings *settings, int64_t n[3])
{
    const int64_t p = settings->order > 1 ? settings->order : 1;
    const int64_t n_fitting = (settings->n + 1) / p * p - 1; /* the default may not fit */
    for (int k = 0; k < 3; k++)
        n[k] = settings->model             ? settings->model->mesh.n[k]
               : settings->cells.of[k] > 0 ? p * settings->cells.of[k] - 1
                                           : n_fitting;
}

enum cgs_quadrature cgs_settings_rule(const struct cgs_settings *settings)
{
    return settings->order > 1 && !settings->given[CGS_OPTION_quadrature] ? CGS_COLLOCATED
                                                                          : settings->quadrature;
}

bool cgs_settings_star(const struct cgs_settings *settings)
{
    return settings->deform == 0.0 && settings->kappa.kind == CGS_KAPPA_ONE &&
           !settings->material && cgs_settings_rule(settings) != CGS_GAUSS;
}

bool cgs_settings_order_on_device(const struct cgs_settings *settings)
{
    const bool rows = settings->command == CGS_COMMAND_SPMV ||
                      (settings->given[CGS_OPTION_format] && settings->format != CGS_NONE);
    /* bits of the star's kernel depend on how the device cuts the box, those of cells do not */
    return rows || !(settings->reproducible && cgs_settings_star(settings));
}

bool cgs_settings_equal_n(const struct cgs_settings *settings)
{
    int64_t n[3];
    cgs_settings_unknowns(settings, n);
    return n[0] == n[1] && n[1] == n[2];
}

bool cgs_settings_unit_cube(const struct cgs_settings *settings)
{
    return cgs_settings_equal_n(settings) && settings->size.of[0] == 1.0 &&
           settings->size.of[1] == 1.0 && settings->size.of[2] == 1.0;
}

void cgs_settings_name_box(const struct cgs_settings *settings, char *text, size_t size)
{
    char cells[64];
    cgs_cells_write(&settings->cells, cells, sizeof cells);
    if (settings->cells.of[0] > 0)
        snprintf(text, size, "%s cells", cells);
    else
        snprintf(text, size, "N = %lld", (long long)settings->n);
}

void cgs_settings_write_cut(const struct cgs_settings *settings, char *text, size_t size)
{
    char cells[64];
    cgs_cells_write(&settings->cells, cells, sizeof cells);
    if (settings->cells.of[0] > 0)
        snprintf(text, size, "\1cells=%s", cells);
    else
        snprintf(text, size, "\1N=%lld", (long long)settings->n);
}

const struct cgs_file_type *cgs_settings_file_type(const struct cgs_settings *settings)
{
    return settings->output ? cgs_file_type_of(settings->output) : NULL;
}

enum cgs_holding cgs_settings_holding(const struct cgs_settings *settings)
{
    if (settings->command != CGS_COMMAND_SOLVE)
        return CGS_HOLDS_MATRIX;
    if (!cgs_settings_box(settings))
        return CGS_HOLDS_VECTOR;
    return settings->deform != 0.0 || settings->grade || settings->grid ? CGS_HOLDS_BOX
                                                                        : CGS_HOLDS_CUBE;
}

bool cgs_settings_fields(const struct cgs_settings *settings)
{
    const struct cgs_file_type *type = cgs_settings_file_type(settings);
    return type && type->id != CGS_FILE_TYPE_MARKET &&
           cgs_settings_holding(settings) >= CGS_HOLDS_BOX;
}

bool cgs_settings_draw_residual(const struct cgs_settings *settings)
{
    struct cgs_slice_request slice;
    bool residual = cgs_settings_fields(settings);
    for (const char *left = settings->slice; cgs_slice_next(&left, &slice);)
        residual = residual || slice.field == CGS_NODAL_RESIDUAL;
    return residual;
}

void cgs_settings_forget_box(struct cgs_settings *settings)
{
    for (int i = 0; i < cgs_options_of_box_count; i++)
        settings->known[cgs_options_of_box[i]] = false;
}

char *cgs_lines_join(const char *first, const char *second)
{
    const size_t size = strlen(first) + strlen(second) + 2;
    char *both = malloc(size);
    if (both)
        snprintf(both, size, "%s\n%s", first, second);
    return both;
}
