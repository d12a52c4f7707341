/* The tables of options, commands and choices, and what is read from them alone. */
#include "core/options/option_table.h"

#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "base/spelling.h"
#include "core/io/threads.h"
#include "core/options/options.h"
#include "core/options/values.h"

/* Bits of commands, and sets of them, for the table. */
enum {
#define CGS_COMMAND(code, ...) code = 1 << CGS_COMMAND_##code,
#include "core/options/commands.def"
#undef CGS_COMMAND
    SWEEP = SOLVE | STUDY,
    LAB = SPMV | SPGEMM,
    RUN = SWEEP | LAB,
    ALL = (1 << CGS_COMMANDS) - 1
};

const struct cgs_option cgs_option_table[CGS_OPTIONS] = {
#define CGS_OPTION(group, commands, name, kind, field, ...)                                        \
    ROW(group, commands, name, kind, settings.field, __VA_ARGS__)
#define CGS_PROGRAM_OPTION ROW
#define ROW(group_, commands_, name_, kind_, field, ...)                                           \
    {.group = CGS_GROUP_##group_,                                                                  \
     .commands = commands_,                                                                        \
     .name = name_,                                                                                \
     .kind = CGS_KIND_##kind_,                                                                     \
     .offset = offsetof(struct cgs_options, field),                                                \
     __VA_ARGS__},
#include "core/options/options.def"
#undef CGS_OPTION
#undef CGS_PROGRAM_OPTION
#undef ROW
};

const struct cgs_command_row cgs_command_table[CGS_COMMANDS] = {
#define CGS_COMMAND(code, name, function, words, help, about) {name, words, help, about},
#include "core/options/commands.def"
#undef CGS_COMMAND
};

static const struct cgs_choice choice_table[] = {
#define CGS_CHOICE(field, name, value, description) {CGS_OPTION_##field, name, value, description},
#include "core/options/choices.def"
#undef CGS_CHOICE
};

const char *cgs_command_name(enum cgs_command command)
{
    return cgs_command_table[command].name;
}

int cgs_option_find(const char *name, size_t length)
{
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (strlen(cgs_option_table[i].name) == length &&
            strncmp(name, cgs_option_table[i].name, length) == 0)
            return i;
    return -1;
}

const char *cgs_option_nearest(const char *word)
{
    const char *names[CGS_OPTIONS];
    for (int i = 0; i < CGS_OPTIONS; i++)
        names[i] = cgs_option_table[i].name;
    const int nearest = cgs_nearest(word, names, CGS_OPTIONS);
    return nearest < 0 ? NULL : names[nearest];
}

int cgs_option_named(const char *word, const char **value)
{
    *value = NULL;
    if (word[1] == '-') {
        const size_t length = strcspn(word + 2, "=");
        if (word[2 + length] == '=')
            *value = word + 2 + length + 1;
        return cgs_option_find(word + 2, length);
    }
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const struct cgs_option *option = &cgs_option_table[i];
        if (option->letter != word[1] || (option->kind == CGS_KIND_FLAG && word[2] != '\0'))
            continue;
        if (word[2] != '\0')
            *value = word + 2 + (word[2] == '=');
        return i;
    }
    return -1;
}

int cgs_option_choices(enum cgs_option_id option, struct cgs_choice choices[CGS_CHOICES_MOST])
{
    int count = 0;
    if (cgs_option_table[option].kind == CGS_KIND_PROBLEM) {
        const struct cgs_problem *problems = cgs_problems(&count);
        for (int i = 0; i < count && i < CGS_CHOICES_MOST; i++)
            choices[i] = (struct cgs_choice){option, problems[i].name, i, problems[i].description};
        return count < CGS_CHOICES_MOST ? count : CGS_CHOICES_MOST;
    }
    for (size_t i = 0; i < sizeof choice_table / sizeof choice_table[0]; i++)
        if (choice_table[i].option == option && count < CGS_CHOICES_MOST)
            choices[count++] = choice_table[i];
    return count;
}

/* Returns the name of a CHOICE's value; "?": it has none. */
static const char *choice_name(enum cgs_option_id option, const void *field)
{
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(option, choices);
    for (int i = 0; i < count; i++)
        if (choices[i].value == *(const int *)field)
            return choices[i].name;
    return "?";
}

