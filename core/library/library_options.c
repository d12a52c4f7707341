/* Options of libcgsolve: those of the program, by name, from the same table. They are kept as
 * texts, since a run writes its own decisions into struct cgs_options. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/library/handle.h"
#include "core/library/library_call.h"
#include "core/library/library_options.h"
#include "core/options/options_value.h"
#include "core/options/values.h"

/* Returns true for options of the program alone: files, texts, faults on purpose. */
static bool of_program(enum cgs_option_id id)
{
    const struct cgs_option *option = &cgs_option_table[id];
    return option->group == CGS_GROUP_HELP ||
           (option->group == CGS_GROUP_OUTPUT && id != CGS_OPTION_profile &&
            id != CGS_OPTION_probe && id != CGS_OPTION_line) ||
           !(option->commands & 1 << CGS_COMMAND_SOLVE);
}

static enum cgs_status check(struct cgs_context *context, enum cgs_option_id id, const char *value)
{
    struct cgs_options scratch = {0};
    const struct cgs_option *option = &cgs_option_table[id];
    if (of_program(id))
        return cgs_fail(context, CGS_USAGE,
                        "option '%s' belongs to the program: the library solves, prints nothing, "
                        "and writes no files%s",
                        option->name,
                        id == CGS_OPTION_json ? "; cgsolve_report_json gives the report" : "");
    if (id == CGS_OPTION_matrix)
        return cgs_fail(context, CGS_USAGE,
                        "option 'matrix' belongs to the program: cgsolve_matrix_file names a file");
    if (id == CGS_OPTION_gpus)
        return cgs_fail(context, CGS_USAGE,
                        "option 'gpus' belongs to the program, which starts a process for each: "
                        "the library takes one, by 'device'");
    if (!value)
        return CGS_OK;
    if (option->kind == CGS_KIND_FLAG && strcmp(value, "yes") != 0)
        return cgs_fail(context, CGS_USAGE,
                        "%s = '%s': expected yes, or NULL to take the option back", option->name,
                        value);
    if (id == CGS_OPTION_kernel && cgs_plugin_named(value))
        return cgs_fail(context, CGS_USAGE,
                        "kernel = '%s' is a file: kernels of your own run in the program, which "
                        "guards against them ('cgsolve --kernel=%s'); expected a name of 'cgsolve "
                        "list kernels'",
                        value, value);
    CGS_TRY(cgs_options_take(context, &scratch, id, value));
    if (id == CGS_OPTION_line && scratch.settings.line.file)
        return cgs_fail(
            context, CGS_USAGE,
            "line = '%s' names a file, and the library writes none: leave out ',%s'; the "
            "report has the points",
            value, scratch.settings.line.file);
    return CGS_OK;
}

static enum cgs_status set(struct cgsolve *s, const char *name, const char *value)
{
    enum cgs_option_id id;
    if (!name)
        return cgs_fail(&s->call, CGS_USAGE, "the name of an option is NULL");
    CGS_TRY(cgs_options_find(&s->call, name, &id));
    CGS_TRY(check(&s->call, id, value));
    return cgs_library_keep(s, id, value);
}

enum cgsolve_status cgsolve_set(struct cgsolve *s, const char *name, const char *value)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_set"))
        return CGSOLVE_USAGE;
    set(s, name, value);
    return cgs_library_end(&call);
}

enum cgsolve_status cgsolve_set_real(struct cgsolve *s, const char *name, double value)
{
    struct cgs_library_call call;
    char text[32];
    if (!cgs_library_begin(&call, s, "cgsolve_set_real"))
        return CGSOLVE_USAGE;
    snprintf(text, sizeof text, "%.17g", value);
    set(s, name, text);
    return cgs_library_end(&call);
}

static bool is_flag(const char *name)
{
    struct cgs_context quiet;
    enum cgs_option_id id;
    cgs_context_init(&quiet);
    return name && cgs_options_find(&quiet, name, &id) == CGS_OK &&
           cgs_option_table[id].kind == CGS_KIND_FLAG;
}

