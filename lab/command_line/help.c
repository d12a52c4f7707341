/* Texts made from the tables of options: --help, --usage, ranges, "ran with". */
#include "lab/command_line/help.h"

#include <string.h>

#include "base/plain.h"
#include "core/io/page.h"
#include "core/io/version.h"
#include "core/options/option_table.h"

enum { HELP_COLUMN = 28, INDENT = 4 };

/* Prints an option's names, "  --N=N, -N N", and the text about it. */
static void print_entry(FILE *file, const struct cgs_option *option, const char *text)
{
    const char *argument = option->argument;
    char names[128];
    snprintf(names, sizeof names, "  --%s%s%s", option->name, argument[0] ? "=" : "", argument);
    if (option->letter)
        cgs_append(names, sizeof names, ", -%c%s%s", option->letter, argument[0] ? " " : "",
                   argument);
    cgs_page_entry(file, names, HELP_COLUMN, text);
}

static void print_option(FILE *file, enum cgs_option_id id)
{
    const struct cgs_option *option = &cgs_option_table[id];
    char range[256] = "", text[768];
    if (option->kind == CGS_KIND_CHOICE || option->kind == CGS_KIND_PROBLEM)
        cgs_option_list_choices(id, ", ", range, sizeof range);
    else if (option->kind == CGS_KIND_INT && option->most > option->least)
        snprintf(range, sizeof range, "%.0f...%.0f", option->least, option->most);
    else if (option->kind == CGS_KIND_REAL)
        cgs_option_range(id, range, sizeof range);
    const char *shown = cgs_option_default(option);
    snprintf(text, sizeof text, "%s%s%s%s%s%s", option->help, range[0] ? ": " : "", range,
             shown[0] ? " [" : "", shown, shown[0] ? "]" : "");
    print_entry(file, option, text);
}

/* Returns the title of a group of options, "Problem". */
static const char *group_name(enum cgs_option_group group)
{
    static const char *const names[CGS_GROUPS] = {
        [CGS_GROUP_PROBLEM] = "Problem", [CGS_GROUP_MATRIX] = "Matrix",
        [CGS_GROUP_MACHINE] = "Machine", [CGS_GROUP_SOLVER] = "Solver",
        [CGS_GROUP_OUTPUT] = "Output",   [CGS_GROUP_HELP] = "Help",
    };
    return names[group];
}

/* Returns true if the command is the first one that takes the option. Each takes those of its own
 * help. */
static bool is_home(const struct cgs_option *option, enum cgs_command command)
{
    if (option->group == CGS_GROUP_HELP)
        return command == CGS_COMMAND_HELP;
    return option->commands & 1 << command && !(option->commands & ((1 << command) - 1));
}

void cgs_options_by_command(FILE *file, bool expert, const struct cgs_option_writer *writer)
{
    for (int c = 0; c < CGS_COMMANDS; c++) {
        int last = -1; /* group below whose title options are listed */
        for (int group = 0; group < CGS_GROUPS; group++)
            for (int i = 0; i < CGS_OPTIONS; i++) {
                const struct cgs_option *option = &cgs_option_table[i];
                char title[64];
                if ((int)option->group != group || option->expert != expert ||
                    !is_home(option, (enum cgs_command)c))
                    continue;
                snprintf(title, sizeof title, c == CGS_COMMAND_SOLVE ? "%s: %s" : "%s",
                         group == CGS_GROUP_HELP ? "Every command" : cgs_command_table[c].name,
                         group_name(option->group));
                if (last < 0 || (c == CGS_COMMAND_SOLVE && last != group))
                    writer->title(file, title);
                last = group;
                writer->option(file, (enum cgs_option_id)i);
            }
        if (last >= 0 && writer->end)
            writer->end(file, (enum cgs_command)c, expert);
    }
}

static void print_command(FILE *file, enum cgs_command command)
{
    enum { COLUMN = 32 };
    const struct cgs_command_row *row = &cgs_command_table[command];
    char line[128];
    snprintf(line, sizeof line,
             command == CGS_COMMAND_SOLVE ? "  cgsolve [%s]%s%s" : "  cgsolve %s%s%s", row->name,
             row->words[0] ? " " : "", row->words);
    cgs_page_entry(file, line, COLUMN, row->help);
}

static void print_commands(FILE *file)
{
    enum { COLUMN = 32 };
    for (int i = 0; i < CGS_COMMANDS; i++)
        print_command(file, (enum cgs_command)i);
    cgs_page_entry(file, "  cgsolve [COMMAND] @FILE", COLUMN,
                   "options from a file, one a line, in the place of @FILE; later ones count");
}

/* Names the command's options in a paragraph that begins with `lead`, after a blank line if that
 * begins with one: all for experts or not, or
 * those alone that are listed with an earlier command. Nothing if there are none. */
