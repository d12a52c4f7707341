/* Decimal to binary, exactly.
 *
 * A number w 10^e with 0 < w < 2^64 and |e| <= 27, the usual output of programs (17 digits down to
 * 1e-11), is rounded from an exact 128-bit number, since 5^27 < 2^63:
 *
 *     e >= 0     w 10^e = (w 5^e) 2^e
 *     e <  0     w 10^e = (w 2^s / 5^-e) 2^(e - s), with truncated quotient and a flag for a
 *                remainder; s gives the quotient at least 64 bits
 *
 * The leading 53 bits are rounded to nearest, ties to even. Everything else is left to strtod,
 * which also rounds correctly: more than 19 digits, large exponents, subnormal numbers. */
#include "matrix/market/market_number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { MOST_DIGITS = 19, MOST_POWER = 27 };

static const uint64_t power_of_5[MOST_POWER + 1] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

static int bits_of(uint128 n)
{
    const uint64_t high = (uint64_t)(n >> 64);
    return high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)n);
}

/* Rounds n 2^e, n > 0; `more`: add slightly less than 1 to n. The result must be normal and
 * finite. */
static double rounded(uint128 n, bool more, int e)
{
    const int surplus = bits_of(n) - 53;
    uint64_t mantissa;
    if (surplus > 0) {
        const uint128 rest = n & (((uint128)1 << surplus) - 1), half = (uint128)1 << (surplus - 1);
        mantissa = (uint64_t)(n >> surplus);
        mantissa += rest > half || (rest == half && (more || (mantissa & 1)));
    } else {
        mantissa = (uint64_t)n << -surplus;
    }
    /* mantissa 2^(e + surplus), 2^52 <= mantissa <= 2^53: a carry increases the exponent. */
    const uint64_t bits = ((uint64_t)(e + surplus + 52 + 1022) << 52) + mantissa;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double from_decimal(uint64_t w, int e)
{
    if (w == 0)
        return 0.0;
    if (e == 0 && w < UINT64_C(1) << 53)
        return (double)w;
    if (e >= 0)
        return rounded((uint128)w * power_of_5[e], false, e);
    const int up = __builtin_clzll(w);
    const uint128 dividend = (uint128)(w << up) << 64;
    const uint64_t divisor = power_of_5[-e];
    const uint128 quotient = dividend / divisor;
    return rounded(quotient, quotient * divisor != dividend, e - up - 64);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns true at the end of the number. */
static bool ended(const char *p)
{
    return *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r';
}

/* Slow path by strtod for the well-formed number at `begin`; letter: its exponent's letter, if
 * any. */
static bool slowly(const char *begin, const char *letter, locale_t c, double *value)
{
    const locale_t before = uselocale(c);
    double number = strtod(begin, NULL);
    if (letter && (*letter == 'd' || *letter == 'D')) {
        /* Fortran's d is unknown to strtod: replaced by e in a copy. */
        const char *end = letter;
        while (!ended(end))
            end++;
        const size_t length = (size_t)(end - begin);
        char *copy = malloc(length + 1);
        if (copy) {
            memcpy(copy, begin, length);
            copy[length] = '\0';
            copy[letter - begin] = 'e';
            number = strtod(copy, NULL);
            free(copy);
        } else {
            number = NAN;
        }
    }
    uselocale(before);
    *value = number;
    return isfinite(number);
}

struct digits {
    uint64_t w; /* the first MOST_DIGITS digits without leading zeros */
    int count;  /* number of these digits */
    bool more;  /* there were others, not in w */
    int64_t seen;
};

static const char *read_digits(const char *p, struct digits *digits)
{
    for (; is_digit(*p); p++) {
        digits->seen++;
        if (digits->count == MOST_DIGITS) {
            digits->more = true;
            continue;
        }
        digits->w = 10 * digits->w + (uint64_t)(*p - '0');
        digits->count += digits->w > 0;
    }
    return p;
}

bool cgs_market_number(const char **at, locale_t c, double *value)
{
    const char *const begin = *at, *p = begin, *letter = NULL;
    struct digits digits = {0};
    const bool minus = *p == '-';
    int64_t exponent = 0;
    p += *p == '-' || *p == '+';
    p = read_digits(p, &digits);
    if (*p == '.') {
        const char *const point = ++p;
        p = read_digits(p, &digits);
        exponent = point - p;
    }
    *at = p;
    if (digits.seen == 0)
        return false;
    if (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D') {
        letter = p++;
        const bool down = *p == '-';
        int64_t written = 0;
        p += *p == '-' || *p == '+';
        *at = p;
        if (!is_digit(*p))
            return false;
        for (; is_digit(*p); p++)
            written = written < 1000000 ? 10 * written + (*p - '0') : written;
        exponent += down ? -written : written;
    }
    *at = p;
    if (!ended(p))
        return false;
    if (digits.more || exponent < -MOST_POWER || exponent > MOST_POWER)
        return slowly(begin, letter, c, value);
    const double number = from_decimal(digits.w, (int)exponent);
    *value = minus ? -number : number;
    return true;
}
