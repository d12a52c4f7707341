#include "src/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What would be right, by the reason; the file itself may be what refuses. */
static const char *remedy(const char *path, int error)
{
    switch (error) {
    case ENOENT: return "the folder does not exist: make it, or name another file";
    case EACCES:
    case EPERM:
        return access(path, F_OK) == 0 && access(path, W_OK) != 0
                   ? "you may not write to that file: change its permissions, or name another"
                   : "name a file in a folder that you may write to";
    case EROFS: return "that file system is read-only: name a file elsewhere";
    case ENOSPC:
    case EDQUOT: return "free some space, or name a file on another disk";
    case EISDIR: return "name a file in that folder";
    case ENOTDIR: return "a part of that path is a file, not a folder";
    default: return "name another file";
    }
}

static enum cgs_status refuse(struct cgs_context *context, const char *what, const char *path,
                              int error)
{
    return cgs_fail(context, CGS_FILE, "cannot write %s '%s': %s; %s", what, path, strerror(error),
                    remedy(path, error));
}

/* The folder's true path, and the name in it; NULL where there is no such folder. Owned. */
static char *resolve(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *part = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
    char *folder = part ? realpath(part, NULL) : NULL;
    const size_t size = folder ? strlen(folder) + strlen(name) + 2 : 0;
    char *whole = folder ? malloc(size) : NULL;
    if (whole)
        snprintf(whole, size, "%s/%s", folder, name);
    free(folder);
    free(part);
    return whole;
}

bool cgs_output_same(const char *a, const char *b)
{
    struct stat first, second;
    if (strcmp(a, b) == 0)
        return true;
    if (stat(a, &first) == 0 && stat(b, &second) == 0)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    char *one = resolve(a), *other = resolve(b);
    const bool same = one && other && strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

/* The permissions of an ordinary new file. */
static mode_t new_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A file beside the target that nobody else has. */
static int open_beside(struct cgs_output *output)
{
    static const char suffix[] = ".tmpXXXXXX";
    const size_t size = strlen(output->target) + sizeof suffix;
    char *name = malloc(size);
    if (!name)
        return ENOMEM;
    snprintf(name, size, "%s%s", output->target, suffix);
    const int descriptor = mkstemp(name);
    if (descriptor < 0) {
        const int error = errno;
        free(name);
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

/* Whether a file can be made there; it is removed again at once. */
static int try_beside(struct cgs_output *output, mode_t mode)
{
    output->mode = mode;
    const int error = open_beside(output);
    if (output->file)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
    output->file = NULL;
    return error;
}

enum cgs_status cgs_output_open(struct cgs_context *context, const char *what, const char *path,
                                int dash, struct cgs_output *output)
{
    struct cgs_output o = {.what = what};
    struct stat there;
    int error = 0;
    if (!path) {
        *output = (struct cgs_output){0};
        return CGS_OK;
    }
    if (dash && strcmp(path, "-") == 0) {
        o.file = stdout;
        o.target = strdup("standard output");
        *output = o;
        return CGS_OK;
    }
    const int exists = stat(path, &there) == 0;
    o.target = exists ? realpath(path, NULL) : NULL;
    if (!o.target)
        o.target = strdup(path);
    if (!o.target)
        error = ENOMEM;
    else if (exists && S_ISDIR(there.st_mode))
        error = EISDIR;
    else if (exists && access(path, W_OK) != 0)
        error = errno;
    else if (exists && !S_ISREG(there.st_mode))
        error = (o.file = fopen(path, "w")) ? 0 : errno;
    else
        error = try_beside(&o, exists ? there.st_mode & 0777 : new_mode());
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
    const enum cgs_status status = refuse(context, output->what, output->target, error);
    cgs_output_discard(output);
    return status;
}

enum cgs_status cgs_output_commit(struct cgs_context *context, struct cgs_output *output)
{
    if (!output->file)
        return CGS_OK;
    errno = 0;
    int failed = fflush(output->file) != 0 || ferror(output->file);
    if (!failed && output->temporary)
        failed = fsync(fileno(output->file)) != 0;
    int error = errno;
    if (output->file != stdout && fclose(output->file) != 0 && !failed) {
        failed = 1;
        error = errno;
    }
    output->file = NULL;
    if (!failed && output->temporary && rename(output->temporary, output->target) != 0) {
        failed = 1;
        error = errno;
    }
    if (!failed) {
        free(output->temporary); /* no longer there by that name: nothing to remove */
        output->temporary = NULL;
    }
    enum cgs_status status = CGS_OK;
    if (failed)
        status = refuse(context, output->what, output->target, error ? error : EIO);
    cgs_output_discard(output);
    return status;
}

void cgs_output_discard(struct cgs_output *output)
{
    if (output->file && output->file != stdout)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    *output = (struct cgs_output){0};
}
