/* Fast transforms of a tile of lines on the CPU (kernels/fdm.h), side by side in SIMD registers.
 *
 * Two lines are the real and the imaginary part of a sequence of complex numbers: all that is done
 * to them is linear with real coefficients. A tile's row, number i of LINES lines, is one `two`.
 *
 * SINE, COSINE and MIXED are transformed as kernels/fdm/lines.cuh explains: a line is continued by
 * its symmetries to e_j, j = 0 ... 2C - 1, and 2C = R M is split into the classes j = s + R m, of
 * which s = 0 ... R / 2 are enough:
 *
 *     Y_s[q] = sum_m e_(s + R m) w_M^(m (q - half)),         half = 1/2 if MIXED, else 0
 *     z_s = w^(s (q - half)) Y_s[q],   z_(R - s) = +- w^(-s (q - half)) Y_s[2 half - q]
 *     X_(q + M p) = sum_s w_R^(s p) z_s,                     w_n = exp(-2 pi i / n), w = w_2C
 *
 * PERIODIC is the class of R = 1, M = n, whose X_j and X_(n - j) have the cosines as their sum and
 * the sines as their difference.
 *
 * Lines of cells of order p have R = p, M = 2 cells, and p modes of angle q: their block of
 * amplitudes (kernels/fdm.h) multiplies
 *
 *     class 0                 1/2 C, or 1/2 D where parity is -1     C = Y_s[q] + Y_s[half 2 - q]
 *     class s, 0 < s < p / 2  C and D                                D = (Y_s[q] - Y_s[..]) / i
 *     class p / 2             1/2 (C cos + D sin)(theta / 2), or 1/2 (D cos - C sin)
 *
 * in place of the last line. Y takes steps of small radices in place, decimated in frequency
 * (J. W. Cooley, J. W. Tukey, Math. Comp. 19 (1965) 297). The way back is the transpose. Both are
 * twice what kernels/fdm.h defines; the weights of the modes make up for it.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vectorise.h"
#include "kernels/fdm.h"

enum { LANES = 8, LINES = 2 * LANES };

/* Tiles are aligned as numbers only. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

struct two {
    lanes re, im;
};

enum { FFT_STEPS = 12, FFT_PRIME = 127 /* the largest radix */, ORDER_MOST = CGS_INNER_MOST + 1 };

/* Butterflies of `radix` numbers, `next` apart, in blocks of radix * next. */
struct fft_step {
    int radix, next;
    const double *roots;  /* w^(digit b) of the block, [b][digit - 1], as re, im */
    const double *cosine; /* of 2 pi m / radix, m < radix, and their sines */
};

struct fft {
    int n, cells, first; /* C, and the j of the first number */
    int parity, mirror;  /* e_-j = parity e_j, e_(2C - j) = mirror e_j */
    int half;            /* 1 stands for 1/2 */
    bool reversed;
    int order; /* p; 1: Q1 */
    enum cgs_order_ends ends;
    int classes_of, length, classes, pairs; /* R, M, R / 2 + 1, pairs of q and 2 half - q */
    int steps;
    struct fft_step step[FFT_STEPS];
    const double *shift; /* w_M^(-m / 2), MIXED alone */
    const double *turn;  /* w^(s (q - half)), [pair][s - 1]; of order p exp(-i theta / 2), [pair] */
    const double *block; /* of order p, p p numbers a pair */
    const double *place; /* of Y_s[q] in its class, [q] */
};

/* ---- transforms of a few numbers: v_k = sum_j exp(SIGN 2 pi i j k / n) v_j ---- */

CGS_PIECE struct two plus(struct two a, struct two b)
{
    return (struct two){a.re + b.re, a.im + b.im};
}

CGS_PIECE struct two minus(struct two a, struct two b)
{
    return (struct two){a.re - b.re, a.im - b.im};
}

CGS_PIECE struct two scaled(struct two a, double by)
{
    return (struct two){a.re * by, a.im * by};
}

/* Returns a times re + sign i im. */
CGS_PIECE struct two times(struct two a, const double *w, int sign)
{
    const double re = w[0], im = sign * w[1];
    return (struct two){a.re * re - a.im * im, a.im * re + a.re * im};
}

/* Returns a times sign i. */
CGS_PIECE struct two turned(struct two a, int sign)
{
    return sign < 0 ? (struct two){a.im, -a.re} : (struct two){-a.im, a.re};
}

