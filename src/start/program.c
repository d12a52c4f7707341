#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "src/start/program.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/status.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/threads.h"
#include "kernels/plugin/worker.h"

/* Libraries that end the process themselves (OpenMP's, before all) do that where they get no
 * memory or no thread, and with status 1, which is a usage error's. A user's kernel that does so
 * is found by its watcher. */
static bool ending;
static pid_t first;

static void correct_status(void)
{
    if (!ending && getpid() == first)
        _exit(cgs_status_exit(CGS_MEMORY));
}

/* ---- the stack of the process: a shell's `ulimit -s` may leave less than a run needs ---- */

/* Bytes. Measured on x86-64: all commands work with 384 KiB, of which a report takes most;
 * tests/cli/cli_memory.sh runs them with exactly this. */
enum { STACK_LEAST = 512 * 1024 };

static const rlim_t USUAL = 8 << 20;

/* Threads take their size from the limit as it was when the program began. */
static void widen_threads(rlim_t bytes)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, bytes) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

/* Raises a soft limit below STACK_LEAST as far as the hard one allows, at most to 8 MiB, for
 * this thread and for those that start later. Returns false if less than STACK_LEAST
 * remains; *bytes is the limit then. To be called first, when little of the stack is
 * used. */
static bool ensure_stack(int64_t *bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_LEAST)
        return true; /* RLIM_INFINITY is the largest number */
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < USUAL ? limit.rlim_max : USUAL;
    if (limit.rlim_cur < STACK_LEAST || setrlimit(RLIMIT_STACK, &limit) != 0) {
        *bytes = (int64_t)before;
        return false;
    }
    widen_threads(limit.rlim_cur);
    return true;
}

/* ---- begin and end ---- */

bool cgs_program_begin(int argc, char **argv, int *status)
{
    int64_t stack;
    cgs_name_options();
    if (!ensure_stack(&stack)) {
        fprintf(stderr,
                "cgsolve: the stack may take %lld kB (ulimit -s), which only the superuser can "
                "raise here: cgsolve needs %d kB\n",
                (long long)(stack / 1024), STACK_LEAST / 1024);
        *status = cgs_status_exit(CGS_MEMORY);
        return false;
    }
    cgs_memory_return_blocks();
    cgs_threads_make_brief(argv);
    if (cgs_worker_wanted(argc, argv)) {
        *status = cgs_worker_main(argv);
        return false;
    }
    cgs_program_is_first();
    atexit(correct_status);
    cgs_output_prepare();
    cgs_json_watch();
    return true;
}

void cgs_program_is_first(void)
{
    first = getpid();
}

int cgs_program_end(int status)
{
    if (getpid() != first)
        _exit(status);
    ending = true;
    return status;
}
