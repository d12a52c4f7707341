/* Rules of comparing: the meaning of a figure of a JSON report, by its place. */
#ifndef CGS_SRC_COMPARE_DIFFERENCE_RULES_H
#define CGS_SRC_COMPARE_DIFFERENCE_RULES_H

enum cgs_figure_kind {
    CGS_SETTING, /* what the report was made with, and of */
    CGS_RESULT,  /* came out of it, and is exact */
    CGS_TIME,    /* measured, seconds: less is better */
    CGS_RATE,    /* measured: more is better */
    CGS_BYTES,   /* measured: less is better */
    CGS_IGNORED  /* says nothing, or is said by others */
};

struct cgs_rule {
    const char *place; /* "solver.iterations", a pattern of fnmatch; kernel.KEY of the laboratory */
    enum cgs_figure_kind kind;
    double floor; /* differences below it are never beyond noise */
};

/* Returns the rule of a place. A place that is not in the table is a setting, so that new keys of
 * reports are compared, too. */
const struct cgs_rule *cgs_rule_find(const char *place);

#endif
