#include "kernels/user/addr2line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/user/spawn.h"

enum { MILLISECONDS = 5000, LINE = 1024 };

/* Runs it; returns what it prints first, "" where it does not come to that. */
static void ask(char *const *words, char line[LINE])
{
    int ends[2];
    pid_t pid;
    ssize_t length = 0;
    line[0] = '\0';
    if (pipe(ends) != 0)
        return;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const int descriptors[] = {ends[1], -1};
    const int error = cgs_spawn(words[0], words, descriptors, 2, &pid);
    close(ends[1]);
    if (error == 0) {
        struct pollfd ready = {.fd = ends[0], .events = POLLIN};
        if (poll(&ready, 1, MILLISECONDS) > 0)
            length = read(ends[0], line, LINE - 1);
        kill(-pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    line[length > 0 ? length : 0] = '\0';
}

void cgs_addr2line(const char *library, uint64_t offset, char *text, size_t size)
{
    char program[] = "addr2line", of[] = "-e", place[32], path[4096], line[LINE];
    char *words[] = {program, of, path, place, NULL};
    snprintf(path, sizeof path, "%s", library);
    snprintf(place, sizeof place, "0x%" PRIx64, offset);
    ask(words, line);
    line[strcspn(line, " \n")] = '\0';
    const char *name = strrchr(line, '/');
    name = name ? name + 1 : line;
    const char *number = strrchr(name, ':');
    const int known = number && number[1] >= '1' && number[1] <= '9'; /* else ??:0 */
    snprintf(text, size, "%s", known ? name : "");
}