CGS_PIECE void dft_4(int sign, struct two *v)
{
    const struct two a = plus(v[0], v[2]), b = minus(v[0], v[2]), c = plus(v[1], v[3]);
    const struct two d = turned(minus(v[1], v[3]), sign);
    v[0] = plus(a, c);
    v[1] = plus(b, d);
    v[2] = minus(a, c);
    v[3] = minus(b, d);
}

CGS_PIECE void dft_8(int sign, struct two *v)
{
    const double root = 0.70710678118654752440;
    struct two even[4], odd[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        even[j] = plus(v[j], v[j + 4]);
        odd[j] = minus(v[j], v[j + 4]);
    }
    odd[1] = scaled(plus(odd[1], turned(odd[1], sign)), root);
    odd[2] = turned(odd[2], sign);
    odd[3] = scaled(minus(turned(odd[3], sign), odd[3]), root);
    dft_4(sign, even);
    dft_4(sign, odd);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        v[2 * k] = even[k];
        v[2 * k + 1] = odd[k];
    }
}

/* n: odd; in registers where it is a constant. */
CGS_PIECE void dft_odd(int n, const double *cosine, const double *sine, int sign, struct two *v)
{
    struct two sum[FFT_PRIME / 2 + 1], difference[FFT_PRIME / 2 + 1], all = v[0];
    const struct two first = v[0];
    const int pairs = n / 2;
#pragma GCC unroll 4
    for (int j = 1; j <= pairs; j++) {
        sum[j] = plus(v[j], v[n - j]);
        difference[j] = turned(minus(v[j], v[n - j]), sign);
        all = plus(all, sum[j]);
    }
    v[0] = all;
#pragma GCC unroll 4
    for (int k = 1; k <= pairs; k++) {
        struct two even = first, odd = scaled(difference[1], sine[k]);
        even = plus(even, scaled(sum[1], cosine[k]));
        int m = k;
#pragma GCC unroll 4
        for (int j = 2; j <= pairs; j++) {
            m = m + k < n ? m + k : m + k - n;
            even = plus(even, scaled(sum[j], cosine[m]));
            odd = plus(odd, scaled(difference[j], sine[m]));
        }
        v[k] = plus(even, odd);
        v[n - k] = minus(even, odd);
    }
}

CGS_PIECE void dft_small_odd(int n, int sign, struct two *v)
{
    static const double c3[] = {1.0, -0.5, -0.5},
                        s3[] = {0.0, 0.86602540378443864676, -0.86602540378443864676},
                        c5[] = {1.0, 0.30901699437494742410, -0.80901699437494742410,
                                -0.80901699437494742410, 0.30901699437494742410},
                        s5[] = {0.0, 0.95105651629515357212, 0.58778525229247312917,
                                -0.58778525229247312917, -0.95105651629515357212},
                        c7[] = {1.0,
                                0.62348980185873353053,
                                -0.22252093395631440429,
                                -0.90096886790241912624,
                                -0.90096886790241912624,
                                -0.22252093395631440429,
                                0.62348980185873353053},
                        s7[] = {0.0,
                                0.78183148246802980871,
                                0.97492791218182360702,
                                0.43388373911755812048,
                                -0.43388373911755812048,
                                -0.97492791218182360702,
                                -0.78183148246802980871};
    if (n == 3)
        dft_odd(3, c3, s3, sign, v);
    else if (n == 5)
        dft_odd(5, c5, s5, sign, v);
    else
        dft_odd(7, c7, s7, sign, v);
}

/* 2 n numbers, n odd: by the Chinese remainder theorem without any factors between (I. J. Good, J.
 * R. Stat. Soc. B 20 (1958) 361). */
CGS_PIECE void dft_twice_odd(int n, int sign, struct two *v)
{
    struct two even[7], odd[7];
#pragma GCC unroll 7
    for (int j = 0; j < n; j++) {
        const struct two a = v[2 * j % (2 * n)], b = v[(n + 2 * j) % (2 * n)];
        even[j] = plus(a, b);
        odd[j] = minus(a, b);
    }
    dft_small_odd(n, sign, even);
    dft_small_odd(n, sign, odd);
#pragma GCC unroll 14
    for (int k = 0; k < 2 * n; k++)
        v[k] = k % 2 ? odd[k % n] : even[k % n];
}