static void print_names(FILE *file, enum cgs_command command, const char *lead, bool expert,
                        bool earlier)
{
    const size_t blank = strspn(lead, "\n");
    char all[2048];
    size_t used = (size_t)snprintf(all, sizeof all, "%s", lead + blank);
    const size_t none = used;
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const struct cgs_option *option = &cgs_option_table[i];
        if (option->commands & 1 << command && option->expert == expert &&
            option->group != CGS_GROUP_HELP && !(earlier && is_home(option, command)))
            used += (size_t)snprintf(all + used, sizeof all - used, "%s --%s",
                                     used > none ? "," : "", option->name);
    }
    if (used == none)
        return;
    fprintf(file, "%.*s%*s", (int)blank, lead, INDENT, "");
    cgs_page_wrap(file, all, INDENT);
}

static void print_title(FILE *file, const char *title)
{
    fprintf(file, "\n%s\n", title);
}

static void print_earlier(FILE *file, enum cgs_command command, bool expert)
{
    print_names(file, command, "and of those above:", expert, true);
}

static void print_by_command(FILE *file, bool expert)
{
    static const struct cgs_option_writer writer = {print_title, print_option, print_earlier};
    cgs_options_by_command(file, expert, &writer);
}

static void print_ends(FILE *file)
{
    char all[512] = "";
    for (int i = 0; i < CGS_STATUSES; i++)
        cgs_append(all, sizeof all, "%s%d %s", i > 0 ? "; " : "",
                   cgs_status_exit((enum cgs_status)i), cgs_status_text((enum cgs_status)i));
    fputs("\nExit status\n  ", file);
    cgs_page_wrap(file, all, 2);
}

/* Returns true if the example is for that command; `cgsolve --...` is for solve. */
static bool is_example_of(enum cgs_command command, const char *example)
{
    const char *word = example + strlen("cgsolve ");
    const char *name = word[0] == '-' ? "solve" : word, *wanted = cgs_command_name(command);
    const size_t length = strlen(wanted);
    return command == CGS_COMMAND_HELP ||
           (strcspn(name, " ") == length && strncmp(name, wanted, length) == 0);
}

static void print_examples(FILE *file, enum cgs_command command)
{
    static const char *const examples[] = {
#define CGS_EXAMPLE(command, remark) command,
#include "lab/command_line/examples.def"
#undef CGS_EXAMPLE
    };
    bool titled = false;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        if (is_example_of(command, examples[i])) {
            fputs(titled ? "  " : "\nExamples\n  ", file);
            cgs_page_wrap(file, examples[i], 2);
            titled = true;
        }
}

static void print_purpose(FILE *file)
{
    cgs_page_wrap(file, "3-D finite-element Poisson problems by conjugate gradients, CPU and GPU",
                  0);
    fputc('\n', file);
}

/* Prints the help of one command. */
static void print_one(FILE *file, enum cgs_command command)
{
    print_command(file, command);
    if (cgs_command_table[command].about[0]) {
        fputs("\n  ", file);
        cgs_page_wrap(file, cgs_command_table[command].about, 2);
    }
    for (int group = 0; group < CGS_GROUPS; group++) {
        bool titled = false;
        for (int i = 0; i < CGS_OPTIONS; i++) {
            const struct cgs_option *option = &cgs_option_table[i];
            if ((int)option->group != group || option->expert || !(option->commands & 1 << command))
                continue;
            if (!titled)
                print_title(file, group_name((enum cgs_option_group)group));
            titled = true;
            print_option(file, (enum cgs_option_id)i);
        }
    }
    print_names(file, command, "\nFor experts ('cgsolve help expert'):", true, false);
}

/* Prints the options of one command; those of all, by command, for the command `help`. Options for
 * experts are named alone. */
static void print_help(FILE *file, enum cgs_command command)
{
    fprintf(file, "cgsolve %s\n", cgs_version());
    print_purpose(file);
    if (command != CGS_COMMAND_HELP) {
        print_one(file, command);
    } else {
        print_commands(file);
        print_by_command(file, false);
        fputc('\n', file);
        cgs_page_wrap(file,
                      "'cgsolve help COMMAND' has all that a command takes, 'cgsolve help expert' "
                      "the options for experts.",
                      0);
    }
    print_examples(file, command);
    print_ends(file);
}

/* Prints the options for experts, by command. */
static void print_expert(FILE *file)
{
    cgs_page_wrap(file,
                  "Options for experts: where they are not given the program decides by itself. "
                  "'cgsolve help' has the others.",
                  0);
    print_by_command(file, true);
}

/* Prints the options of a command that matter most, on one screen of 24 lines and 80 columns. */
static void print_screen(FILE *file, enum cgs_command command)
{
    const struct cgs_command_row *row = &cgs_command_table[command];
    char all[128] = "";
    print_purpose(file);
    fprintf(file,
            command == CGS_COMMAND_SOLVE ? "Usage: cgsolve [%s] %s\n" : "Usage: cgsolve %s %s\n",
            row->name, row->words);
    for (int i = 0; i < CGS_COMMANDS; i++)
        cgs_append(all, sizeof all, "%s%s", i > 0 ? " " : "", cgs_command_table[i].name);
    cgs_page_entry(file, "Commands:", (int)sizeof "Commands:", all);
    fputc('\n', file);
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const struct cgs_option *option = &cgs_option_table[i];
        char range[256] = "", text[384];
        if (!option->brief || !(option->commands & 1 << command))
            continue;
        if (option->kind == CGS_KIND_CHOICE)
            cgs_option_list_choices((enum cgs_option_id)i, ", ", range, sizeof range);
        snprintf(text, sizeof text, "%s%s%s", option->brief, range[0] ? ": " : "", range);
        print_entry(file, option, text);
    }
    fputc('\n', file);
    cgs_page_wrap(file,
                  "'cgsolve help' lists the options, 'cgsolve help expert' those for experts.", 0);
}

