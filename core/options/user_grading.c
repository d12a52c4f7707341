/* Graded boxes: --grade and --grid.
 *
 * A file of --grid has the coordinates of the nodes of one direction or more:
 *
 *     # comment
 *     x: 0 0.1 0.25 0.5 1
 *     z: 0 0.01 0.03
 *        0.1 0.5          (goes on)
 *
 * in ascending order from 0 on, with blanks or commas between. A direction without any has equal
 * cells. */
#include "core/options/user_grading.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/options/user_materials.h"
#include "core/options/values.h"

static const char axes[] = "xyz", separators[] = " \t\r,";

void cgs_cells_of(const struct cgs_settings *settings, int64_t cells[3])
{
    for (int k = 0; k < 3; k++)
        cells[k] =
            settings->cells.of[k] > 0 ? settings->cells.of[k] : (settings->n + 1) / settings->order;
}

/* Returns the direction that `text` begins with, before a colon; -1: none. */
static int axis_of(const char *text)
{
    const char *axis = text[0] && text[1] == ':' ? strchr(axes, text[0]) : NULL;
    return axis ? (int)(axis - axes) : -1;
}

/* ---- the file ---- */

struct reading {
    struct cgs_context *context;
    const char *path;
    int line, axis; /* where it is; -1: no direction yet */
    int begin[3];   /* line of a direction; 0: none */
    int64_t count[3], room[3];
    double *x[3]; /* of cgs_alloc */
};

static enum cgs_status refuse_line(const struct reading *r, const char *what)
{
    return cgs_fail(r->context, CGS_FILE,
                    "\1grid=%s, line %d: %s: expected x:, y: or z: and the coordinates of the "
                    "nodes in that direction, from 0 on, as 'x: 0 0.1 0.3 1'",
                    r->path, r->line, what);
}

static enum cgs_status add_coordinate(struct reading *r, const char *word)
{
    const int k = r->axis;
    char what[160];
    double value;
    if (cgs_value_real(word, -1e13, 1e13, &value) != CGS_VALUE_FINE) {
        snprintf(what, sizeof what, "'%.64s' is not a number", word);
        return refuse_line(r, what);
    }
    if (r->count[k] == 0 && value != 0.0) {
        snprintf(what, sizeof what, "the first coordinate in %c is %g, not 0", axes[k], value);
        return refuse_line(r, what);
    }
    if (r->count[k] > 0 && !(value > r->x[k][r->count[k] - 1])) {
        snprintf(what, sizeof what, "%g follows %g in %c, which is not increasing", value,
                 r->x[k][r->count[k] - 1], axes[k]);
        return refuse_line(r, what);
    }
    if (r->count[k] == r->room[k]) {
        double *more;
        const int64_t room = 2 * r->room[k] + 64;
        CGS_TRY(cgs_alloc(r->context, room, sizeof *more, "coordinates of nodes", (void **)&more));
        if (r->count[k] > 0)
            memcpy(more, r->x[k], (size_t)r->count[k] * sizeof *more);
        cgs_free(r->context, r->x[k]);
        r->x[k] = more;
        r->room[k] = room;
    }
    r->x[k][r->count[k]++] = value;
    return CGS_OK;
}

static enum cgs_status read_line(struct reading *r, char *text)
{
    char what[64];
    text[strcspn(text, "#\n")] = '\0';
    text += strspn(text, separators);
    const int axis = axis_of(text);
    if (axis >= 0 && r->begin[axis] > 0) {
        snprintf(what, sizeof what, "%c: is in line %d already", axes[axis], r->begin[axis]);
        return refuse_line(r, what);
    }
    if (axis >= 0) {
        r->axis = axis;
        r->begin[axis] = r->line;
        text += 2;
    }
    char *rest = text;
    for (char *word; (word = strtok_r(rest, separators, &rest)) != NULL;) {
        if (r->axis < 0)
            return refuse_line(r, "there is no direction yet");
        CGS_TRY(add_coordinate(r, word));
    }
    return CGS_OK;
}

static enum cgs_status read_file(struct reading *r)
{
    FILE *file = fopen(r->path, "r");
    enum cgs_status status = CGS_OK;
    char *text = NULL;
    size_t room = 0;
    if (!file)
        return cgs_fail(r->context, CGS_FILE, "\1grid=%s: %s", r->path, strerror(errno));
    for (r->line = 1; status == CGS_OK && getline(&text, &room, file) >= 0; r->line++)
        status = read_line(r, text);
    if (status == CGS_OK && ferror(file))
        status = cgs_fail(r->context, CGS_FILE, "\1grid=%s: %s", r->path, strerror(errno));
    free(text);
    fclose(file);
    if (status == CGS_OK && r->axis < 0) {
        r->line = 1;
        status = refuse_line(r, "the file has no coordinates");
    }
    return status;
}

