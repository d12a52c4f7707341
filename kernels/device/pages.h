/* Host memory for transfers to a device: whole huge pages, touched by all threads. */
#pragma once

#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

/* Allocates `bytes` of zeros, or returns NULL; to be freed by cgs_pages_free (NULL is allowed). */
void *cgs_pages_take(int threads, int64_t bytes);
void cgs_pages_free(void *pages);

CGS_END_C
