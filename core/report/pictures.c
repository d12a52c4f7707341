#include "core/report/pictures.h"

#include <string.h>
#include <sys/stat.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/field/even.h"
#include "core/field/grid.h"
#include "core/field/writer.h"
#include "core/io/interrupt.h"
#include "core/io/output.h"
#include "core/io/version.h"
#include "core/options/option_table.h"
#include "core/options/user_model.h"

static const char what[] = "the solution";

/* Opens the output, which must be a regular file: writers go back and forth in it. */
static enum cgs_status open_fields(struct cgs_context *context, const char *path,
                                   struct cgs_output *output)
{
    CGS_TRY(cgs_output_open(context, what, path, 0, output));
    if (!output->file)
        return CGS_OK;
    cgs_output_discard(output);
    return cgs_fail(
        context, CGS_FILE,
        "cannot write %s '%s': fields of the box need a file to go back and forth in, and "
        "this is none; name a regular file",
        what, path);
}

static const struct cgs_writer *writer_of(const struct cgs_settings *settings)
{
    return cgs_writer(cgs_settings_file_type(settings)->id);
}

enum cgs_status cgs_pictures_check(struct cgs_context *context, const struct cgs_settings *settings)
{
    struct cgs_slice_request slice;
    bool error = false;
    if (cgs_settings_fields(settings)) {
        struct cgs_output output;
        CGS_TRY(open_fields(context, settings->output, &output));
        cgs_output_discard(&output);
    }
    for (const char *left = settings->slice; cgs_slice_next(&left, &slice);)
        error = error || slice.field == CGS_NODAL_ERROR;
    if (!error)
        return CGS_OK;
    const struct cgs_mesh mesh =
        cgs_settings_box(settings) ? cgs_mesh_asked(settings) : cgs_mesh_cube(1, CGS_GAUSS, 1.0);
    if (cgs_problem_known(settings->problem, &mesh) != CGS_KNOWN_NOWHERE)
        return CGS_OK;
    if (settings->model)
        return cgs_fail(context, CGS_USAGE,
                        "\1slice of the error needs an exact solution: give \1exact, or take the "
                        "solution or the "
                        "residual");
    return cgs_fail(context, CGS_USAGE,
                    "\1slice of the error needs an exact solution, but for this kappa, which "
                    "jumps, \1problem=%s has none: take the solution or the residual",
                    settings->problem->name);
}

/* Destinations of planes: the file (NULL: none) and the slices. Only the first rank has them; the
 * others know what is wanted. */
struct sinks {
    struct cgs_even *file;
    struct cgs_slice *slices;
    int slice_count;
    bool fields;    /* there is a file, be it another rank's */
    double *memory; /* of the planes of all fields; the first rank's */
};

/* Finds out what of plane iz is wanted; returns false if nothing is. */
static bool list_wanted(const struct sinks *sinks, int64_t iz, bool wanted[CGS_NODALS])
{
    bool some = sinks->fields;
    for (int i = 0; i < CGS_NODALS; i++)
        wanted[i] = sinks->fields;
    for (int i = 0; i < sinks->slice_count; i++)
        if (cgs_slice_wants(&sinks->slices[i], iz))
            some = wanted[sinks->slices[i].request.field] = true;
    return some;
}

/* Gets a plane, and passes it on. */
static enum cgs_status take_plane(const struct cgs_planes *planes, const struct sinks *sinks,
                                  int64_t iz, const bool wanted[CGS_NODALS])
{
    const int64_t room = cgs_planes_room(planes->mesh);
    double *plane[CGS_NODALS];
    if (!cgs_comm_first(planes->context))
        return cgs_planes_send(planes, iz, wanted);
    for (int i = 0; i < CGS_NODALS; i++)
        plane[i] = wanted[i] ? sinks->memory + i * room : NULL;
    CGS_TRY(cgs_planes_get(planes, iz, plane));
    if (sinks->file)
        CGS_TRY(cgs_even_put(sinks->file, iz, plane));
    for (int i = 0; i < sinks->slice_count; i++)
        if (cgs_slice_wants(&sinks->slices[i], iz))
            cgs_slice_add(&sinks->slices[i], iz, plane[sinks->slices[i].request.field]);
    return CGS_OK;
}

