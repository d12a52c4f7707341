/* Lists of values of an option: 'cgsolve study --N=7,15,31'. Each value is read as `solve` does and
 * kept in its shortest spelling, so that two spellings of a number are one value. */
#include <stdlib.h>
#include <string.h>

#include "src/options/expect.h"
#include "src/options/options.h"

bool cgs_option_listable(enum cgs_option_id id)
{
    switch (cgs_option_table[id].kind) {
    case CGS_KIND_INT:
    case CGS_KIND_REAL:
    case CGS_KIND_CHOICE:
    case CGS_KIND_PROBLEM:
    case CGS_KIND_KAPPA:
        return true;
    case CGS_KIND_TEXT:
        return id == CGS_OPTION_kernel || id == CGS_OPTION_matrix;
    case CGS_KIND_SIZE:
    case CGS_KIND_RANDOM:
    case CGS_KIND_FAULT:
    case CGS_KIND_SLICE:
    case CGS_KIND_FLAG:
        return false;
    }
    return false;
}

/* Checks one value and replaces it by its shortest spelling; both are owned by the caller. */
static enum cgs_status read_value(struct cgs_context *context, enum cgs_option_id id, char **value)
{
    struct cgs_options scratch = {0};
    char text[64];
    CGS_TRY(cgs_options_take(context, &scratch, id, *value));
    if (cgs_option_table[id].kind == CGS_KIND_TEXT || cgs_option_table[id].kind == CGS_KIND_FLAG)
        return CGS_OK;
    cgs_option_value(&scratch, id, text, sizeof text);
    char *brief = strdup(text);
    if (!brief)
        return cgs_fail(context, CGS_MEMORY, "no memory for the values of --%s",
                        cgs_option_table[id].name);
    free(*value);
    *value = brief;
    return CGS_OK;
}

enum cgs_status cgs_list_read(struct cgs_context *context, enum cgs_option_id id, const char *text,
                              struct cgs_list *list)
{
    const char *const separator = cgs_option_listable(id) ? "," : "";
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    *list = (struct cgs_list){.values = calloc(most, sizeof *list->values)};
    for (const char *at = text; list->values; at++) {
        const size_t length = strcspn(at, separator);
        char **value = &list->values[list->count];
        *value = strndup(at, length);
        if (!*value)
            break;
        list->count++;
        CGS_TRY(read_value(context, id, value));
        for (int i = 0; i + 1 < list->count; i++)
            if (strcmp(list->values[i], *value) == 0)
                return cgs_fail(context, CGS_USAGE,
                                "--%s has the value %.256s twice: leave one of them out",
                                cgs_option_table[id].name, *value);
        at += length;
        if (*at == '\0')
            return CGS_OK;
    }
    return cgs_fail(context, CGS_MEMORY, "no memory for the values of --%s",
                    cgs_option_table[id].name);
}

void cgs_list_release(struct cgs_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->values[i]);
    free(list->values);
    *list = (struct cgs_list){0};
}

enum cgs_status cgs_options_take_list(struct cgs_context *context, struct cgs_options *options,
                                      enum cgs_option_id id, const char *text)
{
    struct cgs_list list;
    if (!cgs_option_listable(id))
        return cgs_options_take(context, options, id, text);
    enum cgs_status status = cgs_list_read(context, id, text, &list);
    const bool whole = cgs_option_table[id].kind == CGS_KIND_TEXT;
    if (status == CGS_OK)
        status = cgs_options_take(context, options, id, whole ? text : list.values[list.count - 1]);
    cgs_list_release(&list);
    return status;
}

enum cgs_status cgs_options_check_study(struct cgs_context *context, const struct cgs_options *o)
{
    struct cgs_expectation expectation;
    if (o->resume && !o->report)
        return cgs_fail(context, CGS_USAGE,
                        "--resume goes on with the study in a folder: name it by --report=DIR");
    if (o->draw && !o->report)
        return cgs_fail(context, CGS_USAGE,
                        "--draw draws the study in a folder: name it by --report=DIR");
    if (!cgs_expectation_read(o->expect_order, &expectation))
        return cgs_fail(context, CGS_USAGE,
                        "--expect-order=%s is not understood: expected " CGS_EXPECT_GRAMMAR,
                        o->expect_order);
    CGS_TRY(cgs_options_check_kept(context, o));
    return cgs_options_check_files(context, o);
}
