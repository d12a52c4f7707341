/* cgsolve(1), from the tables of commands, options, choices, exit statuses, environment and
 * examples. */
#include <ctype.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/version.h"
#include "core/options/option_table.h"
#include "doc/pages.h"
#include "lab/command_line/help.h"

/* ---- texts as roff, in the macros of man ---- */

/* Characters that roff would take for its own. */
static const char *const escapes[256] = {
    ['\\'] = "\\e", ['\''] = "\\(aq", ['`'] = "\\(ga", ['^'] = "\\(ha", ['~'] = "\\(ti"};

static void write_character(FILE *file, char c, bool minus)
{
    const char *escape = minus && c == '-' ? "\\-" : escapes[(unsigned char)c];
    if (escape)
        fputs(escape, file);
    else
        fputc(c, file);
}

/* `length` characters in bold, every - a minus, as they are typed. */
static void write_typed(FILE *file, const char *text, size_t length)
{
    fputs("\\fB", file);
    for (size_t i = 0; i < length; i++)
        write_character(file, text[i], true);
    fputs("\\fR", file);
}

/* Part of a line: --options and 'cgsolve ...' in bold. */
static void write_words(FILE *file, const char *text)
{
    static const char ends[] = " ,;:)";
    for (const char *at = text; *at; at++) {
        const bool begins = at == text || strchr(" (", at[-1]);
        const char *quote = *at == '\'' && begins ? strchr(at + 1, '\'') : NULL;
        if (quote && (strncmp(at + 1, "cgsolve", 7) == 0 || at[1] == '.')) {
            write_typed(file, at + 1, (size_t)(quote - at - 1));
            at = quote;
        } else if (begins && at[0] == '-' && at[1] == '-') {
            size_t length = strcspn(at, ends);
            length -= at[length - 1] == '.';
            write_typed(file, at, length);
            at += length - 1;
        } else if (at > text && at[0] == ' ' && at[-1] == '.' && isupper((unsigned char)at[1])) {
            fputc('\n', file); /* a new sentence is a new line */
        } else {
            write_character(file, *at, begins || isdigit((unsigned char)at[1]));
        }
    }
}

/* A text as a line of its own; nothing where it is "". */
static void write_line(FILE *file, const char *text)
{
    if (text[0] == '\0')
        return;
    if (text[0] == '.' || text[0] == '\'')
        fputs("\\&", file);
    write_words(file, text);
    fputc('\n', file);
}

/* Writes the text with a full stop, unless there is one: that of a name, "...", is none too
 * many. */
static void write_ended(FILE *file, const char *text)
{
    char sentence[2048];
    const size_t length = (size_t)snprintf(sentence, sizeof sentence - 1, "%s", text);
    if (length > 0 && length < sizeof sentence - 1 && text[length - 1] != '.')
        strcpy(sentence + length, ".");
    write_line(file, sentence);
}

/* "unknowns in each direction" as a sentence. What begins with a name, or a formula, stays. */
static void write_sentence(FILE *file, const char *text)
{
    char sentence[1024];
    const size_t word = strcspn(text, " ");
    snprintf(sentence, sizeof sentence, "%s", text);
    if (strcspn(text, "/.=(") > word)
        sentence[0] = (char)toupper((unsigned char)sentence[0]);
    write_ended(file, sentence);
}

/* A tag in bold, and its text; `indent`: columns, "" for the usual. */
static void write_item(FILE *file, const char *indent, const char *tag,
                       void (*write)(FILE *file, const char *text), const char *text)
{
    fprintf(file, ".TP%s\n", indent);
    write_typed(file, tag, strlen(tag));
    fputc('\n', file);
    write(file, text);
}

/* ---- the page ---- */

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
        write_line(file, i == CGS_COMMAND_SOLVE ? "[solve]" : row->name);
        write_line(file, row->words);
    }
    fputs(".SH DESCRIPTION\n", file);
    write_line(file,
               "Solves -div(kappa grad u) = f with trilinear hexahedra on the unit cube, plain or "
               "deformed, or any symmetric positive definite system from a file, by conjugate "
               "gradients, on the CPU (OpenMP) or on an NVIDIA GPU (CUDA), and says how fast that "
               "was, why, and how accurate the answer is.");
    write_line(file,
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
        write_ended(file, all);
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
        write_item(file, "", name, write_sentence, row->help);
        write_line(file, row->about);
        write_taken(file, (enum cgs_command)i);
    }
}

