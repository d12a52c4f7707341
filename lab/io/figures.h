/* Rows of a table whose columns have one list for JSON and for CSV: a figure is a key and its
 * value, one that is not known is absent (JSON) or empty (CSV). */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cgs_figure_kind { CGS_FIGURE_TEXT, CGS_FIGURE_INTEGER, CGS_FIGURE_REAL, CGS_FIGURE_YES };

struct cgs_figure {
    const char *key;
    enum cgs_figure_kind kind;
    bool there;
    const char *text; /* borrowed */
    int64_t integer;  /* and YES */
    double real;
};

enum { CGS_FIGURES_MOST = 48 }; /* of a row */

struct cgs_figure cgs_figure_text(const char *key, bool there, const char *value); /* nor if "" */
struct cgs_figure cgs_figure_integer(const char *key, bool there, int64_t value);
struct cgs_figure cgs_figure_real(const char *key, bool there, double value);
struct cgs_figure cgs_figure_some(const char *key, bool there, double value); /* nor if 0 */
struct cgs_figure cgs_figure_yes(const char *key, bool there, bool value);

/* A CGS_KERNEL_FACT (core/facts/facts.h) as one of an array of figures. */
#define CGS_FIGURE(key, kind, unit, rule, when, value, meaning)                                    \
    cgs_figure_##kind(#key, when, (when) ? (value) : 0),

/* A line of CSV: the keys, or the values. */
void cgs_figures_csv_head(FILE *file, const struct cgs_figure *figures, int count);
void cgs_figures_csv(FILE *file, const struct cgs_figure *figures, int count);

/* A new object, owned by the caller; NULL without memory. */
json_t *cgs_figures_json(const struct cgs_figure *figures, int count);
