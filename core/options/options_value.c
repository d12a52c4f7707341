/* Options of their texts: defaults, the value of each according to its kind, and what follows
 * from all; messages name the valid values. */
#include "core/options/options_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/spelling.h"
#include "core/options/meant.h"
#include "core/options/option_table.h"
#include "core/options/options_input.h"
#include "core/options/options_rules.h"
#include "core/options/solver_settings.h"
#include "core/options/user_problem.h"
#include "core/options/values.h"

/* Finds a choice by name; fails with "unknown precision 'half': single or double" and the nearest
 * one. */
static enum cgs_status find_choice(struct cgs_context *context, enum cgs_option_id id,
                                   const char *text, int *index)
{
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const char *names[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    for (int i = 0; i < count; i++) {
        if (strcmp(text, choices[i].name) == 0) {
            *index = i;
            return CGS_OK;
        }
        names[i] = choices[i].name;
    }
    const char *other = cgs_closest(cgs_option_table[id].name, text);
    if (other)
        return cgs_fail(context, CGS_USAGE, "\1%s=%s is not here; closest: %s",
                        cgs_option_table[id].name, text, other);
    char range[256], hint[64] = "";
    cgs_option_range(id, range, sizeof range);
    const int nearest = cgs_nearest(text, names, count);
    const char *ours = cgs_synonym(cgs_option_table[id].name, text);
    if (ours || (nearest >= 0 && count > 2))
        snprintf(hint, sizeof hint, "; did you mean '%s'?", ours ? ours : names[nearest]);
    return cgs_fail(context, CGS_USAGE, "unknown %s '%s': %s%s%s", cgs_option_table[id].name, text,
                    range, hint, id == CGS_OPTION_guess ? ", or a file such as x.npy" : "");
}

/* Writes the help of an option for messages, which name settings by '\1'. */
static const char *explain(const struct cgs_option *option, char text[1024])
{
    snprintf(text, 1024, "%s", option->help);
    for (char *at = text; (at = strstr(at, "--")) != NULL;) {
        *at++ = '\1';
        memmove(at, at + 1, strlen(at));
    }
    return text;
}

/* Fails for an invalid structured value; of several, the last one. */
static enum cgs_status refuse_phrase(struct cgs_context *context, enum cgs_option_id id,
                                     const char *text)
{
    char range[256];
    if (cgs_kind_repeats(cgs_option_table[id].kind))
        text = cgs_line_last(text);
    cgs_option_range(id, range, sizeof range);
    return cgs_fail(context, CGS_USAGE, "\1%s=%s is not understood: expected %s",
                    cgs_option_table[id].name, text, range);
}

/* Returns what keeps a text from being a number, where that is easily overlooked; else "". */
static const char *why_no_number(const char *text, enum cgs_option_kind kind)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at >= 0x80)
            return "; a character of it is not ASCII, though it may look so: type it again";
    if (kind == CGS_KIND_REAL && strpbrk(text, "0123456789") && strpbrk(text, "^dD*"))
        return "; powers of ten are written 1e-8";
    return "";
}

static enum cgs_status refuse_number(struct cgs_context *context, enum cgs_option_id id,
                                     const char *text, enum cgs_value_fault fault)
{
    const struct cgs_option *option = &cgs_option_table[id];
    char range[256], help[1024];
    cgs_option_range(id, range, sizeof range);
    const char *what = text[0] == '\0'                   ? "empty"
                       : fault == CGS_VALUE_OUT_OF_RANGE ? "out of range"
                       : fault == CGS_VALUE_NOT_WHOLE    ? "not a whole number"
                                                         : "not a number";
    cgs_fail(context, CGS_USAGE, "\1%s=%s is %s: expected %s (%s)", option->name, text, what, range,
             explain(option, help));
    if (fault == CGS_VALUE_NOT_A_NUMBER)
        cgs_fail_add(context, "%s", why_no_number(text, option->kind));
    return context->status;
}

