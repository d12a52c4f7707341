#include "src/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What would be right, by the reason. */
static const char *remedy(int error)
{
    switch (error) {
    case ENOENT: return "the folder does not exist: make it, or name another file";
    case EACCES:
    case EPERM: return "name a file in a folder that you may write to";
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
                    remedy(error));
}

/* A file beside `target` that nobody else has, with the permissions of an ordinary new file. */
static int open_beside(const char *target, char **temporary, FILE **file)
{
    static const char suffix[] = ".tmpXXXXXX";
    const size_t size = strlen(target) + sizeof suffix;
    char *name = malloc(size);
    if (!name)
        return ENOMEM;
    snprintf(name, size, "%s%s", target, suffix);
    const int descriptor = mkstemp(name);
    if (descriptor < 0) {
        const int error = errno;
        free(name);
        return error;
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    *file = fdopen(descriptor, "w");
    *temporary = name;
    return 0;
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
        error = open_beside(o.target, &o.temporary, &o.file);
    if (error == 0 && !o.file)
        error = ENOMEM;
    if (error != 0) {
        cgs_output_discard(&o);
        return refuse(context, what, path, error);
    }
    *output = o;
    return CGS_OK;
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
