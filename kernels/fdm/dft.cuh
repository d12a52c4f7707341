/* Discrete Fourier transforms of a few complex numbers in registers. Two lines of real numbers are
 * transformed as one of complex numbers: all that is done to them is linear with real coefficients.
 *
 * Lengths 2 and 4 are written out, primes are sums over mirrored pairs, and N = P Q is done in two
 * steps (J. W. Cooley, J. W. Tukey, Math. Comp. 19 (1965) 297). Coefficients are constants of the
 * compiler.
 */
#pragma once

#include <utility>

#include "kernels/precision.h"

namespace
{

struct alignas(2 * sizeof(real)) two {
    real x, y;
};

__device__ inline two operator+(two a, two b)
{
    return {a.x + b.x, a.y + b.y};
}

__device__ inline two operator-(two a, two b)
{
    return {a.x - b.x, a.y - b.y};
}

__device__ inline two operator*(real a, two b)
{
    return {a * b.x, a * b.y};
}

__device__ inline two times(two a, two w)
{
    return {a.x * w.x - a.y * w.y, a.x * w.y + a.y * w.x};
}

__device__ inline two times_conjugate(two a, two w)
{
    return {a.x * w.x + a.y * w.y, a.y * w.x - a.x * w.y};
}

/* Returns sin x or cos x for 0 <= x <= pi / 4 by the Taylor series. */
constexpr double series(double x, bool sine)
{
    double term = sine ? x : 1.0, sum = 0.0;
    for (int i = sine ? 1 : 0; i < 32; i += 2) {
        sum += term;
        term *= -x * x / ((i + 1.0) * (i + 2.0));
    }
    return sum;
}

/* Returns sin(2 pi k / n), reduced in integers. */
constexpr double sine_of(int k, int n)
{
    constexpr double pi = 3.14159265358979323846;
    k = (k % n + n) % n;
    if (2 * k > n)
        return -sine_of(n - k, n);
    if (4 * k > n)
        return sine_of(n - 2 * k, 2 * n);
    if (8 * k > n)
        return series(pi * (n - 4.0 * k) / (2.0 * n), false);
    return series(2.0 * pi * k / n, true);
}

constexpr double cosine_of(int k, int n)
{
    return sine_of(n + 4 * k, 4 * n);
}

template <class Body, int... I>
__device__ inline void unrolled(Body &&body, std::integer_sequence<int, I...>)
{
    (body(std::integral_constant<int, I>{}), ...);
}

/* Calls body(i) for i = 0 ... COUNT - 1 as constants. */
template <int COUNT, class Body> __device__ inline void unrolled(Body &&body)
{
    unrolled(body, std::make_integer_sequence<int, COUNT>{});
}

constexpr int first_factor(int n)
{
    return n == 16 ? 4 : n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n % 7 == 0 ? 7 : n;
}

/* Returns a exp(2 pi i K / N). */
template <int N, int K> __device__ inline two turned(two a)
{
    constexpr int k = (K % N + N) % N;
    if constexpr (k == 0)
        return a;
    else if constexpr (4 * k == N)
        return {-a.y, a.x};
    else if constexpr (2 * k == N)
        return {-a.x, -a.y};
    else if constexpr (4 * k == 3 * N)
        return {a.y, -a.x};
    else {
        constexpr double c = cosine_of(k, N), s = sine_of(k, N);
        return times(a, {(real)c, (real)s});
    }
}

/* v_k = sum_j exp(SIGN 2 pi i j k / N) v_j, in place. */
template <int N, int SIGN> __device__ inline void dft(two (&v)[N])
{
    if constexpr (N == 1) {
    } else if constexpr (N == 2) {
        const two a = v[0], b = v[1];
        v[0] = a + b;
        v[1] = a - b;
    } else if constexpr (N == 4) {
        const two a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3];
        const two d = turned<4, SIGN>(v[1] - v[3]);
        v[0] = a + c;
        v[1] = b + d;
        v[2] = a - c;
        v[3] = b - d;
    } else if constexpr (first_factor(N) == N) {
        constexpr int PAIRS = (N - 1) / 2;
        two sums[PAIRS], differences[PAIRS], all = v[0];
        const two first = v[0];
        unrolled<PAIRS>([&](auto j) {
            sums[j] = v[j + 1] + v[N - 1 - j];
            differences[j] = v[j + 1] - v[N - 1 - j];
            all = all + sums[j];
        });
        v[0] = all;
        unrolled<PAIRS>([&](auto k) {
            two even = first, odd = {0, 0};
            unrolled<PAIRS>([&](auto j) {
                constexpr int m = (decltype(j)::value + 1) * (decltype(k)::value + 1);
                constexpr double c = cosine_of(m, N), s = SIGN * sine_of(m, N);
                even = even + (real)c * sums[j];
                odd = odd + (real)s * two{-differences[j].y, differences[j].x};
            });
            v[k + 1] = even + odd;
            v[N - 1 - k] = even - odd;
        });
    } else {
        constexpr int P = first_factor(N), Q = N / P;
        unrolled<Q>([&](auto j) {
            two u[P];
            unrolled<P>([&](auto i) { u[i] = v[Q * i + j]; });
            dft<P, SIGN>(u);
            unrolled<P>([&](auto i) {
                v[Q * i + j] = turned<N, SIGN *decltype(i)::value *decltype(j)::value>(u[i]);
            });
        });
        two out[N];
        unrolled<P>([&](auto i) {
            two u[Q];
            unrolled<Q>([&](auto j) { u[j] = v[Q * i + j]; });
            dft<Q, SIGN>(u);
            unrolled<Q>([&](auto j) { out[i + P * j] = u[j]; });
        });
        unrolled<N>([&](auto k) { v[k] = out[k]; });
    }
}

} // namespace
