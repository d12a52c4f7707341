/* Settings for tests: CGSOLVE_TEST in the environment, a list such as part=0.02,battery=0.
 *
 *   part=P      bandwidths and products are measured for that part of the usual time, 0 < P < 1
 *   bytes=B     bandwidths are measured on B bytes at least (the emulator is slow)
 *   battery=0   users' kernels are tried on the matrix at hand alone, not on small ones, too
 *   seconds=S   a step of a user's kernel may take S seconds, not 10, 0 < S < 1e6
 *   patience=S  a GPU waits S seconds for another rank's before that one counts as hung, not 30
 *   starved=D   compilers and judges that took too long had no processor (1) or had one (0)
 *   disturbed=D runs on the CPU are disturbed by other processes (1) or not (0), whatever runs
 *
 * The emulator (order=) and the kernels of tests/user_kernels (at=, closes=, says=, written=,
 * wrong=) read theirs from it, too.
 */
#pragma once

#include "base/linkage.h"

CGS_BEGIN_C

/* Returns the number behind NAME= in that list; `usual` where it has none. */
double cgs_testing(const char *name, double usual);

CGS_END_C
