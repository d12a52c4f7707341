#include "lab/times.h"

#include <math.h>

static double time_of(const struct cgs_times *times, int matrix, int kernel)
{
    return times->seconds[matrix * times->kernels + kernel];
}

double cgs_geometric_mean(const double *values, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += log(values[i]);
    return count > 0 ? exp(sum / count) : 0.0;
}

double cgs_times_best(const struct cgs_times *times, int matrix)
{
    double best = 0.0;
    for (int k = 0; k < times->kernels; k++) {
        const double seconds = time_of(times, matrix, k);
        if (seconds > 0.0 && (best == 0.0 || seconds < best))
            best = seconds;
    }
    return best;
}

int cgs_times_counted(const struct cgs_times *times)
{
    int count = 0;
    for (int m = 0; m < times->matrices; m++)
        count += cgs_times_best(times, m) > 0.0;
    return count;
}

struct cgs_speedup cgs_times_speedup(const struct cgs_times *times, int kernel, int baseline)
{
    struct cgs_speedup all = {0};
    double sum = 0.0;
    for (int m = 0; m < times->matrices; m++) {
        const double own = time_of(times, m, kernel), other = time_of(times, m, baseline);
        if (!(own > 0.0 && other > 0.0))
            continue;
        const double ratio = other / own;
        all.least = all.matrices == 0 ? ratio : fmin(all.least, ratio);
        all.most = fmax(all.most, ratio);
        all.matrices++;
        sum += log(ratio);
    }
    if (all.matrices > 0)
        all.mean = exp(sum / all.matrices);
    return all;
}

double cgs_times_profile(const struct cgs_times *times, int kernel, double ratio)
{
    static const double ROUNDING = 1e-12;
    const int counted = cgs_times_counted(times);
    int within = 0;
    for (int m = 0; m < times->matrices; m++) {
        const double own = time_of(times, m, kernel);
        within += own > 0.0 && own <= ratio * (1.0 + ROUNDING) * cgs_times_best(times, m);
    }
    return counted > 0 ? (double)within / counted : 0.0;
}
