/* Times of several kernels on several matrices: means and profiles over all matrices.
 *
 *     speed-up of kernel k over a baseline b on matrix m      t(m, b) / t(m, k)
 *     its mean over matrices                                  geometric: exp(mean of logarithms)
 *     performance profile of kernel k                         rho_k(r) = share of matrices with t(m, k) <= r best(m)
 *
 * after E. Dolan and J. More, "Benchmarking optimization software with performance profiles",
 * Mathematical Programming 91 (2002). best(m) is the least time of all kernels on matrix m; a
 * kernel without a time there is at no ratio among the best, and a matrix on which no kernel has
 * a time does not count. */
#pragma once

struct cgs_times {
    int matrices, kernels;
    double *seconds; /* of kernel k on matrix m: seconds[m * kernels + k]; 0: none */
};

struct cgs_speedup {
    int matrices;             /* that have both times */
    double mean, least, most; /* the geometric mean, and the range; 0 where there are none */
};

/* Returns 0 where there are no values; all have to be positive. */
double cgs_geometric_mean(const double *values, int count);

/* Returns the least time on a matrix; 0: no kernel has one. */
double cgs_times_best(const struct cgs_times *times, int matrix);

/* Returns the number of matrices on which some kernel has a time. */
int cgs_times_counted(const struct cgs_times *times);

struct cgs_speedup cgs_times_speedup(const struct cgs_times *times, int kernel, int baseline);

/* Returns rho_k(ratio), from 0 to 1. Times that are equal except for rounding count as equal. */
double cgs_times_profile(const struct cgs_times *times, int kernel, double ratio);
