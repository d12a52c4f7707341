/* Processes that may crash, hang or leave: the worker of a user's kernel, started, asked and, where
 * it has to be, ended. */
#ifndef CGS_KERNELS_USER_PROCESS_H
#define CGS_KERNELS_USER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/context.h"
#include "kernels/user/wire.h"

struct cgs_process {
    pid_t pid; /* 0: none, or it has ended */
    int socket;
    int block;           /* descriptor of the job's memory */
    struct cgs_job *job; /* mapped; job->length bytes */
    int64_t length;
};

/* A job of `length` bytes in memory that is shared, all zero but for its length; no process yet. */
enum cgs_status cgs_process_create(struct cgs_context *context, int64_t length,
                                   struct cgs_process *process);

/* Starts the worker: this program once more. `library`: a descriptor that it is to find as
 * CGS_WORKER_LIBRARY; -1: none. CGS_BUG: the system starts no process. */
enum cgs_status cgs_process_start(struct cgs_context *context, int library,
                                  struct cgs_process *process);

/* Asks and waits for the reply. The kernel's failure is CGS_NOT_CONVERGED, said in one sentence:
 * what the worker found, how it died, or that it took too long; the process has ended then, unless
 * it could still answer. Other statuses are the worker's own: CGS_FILE, CGS_MEMORY, CGS_DEVICE. */
enum cgs_status cgs_process_ask(struct cgs_context *context, struct cgs_process *process,
                                const struct cgs_request *request, struct cgs_reply *reply);

/* Lets the kernel release what it holds, ends the process, gives all back; an empty struct is
 * nothing to end. CGS_NOT_CONVERGED: it dies or hangs even now; all is given back nevertheless. */
enum cgs_status cgs_process_end(struct cgs_context *context, struct cgs_process *process);

/* Whether a child has ended; it is still to be waited for. What it has started may go on, and hold
 * its descriptors open. */
bool cgs_process_gone(pid_t pid);

/* "was ended by SIGSEGV", "ended its process by exit(3)": of waitpid's status. */
void cgs_process_death(int wait_status, char *text, size_t size);

/* Starts a program by its words (NULL at the end, the first looked for on PATH) in a process group
 * of its own, as posix_spawn does, descriptors[i] becoming 1 + i of it; -1: closed. Returns an
 * errno. */
int cgs_process_spawn(const char *program, char *const *words, const int *descriptors, int count,
                      pid_t *pid);

#endif
