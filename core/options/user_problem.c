#include "core/options/user_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/io/array_file.h"
#include "core/options/user_grading.h"
#include "core/options/user_materials.h"
#include "core/options/values.h"
#include "fem/mesh.h"
#include "fem/user_problem/layers.h"
#include "fem/user_problem/settle.h"

static const char *const variables[] = CGS_USER_VARIABLE_NAMES;

/* The options while they are read. */
struct asking {
    struct cgs_user_model *model;
    struct cgs_constants constants;
    const char *first[3][2]; /* what was given for a face; NULL: nothing */
    char lines[3][2][64];
    char rest[CGS_LINE_MOST]; /* what was given for the faces without a line; "": nothing */
};

/* ---- constants ---- */

static enum cgs_status read_constant(struct cgs_context *context, void *user, const char *line)
{
    struct asking *asking = user;
    return cgs_constants_parse(context, line, &asking->constants);
}

/* ---- expressions ---- */

static enum cgs_status make(struct cgs_context *context, const struct asking *asking,
                            const char *option, const char *text, int count,
                            struct cgs_expression **expression)
{
    return cgs_expression_create(context, option, text, variables, count, &asking->constants,
                                 expression);
}

static enum cgs_status make_given(struct cgs_context *context, const struct asking *asking,
                                  const char *option, const char *text,
                                  struct cgs_expression **expression)
{
    return text ? make(context, asking, option, text, CGS_USER_VARIABLES, expression) : CGS_OK;
}

/* ---- faces ---- */

static enum cgs_status refuse_face(struct cgs_context *context, const char *line)
{
    return cgs_fail(context, CGS_USAGE,
                    "\1face=%.256s is not understood: expected FACE:CONDITION, a FACE x0, x1, y0, "
                    "y1, z0, z1 or else (all others), and a CONDITION value=EXPR, flux=EXPR (kappa "
                    "du/dn), h=EXPR,ambient=EXPR or periodic",
                    line);
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Returns the text after `word` and blanks, which is "" or begins with '='; NULL if text does
 * not begin with the word. */
static const char *after(const char *text, const char *word)
{
    const size_t length = strlen(word);
    const char *rest = skip_blanks(text);
    if (strncmp(rest, word, length) != 0)
        return NULL;
    rest = skip_blanks(rest + length);
    return *rest == '\0' || *rest == '=' ? rest : NULL;
}

/* Returns the comma before "ambient="; NULL: there is none. */
static const char *before_ambient(const char *text)
{
    for (const char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ','))
        if (after(comma + 1, "ambient"))
            return comma;
    return NULL;
}

/* Makes the expression after '='; none after "", whose value follows from --exact. */
static enum cgs_status make_value(struct cgs_context *context, const struct asking *asking,
                                  const char *option, const char *text,
                                  struct cgs_expression **expression)
{
    if (text[0] == '\0')
        return CGS_OK;
    return make(context, asking, option, text + 1, CGS_USER_FACE_VARIABLES, expression);
}

/* Reads the condition behind the colon of a line. */
static enum cgs_status read_condition(struct cgs_context *context, const struct asking *asking,
                                      const char *line, struct cgs_user_face *face)
{
    const char *condition = strchr(line, ':') + 1, *text;
    char option[32], transfer[CGS_LINE_MOST];
    snprintf(option, sizeof option, "\1face=%.*s", (int)(condition - line) - 1, line);
    if ((text = after(condition, "value"))) {
        face->condition = CGS_FACE_VALUE;
        return make_value(context, asking, option, text, &face->value);
    }
    if ((text = after(condition, "flux"))) {
        face->condition = CGS_FACE_FLUX;
        return make_value(context, asking, option, text, &face->value);
    }
    if ((text = after(condition, "periodic"))) {
        face->condition = CGS_FACE_PERIODIC;
        return text[0] == '\0' ? CGS_OK : refuse_face(context, line);
    }
    text = after(condition, "h");
    if (!text || text[0] == '\0')
        return refuse_face(context, line);
    face->condition = CGS_FACE_TRANSFER;
    const char *ambient = before_ambient(text);
    snprintf(transfer, sizeof transfer, "%.*s",
             (int)(ambient ? ambient - text : (ptrdiff_t)strlen(text)), text);
    CGS_TRY(make_value(context, asking, option, transfer, &face->transfer));
    return ambient
               ? make_value(context, asking, option, after(ambient + 1, "ambient"), &face->value)
               : CGS_OK;
}

