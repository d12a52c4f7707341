/* Entries of the transforms. */
#include "kernels/fdm.h"

#include <math.h>

double cgs_fdm_entry(enum cgs_fdm_kind kind, int64_t n, int64_t i, int64_t j)
{
    const double pi = 3.14159265358979323846, m = (double)n;
    switch (kind) { /* angles below 2 pi, reduced in integers */
    case CGS_FDM_SINE:
        return sin(pi * (double)((i + 1) * (j + 1) % (2 * (n + 1))) / (m + 1.0));
    case CGS_FDM_COSINE:
        return cos(pi * (double)(i * j % (2 * (n - 1))) / (m - 1.0));
    case CGS_FDM_MIXED:
        return sin(pi * (double)((i + 1) * (2 * j + 1) % (4 * n)) / (2.0 * m));
    case CGS_FDM_MIXED_REVERSED:
        return sin(pi * (double)((n - i) * (2 * j + 1) % (4 * n)) / (2.0 * m));
    case CGS_FDM_PERIODIC:
        return 2 * j <= n ? cos(2.0 * pi * (double)(i * j % n) / m)
                          : sin(2.0 * pi * (double)(i * (n - j) % n) / m);
    default:
        return 0.0;
    }
}
