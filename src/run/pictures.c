#include "src/run/pictures.h"

#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "src/field/writer.h"
#include "src/io/interrupt.h"
#include "src/io/output.h"
#include "src/io/version.h"
#include "src/settle/asked.h"

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

static const struct cgs_writer *writer_of(const struct cgs_options *options)
{
    return cgs_writer(cgs_options_file_type(options)->id);
}

enum cgs_status cgs_pictures_check(struct cgs_context *context, const struct cgs_options *options)
{
    const struct cgs_slice_request *slice = &options->slice;
    if (cgs_options_fields(options)) {
        const struct cgs_writer *writer = writer_of(options);
        struct cgs_output output;
        if (writer->check)
            CGS_TRY(writer->check(context));
        CGS_TRY(open_fields(context, options->output, &output));
        cgs_output_discard(&output);
    }
    if (!slice->file || slice->field != CGS_NODAL_ERROR)
        return CGS_OK;
    const struct cgs_mesh mesh = cgs_mesh_asked(options, options->n);
    if (cgs_problem_known(options->problem, &mesh) == CGS_KNOWN_NOWHERE)
        return cgs_fail(context, CGS_USAGE,
                        "--slice of the error needs an exact solution, but for this kappa, which "
                        "jumps, --problem=%s has none: take the solution or the residual",
                        options->problem->name);
    return CGS_OK;
}

/* Writes all planes to the file (NULL: none) and to the slice (without a file: none). */
static enum cgs_status walk(const struct cgs_planes *planes, struct cgs_field_file *file,
                            struct cgs_slice *slice, double *memory)
{
    const int64_t n = planes->mesh->n, nodes = (n + 2) * (n + 2);
    for (int64_t iz = 0; iz <= n + 1; iz++) {
        double *plane[CGS_NODALS];
        const bool sliced = cgs_slice_wants(slice, iz);
        for (int i = 0; i < CGS_NODALS; i++)
            plane[i] =
                file || (sliced && (int)slice->request.field == i) ? memory + i * nodes : NULL;
        if (!file && !sliced)
            continue;
        if (cgs_interrupted())
            return cgs_fail(planes->context, CGS_INTERRUPTED,
                            "interrupted while the solution was written");
        CGS_TRY(cgs_planes_get(planes, iz, plane));
        if (file)
            file->writer->put(file, iz, plane);
        if (sliced)
            cgs_slice_add(slice, n, iz, plane[slice->request.field]);
    }
    if (slice->pixels)
        cgs_slice_finish(slice);
    return CGS_OK;
}

static void put_facts(struct cgs_field_file *file, const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    const struct cgs_errors *e = &report->errors;
    file->writer->put_integer(file, "N", o->n);
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

/* Writes the command line, in ASCII. */
static void put_command(struct cgs_field_file *file, const struct cgs_report *report)
{
    char text[2048] = "cgsolve";
    size_t used = strlen(text);
    for (int i = 1; i < report->argc && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s", report->argv[i]);
    for (char *c = text; *c; c++)
        *c = *c >= 0x20 && *c < 0x7f ? *c : '?';
    file->writer->put_text(file, "command", text);
}

static void put_texts(struct cgs_field_file *file, const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
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
    file->writer->put_text(file, "kappa", text);
}

/* Writes the file, under a temporary name that is renamed at the end, and the slice. */
static enum cgs_status write_fields(const struct cgs_planes *planes, struct cgs_report *report,
                                    double *memory)
{
    struct cgs_context *context = planes->context;
    struct cgs_output output;
    CGS_TRY(open_fields(context, report->options->output, &output));
    CGS_TRY(cgs_output_begin(context, &output));
    struct cgs_field_file file = {.writer = writer_of(report->options),
                                  .context = context,
                                  .mesh = planes->mesh,
                                  .known = planes->known,
                                  .output = &output};
    enum cgs_status status = file.writer->open(&file);
    if (status == CGS_OK && file.writer->put_text) {
        put_texts(&file, report);
        put_facts(&file, report);
    }
    if (status == CGS_OK)
        status = walk(planes, &file, &report->slice, memory);
    const int error = file.writer->close(&file);
    if (status != CGS_OK)
        cgs_output_discard(&output);
    else if (error != 0)
        status = cgs_output_fail(context, &output, error);
    else
        status = cgs_output_commit(context, &output);
    struct stat there;
    report->has_fields = status == CGS_OK;
    if (report->has_fields && stat(report->options->output, &there) == 0)
        report->fields_bytes = there.st_size;
    return status;
}

static enum cgs_status take(const struct cgs_planes *planes, struct cgs_report *report,
                            double *memory)
{
    const struct cgs_options *o = report->options;
    if (o->slice.file)
        CGS_TRY(cgs_slice_open(planes->context, &o->slice, planes->mesh, &report->slice));
    return cgs_options_fields(o) ? write_fields(planes, report, memory)
                                 : walk(planes, NULL, &report->slice, memory);
}

enum cgs_status cgs_pictures_take(struct cgs_planes *planes, struct cgs_report *report)
{
    const int64_t nodes = (planes->mesh->n + 2) * (planes->mesh->n + 2);
    double *memory;
    cgs_stopwatch_enter(&planes->context->watch, CGS_PHASE_OUTPUT);
    CGS_TRY(cgs_planes_open(planes));
    enum cgs_status status = cgs_alloc(planes->context, CGS_NODALS * nodes, sizeof *memory,
                                       "planes of nodes", (void **)&memory);
    if (status == CGS_OK) {
        status = take(planes, report, memory);
        cgs_free(planes->context, memory);
    }
    cgs_planes_release(planes);
    if (status != CGS_OK)
        cgs_slice_release(&report->slice);
    return status;
}