static enum cgs_status read_face(struct cgs_context *context, void *user, const char *line)
{
    struct asking *asking = user;
    static const char axes[] = "xyz";
    const char *axis = line[0] ? strchr(axes, line[0]) : NULL;
    if (strncmp(line, "all:", 4) == 0)
        return cgs_fail(context, CGS_USAGE,
                        "\1face=%.256s: take \1face=else:%.256s, which is for all faces without a "
                        "condition of their own",
                        line, line + 4);
    if (strncmp(line, "else:", 5) == 0) {
        if (asking->rest[0])
            return cgs_fail(context, CGS_USAGE,
                            "\1face=else appears twice, as '%.48s' and as '%.48s': leave one of "
                            "them out",
                            asking->rest, line);
        snprintf(asking->rest, sizeof asking->rest, "%s", line);
        return CGS_OK;
    }
    if (!axis || (line[1] != '0' && line[1] != '1') || line[2] != ':')
        return refuse_face(context, line);
    const int k = (int)(axis - axes), side = line[1] - '0';
    if (asking->first[k][side])
        return cgs_fail(context, CGS_USAGE,
                        "\1face=%.2s appears twice, as '%s' and as '%.48s': leave one of them out",
                        line, asking->first[k][side], line);
    snprintf(asking->lines[k][side], sizeof asking->lines[k][side], "%.48s", line);
    asking->first[k][side] = asking->lines[k][side];
    return read_condition(context, asking, line, &asking->model->user.face[k][side]);
}

/* Gives the faces without a condition that of `else`. */
static enum cgs_status read_rest(struct cgs_context *context, struct asking *asking)
{
    for (int f = 0; f < 6 && asking->rest[0]; f++) {
        struct cgs_user_face *face = &asking->model->user.face[f >> 1][f & 1];
        if (!asking->first[f >> 1][f & 1] && face->condition != CGS_FACE_PERIODIC)
            CGS_TRY(read_condition(context, asking, asking->rest, face));
    }
    return CGS_OK;
}

/* Makes the face opposite a periodic one periodic, too. */
static enum cgs_status pair_faces(struct cgs_context *context, struct asking *asking)
{
    for (int f = 0; f < 6; f++) {
        const int k = f >> 1, side = f & 1;
        struct cgs_user_face *face = asking->model->user.face[k];
        if (face[side].condition != CGS_FACE_PERIODIC ||
            face[1 - side].condition == CGS_FACE_PERIODIC)
            continue;
        if (asking->first[k][1 - side])
            return cgs_fail(context, CGS_USAGE,
                            "\1face=%s makes %c0 and %c1 periodic, and \1face=%s gives the other "
                            "one a condition: leave one of them out",
                            asking->first[k][side], "xyz"[k], "xyz"[k],
                            asking -> first[k][1 - side]);
        face[1 - side].condition = CGS_FACE_PERIODIC;
    }
    return CGS_OK;
}

/* ---- the problem ---- */

/* Returns true if the options describe a problem. */
static bool described(const struct cgs_settings *o)
{
    return o->source || o->exact || o->face || o->material || o->region || o->rhs;
}

/* Returns true if the box is one that built-in problems are written as expressions on. */
static bool altered(const struct cgs_settings *o)
{
    return o->grade || o->grid || o->reaction;
}

