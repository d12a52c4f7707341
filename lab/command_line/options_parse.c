/* Reads the command line by the tables of options and commands:
 *
 *     --name=value   --name value   --flag   -N value   -Nvalue   -v
 *     word   - (a word)   -- (words alone from here on)
 */
#include "lab/command_line/options_parse.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plain.h"
#include "base/spelling.h"
#include "core/options/meant.h"
#include "core/options/option_table.h"
#include "core/options/options_input.h"
#include "core/options/options_rules.h"
#include "core/options/options_value.h"
#include "lab/command_line/options_list.h"

/* Finds the command, and checks the options and words given with it. */

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

/* CGS_USAGE: an option that the command does not take, too many or too few words. */
static enum cgs_status options_check_words(struct cgs_context *context,
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

/* Returns true for `help expert`. */
static bool options_for_experts(int argc, const char *const *argv)
{
    return argc > 2 && strcmp(argv[1], cgs_command_name(CGS_COMMAND_HELP)) == 0 &&
           strcmp(argv[2], "expert") == 0;
}

/* Finds the command: the first argument unless that is an option, else `solve`. *taken: number of
 * arguments used: 0, 1, or 2 for the help of `command` (help spmv). CGS_USAGE: unknown command. */
static enum cgs_status options_find_command(struct cgs_context *context, int argc,
                                            const char *const *argv, enum cgs_command *command,
                                            int *taken)
{
    *command = CGS_COMMAND_SOLVE;
    *taken = 0;
    if (argc < 2 || argv[1][0] == '-')
        return CGS_OK;
    *taken = 1;
    if (options_for_experts(argc, argv)) {
        *command = CGS_COMMAND_HELP;
        *taken = 2;
        return CGS_OK;
    }
    if (argc > 2 && argv[2][0] != '-' && strcmp(argv[1], cgs_command_name(CGS_COMMAND_HELP)) == 0) {
        CGS_TRY(options_find_command(context, argc - 1, argv + 1, command, taken));
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

/* Returns the flag that --no-NAME would switch off; NULL: none. */
static const char *flag_denied(const char *word)
{
    const bool no = strncmp(word, "no-", 3) == 0 || strncmp(word, "no_", 3) == 0;
    const int flag = no ? cgs_option_find(word + 3, strlen(word + 3)) : -1;
    return flag >= 0 && cgs_option_table[flag].kind == CGS_KIND_FLAG ? word + 3 : NULL;
}

/* Writes what was meant by an unknown option: "--N", "--N=32", "cgsolve spmv"; "": not known.
 * `name` is the option's without dashes and value. */
static void find_meant(const char *bad, const char *name, char *text, size_t size)
{
    const bool valued = strchr(bad, '=') != NULL;
    const char *nearest = cgs_option_nearest(name);
    text[0] = '\0';
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (cgs_option_find(name, strlen(name)) < 0 &&
            strcmp(name, cgs_command_name((enum cgs_command)i)) == 0)
            snprintf(text, size, "cgsolve %s", name);
    if (text[0] != '\0' || cgs_meant_option(bad, true, text, size) ||
        (!valued && cgs_meant_value(name, text, size)))
        return;
    if (nearest)
        snprintf(text, size, "--%s", nearest);
}

/* Fails for an unknown option and proposes a known one by its long name. */
static enum cgs_status unknown_option(struct cgs_context *context, const char *bad)
{
    char name[64], meant[128];
    const char *begin = bad + strspn(bad, "-");
    const int dashes = (int)(begin - bad);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, "="), begin);
    if (name[0] == '\0')
        return cgs_fail(context, CGS_USAGE,
                        "'%s' has no name: expected --NAME=VALUE, such as --N=32", bad);
    const char *absent = cgs_closest("", name), *flag = flag_denied(name);
    if (absent)
        return cgs_fail(context, CGS_USAGE, "%.*s%s is not here; closest: %s", dashes, bad, name,
                        absent);
    if (flag)
        return cgs_fail(context, CGS_USAGE,
                        "unknown option '%.*s%s': leave it out, --%s is off unless given", dashes,
                        bad, name, flag);
    find_meant(bad, name, meant, sizeof meant);
    return cgs_fail(context, CGS_USAGE, "unknown option '%.*s%s'%s%s%s", dashes, bad, name,
                    meant[0] ? "; did you mean '" : "", meant, meant[0] ? "'?" : "");
}

/* Returns true if the text becomes valid when one comma between digits, which is then changed, is a
 * decimal point: "jump:0,5", "1,5G". The last such comma is tried first: "50,0,1" is 50 and 0.1. */
static bool mend_comma(enum cgs_option_id id, char *text)
{
    const enum cgs_option_kind kind = cgs_option_table[id].kind;
    if (kind == CGS_KIND_INT || kind == CGS_KIND_TEXT || kind == CGS_KIND_TEXTS ||
        kind == CGS_KIND_GPUS)
        return false;
    for (size_t i = strlen(text); i-- > 1;) {
        struct cgs_context context = {0};
        struct cgs_options scratch = {0};
        if (text[i] != ',' || !isdigit((unsigned char)text[i - 1]) ||
            !isdigit((unsigned char)text[i + 1]))
            continue;
        text[i] = '.';
        if (cgs_options_take(&context, &scratch, id, text) == CGS_OK)
            return true;
        text[i] = ',';
    }
    return false;
}

/* Takes the text of an option, for a study perhaps of several values; returns true if it is
 * valid. */
static bool take_text(struct cgs_context *context, struct cgs_options *options,
                      enum cgs_option_id id, const char *text)
{
    const bool fine = context->status == CGS_OK,
               study = options->settings.command == CGS_COMMAND_STUDY;
    char mended[64];
    struct cgs_list list;
    if ((study ? cgs_options_take_list : cgs_options_take)(context, options, id, text) == CGS_OK)
        return true;
    if (cgs_kind_repeats(cgs_option_table[id].kind))
        text = cgs_line_last(text); /* those before it are valid */
    snprintf(mended, sizeof mended, "%s", text);
    if (!fine)
        return false;
    if (strlen(text) < sizeof mended && mend_comma(id, mended))
        cgs_fail_add(context, "; decimals have a point: write --%s=%s", cgs_option_table[id].name,
                     mended);
    else if (options->settings.command == CGS_COMMAND_SOLVE && cgs_list_several(id, text) &&
             strlen(text) <= 64) {
        if (cgs_list_read(&(struct cgs_context){0}, id, text, &list) == CGS_OK)
            cgs_fail_add(context, "; several values: 'cgsolve study --%s=%s'",
                         cgs_option_table[id].name, text);
        cgs_list_release(&list);
    } else if (study && cgs_option_table[id].kind == CGS_KIND_INT && text[0] &&
               strpbrk(text + 1, "; :.-"))
        cgs_fail_add(context, "; several values are written 7,15,31, 8:64:8 or 8..64");
    return false;
}

/* Takes an option as given and the ownership of `text` (NULL for a flag). The option may point into
 * it, or, if it is invalid, still into the text given before. */
static void take_given(struct cgs_context *context, struct cgs_options *options,
                       enum cgs_option_id id, char *text)
{
    char *before = options->texts[id];
    if (cgs_kind_repeats(cgs_option_table[id].kind) && before && text) {
        char *both = cgs_lines_join(before, text);
        free(text);
        text = both;
        if (!text) {
            cgs_fail(context, CGS_MEMORY, "no memory for the values of --%s",
                     cgs_option_table[id].name);
            return;
        }
    }
    const bool right = take_text(context, options, id, text ? text : "");
    free(right ? options->texts[id] : text);
    if (right)
        options->texts[id] = text;
    options->settings.given[id] = true;
}

/* Writes the option at a word as it was typed: "'-N 16' (word 2)". */
static void write_typed(const struct cgs_arguments *arguments, int at, bool flag, char *text,
                        size_t size)
{
    const char *const *argv = arguments->argv, *value;
    char place[256];
    cgs_argument_place(arguments, at, place, sizeof place);
    cgs_option_named(argv[at], &value);
    const bool apart = !flag && !value;
    snprintf(text, size, "'%.200s%s%.200s' (%s)", argv[at], apart ? " " : "",
             apart ? argv[at + 1] : "", place);
}

static void refuse_twice(struct cgs_context *context, const struct cgs_option *option,
                         const struct cgs_arguments *arguments, int first, int second)
{
    const bool flag = option->kind == CGS_KIND_FLAG;
    char one[704], other[704];
    write_typed(arguments, first, flag, one, sizeof one);
    write_typed(arguments, second, flag, other, sizeof other);
    cgs_fail(context, CGS_USAGE, "--%s appears twice, %s and %s: leave one of them out",
             option->name, one, other);
}

/* Reads the option at the word *at; if its value is the next word, advances *at to that. */
static void read_option(struct cgs_context *context, struct cgs_options *options, int *at)
{
    const int argc = options->arguments->argc;
    const char *const *argv = options->arguments->argv;
    const char *word = argv[*at], *value;
    const int found = cgs_option_named(word, &value);
    if (found < 0) {
        unknown_option(context, word);
        return;
    }
    const struct cgs_option *option = &cgs_option_table[found];
    const bool flag = option->kind == CGS_KIND_FLAG;
    if (flag && value) {
        cgs_fail(context, CGS_USAGE, "%s takes no value: it stands alone, or is left out", word);
        return;
    }
    const char *next = *at + 1 < argc ? argv[*at + 1] : NULL, *unused;
    if (!flag && !value &&
        (!next || (next[0] == '-' && next[1] != '\0' && cgs_option_named(next, &unused) >= 0))) {
        cgs_fail(context, CGS_USAGE, "%s needs a value%s%.64s%s: --%s=%s (%s)", word,
                 next ? ", but '" : "", next ? next : "", next ? "' follows" : "", option->name,
                 option->argument, option->help);
        return;
    }
    const int place = *at;
    if (options->places[found] > 0 && !cgs_kind_repeats(option->kind)) {
        *at += !flag && !value;
        refuse_twice(context, option, options->arguments, options->places[found], place);
        return;
    }
    options->places[found] = place;
    char *text = flag ? NULL : strdup(value ? value : argv[++*at]);
    if (!flag && !text)
        cgs_fail(context, CGS_MEMORY, "no memory for the value of --%s", option->name);
    else
        take_given(context, options, (enum cgs_option_id)found, text);
    options->screen = options->help && word[1] != '-';
}

static enum cgs_status parse(struct cgs_context *context, struct cgs_options *options)
{
    const struct cgs_arguments *arguments = options->arguments;
    const int argc = arguments->argc;
    const char *const *argv = arguments->argv;
    bool fine = context->status == CGS_OK;
    int taken;
    options_find_command(context, argc, argv, &options->settings.command, &taken);
    if (fine && context->status != CGS_OK)
        cgs_argument_locate(context, arguments, taken);
    options->expert = options_for_experts(argc, argv);
    if ((options->help = taken == 2))
        return context->status;
    options->words = calloc((size_t)argc + 1, sizeof *options->words);
    if (!options->words)
        return cgs_fail(context, CGS_MEMORY, "no memory for the command line");
    bool words_alone = false;
    for (int i = taken + 1; i < argc; i++) {
        if (words_alone || argv[i][0] != '-' || argv[i][1] == '\0') {
            options->words[options->word_count++] = argv[i];
            continue;
        }
        if ((words_alone = strcmp(argv[i], "--") == 0))
            continue;
        const int place = i;
        fine = context->status == CGS_OK;
        read_option(context, options, &i);
        if (fine && context->status != CGS_OK)
            cgs_argument_locate(context, arguments, place);
        if (context->status == CGS_MEMORY || options->help || options->usage || options->version ||
            options->cite)
            return context->status;
    }
    CGS_TRY(context->status); /* the first error */
    CGS_TRY(options_check_words(context, options));
    CGS_TRY(cgs_options_check_sources(context, options));
    if (options->settings.command == CGS_COMMAND_STUDY) /* each point is checked when it runs */
        return cgs_options_check_study(context, options);
    return cgs_options_settle(context, options);
}

enum cgs_status cgs_options_parse_arguments(struct cgs_context *context,
                                            const struct cgs_arguments *arguments,
                                            struct cgs_options *options)
{
    const enum cgs_status started = cgs_options_start(context, options);
    options->arguments = arguments;
    const enum cgs_status status = started == CGS_OK ? parse(context, options) : started;
    if (status != CGS_OK && options->json &&
        (cgs_options_keeps(options, options->json) || cgs_options_json_misnamed(options->json)))
        options->json = NULL; /* the failure's report must not overwrite such files */
    return status;
}

enum cgs_status cgs_options_parse(struct cgs_context *context, int argc, const char *const *argv,
                                  struct cgs_options *options)
{
    const struct cgs_arguments arguments = {.argc = argc, .argv = argv};
    const enum cgs_status status = cgs_options_parse_arguments(context, &arguments, options);
    options->arguments = NULL;
    return status;
}
