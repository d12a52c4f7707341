/* Description of the wrong rows of a product by what they share, for whoever has to find the fault:
 *
 *     3 of 1331 rows are wrong: the last ones, not written
 *     729 of 1331 rows are wrong: all with more than 18 entries
 *     42 of 1331 rows are wrong: every 32nd from row 31 on
 *     all 1331 rows are wrong, but right to single precision
 *     all 1331 rows are wrong: 0.5 times what they should be
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cgs_wrong_rows {
    int64_t rows;
    const bool *wrong;       /* by row */
    const int64_t *pointers; /* of the matrix by rows: rows + 1; NULL: lengths are not known */
    bool narrow;             /* all of them would be right in single precision */
    bool unwritten;          /* all of them are as they were before the product */
    double factor;           /* all of them are so many times what they should be; 0: not so */
};

/* Writes the number of wrong rows, of which there is at least one, and what they share. */
void cgs_diagnose(const struct cgs_wrong_rows *w, char *text, size_t size);
