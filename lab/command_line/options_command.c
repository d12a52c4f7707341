/* Finds the command, and checks the options and words given with it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plain.h"
#include "base/spelling.h"
#include "core/options/arguments.h"
#include "core/options/meant.h"
#include "core/options/option_table.h"
#include "core/options/options_rules.h"
#include "lab/command_line/options_command.h"

/* Lists the commands whose bits are set: "'cgsolve solve', 'cgsolve spmv' and 'cgsolve spgemm'". */
static void list_commands(int commands, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (commands & 1 << i)
            cgs_append(text, size, "%s'cgsolve %s'",
                       !text[0]              ? ""
                       : commands >> (i + 1) ? ", "
                                             : " and ",
                       cgs_command_name((enum cgs_command)i));
}

enum { HINT = 128 };

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* Proposes an option for an unexpected word that looks like an option without dashes, a number of
 * points or a file: "; did you mean '--N=64'?"; else "". */
static void propose(const char *word, char hint[HINT])
{
    char meant[96];
    hint[0] = '\0';
    if (word[0] == '\0')
        snprintf(hint, HINT, "; an empty word, as of a variable that is not set");
    else if (word[strspn(word, "0123456789")] == '\0')
        snprintf(hint, HINT, "; did you mean '--N=%.80s'?", word);
    else if (is_file(word) || strstr(word, ".mtx") || strstr(word, ".tar.gz"))
        snprintf(hint, HINT, "; did you mean '--matrix=%.80s'?", word);
    else if (cgs_meant_option(word, false, meant, sizeof meant) ||
             cgs_meant_value(word, meant, sizeof meant))
        snprintf(hint, HINT, "; did you mean '%s'?", meant);
}

/* Proposes what an unexpected word of a command was meant for; "": not known. */
static void propose_instead(const struct cgs_options *o, const char *word, char hint[HINT])
{
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (strcmp(word, cgs_command_name((enum cgs_command)i)) == 0) {
            snprintf(hint, HINT, "; a command stands once, before the options: 'cgsolve %s ...'",
                     word);
            return;
        }
    propose(word, hint);
    const bool number = strstr(hint, "'--N=") && o->settings.given[CGS_OPTION_n];
    if (number && o->settings.command == CGS_COMMAND_STUDY && isdigit((unsigned char)word[0]))
        snprintf(hint, HINT, "; several values have commas between them: --N=%.32s,%.32s",
                 o->texts[CGS_OPTION_n], word);
    else if (number || (strstr(hint, "'--matrix=") && o->settings.given[CGS_OPTION_matrix]))
        snprintf(hint, HINT, "; there is a --%s already", number ? "N" : "matrix");
}

static enum cgs_status check_grade(struct cgs_context *context, const struct cgs_options *o)
{
    if (o->word_count != 1 || o->words[0][0] == '\0')
        return cgs_fail(context, CGS_USAGE,
                        "'cgsolve grade' takes the folder of the submissions, or its .zip: cgsolve "
                        "grade FOLDER "
                        "--csv=marks.csv; %d given",
                        o->word_count);
    return cgs_options_check_folder(context, o);
}

enum cgs_status cgs_options_check_words(struct cgs_context *context,
                                        const struct cgs_options *options)
{
    char takers[192];
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (options->settings.given[i] &&
            !(cgs_option_table[i].commands & 1 << options->settings.command)) {
            list_commands(cgs_option_table[i].commands, takers, sizeof takers);
            cgs_fail(context, CGS_USAGE, "--%s belongs to %s, not to 'cgsolve %s'",
                     cgs_option_table[i].name, takers, cgs_command_name(options->settings.command));
            cgs_argument_locate(context, options->arguments, options->places[i]);
            return context->status;
        }
    if (options->settings.command == CGS_COMMAND_COMPARE && options->word_count < 2)
        return cgs_fail(
            context, CGS_USAGE,
            "'cgsolve compare' takes two reports, A.json and B.json (of spmv and spgemm "
            "also more); %d given",
            options->word_count);
    if (options->settings.command == CGS_COMMAND_GRADE)
        return check_grade(context, options);
    if (options->word_count == 0 || options->settings.command == CGS_COMMAND_LIST ||
        options->settings.command == CGS_COMMAND_COMPARE ||
        options->settings.command == CGS_COMMAND_EXERCISE)
        return CGS_OK;
    char hint[HINT];
    propose_instead(options, options->words[0], hint);
    if (options->words[0][0] == '-' && options->words[0][1] != '\0')
        snprintf(hint, HINT, ", and behind '--' nothing is one: leave out '--'");
    return cgs_fail(context, CGS_USAGE, "unexpected '%s': 'cgsolve %s' takes options only%s",
                    options->words[0], cgs_command_name(options->settings.command), hint);
}

bool cgs_options_for_experts(int argc, const char *const *argv)
{
    return argc > 2 && strcmp(argv[1], cgs_command_name(CGS_COMMAND_HELP)) == 0 &&
           strcmp(argv[2], "expert") == 0;
}

enum cgs_status cgs_options_find_command(struct cgs_context *context, int argc,
                                         const char *const *argv, enum cgs_command *command,
                                         int *taken)
{
    *command = CGS_COMMAND_SOLVE;
    *taken = 0;
    if (argc < 2 || argv[1][0] == '-')
        return CGS_OK;
    *taken = 1;
    if (cgs_options_for_experts(argc, argv)) {
        *command = CGS_COMMAND_HELP;
        *taken = 2;
        return CGS_OK;
    }
    if (argc > 2 && argv[2][0] != '-' && strcmp(argv[1], cgs_command_name(CGS_COMMAND_HELP)) == 0) {
        CGS_TRY(cgs_options_find_command(context, argc - 1, argv + 1, command, taken));
        *taken = 2;
        return CGS_OK;
    }
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (strcmp(argv[1], cgs_command_name((enum cgs_command)i)) == 0) {
            *command = (enum cgs_command)i;
            return CGS_OK;
        }
    const char *names[CGS_COMMANDS];
    for (int i = 0; i < CGS_COMMANDS; i++)
        names[i] = cgs_command_name((enum cgs_command)i);
    const int nearest = cgs_nearest(argv[1], names, CGS_COMMANDS);
    char all[128] = "";
    for (int i = 0; i < CGS_COMMANDS; i++)
        cgs_append(all, sizeof all, "%s%s",
                   i == 0                  ? ""
                   : i == CGS_COMMANDS - 1 ? " or "
                                           : ", ",
                   cgs_command_name((enum cgs_command)i));
    char hint[HINT];
    const char *ours = cgs_synonym("command", argv[1]);
    propose(argv[1], hint);
    if (hint[0] == '\0' && (ours || nearest >= 0))
        snprintf(hint, HINT, "; did you mean '%s'?", ours ? ours : cgs_command_name(nearest));
    return cgs_fail(context, CGS_USAGE, "unknown command '%s': %s%s", argv[1], all, hint);
}
