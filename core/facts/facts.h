/* Facts of reports: one row of a table for each key of JSON. What a report writes, how
 * `cgsolve compare` judges it, and the tables of doc/report.md derive from these rows:
 *
 *     CGS_OBJECT(place, when, meaning)      the rows that follow are keys of the object at that
 *                                           place ("solver.mixed"; "": the report itself), which
 *                                           is there if `when` holds
 *     CGS_FACT(key, kind, unit, rule, when, value, meaning)
 *                                           a key, absent unless `when` holds; kind: text, integer,
 *                                           real, some (a real that is absent if 0), yes, part (any
 *                                           other JSON); unit: SI, "" for none
 *     CGS_LAST(key, rule, meaning)          a key that cgs_json_end writes
 *
 * The tables are facts_head.def (every command), facts_solve.def, facts_level.def (grids of
 * multigrid), facts_spmv.def and facts_spgemm.def. Rows of facts_spmv_kernel.def and
 * facts_spgemm_kernel.def are CGS_KERNEL_FACT, with the columns of CGS_FACT: columns of CSV,
 * too. */
#pragma once

enum cgs_rule {
    CGS_SETTING, /* what the report was made with, and of */
    CGS_RESULT,  /* came out of it, and is exact */
    CGS_TIME,    /* measured, seconds: less is better */
    CGS_PHASE,   /* likewise, once: differences below a millisecond are noise */
    CGS_RATE,    /* measured: more is better */
    CGS_BYTES,   /* measured: less is better */
    CGS_IGNORED  /* says nothing, or is said by others */
};

struct cgs_report_fact {
    const char *place; /* not NULL: an object; the rows below it are its keys */
    const char *key;
    const char *unit;
    enum cgs_rule rule;
    const char *meaning; /* as in doc/report.md */
};

extern const struct cgs_report_fact cgs_report_facts[];
extern const int cgs_report_fact_count;

/* Returns the row of "solver.iterations", or of the part that holds it
 * ("preconditioning.setup_parts.draw" is told by setup_parts); NULL if there is none. */
const struct cgs_report_fact *cgs_report_fact_find(const char *path);

/* Rows that several objects have. */
#define CGS_BANDWIDTH(b)                                                                           \
    CGS_FACT(read_gbs, real, "GB/s", RATE, r->has_bandwidth, (b).read_gbs, "")                     \
    CGS_FACT(copy_gbs, real, "GB/s", RATE, r->has_bandwidth, (b).copy_gbs, "")                     \
    CGS_FACT(triad_gbs, real, "GB/s", RATE, r->has_bandwidth, (b).triad_gbs, "")                   \
    CGS_FACT(measured_bytes, integer, "B", IGNORED, r->has_bandwidth, (b).bytes,                   \
             "of the arrays of these")                                                             \
    CGS_FACT(measured_in_cache, yes, "", SETTING, r->has_bandwidth, (b).cached, "")
#define CGS_NORMS(e)                                                                               \
    CGS_FACT(l2, real, "", RESULT, (e).integral, (e).l2, "")                                       \
    CGS_FACT(nodal_l2, real, "", RESULT, true, (e).nodal_l2, "")                                   \
    CGS_FACT(max, real, "", RESULT, true, (e).max, "")                                             \
    CGS_FACT(h1, real, "", RESULT, (e).integral, (e).h1, "")                                       \
    CGS_FACT(energy, real, "", RESULT, (e).integral && r->mesh.kappa.kind != CGS_KAPPA_ONE,        \
             (e).energy, "where kappa varies")
#define CGS_PHASE_SECONDS(key, phase)                                                              \
    CGS_FACT(key, real, "s", PHASE,                                                                \
             !o->plan || r->context->watch.seconds[CGS_PHASE_##phase] > 0.0,                       \
             r->context->watch.seconds[CGS_PHASE_##phase], "")
