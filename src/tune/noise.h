/* How near two measured figures are that nobody should tell apart. */
#ifndef CGS_SRC_TUNE_NOISE_H
#define CGS_SRC_TUNE_NOISE_H

/* Measured figures agree where they are that near to each other; where both reports have a spread
 * (least and most of several), where these overlap, too. */
#define CGS_NOISE 0.05        /* relative, of figures without a spread */
#define CGS_NOISE_SPREAD 0.01 /* and with one: what runs drift from one to the next */

#endif
