/* Scaling over GPUs: points that differ in --gpus alone, of one problem (strong), or of as many
 * unknowns a GPU (weak). */
#include "lab/study/study_scaling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/setup/gpus.h"
#include "lab/io/json_read.h"
#include "lab/study/study_point.h"

/* ---- N of weak scaling ---- */

/* Returns N of weak scaling: of those nearest to gpus times as many unknowns as N = n has. nest:
 * N + 1 is a multiple of the largest power of two that leaves it within 1/64 of that, so that
 * grids of multigrid nest as far. */
static int64_t weak_size(int64_t n, int gpus, bool nest)
{
    enum { PART = 64 };
    const double cells = cbrt((double)gpus) * (double)n + 1.0;
    int64_t step = 1;
    if (gpus == 1)
        return n;
    while (nest && 2 * step <= (int64_t)(2.0 * cells / PART)) /* half a step is the error */
        step *= 2;
    return (int64_t)llround(cells / (double)step) * step - 1;
}

static bool is(const struct cgs_study *study, const struct cgs_point *point, enum cgs_option_id id,
               const char *value)
{
    const char *has = cgs_point_value(study, point, id);
    return has && strcmp(has, value) == 0;
}

/* GPUs of the point; all: those that there are. */
static enum cgs_status count_gpus(struct cgs_study *study, const struct cgs_point *point, int *gpus)
{
    struct cgs_options asked = {.settings.given[CGS_OPTION_gpus] = true, .settings.kernel = "auto"};
    const char *value = cgs_point_value(study, point, CGS_OPTION_gpus);
    if (!value || !cgs_gpus_read(value, &asked.settings.gpus))
        return cgs_fail(
            study->context, CGS_USAGE,
            "--scaling=weak takes more unknowns for more GPUs: say how many by --gpus=1,2");
    *gpus = asked.settings.gpus.count;
    return *gpus > 0 ? CGS_OK : cgs_gpus_ranks(study->context, &asked.settings, gpus);
}

enum cgs_status cgs_scaling_resize(struct cgs_study *study)
{
    for (int i = 0; i < study->count; i++) {
        struct cgs_point *point = &study->points[i];
        int gpus = 1;
        if (!is(study, point, CGS_OPTION_scaling, "weak"))
            continue;
        if (cgs_point_value(study, point, CGS_OPTION_matrix))
            return cgs_fail(study->context, CGS_USAGE,
                            "--scaling=weak takes another N for more GPUs, and a file has none: "
                            "leave out --matrix");
        if (cgs_point_value(study, point, CGS_OPTION_cells))
            return cgs_fail(study->context, CGS_USAGE,
                            "--scaling=weak takes another N for more GPUs, and --cells says no N: "
                            "give --N");
        CGS_TRY(count_gpus(study, point, &gpus));
        const char *asked = cgs_point_value(study, point, CGS_OPTION_n);
        const int64_t n = asked ? strtoll(asked, NULL, 10) : study->options->settings.n;
        const bool grids =
            is(study, point, CGS_OPTION_precond, "mg") || is(study, point, CGS_OPTION_guess, "fmg");
        const int64_t scaled = weak_size(n, gpus, grids);
        snprintf(point->weak_n, sizeof point->weak_n, "%lld", (long long)scaled);
        point->facts[CGS_FACT_n] = (double)scaled;
    }
    return CGS_OK;
}

/* ---- what more GPUs gain ---- */

bool cgs_scaling_swept(const struct cgs_study *study)
{
    return study->lists[CGS_OPTION_gpus].count > 1;
}

/* Reads the link of an earlier call from its study.json. */
static bool read_link(const struct cgs_study *study, struct cgs_scaling_link *link)
{
    char path[4200];
    int reason;
    snprintf(path, sizeof path, "%s/study.json", study->folder);
    json_t *report = cgs_json_read(path, NULL, &reason);
    const json_t *o = json_object_get(report, "link");
    const json_t *exchange = json_object_get(o, "exchange_seconds"),
                 *bandwidth = json_object_get(o, "bandwidth_gbs"),
                 *sum = json_object_get(o, "sum_seconds");
    const bool read = json_is_true(json_object_get(o, "measured")) && json_is_number(exchange) &&
                      json_number_value(bandwidth) > 0.0 && json_is_number(sum);
    if (read)
        *link =
            (struct cgs_scaling_link){json_number_value(exchange),
                                      1e9 * json_number_value(bandwidth), json_number_value(sum)};
    json_decref(report);
    return read;
}