enum cgs_status cgs_options_take(struct cgs_context *context, struct cgs_options *options,
                                 enum cgs_option_id id, const char *text)
{
    const struct cgs_option *option = &cgs_option_table[id];
    void *field = (char *)options + option->offset;
    enum cgs_value_fault fault = CGS_VALUE_FINE;
    int index = 0;
    switch (option->kind) {
    case CGS_KIND_INT:
        fault = cgs_value_whole(text, option->least, option->most, field);
        break;
    case CGS_KIND_REAL:
        fault = cgs_value_real(text, option->least, option->most, field);
        break;
    case CGS_KIND_SIZE:
        fault = cgs_value_size(text, option->least, option->most, field);
        break;
    case CGS_KIND_TEXT:
    case CGS_KIND_TEXTS:
        if (*text == '\0')
            return cgs_fail(context, CGS_USAGE, "\1%s is empty: expected %s (%s)", option->name,
                            option->argument, explain(option, (char[1024]){0}));
        *(const char **)field = text;
        break;
    case CGS_KIND_FLAG:
        *(bool *)field = true;
        break;
    case CGS_KIND_CHOICE: {
        struct cgs_choice choices[CGS_CHOICES_MOST];
        if (id == CGS_OPTION_guess) {
            options->settings.guess_file = cgs_guess_names_file(text) ? text : NULL;
            if (options->settings.guess_file) {
                options->settings.guess = CGS_GUESS_FILE;
                break;
            }
        }
        CGS_TRY(find_choice(context, id, text, &index));
        cgs_option_choices(id, choices);
        *(int *)field = choices[index].value;
        break;
    }
    case CGS_KIND_PROBLEM: {
        int count;
        CGS_TRY(find_choice(context, id, text, &index));
        *(const struct cgs_problem **)field = &cgs_problems(&count)[index];
        break;
    }
    default: /* phrases */
        if (!cgs_phrases[option->kind].read(text, field))
            return refuse_phrase(context, id, text);
        break;
    }
    if (fault != CGS_VALUE_FINE)
        return refuse_number(context, id, text, fault);
    options->settings.known[id] = true;
    return CGS_OK;
}

enum cgs_status cgs_options_find(struct cgs_context *context, const char *name,
                                 enum cgs_option_id *id)
{
    char dashed[64]; /* max_iterations is max-iterations, too */
    snprintf(dashed, sizeof dashed, "%s", name);
    for (char *at = dashed; (at = strchr(at, '_')) != NULL;)
        *at = '-';
    const int found = strlen(name) < sizeof dashed ? cgs_option_find(dashed, strlen(dashed)) : -1;
    if (found >= 0) {
        *id = (enum cgs_option_id)found;
        return CGS_OK;
    }
    const char *meant = cgs_option_nearest(dashed);
    return cgs_fail(context, CGS_USAGE, "unknown option '%s'%s%s%s", name,
                    meant ? "; did you mean '\1" : "", meant ? meant : "", meant ? "'?" : "");
}

enum cgs_status cgs_options_start(struct cgs_context *context, struct cgs_options *options)
{
    *options = (struct cgs_options){0};
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (cgs_option_table[i].initial[0] != '\0')
            CGS_TRY(cgs_options_take(context, options, (enum cgs_option_id)i,
                                     cgs_option_table[i].initial));
    return CGS_OK;
}

enum cgs_status cgs_options_settle(struct cgs_context *context, struct cgs_options *options)
{
    if (options->settings.precond == CGS_PRECOND_AUTO && !cgs_settings_box(&options->settings))
        cgs_settings_take_precond(&options->settings, CGS_PRECOND_AMG,
                                  "the matrix is not the box's");
    CGS_TRY(cgs_options_check_rules(context, options));
    CGS_TRY(cgs_ask_user_problem(context, &options->settings));
    CGS_TRY(cgs_options_check_files(context, options));
    if (options->settings.given[CGS_OPTION_gpus])
        CGS_DECIDE(&options->settings, backend, CGS_BACKEND_CUDA);
    cgs_options_settle_input(options);
    cgs_settings_settle_solver(&options->settings);
    if (!options->settings.known[CGS_OPTION_repeat]) {
        options->repeat = options->settings.command == CGS_COMMAND_SPGEMM ? 10 : 200;
        options->settings.known[CGS_OPTION_repeat] = true;
    }
    return CGS_OK;
}

void cgs_options_release(struct cgs_options *options)
{
    for (int i = 0; i < CGS_OPTIONS; i++)
        free(options->texts[i]);
    free(options->words);
    cgs_forget_user_problem(&options->settings);
}
