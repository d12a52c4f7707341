/* The tables of the completion of bash; what it does with them is completion.bash. */
#include <string.h>

#include "doc/pages.h"
#include "src/options/options.h"

/* Values that are no table's, as a prefix where a number follows. */
static const char *words_of_kind(enum cgs_option_kind kind)
{
    switch (kind) {
    case CGS_KIND_KAPPA:
        return "1 smooth jump:";
    case CGS_KIND_FAULT:
        return "nan@ bitflip@ indefinite asymmetric oom cuda-error";
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
    {CGS_OPTION_rhs, "ones random", "mtx|mtx.gz|mtx.xz"},
    {CGS_OPTION_plot, "", "svg|png|pdf"},
};

/* Its line: words into `values`, a kind of files into `files`. */
static void write_value(FILE *file, enum cgs_option_id id)
{
    const struct cgs_option *option = &cgs_option_table[id];
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    const char *endings = NULL, *words = words_of_kind(option->kind);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i].option == id) {
            endings = files[i].endings;
            words = files[i].words;
        }
    fprintf(file, "    --%s) values='", option->name);
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%s", i > 0 ? " " : "", choices[i].name);
    fprintf(file, "%s'", words);
    if (endings)
        fprintf(file, " files='%s'", endings);
    else if (strcmp(option->argument, "FILE") == 0)
        fputs(" files=any", file);
    else if (strcmp(option->argument, "DIR") == 0)
        fputs(" files=folders", file);
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

/* What may follow --NAME=. */
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
#define CGS_LIST(name) #name " "
#include "src/options/lists.def"
#undef CGS_LIST
          "'\n",
          file);
}

void cgs_write_completion(FILE *file)
{
    write_options(file);
    write_values(file);
    write_words(file);
}
