#include "core/plan/fitting.h"

#include "base/plain.h"
#include "core/io/format.h"
#include "core/options/solver_settings.h"
#include "core/setup/asked.h"
#include "matrix/layout.h"
#include "matrix/names.h"

enum { NAMED = 3 }; /* variants named in the error message */

/* Returns the place where the plan does not fit; CGS_PLACES if it fits. */
static int too_small(const struct cgs_plan *plan, const struct cgs_room *room)
{
    for (int place = CGS_PLACES - 1; place >= 0; place--)
        if (plan->total[place] > room->bytes[place])
            return place;
    return CGS_PLACES;
}

bool cgs_plan_fits(const struct cgs_plan *plan, const struct cgs_room *room)
{
    return too_small(plan, room) == CGS_PLACES;
}

/* Returns true, and the bytes by place, if the kernels accept the matrix and the plan fits. */
static bool fits(const struct cgs_spec *forecast, const struct cgs_room *room, int64_t *bytes)
{
    struct cgs_plan plan;
    const bool small = forecast->laid || cgs_mesh_indexed(&forecast->mesh);
    if ((!small && (forecast->format != CGS_NONE || forecast->coarse)) ||
        !cgs_plan_accepted(forecast))
        return false;
    cgs_plan_run(forecast, &plan);
    if (!cgs_plan_fits(&plan, room))
        return false;
    for (int place = 0; place < CGS_PLACES; place++)
        bytes[place] = plan.total[place];
    return true;
}

static int32_t default_chunk(const struct cgs_spec *forecast)
{
    if (!cgs_format_chunked(forecast->format))
        return 1;
    return forecast->backend->chunk[cgs_precision_value(forecast->precision)];
}

/* Changes the format and the kernels with it; returns false if there is no kernel. */
static bool change_format(struct cgs_spec *forecast, enum cgs_format format)
{
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    const enum cgs_precision cycle =
        forecast->cycle_number == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    if (format == CGS_NONE && cgs_precond_is(forecast->precond, CGS_PRECOND_AGGREGATES))
        return false;
    for (int i = 0; i < count; i++) {
        const struct cgs_kernel *kernel = entries[i].tables[forecast->precision];
        if (cgs_backend(entries[i].device) == forecast->backend && entries[i].format == format &&
            kernel && (!forecast->cycle || entries[i].tables[cycle])) {
            forecast->format = format;
            forecast->kernel = kernel;
            if (forecast->outer)
                forecast->outer = entries[i].tables[CGS_PRECISION_F64];
            forecast->chunk = default_chunk(forecast);
            if (forecast->cycle) /* formats are proposed where the kernel was not asked for */
                forecast->cycle = cgs_cycle_kernel(forecast, &entries[i], true);
            forecast->sigma = 1;
            forecast->low = cgs_spec_low(forecast);
            if (format != CGS_NONE || cgs_plan_accepted(forecast))
                return true;
        }
    }
    return false;
}

/* Sets cells[k] to `most` in the direction of the mesh that has most cells, and in proportion in
 * the others. */
static void in_proportion(const struct cgs_mesh *of, int64_t most, int64_t cells[3])
{
    int64_t longest = 0;
    for (int k = 0; k < 3; k++)
        longest = cgs_mesh_cells(of, k) > longest ? cgs_mesh_cells(of, k) : longest;
    for (int k = 0; k < 3; k++) {
        const int64_t least = cgs_periodic(of->open[k]) ? CGS_PERIODIC_LEAST
                              : of->order > 1           ? 1
                                                        : 2;
        cells[k] = (cgs_mesh_cells(of, k) * most + longest / 2) / longest;
        cells[k] = cells[k] < least ? least : cells[k];
    }
}

int64_t cgs_fitting_largest(struct cgs_spec forecast, bool bounded, const struct cgs_room *room,
                            int64_t bytes[CGS_PLACES])
{
    const struct cgs_mesh asked = forecast.mesh;
    const int64_t most = (int64_t)cgs_option_table[CGS_OPTION_n].most + 1, p = asked.order;
    int64_t fitting = 0, failing = most / p + 1; /* cells: N + 1 = p times as many */
    while (failing - fitting > 1) {
        const int64_t middle = fitting + (failing - fitting) / 2;
        int64_t cells[3], unknowns[3];
        in_proportion(&asked, middle, cells);
        for (int k = 0; k < 3; k++)
            unknowns[k] = p * cells[k] + asked.n[k] - cgs_mesh_cells(&asked, k);
        cgs_mesh_resize(&forecast.mesh, unknowns);
        if (!bounded)
            forecast.max_iterations = cgs_default_iterations(&forecast.mesh);
        if (fits(&forecast, room, bytes))
            fitting = middle;
        else
            failing = middle;
    }
    return fitting > 0 ? p * fitting - 1 : 0;
}

