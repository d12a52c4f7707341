/* Folders that a command fills with its results, and goes on with in a later call. */
#include "lab/io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char begun[] = ".tmp";
enum { UNIQUE = 6 }; /* characters behind it */

char *cgs_folder_join(const char *folder, const char *name, const char *ending)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

int cgs_folder_make(char *path, bool *made)
{
    struct stat there;
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        const int error = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
        *slash = '/';
        if (error != 0)
            return error;
    }
    if (mkdir(path, 0777) == 0) {
        *made = true;
        return 0;
    }
    if (errno == EEXIST && stat(path, &there) == 0)
        return S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
    return errno;
}

static bool hidden(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int cgs_folder_count(const char *path, const char *part, bool remove)
{
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (hidden(entry->d_name) || !strstr(entry->d_name, part))
            continue;
        count++;
        if (remove)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    return count;
}

bool cgs_folder_begun(const char *name, const char *file, const char *ending)
{
    const size_t length = strlen(file), end = strlen(ending);
    return strncmp(name, file, length) == 0 && strncmp(name + length, ending, end) == 0 &&
           strncmp(name + length + end, begun, sizeof begun - 1) == 0 &&
           strlen(name + length + end) == sizeof begun - 1 + UNIQUE;
}

void cgs_folder_remove(const char *path, bool (*ours)(const void *user, const char *name),
                       const void *user)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        if (ours(user, entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

bool cgs_folder_marked(const char *folder, const char *marker)
{
    struct stat about;
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, marker) < (int)sizeof path &&
           lstat(path, &about) == 0 && S_ISREG(about.st_mode);
}

int cgs_folder_mark(const char *folder, const char *marker)
{
    char *path = cgs_folder_join(folder, marker, "");
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int file = path ? open(path, flags, 0666) : -1;
    const int error = !path ? ENOMEM : file < 0 ? errno : 0;
    if (file >= 0)
        close(file);
    free(path);
    return error;
}

int cgs_folder_lock(const char *folder, int follow, int *lock)
{
    struct stat opened, there;
    int error = 0;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
    if (descriptor < 0)
        return errno == ENOENT ? ESTALE : errno;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        error = EWOULDBLOCK;
    else if (fstat(descriptor, &opened) != 0 || stat(folder, &there) != 0 ||
             opened.st_ino != there.st_ino || opened.st_dev != there.st_dev)
        error = ESTALE;
    if (error != 0)
        close(descriptor);
    else
        *lock = descriptor;
    return error;
}

int cgs_folder_hold(char *folder, bool make, bool *made, int *lock)
{
    enum { TRIES = 100 };
    int error = ESTALE;
    for (int i = 0; i < TRIES && error == ESTALE; i++) {
        *made = false;
        error = make ? cgs_folder_make(folder, made) : 0;
        if (error == 0)
            error = cgs_folder_lock(folder, 0, lock);
        if (error != 0)
            *made = false; /* whoever holds it now removes it */
    }
    return error;
}
