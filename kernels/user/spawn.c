#define _GNU_SOURCE /* environ */
#include "kernels/user/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "base/affinity.h"

enum { SPAWNED_MOST = 8 };

int cgs_spawn(const char *program, char *const *words, const int *descriptors, int count,
              pid_t *pid)
{
    signal(SIGCHLD, SIG_DFL); /* a process that ignores SIGCHLD cannot wait for its children */
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int high[SPAWNED_MOST];
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    for (int i = 0; i < count; i++) { /* above all final numbers */
        high[i] =
            descriptors[i] < 0 ? -1 : fcntl(descriptors[i], F_DUPFD_CLOEXEC, 1 + SPAWNED_MOST);
        if (high[i] >= 0)
            posix_spawn_file_actions_adddup2(&actions, high[i], 1 + i);
    }
    struct cgs_processors before;
    cgs_affinity_widen(&before);
    const int error = posix_spawnp(pid, program, &actions, &attributes, words, environ);
    cgs_affinity_return(&before);
    for (int i = 0; i < count; i++)
        if (high[i] >= 0)
            close(high[i]);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