/* n: a constant of the compiler, or any odd one up to FFT_PRIME with its tables. */
CGS_PIECE void dft(int n, const double *cosine, int sign, struct two *v)
{
    if (n == 2) {
        const struct two a = v[0], b = v[1];
        v[0] = plus(a, b);
        v[1] = minus(a, b);
    } else if (n == 4)
        dft_4(sign, v);
    else if (n == 8)
        dft_8(sign, v);
    else if (n == 3 || n == 5 || n == 7)
        dft_small_odd(n, sign, v);
    else if (n == 6 || n == 10 || n == 14)
        dft_twice_odd(n / 2, sign, v);
    else if (n > 1)
        dft_odd(n, cosine, cosine + n, sign, v);
}

/* ---- steps ---- */

/* Reads e_j of class s; writes it where its line has a place of its own. */
CGS_PIECE struct two fft_load(const struct fft *f, const struct two *tile, int j)
{
    const bool above = j > f->cells;
    const int row = (above ? 2 * f->cells - j : j) - f->first;
    if (row < 0 || row >= f->n)
        return (struct two){{0.0}, {0.0}};
    const struct two e = tile[f->reversed ? f->n - 1 - row : row];
    return above && f->mirror < 0 ? (struct two){-e.re, -e.im} : e;
}

CGS_PIECE void fft_store(const struct fft *f, struct two *tile, int j, struct two e)
{
    const int row = j - f->first;
    if (j <= f->cells && row >= 0 && row < f->n)
        tile[f->reversed ? f->n - 1 - row : row] = e;
}

/* Copies the numbers of all classes. */
static CGS_CLONES void fft_gather(const struct fft *f, const struct two *tile, struct two *z)
{
    for (int s = 0; s < f->classes; s++)
        for (int m = 0; m < f->length; m++) {
            const struct two e = fft_load(f, tile, s + f->classes_of * m);
            *z++ = f->half ? times(e, f->shift + 2 * m, 1) : e;
        }
}

/* Copies them back. Class s and its mirror image R - s have the same numbers: j > C of class s are
 * those of R - s. */
static CGS_CLONES void fft_scatter(const struct fft *f, const struct two *z, struct two *tile)
{
    for (int s = 0; s < f->classes; s++)
        for (int m = 0; m < f->length; m++, z++) {
            const struct two e = f->half ? times(*z, f->shift + 2 * m, -1) : *z;
            const int j = s + f->classes_of * m;
            if (j <= f->cells)
                fft_store(f, tile, j, e);
            else
                fft_store(f, tile, 2 * f->cells - j, scaled(e, f->mirror));
        }
}

CGS_PIECE void butterflies(int radix, int sign, const struct fft *f, const struct fft_step *step,
                           struct two *z)
{
    const int next = step->next, blocks = f->classes * f->length / (radix * next);
    struct two a[FFT_PRIME];
    for (int block = 0; block < blocks; block++, z += radix * next)
        for (int b = 0; b < next; b++) {
            const double *w = step->roots + 2 * b * (radix - 1);
#pragma GCC unroll 8
            for (int i = 0; i < radix; i++)
                a[i] = sign > 0 && next > 1 && i > 0 ? times(z[b + next * i], w + 2 * (i - 1), -1)
                                                     : z[b + next * i];
            dft(radix, step->cosine, sign, a);
#pragma GCC unroll 8
            for (int i = 0; i < radix; i++)
                z[b + next * i] =
                    sign < 0 && next > 1 && i > 0 ? times(a[i], w + 2 * (i - 1), 1) : a[i];
        }
}

