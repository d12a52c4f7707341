/* Whether two names lead to one file, also where it is not there yet. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/output.h"

char *cgs_output_resolve(const char *path)
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
    char *one = cgs_output_resolve(a), *other = cgs_output_resolve(b);
    const bool same = one && other && strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}