enum cgsolve_status cgsolve_set_integer(struct cgsolve *s, const char *name, int64_t value)
{
    struct cgs_library_call call;
    char text[32];
    if (!cgs_library_begin(&call, s, "cgsolve_set_integer"))
        return CGSOLVE_USAGE;
    snprintf(text, sizeof text, "%" PRId64, value);
    if (is_flag(name) && (value == 0 || value == 1))
        set(s, name, value ? "yes" : NULL);
    else
        set(s, name, text);
    return cgs_library_end(&call);
}

/* "--tol=1e-8", for the report: of a value of that length. */
static char *argument(enum cgs_option_id id, const char *value, int length)
{
    const struct cgs_option *option = &cgs_option_table[id];
    const bool flag = option->kind == CGS_KIND_FLAG;
    const size_t size = strlen(option->name) + (size_t)length + sizeof "--=";
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "--%s%s%.*s", option->name, flag ? "" : "=", flag ? 0 : length, value);
    return text;
}

static void forget_arguments(struct cgsolve *s)
{
    for (int i = 0; i < s->argument_count; i++)
        free(s->arguments[i]);
    free(s->arguments);
    s->arguments = NULL;
    s->argument_count = 0;
}

/* Appends an argument, whose ownership it takes; NULL: there was no memory for it. */
static enum cgs_status append(struct cgsolve *s, char *text)
{
    char **longer =
        text ? realloc(s->arguments, ((size_t)s->argument_count + 1) * sizeof *longer) : NULL;
    if (!longer) {
        free(text);
        return cgs_fail(&s->context, CGS_MEMORY, "no memory for the options");
    }
    s->arguments = longer;
    s->arguments[s->argument_count++] = text;
    return CGS_OK;
}

/* Appends an option: an argument for each line of one that may be given several times. */
static enum cgs_status append_option(struct cgsolve *s, enum cgs_option_id id)
{
    const bool several = cgs_kind_repeats(cgs_option_table[id].kind);
    for (const char *value = s->values[id]; value; value = several ? cgs_line_after(value) : NULL)
        CGS_TRY(
            append(s, argument(id, value, several ? cgs_line_length(value) : (int)strlen(value))));
    return CGS_OK;
}

/* Takes an option as it was set into those of the run. */
static enum cgs_status take(struct cgsolve *s, enum cgs_option_id id)
{
    struct cgs_options *o = &s->options;
    char *text = strdup(s->values[id]), *before = o->texts[id];
    if (!text)
        return cgs_fail(&s->context, CGS_MEMORY, "no memory for option '%s'",
                        cgs_option_table[id].name);
    o->texts[id] = text;
    o->settings.given[id] = true;
    const enum cgs_status status = cgs_options_take(&s->context, o, id, text);
    free(before);
    return status;
}

/* The arguments of a command line that says what was set, for the report. */
static enum cgs_status write_arguments(struct cgsolve *s)
{
    forget_arguments(s);
    CGS_TRY(append(s, strdup("cgsolve")));
    for (int i = 0; i < CGS_OPTIONS; i++)
        CGS_TRY(append_option(s, (enum cgs_option_id)i));
    return CGS_OK;
}

enum cgs_status cgs_library_options(struct cgsolve *s)
{
    struct cgs_options *o = &s->options;
    CGS_TRY(cgs_options_start(&s->context, o));
    o->settings.from_caller =
        s->caller.crs || s->caller.there || s->caller.part || s->caller.product;
    CGS_TRY(write_arguments(s));
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (s->values[i])
            CGS_TRY(take(s, (enum cgs_option_id)i));
    if (s->on_device && !o->settings.given[CGS_OPTION_backend])
        o->settings.backend = CGS_BACKEND_CUDA;
    return cgs_options_settle(&s->context, o);
}

enum cgs_status cgs_library_options_renew(struct cgsolve *s)
{
    CGS_TRY(write_arguments(s));
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (s->values[i] && cgs_library_of_cg((enum cgs_option_id)i))
            CGS_TRY(take(s, (enum cgs_option_id)i));
    return CGS_OK;
}

void cgs_library_options_release(struct cgsolve *s)
{
    cgs_options_release(&s->options);
    s->options = (struct cgs_options){0};
    forget_arguments(s);
}
