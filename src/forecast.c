#include "src/forecast.h"

#include "base/memory.h"
#include "fem/assembly.h"
#include "src/format.h"

/* What a run takes of its own: code pages when they are first executed, the C library's blocks, the
 * stack of a thread as far as it is used. Measured on x86-64, 1 to 64 threads, glibc 2.36. */
static const int64_t CODE_BYTES = 256 << 10, STACK_BYTES = 12 << 10;

struct cgs_forecast cgs_forecast_of(const struct cgs_options *options,
                                    const struct cgs_machine *machine)
{
    return (struct cgs_forecast){
        .backend = machine->backend,
        .kernel = machine->kernel,
        .precision = (enum cgs_precision)options->precision,
        .format = (enum cgs_format)options->format,
        .chunk = options->format == CGS_SELL ? (int32_t)options->chunk : 1,
        .n = options->n,
        .preconditioned = options->precond != CGS_PRECOND_NONE,
        .max_iterations = options->max_iterations,
        .threads = (int)options->threads,
    };
}

void cgs_forecast_matrix(const struct cgs_forecast *forecast, struct cgs_matrix *matrix)
{
    const int64_t n = forecast->n, rows = n * n * n, chunk = forecast->chunk;
    const struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    const int64_t nonzeros = cgs_mesh_nonzeros(&mesh);
    const int32_t side = n == 1 ? 1 : 2, most = n == 1 ? 1 : n == 2 ? 2 : 3;
    *matrix = (struct cgs_matrix){
        .format = forecast->format,
        .rows = rows,
        .columns = rows,
        .nonzeros = nonzeros,
        .stored = forecast->format == CGS_SELL ? cgs_box_stored(n, forecast->chunk) : nonzeros,
        .units = rows / chunk + (rows % chunk != 0),
        .chunk = forecast->chunk,
        .sigma = 1,
        .statistics = {.shortest = side * side * side,
                       .longest = most * most * most,
                       .mean = (double)nonzeros / (double)rows},
    };
}

/* Bytes of a vector in the layout that the kernel wants. */
static int64_t vector_bytes(const struct cgs_forecast *forecast, const struct cgs_matrix *matrix)
{
    struct cgs_layout domain = {.size = matrix->columns}, range = {.size = matrix->rows};
    if (forecast->kernel->layout)
        forecast->kernel->layout(matrix, &domain, &range);
    const int64_t numbers =
        domain.pitch == 0 ? domain.size : (domain.rows + 2 * domain.ghost) * domain.pitch;
    return cgs_bytes(numbers, cgs_number_bytes(cgs_precision_real(forecast->precision)));
}

void cgs_forecast_plan(const struct cgs_forecast *forecast, struct cgs_plan *plan)
{
    struct cgs_matrix matrix;
    *plan = (struct cgs_plan){0};
    cgs_forecast_matrix(forecast, &matrix);
    cgs_matrix_plan(plan, forecast->format, matrix.rows, forecast->chunk);
    forecast->kernel->plan(&matrix, plan);
    cgs_cg_plan(plan, forecast->backend->place, vector_bytes(forecast, &matrix),
                forecast->preconditioned, forecast->kernel->extra_vectors,
                forecast->max_iterations);
    forecast->backend->plan(plan);
    if (forecast->backend != cgs_backend(CGS_CPU)) /* the host has a queue of its own */
        cgs_backend(CGS_CPU)->plan(plan);
    cgs_plan_add(plan, CGS_HOST, "program code, stacks", 1,
                 CODE_BYTES + forecast->threads * STACK_BYTES);
    cgs_plan_add(plan, CGS_HOST, "load vector, then solution", matrix.rows, sizeof(double));
}

enum cgs_status cgs_room_measure(const struct cgs_options *options,
                                 const struct cgs_machine *machine, struct cgs_room *room)
{
    const int64_t free_now = cgs_memory_available();
    struct cgs_room found = {.bytes = {[CGS_HOST] = free_now - free_now / CGS_RESERVE}};
    int64_t peak;
    if (machine->backend->place == CGS_DEVICE_MEMORY)
        CGS_TRY(machine->backend->memory(machine->queue, &found.bytes[CGS_DEVICE_MEMORY], &peak));
    if (options->known[CGS_OPTION_memory_limit])
        for (int place = 0; place < CGS_PLACES; place++)
            if (options->memory_limit < found.bytes[place]) {
                found.bytes[place] = options->memory_limit;
                found.limited[place] = true;
            }
    *room = found;
    return CGS_OK;
}

/* The place where the plan does not fit; CGS_PLACES where it fits. */
static int too_small(const struct cgs_plan *plan, const struct cgs_room *room)
{
    for (int place = CGS_PLACES - 1; place >= 0; place--)
        if (plan->total[place] > room->bytes[place])
            return place;
    return CGS_PLACES;
}

static bool fits(const struct cgs_forecast *forecast, const struct cgs_room *room,
                 struct cgs_plan *plan)
{
    cgs_forecast_plan(forecast, plan);
    return too_small(plan, room) == CGS_PLACES;
}

static int32_t default_chunk(const struct cgs_forecast *forecast)
{
    if (forecast->format != CGS_SELL)
        return 1;
    return forecast->backend->chunk[cgs_precision_value(forecast->precision)];
}

