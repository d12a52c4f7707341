/* Available memory, with replaceable files for tests: internal to base/memory.h. */
#pragma once

#include "base/memory.h"

#include <stdint.h>

struct cgs_available {
    int64_t bytes;     /* INT64_MAX if unknown */
    const char *limit; /* name of the limit, as in cgs_memory_limit */
};

/* Reads /proc/... and /sys/... below `root` ("" for the machine's own), and the resource limits of
 * this process. */
struct cgs_available cgs_available_below(const char *root);

/* Bytes that the process may still allocate: the system's available memory, or less if a cgroup (v1
 * or v2, any level above this process) or RLIMIT_AS allows less. */
int64_t cgs_memory_available(void);

/* Returns the limit in force: "the system", "a control group", "ulimit -v" or "ulimit -d". */
const char *cgs_memory_limit(void);

/* Resident bytes of this process without pages of files, which are code: how many of these there
 * are the system decides, by what else it runs. Now (RssAnon + RssShmem), and at most (VmHWM
 * less the RssFile of now); 0 if /proc is missing. */
int64_t cgs_memory_resident(void);
int64_t cgs_memory_resident_peak(void);
