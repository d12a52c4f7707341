/* The tables of the completions of bash, zsh and fish; what these do with them is completion.bash,
 * completion.zsh and completion.fish. */
#include <string.h>

#include "core/options/option_table.h"
#include "core/options/options.h"
#include "doc/pages.h"

#define WORD(name) #name " "

/* Values that are no table's, as a prefix where a number follows. */
static const char *words_of_kind(enum cgs_option_kind kind)
{
    switch (kind) {
    case CGS_KIND_KAPPA:
        return "1 smooth jump:";
    case CGS_KIND_GPUS:
        return "all";
    case CGS_KIND_FAULT:
        return "nan@ bitflip@ indefinite asymmetric oom cuda-error cuda-hang";
    default:
        return "";
    }
}

/* For an option whose value is a file: the words that it takes as well, and the files' endings. */
static const struct {
    enum cgs_option_id option;
    const char *words, *endings;
} files[] = {
    {CGS_OPTION_matrix, "", "mtx|mtx.gz|mtx.xz|tar.gz"},
    {CGS_OPTION_matrix_b, "", "mtx|mtx.gz|mtx.xz|tar.gz"},
    {CGS_OPTION_rhs, "ones random", "mtx|mtx.gz|mtx.xz|npy|raw"},
    {CGS_OPTION_nullspace, "constant none", "mtx|mtx.gz|mtx.xz|npy|raw"},
    {CGS_OPTION_guess, "", "npy|raw|mtx|mtx.gz|mtx.xz"},
    {CGS_OPTION_plot, "", "svg|png|pdf"},
};

/* Writes the words that an option takes: "crs sell sellc none". */
static void write_words_of(FILE *file, enum cgs_option_id id)
{
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    const char *words = words_of_kind(cgs_option_table[id].kind);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i].option == id)
            words = files[i].words;
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%s", i > 0 ? " " : "", choices[i].name);
    fputs(words, file);
}

/* Returns the files that an option takes: any, folders, or endings with | between them; NULL:
 * none. */
static const char *files_of(enum cgs_option_id id)
{
    const char *argument = cgs_option_table[id].argument;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i].option == id)
            return files[i].endings;
    return strcmp(argument, "FILE") == 0 ? "any" : strcmp(argument, "DIR") == 0 ? "folders" : NULL;
}

/* Its line: words into `values`, a kind of files into `files`. */
static void write_value(FILE *file, enum cgs_option_id id)
{
    fprintf(file, "    --%s) values='", cgs_option_table[id].name);
    write_words_of(file, id);
    fputs("'", file);
    if (files_of(id))
        fprintf(file, " files='%s'", files_of(id));
    fputs(" ;;\n", file);
}

/* The options of a command; those that take a value end with =. */
static void write_options(FILE *file)
{
    fputs("_cgsolve_options() {\n    case $1 in\n", file);
    for (int command = 0; command < CGS_COMMANDS; command++) {
        fprintf(file, "    %s) echo '", cgs_command_table[command].name);
        for (int i = 0; i < CGS_OPTIONS; i++)
            if (cgs_option_table[i].commands & 1 << command)
                fprintf(file, " --%s%s", cgs_option_table[i].name,
                        cgs_option_table[i].argument[0] ? "=" : "");
        fputs("' ;;\n", file);
    }
    fputs("    esac\n}\n", file);
}

/* Writes the words that may follow --NAME=. */
static void write_values(FILE *file)
{
    fputs("_cgsolve_values() {\n    values='' files=''\n    case $1 in\n", file);
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (cgs_option_table[i].argument[0])
            write_value(file, (enum cgs_option_id)i);
    fputs("    esac\n}\n", file);
}

/* Commands, and what `cgsolve list` lists. */
static void write_words(FILE *file)
{
    fputs("_cgsolve_commands='", file);
    for (int i = 0; i < CGS_COMMANDS; i++)
        fprintf(file, "%s%s", i > 0 ? " " : "", cgs_command_table[i].name);
    fputs("'\n_cgsolve_lists='"
          CGS_LISTS(WORD) "'\n",
          file);
}

void cgs_write_completion(FILE *file)
{
    write_options(file);
    write_values(file);
    write_words(file);
}

/* ---- with descriptions: zsh and fish ---- */

/* Writes the first part of a help text, with a backslash before the characters in `special`. In
 * single quotes `quote` stands for a quote. */
