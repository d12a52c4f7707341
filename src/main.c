/* cgsolve: reads the command line, calls the command, says what went wrong, and exits. The only
 * file that prints to the terminal or exits, except for src/start, and core/ranks, where a rank
 * fails that the others do not hear, or is lost. */
#include <stdio.h>

#include "core/io/interrupt.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/terminal.h"
#include "core/io/version.h"
#include "core/options/options_value.h"
#include "core/ranks/start.h"
#include "lab/command_line/call.h"
#include "lab/command_line/help.h"
#include "lab/command_line/options_parse.h"
#include "lab/compare/compare.h"
#include "lab/exercise/exercise_command.h"
#include "lab/exercise/grade/grade_command.h"
#include "lab/study/study_command.h"
#include "src/doctor/doctor.h"
#include "src/list.h"
#include "src/solve/solve.h"
#include "src/spgemm/multiply.h"
#include "src/spmv/collection_command.h"
#include "src/start/option_file.h"
#include "src/start/program.h"
#include "src/start/role.h"

/* Prints advice by the kind of failure. */
static void print_hint(const struct cgs_context *context, const struct cgs_options *options,
                       FILE *said)
{
    switch (context->status) {
    case CGS_USAGE:
        fputs("'cgsolve help' lists the options and their values.\n", said);
        break;
    case CGS_BREAKDOWN:
        if (options->settings.matrix)
            fputs("'cgsolve spmv' and 'cgsolve spgemm' take any matrix.\n", said);
        break;
    case CGS_MEMORY:
        if (options->settings.command == CGS_COMMAND_SOLVE &&
            !options->settings.matrix) /* a file is refused by its size line */
            fputs("'cgsolve --plan' with the same options lists what the memory is for.\n", said);
        break;
    case CGS_DEVICE:
        fputs("'cgsolve doctor' says what is wrong here and what mends it.\n", said);
        break;
    case CGS_BUG:
        fprintf(said,
                "Found at %s:%d: this is a bug of cgsolve; please report it with the "
                "command line.\n",
                context->file, context->line);
        break;
    default:
        break;
    }
}

static enum cgs_status (*const commands[CGS_COMMANDS])(struct cgs_context *,
                                                       const struct cgs_call *) = {
#define CGS_COMMAND(code, name, function, ...) [CGS_COMMAND_##code] = function,
#include "core/options/commands.def"
#undef CGS_COMMAND
};

/* Runs a command other than solve. A command that solves nothing is run by the first of several
 * ranks alone, and the others are done. */
static void run_command(struct cgs_context *context, const struct cgs_call *call)
{
    const enum cgs_command command = call->options->settings.command;
    struct cgs_comm *comm = context->comm;
    const bool shared = command == CGS_COMMAND_STUDY;
    if (!shared && !cgs_comm_first(context))
        return;
    context->comm = shared ? comm : NULL;
    commands[command](context, call);
    context->comm = comm;
}

/* Answers the command line. Wrong options, and a kernel that crashed, still get a report of the
 * failure. */
static void answer(struct cgs_context *context, const struct cgs_call *call, enum cgs_guard guard)
{
    const struct cgs_options *options = call->options;
    const bool parsed = context->status == CGS_OK;
    if (parsed && options->version)
        cgs_print_version(call->text);
    else if (parsed && options->cite)
        cgs_print_citation(call->text);
    else if (parsed && options->usage)
        cgs_print_usage(call->text);
    else if (parsed && options->help)
        cgs_help(context, call);
    else if (parsed && options->settings.command != CGS_COMMAND_SOLVE)
        run_command(context, call);
    else if (guard != CGS_GUARD_DONE)
        cgs_solve(context, call);
    if (cgs_json_starved())
        cgs_fail(context, CGS_MEMORY, "no memory for texts and figures of the report");
    cgs_terminal_end(call->text);
    cgs_output_flush(context, call->text); /* what did not reach its reader is a failure, too */
    if (context->status == CGS_OK || context->unread)
        return;
    fprintf(call->said, "cgsolve: %s\n", context->message);
    print_hint(context, options, call->said);
    cgs_terminal_end(call->said);
}

int main(int argc, char **argv)
{
    struct cgs_context context;
    struct cgs_command_line line;
    struct cgs_options options;
    struct cgs_role role;
    int status;
    if (!cgs_program_begin(argc, argv, &status))
        return status;
    cgs_context_init(&context);
    if (cgs_ranks_started()) /* mpirun does not always say of a rank that ends while MPI starts */
        cgs_interrupt_catch();
    cgs_command_line_read(&context, argc, (const char *const *)argv, &line);
    cgs_options_parse_arguments(&context, &line.arguments, &options);
    cgs_role_take(&context, &options, &role);
    const struct cgs_call call = {
        .options = &options,
        .external = &role.external,
        .argc = line.arguments.argc,
        .argv = line.arguments.argv,
        .text = role.text,
        .said = role.said,
        .solve = role.comm ? cgs_solve : NULL,
        .words = options.words,
        .word_count = options.word_count,
        .files = {.json = options.json, .csv = options.csv, .plot = options.plot},
    };
    answer(&context, &call, role.guard);
    cgs_options_release(&options);
    cgs_command_line_release(&line);
    return cgs_program_end(cgs_role_end(&context, &role));
}