void cgs_scaling_link(struct cgs_study *study)
{
    struct cgs_link measured;
    study->link = cgs_scaling_h200;
    if (!cgs_scaling_swept(study))
        return;
    if (!study->options->draw && (study->linked = cgs_gpus_link(&measured)))
        study->link = cgs_scaling_link_of(&measured);
    else if (study->options->draw || study->options->resume)
        study->linked = read_link(study, &study->link);
}

/* Messages of the GPUs of a point in an iteration, as its report counts them. */
static struct cgs_scaling_talk talk_of(const struct cgs_point *point)
{
    const double gpus = point->facts[CGS_FACT_gpus];
    const double iterations =
        point->facts[CGS_FACT_iterations] * fmax(1.0, cgs_point_number(point, "solves.count"));
    struct cgs_scaling_talk talk = {.gpus = (int)gpus, .unknowns = point->facts[CGS_FACT_unknowns]};
    if (gpus > 1.0) {
        const double sides = 2.0 * (gpus - 1.0), most = gpus > 2.0 ? 2.0 : 1.0; /* of slabs */
        talk.exchanges = cgs_point_number(point, "ranks.exchanges") / iterations;
        talk.bytes = cgs_point_number(point, "ranks.received_bytes") / iterations * most / sides;
        talk.sums = cgs_point_number(point, "ranks.gatherings") / iterations;
    }
    return talk;
}

static double iteration_seconds(const struct cgs_point *point)
{
    return 1e-6 * point->facts[CGS_FACT_unknowns] / point->facts[CGS_FACT_mups];
}

static void compare(const struct cgs_study *study, const struct cgs_point *base,
                    struct cgs_point *point)
{
    double *facts = point->facts;
    const struct cgs_scaling_talk before = talk_of(base), talk = talk_of(point);
    const double seconds =
        cgs_scaling_of_gpus(&before, iteration_seconds(base), &talk, &study->link);
    facts[CGS_FACT_speedup] = facts[CGS_FACT_mups] / base->facts[CGS_FACT_mups];
    facts[CGS_FACT_efficiency] =
        facts[CGS_FACT_speedup] * base->facts[CGS_FACT_gpus] / facts[CGS_FACT_gpus];
    facts[CGS_FACT_foretold] =
        1e-6 * facts[CGS_FACT_unknowns] / seconds / base->facts[CGS_FACT_mups];
}

void cgs_study_scale(struct cgs_study *study)
{
    for (int i = 0; i < study->count && cgs_scaling_swept(study); i++) {
        struct cgs_point *point = &study->points[i];
        const struct cgs_point *base = NULL;
        for (int k = 0; k < study->count; k++) {
            const struct cgs_point *other = &study->points[k];
            if (other->facts[CGS_FACT_mups] > 0.0 && isfinite(other->facts[CGS_FACT_gpus]) &&
                (!base || other->facts[CGS_FACT_gpus] < base->facts[CGS_FACT_gpus]) &&
                cgs_points_alike(study, point, other, CGS_OPTION_gpus))
                base = other;
        }
        if (base && point->facts[CGS_FACT_mups] > 0.0 && isfinite(point->facts[CGS_FACT_gpus]))
            compare(study, base, point);
    }
}

void cgs_scaling_source(const struct cgs_study *study, char *text, size_t size)
{
    snprintf(
        text, size,
        "Model: the time on the fewest GPUs, shared, and what halos and sums take by a link of %s "
        "(an exchange %.1f us, %.0f GB/s each way, a sum %.1f us).",
        study->linked ? "the first two GPUs, as measured" : "two H200 by NVLink",
        1e6 * study->link.exchange, 1e-9 * study->link.bandwidth, 1e6 * study->link.sum);
}
