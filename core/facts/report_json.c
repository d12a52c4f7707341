/* The report of a solve for programs: the rows of facts_solve.def. */
#include "core/facts/report_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/facts/choice.h"
#include "core/facts/cost.h"
#include "core/facts/facts_put.h"
#include "core/facts/notes.h"
#include "core/facts/parts.h"
#include "core/io/version.h"
#include "core/options/option_table.h"
#include "matrix/market/market_header.h"
#include "solver/cg/cg_result.h"

json_t *cgs_json_at(json_t *root, const char *place)
{
    while (*place) {
        char key[32];
        const size_t length = strcspn(place, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, place);
        if (!json_object_get(root, key))
            cgs_put_part(root, key, json_object());
        root = json_object_get(root, key);
        place += length + (place[length] == '.');
    }
    return root;
}

/* ---- head ---- */

static json_t *words(const char *list)
{
    json_t *array = json_array();
    while (*list) {
        const size_t length = strcspn(list, " ");
        if (length > 0)
            json_array_append_new(array, json_stringn(list, length));
        list += length + (list[length] == ' ');
    }
    return array;
}

/* A text whose characters, U+0001 ... U+00FF, are the bytes of a word. */
static json_t *bytes_of(const char *word)
{
    const size_t length = strlen(word);
    char *text = malloc(2 * length + 1), *end = text;
    if (!text)
        return NULL;
    for (; *word; word++) {
        const unsigned char byte = (unsigned char)*word;
        if (byte >= 0x80)
            *end++ = (char)(0xc0 | byte >> 6);
        *end++ = (char)(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
    }
    json_t *string = json_stringn(text, (size_t)(end - text));
    free(text);
    return string;
}

static json_t *arguments(const struct cgs_report *r, json_t *(*text_of)(const char *))
{
    json_t *array = json_array();
    for (int i = 1; i < r->argc; i++)
        json_array_append_new(array, text_of(r->argv[i]));
    return array;
}

/* Returns false if an argument is no UTF-8. */
static bool arguments_are_text(const struct cgs_report *r)
{
    bool text = true;
    for (int i = 1; i < r->argc; i++) {
        json_t *word = json_string(r->argv[i]);
        text = text && word;
        json_decref(word);
    }
    return text;
}

static json_t *fault(const struct cgs_settings *o)
{
    char text[64];
    cgs_fault_write(&o->inject, text, sizeof text);
    return cgs_json_text(text);
}

static json_t *three(const int64_t number[3])
{
    json_t *array = json_array();
    for (int k = 0; k < 3; k++)
        json_array_append_new(array, json_integer(number[k]));
    return array;
}

static json_t *cells(const struct cgs_settings *o)
{
    return three(o->cells.of);
}

static json_t *lengths(const struct cgs_settings *o)
{
    json_t *array = json_array();
    for (int k = 0; k < 3; k++)
        json_array_append_new(array, json_real(o->size.of[k]));
    return array;
}

static int64_t unknowns_along(const struct cgs_settings *o)
{
    int64_t n[3];
    cgs_settings_unknowns(o, n);
    return n[0];
}

static int64_t unknowns_of(const struct cgs_settings *o)
{
    int64_t n[3];
    cgs_settings_unknowns(o, n);
    return n[0] * n[1] * n[2];
}

/* The lines of an option that was given several times. */
static json_t *lines(const char *text)
{
    json_t *array = json_array();
    for (const char *line = text; line; line = cgs_line_after(line))
        json_array_append_new(array, json_stringn(line, (size_t)cgs_line_length(line)));
    return array;
}

static const char *mesh_name(const struct cgs_settings *o)
{
    const double *size = o->size.of;
    const bool cube = cgs_settings_equal_n(o) && size[0] == size[1] && size[1] == size[2];
    return o->deform != 0.0 ? "deformed" : o->grade || o->grid ? "graded" : cube ? "cube" : "box";
}

/* Puts how the box is cut. */
static void put_box(json_t *object, const struct cgs_settings *o)
{
    if (cgs_settings_equal_n(o))
        cgs_put_integer(object, "N", unknowns_along(o));
    if (o->given[CGS_OPTION_cells])
        json_object_set_new(object, "cells", cells(o));
    if (o->given[CGS_OPTION_size])
        json_object_set_new(object, "size", lengths(o));
}

json_t *cgs_json_head(const struct cgs_report *r)
{
    const struct cgs_settings *o = r->settings;
    json_t *root = json_object(), *object;
#include "core/facts/facts_head.def"
    return root;
}

void cgs_put_input(json_t *object, const struct cgs_settings *settings,
                   const struct cgs_input *input)
{
    static const char *const origins[] = {
        [CGS_INPUT_BOX] = "box",       [CGS_INPUT_FILE] = "file",
        [CGS_INPUT_RANDOM] = "random", [CGS_INPUT_MEMORY] = "memory",
        [CGS_INPUT_DEVICE] = "memory", [CGS_INPUT_CALLBACK] = "callback"};
    char random[96];
    cgs_put_text(object, "origin", origins[input->kind]);
    if (input->kind == CGS_INPUT_FILE)
        cgs_put_text(object, "file", input->file);
    if (input->kind == CGS_INPUT_BOX) {
        put_box(object, settings);
        if (settings->order > 1)
            cgs_put_integer(object, "order", settings->order);
        if (settings->problem->course || settings->problem->mass)
            cgs_put_text(object, "problem", settings->problem->name);
    }
    if (input->kind == CGS_INPUT_RANDOM) {
        cgs_random_write(&settings->random, random, sizeof random);
        cgs_put_text(object, "random", random);
    }
}

/* ---- problem and matrix ---- */

static json_t *kappa(const struct cgs_settings *o)
{
    char text[64];
    cgs_kappa_write(&o->kappa, text, sizeof text);
    return cgs_json_text(text);
}

static const char *where(bool on_device)
{
    return cgs_place_name(on_device ? CGS_DEVICE_MEMORY : CGS_HOST);
}

json_t *cgs_json_row_lengths(const struct cgs_row_statistics *s)
{
    json_t *o = json_object();
    cgs_put_integer(o, "shortest", s->shortest);
    cgs_put_real(o, "mean", s->mean);
    cgs_put_integer(o, "longest", s->longest);
    cgs_put_real(o, "deviation", s->deviation);
    cgs_put_integer(o, "empty", s->empty);
    return o;
}

/* ---- preconditioner ---- */

const char *cgs_report_coarsest(const struct cgs_precond_facts *p)
{
    static const char *const ends[] = {[CGS_AMG_SMALL] = "singular",
                                       [CGS_AMG_STALLED] = "stalled",
                                       [CGS_AMG_GROWN] = "grown",
                                       [CGS_AMG_DEEP] = "deep"};
    return p->inverted ? "inverted" : ends[p->end];
}

double cgs_aggregate_size(const struct cgs_precond_facts *p, int l)
{
    return (double)p->grid[l].aggregated / (double)p->grid[l + 1].unknowns;
}

static const char *reused_of(const struct cgs_precond_facts *p)
{
    static const char *const names[] = {
        [CGS_REUSE_NONE] = "none", [CGS_REUSE_PATTERN] = "pattern", [CGS_REUSE_ALL] = "all"};
    return names[p->reused];
}

static json_t *setup_parts(const struct cgs_precond_facts *p)
{
    json_t *parts = json_object();
    for (int part = 0; part < CGS_AMG_PARTS; part++)
        cgs_put_real(parts, cgs_amg_part_name((enum cgs_amg_part)part), p->part_seconds[part]);
    return parts;
}

static json_t *levels(const struct cgs_precond_facts *p)
{
    static const char *const bounds[] = {[CGS_BOUND_PROVEN] = "proven",
                                         [CGS_BOUND_ESTIMATED] = "estimated",
                                         [CGS_BOUND_COARSER] = "coarser"};
    json_t *array = json_array();
    for (int l = 0; l < p->count; l++) {
        const struct cgs_grid_facts *grid = &p->grid[l];
        const bool coarsest = l == p->count - 1;
        json_t *object = json_object();
#include "core/facts/facts_level.def"
        json_array_append_new(array, object);
    }
    return array;
}

/* ---- plan ---- */

json_t *cgs_json_plan_lines(const struct cgs_plan *plan)
{
    json_t *array = json_array();
    for (int i = 0; i < plan->count; i++) {
        const struct cgs_plan_line *line = &plan->lines[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:I}", "what", line->what, "place",
                                               cgs_place_name(line->place), "bytes",
                                               (json_int_t)line->bytes));
    }
    return array;
}

