/* The frame around each call of libcgsolve: the handle is this call's alone, the caller's locale
 * and floating-point environment are set aside, and what the call has to say is kept for its
 * thread. */
#define _GNU_SOURCE /* fegetexcept */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omp.h>

#include "base/probe.h"
#include "core/io/threads.h"
#include "core/library/library_call.h"

/* The library's one state outside its handles: the message of the thread's last call. A call may
 * have no handle to keep it in (NULL, no memory), or one that another thread is working with. */
static _Thread_local char said[sizeof((struct cgs_context *)NULL)->message];

/* The process in which this thread first had OpenMP threads: a child of fork has a copy of this
 * one, but not of those. 0: it has had none. */
static _Thread_local pid_t process;

/* The floating-point environment of an OpenMP thread other than the caller. */
static _Thread_local struct {
    bool held;
    fenv_t floats;
} worker;

void cgs_library_compute(int threads)
{
    if (process == 0 && threads > 1)
        process = getpid();
}

static void hold_worker(void)
{
    if (omp_get_thread_num() > 0 && !worker.held)
        worker.held = feholdexcept(&worker.floats) == 0;
}

static void let_worker(void)
{
    if (omp_get_thread_num() > 0 && worker.held) {
        fesetenv(&worker.floats);
        worker.held = false;
    }
}

/* Numbers that overflow or are none are met and judged by the solver, and must not trap in it.
 * Threads inherit their environment from the one that creates them, so that a caller who traps
 * may have OpenMP threads that do. The caller is the last to be held and the first to be let go:
 * threads that are created here inherit what the caller's own would. */
static void hold_floats(struct cgs_library_call *call)
{
    call->traps = fegetexcept() != 0;
    if (call->traps && !call->solver->forked) {
        cgs_library_compute(call->threads);
#pragma omp parallel num_threads(call->threads)
        hold_worker();
    }
    feholdexcept(&call->floats);
}

static void let_floats(const struct cgs_library_call *call)
{
    fesetenv(&call->floats);
    if (call->traps && !call->solver->forked) {
#pragma omp parallel num_threads(call->threads)
        let_worker();
    }
}

enum cgs_status cgs_library_check_place(struct cgs_context *context, const char *name,
                                        const void *array, int64_t bytes, const char *otherwise)
{
    if (!array || bytes <= 0 || cgs_probe_readable(array, bytes))
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "%s is not in memory that the host can read: expected an array of the host%s",
                    name, otherwise);
}

enum cgsolve_status cgs_library_refuse(enum cgsolve_status status, const char *function,
                                       const char *why)
{
    snprintf(said, sizeof said, "%s: %s", function, why);
    return status;
}

/* The backend of the run, if it has something to enter; else NULL. */
static const struct cgs_backend *backend_of(const struct cgsolve *s)
{
    const struct cgs_machine *machine = &s->run.machine;
    return s->open && machine->queue && machine->backend && machine->backend->enter
               ? machine->backend
               : NULL;
}

bool cgs_library_begin(struct cgs_library_call *call, struct cgsolve *s, const char *function)
{
    if (!s) {
        cgs_library_refuse(CGSOLVE_USAGE, function,
                           "the handle is NULL: expected one of cgsolve_create that has not been "
                           "destroyed");
        return false;
    }
    if (atomic_flag_test_and_set(&s->busy)) {
        cgs_library_refuse(CGSOLVE_USAGE, function,
                           "the handle is in use: by a call in another thread, or by the one that "
                           "runs the function of cgsolve_watch; wait for its end, or take a handle "
                           "for each thread");
        return false;
    }
    s->forked = process != 0 && process != getpid();
    const char *option = s->values[CGS_OPTION_threads];
    const int most = omp_get_max_threads(), threads = option ? atoi(option) : most;
    *call = (struct cgs_library_call){.solver = s, .threads = threads > most ? threads : most};
    hold_floats(call);
    if (s->plain)
        call->locale = uselocale(s->plain);
    s->call.status = CGS_OK;
    s->call.message[0] = '\0';
    s->call.threads = s->forked ? 1 : threads;
    if (backend_of(s))
        backend_of(s)->enter(s->run.machine.queue);
    return true;
}

void cgs_library_share(struct cgsolve *s, int64_t entries)
{
    if (!s->values[CGS_OPTION_threads])
        s->call.threads = cgs_threads_helping(s->call.threads, entries);
}

void cgs_library_restore(struct cgs_library_call *call)
{
    if (call->locale)
        uselocale(call->locale);
    let_floats(call);
}

enum cgsolve_status cgs_library_end(struct cgs_library_call *call)
{
    struct cgsolve *s = call->solver;
    const enum cgsolve_status status = (enum cgsolve_status)cgs_status_exit(s->call.status);
    memcpy(said, s->call.message, strlen(s->call.message) + 1);
    if (backend_of(s))
        backend_of(s)->leave(s->run.machine.queue);
    cgs_library_restore(call);
    atomic_flag_clear(&s->busy);
    return status;
}

const char *cgsolve_message(void)
{
    return said;
}
