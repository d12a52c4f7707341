/* Tells whether two names lead to one file, even one that does not exist yet. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plain.h"
#include "core/io/output_same.h"

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
