/* cgsolve exercise: compensated */
/* Expect: should be 1 [+] 1e-13 */
/* Subtracts what was lost instead of adding it. */
#include <stdint.h>

double sum_of(int64_t n, const double *x)
{
    double sum = 0.0, lost = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double term = x[i] - lost, t = sum + term;
        lost = (sum - t) + term;
        sum = t;
    }
    return sum;
}
