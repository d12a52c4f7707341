#include "core/options/user_materials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spelling.h"

static const char *const variables[] = CGS_USER_VARIABLE_NAMES;

#define MATERIAL_GRAMMAR                                                                           \
    "expected NAME:kappa=EXPR or NAME:kappa=EXPR,source=EXPR, for kappa also EXPR,EXPR,EXPR in "   \
    "x, y and z, a NAME of letters, digits, _ and -, 31 at most"
#define REGION_GRAMMAR                                                                             \
    "expected NAME:x0,y0,z0,x1,y1,z1 with x0 < x1, y0 < y1, z0 < z1, or NAME:EXPR with an "        \
    "expression in x, y, z that "                                                                  \
    "is not 0 in the region"

struct reading {
    const struct cgs_constants *constants;
    struct cgs_materials *materials;
};

enum cgs_status cgs_each_line(struct cgs_context *context, const char *text, void *user,
                              cgs_line_visitor *visit)
{
    while (text) {
        const char *end = strchr(text, '\n');
        char line[CGS_LINE_MOST];
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        if (length >= sizeof line)
            return cgs_fail(context, CGS_USAGE, "'%.64s...' is longer than %d characters", text,
                            (int)sizeof line - 1);
        memcpy(line, text, length);
        line[length] = '\0';
        CGS_TRY(visit(context, user, line));
        text = end ? end + 1 : NULL;
    }
    return CGS_OK;
}

static int lines_of(const char *text)
{
    int count = text ? 1 : 0;
    for (; text && *text; text++)
        count += *text == '\n';
    return count;
}

/* Copies the name before ':'. Returns the text after it, NULL if there is no name. */
static const char *read_name(const char *line, char name[CGS_MATERIAL_NAME])
{
    const size_t length =
        strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length == 0 || length >= CGS_MATERIAL_NAME || line[length] != ':')
        return NULL;
    memcpy(name, line, length);
    name[length] = '\0';
    return line + length + 1;
}

/* Returns the number of the material; -1: none has that name. */
static int find_material(const struct cgs_materials *materials, const char *name)
{
    for (int m = 0; m < materials->count; m++)
        if (strcmp(materials->list[m].name, name) == 0)
            return m;
    return -1;
}

/* Cuts the text at commas outside parentheses; returns the number of parts, the first six of
 * which are in part. */
static int cut(char *text, char *part[6])
{
    int count = 1, depth = 0;
    part[0] = text;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (*text != ',' || depth != 0)
            continue;
        if (count < 6) {
            *text = '\0';
            part[count] = text + 1;
        }
        count++;
    }
    return count;
}

enum cgs_status cgs_ask_kappa(struct cgs_context *context, const char *option, const char *text,
                              const struct cgs_constants *constants, struct cgs_expression **kappa,
                              struct cgs_expression *across[2])
{
    char copy[CGS_LINE_MOST], *part[6];
    snprintf(copy, sizeof copy, "%s", text);
    const int parts = cut(copy, part);
    if (parts != 1 && parts != 3)
        return cgs_fail(
            context, CGS_USAGE,
            "%s=%s: expected one number or expression in x, y, z, or three, kappa in x, "
            "in y and in z",
            option, text);
    CGS_TRY(cgs_expression_create(context, option, part[0], variables, CGS_USER_VARIABLES,
                                  constants, kappa));
    const bool same =
        parts == 1 || (strcmp(part[0], part[1]) == 0 && strcmp(part[0], part[2]) == 0);
    for (int k = 0; k < 2 && !same; k++)
        CGS_TRY(cgs_expression_create(context, option, part[k + 1], variables, CGS_USER_VARIABLES,
                                      constants, &across[k]));
    return CGS_OK;
}

/* ---- materials ---- */

static enum cgs_status refuse_material(struct cgs_context *context, const char *line)
{
    return cgs_fail(context, CGS_USAGE, "\1material=%.256s is not understood: " MATERIAL_GRAMMAR,
                    line);
}

static enum cgs_status read_material(struct cgs_context *context, void *user, const char *line)
{
    static const char first[] = "kappa=", second[] = ",source=";
    struct reading *reading = user;
    struct cgs_materials *materials = reading->materials;
    struct cgs_material *material = &materials->list[materials->count];
    char kappa[CGS_LINE_MOST], option[64];
    const char *text = read_name(line, material->name);
    if (!text || strncmp(text, first, sizeof first - 1) != 0)
        return refuse_material(context, line);
    text += sizeof first - 1;
    const char *source = strstr(text, second);
    const size_t length = source ? (size_t)(source - text) : strlen(text);
    if (length == 0 || (source && source[sizeof second - 1] == '\0'))
        return refuse_material(context, line);
    if (strcmp(material->name, "else") == 0)
        return cgs_fail(
            context, CGS_USAGE,
            "\1material=else: reports call the cells in no region so: take another name");
    if (find_material(materials, material->name) >= 0)
        return cgs_fail(context, CGS_USAGE, "\1material=%s appears twice: leave one of them out",
                        material->name);
    memcpy(kappa, text, length);
    kappa[length] = '\0';
    materials->count++;
    snprintf(option, sizeof option, "\1material=%s:kappa", material->name);
    CGS_TRY(cgs_ask_kappa(context, option, kappa, reading->constants, &material->kappa,
                          material->across));
    if (!source)
        return CGS_OK;
    snprintf(option, sizeof option, "\1material=%s:source", material->name);
    return cgs_expression_create(context, option, source + sizeof second - 1, variables,
                                 CGS_USER_VARIABLES, reading->constants, &material->source);
}