/* Takes all planes, from one of which to the next the ranks agree that nobody failed. */
static enum cgs_status walk(const struct cgs_planes *planes, const struct sinks *sinks)
{
    struct cgs_context *context = planes->context;
    enum cgs_status status = CGS_OK;
    for (int64_t iz = 0; iz < cgs_grid_line_nodes(planes->mesh, 2); iz++) {
        bool wanted[CGS_NODALS];
        if (!list_wanted(sinks, iz, wanted))
            continue;
        if (status == CGS_OK && cgs_interrupted())
            status =
                cgs_fail(context, CGS_INTERRUPTED, "interrupted while the solution was written");
        CGS_TRY(cgs_comm_agree(context, status));
        status = take_plane(planes, sinks, iz, wanted);
    }
    CGS_TRY(cgs_comm_agree(context, status));
    for (int i = 0; i < sinks->slice_count; i++)
        cgs_slice_finish(&sinks->slices[i]);
    return CGS_OK;
}

static void put_facts(struct cgs_field_file *file, const struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    const struct cgs_errors *e = &report->errors;
    if (cgs_settings_equal_n(o))
        file->writer->put_integer(file, "N", cgs_mesh_cells(file->mesh, 0) - 1);
    file->writer->put_integer(file, "order", file->mesh->order);
    file->writer->put_real(file, "deform", o->deform);
    file->writer->put_integer(file, "iterations", report->result.iterations);
    file->writer->put_real(file, "true_relative_residual", report->result.true_relative_residual);
    file->writer->put_real(file, "residual_reference", report->result.reference);
    if (!report->has_errors)
        return;
    file->writer->put_real(file, "error_nodal_l2", e->nodal_l2);
    file->writer->put_real(file, "error_max", e->max);
    if (!e->integral)
        return;
    file->writer->put_real(file, "error_l2", e->l2);
    file->writer->put_real(file, "error_h1", e->h1);
}