/* Gives the built-in problem by the options that a user would take for it. */
static void write_built_in(struct cgs_settings *o, struct cgs_user_model *model)
{
    char t[3][40], length[32];
    for (int k = 0; k < 3; k++) {
        cgs_value_write(o->size.of[k], length, sizeof length);
        snprintf(t[k], sizeof t[k], o->size.of[k] == 1.0 ? "%c" : "(%c/%s)", "xyz"[k], length);
    }
    cgs_problem_write(o->problem, (const char *const[3]){t[0], t[1], t[2]}, model->exact,
                      sizeof model->exact);
    o->exact = model->exact;
    if (o->kappa.kind != CGS_KAPPA_SMOOTH)
        return;
    snprintf(model->kappa, sizeof model->kappa, "1+%s+2*%s*%s", t[0], t[1], t[2]);
    o->kappa = (struct cgs_kappa){.kind = CGS_KAPPA_CELLS, .ratio = 1.0, .text = model->kappa};
}

static enum cgs_status read_expressions(struct cgs_context *context, const struct cgs_settings *o,
                                        struct asking *asking)
{
    struct cgs_user_problem *user = &asking->model->user;
    CGS_TRY(cgs_each_line(context, o->let, asking, read_constant));
    CGS_TRY(make_given(context, asking, "\1source", o->source, &user->source));
    CGS_TRY(make_given(context, asking, "\1exact", o->exact, &user->exact));
    CGS_TRY(make_given(context, asking, "\1reaction", o->reaction, &user->reaction));
    CGS_TRY(cgs_ask_materials(context, o->material, o->region, &asking->constants,
                              &asking->model->materials));
    user->constant_source = cgs_materials_have_source(&asking->model->materials);
    for (int i = 0; o->rhs && i < asking->model->materials.count; i++)
        if (asking->model->materials.list[i].source)
            return cgs_fail(context, CGS_USAGE,
                            "\1rhs=%s is the load vector, and the source of material '%s' brings "
                            "another one: leave one of them out",
                            o->rhs, asking->model->materials.list[i].name);
    if (o->kappa.kind == CGS_KAPPA_CELLS && cgs_array_file(o->kappa.text))
        user->cells_file = o->kappa.text;
    else if (o->kappa.kind == CGS_KAPPA_CELLS)
        CGS_TRY(cgs_ask_kappa(context, "\1kappa", o->kappa.text, &asking->constants, &user->kappa,
                              user->across));
    user->orthotropic = user->across[0] != NULL;
    for (int i = 0; i < asking->model->materials.count; i++)
        user->orthotropic = user->orthotropic || asking->model->materials.list[i].across[0];
    CGS_TRY(cgs_each_line(context, o->face, asking, read_face));
    CGS_TRY(pair_faces(context, asking));
    CGS_TRY(read_rest(context, asking));
    return pair_faces(context, asking);
}

/* Makes the cells ones of order p > 1. */
static enum cgs_status take_order(struct cgs_context *context, struct cgs_settings *o,
                                  struct cgs_user_model *model)
{
    struct cgs_user_problem *user = &model->user;
    int64_t cells[3];
    if (o->order == 1)
        return CGS_OK;
    user->varying = cgs_user_varying(user);
    if (user->varying && o->precond == CGS_PRECOND_FDM)
        return cgs_fail(context, CGS_USAGE,
                        "\1precond=fdm of \1order=2 and more takes numbers for \1reaction and h: "
                        "take \1precond=mg, or give numbers");
    if (model->materials.count > 0)
        user->materials = &model->materials;
    user->kappa_points = cgs_user_kappa_points(
        user, &model->materials, (int)o->order + (cgs_settings_rule(o) == CGS_GAUSS ? 2 : 1));
    cgs_cells_of(o, cells);
    return cgs_user_refine(context, user, (int)o->order, cells, o->size.of);
}

/* The mesh before kappa and conditions are known: its shape. varies: kappa is not 1 everywhere,
 * or there is a reaction. */
