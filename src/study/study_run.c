/* Runs the points one after the other, each in a process of its own: this program once more; or on several
 * ranks (study_ranks.c). */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernels/user/process.h"
#include "src/io/format.h"
#include "src/io/interrupt.h"
#include "src/study/study.h"

enum { EXIT_NO_PROGRAM = 127, SIGNALLED = 128 };
static const char program[] = "/proc/self/exe"; /* this one */
static const double patience = 10.0; /* seconds that a point may take to end when asked to */

/* ---- its process ---- */

/* Its own process group: what a terminal's Ctrl-C does is ours to pass on. It does not outlive us. */
static void become_point(char *const *words, pid_t parent, int said)
{
    const int nothing = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || nothing < 0)
        _exit(EXIT_NO_PROGRAM);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    execv(program, words);
    dprintf(STDERR_FILENO, "the point cannot be started (%s): %s\n", program, strerror(errno));
    _exit(EXIT_NO_PROGRAM);
}

/* Its wait status. An interrupt is passed on; who does not obey is ended. */
static int await(pid_t pid)
{
    const double begun = cgs_now();
    double asked = 0.0;
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) {
            kill(-pid, SIGKILL); /* what it leaves behind in its group */
            return status;
        }
        if (cgs_interrupted() && asked == 0.0) {
            asked = cgs_now();
            kill(pid, SIGTERM);
        }
        if (asked > 0.0 && cgs_now() - asked > patience)
            kill(-pid, SIGKILL);
        const long milliseconds = cgs_now() - begun < 1.0 ? 2 : 20;
        nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
    }
}

/* The first line that it said, without the program's name; NULL: none. Owned by the caller. */
static char *first_line(FILE *said)
{
    static const char name[] = "cgsolve: ";
    char line[2048];
    rewind(said);
    if (!fgets(line, sizeof line, said))
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    const char *text = strncmp(line, name, sizeof name - 1) == 0 ? line + sizeof name - 1 : line;
    return *text ? strdup(text) : NULL;
}

/* Records the exit status of a point, and reads its report. */
static enum cgs_status take_report(struct cgs_context *context, struct cgs_point *point,
                                   int exit_status)
{
    point->exit_status = exit_status;
    const enum cgs_status status = cgs_point_take(context, point);
    if (status != CGS_OK) {
        cgs_point_forget(point);
        point->exit_status = -1; /* its report stays for --resume */
        return status;
    }
    if (exit_status == 0 && !point->report) {
        point->exit_status = cgs_status_exit(CGS_FILE);
        point->message = strdup("its report is gone");
    }
    return CGS_OK;
}

/* Concludes a point by its process's end. */
static enum cgs_status conclude(struct cgs_context *context, struct cgs_point *point,
                                int wait_status, FILE *said)
{
    char death[96];
    CGS_TRY(take_report(context, point,
                        WIFSIGNALED(wait_status) ? SIGNALLED + WTERMSIG(wait_status)
                                                 : WEXITSTATUS(wait_status)));
    if (WIFSIGNALED(wait_status)) {
        cgs_process_death(wait_status, death, sizeof death);
        free(point->message);
        point->message = strdup(death);
    } else if (point->exit_status != 0 && !point->message) {
        point->message = first_line(said);
    }
    return CGS_OK;
}

/* Removes the point's old report, and lists the words of its command line; *listed: owned by the caller, by
 * cgs_words_release. */
static enum cgs_status list_words(const struct cgs_study *study, const struct cgs_point *point,
                                  char ***listed)
{
    const size_t size = strlen(point->file) + sizeof "--json=";
    char **words = cgs_point_words(study, point), *json = malloc(size);
    int count = 0;
    if (!words || !json) {
        cgs_words_release(words);
        free(json);
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the command line of a point");
    }
    while (words[count])
        count++;
    snprintf(json, size, "--json=%s", point->file);
    words[count] = json;
    if (unlink(point->file) != 0 && errno != ENOENT) { /* what is there then is to be this run's */
        const int error = errno;
        cgs_words_release(words);
        return cgs_fail(study->context, CGS_FILE, "cannot remove the old report '%s': %s",
                        point->file, strerror(error));
    }
    *listed = words;
    return CGS_OK;
}