/* The forecast with another format, and the kernel that goes with it. False: there is none. */
static bool change_format(struct cgs_forecast *forecast, enum cgs_format format)
{
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    for (int i = 0; i < count; i++) {
        const struct cgs_kernel *kernel = entries[i].tables[forecast->precision];
        if (cgs_backend(entries[i].device) == forecast->backend && entries[i].format == format &&
            kernel) {
            forecast->format = format;
            forecast->kernel = kernel;
            forecast->chunk = default_chunk(forecast);
            return true;
        }
    }
    return false;
}

/* The largest n below the forecast's that fits; 0 where none does. */
static int64_t largest_n(struct cgs_forecast forecast, bool default_iterations,
                         const struct cgs_room *room)
{
    int64_t fitting = 0, failing = forecast.n;
    struct cgs_plan plan;
    while (failing - fitting > 1) {
        forecast.n = fitting + (failing - fitting) / 2;
        if (default_iterations)
            forecast.max_iterations = 20 * forecast.n;
        if (fits(&forecast, room, &plan))
            fitting = forecast.n;
        else
            failing = forecast.n;
    }
    return fitting;
}

/* The most iterations below the forecast's whose history fits; 0 where they are not what is too
 * much. */
static int64_t most_iterations(struct cgs_forecast forecast, const struct cgs_room *room)
{
    int64_t fitting = 0, failing = forecast.max_iterations;
    struct cgs_plan plan;
    while (failing - fitting > 1) {
        forecast.max_iterations = fitting + (failing - fitting) / 2;
        if (fits(&forecast, room, &plan))
            fitting = forecast.max_iterations;
        else
            failing = forecast.max_iterations;
    }
    return fitting;
}

struct text {
    char characters[1024];
    size_t used;
};

static void append(struct text *text, const char *separator, const char *what, const char *more)
{
    const size_t left = sizeof text->characters - text->used;
    const int wrote = snprintf(text->characters + text->used, left, "%s%s%s",
                               text->used > 0 ? separator : "", what, more);
    text->used += wrote < 0 ? 0 : (size_t)wrote < left ? (size_t)wrote : left - 1;
}

/* What would fit: the same in single precision, in the other format, with fewer iterations kept,
 * with fewer unknowns. */
static void list_choices(const struct cgs_options *options, const struct cgs_machine *machine,
                         const struct cgs_room *room, int place, struct text *text)
{
    const struct cgs_forecast asked = cgs_forecast_of(options, machine);
    struct cgs_forecast other = asked;
    struct cgs_plan plan;
    cgs_text bytes;
    char more[128];

    other.precision = CGS_PRECISION_F32;
    other.kernel = machine->entry->tables[CGS_PRECISION_F32];
    if (!options->given[CGS_OPTION_chunk])
        other.chunk = default_chunk(&other);
    if (asked.precision != CGS_PRECISION_F32 && other.kernel && fits(&other, room, &plan)) {
        snprintf(more, sizeof more, " (%s)", cgs_bytes_text(plan.total[place], bytes));
        append(text, ", ", "--precision=single", more);
    }
    other = asked;
    if (change_format(&other, asked.format == CGS_CRS ? CGS_SELL : CGS_CRS) &&
        fits(&other, room, &plan)) {
        snprintf(more, sizeof more, "%s (%s)", cgs_format_name(other.format),
                 cgs_bytes_text(plan.total[place], bytes));
        append(text, ", ", "--format=", more);
    }
    const int64_t iterations = most_iterations(asked, room);
    if (iterations > 0 && options->given[CGS_OPTION_max_iterations]) {
        snprintf(more, sizeof more, "%lld", (long long)iterations);
        append(text, ", ", "--max-iterations=", more);
    }
    const int64_t n = largest_n(asked, !options->given[CGS_OPTION_max_iterations], room);
    if (n > 0) {
        snprintf(more, sizeof more, "%lld", (long long)n);
        append(text, ", ", "--N=", more);
    }
    if (text->used == 0)
        append(text, "", "nothing: not even --N=1", "");
}

/* The three largest lines: "matrix values 428 GB, matrix columns 214 GB, ..." */
static void list_largest(const struct cgs_plan *plan, int place, struct text *text)
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
        cgs_text bytes;
        char more[64];
        taken[most] = true;
        snprintf(more, sizeof more, " %s", cgs_bytes_text(plan->lines[most].bytes, bytes));
        append(text, ", ", plan->lines[most].what, more);
    }
}

enum cgs_status cgs_forecast_check(struct cgs_context *context, const struct cgs_options *options,
                                   const struct cgs_machine *machine, const struct cgs_plan *plan,
                                   const struct cgs_room *room)
{
    const int place = too_small(plan, room);
    struct text largest = {.used = 0}, choices = {.used = 0};
    cgs_text total, there;
    if (place == CGS_PLACES)
        return CGS_OK;
    list_largest(plan, place, &largest);
    list_choices(options, machine, room, place, &choices);
    return cgs_fail(context, CGS_MEMORY,
                    "N = %lld needs %s of %s memory (%s), but %s %s; what fits: %s",
                    (long long)options->n, cgs_bytes_text(plan->total[place], total),
                    place == CGS_HOST ? "host" : "device", largest.characters,
                    room->limited[place] ? "--memory-limit allows" : "what is free is",
                    cgs_bytes_text(room->bytes[place], there), choices.characters);
}
