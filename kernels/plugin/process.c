#define _GNU_SOURCE /* memfd_create */
#include "kernels/plugin/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "kernels/plugin/contain.h"
#include "kernels/plugin/symbols.h"

enum { LOOK_MILLISECONDS = 50 };

/* ---- start ---- */

enum cgs_status cgs_process_create(struct cgs_context *context, int64_t length,
                                   struct cgs_process *process)
{
    struct cgs_process made = {.socket = -1, .library = -1, .said = -1, .length = length};
    made.block = memfd_create("cgsolve kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made.block < 0 || ftruncate(made.block, (off_t)length) != 0 ||
        fcntl(made.block, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        (made.job = mmap(NULL, (size_t)length, PROT_READ | PROT_WRITE, MAP_SHARED, made.block,
                         0)) == MAP_FAILED) {
        const int error = errno;
        if (made.block >= 0)
            close(made.block);
        return cgs_fail(context, CGS_MEMORY, "%.3f GB to share with a user's kernel: %s",
                        1e-9 * (double)length, strerror(error));
    }
    made.job->length = length;
    *process = made;
    return CGS_OK;
}

/* Status for an errno of starting a process or a socket. */
static enum cgs_status refusal(int error)
{
    switch (error) {
    case EAGAIN:
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        return CGS_MEMORY;
    case EACCES:
    case ENOENT: /* no /proc */
        return CGS_FILE;
    default:
        return CGS_BUG;
    }
}

/* Starts the worker with three environment variables. OMP_WAIT_POLICY: its threads spin while they
 * wait, since sleeping makes products of microseconds four times as long. LD_PRELOAD: the address
 * sanitizer, if the kernel was compiled for it. ASAN_OPTIONS: leaks are not reported, faults are
 * left to the worker's handler, and memory is limited by the sanitizer itself, which reserves more
 * address space than any limit allows. */
static int spawn_worker(char *const *words, const int *descriptors, int count, const char *preload,
                        pid_t *pid)
{
    static const char options[] = "detect_leaks=0:handle_segv=0:hard_rss_limit_mb=700";
    const bool loads = preload && preload[0];
    const struct {
        const char *name, *value;
    } variables[] = {{"OMP_WAIT_POLICY", getenv("OMP_WAIT_POLICY") ? NULL : "active"},
                     {"LD_PRELOAD", loads ? preload : NULL},
                     {"ASAN_OPTIONS", loads ? options : NULL}};
    enum { VARIABLES = sizeof variables / sizeof *variables };
    char *before[VARIABLES] = {NULL};
    for (int i = 0; i < VARIABLES; i++)
        if (variables[i].value) {
            const char *was = getenv(variables[i].name);
            before[i] = was ? strdup(was) : NULL;
            setenv(variables[i].name, variables[i].value, 1);
        }
    const int error = cgs_child_start(CGS_CHILD_SELF, words, descriptors, count, pid);
    for (int i = 0; i < VARIABLES; i++) {
        if (before[i])
            setenv(variables[i].name, before[i], 1);
        else if (variables[i].value)
            unsetenv(variables[i].name);
        free(before[i]);
    }
    return error;
}

enum cgs_status cgs_process_start(struct cgs_context *context, int library,
                                  struct cgs_process *process)
{
    int pair[2];
    char title[sizeof process->name + 32], word[] = CGS_WORKER_WORD;
    char *words[] = {title, word, NULL};
    snprintf(process->name, sizeof process->name, "%s", process->job->name);
    snprintf(title, sizeof title, "cgsolve, kernel %s", process->name);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return cgs_fail(context, refusal(errno), "no sockets for a user's kernel: %s",
                        strerror(errno));
    cgs_pulse_allow(&process->job->pulse, 0);
    process->sent = *process->job;
    process->library = library;
    /* Its output goes to standard error, never where a report goes. */
    const int prints = process->said >= 0 ? process->said : STDERR_FILENO;
    const int descriptors[] = {-1, prints, prints, pair[1], process->block, library};
    const int error =
        spawn_worker(words, descriptors, library < 0 ? 5 : 6, process->preload, &process->pid);
    close(pair[1]);
    if (error != 0) {
        close(pair[0]);
        process->pid = 0;
        return cgs_fail(context, refusal(error),
                        "no process for kernel '%s' (/proc/self/exe): %s%s", process->name,
                        strerror(error),
                        access("/proc/self/exe", F_OK) != 0 ? "; is /proc mounted?"
                        : error == EAGAIN                   ? "; look at 'ulimit -u'"
                                                            : "");
    }
    process->socket = pair[0];
    return CGS_OK;
}

/* ---- its end ---- */

/* Waits for a dying process, as long as a kernel may take for anything, or kills it first. */
static int reap(struct cgs_process *process, bool kill_first)
{
    const double allowed = 1e-6 * (double)atomic_load(&process->job->pulse.micros);
    const bool in_time = !kill_first && cgs_child_gone(process->pid, allowed);
    const int status = cgs_child_end(process->pid, !in_time);
    process->pid = 0;
    close(process->socket);
    process->socket = -1;
    return status;
}

/* Writes ", crash.c:11", the source line of a fault, if it is known. */
static void source_of_fault(const struct cgs_process *process, char *text, size_t size)
{
    char path[sizeof process->job->path], line[128];
    text[0] = '\0';
    if (process->job->fault_at == 0)
        return;
    if (process->library >= 0)
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), process->library);
    else
        snprintf(path, sizeof path, "%.4095s", process->job->path);
    cgs_addr2line(path, process->job->fault_at, line, sizeof line);
    if (line[0])
        snprintf(text, size, ", %s", line);
}