static enum cgs_status start(const struct cgs_study *study, const struct cgs_point *point,
                             FILE *said, pid_t *pid)
{
    const pid_t parent = getpid();
    char **words;
    CGS_TRY(list_words(study, point, &words));
    *pid = fork();
    if (*pid == 0)
        become_point(words, parent, fileno(said));
    const int error = errno;
    cgs_words_release(words);
    if (*pid < 0)
        return cgs_fail(study->context, CGS_MEMORY,
                        "no memory, or no process more ('ulimit -u'), for a point of the study: %s",
                        strerror(error));
    setpgid(*pid, *pid); /* whoever is first */
    return CGS_OK;
}

/* In memory: on a disk that is full a point could not even say so. */
static FILE *open_said(void)
{
    const int descriptor = memfd_create("said", MFD_CLOEXEC);
    FILE *said = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
    if (!said && descriptor >= 0)
        close(descriptor);
    return said;
}

/* Solves a point on all ranks. */
static enum cgs_status solve_point(struct cgs_study *study, struct cgs_point *point)
{
    struct cgs_context outcome;
    char **words;
    CGS_TRY(list_words(study, point, &words));
    const double begun = cgs_now();
    const enum cgs_status status = cgs_study_lead(study, words, &outcome);
    point->seconds = cgs_now() - begun;
    cgs_words_release(words);
    CGS_TRY(status);
    CGS_TRY(take_report(study->context, point, cgs_status_exit(outcome.status)));
    if (point->exit_status != 0 && !point->message)
        point->message = strdup(outcome.message);
    return CGS_OK;
}

static enum cgs_status run_point(struct cgs_study *study, struct cgs_point *point)
{
    if (study->solve)
        return solve_point(study, point);
    pid_t pid = -1;
    FILE *said = open_said();
    if (!said)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for what a point says: %s",
                        strerror(errno));
    const double begun = cgs_now();
    enum cgs_status status = start(study, point, said, &pid);
    if (status == CGS_OK) {
        status = conclude(study->context, point, await(pid), said);
        point->seconds = cgs_now() - begun;
    }
    fclose(said);
    return status;
}

/* ---- all of them ---- */

static void say_end(FILE *progress, const struct cgs_point *point)
{
    cgs_text took;
    fprintf(progress, " %s", cgs_seconds_text(point->seconds, took));
    if (point->exit_status != 0)
        fprintf(progress, ", FAILED (exit status %d)", point->exit_status);
    fputc('\n', progress);
}

static enum cgs_status interrupted(struct cgs_study *study)
{
    int done = 0;
    study->interrupted = true;
    for (int i = 0; i < study->count; i++)
        done += cgs_point_done(&study->points[i]);
    return cgs_fail(study->context, CGS_INTERRUPTED, "interrupted: %d of %d points are done; %s",
                    done, study->count,
                    study->temporary ? "--report=DIR would keep them, and --resume go on"
                                     : "the same command with --resume goes on");
}

/* An interrupted point is one that was not run. */
static void undo(struct cgs_point *point)
{
    unlink(point->file);
    cgs_point_forget(point);
    point->exit_status = -1;
    point->seconds = 0.0;
}

enum cgs_status cgs_study_run(struct cgs_study *study, FILE *progress)
{
    if (access(program, X_OK) != 0)
        return cgs_fail(study->context, CGS_FILE,
                        "a study starts this program for each of its points, but '%s' cannot be "
                        "executed (%s): is /proc mounted?",
                        program, strerror(errno));
    signal(SIGCHLD, SIG_DFL); /* who is ignored by inheritance can't be waited for */
    for (int i = 0; i < study->count; i++) {
        struct cgs_point *point = &study->points[i];
        char label[256];
        if (cgs_point_done(point))
            continue;
        if (cgs_interrupted())
            return interrupted(study);
        cgs_point_label(study, point, false, label, sizeof label);
        if (progress) {
            fprintf(progress, "[%d of %d] %s%s...", i + 1, study->count, label,
                    label[0] ? " " : "");
            fflush(progress);
        }
        CGS_TRY(run_point(study, point));
        if ((cgs_interrupted() || study->solve) && point->exit_status >= SIGNALLED) {
            if (progress)
                fputc('\n', progress);
            undo(point);
            return interrupted(study);
        }
        if (progress)
            say_end(progress, point);
    }
    return CGS_OK;
}
