/* Rights and limits that the process of a user's kernel keeps (contain.h). */
#ifndef CGS_KERNELS_USER_CONTAINMENT_H
#define CGS_KERNELS_USER_CONTAINMENT_H

#include <stdbool.h>
#include <stdint.h>

struct cgs_containment {
    const char *library; /* path; it and libraries beside it may be read */
    int64_t memory;      /* bytes to allocate, without threads' stacks; 0: no limit */
    int threads;
    bool cuda; /* its driver writes to devices, and maps more memory than there is */
};

#endif
