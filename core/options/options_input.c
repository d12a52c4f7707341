/* Checks the options of the matrix's source, and the names of files. */
#include "core/options/options_input.h"
#include "core/options/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/plain.h"
#include "core/io/output.h"
#include "core/options/file_types.h"
#include "core/options/values.h"

/* Decides what is not given for cells of order p > 1. */
static void settle_order(struct cgs_settings *settings)
{
    const bool rows = settings->given[CGS_OPTION_chunk] || settings->given[CGS_OPTION_sigma] ||
                      settings->precond == CGS_PRECOND_AMG || settings->command == CGS_COMMAND_SPMV;
    if (!settings->given[CGS_OPTION_n]) /* the largest up to the default that fits */
        settings->n = (settings->n + 1) / settings->order * settings->order - 1;
    if (!settings->given[CGS_OPTION_format] && !rows)
        CGS_DECIDE(settings, format, CGS_NONE);
    if (!cgs_format_chunked(settings->format))
        settings->known[CGS_OPTION_chunk] = settings->known[CGS_OPTION_sigma] = false;
    CGS_DECIDE(settings, quadrature, cgs_settings_rule(settings));
    if (settings->assemble == CGS_ASSEMBLE_AUTO)
        CGS_DECIDE(settings, assemble, CGS_ASSEMBLE_HOST);
    if (settings->backend == CGS_BACKEND_AUTO && !settings->given[CGS_OPTION_device] &&
        !cgs_settings_order_on_device(settings))
        CGS_DECIDE(settings, backend, CGS_BACKEND_CPU);
}

void cgs_options_settle_input(struct cgs_options *o)
{
    if (cgs_settings_box(&o->settings)) {
        o->settings.known[CGS_OPTION_n] = o->settings.cells.of[0] == 0; /* --cells, --grid */
        if (o->settings.order > 1)
            settle_order(&o->settings);
        return;
    }
    cgs_settings_forget_box(&o->settings);
    if (o->settings.command == CGS_COMMAND_SOLVE && !o->settings.rhs && !o->settings.from_caller)
        CGS_DECIDE(&o->settings, rhs, "random");
}

/* Returns true if `path` is the list's text, "a.mtx,b.mtx", or one of its entries. */
static bool listed(const char *list, const char *path)
{
    if (!list)
        return false;
    bool found = cgs_output_same(list, path);
    for (const char *at = list; !found;) {
        const size_t length = strcspn(at, ",");
        char *part = strndup(at, length);
        found = part && *part && cgs_output_same(part, path);
        free(part);
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    return found;
}

/* Returns true if `path` is a file that a command keeps in the folder of --report, or a file of
 * points/ there. */
static bool of_report(const char *folder, const char *path)
{
    static const char *const parts[] = {"study.json", "report.html", "tables.tex", "results.json",
                                        "results.csv"};
    const char *slash = strrchr(path, '/');
    char *above = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    char part[4200];
    bool found = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !found; i++) {
        snprintf(part, sizeof part, "%s/%s", folder, parts[i]);
        found = cgs_output_same(part, path);
    }
    snprintf(part, sizeof part, "%s/points", folder);
    found = found || (above && *above && cgs_output_same(part, above));
    free(above);
    return found;
}

/* Returns true if options were read from the file `path`. */
static bool is_source(const struct cgs_options *o, const char *path)
{
    bool found = false;
    for (int i = 0; o->arguments && i < o->arguments->file_count && !found; i++)
        found = cgs_output_same(o->arguments->files[i], path);
    return found;
}

/* Endings stand for these; SOLUTION and what follows it for none. */
enum content { JSON, CSV, FIGURE, PACKED, OTHERS, SOLUTION, CONTENTS };

struct written {
    enum cgs_option_id id;
    const char *path;
    enum content content;           /* its format; CONTENTS: checked elsewhere */
    struct cgs_slice_request slice; /* holds the path of one */
};

/* Finds the file number i among those that options name to be written; returns false where there
 * are no more. */
