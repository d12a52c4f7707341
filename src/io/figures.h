/* Rows of a table whose columns have one list for JSON and for CSV: a figure is a key and its
 * value, one that is not known is absent (JSON) or empty (CSV). */
#ifndef CGS_SRC_IO_FIGURES_H
#define CGS_SRC_IO_FIGURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cgs_figure_kind { CGS_FIGURE_TEXT, CGS_FIGURE_WHOLE, CGS_FIGURE_REAL, CGS_FIGURE_YES };

struct cgs_figure {
    const char *key;
    enum cgs_figure_kind kind;
    bool there;
    const char *text; /* borrowed */
    int64_t whole;    /* and YES */
    double real;
};

enum { CGS_FIGURES_MOST = 48 }; /* of a row */

struct cgs_figure cgs_figure_text(const char *key, const char *value); /* "" is not there */
struct cgs_figure cgs_figure_whole(const char *key, int64_t value, bool there);
struct cgs_figure cgs_figure_real(const char *key, double value, bool there);
struct cgs_figure cgs_figure_yes(const char *key, bool value);

/* A line of CSV: the keys, or the values. */
void cgs_figures_csv_head(FILE *file, const struct cgs_figure *figures, int count);
void cgs_figures_csv(FILE *file, const struct cgs_figure *figures, int count);

/* A new object, owned by the caller; NULL without memory. */
json_t *cgs_figures_json(const struct cgs_figure *figures, int count);

#endif
