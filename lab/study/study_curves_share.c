/* Curves that agree become one; many are divided among panels. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "lab/study/study_curves.h"

static const double agree = 0.01;

/* ---- curves that agree ---- */

static bool close_to(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= agree * fmax(fabs(a), fabs(b));
}

static bool agrees(const struct cgs_study *study, const struct cgs_curve *a,
                   const struct cgs_curve *b, const enum cgs_fact *facts, int fact_count)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++) {
        const double *x = study->points[a->points[i]].facts, *y = study->points[b->points[i]].facts;
        for (int f = 0; f < fact_count; f++)
            if (x[CGS_FACT_n] != y[CGS_FACT_n] || !close_to(x[facts[f]], y[facts[f]]))
                return false;
    }
    return true;
}

/* Returns a point with this value of a curve that has become part of `into`; NULL: none. */
static const struct cgs_point *member_with(const struct cgs_study *study,
                                           const struct cgs_curves *c, const int *of, int into,
                                           enum cgs_option_id id, const char *value)
{
    for (int k = 0; k < c->count; k++) {
        const struct cgs_point *point = &study->points[c->curves[k].points[0]];
        if (of[k] == into && strcmp(point->values[id], value) == 0)
            return point;
    }
    return NULL;
}

/* The values of an option that the members have, joined: "crs/sell", "threads=1/2", "9 values of
 * kernel"; "" where they have all of them, so that it makes no difference. */
static void join_values(const struct cgs_study *study, const struct cgs_curves *c, const int *of,
                        int into, enum cgs_option_id id, char *text, size_t size)
{
    const struct cgs_list *list = &study->lists[id];
    size_t used = 0;
    int count = 0;
    text[0] = '\0';
    for (int v = 0; v < list->count && used < size; v++) {
        char one[CGS_CURVE_LABEL];
        const struct cgs_point *point = member_with(study, c, of, into, id, list->values[v]);
        if (!point)
            continue;
        cgs_curves_label(study, point, &id, 1, one, sizeof one);
        const char *equals = count > 0 ? strchr(one, '=') : NULL;
        used += (size_t)snprintf(text + used, size - used, "%s%s", count > 0 ? "/" : "",
                                 equals ? equals + 1 : one);
        count++;
    }
    if (count == list->count)
        text[0] = '\0';
    else if (count > 4)
        snprintf(text, size, "%d values of %s", count, cgs_option_table[id].name);
}

static void join_label(const struct cgs_study *study, struct cgs_curves *c, const int *of, int into)
{
    char label[CGS_CURVE_LABEL] = "";
    size_t used = 0;
    for (int i = 0; i < study->swept_count && used < sizeof label; i++) {
        char values[CGS_CURVE_LABEL];
        if (cgs_study_refines(study->swept[i]))
            continue;
        join_values(study, c, of, into, study->swept[i], values, sizeof values);
        used += (size_t)snprintf(label + used, sizeof label - used, "%s%s",
                                 used > 0 && values[0] ? ", " : "", values);
    }
    memcpy(c->curves[into].label, label, sizeof label);
}

enum cgs_status cgs_curves_merge(const struct cgs_study *study, struct cgs_curves *c,
                                 const enum cgs_fact *facts, int fact_count)
{
    int *of, kept = 0;
    if (c->axis != CGS_AXIS_N)
        return CGS_OK;
    CGS_TRY(cgs_alloc(study->context, c->count, sizeof *of, "curves", (void **)&of));
    for (int k = 0; k < c->count; k++) {
        of[k] = k;
        for (int j = 0; j < k && of[k] == k; j++)
            if (of[j] == j && agrees(study, &c->curves[j], &c->curves[k], facts, fact_count))
                of[k] = j;
    }
    for (int k = 0; k < c->count; k++)
        if (strcmp(c->curves[k].device, c->curves[of[k]].device) != 0)
            c->curves[of[k]].device = "";
    for (int k = 0; k < c->count; k++)
        if (of[k] == k) {
            join_label(study, c, of, k);
            cgs_curve_say_device(&c->curves[k]);
        }
    for (int k = 0; k < c->count; k++)
        if (of[k] == k)
            c->curves[kept++] = c->curves[k];
    c->count = kept;
    cgs_free(study->context, of);
    return CGS_OK;
}

/* ---- panels ---- */

/* Curves to a panel at most, if the values of this option divide them. */
static int largest_panel(const struct cgs_study *study, const struct cgs_curves *c,
                         enum cgs_option_id id, enum cgs_fact fact)
{
    int largest = 0;
    for (int v = 0; v < study->lists[id].count; v++) {
        int count = 0;
        for (int k = 0; k < c->count; k++)
            count += cgs_curve_has(study, &c->curves[k], fact) &&
                     strcmp(study->points[c->curves[k].points[0]].values[id],
                            study->lists[id].values[v]) == 0;
        largest = count > largest ? count : largest;
    }
    return largest;
}

static void divide_by_option(const struct cgs_study *study, struct cgs_curves *c,
                             enum cgs_option_id id, enum cgs_fact fact)
{
    c->panel_count = 0;
    for (int v = 0; v < study->lists[id].count; v++) {
        bool any = false;
        for (int k = 0; k < c->count; k++) {
            const struct cgs_point *point = &study->points[c->curves[k].points[0]];
            if (!cgs_curve_has(study, &c->curves[k], fact) ||
                strcmp(point->values[id], study->lists[id].values[v]) != 0)
                continue;
            c->curves[k].panel = c->panel_count;
            cgs_curves_label(study, point, &id, 1, c->panels[c->panel_count], CGS_CURVE_LABEL);
            any = true;
        }
        c->panel_count += any;
    }
}

static void divide_by_order(const struct cgs_study *study, struct cgs_curves *c, int count,
                            enum cgs_fact fact)
{
    int seen = 0;
    c->panel_count = (count + CGS_CURVES_MOST - 1) / CGS_CURVES_MOST;
    for (int k = 0; k < c->count; k++)
        if (cgs_curve_has(study, &c->curves[k], fact))
            c->curves[k].panel = seen++ / CGS_CURVES_MOST;
    for (int i = 0; i < c->panel_count; i++)
        snprintf(c->panels[i], CGS_CURVE_LABEL, "part %d of %d", i + 1, c->panel_count);
}

enum cgs_status cgs_curves_divide(const struct cgs_study *study, struct cgs_curves *c,
                                  enum cgs_fact fact)
{
    int count = 0;
    CGS_TRY(
        cgs_alloc(study->context, c->count + 1, sizeof *c->panels, "curves", (void **)&c->panels));
    for (int k = 0; k < c->count; k++)
        count += cgs_curve_has(study, &c->curves[k], fact);
    c->panels[0][0] = '\0';
    if (count <= CGS_CURVES_MOST || c->axis == CGS_AXIS_NAMES)
        return CGS_OK;
    const int most = 2 * (count + CGS_CURVES_MOST - 1) / CGS_CURVES_MOST + 1; /* panels */
    int best = -1;
    for (int i = 0; i < study->swept_count; i++) {
        const enum cgs_option_id id = study->swept[i];
        if (!cgs_study_refines(id) && (c->axis != CGS_AXIS_OPTION || id != c->option) &&
            largest_panel(study, c, id, fact) <= CGS_CURVES_MOST &&
            study->lists[id].count <= most &&
            (best < 0 || study->lists[id].count < study->lists[best].count))
            best = (int)id;
    }
    if (best >= 0)
        divide_by_option(study, c, (enum cgs_option_id)best, fact);
    else
        divide_by_order(study, c, count, fact);
    return CGS_OK;
}
