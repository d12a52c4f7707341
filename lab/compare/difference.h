/* Differences between two JSON reports of one command, as a JSON object, from which
 * text and --json=FILE are written. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "core/io/format.h"

/* The object, owned by the caller (NULL: no memory):
 *     settings[]   {what, a, b}: what the reports were made with and of; a or b is absent where one
 *                  report does not have it
 *     results[]    {what, a, b}: figures that are exact: iterations, status, errors, bytes, ...
 *     measured[]   {what, unit, a, b, ratio, ratio_least, ratio_most, better}: beyond noise; ratio
 *                  is b / a, and its spread is there where both have one: least of b / most of a ...
 *                  most of b / least of a; better is "a" or "b"
 *     overlapping[]   likewise: apart by more than CGS_NOISE (below), but their spreads overlap,
 *                  or others had the processors during one of the runs
 *     disturbed[]   "a", "b": during which of the runs that was so
 *     only[]       {what, in}: kernels and measured figures that one report alone has, "a" or "b"
 *     agreed       how many figures agree
 *     noise, noise_spread */
json_t *cgs_difference(json_t *a, json_t *b);

/* Measured figures agree where they are that near to each other; where both reports have a spread
 * (least and most of several), where these overlap, too. */
#define CGS_NOISE 0.05        /* relative, of figures without a spread */
#define CGS_NOISE_SPREAD 0.01 /* and with one: what runs drift from one to the next */

enum cgs_change {
    CGS_CHANGE_NOISE,   /* they agree */
    CGS_CHANGE_UNCLEAR, /* further apart, but their spreads overlap */
    CGS_CHANGE_LESS,
    CGS_CHANGE_MORE
};

/* least, most: least of b / most of a, most of b / least of a; both 0 where one has no spread. */
enum cgs_change cgs_change(double ratio, double least, double most);

/* "5.00 times as fast" of seconds at a ratio of 0.2, "2.00 times as long" at 2; of other figures
 * "0.200 times as much". */
const char *cgs_change_text(bool seconds, double ratio, cgs_text text);
