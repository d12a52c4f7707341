/* Reads numbers strictly: the whole text has to be a number in range. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cgs_value_fault {
    CGS_VALUE_FINE,
    CGS_VALUE_NOT_A_NUMBER, /* "", "12x", "nan", "0x10" */
    CGS_VALUE_NOT_WHOLE,    /* "1.5" */
    CGS_VALUE_OUT_OF_RANGE  /* "0", "1e9", "1e999" */
};

/* Reads a whole number, least <= value <= most; "1e5" and "2.0" are whole. Sets *value on success
 * only. */
enum cgs_value_fault cgs_value_whole(const char *text, double least, double most, int64_t *value);

/* Reads a real number, least < value < most, never NaN or infinite. */
enum cgs_value_fault cgs_value_real(const char *text, double least, double most, double *value);

/* Writes a finite number with the fewest digits, at least 6, that read back as the same number:
 * "1e-10", "0.1". */
void cgs_value_write(double value, char *text, size_t size);

/* Reads bytes: a number, perhaps with a fraction, then optionally K, M, G, T (powers of 1000) or
 * Ki, Mi, Gi, Ti (powers of 1024), the first letter in either case, then optionally B. */
enum cgs_value_fault cgs_value_size(const char *text, double least, double most, int64_t *value);

/* Returns true if --kernel=NAME is a file: it has a '/', or ends in .so, .c or .cu. */
bool cgs_plugin_named(const char *name);