static json_t *plan_total(const struct cgs_report *r, enum cgs_place place)
{
    return json_pack("{s:I, s:I}", "bytes", (json_int_t)r->plan.total[place], "free",
                     (json_int_t)r->room.bytes[place]);
}

static json_t *plan_variants(const struct cgs_report *r)
{
    json_t *array = json_array();
    for (int i = 1; i < r->variant_count; i++) { /* the first one is the run as asked */
        const struct cgs_variant *v = &r->variants[i];
        json_t *o = json_pack("{s:s, s:b}", "options", v->options, "fits", (int)v->fits);
        if (!r->has_market)
            cgs_put_integer(o, "largest_N", v->largest);
        json_array_append_new(array, o);
    }
    return array;
}

/* ---- sentences and histories ---- */

static json_t *notes(const struct cgs_report *r)
{
    cgs_note sentences[CGS_NOTES_MOST];
    const int count = cgs_report_notes(r, sentences);
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, cgs_json_text(sentences[i]));
    return array;
}

/* Values of iterations 0 ... count, divided by `unit`. */
static json_t *history(const double *values, int64_t count, double unit)
{
    json_t *array = json_array();
    for (int64_t i = 0; i <= count; i++)
        json_array_append_new(array,
                              isfinite(values[i]) ? json_real(values[i] / unit) : json_null());
    return array;
}

static void put_solve(json_t *root, const struct cgs_report *r)
{
    const struct cgs_settings *o = r->settings;
    const struct cgs_matrix *m = &r->matrix;
    const struct cgs_cg_result *c = &r->result;
    const struct cgs_precond_facts *p = &r->preconditioning;
    const bool on_device = r->has_machine && r->machine.backend->place == CGS_DEVICE_MEMORY;
    const double mesh_error = r->has_result && r->algebraic ? cgs_report_mesh_error(r) : 0.0;
    const int64_t reached = mesh_error > 0.0 ? cgs_report_mesh_iterations(r) : -1;
    const char *kind;
    const double spmv = r->has_result ? cgs_report_spmv_gbs(r) : 0.0;
    const double attainable = r->has_result ? cgs_report_attainable(r, &kind) : 0.0;
    const struct cgs_nearer limit = cgs_report_nearer(r);
    json_t *object;
#include "core/facts/facts_solve.def"
}

enum cgs_status cgs_report_json(struct cgs_context *context, FILE *file,
                                const struct cgs_report *report)
{
    json_t *root = cgs_json_head(report);
    /* Wrong options: what they were meant to say is not known. */
    if (context->status != CGS_USAGE || report->has_machine)
        put_solve(root, report);
    return cgs_json_end(context, file, root);
}
