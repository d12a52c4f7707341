#define _GNU_SOURCE /* execvpe, memfd_create, vfork */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/clock.h"

enum {
    EXIT_NO_PROGRAM = 127,
    DESCRIPTORS_MOST = 8,
    PIDFD_OPEN = 434,     /* system call of Linux 5.3 */
    LOOK_MILLISECONDS = 5 /* without it */
};

/* ---- start ---- */

/* Enters a group of its own, and ends with the parent, which may have died already. */
static void belong_to(pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_NO_PROGRAM);
}

/* Copies them above all final numbers first: none is overwritten before it is in its place. */
static bool place(const int *descriptors, int count)
{
    int high[DESCRIPTORS_MOST];
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < count; i++)
        high[i] = fcntl(descriptors[i] < 0 ? nothing : descriptors[i], F_DUPFD_CLOEXEC, count);
    for (int i = 0; i < count; i++)
        if (dup2(high[i], i) < 0)
            return false;
    return true;
}

/* Becomes the program; *error: why not. It has the parent's memory, but signals and descriptors
 * of its own. */
static _Noreturn void become(const char *program, char *const *words, const int *descriptors,
                             int count, pid_t parent, volatile int *error)
{
    sigset_t none;
    sigemptyset(&none);
    belong_to(parent);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    if (place(descriptors, count)) {
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(program, words);
    }
    *error = errno;
    _exit(EXIT_NO_PROGRAM);
}

int cgs_child_start(const char *program, char *const *words, const int *descriptors, int count,
                    pid_t *pid)
{
    const pid_t parent = getpid();
    volatile int error = 0;
    sigset_t all, before;
    struct cgs_processors first_place;
    signal(SIGCHLD, SIG_DFL); /* a process that ignores SIGCHLD cannot wait for its children */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* no handler of ours runs in the child */
    cgs_affinity_widen(&first_place);
    const pid_t made = vfork(); /* copies no tables of a large matrix's memory */
    if (made == 0)
        become(program, words, descriptors, count, parent, &error);
    if (made < 0)
        error = errno;
    cgs_affinity_return(&first_place);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        *pid = made;
    else if (made > 0)
        cgs_child_end(made, false);
    return error;
}

pid_t cgs_child_fork(void)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        belong_to(parent);
    else if (pid > 0)
        setpgid(pid, pid); /* whoever is first */
    return pid;
}

FILE *cgs_child_output(void)
{
    const int descriptor = memfd_create("output", MFD_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

/* ---- its end ---- */

bool cgs_child_gone(pid_t pid, double seconds)
{
    const double until = cgs_now() + seconds;
    const int end = seconds > 0.0 ? (int)syscall(PIDFD_OPEN, pid, 0) : -1;
    struct pollfd ended = {.fd = end, .events = POLLIN};
    bool gone;
    for (;;) {
        siginfo_t info = {0};
        const double left = until - cgs_now();
        gone = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
                   ? info.si_pid == pid
                   : errno == ECHILD; /* somebody else has waited for it */
        if (gone || left <= 0.0)
            break;
        poll(&ended, 1, end < 0 ? LOOK_MILLISECONDS : left < 1.0 ? (int)(1e3 * left) + 1 : 1000);
    }
    if (end >= 0)
        close(end);
    return gone;
}

int cgs_child_end(pid_t pid, bool kill_first)
{
    int status = 0;
    if (kill_first)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    kill(-pid, SIGKILL); /* whatever it has left in its group */
    return status;
}

static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"},
                 {SIGBUS, "SIGBUS"},
                 {SIGFPE, "SIGFPE"},
                 {SIGILL, "SIGILL"},
                 {SIGABRT, "SIGABRT"},
                 {SIGTRAP, "SIGTRAP"},
                 {SIGTERM, "SIGTERM"},
                 {SIGPIPE, "SIGPIPE"},
                 {SIGXCPU, "SIGXCPU"},
                 {SIGINT, "SIGINT"},
                 {SIGHUP, "SIGHUP"},
                 {SIGSYS, "SIGSYS"},
                 {SIGKILL, "SIGKILL (by somebody, or because memory ran out)"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}

void cgs_child_death(int wait_status, char *text, size_t size)
{
    const char *name = WIFSIGNALED(wait_status) ? signal_name(WTERMSIG(wait_status)) : NULL;
    if (name)
        snprintf(text, size, "was ended by %s", name);
    else if (WIFSIGNALED(wait_status))
        snprintf(text, size, "was ended by signal %d", WTERMSIG(wait_status));
    else
        snprintf(text, size, "ended its process by exit(%d)", WEXITSTATUS(wait_status));
}