#define BY_RADIX(call)                                                                             \
    switch (step->radix) {                                                                         \
    case 2:                                                                                        \
        call(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        call(3);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        call(4);                                                                                   \
        break;                                                                                     \
    case 5:                                                                                        \
        call(5);                                                                                   \
        break;                                                                                     \
    case 7:                                                                                        \
        call(7);                                                                                   \
        break;                                                                                     \
    case 8:                                                                                        \
        call(8);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        call(step->radix);                                                                         \
    }

static CGS_CLONES void step_forward(const struct fft *f, const struct fft_step *step, struct two *z)
{
#define CALL(radix) butterflies(radix, -1, f, step, z)
    BY_RADIX(CALL)
#undef CALL
}

static CGS_CLONES void step_back(const struct fft *f, const struct fft_step *step, struct two *z)
{
#define CALL(radix) butterflies(radix, 1, f, step, z)
    BY_RADIX(CALL)
#undef CALL
}

/* ---- between the classes and the modes ---- */

/* Returns the row of frequency k = q + M p, or -1; that above C is minus or plus its mirror's. */
CGS_PIECE int row_of(const struct fft *f, int k)
{
    const int row = (k <= f->cells ? k : 2 * f->cells + f->half - k) - f->first;
    return row >= 0 && row < f->n ? row : -1;
}

CGS_PIECE void modes_forward(int R, const struct fft *f, const struct two *z, struct two *tile)
{
    const int M = f->length;
    for (int pair = 0; pair < f->pairs; pair++) {
        const int q = pair + f->half;
        const struct two *a = z + (int)f->place[q % M];
        const struct two *b = z + (int)f->place[(M + f->half - q) % M];
        const double *w = f->turn + pair * (R / 2) * 2;
        struct two v[14];
        v[0] = a[0];
#pragma GCC unroll 7
        for (int s = 1; s <= R / 2; s++) {
            v[s] = times(a[s * M], w + 2 * (s - 1), 1);
            if (s < R / 2)
                v[R - s] = scaled(times(b[s * M], w + 2 * (s - 1), -1), f->parity);
        }
        dft(R, NULL, -1, v);
#pragma GCC unroll 14
        for (int p = 0; p < R; p++) {
            const int k = q + M * p, row = row_of(f, k);
            if (row < 0)
                continue;
            const struct two u = f->parity < 0 ? turned(v[p], 1) : v[p];
            tile[row] = k <= f->cells ? u : scaled(u, f->parity);
        }
    }
}

CGS_PIECE void modes_back(int R, const struct fft *f, const struct two *tile, struct two *z)
{
    const int M = f->length;
    for (int pair = 0; pair < f->pairs; pair++) {
        const int q = pair + f->half;
        struct two *a = z + (int)f->place[q % M];
        struct two *b = z + (int)f->place[(M + f->half - q) % M];
        const double *w = f->turn + pair * (R / 2) * 2;
        struct two v[14];
#pragma GCC unroll 14
        for (int p = 0; p < R; p++) {
            const int k = q + M * p, row = row_of(f, k);
            v[p] = row < 0 ? (struct two){{0.0}, {0.0}} : tile[row];
            if (f->parity < 0)
                v[p] = turned(v[p], k <= f->cells ? -1 : 1);
        }
        dft(R, NULL, 1, v);
        b[0] = scaled(v[0], f->parity);
        a[0] = v[0];
#pragma GCC unroll 7
        for (int s = 1; s <= R / 2; s++) {
            const struct two other = s < R / 2 ? v[R - s] : v[s];
            b[s * M] = scaled(times(other, w + 2 * (s - 1), 1), f->parity);
            a[s * M] = times(v[s], w + 2 * (s - 1), -1);
        }
    }
}

/* The numbers of class s that a block multiplies: C and D. */
CGS_PIECE void order_load(const struct two *a, const struct two *b, struct two *C, struct two *D)
{
    *C = plus(*a, *b);
    *D = turned(minus(*a, *b), -1);
}

CGS_PIECE void order_store(struct two C, struct two D, struct two *a, struct two *b)
{
    const struct two turn = turned(D, 1), c = C; /* where a is b, D is 0 */
    *a = plus(c, a == b ? c : turn);
    if (a != b)
        *b = minus(c, turn);
}

CGS_PIECE void order_forward(int p, const struct fft *f, const struct two *z, struct two *tile)
{
    const int M = f->length;
    const bool cosine = f->parity > 0;
    for (int pair = 0; pair < f->pairs; pair++) {
        const int q = pair + f->half;
        const struct two *a = z + (int)f->place[q % M];
        const struct two *b = z + (int)f->place[(M + f->half - q) % M];
        const double *block = f->block + (int64_t)pair * p * p;
        struct two in[ORDER_MOST], out[ORDER_MOST], C, D;
        order_load(a, b, &C, &D);
        in[0] = scaled(cosine ? C : D, 0.5);
#pragma GCC unroll 4
        for (int s = 1; s <= (p - 1) / 2; s++)
            order_load(a + s * M, b + s * M, &in[2 * s - 1], &in[2 * s]);
        if (p % 2 == 0) {
            const double cs = 0.5 * f->turn[2 * pair], sn = -0.5 * f->turn[2 * pair + 1];
            order_load(a + p / 2 * M, b + p / 2 * M, &C, &D);
            in[p - 1] =
                cosine ? plus(scaled(C, cs), scaled(D, sn)) : minus(scaled(D, cs), scaled(C, sn));
        }
#pragma GCC unroll 8
        for (int r = 0; r < p; r++)
            out[r] = scaled(in[0], block[r]);
#pragma GCC unroll 8
        for (int s = 1; s < p; s++)
#pragma GCC unroll 8
            for (int r = 0; r < p; r++)
                out[r] = plus(out[r], scaled(in[s], block[s * p + r]));
        const int first = (int)cgs_order_modes_before(f->ends, p, f->cells / p, pair);
        const int modes = (int)cgs_order_modes_before(f->ends, p, f->cells / p, pair + 1) - first;
        for (int r = 0; r < modes; r++)
            tile[first + r] = out[r];
    }
}

CGS_PIECE void order_back(int p, const struct fft *f, const struct two *tile, struct two *z)
{
    const int M = f->length;
    const bool cosine = f->parity > 0;
    const struct two zero = {{0.0}, {0.0}};
    for (int pair = 0; pair < f->pairs; pair++) {
        const int q = pair + f->half;
        struct two *a = z + (int)f->place[q % M];
        struct two *b = z + (int)f->place[(M + f->half - q) % M];
        const double *block = f->block + (int64_t)pair * p * p;
        const int first = (int)cgs_order_modes_before(f->ends, p, f->cells / p, pair);
        const int modes = (int)cgs_order_modes_before(f->ends, p, f->cells / p, pair + 1) - first;
        struct two mode[ORDER_MOST], in[ORDER_MOST];
        for (int r = 0; r < p; r++)
            mode[r] = r < modes ? tile[first + r] : zero;
#pragma GCC unroll 8
        for (int s = 0; s < p; s++) {
            in[s] = scaled(mode[0], block[s * p]);
#pragma GCC unroll 8
            for (int r = 1; r < p; r++)
                in[s] = plus(in[s], scaled(mode[r], block[s * p + r]));
        }
        order_store(cosine ? in[0] : zero, cosine ? zero : in[0], a, b);
#pragma GCC unroll 4
        for (int s = 1; s <= (p - 1) / 2; s++)
            order_store(in[2 * s - 1], in[2 * s], a + s * M, b + s * M);
        if (p % 2 == 0) {
            const double cs = f->turn[2 * pair], sn = -f->turn[2 * pair + 1];
            order_store(scaled(in[p - 1], cosine ? cs : -sn), scaled(in[p - 1], cosine ? sn : cs),
                        a + p / 2 * M, b + p / 2 * M);
        }
    }
}

#define BY_ORDER(call, order)                                                                      \
    switch (order) {                                                                               \
    case 2:                                                                                        \
        call(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        call(3);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        call(4);                                                                                   \
        break;                                                                                     \
    case 5:                                                                                        \
        call(5);                                                                                   \
        break;                                                                                     \
    case 6:                                                                                        \
        call(6);                                                                                   \
        break;                                                                                     \
    case 7:                                                                                        \
        call(7);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        call(8);                                                                                   \
    }

static CGS_CLONES void to_modes_of_order(const struct fft *f, struct two *z, struct two *tile)
{
#define CALL(p) order_forward(p, f, z, tile)
    BY_ORDER(CALL, f->order)
#undef CALL
}

static CGS_CLONES void from_modes_of_order(const struct fft *f, struct two *tile, struct two *z){
#define CALL(p) order_back(p, f, tile, z)
    BY_ORDER(CALL, f->order)
#undef CALL
}

/* PERIODIC, both ways: u, v of rows j and n - j to u + v and (u - v) i, or back. */
CGS_PIECE void modes_periodic(const struct fft *f, bool back, struct two *z, struct two *tile)
{
    const int n = f->n;
    for (int j = 0; j <= n / 2; j++) {
        const int other = (n - j) % n;
        struct two *a = z + (int)f->place[j], *b = z + (int)f->place[other];
        if (!back) {
            const struct two u = *a, v = *b;
            tile[j] = plus(u, v);
            if (other != j)
                tile[other] = turned(minus(u, v), 1);
        } else if (other == j) {
            *a = plus(tile[j], tile[j]);
        } else {
            const struct two c = tile[j], s = turned(tile[other], -1);
            *a = plus(c, s);
            *b = minus(c, s);
        }
    }
}

static CGS_CLONES void to_modes(const struct fft *f, struct two *z, struct two *tile)
{
    switch (f->classes_of) {
    case 1:
        modes_periodic(f, false, z, tile);
        break;
    case 2:
        modes_forward(2, f, z, tile);
        break;
    case 4:
        modes_forward(4, f, z, tile);
        break;
    case 6:
        modes_forward(6, f, z, tile);
        break;
    case 8:
        modes_forward(8, f, z, tile);
        break;
    case 10:
        modes_forward(10, f, z, tile);
        break;
    default:
        modes_forward(14, f, z, tile);
    }
}

static CGS_CLONES void from_modes(const struct fft *f, struct two *tile, struct two *z)
{
    switch (f->classes_of) {
    case 1:
        modes_periodic(f, true, z, tile);
        break;
    case 2:
        modes_back(2, f, tile, z);
        break;
    case 4:
        modes_back(4, f, tile, z);
        break;
    case 6:
        modes_back(6, f, tile, z);
        break;
    case 8:
        modes_back(8, f, tile, z);
        break;
    case 10:
        modes_back(10, f, tile, z);
        break;
    default:
        modes_back(14, f, tile, z);
    }
}

/* Doubles the numbers, or modes, that are their own mirror images: others stand in e twice. */
static inline void fft_double_ends(const struct fft *f, bool back, struct two *tile)
{
    if (back && f->order > 1) /* blocks have them as they are */
        return;
    if (f->parity > 0 && f->mirror > 0 && f->classes_of > 1)
        tile[0] = scaled(tile[0], 2.0);
    if (f->mirror > 0 && f->classes_of > 1 && (f->parity > 0 || !back)) {
        struct two *last = &tile[f->reversed ? 0 : f->n - 1];
        *last = scaled(*last, 2.0);
    }
}

/* Transforms a tile in place; z takes fft_rows rows. */
static inline void fft_apply(const struct fft *f, bool back, double *numbers, double *rows)
{
    struct two *tile = (struct two *)numbers, *z = (struct two *)rows;
    fft_double_ends(f, back, tile);
    if (!back) {
        fft_gather(f, tile, z);
        for (int i = 0; i < f->steps; i++)
            step_forward(f, &f->step[i], z);
        (f->order > 1 ? to_modes_of_order : to_modes)(f, z, tile);
    } else {
        (f->order > 1 ? from_modes_of_order : from_modes)(f, tile, z);
        for (int i = f->steps - 1; i >= 0; i--)
            step_back(f, &f->step[i], z);
        fft_scatter(f, z, tile);
    }
}

/* ---- plans ---- */

/* Splits M into radices; returns the time of the steps, or 0 where a prime is too large. Times are
 * in those of a multiplication of a dense product, for each number: measured. */
static inline double fft_split(int m, struct fft *f)
{
    double cost = 0.0;
    f->length = m;
    f->steps = 0;
    for (int radix; m > 1 || f->steps == 0; m /= radix) {
        radix = m == 1 ? 1 : m % 32 == 0 || m % 16 == 8 ? 8 : m % 4 == 0 ? 4 : 2;
        while (m % radix != 0)
            radix++;
        if (radix > FFT_PRIME || f->steps == FFT_STEPS)
            return 0.0;
        f->step[f->steps++] = (struct fft_step){.radix = radix, .next = m / radix};
        cost += radix <= 8 ? 7.0 : 4.0 + 0.75 * radix;
    }
    return cost;
}

/* Plans all but the tables; returns its time, or 0 where there is no such transform. */
static inline double fft_plan(const struct cgs_fdm_direction *d, struct fft *f)
{
    static const int classes[] = {8, 14, 10, 6, 4, 2};
    const enum cgs_fdm_kind kind = d->kind;
    const int64_t n = d->n;
    const bool cosine = kind == CGS_FDM_COSINE, sine = kind == CGS_FDM_SINE;
    double least = 0.0;
    *f = (struct fft){0};
    if (kind == CGS_FDM_DENSE || n < 2 || n > 1 << 20)
        return 0.0;
    struct fft plan = {.n = (int)n, .order = 1, .classes = 1, .classes_of = 1};
    if (kind == CGS_FDM_PERIODIC) {
        plan.cells = plan.n;
        least = fft_split(plan.n, &plan);
        *f = plan;
        return least > 0.0 ? least + 4.0 : 0.0;
    }
    plan.cells = plan.n + sine - cosine;
    plan.first = !cosine;
    plan.parity = cosine ? 1 : -1;
    plan.mirror = sine ? -1 : 1;
    plan.half = !sine && !cosine;
    plan.reversed = kind == CGS_FDM_MIXED_REVERSED;
    if (d->order > 1) {
        const int p = plan.order = plan.classes_of = d->order;
        plan.ends = cgs_fdm_ends(kind);
        plan.classes = p / 2 + 1;
        plan.pairs = (int)cgs_order_angles(plan.ends, plan.cells / p);
        const double steps = fft_split(2 * plan.cells / p, &plan);
        *f = plan;
        return steps > 0.0 ? steps * 2.0 * plan.classes / p + 6.0 + p : 0.0;
    }
    for (int i = 0; i < (int)(sizeof classes / sizeof *classes); i++) {
        const int R = classes[i];
        if (2 * plan.cells % R != 0)
            continue;
        const double steps = fft_split(2 * plan.cells / R, &plan), cost = steps * (R + 2) / R + 6.0;
        if (steps == 0.0 || (least > 0.0 && cost >= least))
            continue;
        plan.classes_of = R;
        plan.classes = R / 2 + 1;
        plan.pairs = plan.half ? (plan.length + 1) / 2 : plan.length / 2 + 1;
        least = cost;
        *f = plan;
    }
    return least;
}

/* Returns the rows of z, and the numbers of the tables. */
static inline int64_t fft_rows(const struct fft *f)
{
    return (int64_t)f->classes * f->length;
}

static inline int64_t fft_numbers(const struct fft *f)
{
    int64_t numbers = (2 * f->half + 1) * (int64_t)f->length;
    numbers += f->pairs * (int64_t)(f->order > 1 ? 2 + f->order * f->order : f->classes_of);
    for (int i = 0; i < f->steps; i++)
        numbers += 2 * (int64_t)(f->step[i].radix - 1) * f->step[i].next + 2 * f->step[i].radix;
    return numbers;
}

/* exp(-2 pi i k / n) */
static inline void fft_root(int64_t k, int64_t n, double **next)
{
    const double angle = 2.0 * 3.14159265358979323846 * (double)(k % n) / (double)n;
    *(*next)++ = cos(angle);
    *(*next)++ = -sin(angle);
}

/* Fills in the tables, fft_numbers(f) numbers; blocks: those of order p > 1. */
static inline void fft_fill(const double *blocks, struct fft *f, double **next)
{
    for (int i = 0; i < f->steps; i++) {
        struct fft_step *step = &f->step[i];
        step->roots = *next;
        for (int b = 0; b < step->next; b++)
            for (int digit = 1; digit < step->radix; digit++)
                fft_root((int64_t)b * digit, (int64_t)step->radix * step->next, next);
        step->cosine = *next;
        for (int m = 0; m < step->radix; m++)
            *(*next)++ = cos(2.0 * 3.14159265358979323846 * m / step->radix);
        for (int m = 0; m < step->radix; m++)
            *(*next)++ = sin(2.0 * 3.14159265358979323846 * m / step->radix);
    }
    f->shift = *next;
    for (int m = 0; m < f->length && f->half; m++)
        fft_root(4 * (int64_t)f->length - m, 2 * (int64_t)f->length, next);
    f->turn = *next;
    for (int pair = 0; pair < f->pairs; pair++)
        for (int s = 1; s <= f->classes_of / 2 && f->order == 1; s++)
            fft_root((int64_t)s * (2 * (pair + f->half) - f->half), 4 * (int64_t)f->cells, next);
    for (int pair = 0; pair < f->pairs && f->order > 1; pair++)
        fft_root(2 * pair + f->half, 8 * (int64_t)(f->cells / f->order), next);
    f->block = *next;
    for (int64_t i = 0; i < (f->order > 1 ? (int64_t)f->pairs * f->order * f->order : 0); i++)
        *(*next)++ = blocks[i];
    f->place = *next;
    for (int q = 0; q < f->length; q++) {
        int place = 0, rest = q;
        for (int i = 0; i < f->steps; i++) {
            place += rest % f->step[i].radix * f->step[i].next;
            rest /= f->step[i].radix;
        }
        *(*next)++ = place;
    }
}
