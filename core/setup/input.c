#include "core/setup/input.h"

#include <string.h>

#include "base/comm.h"
#include "base/plain.h"
#include "core/options/grammar.h"
#include "core/setup/assemble.h"
#include "fem/mesh.h"
#include "matrix/market/market_read.h"
#include "solver/callback.h"

static enum cgs_status open_box(struct cgs_context *context, const struct cgs_mesh *mesh,
                                struct cgs_input *input)
{
    input->mesh = *mesh;
    if (mesh->order == 1)
        CGS_TRY(cgs_mesh_check(context, &input->mesh));
    return cgs_assemble_rows(context, &input->mesh, &input->source);
}

static enum cgs_status read_file(struct cgs_context *context, const char *path,
                                 const struct cgs_market_settings *settings,
                                 struct cgs_input *input)
{
    input->file = path;
    CGS_TRY(cgs_market_read(context, path, settings, &input->crs, &input->market));
    input->source = cgs_crs_source(&input->crs);
    return CGS_OK;
}

static enum cgs_status open_random(struct cgs_context *context,
                                   const struct cgs_random_matrix *random, struct cgs_input *input)
{
    input->random = *random;
    CGS_TRY(cgs_random_create(context, random->n, random->density, random->powerlaw, &input->crs));
    input->source = cgs_crs_source(&input->crs);
    return CGS_OK;
}

/* Moves the part to where the ranks are cut. */
static enum cgs_status open_part(struct cgs_context *context, const struct cgs_caller_part *part,
                                 const struct cgs_market_settings *settings,
                                 struct cgs_input *input)
{
    int64_t cuts[CGS_RANKS_MOST + 1] = {0, part->whole};
    if (context->comm)
        settings->cut(settings->user, part->whole, cuts);
    CGS_TRY(cgs_part_take(context, part, cuts, &input->crs));
    input->source = cgs_crs_source(&input->crs);
    return CGS_OK;
}

enum cgs_status cgs_input_open(struct cgs_context *context,
                               const struct cgs_input_settings *settings,
                               const struct cgs_market_settings *reading, struct cgs_input *input)
{
    *input = (struct cgs_input){.kind = settings->kind};
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_ASSEMBLE);
    switch (input->kind) {
    case CGS_INPUT_BOX:
        return open_box(context, &settings->mesh, input);
    case CGS_INPUT_FILE:
        return read_file(context, settings->file, reading, input);
    case CGS_INPUT_RANDOM:
        return open_random(context, &settings->random, input);
    case CGS_INPUT_MEMORY:
        if (settings->part)
            return open_part(context, settings->part, reading, input);
        input->source = cgs_crs_source(settings->rows);
        return CGS_OK;
    case CGS_INPUT_DEVICE:
        CGS_TRY(cgs_there_open(context, settings->machine, settings->there, &input->there));
        input->source = cgs_there_source(&input->there);
        return CGS_OK;
    case CGS_INPUT_CALLBACK:
        input->source = cgs_callback_source(settings->product);
        return CGS_OK;
    }
    return CGS_BUG;
}

enum cgs_status cgs_input_open_file(struct cgs_context *context, const char *path,
                                    const struct cgs_market_settings *settings,
                                    struct cgs_input *input)
{
    *input = (struct cgs_input){.kind = CGS_INPUT_FILE};
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_ASSEMBLE);
    return read_file(context, path, settings, input);
}

void cgs_input_release(struct cgs_context *context, struct cgs_input *input)
{
    if (input->kind == CGS_INPUT_BOX)
        cgs_assemble_rows_release(context, &input->source);
    if (input->kind == CGS_INPUT_DEVICE)
        cgs_there_release(context, &input->there);
    cgs_crs_release(context, &input->crs);
    *input = (struct cgs_input){0};
}

/* Appends how the box is cut. */
static void name_box(const struct cgs_mesh *mesh, char *text, size_t size)
{
    const int64_t *n = mesh->n, p = mesh->order;
    if (n[0] == n[1] && n[1] == n[2])
        cgs_append(text, size, "N = %lld", (long long)n[0]);
    else
        cgs_append(text, size, "%lldx%lldx%lld cells", (long long)((n[0] + 1) / p),
                   (long long)((n[1] + 1) / p), (long long)((n[2] + 1) / p));
}

/* Writes what a matrix is; title: short, a file by its name alone. */
static void describe(const struct cgs_input *input, bool title, char *text, size_t size)
{
    const char *member = input->market.member;
    char random[96];
    switch (input->kind) {
    case CGS_INPUT_FILE:
        if (title)
            snprintf(text, size, "%s", cgs_base_name(input->file));
        else
            snprintf(text, size, "%s%s%s%s", input->file, member[0] ? " (" : "", member,
                     member[0] ? ")" : "");
        break;
    case CGS_INPUT_RANDOM:
        cgs_random_write(&input->random, random, sizeof random);
        snprintf(text, size, "random%s %s", title ? " matrix" : ",", random);
        break;
    case CGS_INPUT_MEMORY:
    case CGS_INPUT_DEVICE:
    case CGS_INPUT_CALLBACK:
        snprintf(text, size, "the caller's matrix");
        break;
    case CGS_INPUT_BOX:
        snprintf(text, size, "Q%d %s%s, ", input->mesh.order,
                 input->mesh.mass ? "mass matrix"
                 : title          ? "matrix"
                                  : "Laplacian",
                 title ? "" : " of the box");
        name_box(&input->mesh, text, size);
    }
}

void cgs_input_name(const struct cgs_input *input, char *text, size_t size)
{
    describe(input, false, text, size);
    cgs_make_plain(text);
}

void cgs_input_title(const struct cgs_input *input, char *text, size_t size)
{
    describe(input, true, text, size);
}
