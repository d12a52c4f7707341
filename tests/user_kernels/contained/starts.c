/* Starts processes and a program; threads may be started. */
#include "attempt.h"
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

static void *nothing(void *unused)
{
    return unused;
}

static const char *attempt(void)
{
    extern char **environ;
    char word[] = "true", *words[] = {word, NULL};
    pthread_t thread;
    pid_t child;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return "it could not start a thread";
    child = fork();
    if (child == 0)
        _exit(0);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (child > 0)
        return "it started a process";
    return posix_spawnp(&child, word, NULL, NULL, words, environ) == 0 ? "it started a program"
                                                                       : NULL;
}

USER_ATTEMPT("starts")
