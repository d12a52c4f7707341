#include "core/run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/plain.h"
#include "core/io/interrupt.h"
#include "core/io/output.h"
#include "core/options/values.h"
#include "core/ranks/start.h"
#include "kernels/plugin/plugin.h"

static const double LOOK_SECONDS = 0.05;

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

/* Global, since signal handlers take no user pointer. */
static volatile pid_t watched;
static volatile sig_atomic_t asked[PASSED_ON]; /* number of signals received, by kind */

static void pass_on(int number)
{
    const int error = errno;
    for (int i = 0; i < PASSED_ON; i++)
        if (passed_on[i] == number)
            asked[i]++;
    if (watched > 0)
        kill(watched, number);
    errno = error;
}

/* Forwards signals to the child; ignored ones (nohup) stay ignored. */
static void pass_signals(void)
{
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = (int)SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < PASSED_ON; i++)
        if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
}

/* Ends this process by the signal that ended the child. */
static void follow(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* Returns the signal that came twice, else 0. It is obeyed at once, even if the kernel has replaced
 * the child's handlers. */
static int asked_twice(void)
{
    for (int i = 0; i < PASSED_ON; i++)
        if (asked[i] > 1)
            return passed_on[i];
    return 0;
}

/* Waits for the child's end. Returns false if the kernel takes too long, *end says how, or a signal
 * came twice. */
static bool wait_for(const struct cgs_pulse *pulse, enum cgs_pulse_end *end, double *allowed)
{
    struct cgs_pulse_watch watch = {.process = watched};
    while (!cgs_child_gone(watched, LOOK_SECONDS)) {
        *end = cgs_pulse_look(&watch, pulse, allowed);
        if (asked_twice() || *end != CGS_PULSE_GOES_ON)
            return false;
    }
    return true;
}

static bool asked_for(int wait_status)
{
    for (int i = 0; i < PASSED_ON; i++)
        if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == passed_on[i])
            return true;
    return false;
}

/* Returns true if the child ended by itself: at its end, or, on several ranks, where MPI or the
 * watch of these ended it, which have said why. */
static bool ended_itself(int wait_status, const struct cgs_pulse *pulse)
{
    const bool ours = atomic_load(&pulse->doing) == CGS_DOING_OURS;
    return WIFEXITED(wait_status) && (atomic_load(&pulse->ended) || (ours && cgs_ranks_started()));
}

/* Adds which rank this process stands for to the message. */
static void name_rank(struct cgs_context *context)
{
    if (cgs_ranks_started())
        cgs_fail_add(context, " (rank %d)", cgs_ranks_told_rank());
}

/* Watches the child. Returns CGS_GUARD_DONE or CGS_GUARD_LOST. */
static enum cgs_guard watch(struct cgs_context *context, const char *kernel,
                            const struct cgs_pulse *pulse, int *status)
{
    char death[192], where[64];
    enum cgs_pulse_end end = CGS_PULSE_GOES_ON;
    double allowed = 0.0;
    const bool in_time = wait_for(pulse, &end, &allowed);
    cgs_pulse_where(pulse, where, sizeof where);
    const int ended = cgs_child_end(watched, !in_time);
    watched = 0;
    if (asked_twice())
        follow(asked_twice());
    if (in_time && asked_for(ended))
        follow(WTERMSIG(ended));
    if (in_time && ended_itself(ended, pulse)) {
        *status = WEXITSTATUS(ended);
        return CGS_GUARD_DONE;
    }
    cgs_child_death(ended, death, sizeof death);
    if (in_time)
        cgs_append(death, sizeof death, " %s", where);
    else
        cgs_pulse_explain(end, allowed, where, death, sizeof death);
    cgs_fail(context, CGS_NOT_CONVERGED, "kernel '%s' %s: nothing is known of the solution", kernel,
             death);
    name_rank(context);
    return CGS_GUARD_LOST;
}

enum cgs_guard cgs_guard(struct cgs_context *context, const char *kernel, int device,
                         struct cgs_plugin **plugin, struct cgs_pulse **pulse, int *status)
{
    if (context->status != CGS_OK || !cgs_plugin_named(kernel))
        return CGS_GUARD_GO_ON;
    if (cgs_plugin_open(context, kernel, device, plugin) != CGS_OK)
        return CGS_GUARD_GO_ON;
    *pulse = mmap(NULL, sizeof **pulse, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t pid = *pulse == MAP_FAILED ? -1 : cgs_child_fork();
    if (pid < 0)
        cgs_fail(context, CGS_BUG, "no process for kernel '%s': %s", kernel, strerror(errno));
    if (pid <= 0)
        return CGS_GUARD_GO_ON;
    watched = pid;
    pass_signals();
    return watch(context, kernel, *pulse, status);
}

/* ---- state of the process that a kernel may change ---- */

static struct {
    char folder[PATH_MAX];
    mode_t mask;
    int stdout_kept; /* descriptor of standard output while redirected; -1: none */
} lent;

void cgs_guard_lend(const struct cgs_pulse *pulse)
{
    if (!pulse)
        return;
    if (!getcwd(lent.folder, sizeof lent.folder))
        lent.folder[0] = '\0';
    umask(lent.mask = umask(0));
    fflush(stdout);
    lent.stdout_kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* keeps the kernel's prints out of a report on stdout */
}

void cgs_guard_take_back(const struct cgs_pulse *pulse)
{
    if (!pulse)
        return;
    uselocale(LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
    fesetenv(FE_DFL_ENV);
    umask(lent.mask);
    if (lent.folder[0])
        (void)!chdir(lent.folder);
    fflush(stdout);
    if (dup2(lent.stdout_kept, STDOUT_FILENO) < 0) /* then writing the report has to fail */
        close(STDOUT_FILENO);
    else
        close(lent.stdout_kept);
    cgs_output_keep();
    if (!cgs_interrupted())
        cgs_interrupt_catch();
}

void cgs_guard_judge(struct cgs_context *context, const char *kernel, const struct cgs_pulse *pulse)
{
    char said[1024];
    if (!pulse || context->status != CGS_DEVICE || atomic_load(&pulse->product) == 0)
        return;
    snprintf(said, sizeof said, "%.1000s", context->message);
    context->status = CGS_OK;
    cgs_fail(context, CGS_NOT_CONVERGED,
             "kernel '%s' broke its device, at the latest in its product "
             "number %lld: %s",
             kernel, (long long)atomic_load(&pulse->product), said);
}

void cgs_guard_end(struct cgs_pulse *pulse)
{
    if (pulse)
        atomic_store(&pulse->ended, 1);
}

void cgs_guard_beat(struct cgs_pulse *pulse, bool rest)
{
    if (rest && pulse)
        cgs_pulse_do(pulse, CGS_DOING_OURS);
    else
        cgs_pulse_beat(pulse);
}
