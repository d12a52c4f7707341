/* Small questions to the system: files below /proc and /sys, control groups, programs. `root`
 * stands before each path: "" here, a folder in tests. What is missing is answered by false or 0.
 */
#ifndef CGS_SRC_IO_PROBE_H
#define CGS_SRC_IO_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool cgs_probe_exists(const char *root, const char *path);
/* The first line, without its end. */
bool cgs_probe_line(const char *root, const char *path, char *text, size_t size);
/* The first number of the first line; false for words such as "max". */
bool cgs_probe_number(const char *root, const char *path, int64_t *number);
/* "Key:   12 kB" in a file of such lines, in bytes. */
bool cgs_probe_bytes(const char *root, const char *path, const char *key, int64_t *bytes);
/* Numbers in a list such as "0-3,8", and the first of them (-1 where there is none). */
int cgs_probe_list(const char *root, const char *path, int *first);
/* Entries of a folder that do not begin with a dot; `look` (or NULL) says which of them count. */
int cgs_probe_entries(const char *root, const char *folder,
                      bool (*look)(const char *root, const char *path));

/* What the control groups of this process allow, all levels and both versions (cgroups(7)):
 * processors (as 1.5), and bytes of memory; 0 where nothing is limited. */
double cgs_probe_quota(const char *root);
int64_t cgs_probe_memory_limit(const char *root);

/* Whether the shell would find that program. */
bool cgs_probe_program(const char *name);

/* The command that installs a package here: by apt-get or dnf, with sudo where that is needed;
 * `elsewhere` where neither is there. Names differ: `debian`, `fedora`. */
void cgs_probe_install(const char *debian, const char *fedora, const char *elsewhere, char *command,
                       size_t size);

#endif