void cgs_print_usage(FILE *file)
{
    static const char lead[] = "Usage: cgsolve [solve|study|spmv|spgemm]";
    static const char others[] =
        "       cgsolve compare A.json B.json [--json=FILE]\n"
        "       cgsolve compare A.json B.json... --plot=FILE [--json=FILE]\n"
        "       cgsolve list [kernels|preconditioners|problems|backends]...\n"
        "       cgsolve doctor [--threads=T] [--device=I] [--json=FILE]\n"
        "       cgsolve help [COMMAND|expert]\n"
        "       cgsolve [COMMAND] @FILE       options from a file, one a line\n";
    const int indent = cgs_page_width() < 80 ? 7 : (int)sizeof lead - 2;
    int column = fprintf(file, "%s", lead);
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const struct cgs_option *option = &cgs_option_table[i];
        char text[256], range[200];
        snprintf(range, sizeof range, "%s", option->argument);
        if (option->kind == CGS_KIND_CHOICE)
            cgs_option_list_choices((enum cgs_option_id)i, "|", range, sizeof range);
        for (char *comma = range; (comma = strstr(comma, ", ")) != NULL;) {
            *comma = '|';
            memmove(comma + 1, comma + 2, strlen(comma + 2) + 1);
        }
        const int length =
            snprintf(text, sizeof text, " [--%s%s%s]", option->name, range[0] ? "=" : "", range);
        if (column + length > cgs_page_width())
            column = fprintf(file, "\n%*s", indent, "") - 1;
        column += fprintf(file, "%s", text);
    }
    fprintf(file, "\n%s", others);
}

/* Writes the option with its current value as on the command line. */
static void write_option(const struct cgs_settings *settings, enum cgs_option_id id, char *text,
                         size_t size)
{
    const struct cgs_option *option = &cgs_option_table[id];
    const int used = snprintf(text, size, "--%s", option->name);
    if (option->kind == CGS_KIND_FLAG || used < 0 || (size_t)used + 1 >= size)
        return;
    text[used] = '=';
    cgs_setting_value(settings, id, text + used + 1, size - (size_t)used - 1);
    cgs_make_plain(text);
}

/* Puts the text in quotes if a shell would see more than a word in it. */
static void quote(char *text, size_t size)
{
    char quoted[1024];
    FILE *word = fmemopen(quoted, sizeof quoted, "w");
    if (!word)
        return;
    cgs_page_word(word, text);
    fclose(word);
    snprintf(text, size, "%s", quoted);
}

/* Prints a word behind *column, or in a new line. */
static void print_word(FILE *file, char *text, size_t size, int indent, int width, int *column)
{
    quote(text, size);
    if (*column > indent && *column + 1 + (int)strlen(text) > width) {
        fprintf(file, "\n%*s", indent, "");
        *column = indent;
    }
    *column += fprintf(file, "%s%s", *column > indent ? " " : "", text);
}

void cgs_print_effective(FILE *file, const struct cgs_settings *settings, int indent, int width)
{
    int column = indent;
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const enum cgs_option_group group = cgs_option_table[i].group;
        if (!settings->known[i] || group == CGS_GROUP_OUTPUT || group == CGS_GROUP_HELP ||
            !(cgs_option_table[i].commands & 1 << settings->command))
            continue;
        char text[1024];
        if (!cgs_kind_repeats(cgs_option_table[i].kind)) {
            write_option(settings, (enum cgs_option_id)i, text, sizeof text / 2);
            print_word(file, text, sizeof text, indent, width, &column);
            continue;
        }
        const char *line =
            *(const char *const *)((const char *)settings + cgs_option_table[i].offset);
        for (; line; line = cgs_line_after(line)) {
            snprintf(text, sizeof text / 2, "--%s=%.*s", cgs_option_table[i].name,
                     cgs_line_length(line), line);
            cgs_make_plain(text);
            print_word(file, text, sizeof text, indent, width, &column);
        }
    }
    fputc('\n', file);
}

enum cgs_status cgs_help(struct cgs_context *context, const struct cgs_call *call)
{
    const bool named = call->argc > 1 && call->argv[1][0] != '-';
    if (call->options->screen)
        print_screen(call->text, call->options->settings.command);
    else if (call->options->expert)
        print_expert(call->text);
    else
        print_help(call->text, named ? call->options->settings.command : CGS_COMMAND_HELP);
    return context->status;
}
