/* Pinning costs a page fault, zeroing and an entry per page. Huge pages (transparent ones, if the
 * system has them) need a 512th of the entries, and all threads zero them. */
#include "kernels/device/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const int64_t HUGE_PAGE = INT64_C(2) << 20;

void *cgs_pages_take(int threads, int64_t bytes)
{
    const int64_t count = (bytes + HUGE_PAGE - 1) / HUGE_PAGE;
    char *pages = aligned_alloc((size_t)HUGE_PAGE, (size_t)(count * HUGE_PAGE));
    if (!pages)
        return NULL;
    (void)madvise(pages, (size_t)(count * HUGE_PAGE), MADV_HUGEPAGE); /* a hint: slower without */
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
        memset(pages + i * HUGE_PAGE, 0, (size_t)HUGE_PAGE);
    return pages;
}

void cgs_pages_free(void *pages)
{
    free(pages);
}