/* Returns true, and the bytes, if a file's matrix fits in the layout of the forecast. Allocates its
 * row pointers meanwhile. */
static bool file_fits(struct cgs_spec forecast, const struct cgs_room *room, int64_t *bytes)
{
    struct cgs_context quiet;
    struct cgs_matrix laid = {.rows = 0};
    if (!forecast.laid->source->lengths && forecast.format != forecast.laid->format)
        return false; /* a function of the caller: there are no rows to lay out */
    cgs_context_init(&quiet);
    quiet.threads = forecast.threads;
    if (cgs_matrix_create(&quiet, forecast.laid->source, forecast.format, forecast.chunk,
                          forecast.sigma, &laid) != CGS_OK)
        return false;
    forecast.laid = &laid;
    const bool fitting = fits(&forecast, room, bytes);
    cgs_matrix_release(&quiet, &laid);
    return fitting;
}

static struct cgs_variant variant_of(const struct cgs_settings *settings, const char *text,
                                     const struct cgs_spec *forecast, const struct cgs_room *room)
{
    struct cgs_variant variant = {.fits = false};
    snprintf(variant.options, sizeof variant.options, "%s", text);
    cgs_name_settings(variant.options, sizeof variant.options);
    if (forecast->laid) {
        variant.fits = file_fits(*forecast, room, variant.bytes);
        return variant;
    }
    variant.largest = cgs_fitting_largest(*forecast, settings->given[CGS_OPTION_max_iterations],
                                          room, variant.bytes);
    variant.fits = fits(forecast, room, variant.bytes);
    in_proportion(&forecast->mesh, (variant.largest + 1) / forecast->mesh.order, variant.cells);
    variant.by_cells = settings->given[CGS_OPTION_cells];
    return variant;
}

int cgs_variants(const struct cgs_settings *settings, const struct cgs_machine *machine,
                 const struct cgs_matrix *laid, const struct cgs_room *room,
                 struct cgs_variant variants[CGS_VARIANTS])
{
    static const enum cgs_format formats[] = {CGS_NONE, CGS_SELLC, CGS_SELL, CGS_CRS};
    const struct cgs_spec asked = cgs_spec_asked(settings, machine, laid);
    const bool bound = settings->given[CGS_OPTION_chunk] || settings->given[CGS_OPTION_sigma] ||
                       settings->given[CGS_OPTION_kernel];
    int count = 0;
    variants[count++] = variant_of(settings, "", &asked, room);

    struct cgs_spec other = asked;
    other.precision = CGS_PRECISION_F32;
    other.kernel = machine->entry->tables[CGS_PRECISION_F32];
    other.outer = NULL;
    if (asked.grids) {
        other.cycle = other.kernel;
        other.cycle_number = CGS_F32;
    }
    if (!settings->given[CGS_OPTION_chunk])
        other.chunk = default_chunk(&other);
    if (asked.precision != CGS_PRECISION_F32 && other.kernel)
        variants[count++] = variant_of(settings, "\1precision=single", &other, room);

    for (size_t i = 0; i < sizeof formats / sizeof *formats && !bound; i++) {
        char text[sizeof variants->options];
        other = asked;
        if (formats[i] == asked.format || (laid && formats[i] == CGS_NONE) ||
            !change_format(&other, formats[i]))
            continue;
        snprintf(text, sizeof text, "\1format=%s", cgs_format_name(formats[i]));
        variants[count++] = variant_of(settings, text, &other, room);
    }
    if (laid && laid->stored > laid->nonzeros && !settings->given[CGS_OPTION_sigma] &&
        laid->rows <= INT32_MAX) {
        char text[sizeof variants->options];
        other = asked;
        other.sigma = (int32_t)laid->rows;
        snprintf(text, sizeof text, "\1sigma=%lld", (long long)laid->rows);
        variants[count++] = variant_of(settings, text, &other, room);
    }
    return count;
}

/* ---- the error message ---- */

typedef char list_text[1024];

static void append(list_text text, const char *what, int64_t bytes)
{
    cgs_text amount;
    cgs_append(text, sizeof(list_text), "%s%s (%s)", text[0] ? ", " : "", what,
               cgs_bytes_text(bytes, amount));
}

/* Writes the name of the problem: the file or N. */
static void name_run(const struct cgs_settings *settings, const struct cgs_matrix *laid, char *text,
                     size_t size)
{
    cgs_text rows, entries;
    if (laid)
        snprintf(text, size, "%s%s%s (%s rows, %s entries)", settings->matrix ? "'" : "",
                 settings->matrix ? settings->matrix : "the matrix", settings->matrix ? "'" : "",
                 cgs_short_count_text(laid->rows, rows),
                 cgs_short_count_text(laid->nonzeros, entries));
    else
        cgs_settings_name_box(settings, text, size);
}

