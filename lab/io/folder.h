/* Folders that a command fills with its results, and goes on with in a later call: made, locked
 * against a second process, marked as the command's own. Functions that return an int return an
 * errno, 0 for success. */
#pragma once

#include <stdbool.h>

/* Returns "folder/name" with the ending, owned by the caller; NULL: no memory. */
char *cgs_folder_join(const char *folder, const char *name, const char *ending);

/* Makes the folder, and those above it where they are missing; `path` is as before. *made: it
 * was not there. */
int cgs_folder_make(char *path, bool *made);

/* Opens and locks the folder; closing *lock gives it free. EWOULDBLOCK: another process holds
 * it; ESTALE: that has removed it meanwhile. follow: O_NOFOLLOW where a link is none, or 0. A
 * file system without locks is taken as it is. */
int cgs_folder_lock(const char *folder, int follow, int *lock);

/* Locks the folder, made before where `make` is set. *made: it was not there. */
int cgs_folder_hold(char *folder, bool make, bool *made, int *lock);

/* Counts the files in the folder whose names contain `part`; 0 if there is no folder, a negative
 * errno where it cannot be read. `remove`: they go. */
int cgs_folder_count(const char *path, const char *part, bool remove);

/* Removes the files of which ours(user, name) is true. */
void cgs_folder_remove(const char *path, bool (*ours)(const void *user, const char *name),
                       const void *user);

/* Returns true if `name` is `file` with the ending as it is called while it is written:
 * "file.tmpXXXXXX". A process that was killed leaves such a file on file systems where that has
 * a name. */
bool cgs_folder_begun(const char *name, const char *file, const char *ending);

/* Returns true if the folder holds a regular file `marker`. A link of that name is none: who
 * else may write there does not say what the folder is. */
bool cgs_folder_marked(const char *folder, const char *marker);
int cgs_folder_mark(const char *folder, const char *marker);