static struct cgs_mesh shape_of(const struct cgs_settings *o, const struct cgs_user_problem *user,
                                bool varies)
{
    int64_t cells[3];
    cgs_cells_of(o, cells);
    struct cgs_mesh mesh = cgs_user_mesh(user, cells, o->size.of, cgs_settings_rule(o));
    if (o->order == 1 && !cgs_mesh_open(&mesh) && !varies && !mesh.grading)
        mesh.kappa.kind = CGS_KAPPA_ONE;
    return mesh;
}

enum cgs_status cgs_ask_user_problem(struct cgs_context *context, struct cgs_settings *settings)
{
    struct asking asking = {0};
    const bool own = described(settings);
    if ((!own && !altered(settings)) || !cgs_settings_box(settings))
        return CGS_OK;
    struct cgs_user_model *model = calloc(1, sizeof *model);
    if (!model)
        return cgs_fail(context, CGS_MEMORY, "no memory for a problem of your own");
    *model = (struct cgs_user_model){.context = context,
                                     .problem = {.name = "own",
                                                 .description = "-div(kappa grad u) = f, as given",
                                                 .user = &model->user}};
    settings->model = asking.model = model;
    CGS_TRY(cgs_ask_grading(context, settings, &model->user.grading));
    if (own) {
        settings->known[CGS_OPTION_problem] = false;
    } else {
        model->problem.name = settings->problem->name;
        model->problem.description = settings->problem->description;
        write_built_in(settings, model);
    }
    settings->problem = &model->problem;
    CGS_TRY(read_expressions(context, settings, &asking));
    CGS_TRY(take_order(context, settings, model));
    model->mesh = shape_of(settings, &model->user,
                           model->user.kappa || model->user.cells_file || model->user.reaction ||
                               model->materials.count > 0);
    return cgs_user_accepts(context, &model->mesh);
}

static enum cgs_status read_kappa(struct cgs_context *context, struct cgs_user_problem *user,
                                  const int64_t cells[3])
{
    const struct cgs_array array = {.what = "cell",
                                    .n = {cells[0], cells[1], cells[2]},
                                    .last = cells[0] * cells[1] * cells[2]};
    return user->cells_file
               ? cgs_array_read(context, "\1kappa", user->cells_file, &array, NULL, &user->cells)
               : CGS_OK;
}

enum cgs_status cgs_settle_user_problem(struct cgs_context *context,
                                        const struct cgs_settings *settings)
{
    struct cgs_user_model *model = settings->model;
    const struct cgs_mesh shape = model ? model->mesh : cgs_mesh_cube(1, CGS_GAUSS, 1.0);
    const struct cgs_mesh whole = cgs_mesh_of_order(&shape, 1);
    int64_t cells[3];
    if (!model || model->settled)
        return CGS_OK;
    cgs_cells_of(settings, cells);
    CGS_TRY(read_kappa(context, &model->user, cells));
    CGS_TRY(cgs_materials_settle(context, &model->materials, &whole, &model->user));
    if (settings->rhs) /* a load vector says nothing of regions */
        model->materials.source_known = false;
    CGS_TRY(cgs_user_settle(context, &model->user, cells, settings->size.of, shape.quadrature,
                            &model->mesh));
    model->mesh.kappa.kind = shape.kappa.kind;
    if (shape.kappa.kind == CGS_KAPPA_ONE) { /* the matrix is a stencil */
        cgs_free(context, model->user.cells);
        model->user.cells = NULL;
        model->mesh.kappa.cells = NULL;
    }
    model->settled = true;
    return CGS_OK;
}

void cgs_forget_user_problem(struct cgs_settings *settings)
{
    struct cgs_user_model *model = settings->model;
    if (!model)
        return;
    cgs_materials_release(model->context, &model->materials);
    cgs_user_release(model->context, &model->user);
    free(model);
    settings->model = NULL;
}