/* Writes what an option accepts, each choice with its description. */
static void write_values(FILE *file, enum cgs_option_id id)
{
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    char range[256];
    if (count == 0) {
        cgs_option_range(id, range, sizeof range);
        if (range[0]) {
            fputs("Values:\n", file);
            write_ended(file, range);
        }
        return;
    }
    fputs(".RS\n.PD 0\n", file);
    for (int i = 0; i < count; i++)
        write_item(file, " 16", choices[i].name, write_line, choices[i].description);
    fputs(".PD\n.RE\n.IP\n", file);
}

static void write_takers(FILE *file, int commands)
{
    bool first = true;
    if (commands == (1 << CGS_COMMANDS) - 1)
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
    write_typed(file, name, strlen(name));
    if (option->argument[0])
        fprintf(file, "=\\fI%s\\fR", option->argument);
    if (option->letter) {
        snprintf(name, sizeof name, "-%c", option->letter);
        fputs(", ", file);
        write_typed(file, name, strlen(name));
        if (option->argument[0])
            fprintf(file, " \\fI%s\\fR", option->argument);
    }
    fputc('\n', file);
    write_sentence(file, option->help);
    write_values(file, id);
    if (cgs_option_default(option)[0]) {
        fputs("Default:\n", file);
        write_ended(file, cgs_option_default(option));
    }
    write_takers(file, option->commands);
}

static void write_title(FILE *file, const char *title)
{
    fprintf(file, ".SS %s\n", title);
}

static void write_options(FILE *file)
{
    static const struct cgs_option_writer writer = {write_title, write_option, NULL};
    fputs(".SH OPTIONS\nThe same name means the same in every command.\n", file);
    fputs(".PP\n\\fB@\\fR\\fIFILE\\fR, anywhere among the arguments, is replaced by the options in "
          "that file:\n",
          file);
    write_line(file, "one a line, --N=64, N=64 or N = 64, the value to the end of the line without "
                     "quotes. Comments "
                     "begin with # at the beginning of a line or behind a blank. The first line "
                     "may be the command. A line "
                     "@FILE reads another file, relative to this one's folder; names in options "
                     "are relative to the current "
                     "folder. Where several places name an option, the last one counts.");
    cgs_options_by_command(file, false, &writer);
    fputs(".SH EXPERT OPTIONS\nWhere they are not given the program decides by itself.\n", file);
    cgs_options_by_command(file, true, &writer);
}

static void write_ends(FILE *file)
{
    fputs(".SH EXIT STATUS\n", file);
    for (int i = 0; i < CGS_STATUSES; i++) {
        fprintf(file, ".TP 6\n\\fB%d\\fR\n", cgs_status_exit((enum cgs_status)i));
        write_line(file, cgs_status_meaning((enum cgs_status)i));
    }
}

static void write_environment(FILE *file)
{
    static const struct {
        const char *name, *text;
    } variables[] = {
#define CGS_VARIABLE(name, text) {name, text},
#include "lab/command_line/environment.def"
#undef CGS_VARIABLE
    };
    fputs(".SH ENVIRONMENT\n", file);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        fprintf(file, ".TP\n.B %s\n", variables[i].name);
        write_line(file, variables[i].text);
    }
}

static void write_examples(FILE *file)
{
    static const struct {
        const char *command, *remark;
    } examples[] = {
#define CGS_EXAMPLE(command, remark) {command, remark},
#include "lab/command_line/examples.def"
#undef CGS_EXAMPLE
    };
    fputs(".SH EXAMPLES\n", file);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        write_item(file, "", examples[i].command, write_sentence, examples[i].remark);
}

static void write_report(FILE *file)
{
    fputs(".SH REPORT\n", file);
    write_line(file,
               "A run prints its report to standard output: machine, problem, matrix, solver, "
               "accuracy, speed, memory, seconds, and the options that were in effect.");
    write_line(file,
               "--json=FILE writes the same facts for programs, a key each, those of a failed "
               "run too (error_message, exit_status). What does not apply is absent.");
    write_line(file,
               "Numbers are SI: seconds, bytes, GB/s of 1e9; MUPS are million unknown updates a "
               "second: unknowns x iterations / solve seconds.");
}

static void write_see_also(FILE *file, const char *folder)
{
    fputs(".SH SEE ALSO\n.BR gnuplot (1)\n.PP\n", file);
    fputs("Theory, formats, and how to measure: README.md and its likes in\n", file);
    write_ended(file, folder[0] ? folder : "the sources");
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
