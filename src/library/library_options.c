/* Options of libcgsolve: those of the program, by name, from the same table. They are kept as texts,
 * since a run writes its own decisions into struct cgs_options. */
#include <stdlib.h>
#include <string.h>

#include "kernels/user/foreign.h"
#include "src/library/library.h"

/* Returns true for options of the program alone: files, texts, faults on purpose. */
static bool of_program(enum cgs_option_id id)
{
    const struct cgs_option *option = &cgs_option_table[id];
    return option->group == CGS_GROUP_HELP ||
           (option->group == CGS_GROUP_OUTPUT && id != CGS_OPTION_profile) ||
           !(option->commands & CGS_FOR_SOLVE);
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
    if (!value)
        return CGS_OK;
    if (option->kind == CGS_KIND_FLAG && strcmp(value, "yes") != 0)
        return cgs_fail(context, CGS_USAGE,
                        "%s = '%s': expected yes, or NULL to take the option back", option->name,
                        value);
    if (id == CGS_OPTION_kernel && cgs_foreign_named(value))
        return cgs_fail(context, CGS_USAGE,
                        "kernel = '%s' is a file: kernels of your own run in the program, which "
                        "guards against them ('cgsolve --kernel=%s'); expected a name of 'cgsolve "
                        "list kernels'",
                        value, value);
    return cgs_options_take(context, &scratch, id, value);
}

enum cgs_status cgs_library_keep(struct cgsolve *s, enum cgs_option_id id, const char *value)
{
    char *copy = NULL;
    if (value && !(copy = strdup(value)))
        return cgs_fail(&s->call, CGS_MEMORY, "no memory for option '%s'",
                        cgs_option_table[id].name);
    cgs_library_close(s);
    s->rows = 0;
    free(s->values[id]);
    s->values[id] = copy;
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

/* "--tol=1e-8", for the report. */
static char *argument(enum cgs_option_id id, const char *value)
{
    const struct cgs_option *option = &cgs_option_table[id];
    const bool flag = option->kind == CGS_KIND_FLAG;
    const size_t size = strlen(option->name) + strlen(value) + sizeof "--=";
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "--%s%s%s", option->name, flag ? "" : "=", flag ? "" : value);
    return text;
}

enum cgs_status cgs_library_options(struct cgsolve *s)
{
    struct cgs_options *o = &s->options;
    CGS_TRY(cgs_options_start(&s->context, o));
    o->handed = &s->handed;
    if (!(s->arguments[0] = strdup("cgsolve")))
        return cgs_fail(&s->context, CGS_MEMORY, "no memory for the options");
    s->argument_count = 1;
    for (int i = 0; i < CGS_OPTIONS; i++) {
        if (!s->values[i])
            continue;
        char *text = strdup(s->values[i]), *shown = argument((enum cgs_option_id)i, s->values[i]);
        o->texts[i] = text;
        if (shown)
            s->arguments[s->argument_count++] = shown;
        if (!text || !shown)
            return cgs_fail(&s->context, CGS_MEMORY, "no memory for option '%s'",
                            cgs_option_table[i].name);
        o->given[i] = true;
        CGS_TRY(cgs_options_take(&s->context, o, (enum cgs_option_id)i, text));
    }
    return cgs_options_settle(&s->context, o);
}

void cgs_library_options_release(struct cgsolve *s)
{
    cgs_options_release(&s->options);
    s->options = (struct cgs_options){0};
    for (int i = 0; i < s->argument_count; i++)
        free(s->arguments[i]);
    s->argument_count = 0;
}
