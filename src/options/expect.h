/* --expect-order: which orders of convergence a study is held against. */
#ifndef CGS_SRC_OPTIONS_EXPECT_H
#define CGS_SRC_OPTIONS_EXPECT_H

#include <stdbool.h>

/* Norms whose order is fitted (norms.def): CGS_NORM_L2, ... */
enum cgs_norm {
#define CGS_NORM(ID, name, head, title) CGS_NORM_##ID,
#include "src/options/norms.def"
#undef CGS_NORM
    CGS_NORMS
};

struct cgs_norm_row {
    const char *name;  /* "l2": in --expect-order, and of keys */
    const char *head;  /* "max": of a column */
    const char *title; /* "largest nodal error" */
};
extern const struct cgs_norm_row cgs_norms[CGS_NORMS];

#define CGS_EXPECT_GRAMMAR                                                                         \
    "theory, none, or a list such as l2:2,nodal_l2:4,h1:1 of norms (l2, nodal_l2, h1, max) and "   \
    "their orders, each perhaps with a tolerance (l2:2:0.03)"

/* theory: every norm by theory. Else only norms that are given are held against their order; with
 * none given, nothing is expected. */
struct cgs_expectation {
    bool theory;
    bool given[CGS_NORMS];
    double order[CGS_NORMS];
    double tolerance[CGS_NORMS]; /* |fitted - order| allowed; 0: the default one */
};

/* Reads the option's text; *out is set only where all of it is understood: 0 < order < 20, 0 <
 * tolerance < 20, each norm once. */
bool cgs_expectation_read(const char *text, struct cgs_expectation *out);

#endif