static bool find_written(const struct cgs_options *o, int i, struct written *file)
{
    const struct {
        enum cgs_option_id id;
        const char *path;
        enum content content;
    } named[] = {{CGS_OPTION_json, o->json, JSON},
                 {CGS_OPTION_history, o->history, CSV},
                 {CGS_OPTION_output, o->settings.output, CONTENTS},
                 {CGS_OPTION_save_matrix, o->settings.save_matrix, CONTENTS},
                 {CGS_OPTION_csv, o->csv, CSV},
                 {CGS_OPTION_plot, o->plot, CONTENTS},
                 {CGS_OPTION_line, o->settings.line.file, CSV},
                 {CGS_OPTION_gradescope, o->gradescope, JSON}};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        if (named[k].path && i-- == 0) {
            *file = (struct written){named[k].id, named[k].path, named[k].content, {0}};
            return true;
        }
    for (const char *left = o->settings.slice; cgs_slice_next(&left, &file->slice);)
        if (i-- == 0) {
            file->id = CGS_OPTION_slice;
            file->path = file->slice.file;
            file->content = CONTENTS;
            return true;
        }
    return false;
}

enum cgs_status cgs_options_check_sources(struct cgs_context *context, const struct cgs_options *o)
{
    struct written file;
    for (int i = 0; find_written(o, i, &file); i++)
        if (is_source(o, file.path))
            return cgs_fail(context, CGS_USAGE,
                            "\1%s would overwrite '%s', from which options are read: name another "
                            "file",
                            cgs_option_table[file.id].name, file.path);
    return CGS_OK;
}

/* Returns the name of the option that names the file `path` as input; NULL: none. */
static const char *keeper(const struct cgs_options *o, const char *path)
{
    static const enum cgs_option_id read[] = {
        CGS_OPTION_matrix,    CGS_OPTION_matrix_b,    CGS_OPTION_rhs,   CGS_OPTION_nullspace,
        CGS_OPTION_near_null, CGS_OPTION_coordinates, CGS_OPTION_guess, CGS_OPTION_kernel};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (o->settings.given[read[i]] && listed(o->texts[read[i]], path))
            return cgs_option_table[read[i]].name;
    return o->report && of_report(o->report, path) ? "report" : NULL;
}

bool cgs_options_keeps(const struct cgs_options *o, const char *path)
{
    return keeper(o, path) != NULL || is_source(o, path);
}

enum cgs_status cgs_options_check_kept(struct cgs_context *context, const struct cgs_options *o)
{
    struct written file;
    for (int i = 0; find_written(o, i, &file); i++) {
        const char *name = cgs_option_table[file.id].name, *by = keeper(o, file.path);
        if (by && strcmp(by, "report") == 0)
            return cgs_fail(context, CGS_USAGE,
                            "\1%s=%s is one of %s own files in \1report: name another", name,
                            file.path,
                            o->settings.command == CGS_COMMAND_STUDY ? "the study's" : "spmv's");
        if (by)
            return cgs_fail(context, CGS_USAGE, "\1%s and \1%s name the same file '%s'", name, by,
                            file.path);
    }
    return CGS_OK;
}

/* Returns true for outputs that --plan allows: it counts their memory, but does not write them. */
static bool planned(const struct cgs_options *o, enum cgs_option_id id)
{
    return id == CGS_OPTION_slice || (id == CGS_OPTION_output && cgs_settings_fields(&o->settings));
}

static const char *const endings[SOLUTION][17] = {
    [JSON] = {".json"},
    [CSV] = {".csv"},
    [FIGURE] = {".svg", ".png", ".pdf"},
    [PACKED] = {".gz", ".xz", ".bz2", ".zst", ".lz4", ".zip", ".7z", ".tgz", ".txz"},
    [OTHERS] = {".npy", ".npz", ".mat", ".h5", ".hdf5", ".vtk", ".vtu", ".xml", ".html", ".yaml",
                ".toml", ".xlsx", ".tsv", ".gp", ".so", ".tex"},
};

/* Returns the format that the ending stands for; CONTENTS: unknown. */
static int content_of(const char *path)
{
    int content = 0;
    while (content < SOLUTION && !cgs_file_ends_in(path, endings[content]))
        content++;
    return content == SOLUTION && !cgs_file_type_of(path) ? CONTENTS : content;
}

/* Lists the types that can hold what there is: "FILE.npy for NumPy, FILE.mtx (or .mm, .txt, no
 * ending) for a Matrix Market file". */
