#define _GNU_SOURCE /* pipe2, pthread_timedjoin_np */
#include "core/ranks/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/affinity.h"

/* Milliseconds that killed processes get to end, and a rank to say what it was about to say. */
enum { END_MILLISECONDS = 2000, STEP_MILLISECONDS = 5 };

/* Rank 0's, by rank; a process has one set of children at most. Other ranks have none. */
static int count;
static atomic_int pids[CGS_LOCAL_MOST];     /* 0: it has been waited for */
static struct pollfd pipes[CGS_LOCAL_MOST]; /* from each child, ended by its end */
static pthread_t watcher;

static int to_watcher; /* a child's end of its pipe, which nobody else has */

static void rest(void)
{
    poll(NULL, 0, STEP_MILLISECONDS);
}

/* Kills the children that are left, and waits for their ends. */
static void end_children(void)
{
    int left = count;
    for (int r = 1; r < count; r++)
        if (atomic_load(&pids[r]) > 0)
            kill(atomic_load(&pids[r]), SIGKILL);
    for (int waited = 0; left > 0 && waited < END_MILLISECONDS; waited += STEP_MILLISECONDS) {
        left = 0;
        for (int r = 1; r < count; r++)
            left += atomic_load(&pids[r]) > 0 && waitpid(atomic_load(&pids[r]), NULL, WNOHANG) == 0;
        if (left > 0)
            rest();
    }
}

/* Ends all ranks, once it is said why. */
static _Noreturn void end_all(const struct cgs_processes *processes)
{
    for (int waited = 0; atomic_load(&processes->ended) == 0 && waited < END_MILLISECONDS;
         waited += STEP_MILLISECONDS)
        rest();
    end_children();
    const int agreed = atomic_load(&processes->ended);
    _exit(agreed ? agreed : cgs_status_exit(CGS_LOST));
}

/* ---- the watcher of the children, a thread of rank 0 ---- */

/* Waits until a child ends, or asks for the end of all; returns its rank. */
static int find_next(void)
{
    int rank = 1;
    while (poll(pipes, (nfds_t)count, -1) < 0)
        ;
    while (rank < count - 1 && pipes[rank].revents == 0)
        rank++;
    close(pipes[rank].fd);
    pipes[rank].fd = -1; /* which poll passes over */
    return rank;
}

/* Waits for the end of a child, unless a rank ends all meanwhile: a device that hangs may keep its
 * process from ending. */
static pid_t reap(const struct cgs_processes *processes, int rank, int *status)
{
    const pid_t pid = atomic_load(&pids[rank]);
    pid_t got;
    *status = 0;
    while ((got = waitpid(pid, status, WNOHANG)) == 0 && atomic_load(&processes->ended) == 0)
        rest();
    if (got != 0)
        atomic_store(&pids[rank], 0);
    return pid;
}

/* Says that a child has died, unless a rank says what happened. After one that the user ended by
 * asking twice, rank 0 ends by the same signal. */
static void say_lost(struct cgs_processes *processes, int rank, pid_t pid, int status)
{
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (atomic_exchange(&processes->claimed, true))
        return;
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
        end_children();
        signal(number, SIG_DFL);
        raise(number);
    }
    dprintf(STDERR_FILENO, "cgsolve: rank %d (process %d) %s %d; all ranks end\n", rank, (int)pid,
            number > 0 ? "was ended by signal" : "has ended with exit status",
            number > 0 ? number : WEXITSTATUS(status));
    atomic_store(&processes->ended, cgs_status_exit(CGS_LOST));
}

static void *watch(void *user)
{
    struct cgs_processes *processes = user;
    for (int left = count - 1, status; left > 0; left--) {
        const int rank = find_next();
        const pid_t pid = reap(processes, rank, &status);
        if (atomic_load(&processes->parting))
            continue;
        say_lost(processes, rank, pid, status);
        end_all(processes);
    }
    return NULL;
}

/* ---- start and end ---- */

/* Begins a child, unless its parent has ended already. */
static void become_child(pid_t parent)
{
    count = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(cgs_status_exit(CGS_LOST));
}

/* Forks the child of rank `count`. Returns its process, 0 in the child, or -1. */
static pid_t fork_child(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        to_watcher = ends[1];
        return 0;
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return -1;
    }
    pipes[count] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    atomic_store(&pids[count++], pid);
    return pid;
}

enum cgs_status cgs_processes_fork(struct cgs_context *context, struct cgs_processes *processes,
                                   int ranks, int *rank)
{
    const pid_t parent = getpid();
    struct cgs_processors first_place; /* which all ranks would share */
    int error = 0;
    *rank = 0;
    signal(SIGCHLD, SIG_DFL); /* a process that ignores it can't wait for its children */
    cgs_affinity_widen(&first_place);
    pipes[0].fd = -1;
    count = 1;
    while (count < ranks && error == 0) {
        const int next = count;
        const pid_t pid = fork_child();
        error = pid < 0 ? errno : 0;
        if (pid == 0) {
            *rank = next;
            become_child(parent);
            return CGS_OK;
        }
    }
    if (error == 0)
        error = pthread_create(&watcher, NULL, watch, processes);
    if (error == 0)
        return CGS_OK;
    end_children();
    for (int r = 1; r < count; r++)
        close(pipes[r].fd);
    return cgs_fail(context, CGS_MEMORY,
                    "no memory, or no process more ('ulimit -u'), for %d ranks: %s", ranks,
                    strerror(error));
}

_Noreturn void cgs_processes_end(struct cgs_processes *processes, enum cgs_status status,
                                 const char *what)
{
    if (!atomic_exchange(&processes->claimed, true)) {
        dprintf(STDERR_FILENO, "cgsolve: %s\n", what);
        atomic_store(&processes->ended, cgs_status_exit(status));
        if (count > 0)
            end_all(processes);
        close(to_watcher);
    }
    for (;;)
        pause();
}

void cgs_processes_leave(struct cgs_processes *processes, double seconds)
{
    struct timespec until;
    atomic_store(&processes->parting, true);
    if (count == 0)
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    if (pthread_timedjoin_np(watcher, NULL, &until) == 0)
        return;
    end_children();
    pthread_join(watcher, NULL);
}
