/* Observed order and extrapolated value (L. F. Richardson, J. A. Gaunt, Phil. Trans. R. Soc. A 226
 * (1927)), from three meshes h_1 > h_2 > h_3:
 *
 *     (f_1 - f_2) / (f_2 - f_3) = (h_1^p - h_2^p) / (h_2^p - h_3^p),
 *     f_0 = f_3 + (f_3 - f_2) h_3^p / (h_2^p - h_3^p).
 *
 * The right side of the first equation grows with p, from log(h_1/h_2) / log(h_2/h_3) at p = 0 on:
 * p is found by bisection (as in I. B. Celik et al., J. Fluids Eng. 130 (2008) 078001). Where the
 * left side is smaller, or negative, the values do not settle like a power of h, or not yet. */
#include "lab/study/study_limits.h"

#include <math.h>
#include <string.h>

#include "lab/study/study_point.h"

static const double order_least = 0.1, order_most = 10.0;
/* Differences below this part of most - least are what solvers leave. */
static const double rounding = 1e-8;

static const enum cgs_fact facts[CGS_QUANTITIES] = {CGS_FACT_least, CGS_FACT_most, CGS_FACT_mean};

int cgs_study_quantities(const struct cgs_study *study)
{
    size_t probes = 0;
    bool any = false;
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        const size_t count = json_array_size(json_object_get(point->report, "probes"));
        probes = count > probes ? count : probes;
        any = any || isfinite(point->facts[CGS_FACT_most]);
    }
    const size_t most = CGS_QUANTITIES_MOST - CGS_QUANTITIES;
    return any || probes > 0 ? CGS_QUANTITIES + (int)(probes < most ? probes : most) : 0;
}

const char *cgs_quantity_key(int quantity, cgs_quantity_name name)
{
    if (quantity < CGS_QUANTITIES)
        snprintf(name, sizeof(cgs_quantity_name), "%s", cgs_facts[facts[quantity]].name);
    else
        snprintf(name, sizeof(cgs_quantity_name), "probe_%d", quantity - CGS_QUANTITIES + 1);
    return name;
}

const char *cgs_quantity_head(int quantity, cgs_quantity_name name)
{
    if (quantity < CGS_QUANTITIES)
        snprintf(name, sizeof(cgs_quantity_name), "%s", cgs_facts[facts[quantity]].text);
    else
        snprintf(name, sizeof(cgs_quantity_name), "probe %d", quantity - CGS_QUANTITIES + 1);
    return name;
}

const char *cgs_point_mesh(const struct cgs_point *point, char *text, size_t size)
{
    if (point->values[CGS_OPTION_cells])
        snprintf(text, size, "%s", point->values[CGS_OPTION_cells]);
    else
        snprintf(text, size, "N = %g", point->facts[CGS_FACT_n]);
    return text;
}

double cgs_point_quantity(const struct cgs_point *point, int quantity)
{
    if (point->exit_status != 0)
        return NAN;
    if (quantity < CGS_QUANTITIES)
        return point->facts[facts[quantity]];
    const json_t *probe = json_array_get(json_object_get(point->report, "probes"),
                                         (size_t)(quantity - CGS_QUANTITIES));
    const json_t *value = json_object_get(probe, "value");
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* (h_1^p - h_2^p) / (h_2^p - h_3^p), with h_3 as the unit. */
static double ratio_of(const double h[3], double p)
{
    const double one = pow(h[0] / h[2], p), two = pow(h[1] / h[2], p);
    return (one - two) / (two - 1.0);
}

/* Solves for p; NaN: there is none between order_least and order_most. */
static double order_of(const double h[3], double ratio)
{
    double low = order_least, high = order_most;
    if (!(ratio >= ratio_of(h, low) && ratio <= ratio_of(h, high)))
        return NAN;
    for (int i = 0; i < 60; i++) {
        const double p = 0.5 * (low + high);
        if (ratio_of(h, p) < ratio)
            low = p;
        else
            high = p;
    }
    return 0.5 * (low + high);
}

static double size_of(const struct cgs_point *point)
{
    const double spread = point->facts[CGS_FACT_most] - point->facts[CGS_FACT_least];
    return isfinite(spread) ? spread : 0.0;
}

struct cgs_limit cgs_series_limit(const struct cgs_study *study, const struct cgs_series *series,
                                  int i, int quantity)
{
    const struct cgs_limit none = {.order = NAN, .value = NAN};
    double h[3], f[3];
    int found = 0;
    const struct cgs_point *last = &study->points[series->points[i]];
    if (!isfinite(cgs_point_quantity(last, quantity)))
        return none;
    for (; i >= 0 && found < 3; i--) { /* the finest first */
        const struct cgs_point *point = &study->points[series->points[i]];
        const double width = 1.0 / (point->facts[CGS_FACT_n] + 1.0);
        const double value = cgs_point_quantity(point, quantity);
        if (!isfinite(value) || !isfinite(width) || (found > 0 && !(width > h[3 - found])))
            continue;
        found++;
        h[3 - found] = width;
        f[3 - found] = value;
    }
    if (found < 3)
        return none;
    const double small = rounding * fmax(size_of(last), fabs(f[2]));
    if (fabs(f[0] - f[1]) <= small && fabs(f[1] - f[2]) <= small)
        return (struct cgs_limit){.found = true, .order = NAN, .value = f[2]};
    const double p = order_of(h, (f[0] - f[1]) / (f[1] - f[2]));
    if (isnan(p))
        return none;
    const double value = f[2] + (f[2] - f[1]) / (pow(h[1] / h[2], p) - 1.0);
    return (struct cgs_limit){.found = true, .order = p, .value = value};
}

int cgs_series_finest(const struct cgs_study *study, const struct cgs_series *series, int quantity)
{
    int last = series->count - 1;
    while (last >= 0 &&
           !isfinite(cgs_point_quantity(&study->points[series->points[last]], quantity)))
        last--;
    return last;
}

bool cgs_study_says_limits(const struct cgs_study *study)
{
    bool own = false;
    for (int i = 0; i < study->count; i++)
        own = own || strcmp(cgs_point_text(&study->points[i], "problem.name"), "own") == 0;
    const int count = cgs_study_quantities(study);
    return count > CGS_QUANTITIES || (count > 0 && own);
}
