/* Available memory, with replaceable files for tests: internal to base/memory.h. */
#ifndef CGS_BASE_AVAILABLE_H
#define CGS_BASE_AVAILABLE_H

#include <stdint.h>

struct cgs_available {
    int64_t bytes;     /* INT64_MAX if unknown */
    const char *limit; /* name of the limit, as in cgs_memory_limit */
};

/* Reads /proc/... and /sys/... below `root` ("" for the machine's own), and the resource limits of
 * this process. */
struct cgs_available cgs_available_below(const char *root);

#endif
