/* What the CPU's streaming loops share: vector widths (base/vectorise.h) and prefetching. */
#ifndef CGS_KERNELS_VECTORISE_H
#define CGS_KERNELS_VECTORISE_H

#include <stdint.h>

#include "base/vectorise.h"

/* How far ahead, in bytes, a loop that streams asks for its data: a processor's own prefetching
 * stops at every page and keeps too few lines on their way for one core to use its share of the
 * memory. Measured with the Q1 matrix, N = 128, double, one core of a Xeon (AVX-512), 2026-11-20:
 * CRS 13.4 GB/s without, 15.0, 17.0, 15.9 with 1, 2, 4 KiB; SELL-8 12.0 without, 15.2, 17.0, 16.1.
 */
#define CGS_AHEAD 2048

/* Asks for the line that lies CGS_AHEAD bytes further; past the end of an array, too, where it is
 * no access and does no harm. */
#define CGS_PREFETCH(pointer) __builtin_prefetch((const char *)(pointer) + CGS_AHEAD)

/* In the body of a loop around short loops over sums that are to stay in registers: keeps GCC from
 * unrolling the outer loop and jamming the inner ones into one (-floop-unroll-and-jam, part of -O3),
 * after which it no longer sees that they read neighbours, and gathers. */
#define CGS_NOT_JAMMED __asm__ volatile("")

#endif
