/* Differences between two JSON reports of one command, as a JSON object, from which
 * text and --json=FILE are written. */
#ifndef CGS_LAB_COMPARE_DIFFERENCE_H
#define CGS_LAB_COMPARE_DIFFERENCE_H

#include <jansson.h>

/* The object, owned by the caller (NULL: no memory):
 *     settings[]   {what, a, b}: what the reports were made with and of; a or b is absent where one
 *                  report does not have it
 *     results[]    {what, a, b}: figures that are exact: iterations, status, errors, bytes, ...
 *     measured[]   {what, unit, a, b, ratio, ratio_least, ratio_most, better}: beyond noise; ratio
 *                  is b / a, and its spread is there where both have one: least of b / most of a ...
 *                  most of b / least of a; better is "a" or "b"
 *     overlapping[]   likewise: apart by more than CGS_NOISE (change.h), but their spreads overlap,
 *                  or others had the processors during one of the runs
 *     disturbed[]   "a", "b": during which of the runs that was so
 *     only[]       {what, in}: kernels and measured figures that one report alone has, "a" or "b"
 *     agreed       how many figures agree
 *     noise, noise_spread */
json_t *cgs_difference(json_t *a, json_t *b);

#endif