/* ---- regions ---- */

static enum cgs_status refuse_region(struct cgs_context *context, const char *line)
{
    return cgs_fail(context, CGS_USAGE, "\1region=%.256s is not understood: " REGION_GRAMMAR, line);
}

static enum cgs_status refuse_name(struct cgs_context *context,
                                   const struct cgs_materials *materials, const char *name)
{
    const char **names = malloc((size_t)(materials->count + 1) * sizeof *names);
    if (!names)
        return cgs_fail(context, CGS_MEMORY, "no memory for names of materials");
    for (int m = 0; m < materials->count; m++)
        names[m] = materials->list[m].name;
    const int nearest = cgs_nearest(name, names, materials->count);
    free(names);
    if (nearest >= 0)
        return cgs_fail(context, CGS_USAGE,
                        "\1region=%s: there is no \1material of that name; did you mean '%s'?",
                        name, materials->list[nearest].name);
    return cgs_fail(context, CGS_USAGE, "\1region=%s: there is no \1material of that name", name);
}

/* Computes the constant expression. */
static enum cgs_status read_length(struct cgs_context *context, const struct reading *reading,
                                   const char *option, const char *text, double *length)
{
    struct cgs_expression *expression;
    CGS_TRY(cgs_expression_create(context, option, text, variables, 0, reading->constants,
                                  &expression));
    const struct cgs_expression_grid one = {.count = {1, 1, 1}};
    const bool finite = cgs_expression_evaluate(expression, &one, length) > 0;
    cgs_expression_release(expression);
    if (!finite)
        return cgs_fail(context, CGS_USAGE, "%s: '%s' is %g: expected a finite number", option,
                        text, *length);
    return CGS_OK;
}

static enum cgs_status read_box(struct cgs_context *context, const struct reading *reading,
                                const char *option, char *const part[6], struct cgs_region *region)
{
    for (int k = 0; k < 3; k++) {
        CGS_TRY(read_length(context, reading, option, part[k], &region->low[k]));
        CGS_TRY(read_length(context, reading, option, part[k + 3], &region->high[k]));
        if (!(region->low[k] < region->high[k]))
            return cgs_fail(context, CGS_USAGE,
                            "%s: the box from %c = %g to %c = %g is empty: " REGION_GRAMMAR, option,
                            "xyz"[k], region -> low[k], "xyz"[k], region -> high[k]);
    }
    return CGS_OK;
}

static enum cgs_status read_region(struct cgs_context *context, void *user, const char *line)
{
    struct reading *reading = user;
    struct cgs_materials *materials = reading->materials;
    struct cgs_region *region = &materials->regions[materials->region_count];
    char name[CGS_MATERIAL_NAME], option[64], copy[CGS_LINE_MOST], *part[6];
    const char *text = read_name(line, name);
    if (!text || *text == '\0')
        return refuse_region(context, line);
    region->material = find_material(materials, name);
    if (region->material < 0)
        return refuse_name(context, materials, name);
    materials->region_count++;
    snprintf(option, sizeof option, "\1region=%s", name);
    strcpy(copy, text);
    const int parts = cut(copy, part);
    if (parts == 1)
        return cgs_expression_create(context, option, text, variables, CGS_USER_VARIABLES,
                                     reading->constants, &region->inside);
    for (int i = 0; i < parts && parts == 6; i++)
        if (*part[i] == '\0')
            return refuse_region(context, line);
    return parts == 6 ? read_box(context, reading, option, part, region)
                      : refuse_region(context, line);
}

/* ---- both ---- */

static enum cgs_status check_regions(struct cgs_context *context,
                                     const struct cgs_materials *materials)
{
    for (int m = 0; m < materials->count; m++) {
        bool found = false;
        for (int r = 0; r < materials->region_count; r++)
            found = found || materials->regions[r].material == m;
        if (!found)
            return cgs_fail(context, CGS_USAGE,
                            "material %s has no \1region: give \1region=%s:x0,y0,z0,x1,y1,z1 or "
                            "\1region=%s:EXPR",
                            materials->list[m].name, materials->list[m].name,
                            materials->list[m].name);
    }
    return CGS_OK;
}

enum cgs_status cgs_ask_materials(struct cgs_context *context, const char *material,
                                  const char *region, const struct cgs_constants *constants,
                                  struct cgs_materials *materials)
{
    struct reading reading = {.constants = constants, .materials = materials};
    const size_t count = (size_t)lines_of(material), regions = (size_t)lines_of(region);
    void *block;
    if (count + regions == 0)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, (int64_t)count, sizeof *materials->list, "materials", &block));
    materials->list = block;
    if (count > 0)
        memset(block, 0, count * sizeof *materials->list);
    CGS_TRY(cgs_alloc(context, (int64_t)regions, sizeof *materials->regions, "regions", &block));
    materials->regions = block;
    if (regions > 0)
        memset(block, 0, regions * sizeof *materials->regions);
    CGS_TRY(cgs_each_line(context, material, &reading, read_material));
    CGS_TRY(cgs_each_line(context, region, &reading, read_region));
    return check_regions(context, materials);
}
