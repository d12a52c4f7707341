#include "core/io/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Three digits at least: 1.23, 12.3, 123. */
static int decimals(double x)
{
    return x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
}

const char *cgs_number_text(double x, cgs_text text)
{
    const double size = fabs(x);
    const int small = size < 9.995e-1 && size > 0.0 ? (int)ceil(-log10(size)) : 0;
    if (size == 0.0)
        snprintf(text, sizeof(cgs_text), "0");
    else if (small > 4)
        snprintf(text, sizeof(cgs_text), "%.1e", x);
    else
        snprintf(text, sizeof(cgs_text), "%.*f", decimals(size) + small, x);
    return text;
}

const char *cgs_grid_text(const int64_t n[3], cgs_text text)
{
    if (n[0] == n[1] && n[1] == n[2])
        snprintf(text, sizeof(cgs_text), "%lld^3", (long long)n[0]);
    else
        snprintf(text, sizeof(cgs_text), "%lldx%lldx%lld", (long long)n[0], (long long)n[1],
                 (long long)n[2]);
    return text;
}

const char *cgs_grid_order_text(const int64_t n[3], int order, cgs_text text)
{
    cgs_grid_text(n, text);
    const size_t used = strlen(text);
    if (order > 0)
        snprintf(text + used, sizeof(cgs_text) - used, ", order %d", order);
    return text;
}

const char *cgs_percent_text(double part, double whole, cgs_text text)
{
    const double percent = 100.0 * part / whole;
    if (whole > 0.0 && isfinite(percent))
        snprintf(text, sizeof(cgs_text), "%.*f %%", percent < 9.95 ? 1 : 0, percent);
    else
        snprintf(text, sizeof(cgs_text), "-");
    return text;
}

const char *cgs_times_text(double ratio, cgs_text text)
{
    cgs_text number;
    if (ratio > 0.0)
        snprintf(text, sizeof(cgs_text), "%.40s x", cgs_number_text(ratio, number));
    else
        snprintf(text, sizeof(cgs_text), "-");
    return text;
}

const char *cgs_bytes_text(int64_t bytes, cgs_text text)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double x = (double)bytes;
    int unit = 0;
    if (bytes == INT64_MAX) {
        snprintf(text, sizeof(cgs_text), "more than 9 EB");
        return text;
    }
    for (; x >= 999.5 && unit < 6; unit++)
        x /= 1e3;
    snprintf(text, sizeof(cgs_text), "%.*f %s", unit == 0 ? 0 : decimals(x), x, units[unit]);
    return text;
}

const char *cgs_seconds_text(double seconds, cgs_text text)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    double x = seconds;
    int unit = 0;
    for (; x < 0.9995 && unit < 3; unit++)
        x *= 1e3;
    if (seconds <= 0.0)
        snprintf(text, sizeof(cgs_text), "0 s");
    else
        snprintf(text, sizeof(cgs_text), "%.*f %s", decimals(x), x, units[unit]);
    return text;
}

const char *cgs_count_text(int64_t count, cgs_text text)
{
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    char *out = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            *out++ = ' ';
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}

const char *cgs_short_count_text(int64_t count, cgs_text text)
{
    static const char units[] = {'M', 'G', 'T', 'P'};
    if (count < 100000)
        return cgs_count_text(count, text);
    double x = (double)count / 1e6;
    int unit = 0;
    for (; x >= 999.5 && unit < 3; unit++)
        x /= 1e3;
    snprintf(text, sizeof(cgs_text), "%.*f %c", decimals(x), x, units[unit]);
    return text;
}

void cgs_date_now(cgs_date date)
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof(cgs_date), "%Y-%m-%dT%H:%M:%SZ", &utc);
}
