/* cgsolve exercise: compensated */
/* A sum without its rounding errors.
 *
 * Each addition of doubles rounds its result to 53 bits, by up to 1.1e-16 of it. A sum of n numbers
 * makes n such errors: 1 + 1e-16 + 1e-16 + ... stays 1, however many terms there are, since each of
 * them is less than half the distance from 1 to the next double.
 *
 * What an addition t = sum + x loses can be computed exactly where |sum| >= |x|:
 *
 *     lost = (sum - t) + x
 *
 * Kahan's compensated sum adds what was lost to the next term (W. Kahan, CACM 8 (1965) 40).
 * Its error is some 1e-16 of the sum of |x[i]|, whatever n is.
 *
 *     cgsolve exercise check compensated.c --exercises=DIR      DIR: the folder of this exercise's
 *
 * The judge compiles without -ffast-math, which would allow the compiler to take (sum - t) + x
 * for 0.
 */
#include <stdint.h>

double sum_of(int64_t n, const double *x)
{
    double sum = 0.0;
    /* TODO: keep what each addition loses, and add it to the next number. */
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
