/* The meaning of a ratio b / a of two measured figures: noise, unclear, less or more. */
#ifndef CGS_LAB_COMPARE_CHANGE_H
#define CGS_LAB_COMPARE_CHANGE_H

#include <stdbool.h>

#include "core/io/format.h"

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

#endif