static void list_types(enum cgs_holding holding, char *text, size_t size)
{
    const struct cgs_file_type *last = NULL;
    text[0] = '\0';
    for (int i = 0; i < CGS_FILE_TYPES; i++) {
        const struct cgs_file_type *type = &cgs_file_type_table[i];
        if (type->needs > holding)
            continue;
        if (last && strcmp(last->purpose, type->purpose) != 0)
            cgs_append(text, size, " %s", last->purpose);
        cgs_append(text, size, "%sFILE%s", last ? ", " : "", type->endings[0]);
        for (int k = 1; type->endings[k]; k++)
            cgs_append(text, size, "%s%s", k == 1 ? " (or " : ", ",
                       *type->endings[k] ? type->endings[k] : "no ending)");
        last = type;
    }
    cgs_append(text, size, " %s", last->purpose);
}

/* Fails if nothing is written that ends like this path, or if that needs more than there is. */
static enum cgs_status check_type(struct cgs_context *context, enum cgs_option_id id,
                                  const char *path, enum cgs_holding holding)
{
    static const char *const needed[] = {[CGS_HOLDS_VECTOR] = "a vector",
                                         [CGS_HOLDS_BOX] = "fields on the mesh of the box",
                                         [CGS_HOLDS_CUBE] = "an image of equal cells"};
    static const char *const there[] = {[CGS_HOLDS_VECTOR] = "\1matrix brings none",
                                        [CGS_HOLDS_BOX] =
                                            "\1deform, \1grade or \1grid moves its nodes"};
    const struct cgs_file_type *type = path ? cgs_file_type_of(path) : NULL;
    const char *name = cgs_option_table[id].name;
    char types[320];
    if (!path || (type && type->needs <= holding))
        return CGS_OK;
    list_types(holding, types, sizeof types);
    if (type && holding == CGS_HOLDS_MATRIX)
        return cgs_fail(context, CGS_USAGE, "\1%s=%s: a matrix is not written as %s: take %s", name,
                        path, type->endings[0], types);
    if (type)
        return cgs_fail(context, CGS_USAGE, "\1%s=%s would hold %s, but %s: take %s", name, path,
                        needed[type->needs], there[holding], types);
    return cgs_fail(context, CGS_USAGE, "\1%s=%s: nothing is written that ends in %s; take %s%s%s",
                    name, path, cgs_file_ending(path), types,
                    content_of(path) == PACKED ? ", and pack it afterwards" : "",
                    holding >= CGS_HOLDS_BOX ? ", or \1slice for a picture" : "");
}

/* Text outputs may also have .txt or an unknown ending. */
static bool misnamed(const char *path, enum content content)
{
    const int said = content_of(path);
    return content != CONTENTS && said != (int)content && said != CONTENTS &&
           *cgs_file_ending(path) && strcasecmp(cgs_file_ending(path), ".txt") != 0;
}

bool cgs_options_json_misnamed(const char *path)
{
    return misnamed(path, JSON);
}

/* Fails if a text output's ending stands for another format than the one written. */
static enum cgs_status check_ending(struct cgs_context *context, const struct cgs_options *o,
                                    const struct written *file)
{
    const char *name = cgs_option_table[file->id].name, *ending = cgs_file_ending(file->path);
    if (!misnamed(file->path, file->content))
        return CGS_OK;
    if (content_of(file->path) == PACKED)
        return cgs_fail(context, CGS_USAGE,
                        "\1%s=%s: nothing is written packed: leave out %s, and pack the file "
                        "afterwards",
                        name, file->path, ending);
    const bool tables =
        file->id == CGS_OPTION_csv && strcasecmp(ending, ".tex") == 0 &&
        (o->settings.command == CGS_COMMAND_STUDY || o->settings.command == CGS_COMMAND_SPMV);
    return cgs_fail(context, CGS_USAGE,
                    "\1%s=%s: what is written there is %s, not %s: take FILE%s%s", name, file->path,
                    file->content == JSON ? "JSON" : "CSV", ending, endings[file->content][0],
                    tables ? "; \1report=DIR has the tables for LaTeX, as DIR/tables.tex" : "");
}

/* Fails where a slice is outside of the box. */
static enum cgs_status check_slice(struct cgs_context *context, const struct cgs_options *o,
                                   const struct cgs_slice_request *slice)
{
    const char axis = "xyz"[slice->axis];
    char position[32], length[32];
    if (slice->position <= o->settings.size.of[slice->axis])
        return CGS_OK;
    cgs_value_write(slice->position, position, sizeof position);
    cgs_value_write(o->settings.size.of[slice->axis], length, sizeof length);
    return cgs_fail(context, CGS_USAGE,
                    "\1slice=%c:%s lies outside of the box: take 0 <= POSITION <= %s, its length "
                    "in %c",
                    axis, position, length, axis);
}

