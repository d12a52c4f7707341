/* For tests under limits of memory. */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/check.h"

/* Bytes of this process's address space, which RLIMIT_AS limits. */
static inline int64_t address_space(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    int64_t pages = 0;
    ck_assert_int_eq(fscanf(file, "%" SCNd64, &pages), 1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}
