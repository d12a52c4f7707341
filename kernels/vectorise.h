/* Vector widths (base/vectorise.h) and prefetching for the CPU's streaming loops. */
#pragma once

#include <stdint.h>

#include "base/vectorise.h"

/* Prefetch distance of streaming loops in bytes. The hardware prefetcher stops at page ends and
 * keeps too few lines in flight for one core to use its share of the memory. Measured with the Q1
 * matrix, N = 128, double, one core of a Xeon (AVX-512), 2026-11-20: CRS 13.4 GB/s without, 15.0,
 * 17.0, 15.9 with 1, 2, 4 KiB; SELL-8 12.0 without, 15.2, 17.0, 16.1. */
#define CGS_AHEAD 2048

/* Prefetches the line CGS_AHEAD bytes ahead. Past the end of an array this is harmless, since it is
 * no access. */
#define CGS_PREFETCH(pointer) __builtin_prefetch((const char *)(pointer) + CGS_AHEAD)

/* For the body of a loop around short loops over sums that should stay in registers: keeps GCC from
 * unrolling the outer loop and jamming the inner ones (-floop-unroll-and-jam, part of -O3), after
 * which it no longer sees contiguous reads and gathers instead. */
#define CGS_NOT_JAMMED __asm__ volatile("")
