/* Child processes: what they are given, that they are ended with their group, and what is said
 * of their end. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "tests/support/check.h"

/* Starts a shell's command with its output in `said`. */
static pid_t start(const char *command, FILE *said)
{
    char shell[] = "sh", option[] = "-c";
    char *words[] = {shell, option, (char *)command, NULL};
    const int descriptors[] = {-1, fileno(said), fileno(said)};
    pid_t pid = 0;
    ck_assert_int_eq(cgs_child_start(shell, words, descriptors, 3, &pid), 0);
    ck_assert_int_gt(pid, 0);
    return pid;
}

/* Its standard input is empty, signals that are blocked or ignored here are not so there, and it
 * leads its group. */
TEST(given)
{
    static const char *const commands[] = {"cat; echo $$; kill -HUP $$", "cat; kill -TERM $$"};
    static const int signals[] = {SIGHUP, SIGTERM};
    char line[64];
    sigset_t ends;
    FILE *said = cgs_child_output();
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    for (int i = 0; i < 2; i++) {
        const pid_t pid = start(commands[i], said);
        ck_assert(cgs_child_gone(pid, 60.0));
        const int status = cgs_child_end(pid, false);
        ck_assert(WIFSIGNALED(status));
        ck_assert_int_eq(WTERMSIG(status), signals[i]);
        rewind(said);
        ck_assert_ptr_nonnull(fgets(line, sizeof line, said));
        if (i == 0)
            ck_assert_int_eq(atoi(line), pid);
    }
    fclose(said);
}

/* Descriptors whose numbers are each other's. */
TEST(crossed)
{
    char line[16], shell[] = "sh", option[] = "-c", command[] = "echo 6 >&6; echo 7 >&7";
    char *words[] = {shell, option, command, NULL};
    FILE *one = cgs_child_output(), *other = cgs_child_output();
    pid_t pid;
    ck_assert_int_eq(dup2(fileno(one), 7), 7);
    ck_assert_int_eq(dup2(fileno(other), 6), 6);
    const int descriptors[] = {-1, -1, -1, -1, -1, -1, 7, 6};
    ck_assert_int_eq(cgs_child_start(shell, words, descriptors, 8, &pid), 0);
    ck_assert_int_eq(cgs_child_end(pid, false), 0);
    lseek(7, 0, SEEK_SET);
    ck_assert_int_eq(read(7, line, sizeof line), 2);
    ck_assert_int_eq(line[0], '6');
}

TEST(refused)
{
    char none[] = "/nonexistent/program", folder[] = "/";
    char *words[] = {none, NULL};
    pid_t pid = -1;
    ck_assert_int_eq(cgs_child_start(none, words, NULL, 0, &pid), ENOENT);
    ck_assert_int_eq(cgs_child_start(folder, words, NULL, 0, &pid), EACCES);
    ck_assert_int_eq(pid, -1);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
}

/* Programs that a child has started end with it: the pipe that both hold is closed. */
TEST(ended)
{
    char text[96];
    int ends[2];
    FILE *said = cgs_child_output();
    ck_assert_int_eq(pipe(ends), 0);
    const double begin = cgs_now();
    const pid_t pid = start("sleep 1000 & sleep 1000", said);
    close(ends[1]);
    ck_assert(!cgs_child_gone(pid, 0.0));
    ck_assert(!cgs_child_gone(pid, 0.2));
    ck_assert(cgs_now() - begin >= 0.2);
    cgs_child_death(cgs_child_end(pid, true), text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "was ended by SIGKILL"));
    ck_assert_int_eq(read(ends[0], text, 1), 0);
    ck_assert(cgs_child_gone(pid, 0.0)); /* waited for already */
    cgs_child_death(cgs_child_end(start("exit 3", said), false), text, sizeof text);
    ck_assert_str_eq(text, "ended its process by exit(3)");
    fclose(said);
}

/* A child of a process that dies, dies with it. */
TEST(orphaned)
{
    char byte;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t pid = cgs_child_fork();
    if (pid == 0) {
        if (cgs_child_fork() == 0)
            for (;;)
                pause();
        raise(SIGKILL);
    }
    close(ends[1]);
    ck_assert_int_eq(WTERMSIG(cgs_child_end(pid, false)), SIGKILL);
    ck_assert_int_eq(read(ends[0], &byte, 1), 0);
}

int main(void)
{
    return run_tests("child", 60, NULL, NULL);
}
