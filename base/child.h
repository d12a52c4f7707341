/* Child processes: started, waited for, ended, and their end in words.
 *
 * Each has a process group of its own, which ends as a whole, and which a terminal's Ctrl-C does
 * not reach. The system kills it (SIGKILL) when the thread that started it ends. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* This program, for cgs_child_start. */
#define CGS_CHILD_SELF "/proc/self/exe"

/* Starts a program, searched for on PATH where its name has no '/', with these words (its name
 * first, NULL at the end) and no signal blocked, handled or ignored. descriptors[i] becomes its
 * descriptor i, -1 is /dev/null; others stay unless they close on exec. Returns an errno. */
int cgs_child_start(const char *program, char *const *words, const int *descriptors, int count,
                    pid_t *pid);

/* Forks. Returns as fork does; a child whose parent has died exits instead. */
pid_t cgs_child_fork(void);

/* Waits until the child has ended, for so many seconds at most; 0: only looks. Returns true if
 * it has ended: it must still be waited for by cgs_child_end. Processes that it has started may
 * live on. */
bool cgs_child_gone(pid_t pid, double seconds);

/* Waits until the child has ended, or kills it first, and kills what is left of its group.
 * Returns the status of waitpid. */
int cgs_child_end(pid_t pid, bool kill_first);

/* Describes that status: "was ended by SIGSEGV", "ended its process by exit(3)". */
void cgs_child_death(int wait_status, char *text, size_t size);

/* Opens a file in memory for what a child prints: a full disk does not silence it. Owned by the
 * caller; NULL: none. */
FILE *cgs_child_output(void);
