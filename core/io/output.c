#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "core/io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain.h"
#include "core/io/interrupt.h"
#include "core/io/terminal.h"

/* Tells whether two names lead to one file, even one that does not exist yet. */

char *cgs_output_resolve(const char *path)
{
    const char *name = cgs_base_name(path);
    char *part = name > path ? strndup(path, (size_t)(name - path)) : strdup(".");
    char *folder = part ? realpath(part, NULL) : NULL;
    const size_t size = folder ? strlen(folder) + strlen(name) + 2 : 0;
    char *whole = folder ? malloc(size) : NULL;
    if (whole)
        snprintf(whole, size, "%s/%s", folder, name);
    free(folder);
    free(part);
    return whole;
}

/* Returns false if the folder that the path leads into is not there. Takes no memory: who asks
 * has no way to say that there is none. */
static bool folder_of(const char *path, struct stat *about)
{
    char folder[PATH_MAX];
    const size_t length = (size_t)(cgs_base_name(path) - path);
    if (length >= sizeof folder)
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return stat(length > 0 ? folder : ".", about) == 0;
}

bool cgs_output_same(const char *a, const char *b)
{
    struct stat first, second;
    if (strcmp(a, b) == 0)
        return true;
    if (stat(a, &first) == 0 && stat(b, &second) == 0)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    return strcmp(cgs_base_name(a), cgs_base_name(b)) == 0 && folder_of(a, &first) &&
           folder_of(b, &second) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

void cgs_output_prepare(void)
{
    static char
        buffer[1 << 16]; /* of stdout: what does not fit on the disk shows when it is flushed */
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    cgs_output_keep();
}

void cgs_output_keep(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0) /* for the wrong direction: its use still fails */
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Returns the remedy by the reason of a failure; the file itself may be what refuses. */
static const char *remedy(const char *path, int error)
{
    switch (error) {
    case ENOENT:
        return path[0] == '~' ? "the shell leaves a ~ behind '=' as it is: write $HOME"
                              : "the folder does not exist: make it, or name another file";
    case EACCES:
    case EPERM:
        return access(path, F_OK) == 0 && access(path, W_OK) != 0
                   ? "you may not write to that file: change its permissions, or name another"
                   : "name a file in a folder that you may write to";
    case EROFS:
        return "that file system is read-only: name a file elsewhere";
    case ENOSPC:
    case EDQUOT:
        return "free some space, or name a file on another disk";
    case EISDIR:
        return "name a file in that folder";
    case EFBIG:
        return "raise the limit on the size of files (ulimit -f), or name another";
    case ENXIO:
        return "no process reads from it: start its reader first, or name a file";
    case EPIPE:
        return "its reader has gone";
    case EBADF:
        return "it is closed: open it, or name a file";
    case ENOTDIR:
        return "a part of that path is a file, not a folder";
    case ENAMETOOLONG:
        return "take a shorter name";
    default:
        return "name another file";
    }
}

static enum cgs_status refuse(struct cgs_context *context, const char *what, const char *path,
                              int error)
{
    if (error == EPIPE && context->status != CGS_OK)
        return context->status;
    context->unread = error == EPIPE;
    if (context->status == CGS_OK && error == ENOMEM)
        return cgs_fail(context, CGS_MEMORY, "no memory to write %s '%s'", what, path);
    if (context->status == CGS_OK)
        return cgs_fail(context, CGS_FILE, "cannot write %s '%s': %s; %s", what, path,
                        strerror(error), remedy(path, error));
    cgs_fail_add(context, "; moreover, cannot write %s '%s': %s", what, path, strerror(error));
    return context->status;
}

/* 0 where all that was written is there, else the reason; what is left is then forgotten. A
 * write that failed some time ago has left no reason: one byte more has the same. */
static int flush(FILE *file)
{
    errno = 0;
    if (fflush(file) == 0 && !ferror(file))
        return 0;
    if (errno == 0 && write(fileno(file), "\n", 1) > 0)
        errno = EIO;
    const int error = errno ? errno : EIO;
    __fpurge(file);
    clearerr(file);
    return error;
}

enum cgs_status cgs_output_flush(struct cgs_context *context, FILE *file)
{
    const int error = flush(cgs_terminal_below(file));
    return error == 0 ? CGS_OK : refuse(context, "the report to", "standard output", error);
}

/* The permissions of an ordinary new file. */
static mode_t new_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Forgets the temporary, removes it where it has a name, and lets signals in again. */
static void forget_temporary(struct cgs_output *output)
{
    if (!output->temporary)
        return;
    if (output->named)
        unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
    output->named = false;
    cgs_interrupt_let();
}

/* The path under which this process sees its own descriptor. */
static void own_path(int descriptor, char path[32])
{
    snprintf(path, 32, "/proc/self/fd/%d", descriptor);
}

/* A file without a name in the target's folder: a process that is killed leaves nothing. Returns
 * its descriptor; -1 where the file system, or a missing /proc, does not allow that. */
static int open_unnamed(const char *target)
{
    const char *slash = strrchr(target, '/');
    char *folder = slash ? strndup(target, (size_t)(slash - target) + 1) : strdup(".");
    char path[32];
    int descriptor = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    free(folder);
    if (descriptor < 0)
        return -1;
    own_path(descriptor, path);
    if (access(path, F_OK) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* Links the open file to a name that nobody has. Returns an errno. */
static int give_name(struct cgs_output *output)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    enum { RANDOM = 6, TRIES = 100 };
    char *end = output->temporary + strlen(output->temporary) - RANDOM, path[32];
    unsigned char bytes[RANDOM];
    if (output->named)
        return 0;
    own_path(fileno(output->file), path);
    for (int i = 0; i < TRIES; i++) {
        if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
            return EAGAIN;
        for (int k = 0; k < RANDOM; k++)
            end[k] = letters[bytes[k] % (sizeof letters - 1)];
        if (linkat(AT_FDCWD, path, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0) {
            output->named = true;
            return 0;
        }
        if (errno != EEXIST)
            break;
    }
    return errno;
}

/* A file beside the target that nobody else has; it gets its name when it is complete, where the
 * file system can do that. Signals wait from here on until it is gone. */
static int open_beside(struct cgs_output *output)
{
    static const char suffix[] = ".tmpXXXXXX";
    const size_t size = strlen(output->target) + sizeof suffix;
    char *name = malloc(size);
    if (!name)
        return ENOMEM;
    snprintf(name, size, "%s%s", output->target, suffix);
    if (access(name, F_OK) != 0 && errno == ENAMETOOLONG) { /* not found by a file without a name */
        free(name);
        return ENAMETOOLONG;
    }
    cgs_interrupt_hold();
    int descriptor = open_unnamed(output->target);
    output->named = descriptor < 0;
    if (output->named)
        descriptor = mkostemp(name, O_CLOEXEC);
    if (descriptor < 0) {
        const int error = errno;
        free(name);
        output->named = false;
        cgs_interrupt_let();
        return error;
    }
    output->temporary = name;
    fchmod(descriptor, output->mode);
    output->file = fdopen(descriptor, "w");
    if (output->file)
        return 0;
    close(descriptor);
    return ENOMEM;
}

/* Tries to make a file there, and removes it at once. Returns an errno; 0: it can be made. */
static int try_beside(struct cgs_output *output, mode_t mode)
{
    output->mode = mode;
    const int error = open_beside(output);
    if (output->file)
        fclose(output->file);
    output->file = NULL;
    forget_temporary(output);
    return error;
}

/* The file that a path leads to, symbolic links followed, also one that leads to no file yet (which
 * is made for a moment); the path itself where nothing is there. Returns an errno, or 0 and
 * *target, owned. */
static int follow(const char *path, char **target)
{
    struct stat link;
    char *found = realpath(path, NULL);
    if (!found && lstat(path, &link) == 0 && S_ISLNK(link.st_mode)) {
        const int made = open(path, O_WRONLY | O_CREAT | O_NOCTTY, 0600);
        if (made < 0)
            return errno;
        close(made);
        found = realpath(path, NULL);
        if (found)
            unlink(found);
    }
    if (!found && errno == ENOMEM)
        return ENOMEM;
    if (!found) /* from the root on: whoever changes the folder meanwhile moves no report */
        found = cgs_output_resolve(path);
    if (!found)
        return errno;
    *target = found;
    return 0;
}

/* Finds whether and how the target can be written: opens all but regular files. Returns an errno.
 * `there` is what is there already, or NULL. */
static int try_target(struct cgs_output *output, const char *path, const struct stat *there)
{
    if (!there)
        return try_beside(output, new_mode());
    if (S_ISDIR(there->st_mode))
        return EISDIR;
    if (access(path, W_OK) != 0)
        return errno;
    if (S_ISREG(there->st_mode))
        return try_beside(output, there->st_mode & 0777);
    /* A pipe that nobody reads says so (ENXIO) instead of waiting for somebody. */
    const int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return errno;
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    output->file = fdopen(descriptor, "w");
    if (output->file)
        return 0;
    close(descriptor);
    return ENOMEM;
}

/* Returns true if stdout or stderr go to that very file: writing it anew would lose them. */
static bool takes_a_stream(const struct stat *file)
{
    struct stat stream;
    for (int number = STDOUT_FILENO; number <= STDERR_FILENO; number++)
        if (fstat(number, &stream) == 0 && stream.st_dev == file->st_dev &&
            stream.st_ino == file->st_ino)
            return true;
    return false;
}

static enum cgs_status open_stdout(struct cgs_context *context, const char *what,
                                   struct cgs_output *output)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return refuse(context, what, "standard output", EBADF);
    struct cgs_output o = {.what = what, .file = stdout};
    o.path = strdup("standard output");
    o.target = strdup("standard output");
    if (!o.path || !o.target) {
        cgs_output_discard(&o);
        return refuse(context, what, "standard output", ENOMEM);
    }
    *output = o;
    return CGS_OK;
}

enum cgs_status cgs_output_open(struct cgs_context *context, const char *what, const char *path,
                                int dash, struct cgs_output *output)
{
    struct cgs_output o = {.what = what};
    struct stat there;
    if (!path) {
        *output = (struct cgs_output){0};
        return CGS_OK;
    }
    if (dash && strcmp(path, "-") == 0)
        return open_stdout(context, what, output);
    const int exists = stat(path, &there) == 0;
    if (exists && S_ISREG(there.st_mode) && takes_a_stream(&there))
        return cgs_fail(context, CGS_FILE,
                        "cannot write %s '%s': standard output or standard error go there already; "
                        "name another file%s",
                        what, path, dash ? ", or take - for standard output" : "");
    o.path = strdup(path);
    int error = o.path ? follow(path, &o.target) : ENOMEM;
    if (error == 0)
        error = try_target(&o, path, exists ? &there : NULL);
    if (error != 0) {
        cgs_output_discard(&o);
        return refuse(context, what, path, error);
    }
    *output = o;
    return CGS_OK;
}

enum cgs_status cgs_output_begin(struct cgs_context *context, struct cgs_output *output)
{
    if (output->file || !output->target)
        return CGS_OK;
    const int error = open_beside(output);
    if (error == 0)
        return CGS_OK;
    const enum cgs_status status = refuse(context, output->what, output->path, error);
    cgs_output_discard(output);
    return status;
}

enum cgs_status cgs_output_commit(struct cgs_context *context, struct cgs_output *output)
{
    if (!output->file)
        return CGS_OK;
    int error = flush(output->file);
    if (error == 0 && output->temporary && fsync(fileno(output->file)) != 0)
        error = errno;
    if (error == 0 && output->temporary)
        error = give_name(output);
    if (output->file != stdout && fclose(output->file) != 0 && error == 0)
        error = errno;
    output->file = NULL;
    if (error == 0 && output->temporary && rename(output->temporary, output->target) != 0)
        error = errno;
    enum cgs_status status = CGS_OK;
    if (error != 0)
        status = refuse(context, output->what, output->path, error);
    cgs_output_discard(output);
    return status;
}

void cgs_output_discard(struct cgs_output *output)
{
    if (output->file && output->file != stdout)
        fclose(output->file);
    forget_temporary(output);
    free(output->path);
    free(output->target);
    *output = (struct cgs_output){0};
}
