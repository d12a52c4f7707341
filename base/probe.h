/* Small questions to the system: files below /proc and /sys, control groups, programs. `root`
 * stands before each path: "" here, a folder in tests. What is missing is answered by false or 0.
 * Files are read without any memory of the heap: where memory is short, nothing that they say is
 * taken for absent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool cgs_probe_exists(const char *root, const char *path);
/* Returns false if the first or the last of `bytes` > 0 bytes is unreadable: unmapped, or memory
 * of a device. */
bool cgs_probe_readable(const void *array, int64_t bytes);
/* The first line, without its end. */
bool cgs_probe_line(const char *root, const char *path, char *text, size_t size);
/* The number behind `key` in a file of lines "key: 12 kB", "key 12"; of kB in bytes. Key "": the
 * number of the first line, false for words such as "max". */
bool cgs_probe_number(const char *root, const char *path, const char *key, int64_t *number);
/* Numbers in a list such as "0-3,8", and the first of them (-1 where there is none). */
int cgs_probe_list(const char *root, const char *path, int *first);
/* Entries of a folder that do not begin with a dot; `look` (or NULL) says which of them count. */
int cgs_probe_entries(const char *root, const char *folder,
                      bool (*look)(const char *root, const char *path));

/* A limit that the control group with this folder sets; INFINITY: none. */
typedef double cgs_group_limit(const char *root, const char *folder);
/* The least limit of all control groups of this process, from its own up to the mount point
 * (cgroups(7)); v1 reads that of a group of `controller`, v2 of one of version 2. INFINITY:
 * none. */
double cgs_probe_groups(const char *root, const char *controller, cgs_group_limit *v1,
                        cgs_group_limit *v2);
/* cgs_probe_number of the file `name` in a folder. */
bool cgs_probe_number_in(const char *root, const char *folder, const char *name, const char *key,
                         int64_t *number);
/* Limits of control groups: processors (as 1.5), and bytes of memory; 0 where nothing is
 * limited. */
double cgs_probe_quota(const char *root);
int64_t cgs_probe_memory_limit(const char *root);

/* Returns true if the shell would find that program. */
bool cgs_probe_program(const char *name);

/* The command that installs a package here: by apt-get or dnf, with sudo where that is needed;
 * `elsewhere` where neither is there. Names differ: `debian`, `fedora`. */
void cgs_probe_install(const char *debian, const char *fedora, const char *elsewhere, char *command,
                       size_t size);
