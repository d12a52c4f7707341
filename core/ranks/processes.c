#include "core/ranks/processes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/clock.h"

/* Milliseconds that processes get to end: killed ones, and rank 0 when told to. */
enum { END_MILLISECONDS = 2000, STEP_MILLISECONDS = 5 };

/* Rank 0's, for its handler, which gets no pointer. A process has one set of children at most. */
static struct cgs_processes *family;
static atomic_bool reaped[CGS_PROCESSES_MOST];
static atomic_int calls; /* of the handler, by several threads at once perhaps */

/* ---- what the handler may call: async-signal-safe functions alone ---- */

static void rest(void)
{
    poll(NULL, 0, STEP_MILLISECONDS);
}

static char *add_text(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static char *add_number(char *to, int number)
{
    char digits[16];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static void print(const char *text, size_t length)
{
    if (write(STDERR_FILENO, text, length) < 0)
        return; /* nobody reads it */
}

/* Returns true if that child is there no more. */
static bool reap(int rank, int *status)
{
    const pid_t pid = atomic_load(&family->pid[rank]);
    if (pid == 0 || atomic_load(&reaped[rank]))
        return true;
    const pid_t ended = waitpid(pid, status, WNOHANG);
    if (ended == pid || (ended < 0 && errno == ECHILD))
        atomic_store(&reaped[rank], true);
    return atomic_load(&reaped[rank]);
}

/* Ends the children. */
static void end_children(void)
{
    int left = family->count, status;
    for (int r = 1; r < family->count; r++)
        if (!atomic_load(&reaped[r]) && atomic_load(&family->pid[r]) > 0)
            kill(atomic_load(&family->pid[r]), SIGKILL);
    for (int waited = 0; left > 0 && waited < END_MILLISECONDS; waited += STEP_MILLISECONDS) {
        left = 0;
        for (int r = 1; r < family->count; r++)
            left += !reap(r, &status);
        if (left > 0)
            rest();
    }
}

/* Ends this process, rank 0, as signal `number` does without a handler. */
static void follow(int number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

/* Says that a child has died, unless another rank says what happened, and ends all. */
static _Noreturn void end_for(int rank, int status)
{
    char line[160], *end = line;
    if (!atomic_exchange(&family->claimed, true)) {
        end = add_number(add_text(end, "cgsolve: rank "), rank);
        end = add_number(add_text(end, " (process "), atomic_load(&family->pid[rank]));
        end = add_text(end, WIFSIGNALED(status) ? ") was ended by signal "
                                                : ") has ended with exit status ");
        end = add_number(end, WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        end = add_text(end, "; all ranks end\n");
        print(line, (size_t)(end - line));
        atomic_store(&family->ended, cgs_status_exit(CGS_LOST));
    }
    for (int i = 0; atomic_load(&family->ended) == 0 && i < END_MILLISECONDS / STEP_MILLISECONDS;
         i++)
        rest();
    end_children();
    const int agreed = atomic_load(&family->ended);
    _exit(agreed ? agreed : cgs_status_exit(CGS_LOST));
}

/* A child that the user has ended by asking twice ends all in the same way. */
static bool asked_for(int status)
{
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

static void look(void)
{
    const int agreed = atomic_load(&family->ended);
    if (agreed) {
        end_children();
        _exit(agreed);
    }
    for (int r = 1; r < family->count; r++) {
        int status = 0;
        if (atomic_load(&reaped[r]) || atomic_load(&family->pid[r]) == 0 || !reap(r, &status) ||
            atomic_load(&family->done[r]))
            continue;
        if (asked_for(status)) {
            end_children();
            follow(WTERMSIG(status));
        }
        end_for(r, status);
    }
}

/* Handler of SIGCHLD, which also a child sends that wants all to end. */
static void note_change(int number)
{
    (void)number;
    const int error = errno;
    int seen = 1;
    if (atomic_fetch_add(&calls, 1) == 0) /* else another thread looks, and will do so once more */
        do {
            seen = atomic_load(&calls);
            look();
        } while (atomic_fetch_sub(&calls, seen) != seen);
    errno = error;
}

/* ---- the others ---- */

/* Begins a child, unless its parent has ended already. */
static void become_child(pid_t parent)
{
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(cgs_status_exit(CGS_LOST));
}

enum cgs_status cgs_processes_fork(struct cgs_context *context, struct cgs_processes *processes,
                                   int count, int *rank)
{
    const pid_t parent = getpid();
    struct sigaction action = {.sa_handler = note_change, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    sigemptyset(&action.sa_mask);
    processes->count = count;
    atomic_store(&processes->pid[0], parent);
    family = processes;
    sigaction(SIGCHLD, &action, NULL);
    *rank = 0;
    struct cgs_processors first_place; /* which all ranks would share */
    cgs_affinity_widen(&first_place);
    for (int r = 1; r < count; r++) {
        const pid_t pid = fork();
        if (pid == 0) {
            atomic_store(&processes->pid[r], getpid());
            *rank = r;
            become_child(parent);
            return CGS_OK;
        }
        if (pid < 0) {
            const int error = errno;
            signal(SIGCHLD, SIG_DFL);
            end_children();
            return cgs_fail(context, CGS_MEMORY,
                            "no memory, or no process more ('ulimit -u'), for %d ranks: %s", count,
                            strerror(error));
        }
        atomic_store(&processes->pid[r], pid);
    }
    raise(SIGCHLD); /* for a child that died before its number was known */
    return CGS_OK;
}

/* Waits for the end that rank 0 brings about; and if that can't, ends it, and with it all. */
static _Noreturn void wait_for_end(const struct cgs_processes *processes)
{
    for (int waited = 0; waited < 2 * END_MILLISECONDS; waited += STEP_MILLISECONDS)
        rest();
    kill(atomic_load(&processes->pid[0]), SIGKILL);
    for (;;)
        rest();
}

_Noreturn void cgs_processes_end(struct cgs_processes *processes, enum cgs_status status,
                                 const char *what)
{
    char line[sizeof((struct cgs_context *)0)->message + 64];
    if (!atomic_exchange(&processes->claimed, true)) {
        snprintf(line, sizeof line, "cgsolve: %s\n", what);
        print(line, strlen(line));
        atomic_store(&processes->ended, cgs_status_exit(status));
        kill(atomic_load(&processes->pid[0]), SIGCHLD);
    }
    wait_for_end(processes);
}

void cgs_processes_leave(struct cgs_processes *processes, int rank, double seconds)
{
    const double begin = cgs_now();
    int left = processes->count, status;
    atomic_store(&processes->done[rank], true);
    if (rank > 0)
        return;
    while (left > 0 && cgs_now() - begin < seconds) {
        left = 0;
        for (int r = 1; r < processes->count; r++)
            left += !reap(r, &status);
        if (left > 0)
            rest();
    }
    signal(SIGCHLD, SIG_DFL);
    end_children();
    family = NULL;
}
