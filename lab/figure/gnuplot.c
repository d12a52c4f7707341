#include "lab/figure/gnuplot.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/probe.h"

/* The last words of a file in one line, as far as they fit. */
static void last_words(FILE *file, char *text, size_t size)
{
    text[0] = '\0';
    if (fseek(file, 0, SEEK_END) != 0)
        return;
    const long length = ftell(file), room = (long)size - 1;
    fseek(file, length > room ? length - room : 0, SEEK_SET);
    size_t used = 0;
    for (int c; used < size - 1 && (c = getc(file)) != EOF;) {
        const char plain = c < 0x20 || c == 0x7f ? ' ' : (char)c;
        if (plain != ' ' || (used > 0 && text[used - 1] != ' '))
            text[used++] = plain;
    }
    while (used > 0 && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
}

static void say_missing(const char *name, int error, char *why, size_t size)
{
    char command[128];
    cgs_probe_install("gnuplot-nox", "gnuplot", "install gnuplot 5.4 or later", command,
                      sizeof command);
    if (error == ENOENT)
        snprintf(why, size, "'%s' is not there (package gnuplot-nox: %s)", name, command);
    else
        snprintf(why, size, "'%s' cannot be started: %s", name, strerror(error));
}

/* `why` is what it said where it ended well. */
static bool run(const char *const *arguments, int in, int out, double seconds, char *why,
                size_t size)
{
    char words[512];
    pid_t process;
    bool in_time = true;
    int status = 0;
    FILE *said = cgs_child_output();
    if (!said) {
        snprintf(why, size, "no memory for what it says: %s", strerror(errno));
        return false;
    }
    const int streams[3] = {in, out < 0 ? fileno(said) : out, fileno(said)};
    const int error =
        cgs_child_start(arguments[0], (char *const *)(uintptr_t)arguments, streams, 3, &process);
    if (error == 0) {
        in_time = cgs_child_gone(process, seconds);
        status = cgs_child_end(process, !in_time);
    }
    last_words(said, words, sizeof words);
    fclose(said);
    if (error != 0)
        say_missing(arguments[0], error, why, size);
    else if (!in_time)
        snprintf(why, size, "%s was ended after %g s%s%s", arguments[0], seconds,
                 words[0] ? ": " : "", words);
    else if (WIFSIGNALED(status))
        snprintf(why, size, "%s was ended by signal %d (%s)%s%s", arguments[0], WTERMSIG(status),
                 strsignal(WTERMSIG(status)), words[0] ? ": " : "", words);
    else if (WEXITSTATUS(status) != 0)
        snprintf(why, size, "%s failed with status %d: %s", arguments[0], WEXITSTATUS(status),
                 words[0] ? words : "it does not say why");
    else
        snprintf(why, size, "%s", words);
    return error == 0 && status == 0;
}

bool cgs_gnuplot_run(FILE *script, int drawing, double seconds, char *why, size_t size)
{
    /* -d: nobody's own settings */
    const char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    return run(arguments, fileno(script), drawing, seconds, why, size);
}

bool cgs_gnuplot_version(char *text, size_t size)
{
    const char *const arguments[] = {"gnuplot", "--version", NULL};
    int major, minor;
    if (!run(arguments, STDIN_FILENO, -1, 5.0, text, size))
        return false;
    if (sscanf(text, "gnuplot %d.%d", &major, &minor) == 2 &&
        (major > 5 || (major == 5 && minor >= 4)))
        return true;
    snprintf(text + strlen(text), size - strlen(text), " is too old: figures need gnuplot 5.4");
    return false;
}
