/* cgsolve exercise: compensated */
#include <stdint.h>

double sum_of(int64_t n, const double *x)
{
    double sum = 0.0, lost = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double term = x[i] + lost, t = sum + term;
        lost = (sum - t) + term;
        sum = t;
    }
    return sum;
}
