/* Starting of programs. */
#ifndef CGS_KERNELS_USER_SPAWN_H
#define CGS_KERNELS_USER_SPAWN_H

#include <sys/types.h>

/* Starts a program by its words (NULL at the end; the first is searched for on PATH) in a process
 * group of its own, like posix_spawn. descriptors[i] becomes descriptor 1 + i; -1: closed. Returns
 * an errno. */
int cgs_spawn(const char *program, char *const *words, const int *descriptors, int count,
              pid_t *pid);

#endif
