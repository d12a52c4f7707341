#include "src/start/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/status.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/stack.h"
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

bool cgs_program_begin(int argc, char **argv, int *status)
{
    int64_t stack;
    cgs_name_options();
    if (!cgs_stack_ensure(&stack)) {
        fprintf(stderr,
                "cgsolve: the stack may take %lld kB (ulimit -s), which only the superuser can "
                "raise here: cgsolve needs %d kB\n",
                (long long)(stack / 1024), CGS_STACK_LEAST / 1024);
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
