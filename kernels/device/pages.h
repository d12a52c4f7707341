/* Host memory that a device will read as it lies: whole huge pages, taken by all threads. */
#ifndef CGS_KERNELS_DEVICE_PAGES_H
#define CGS_KERNELS_DEVICE_PAGES_H

#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

/* `bytes` of zeros, or NULL; the caller's, returned by cgs_pages_free (NULL is nothing to return).
 */
void *cgs_pages_take(int threads, int64_t bytes);
void cgs_pages_free(void *pages);

CGS_END_C

#endif