/* Writes the command line. */
static void put_command(struct cgs_field_file *file, const struct cgs_report *report)
{
    char text[2048] = "cgsolve";
    size_t used = strlen(text);
    for (int i = 1; i < report->argc && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s", report->argv[i]);
    file->writer->put_text(file, "command", text);
}

/* Writes what was given of a problem of one's own, several faces or constants a line each. */
static void put_user_problem(struct cgs_field_file *file, const struct cgs_settings *o)
{
    const struct {
        const char *name, *text;
    } given[] = {{"source", o->source}, {"exact", o->exact}, {"rhs", o->rhs},  {"face", o->face},
                 {"let", o->let},       {"grade", o->grade}, {"grid", o->grid}};
    for (size_t i = 0; o->model && i < sizeof given / sizeof *given; i++)
        if (given[i].text)
            file->writer->put_text(file, given[i].name, given[i].text);
}

/* Writes the names of the materials, whose numbers are 1, 2, ... in this order; 0: in none. */
static void put_materials(struct cgs_field_file *file)
{
    char text[1024] = "";
    size_t used = 0;
    for (int i = 0; file->materials && i < file->materials->count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s", i > 0 ? ", " : "",
                                 i + 1, file->materials->list[i].name);
    if (file->materials)
        file->writer->put_text(file, "materials", text);
}

static void put_texts(struct cgs_field_file *file, const struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    char text[128];
    snprintf(text, sizeof text, "cgsolve %s (%s)", cgs_version(), cgs_commit());
    file->writer->put_text(file, "program", text);
    file->writer->put_text(file, "date", report->date);
    put_command(file, report);
    file->writer->put_text(file, "problem", o->problem->name);
    file->writer->put_text(file, "solution", o->problem->description);
    file->writer->put_text(file, "quadrature", cgs_option_choice(o, CGS_OPTION_quadrature));
    file->writer->put_text(file, "precision", cgs_option_choice(o, CGS_OPTION_precision));
    cgs_kappa_write(&o->kappa, text, sizeof text);
    file->writer->put_text(file, "kappa", o->model && o->kappa.text ? o->kappa.text : text);
    put_user_problem(file, o);
    if (o->cells.of[0] > 0) {
        cgs_cells_write(&o->cells, text, sizeof text);
        file->writer->put_text(file, "cells", text);
    }
    if (o->given[CGS_OPTION_size] || o->grid) {
        cgs_lengths_write(&o->size, text, sizeof text);
        file->writer->put_text(file, "size", text);
    }
    put_materials(file);
}

/* Opens the file under a temporary name, and begins it. */
static enum cgs_status begin_fields(struct cgs_field_file *file, const struct cgs_report *report)
{
    CGS_TRY(open_fields(file->context, report->settings->output, file->output));
    CGS_TRY(cgs_output_begin(file->context, file->output));
    file->writer = writer_of(report->settings);
    CGS_TRY(file->writer->open(file));
    if (file->writer->put_text) {
        put_texts(file, report);
        put_facts(file, report);
    }
    return CGS_OK;
}

/* Ends the file: renames it if all went well until here, which `status` says. */
static enum cgs_status end_fields(struct cgs_field_file *file, enum cgs_status status,
                                  struct cgs_report *report)
{
    struct stat there;
    if (file->writer && file->writer->close) /* NULL: not begun */
        file->writer->close(file);
    if (status == CGS_OK)
        status = cgs_output_commit(file->context, file->output);
    else
        cgs_output_discard(file->output);
    report->has_fields = status == CGS_OK;
    if (report->has_fields && stat(report->settings->output, &there) == 0)
        report->fields_bytes = there.st_size;
    return status;
}

/* Writes the file, if fields are wanted, by the first rank, and the slices. */
static enum cgs_status take(const struct cgs_planes *planes, struct cgs_report *report,
                            double *memory)
{
    struct cgs_context *context = planes->context;
    struct cgs_output output = {0};
    struct cgs_user_model *model = report->settings->model;
    struct cgs_field_file file = {
        .context = context,
        .mesh = planes->mesh,
        .materials = model && model->materials.count > 0 ? &model->materials : NULL,
        .known = planes->known,
        .output = &output,
    };
    struct cgs_even even = {0};
    const bool fields = cgs_settings_fields(report->settings);
    const bool writes = fields && cgs_comm_first(context);
    const struct sinks sinks = {.file = writes ? &even : NULL,
                                .slices = report->slices,
                                .slice_count = report->slice_count,
                                .fields = fields,
                                .memory = memory};
    enum cgs_status status = writes ? begin_fields(&file, report) : CGS_OK;
    if (writes && status == CGS_OK)
        status = cgs_even_open(&file, &even);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        status = walk(planes, &sinks);
    cgs_even_release(&even);
    return writes ? end_fields(&file, status, report) : status;
}

static enum cgs_status open_slices(const struct cgs_planes *planes, struct cgs_report *report)
{
    struct cgs_context *context = planes->context;
    const char *left = report->settings->slice;
    struct cgs_slice_request request;
    if (!left)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, cgs_line_count(left), sizeof *report->slices, "slices",
                      (void **)&report->slices));
    for (; cgs_slice_next(&left, &request); report->slice_count++)
        CGS_TRY(
            cgs_slice_open(context, &request, planes->mesh, &report->slices[report->slice_count]));
    return CGS_OK;
}

/* Takes memory of planes on the first rank, and the slices' pixels on all, since where these lie
 * says which planes are wanted. */
static enum cgs_status open_sinks(const struct cgs_planes *planes, struct cgs_report *report,
                                  double **memory)
{
    struct cgs_context *context = planes->context;
    const int64_t room = cgs_planes_room(planes->mesh);
    if (cgs_comm_first(context))
        CGS_TRY(cgs_alloc(context, CGS_NODALS * room, sizeof **memory, "planes of nodes",
                          (void **)memory));
    return open_slices(planes, report);
}

enum cgs_status cgs_pictures_take(struct cgs_planes *planes, struct cgs_report *report)
{
    struct cgs_context *context = planes->context;
    double *memory = NULL;
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_OUTPUT);
    CGS_TRY(cgs_planes_open(planes));
    enum cgs_status status = cgs_comm_agree(context, open_sinks(planes, report, &memory));
    if (status == CGS_OK)
        status = take(planes, report, memory);
    cgs_free(context, memory);
    cgs_planes_release(planes);
    if (status != CGS_OK || !cgs_comm_first(context)) /* the first alone draws them */
        cgs_pictures_release(context, report);
    return status;
}

void cgs_pictures_release(struct cgs_context *context, struct cgs_report *report)
{
    while (report->slice_count > 0)
        cgs_slice_release(&report->slices[--report->slice_count]);
    cgs_free(context, report->slices);
    report->slices = NULL;
}
