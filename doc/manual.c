/* cgsolve(1), from the tables of commands, options, choices, exit statuses, environment and examples. */
#include <string.h>

#include "base/plain.h"
#include "doc/pages.h"
#include "doc/roff.h"
#include "src/io/version.h"
#include "src/options/options.h"

static void write_head(FILE *file, const char *date)
{
    fputs(".\\\" Written by doc/write_pages from the tables of the program.\n", file);
    fprintf(file, ".TH CGSOLVE 1 \"%s\" \"cgsolve %s\" \"User Commands\"\n", date, cgs_version());
    fputs(".nh\n.ad l\n.SH NAME\n"
          "cgsolve \\- 3-D finite-element Poisson problems by conjugate gradients, on CPU and GPU\n"
          ".SH SYNOPSIS\n",
          file);
    for (int i = 0; i < CGS_COMMANDS; i++) {
        const struct cgs_command_row *row = &cgs_command_table[i];
        fprintf(file, "%s.B cgsolve\n", i > 0 ? ".br\n" : "");
        cgs_roff_line(file, i == CGS_COMMAND_SOLVE ? "[solve]" : row->name);
        cgs_roff_line(file, row->words);
    }
    fputs(".SH DESCRIPTION\n", file);
    cgs_roff_line(
        file, "Solves -div(kappa grad u) = f with trilinear hexahedra on the unit cube, plain or "
              "deformed, or any symmetric positive definite system from a file, by conjugate "
              "gradients, on the CPU (OpenMP) or on an NVIDIA GPU (CUDA), and says how fast that "
              "was, why, and how accurate the answer is.");
    cgs_roff_line(file,
                  "Without a command it solves; without options it takes those of their defaults "
                  "that stand below.");
}

/* The options that a command takes, in a sentence. */
static void write_taken(FILE *file, enum cgs_command command)
{
    char all[2048] = "";
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (cgs_option_table[i].commands & 1 << command &&
            cgs_option_table[i].group != CGS_GROUP_HELP)
            cgs_append(all, sizeof all, "%s--%s", all[0] ? ", " : "", cgs_option_table[i].name);
    if (all[0]) {
        fputs("Takes\n", file);
        cgs_roff_ended(file, all);
    }
}

static void write_commands(FILE *file)
{
    fputs(".SH COMMANDS\n", file);
    for (int i = 0; i < CGS_COMMANDS; i++) {
        const struct cgs_command_row *row = &cgs_command_table[i];
        char name[128];
        snprintf(name, sizeof name, "cgsolve %s%s%s", row->name, row->words[0] ? " " : "",
                 row->words);
        fputs(".TP\n", file);
        cgs_roff_typed(file, name, strlen(name));
        fputc('\n', file);
        cgs_roff_sentence(file, row->help);
        cgs_roff_line(file, row->about);
        write_taken(file, (enum cgs_command)i);
    }
}

/* What an option accepts, each choice with its description. */
static void write_values(FILE *file, enum cgs_option_id id)
{
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    char range[256];
    if (count == 0) {
        cgs_option_range(id, range, sizeof range);
        if (range[0]) {
            fputs("Values:\n", file);
            cgs_roff_ended(file, range);
        }
        return;
    }
    fputs(".RS\n.PD 0\n", file);
    for (int i = 0; i < count; i++) {
        fputs(".TP 16\n", file);
        cgs_roff_typed(file, choices[i].name, strlen(choices[i].name));
        fputc('\n', file);
        cgs_roff_line(file, choices[i].description);
    }
    fputs(".PD\n.RE\n.IP\n", file);
}

static void write_takers(FILE *file, int commands)
{
    bool first = true;
    if ((commands & CGS_FOR_ALL) == CGS_FOR_ALL)
        return;
    fputs("Commands:\n", file);
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (commands & 1 << i) {
            fprintf(file, "%s%s", first ? "" : ", ", cgs_command_table[i].name);
            first = false;
        }
    fputs(".\n", file);
}

static void write_option(FILE *file, enum cgs_option_id id)
{
    const struct cgs_option *option = &cgs_option_table[id];
    char name[64];
    snprintf(name, sizeof name, "--%s", option->name);
    fputs(".TP\n", file);
    cgs_roff_typed(file, name, strlen(name));
    if (option->argument[0])
        fprintf(file, "=\\fI%s\\fR", option->argument);
    fputc('\n', file);
    cgs_roff_sentence(file, option->help);
    write_values(file, id);
    if (cgs_option_default(option)[0]) {
        fputs("Default:\n", file);
        cgs_roff_ended(file, cgs_option_default(option));
    }
    write_takers(file, option->commands);
}

static void write_options(FILE *file)
{
    fputs(".SH OPTIONS\nThe same name means the same in every command.\n", file);
    for (int group = 0; group < CGS_GROUPS; group++) {
        fprintf(file, ".SS %s\n", cgs_option_group_name((enum cgs_option_group)group));
        for (int i = 0; i < CGS_OPTIONS; i++)
            if ((int)cgs_option_table[i].group == group)
                write_option(file, (enum cgs_option_id)i);
    }
}

static void write_ends(FILE *file)
{
    fputs(".SH EXIT STATUS\n", file);
    for (int i = 0; i < CGS_STATUSES; i++) {
        fprintf(file, ".TP 6\n\\fB%d\\fR\n", cgs_status_exit((enum cgs_status)i));
        cgs_roff_line(file, cgs_status_meaning((enum cgs_status)i));
    }
}

static void write_environment(FILE *file)
{
    static const struct {
        const char *name, *text;
    } variables[] = {
#define CGS_VARIABLE(name, text) {name, text},
#include "src/options/environment.def"
#undef CGS_VARIABLE
    };
    fputs(".SH ENVIRONMENT\n", file);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        fprintf(file, ".TP\n.B %s\n", variables[i].name);
        cgs_roff_line(file, variables[i].text);
    }
}

static void write_examples(FILE *file)
{
    static const struct {
        const char *command, *remark;
    } examples[] = {
#define CGS_EXAMPLE(command, remark) {command, remark},
#include "src/options/examples.def"
#undef CGS_EXAMPLE
    };
    fputs(".SH EXAMPLES\n", file);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        fputs(".TP\n", file);
        cgs_roff_typed(file, examples[i].command, strlen(examples[i].command));
        fputc('\n', file);
        cgs_roff_sentence(file, examples[i].remark);
    }
}

static void write_report(FILE *file)
{
    fputs(".SH REPORT\n", file);
    cgs_roff_line(file,
                  "A run prints its report to standard output: machine, problem, matrix, solver, "
                  "accuracy, speed, memory, seconds, and the options that were in effect.");
    cgs_roff_line(file,
                  "--json=FILE writes the same facts for programs, a key each, those of a failed "
                  "run too (error_message, exit_status). What does not apply is absent.");
    cgs_roff_line(file,
                  "Numbers are SI: seconds, bytes, GB/s of 1e9; MUPS are million unknown updates a "
                  "second: unknowns x iterations / solve seconds.");
}

static void write_see_also(FILE *file, const char *folder)
{
    fputs(".SH SEE ALSO\n.BR gnuplot (1)\n.PP\n", file);
    fputs("Theory, formats, and how to measure: README.md and its likes in\n", file);
    cgs_roff_ended(file, folder[0] ? folder : "the sources");
}

void cgs_write_manual(FILE *file, const char *date, const char *folder)
{
    write_head(file, date);
    write_commands(file);
    write_options(file);
    write_report(file);
    write_ends(file);
    write_environment(file);
    write_examples(file);
    write_see_also(file, folder);
}
