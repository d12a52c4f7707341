#include "src/field/pictures.h"

#include <sys/stat.h>

#include "base/memory.h"
#include "src/field/hdf5_file.h"
#include "src/io/interrupt.h"
#include "src/io/output.h"
#include "src/figure/plot.h"
#include "src/figure/slice_script.h"
#include "src/field/vtkhdf.h"

static const char what[] = "the solution";

bool cgs_pictures_wanted(const struct cgs_options *options)
{
    return cgs_vtkhdf_named(options->output) || options->slice.file;
}

/* A library that goes back and forth in a file needs a regular one. */
static enum cgs_status open_vtkhdf(struct cgs_context *context, const char *path,
                                   struct cgs_output *output)
{
    CGS_TRY(cgs_output_open(context, what, path, 0, output));
    if (!output->file)
        return CGS_OK;
    cgs_output_discard(output);
    return cgs_fail(context, CGS_FILE,
                    "cannot write %s '%s': HDF5 goes back and forth in a file, and this is none; "
                    "name a regular file",
                    what, path);
}

static enum cgs_status check_vtkhdf(struct cgs_context *context, const char *path)
{
    struct cgs_output output;
    if (!cgs_vtkhdf_named(path))
        return CGS_OK;
    CGS_TRY(cgs_hdf5_start(context));
    CGS_TRY(open_vtkhdf(context, path, &output));
    cgs_output_discard(&output);
    return CGS_OK;
}

enum cgs_status cgs_pictures_check(struct cgs_context *context, const struct cgs_options *options)
{
    const struct cgs_slice_request *slice = &options->slice;
    CGS_TRY(check_vtkhdf(context, options->output));
    CGS_TRY(cgs_plot_check(context, slice->file));
    if (!slice->file || slice->field != CGS_NODAL_ERROR)
        return CGS_OK;
    const struct cgs_mesh mesh = cgs_spec_mesh(options, options->n);
    if (cgs_problem_known(options->problem, &mesh) == CGS_KNOWN_NOWHERE)
        return cgs_fail(context, CGS_USAGE,
                        "--slice of the error needs an exact solution, but for this kappa, which "
                        "jumps, --problem=%s has none: take the solution or the residual",
                        options->problem->name);
    return CGS_OK;
}

void cgs_pictures_plan(struct cgs_plan *plan, const struct cgs_options *options, int64_t n)
{
    if (!cgs_pictures_wanted(options))
        return;
    cgs_planes_plan(plan, n);
    cgs_plan_add(plan, CGS_HOST, "planes of nodes", CGS_NODALS,
                 cgs_bytes((n + 2) * (n + 2), sizeof(double)));
    if (cgs_vtkhdf_named(options->output))
        cgs_vtkhdf_plan(plan, n, options->deform != 0.0);
    if (options->slice.file)
        cgs_slice_plan(plan);
}

/* All planes into the file and the slice; either may be not wanted. */
static enum cgs_status walk(const struct cgs_planes *planes, const struct cgs_vtkhdf *vtkhdf,
                            struct cgs_slice *slice, double *memory)
{
    const int64_t n = planes->mesh->n, nodes = (n + 2) * (n + 2);
    for (int64_t iz = 0; iz <= n + 1; iz++) {
        double *plane[CGS_NODALS];
        const bool sliced = cgs_slice_wants(slice, iz);
        for (int i = 0; i < CGS_NODALS; i++)
            plane[i] = vtkhdf || (sliced && slice->request.field == i) ? memory + i * nodes : NULL;
        if (!vtkhdf && !sliced)
            continue;
        if (cgs_interrupted())
            return cgs_fail(planes->context, CGS_INTERRUPTED,
                            "interrupted while the solution was written");
        CGS_TRY(cgs_planes_get(planes, iz, plane));
        if (vtkhdf)
            cgs_vtkhdf_put(vtkhdf, iz, plane);
        if (sliced)
            cgs_slice_add(slice, n, iz, plane[slice->request.field]);
    }
    if (slice->pixels)
        cgs_slice_finish(slice);
    return CGS_OK;
}

/* The file, written beside and renamed; the slice on the way. */
static enum cgs_status write_vtkhdf(const struct cgs_planes *planes, struct cgs_report *report,
                                    double *memory)
{
    struct cgs_context *context = planes->context;
    struct cgs_output output;
    struct cgs_vtkhdf vtkhdf;
    CGS_TRY(open_vtkhdf(context, report->options->output, &output));
    CGS_TRY(cgs_output_begin(context, &output));
    enum cgs_status status =
        cgs_vtkhdf_open(context, cgs_output_path(&output), report, planes->known, &vtkhdf);
    if (status == CGS_OK)
        status = walk(planes, &vtkhdf, &report->slice, memory);
    const int error = cgs_vtkhdf_close(&vtkhdf);
    if (status != CGS_OK)
        cgs_output_discard(&output);
    else if (error != 0)
        status = cgs_output_fail(context, &output, error);
    else
        status = cgs_output_commit(context, &output);
    struct stat there;
    report->has_vtkhdf = status == CGS_OK;
    if (report->has_vtkhdf && stat(report->options->output, &there) == 0)
        report->vtkhdf_bytes = there.st_size;
    return status;
}

static enum cgs_status take(const struct cgs_planes *planes, struct cgs_report *report,
                            double *memory)
{
    const struct cgs_options *o = report->options;
    if (o->slice.file)
        CGS_TRY(cgs_slice_open(planes->context, &o->slice, planes->mesh, &report->slice));
    return cgs_vtkhdf_named(o->output) ? write_vtkhdf(planes, report, memory)
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

enum cgs_status cgs_pictures_draw(struct cgs_context *context, struct cgs_report *report)
{
    const struct cgs_slice_figure figure = {report, &report->slice};
    const struct cgs_script drawing = {cgs_slice_script, &figure};
    if (!report->slice.pixels)
        return CGS_OK;
    CGS_TRY(cgs_script_draw(context, &drawing, report->options->slice.file));
    report->has_drawn = true;
    return CGS_OK;
}