/* Fails where the point, which `option` gives, is outside of the box. */
static enum cgs_status check_point(struct cgs_context *context, const struct cgs_options *o,
                                   const char *option, const double point[3])
{
    const double *size = o->settings.size.of;
    char length[3][32];
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        inside = inside && point[k] >= 0.0 && point[k] <= size[k];
        cgs_value_write(size[k], length[k], sizeof length[k]);
    }
    return inside ? CGS_OK
                  : cgs_fail(context, CGS_USAGE,
                             "%s: (%g, %g, %g) lies outside of the box: take 0 <= x <= %s, "
                             "0 <= y <= %s, 0 <= z <= %s",
                             option, point[0], point[1], point[2], length[0], length[1], length[2]);
}

/* Fails where a --probe is not understood, or outside of the box, and where an end of --line is. */
static enum cgs_status check_points(struct cgs_context *context, const struct cgs_options *o)
{
    const struct cgs_line_request *line = &o->settings.line;
    for (const char *probe = o->settings.probe; probe; probe = cgs_line_after(probe)) {
        const int length = cgs_line_length(probe);
        char option[128];
        double point[3];
        snprintf(option, sizeof option, "\1probe=%.*s", length < 100 ? length : 100, probe);
        if (!cgs_point_read(probe, (size_t)length, point))
            return cgs_fail(context, CGS_USAGE,
                            "%s is not understood: expected X,Y,Z, a point of the box", option);
        CGS_TRY(check_point(context, o, option, point));
    }
    if (line->points == 0)
        return CGS_OK;
    CGS_TRY(check_point(context, o, "\1line", line->from));
    return check_point(context, o, "\1line", line->to);
}

enum cgs_status cgs_options_check_files(struct cgs_context *context, const struct cgs_options *o)
{
    const char *own =
        o->settings.kernel && cgs_plugin_named(o->settings.kernel) ? o->settings.kernel : NULL;
    const struct {
        const char *name, *path;
    } read[] = {{"matrix", o->settings.matrix},
                {"rhs", cgs_rhs_file(&o->settings)},
                {"nullspace", cgs_nullspace_file(&o->settings)},
                {"near-null", o->settings.near_null},
                {"coordinates", o->settings.coordinates},
                {"guess", o->settings.guess_file},
                {"grid", o->settings.grid},
                {"matrix-b", o->matrix_b},
                {"kernel", own}};
    struct cgs_slice_request slice;
    struct written file, other;
    for (const char *left = o->settings.slice; cgs_slice_next(&left, &slice);)
        CGS_TRY(check_slice(context, o, &slice));
    CGS_TRY(check_points(context, o));
    for (int i = 0; find_written(o, i, &file); i++) {
        const char *name = cgs_option_table[file.id].name, *path = file.path, *same = NULL;
        if (file.id != CGS_OPTION_json && o->settings.plan && !planned(o, file.id))
            return cgs_fail(context, CGS_USAGE,
                            "\1plan %s nothing, so there is no \1%s: leave one of them out",
                            o->settings.command == CGS_COMMAND_SOLVE ? "solves" : "computes", name);
        if (file.id != CGS_OPTION_json && strcmp(path, "-") == 0)
            return cgs_fail(context, CGS_USAGE,
                            "\1%s=- would mix with the report: name a file (only \1json takes -)",
                            name);
        for (size_t k = 0; k < sizeof read / sizeof *read; k++)
            if (read[k].path && cgs_output_same(path, read[k].path))
                same = read[k].name;
        for (int k = i + 1; find_written(o, k, &other); k++)
            if (cgs_output_same(path, other.path))
                same = cgs_option_table[other.id].name;
        if (same)
            return cgs_fail(context, CGS_USAGE,
                            "\1%s and \1%s name the same file '%s': each needs one of its own",
                            name, same, path);
    }
    CGS_TRY(check_type(context, CGS_OPTION_output, o->settings.output,
                       cgs_settings_holding(&o->settings)));
    CGS_TRY(check_type(context, CGS_OPTION_save_matrix, o->settings.save_matrix, CGS_HOLDS_MATRIX));
    for (int i = 0; find_written(o, i, &file); i++)
        CGS_TRY(check_ending(context, o, &file));
    return CGS_OK;
}
