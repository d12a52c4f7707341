/* Inside of base/memory.h: what the process may still take, with files that a test can make. */
#ifndef CGS_BASE_AVAILABLE_H
#define CGS_BASE_AVAILABLE_H

#include <stdint.h>

struct cgs_available {
    int64_t bytes;     /* INT64_MAX where nobody says */
    const char *limit; /* what sets it, as cgs_memory_limit names it */
};

/* From the files /proc/... and /sys/... below `root` ("" for the machine's own), and from the
 * resource limits of this process. */
struct cgs_available cgs_available_below(const char *root);

#endif
