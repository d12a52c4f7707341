/* --expect-order: orders of convergence that a study is compared with. */
#pragma once

#include <stdbool.h>

/* Norms whose order is fitted (norms.def): CGS_NORM_L2, ... */
enum cgs_norm {
#define CGS_NORM(ID, name, head, title) CGS_NORM_##ID,
#include "lab/command_line/norms.def"
#undef CGS_NORM
    CGS_NORMS
};

struct cgs_norm_row {
    const char *name;  /* "l2", in --expect-order and as a key of reports */
    const char *head;  /* "max", head of a column */
    const char *title; /* "largest nodal error", in sentences */
};
extern const struct cgs_norm_row cgs_norms[CGS_NORMS];

#define CGS_EXPECT_GRAMMAR                                                                         \
    "theory, none, or a list such as l2:2,nodal_l2:4,h1:1 of norms (l2, nodal_l2, h1, max) and "   \
    "their orders, each perhaps with a tolerance (l2:2:0.03)"

/* Expected orders. theory: all norms by theory; else the norms that are given, perhaps none. */
struct cgs_expectation {
    bool theory;
    bool given[CGS_NORMS];
    double order[CGS_NORMS];
    double tolerance[CGS_NORMS]; /* limit on |fitted - order|; 0: the default */
};

/* Reads the option's text: 0 < order < 20, 0 < tolerance < 20, each norm once. Returns false, with
 * *out unchanged, if the text is not valid. */
bool cgs_expectation_read(const char *text, struct cgs_expectation *out);
