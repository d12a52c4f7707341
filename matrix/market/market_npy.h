/* NumPy's format .npy: the header, a line of Python
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (50, 36, 20), }
 *
 * of which this reads what numpy writes (the three keys, once each, in any order), and numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

enum {
    CGS_NPY_HEADER = 1 << 14, /* most bytes of a header; numpy's are 118 */
    CGS_NPY_DIMENSIONS = 8    /* most of a shape */
};

struct cgs_npy {
    char type; /* 'f', 'i', 'u'; '\0': another one than numbers of 1, 2, 4 or 8 bytes */
    int size;  /* bytes of a number */
    bool swap; /* the bytes of numbers are in the other order */
    bool fortran;
    int64_t shape[CGS_NPY_DIMENSIONS];
    int dimensions;
};

/* Reads a header. Returns false if it is not numpy's. */
bool cgs_npy_header(const char *text, struct cgs_npy *npy);

/* Returns the number whose npy->size bytes these are. */
double cgs_npy_number(const struct cgs_npy *npy, const unsigned char *bytes);

CGS_END_C