/* Describes where the kernel is, if it has not overwritten the pulse. */
static void where_it_is(const struct cgs_process *process, char *text, size_t size)
{
    const int64_t product = atomic_load(&process->job->pulse.product);
    if (product >= 0 && product <= process->products)
        cgs_pulse_where(&process->job->pulse, text, size);
    else
        snprintf(text, size, "after it wrote over the count of its products");
}

static enum cgs_status died(struct cgs_context *context, struct cgs_process *process)
{
    const struct cgs_job *job = process->job;
    char death[96], where[64], line[160];
    cgs_child_death(reap(process, false), death, sizeof death);
    where_it_is(process, where, sizeof where);
    source_of_fault(process, line, sizeof line);
    return cgs_fail(context, CGS_NOT_CONVERGED, "kernel '%s' %s %s%s%.*s%s", process->name, death,
                    where, job->fault[0] ? ": " : "", (int)sizeof job->fault - 1, job->fault, line);
}

static enum cgs_status hung(struct cgs_context *context, struct cgs_process *process,
                            enum cgs_pulse_end end, double allowed)
{
    char where[64], text[192];
    where_it_is(process, where, sizeof where);
    reap(process, true);
    cgs_pulse_explain(end, allowed, where, text, sizeof text);
    return cgs_fail(context, CGS_NOT_CONVERGED, "kernel '%s' %s", process->name, text);
}

/* Fails for a device fault. All earlier work on the device was done, so the kernel caused it. */
static enum cgs_status broke_device(struct cgs_context *context, struct cgs_process *process)
{
    char where[64];
    where_it_is(process, where, sizeof where);
    reap(process, true);
    return cgs_fail(context, CGS_NOT_CONVERGED, "kernel '%s' broke its device %s: %.*s",
                    process->name, where, (int)sizeof process->job->message - 1,
                    process->job->message);
}

/* Fails for an invalid reply. The worker never sends one, so the kernel did. The message does not
 * say where, since the pulse may be wrong, too. */
static enum cgs_status babbled(struct cgs_context *context, struct cgs_process *process)
{
    reap(process, true);
    return cgs_fail(context, CGS_NOT_CONVERGED,
                    "kernel '%s' wrote to a descriptor that is not its own, and was ended",
                    process->name);
}

