#include "src/compare/difference_rules.h"

#include <fnmatch.h>
#include <stddef.h>

/* Keys of the laboratories; places are patterns, the first that matches counts. */
static const struct {
    const char *place;
    struct cgs_report_fact fact;
} rules[] = {
    {"spmv.chosen", {.rule = CGS_IGNORED}},  /* a place in kernels, which say it themselves */
    {"spmv.kernels", {.rule = CGS_IGNORED}}, /* are walked one by one */
    {"kernels", {.rule = CGS_IGNORED}},
    {"plan.*", {.rule = CGS_IGNORED}},
    {"kernel.median_seconds", {.rule = CGS_TIME, .unit = "s"}},
    {"kernel.m[ia][nx]_seconds", {.rule = CGS_IGNORED}}, /* spreads, of the median */
    {"kernel.prepare_seconds",
     {.rule = CGS_IGNORED}}, /* convert and transfer, as far as they overlap */
    {"kernel.*_seconds", {.rule = CGS_PHASE, .unit = "s"}},
    {"kernel.threads", {.rule = CGS_IGNORED}}, /* of the host */
    {"kernel.products", {.rule = CGS_IGNORED}},
    {"kernel.*_error", {.rule = CGS_IGNORED}},
    {"kernel.*gbs", {.rule = CGS_IGNORED}}, /* these follow from bytes and seconds */
    {"kernel.gflops", {.rule = CGS_IGNORED}},
    {"kernel.roofline", {.rule = CGS_IGNORED}},
    {"kernel.*_ratio", {.rule = CGS_IGNORED}},
    {"kernel.speedup", {.rule = CGS_IGNORED}},
    {"kernel.break_even", {.rule = CGS_IGNORED}},
    {"kernel.slabs", {.rule = CGS_SETTING}},
    {"kernel.chunk", {.rule = CGS_SETTING}},
    {"kernel.sigma", {.rule = CGS_SETTING}},
    {"kernel.*", {.rule = CGS_RESULT}},
    {"product.file", {.rule = CGS_IGNORED}},
    {"product.products", {.rule = CGS_RESULT}},
    {"product.entries", {.rule = CGS_RESULT}},
    {"product.compression", {.rule = CGS_RESULT}},
    {"product.longest_row_products", {.rule = CGS_RESULT}},
    {"product.*_bytes", {.rule = CGS_RESULT}},
};

static const struct cgs_report_fact setting = {.rule = CGS_SETTING};

const struct cgs_report_fact *cgs_rule_find(const char *place)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (fnmatch(rules[i].place, place, 0) == 0)
            return &rules[i].fact;
    const struct cgs_report_fact *fact = cgs_report_fact_find(place);
    return fact ? fact : &setting;
}
