#define _GNU_SOURCE /* memfd_create */
#include "lab/io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "core/io/interrupt.h"

enum { EXIT_NO_PROGRAM = 127 };
static const char program[] = "/proc/self/exe"; /* this one */
static const double PATIENCE = 10.0;            /* seconds that it may take to end when asked to */

static void become_child(char *const *words, pid_t parent, int printed, int said)
{
    const int nothing = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || nothing < 0)
        _exit(EXIT_NO_PROGRAM);
    dup2(nothing, STDIN_FILENO);
    dup2(printed < 0 ? nothing : printed, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    execv(program, words);
    dprintf(STDERR_FILENO, "the program cannot be started (%s): %s\n", program, strerror(errno));
    _exit(EXIT_NO_PROGRAM);
}

/* In memory: on a disk that is full it could not even say so. */
static FILE *open_kept(void)
{
    const int descriptor = memfd_create("output", MFD_CLOEXEC);
    FILE *kept = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
    if (!kept && descriptor >= 0)
        close(descriptor);
    return kept;
}

enum cgs_status cgs_child_check(struct cgs_context *context)
{
    return access(program, X_OK) == 0 ? CGS_OK
                                      : cgs_fail(context, CGS_FILE,
                                                 "this program starts itself once more for each of "
                                                 "its tasks, but '%s' cannot be "
                                                 "executed (%s): is /proc mounted?",
                                                 program, strerror(errno));
}

enum cgs_status cgs_child_start(struct cgs_context *context, char *const *words, bool prints,
                                struct cgs_child *child)
{
    const pid_t parent = getpid();
    *child = (struct cgs_child){0};
    CGS_TRY(cgs_child_check(context));
    child->said = open_kept();
    child->printed = prints ? open_kept() : NULL;
    if (!child->said || (prints && !child->printed)) {
        const int error = errno;
        cgs_child_release(child);
        return cgs_fail(context, CGS_MEMORY, "no memory for what a process says: %s",
                        strerror(error));
    }
    signal(SIGCHLD, SIG_DFL); /* who is ignored by inheritance can't be waited for */
    struct cgs_processors before;
    cgs_affinity_widen(&before);
    const pid_t pid = fork();
    if (pid == 0)
        become_child(words, parent, prints ? fileno(child->printed) : -1, fileno(child->said));
    const int error = errno;
    cgs_affinity_return(&before);
    if (pid < 0) {
        cgs_child_release(child);
        return cgs_fail(context, CGS_MEMORY,
                        "no memory, or no process more ('ulimit -u'), to start this program once "
                        "more: %s",
                        strerror(error));
    }
    setpgid(pid, pid); /* whoever is first */
    child->pid = pid;
    child->begun = cgs_now();
    return CGS_OK;
}

bool cgs_child_ended(struct cgs_child *child, double limit, int *status)
{
    *status = 0;
    const pid_t ended = waitpid(child->pid, status, WNOHANG);
    if (ended == child->pid || (ended < 0 && errno != EINTR)) {
        kill(-child->pid, SIGKILL); /* what it leaves behind in its group */
        child->pid = 0;
        return true;
    }
    const double now = cgs_now();
    if (child->asked == 0.0 && (cgs_interrupted() || (limit > 0.0 && now - child->begun > limit))) {
        child->asked = now;
        kill(child->pid, SIGTERM);
    }
    if (child->asked > 0.0 && now - child->asked > PATIENCE)
        kill(-child->pid, SIGKILL);
    return false;
}

int cgs_child_await(struct cgs_child *child, double limit)
{
    int status;
    while (!cgs_child_ended(child, limit, &status)) {
        const long milliseconds = cgs_now() - child->begun < 1.0 ? 2 : 20;
        nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
    }
    return status;
}

char *cgs_child_first_line(const struct cgs_child *child)
{
    static const char name[] = "cgsolve: ";
    char line[2048];
    rewind(child->said);
    if (!fgets(line, sizeof line, child->said))
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    const char *text = strncmp(line, name, sizeof name - 1) == 0 ? line + sizeof name - 1 : line;
    return *text ? strdup(text) : NULL;
}

void cgs_child_release(struct cgs_child *child)
{
    if (child->pid > 0) {
        kill(-child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
    }
    if (child->said)
        fclose(child->said);
    if (child->printed)
        fclose(child->printed);
    *child = (struct cgs_child){0};
}
