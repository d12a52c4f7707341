/* The commands: which one is meant, and what goes with it. */
#include <string.h>

#include "base/spelling.h"
#include "src/options.h"

static const char *const command_names[CGS_COMMANDS] = {
    [CGS_COMMAND_SOLVE] = "solve",   [CGS_COMMAND_STUDY] = "study",     [CGS_COMMAND_SPMV] = "spmv",
    [CGS_COMMAND_SPGEMM] = "spgemm", [CGS_COMMAND_COMPARE] = "compare", [CGS_COMMAND_LIST] = "list",
    [CGS_COMMAND_DOCTOR] = "doctor", [CGS_COMMAND_HELP] = "help",
};

const char *cgs_command_name(enum cgs_command command)
{
    return command_names[command];
}

/* "solve", "solve and spmv", "solve, spmv and spgemm": the commands that take an option. */
static void list_commands(int commands, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < CGS_COMMANDS && used < size; i++)
        if (commands & 1 << i)
            used += (size_t)snprintf(text + used, size - used, "%s'cgsolve %s'",
                                     !used                  ? ""
                                     : commands >> (i + 1)  ? ", "
                                                            : " and ",
                                     command_names[i]);
}

enum cgs_status cgs_options_check_words(struct cgs_context *context,
                                        const struct cgs_options *options)
{
    char takers[192];
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (options->given[i] && !(cgs_option_table[i].commands & 1 << options->command)) {
            list_commands(cgs_option_table[i].commands, takers, sizeof takers);
            return cgs_fail(context, CGS_USAGE, "--%s belongs to %s, not to 'cgsolve %s'",
                            cgs_option_table[i].name, takers, command_names[options->command]);
        }
    if (options->command == CGS_COMMAND_COMPARE &&
        (options->word_count < 2 || (options->word_count > 2 && !options->plot)))
        return cgs_fail(context, CGS_USAGE,
                        "'cgsolve compare' takes two reports, A.json and B.json (with --plot=FILE "
                        "also more); %d given",
                        options->word_count);
    if (options->word_count == 0 || options->command == CGS_COMMAND_LIST ||
        options->command == CGS_COMMAND_COMPARE)
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE, "unexpected '%s': 'cgsolve %s' takes options only",
                    options->words[0], command_names[options->command]);
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
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (strcmp(argv[1], command_names[i]) == 0) {
            *command = (enum cgs_command)i;
            return CGS_OK;
        }
    const int nearest = cgs_nearest(argv[1], command_names, CGS_COMMANDS);
    char all[128];
    size_t used = 0;
    for (int i = 0; i < CGS_COMMANDS && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i == 0                  ? ""
                                 : i == CGS_COMMANDS - 1 ? " or "
                                                         : ", ",
                                 command_names[i]);
    return cgs_fail(context, CGS_USAGE, "unknown command '%s': %s%s%s%s", argv[1], all,
                    nearest < 0 ? "" : "; did you mean '",
                    nearest < 0 ? "" : command_names[nearest], nearest < 0 ? "" : "'?");
}
