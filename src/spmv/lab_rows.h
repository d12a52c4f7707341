/* Rows of the table, and their ratios. */
#pragma once

#include "src/spmv/lab.h"

/* Bytes that a product must move at least: x and y once, and the matrix, too, unless its kernel
 * has had the opportunity to make a smaller layout of it, and does not say its bytes. */
int64_t cgs_lab_least_bytes(const struct cgs_lab_row *row, int64_t vectors, bool unsaid);

/* Refuses a user's kernel whose product is faster than memory could move those bytes: something
 * of it is left out. A matrix in the caches has no such limit. */
void cgs_lab_hold_against_roof(const struct cgs_lab *lab, int64_t least_bytes,
                               struct cgs_lab_row *row);

/* Sets name and file. */
void cgs_lab_name_row(const struct cgs_lab *lab, const struct cgs_candidate *c,
                      struct cgs_lab_row *row);
/* Fills a row from its trial, except for the ratios to other rows. */
void cgs_lab_note(const struct cgs_trial *trial, const struct cgs_lab *lab,
                  struct cgs_lab_row *row);
/* Sets vendor_ratio of the rows items[0 ... count - 1], which were timed together. */
void cgs_lab_hold_against_vendor(struct cgs_lab *lab, const int *items, int count);
/* Sets speedup, default_ratio and break_even once all rows are known. */
void cgs_lab_hold_against_baselines(struct cgs_lab *lab);

void cgs_lab_layout_name(const struct cgs_lab_row *row, char *text, size_t size); /* "SELL-8-1" */
