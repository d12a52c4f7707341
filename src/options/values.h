/* Numbers as people write them, read strictly: all of the text, nothing else, in range. */
#ifndef CGS_SRC_OPTIONS_VALUES_H
#define CGS_SRC_OPTIONS_VALUES_H

#include <stddef.h>
#include <stdint.h>

enum cgs_value_fault {
    CGS_VALUE_FINE,
    CGS_VALUE_NOT_A_NUMBER, /* "", "12x", "nan", "0x10" */
    CGS_VALUE_NOT_WHOLE,    /* "1.5" */
    CGS_VALUE_OUT_OF_RANGE  /* "0", "1e9", "1e999" */
};

/* least <= value <= most; "1e5" and "2.0" are whole numbers. *value is set on success only. */
enum cgs_value_fault cgs_value_whole(const char *text, double least, double most, int64_t *value);

/* least < value < most; never NaN or infinite. */
enum cgs_value_fault cgs_value_real(const char *text, double least, double most, double *value);

/* A finite number as briefly as it can be written so that it reads as the very same one: "1e-10",
 * "0.1". */
void cgs_value_write(double value, char *text, size_t size);

/* Bytes: a number, perhaps with a fraction, and K, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti
 * (powers of 1024), upper or lower case, an optional B at the end. */
enum cgs_value_fault cgs_value_size(const char *text, double least, double most, int64_t *value);

#endif
