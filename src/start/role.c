#include "src/start/role.h"

#include "core/io/interrupt.h"
#include "core/io/terminal.h"
#include "core/io/version.h"
#include "core/options/arguments.h"
#include "core/options/option_table.h"
#include "core/ranks/local.h"
#include "core/ranks/mpi.h"
#include "core/ranks/start.h"
#include "core/run/run_ranks.h"
#include "core/setup/gpus.h"
#include "kernels/plugin/plugin.h"
#include "src/start/program.h"

/* Returns true unless the command line asks for texts alone. */
static bool works(const struct cgs_options *options)
{
    return !options->help && !options->version && !options->usage && !options->cite;
}

static bool solves(const struct cgs_context *context, const struct cgs_options *options)
{
    return context->status == CGS_OK && options->settings.command == CGS_COMMAND_SOLVE &&
           works(options);
}

/* Returns the number of processes that this one is to become; 1 after a failure, too. */
static int count_ranks(struct cgs_context *context, struct cgs_options *options)
{
    int ranks;
    return solves(context, options) && !cgs_ranks_started() &&
                   cgs_gpus_ranks(context, &options->settings, &ranks) == CGS_OK
               ? ranks
               : 1;
}

/* Goes on in a process of its own, which this one then watches, if a user's kernel solves. The
 * first of several ranks alone reports one that crashes. */
static enum cgs_guard isolate(struct cgs_context *context, struct cgs_options *options,
                              struct cgs_role *role)
{
    if (!solves(context, options))
        return CGS_GUARD_GO_ON;
    const enum cgs_guard guard =
        cgs_guard(context, options->settings.kernel, (int)options->settings.device,
                  &role->external.plugin, &role->external.pulse, &role->status);
    if (guard == CGS_GUARD_LOST && cgs_ranks_told_rank() > 0)
        options->json = options->history = NULL;
    return guard;
}

/* Meets the other ranks that mpirun started, or starts them; *comm NULL: there is none. */
static void open_ranks(struct cgs_context *context, int ranks, struct cgs_comm **comm)
{
    if (ranks == 1) {
        cgs_ranks_open(context, comm);
        return;
    }
    cgs_interrupt_catch();
    if (cgs_local_open(context, ranks, comm) == CGS_OK)
        cgs_program_is_first();
}

/* Refuses at once what does not work on several ranks. A study looks at its points itself. */
static void accept(struct cgs_context *context, const struct cgs_options *options,
                   const struct cgs_plugin *plugin)
{
    if (options->settings.given[CGS_OPTION_gpus] && cgs_ranks_started())
        cgs_fail(context, CGS_USAGE,
                 "--gpus starts a process for each device itself, and here several were started: "
                 "leave out --gpus, each of them takes a GPU of its host, or start one");
    if (options->settings.command == CGS_COMMAND_SOLVE)
        cgs_run_ranks_accept(context, &options->settings, plugin);
    else if (options->settings.command == CGS_COMMAND_SPMV ||
             options->settings.command == CGS_COMMAND_SPGEMM)
        cgs_fail(
            context, CGS_USAGE,
            "'cgsolve %s' measures the products of one machine, which ranks would disturb: run "
            "it on one rank",
            cgs_command_name(options->settings.command));
}

/* Makes sure that all ranks are to do the same, and that the first alone writes. */
static void meet(struct cgs_context *context, struct cgs_options *options,
                 const struct cgs_plugin *plugin)
{
    char build[512];
    snprintf(build, sizeof build, "%s %s %s %s", cgs_version(), cgs_commit(), cgs_compiler(),
             cgs_flags());
    cgs_ranks_compare(context, options->arguments->argc, options->arguments->argv, build);
    if (context->status == CGS_OK && works(options))
        accept(context, options, plugin);
    if (!cgs_comm_first(context))
        options->json = options->history = NULL;
    if (cgs_comm_agree(context, context->status) == CGS_OK) {
        cgs_ranks_compare_file(context, options->settings.matrix);
        cgs_ranks_compare_file(context, cgs_rhs_file(&options->settings));
        cgs_ranks_compare_file(context, options->settings.guess_file);
        cgs_ranks_compare_file(context, cgs_nullspace_file(&options->settings));
        cgs_ranks_compare_file(context, options->settings.near_null);
        cgs_ranks_compare_file(context, options->settings.coordinates);
    }
    cgs_comm_agree(context, context->status);
}

static FILE *open_text(const struct cgs_context *context, FILE *stream)
{
    return cgs_comm_first(context) ? cgs_terminal_open(stream) : fopen("/dev/null", "we");
}

void cgs_role_take(struct cgs_context *context, struct cgs_options *options, struct cgs_role *role)
{
    *role = (struct cgs_role){0};
    const int ranks = count_ranks(context, options);
    role->guard = isolate(context, options, role);
    if (role->guard == CGS_GUARD_GO_ON)
        open_ranks(context, ranks, &role->comm);
    context->comm = role->comm;
    role->text = open_text(context, stdout);
    role->said = open_text(context, stderr);
    if (!role->text || !role->said) { /* all that is said is that message, which is plain itself */
        role->text = stdout;
        role->said = stderr;
        cgs_fail(context, CGS_MEMORY, "no memory for the streams of texts");
    }
    if (role->comm)
        meet(context, options, role->external.plugin);
}

int cgs_role_end(struct cgs_context *context, struct cgs_role *role)
{
    const bool speaks = cgs_comm_first(context);
    cgs_plugin_close(context, role->external.plugin);
    cgs_guard_end(role->external.pulse);
    (cgs_ranks_started() ? cgs_ranks_close : cgs_local_close)(role->comm);
    return role->guard == CGS_GUARD_DONE ? role->status
           : speaks                      ? cgs_status_exit(context->status)
                                         : 0;
}