/* Returns true if the program's part of the job, which the worker follows, is unchanged. */
static bool is_as_sent(const struct cgs_process *process)
{
    const size_t begin = offsetof(struct cgs_job, name),
                 end = offsetof(struct cgs_job, uncontained);
    return memcmp((const char *)process->job + begin, (const char *)&process->sent + begin,
                  end - begin) == 0;
}

static enum cgs_status wrote(struct cgs_context *context, struct cgs_process *process)
{
    reap(process, true);
    return cgs_fail(context, CGS_NOT_CONVERGED,
                    "kernel '%s' wrote into memory by which cgsolve calls it, and was ended",
                    process->name);
}

/* Fails with the worker's message, except when memory ran out: the kernel may have caused that, so
 * the number of bytes in the message means little. For submissions of exercises it is a failure of
 * the kernel, since their limit is far above what any of them needs. */
static enum cgs_status failed(struct cgs_context *context, const struct cgs_process *process,
                              enum cgs_status status)
{
    if (status == CGS_MEMORY && !process->sent.cuda)
        return cgs_fail(context, cgs_contain_is_alone() ? CGS_NOT_CONVERGED : status,
                        "kernel '%s': its process got no more memory", process->name);
    return cgs_fail(context, status, "%.*s", (int)sizeof process->job->message - 1,
                    process->job->message);
}

/* Resets the time limit of a step if no worker can have set it: then the kernel overwrote it. */
static void hold_patience(struct cgs_process *process)
{
    struct cgs_pulse most;
    cgs_pulse_allow(&most, process->entries);
    const int64_t is = atomic_load(&process->job->pulse.micros);
    if (is < 0 || is > atomic_load(&most.micros))
        atomic_store(&process->job->pulse.micros, atomic_load(&most.micros));
}

/* ---- requests ---- */

enum cgs_status cgs_process_ask(struct cgs_context *context, struct cgs_process *process,
                                const struct cgs_request *request, struct cgs_reply *reply)
{
    struct pollfd ready = {.fd = process->socket, .events = POLLIN};
    struct cgs_pulse_watch watch = {.process = process->pid};
    double allowed = 0.0;
    if (process->pid == 0)
        return cgs_fail(context, CGS_NOT_CONVERGED, "kernel '%s' has ended before",
                        process->name);
    if (request->order == CGS_ORDER_APPLY || request->order == CGS_ORDER_TIME)
        process->products += 1 + request->times;
    if (send(process->socket, request, sizeof *request, MSG_NOSIGNAL) != (ssize_t)sizeof *request)
        return died(context, process);
    while (poll(&ready, 1, LOOK_MILLISECONDS) <= 0) {
        if (cgs_child_gone(process->pid, 0.0))
            return died(context, process);
        hold_patience(process);
        const enum cgs_pulse_end end = cgs_pulse_look(&watch, &process->job->pulse, &allowed);
        if (end != CGS_PULSE_GOES_ON)
            return hung(context, process, end, allowed);
    }
    const ssize_t length = recv(process->socket, reply, sizeof *reply, MSG_TRUNC);
    if (length <= 0)
        return died(context, process);
    if (length != (ssize_t)sizeof *reply || reply->status < 0 || reply->status > CGS_INTERRUPTED)
        return babbled(context, process);
    if (!is_as_sent(process))
        return wrote(context, process);
    if (reply->status == CGS_OK)
        return CGS_OK;
    if (reply->status != CGS_DEVICE || request->order == CGS_ORDER_PREPARE)
        return failed(context, process, (enum cgs_status)reply->status);
    return broke_device(context, process);
}

enum cgs_status cgs_process_end(struct cgs_context *context, struct cgs_process *process)
{
    const struct cgs_request quit = {.order = CGS_ORDER_QUIT};
    struct cgs_reply reply;
    enum cgs_status status = CGS_OK;
    if (process->pid != 0)
        status = cgs_process_ask(context, process, &quit, &reply);
    if (process->pid != 0)
        reap(process, status != CGS_OK);
    if (process->job) {
        munmap(process->job, (size_t)process->length);
        close(process->block);
    }
    *process = (struct cgs_process){0};
    return status;
}