const char *cgs_option_choice(const struct cgs_settings *settings, enum cgs_option_id option)
{
    if (option == CGS_OPTION_guess && settings->guess_file)
        return settings->guess_file;
    return choice_name(option, (const char *)settings + cgs_option_table[option].offset);
}

void cgs_option_list_choices(enum cgs_option_id id, const char *last, char *text, size_t size)
{
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        cgs_append(text, size, "%s%s", i == 0 ? "" : i == count - 1 ? last : ", ", choices[i].name);
}

void cgs_option_range(enum cgs_option_id id, char *text, size_t size)
{
    const struct cgs_option *option = &cgs_option_table[id];
    switch (option->kind) {
    case CGS_KIND_INT:
        if (option->least == option->most)
            snprintf(text, size, "%.0f", option->least);
        else
            snprintf(text, size, "%.0f ... %.0f", option->least, option->most);
        break;
    case CGS_KIND_REAL:
        snprintf(text, size, "%g < %s < %g", option->least, option->argument, option->most);
        break;
    case CGS_KIND_SIZE:
        snprintf(text, size, "a size in bytes such as 500M or 4G");
        break;
    case CGS_KIND_CHOICE:
    case CGS_KIND_PROBLEM:
        cgs_option_list_choices(id, " or ", text, size);
        break;
    case CGS_KIND_TEXT:
    case CGS_KIND_TEXTS:
    case CGS_KIND_FLAG:
        text[0] = '\0';
        break;
    default: /* phrases */
        snprintf(text, size, "%s", cgs_phrases[option->kind].expected);
        break;
    }
}

/* Writes the value of an option. fields: what its offset begins at. */
static void write_value(const struct cgs_settings *settings, const void *fields,
                        enum cgs_option_id id, char *text, size_t size)
{
    const struct cgs_option *option = &cgs_option_table[id];
    const void *field = (const char *)fields + option->offset;
    switch (option->kind) {
    case CGS_KIND_INT:
    case CGS_KIND_SIZE:
        snprintf(text, size, "%lld", (long long)*(const int64_t *)field);
        break;
    case CGS_KIND_REAL:
        cgs_value_write(*(const double *)field, text, size);
        break;
    case CGS_KIND_CHOICE:
        snprintf(text, size, "%s",
                 id == CGS_OPTION_guess ? cgs_option_choice(settings, id) : choice_name(id, field));
        break;
    case CGS_KIND_PROBLEM:
        snprintf(text, size, "%s", (*(const struct cgs_problem *const *)field)->name);
        break;
    case CGS_KIND_TEXT:
    case CGS_KIND_TEXTS:
        snprintf(text, size, "%s", *(const char *const *)field);
        break;
    case CGS_KIND_FLAG:
        snprintf(text, size, "%s", "");
        break;
    default: /* phrases */
        cgs_phrases[option->kind].write(field, text, size);
        break;
    }
}

void cgs_setting_value(const struct cgs_settings *settings, enum cgs_option_id id, char *text,
                       size_t size)
{
    write_value(settings, settings, id, text, size);
}

void cgs_option_value(const struct cgs_options *options, enum cgs_option_id id, char *text,
                      size_t size)
{
    write_value(&options->settings, options, id, text, size);
}

const char *cgs_option_default(const struct cgs_option *option)
{
    return option->shown[0] ? option->shown : option->initial;
}

/* Options of the box alone. */
const enum cgs_option_id cgs_options_of_box[] = {
    CGS_OPTION_n,          CGS_OPTION_cells,   CGS_OPTION_size,     CGS_OPTION_problem,
    CGS_OPTION_quadrature, CGS_OPTION_deform,  CGS_OPTION_kappa,    CGS_OPTION_assemble,
    CGS_OPTION_slice,      CGS_OPTION_source,  CGS_OPTION_exact,    CGS_OPTION_face,
    CGS_OPTION_let,        CGS_OPTION_region,  CGS_OPTION_material, CGS_OPTION_probe,
    CGS_OPTION_line,       CGS_OPTION_title,   CGS_OPTION_unit,     CGS_OPTION_grade,
    CGS_OPTION_grid,       CGS_OPTION_order,   CGS_OPTION_reaction};
const int cgs_options_of_box_count = sizeof cgs_options_of_box / sizeof *cgs_options_of_box;