static void write_description(FILE *file, const char *text, const char *special, const char *quote)
{
    const char *end = text + strcspn(text, ";:");
    for (const char *at = text; at < end; at++)
        if (*at == '\'')
            fputs(quote, file);
        else
            fprintf(file, "%s%c", strchr(special, *at) ? "\\" : "", *at);
}

static const char *description_of(const struct cgs_option *option)
{
    return option->brief ? option->brief : option->help;
}

static void write_names(FILE *file, int commands)
{
    const char *blank = "";
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (commands & 1 << i) {
            fprintf(file, "%s%s", blank, cgs_command_table[i].name);
            blank = " ";
        }
}

/* Writes a line for _arguments of zsh behind the commands that take the option:
 * 'solve study|(-N --N)--N=[unknowns in each direction]:N:_cgsolve_value N'. */
static void write_spec(FILE *file, const struct cgs_option *option, bool brief)
{
    const bool value = option->argument[0];
    fputs("    '", file);
    write_names(file, option->commands);
    if (brief)
        fprintf(file, "|(-%c --%s)-%c%s[", option->letter, option->name, option->letter,
                value ? "+" : "");
    else if (option->letter)
        fprintf(file, "|(-%c --%s)--%s%s[", option->letter, option->name, option->name,
                value ? "=" : "");
    else
        fprintf(file, "|--%s%s[", option->name, value ? "=" : "");
    write_description(file, description_of(option), "[]\\", "'\\''");
    fputs("]", file);
    if (value)
        fprintf(file, ":%s:_cgsolve_value %s", option->argument, option->name);
    fputs("'\n", file);
}

void cgs_write_zsh(FILE *file)
{
    fputs("_cgsolve_specs=(\n", file);
    for (int i = 0; i < CGS_OPTIONS; i++) {
        write_spec(file, &cgs_option_table[i], false);
        if (cgs_option_table[i].letter)
            write_spec(file, &cgs_option_table[i], true);
    }
    fputs(")\n_cgsolve_described=(\n", file);
    for (int i = 0; i < CGS_COMMANDS; i++) {
        fprintf(file, "    '%s:", cgs_command_table[i].name);
        write_description(file, cgs_command_table[i].help, "\\", "'\\''");
        fputs("'\n", file);
    }
    fputs(")\n", file);
}

/* Writes how an option's value is completed, as options of fish's `complete`. */
static void write_fish_value(FILE *file, enum cgs_option_id id)
{
    const char *kind = files_of(id);
    if (kind && strcmp(kind, "folders") == 0)
        fputs(" -x -a '(__fish_complete_directories)'", file);
    else if (id == CGS_OPTION_kernel)
        fputs(" -r -F -a '(__cgsolve_values auto all (__cgsolve_kernels))'", file);
    else {
        fputs(kind ? " -r -F -a '(__cgsolve_values " : " -x -a '(__cgsolve_values ", file);
        write_words_of(file, id);
        fputs(")'", file);
    }
}

void cgs_write_fish(FILE *file)
{
    fputs("complete -c cgsolve -f\n", file);
    for (int i = 0; i < CGS_COMMANDS; i++) {
        fprintf(file, "complete -c cgsolve -n __cgsolve_wants_command -a %s -d '",
                cgs_command_table[i].name);
        write_description(file, cgs_command_table[i].help, "\\", "\\'");
        fputs("'\n", file);
    }
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const struct cgs_option *option = &cgs_option_table[i];
        fputs("complete -c cgsolve -n '__cgsolve_takes ", file);
        write_names(file, option->commands);
        fprintf(file, "' -l %s", option->name);
        if (option->letter)
            fprintf(file, " -s %c", option->letter);
        if (option->argument[0])
            write_fish_value(file, (enum cgs_option_id)i);
        fputs(" -d '", file);
        write_description(file, description_of(option), "\\", "\\'");
        fputs("'\n", file);
    }
    fputs("complete -c cgsolve -n '__cgsolve_takes list' -a '" CGS_LISTS(
              WORD) "'\n"
                    "complete -c cgsolve -n '__cgsolve_takes help' -a expert -d 'options for "
                    "experts'\n"
                    "complete -c cgsolve -n 'string match -q -- \"@*\" (commandline -ct)' "
                    "-x -a '(__cgsolve_option_files)'\n"
                    "complete -c cgsolve -n '__cgsolve_takes compare' -F\n"
                    "complete -c cgsolve -n '__cgsolve_takes grade' -a "
                    "'(__fish_complete_directories)'\n",
          file);
}
