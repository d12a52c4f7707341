/* Bytes that a product of matrices moves. */
#pragma once

#include "src/spgemm/multiply_table.h"

/* Return `least` and `gustavson` of the formulas in multiply_table.h, in bytes. */
int64_t cgs_multiply_least_bytes(const struct cgs_multiply *m);
int64_t cgs_multiply_gustavson_bytes(const struct cgs_multiply *m);
