/* cgsolve: reads the command line, calls the command, says what went wrong, and exits. Nobody else
 * prints to the terminal or exits, but a rank's watch while main waits (core/ranks/watch.h), and ranks of one program
 * where one is lost (core/ranks/processes.h). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "core/io/interrupt.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/stack.h"
#include "core/io/terminal.h"
#include "core/io/threads.h"
#include "core/io/version.h"
#include "core/options/option_file.h"
#include "core/ranks/local.h"
#include "core/ranks/ranks.h"
#include "core/run/guard.h"
#include "core/run/run_ranks.h"
#include "core/settle/gpus.h"
#include "kernels/user/foreign.h"
#include "kernels/user/worker.h"
#include "lab/compare/compare.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/grade.h"
#include "lab/study/study.h"
#include "src/doctor/doctor.h"
#include "src/list.h"
#include "src/solve/solve.h"
#include "src/spgemm/multiply.h"
#include "src/spmv/collection.h"

/* Prints advice by the kind of failure. */
static void print_hint(const struct cgs_context *context, const struct cgs_options *options,
                       FILE *said)
{
    switch (context->status) {
    case CGS_USAGE:
        fputs("'cgsolve --help' lists all options and their values.\n", said);
        break;
    case CGS_BREAKDOWN:
        if (options->matrix)
            fputs("'cgsolve spmv' and 'cgsolve spgemm' take any matrix.\n", said);
        break;
    case CGS_MEMORY:
        if (options->command == CGS_COMMAND_SOLVE &&
            !options->matrix) /* a file is refused by its size line */
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

/* Libraries that end the process themselves (OpenMP's, before all) do that where they get no memory or no
 * thread, and with status 1, which is a usage error's. A user's kernel that does so is found by its watcher. */
static bool ending;
static pid_t first;

static void correct_status(void)
{
    if (!ending && getpid() == first)
        _exit(cgs_status_exit(CGS_MEMORY));
}

static enum cgs_status (*const commands[CGS_COMMANDS])(struct cgs_context *,
                                                       const struct cgs_call *) = {
#define CGS_COMMAND(code, name, function, ...) [CGS_COMMAND_##code] = function,
#include "core/options/commands.def"
#undef CGS_COMMAND
};

/* Returns the stream of texts; ranks but the first say nothing. */
static FILE *open_text(const struct cgs_context *context, FILE *stream)
{
    return cgs_comm_first(context) ? cgs_terminal_open(stream) : fopen("/dev/null", "we");
}

/* Returns true unless the command line asks for texts alone. */
static bool works(const struct cgs_options *options)
{
    return !options->help && !options->version && !options->usage;
}

/* Refuses at once what does not work on several ranks. A study looks at its points itself. */
static void accept(struct cgs_context *context, const struct cgs_options *options)
{
    if (options->given[CGS_OPTION_gpus] && cgs_ranks_started())
        cgs_fail(context, CGS_USAGE,
                 "--gpus starts a process for each device itself, and here several were started: "
                 "leave out --gpus, each of them takes a GPU of its host, or start one");
    if (options->command == CGS_COMMAND_SOLVE)
        cgs_run_ranks_accept(context, options);
    else if (options->command == CGS_COMMAND_SPMV || options->command == CGS_COMMAND_SPGEMM)
        cgs_fail(
            context, CGS_USAGE,
            "'cgsolve %s' measures the products of one machine, which ranks would disturb: run "
            "it on one rank",
            cgs_command_name(options->command));
}

/* Runs a command other than solve. A command that solves nothing is run by the first of several ranks alone, and
 * the others are done. */
static void run_command(struct cgs_context *context, const struct cgs_call *call)
{
    const enum cgs_command command = call->options->command;
    struct cgs_comm *comm = context->comm;
    const bool shared = command == CGS_COMMAND_STUDY;
    if (!shared && !cgs_comm_first(context))
        return;
    context->comm = shared ? comm : NULL;
    commands[command](context, call);
    context->comm = comm;
}

/* Makes sure that all ranks are to do the same, and that the first alone writes. `options` are parsed; the
 * context says if that failed. */
static enum cgs_status meet(struct cgs_context *context, struct cgs_options *options)
{
    char build[512];
    snprintf(build, sizeof build, "%s %s %s %s", cgs_version(), cgs_commit(), cgs_compiler(),
             cgs_flags());
    cgs_ranks_compare(context, options->arguments->argc, options->arguments->argv, build);
    if (context->status == CGS_OK && works(options))
        accept(context, options);
    if (!cgs_comm_first(context))
        options->json = options->history = NULL;
    if (cgs_comm_agree(context, context->status) == CGS_OK) {
        cgs_ranks_compare_file(context, options->matrix);
        cgs_ranks_compare_file(context, cgs_rhs_file(options));
        cgs_ranks_compare_file(context, options->guess_file);
    }
    return cgs_comm_agree(context, context->status);
}

/* Goes on in a process of its own, which this one then watches, if a user's kernel solves. The first of
 * several ranks alone reports one that crashes. */
static enum cgs_guard isolate(struct cgs_context *context, struct cgs_options *options, int *status)
{
    if (context->status != CGS_OK || options->command != CGS_COMMAND_SOLVE || !works(options))
        return CGS_GUARD_GO_ON;
    const enum cgs_guard guard = cgs_guard(context, options->kernel, (int)options->device,
                                           &options->foreign, &options->pulse, status);
    if (guard == CGS_GUARD_LOST && cgs_ranks_told_rank() > 0)
        options->json = options->history = NULL;
    return guard;
}

/* Returns how many processes this one is to become; 1 after a failure, too. */
static int count_ranks(struct cgs_context *context, struct cgs_options *options)
{
    int ranks;
    const bool may = context->status == CGS_OK && options->command == CGS_COMMAND_SOLVE &&
                     works(options) && !cgs_ranks_started();
    return may && cgs_gpus_ranks(context, options, &ranks) == CGS_OK ? ranks : 1;
}

/* Meets the other ranks that mpirun started, or starts them; *comm NULL: there is none. */
static void open_ranks(struct cgs_context *context, int ranks, struct cgs_comm **comm)
{
    *comm = NULL;
    if (ranks == 1) {
        cgs_ranks_open(context, comm);
        return;
    }
    cgs_interrupt_catch();
    if (cgs_local_open(context, ranks, comm) == CGS_OK)
        first = getpid();
}

/* Parts from them; NULL is allowed. */
static void close_ranks(struct cgs_comm *comm)
{
    (cgs_ranks_started() ? cgs_ranks_close : cgs_local_close)(comm);
}

int main(int argc, char **argv)
{
    struct cgs_context context;
    struct cgs_command_line line;
    struct cgs_options options;
    int status = 0;
    int64_t stack;

    if (!cgs_stack_ensure(&stack)) {
        fprintf(stderr,
                "cgsolve: the stack may take %lld kB (ulimit -s), which only the superuser can "
                "raise here: cgsolve needs %d kB\n",
                (long long)(stack / 1024), CGS_STACK_LEAST / 1024);
        return cgs_status_exit(CGS_MEMORY);
    }
    cgs_memory_return_blocks();
    cgs_threads_make_brief(argv);
    if (cgs_worker_wanted(argc, argv))
        return cgs_worker_main(argv);
    first = getpid();
    atexit(correct_status);
    cgs_output_prepare();
    cgs_json_watch();
    cgs_context_init(&context);
    struct cgs_comm *comm = NULL;
    if (cgs_ranks_started()) /* mpirun does not always say of a rank that ends while MPI starts */
        cgs_interrupt_catch();
    cgs_command_line_read(&context, argc, (const char *const *)argv, &line);
    cgs_options_parse_arguments(&context, &line.arguments, &options);
    const int ranks = count_ranks(&context, &options);
    const enum cgs_guard guard = isolate(&context, &options, &status);
    if (guard == CGS_GUARD_GO_ON)
        open_ranks(&context, ranks, &comm);
    context.comm = comm;
    FILE *text = open_text(&context, stdout), *said = open_text(&context, stderr);
    if (!text || !said) { /* all that is said from here on is that message, which is plain itself */
        text = stdout;
        said = stderr;
        cgs_fail(&context, CGS_MEMORY, "no memory for the streams of texts");
    }
    const enum cgs_status parsed = comm ? meet(&context, &options) : context.status;
    const struct cgs_call call = {
        .options = &options,
        .argc = line.arguments.argc,
        .argv = line.arguments.argv,
        .text = text,
        .said = said,
        .solve = comm ? cgs_solve : NULL,
        .words = options.words,
        .word_count = options.word_count,
        .files = {.json = options.json, .csv = options.csv, .plot = options.plot},
    };
    if (parsed == CGS_OK && options.version)
        cgs_print_version(text);
    else if (parsed == CGS_OK && options.usage)
        cgs_print_usage(text);
    else if (parsed == CGS_OK && options.help)
        cgs_help(&context, &call);
    else if (parsed == CGS_OK && options.command != CGS_COMMAND_SOLVE)
        run_command(&context, &call);
    else if (guard != CGS_GUARD_DONE)
        cgs_solve(&context, &call); /* of wrong options, and of a kernel that crashed, the report alone */
    if (cgs_json_starved())
        cgs_fail(&context, CGS_MEMORY, "no memory for texts and figures of the report");
    cgs_terminal_end(text);
    cgs_output_flush(&context, text); /* what did not reach its reader is a failure, too */

    if (context.status != CGS_OK && !context.unread) {
        fprintf(said, "cgsolve: %s\n", context.message);
        print_hint(&context, &options, said);
        cgs_terminal_end(said);
    }
    cgs_foreign_close(&context, options.foreign);
    cgs_guard_end(options.pulse);
    cgs_options_release(&options);
    cgs_command_line_release(&line);
    /* Only the first of ranks that end together has an exit status other than 0: mpirun may lose its message if
     * another one ends with a failure before it. */
    const bool speaks = cgs_comm_first(&context);
    close_ranks(comm);
    if (guard != CGS_GUARD_DONE)
        status = speaks ? cgs_status_exit(context.status) : 0;
    if (getpid() !=
        first) /* what a user's kernel does at exit is nobody's business, and may never end */
        _exit(status);
    ending = true;
    return status;
}