/* Checks the coordinates of a direction. */
static enum cgs_status check_direction(const struct reading *r, const struct cgs_settings *o, int k)
{
    const int64_t cells = r->count[k] - 1, asked = o->given[CGS_OPTION_cells] ? o->cells.of[k]
                                                   : o->given[CGS_OPTION_n] ? (o->n + 1) / o->order
                                                                            : cells;
    if (cells < 1)
        return cgs_fail(r->context, CGS_FILE,
                        "\1grid=%s, line %d: %s coordinate%s in %c: expected at least two", r->path,
                        r->begin[k], cells < 0 ? "no" : "one", cells < 0 ? "s" : "", axes[k]);
    if (cells != asked)
        return cgs_fail(r->context, CGS_FILE,
                        "\1grid=%s, line %d: %" PRId64 " coordinates in %c, and the %" PRId64
                        " cells of \1%s need %" PRId64 ": leave it out, as the file says how the "
                        "box is cut",
                        r->path, r->begin[k], cells + 1, axes[k], asked,
                        o->given[CGS_OPTION_cells] ? "cells" : "N", asked + 1);
    if (o->given[CGS_OPTION_size] && fabs(r->x[k][cells] - o->size.of[k]) > 1e-12 * o->size.of[k])
        return cgs_fail(r->context, CGS_FILE,
                        "\1grid=%s, line %d: the last coordinate in %c is %g, and the length of "
                        "\1size is %g: leave it out, as the file says how long the box is",
                        r->path, r->begin[k], axes[k], r->x[k][cells], o->size.of[k]);
    const int64_t thin = cgs_grading_thin(cells, r->x[k]);
    if (thin >= 0)
        return cgs_fail(r->context, CGS_FILE,
                        "\1grid=%s, line %d: cell %" PRId64 " of 0 ... %" PRId64
                        " in %c, from %.9g to %.9g, is thinner than %g of the box",
                        r->path, r->begin[k], thin, cells - 1, axes[k], r->x[k][thin],
                        r->x[k][thin + 1], CGS_GRADING_LEAST);
    return CGS_OK;
}

static enum cgs_status take_file(struct cgs_context *context, struct cgs_settings *o,
                                 struct cgs_grading *grading)
{
    struct reading r = {.context = context, .path = o->grid, .axis = -1};
    enum cgs_status status = read_file(&r);
    for (int k = 0; k < 3 && status == CGS_OK; k++)
        if (r.begin[k] > 0)
            status = check_direction(&r, o, k);
    if (status != CGS_OK) {
        for (int k = 0; k < 3; k++)
            cgs_free(context, r.x[k]);
        return status;
    }
    cgs_cells_of(o, o->cells.of);
    for (int k = 0; k < 3; k++)
        if (r.begin[k] > 0) {
            grading->x[k] = r.x[k];
            o->cells.of[k] = r.count[k] - 1;
            o->size.of[k] = r.x[k][r.count[k] - 1];
        }
    return CGS_OK;
}

/* ---- ratios ---- */

struct asking {
    struct cgs_settings *settings;
    struct cgs_grading *grading;
};

static enum cgs_status grade_direction(struct cgs_context *context, const struct asking *asking,
                                       const char *word)
{
    const int k = axis_of(word);
    int64_t cells[3];
    double ratio, *x;
    if (k < 0 || cgs_value_real(word + 2, 0.0, 1e300, &ratio) != CGS_VALUE_FINE)
        return cgs_fail(context, CGS_USAGE,
                        "\1grade=%.64s is not understood: expected AXIS:RATIO, or several with "
                        "commas between, an AXIS x, y or z, and a RATIO > 0 of the last cell's "
                        "length to the first one's: x:8,z:0.2",
                        word);
    if (asking->grading->x[k])
        return cgs_fail(
            context, CGS_USAGE, "\1grade=%.64s: %c is graded already, by %s: leave one of them out",
            word, axes[k],
            asking->settings->grid ? "\1grid, or by another \1grade" : "another \1grade");
    cgs_cells_of(asking->settings, cells);
    CGS_TRY(cgs_alloc(context, cells[k] + 1, sizeof *x, "coordinates of nodes", (void **)&x));
    asking->grading->x[k] = x;
    cgs_grading_fill(cells[k], asking->settings->size.of[k], ratio, x);
    const int64_t thin = cgs_grading_thin(cells[k], x);
    if (thin < 0)
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "\1grade=%.64s makes cell %" PRId64 " of 0 ... %" PRId64
                    " in %c %.3g of the box: none may be thinner than %g, so take a ratio nearer "
                    "to 1, or fewer cells",
                    word, thin, cells[k] - 1, axes[k], (x[thin + 1] - x[thin]) / x[cells[k]],
                    CGS_GRADING_LEAST);
}

static enum cgs_status read_grade(struct cgs_context *context, void *user, const char *line)
{
    const char *word = line;
    while (word) {
        const size_t length = strcspn(word, ",");
        char one[80];
        snprintf(one, sizeof one, "%.*s", (int)(length < 79 ? length : 79), word);
        CGS_TRY(grade_direction(context, user, one));
        word = word[length] ? word + length + 1 : NULL;
    }
    return CGS_OK;
}

enum cgs_status cgs_ask_grading(struct cgs_context *context, struct cgs_settings *settings,
                                struct cgs_grading *grading)
{
    struct asking asking = {settings, grading};
    if (settings->grid)
        CGS_TRY(take_file(context, settings, grading));
    return cgs_each_line(context, settings->grade, &asking, read_grade);
}