/* Returns the largest max_iterations below the forecast's whose history fits; 0 if none does. */
static int64_t most_iterations(struct cgs_spec forecast, const struct cgs_room *room,
                               int64_t *bytes)
{
    int64_t fitting = 0, failing = forecast.max_iterations;
    while (failing - fitting > 1) {
        forecast.max_iterations = fitting + (failing - fitting) / 2;
        if (fits(&forecast, room, bytes))
            fitting = forecast.max_iterations;
        else
            failing = forecast.max_iterations;
    }
    return fitting;
}

/* Returns true if a is nearer to the run asked for than b: the same N is nearest, then the larger
 * N. Equal ones keep the order of cgs_variants. */
static bool nearer(const struct cgs_variant *a, const struct cgs_variant *b)
{
    return a->fits != b->fits ? a->fits : !a->fits && a->largest > b->largest;
}

/* Appends a variant, unless it does not fit for any N. */
static void append_variant(list_text text, const struct cgs_variant *variant, int place)
{
    char what[96];
    if (variant->fits)
        append(text, variant->options, variant->bytes[place]);
    else if (variant->largest > 0) {
        const long long n = variant->largest;
        snprintf(what, sizeof what, "%s%s", variant->options, variant->options[0] ? " " : "");
        if (variant->by_cells)
            cgs_append(what, sizeof what, "\1cells=%lldx%lldx%lld", (long long)variant->cells[0],
                       (long long)variant->cells[1], (long long)variant->cells[2]);
        else
            cgs_append(what, sizeof what, "\1N=%lld", n);
        append(text, what, variant->bytes[place]);
    }
}

static void list_choices(const struct cgs_settings *settings, const struct cgs_machine *machine,
                         const struct cgs_matrix *laid, const struct cgs_variant *variants,
                         int count, const struct cgs_room *room, int place, list_text text)
{
    bool taken[CGS_VARIANTS] = {false};
    int64_t bytes[CGS_PLACES];
    char what[96];
    int named = 0;
    if (settings->given[CGS_OPTION_max_iterations]) {
        const struct cgs_spec asked = cgs_spec_asked(settings, machine, laid);
        const int64_t most = most_iterations(asked, room, bytes);
        snprintf(what, sizeof what, "\1max-iterations=%lld", (long long)most);
        if (most > 0 && ++named)
            append(text, what, bytes[place]);
    }
    for (; named < NAMED; named++) {
        int nearest = -1;
        for (int i = 0; i < count; i++)
            if (!taken[i] && (nearest < 0 || nearer(&variants[i], &variants[nearest])))
                nearest = i;
        if (nearest < 0)
            break;
        taken[nearest] = true;
        append_variant(text, &variants[nearest], place);
    }
    if (!text[0])
        snprintf(text, sizeof(list_text), "%s",
                 laid ? "nothing that this program knows" : "nothing: not even \1N=1");
}

/* Writes the three largest lines of the plan: "matrix values (428 GB), matrix columns (214 GB),
 * ..." */
static void list_largest(const struct cgs_plan *plan, int place, list_text text)
{
    bool taken[CGS_PLAN_LINES] = {false};
    for (int k = 0; k < 3; k++) {
        int most = -1;
        for (int i = 0; i < plan->count; i++)
            if ((int)plan->lines[i].place == place && !taken[i] &&
                (most < 0 || plan->lines[i].bytes > plan->lines[most].bytes))
                most = i;
        if (most < 0)
            return;
        taken[most] = true;
        append(text, plan->lines[most].what, plan->lines[most].bytes);
    }
}

enum cgs_status cgs_fitting_check(struct cgs_context *context, const struct cgs_settings *settings,
                                  const struct cgs_machine *machine, const struct cgs_matrix *laid,
                                  const struct cgs_variant *variants, int count,
                                  const struct cgs_plan *plan, const struct cgs_room *room)
{
    const int place = too_small(plan, room);
    list_text largest = "", choices = "";
    char what[512];
    cgs_text total, there;
    if (place == CGS_PLACES)
        return CGS_OK;
    name_run(settings, laid, what, sizeof what);
    list_largest(plan, place, largest);
    list_choices(settings, machine, laid, variants, count, room, place, choices);
    return cgs_fail(context, CGS_MEMORY, "%s needs %s of %s memory: %s; but %s %s; what fits: %s",
                    what, cgs_bytes_text(plan->total[place], total), cgs_place_name(place), largest,
                    room->limited[place] ? "\1memory-limit allows" : "what is free is",
                    cgs_bytes_text(room->bytes[place], there), choices);
}
