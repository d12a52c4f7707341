/* Reads the value of an option according to its kind; messages name the valid values. */
#include <string.h>
#include <strings.h>

#include "base/spelling.h"
#include "src/options/options.h"
#include "src/options/values.h"

const char *cgs_synonym(const char *option, const char *word)
{
    static const struct {
        const char *option, *word, *ours;
    } synonyms[] = {
#define CGS_SYNONYM(option, word, ours) {option, word, ours},
#include "src/options/synonyms.def"
#undef CGS_SYNONYM
    };
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(option, synonyms[i].option) == 0 && strcasecmp(word, synonyms[i].word) == 0)
            return synonyms[i].ours;
    return NULL;
}

/* Returns what comes closest to a value of other programs that is not here; NULL: no such value. */
static const char *closest(const char *option, const char *word)
{
    static const struct {
        const char *option, *word, *closest;
    } absent[] = {
#define CGS_ABSENT(option, word, closest) {option, word, closest},
#include "src/options/absent.def"
#undef CGS_ABSENT
    };
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        if (strcmp(option, absent[i].option) == 0 && strcasecmp(word, absent[i].word) == 0)
            return absent[i].closest;
    return NULL;
}

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
    const char *other = closest(cgs_option_table[id].name, text);
    if (other)
        return cgs_fail(context, CGS_USAGE, "--%s=%s is not here; closest: %s",
                        cgs_option_table[id].name, text, other);
    char range[256], hint[64] = "";
    cgs_option_range(id, range, sizeof range);
    const int nearest = cgs_nearest(text, names, count);
    const char *ours = cgs_synonym(cgs_option_table[id].name, text);
    if (ours || (nearest >= 0 && count > 2))
        snprintf(hint, sizeof hint, "; did you mean '%s'?", ours ? ours : names[nearest]);
    return cgs_fail(context, CGS_USAGE, "unknown %s '%s': %s%s", cgs_option_table[id].name, text,
                    range, hint);
}

/* Fails for an invalid structured value. */
static enum cgs_status refuse_phrase(struct cgs_context *context, enum cgs_option_id id,
                                     const char *text)
{
    char range[256];
    cgs_option_range(id, range, sizeof range);
    return cgs_fail(context, CGS_USAGE, "--%s=%s is not understood: expected %s",
                    cgs_option_table[id].name, text, range);
}

static enum cgs_status refuse_number(struct cgs_context *context, enum cgs_option_id id,
                                     const char *text, enum cgs_value_fault fault)
{
    const struct cgs_option *option = &cgs_option_table[id];
    char range[256];
    cgs_option_range(id, range, sizeof range);
    const char *what = fault == CGS_VALUE_OUT_OF_RANGE ? "out of range"
                       : fault == CGS_VALUE_NOT_WHOLE  ? "not a whole number"
                                                       : "not a number";
    return cgs_fail(context, CGS_USAGE, "--%s=%s is %s: expected %s (%s)", option->name, text, what,
                    range, option->help);
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
        if (*text == '\0')
            return cgs_fail(context, CGS_USAGE, "--%s is empty: expected %s (%s)", option->name,
                            option->argument, option->help);
        *(const char **)field = text;
        break;
    case CGS_KIND_FLAG:
        *(bool *)field = true;
        break;
    case CGS_KIND_KAPPA:
        if (!cgs_kappa_read(text, field))
            return refuse_phrase(context, id, text);
        break;
    case CGS_KIND_RANDOM:
        if (!cgs_random_read(text, field))
            return refuse_phrase(context, id, text);
        break;
    case CGS_KIND_FAULT:
        if (!cgs_fault_read(text, field))
            return refuse_phrase(context, id, text);
        break;
    case CGS_KIND_SLICE:
        if (!cgs_slice_read(text, field))
            return refuse_phrase(context, id, text);
        break;
    case CGS_KIND_CHOICE: {
        struct cgs_choice choices[CGS_CHOICES_MOST];
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
    }
    if (fault != CGS_VALUE_FINE)
        return refuse_number(context, id, text, fault);
    options->known[id] = true;
    return CGS_OK;
}

const char *cgs_option_default(const struct cgs_option *option)
{
    return option->shown[0] ? option->shown : option->initial;
}
