/* Keys of figures: samples and names in rows above a panel. gnuplot's own keys break rows as they
 * like. */
#ifndef CGS_SRC_FIGURE_PLOT_KEY_H
#define CGS_SRC_FIGURE_PLOT_KEY_H

#include <stdio.h>

#include "src/figure/plot.h"

/* A figure's frame, in pixels. */
struct cgs_plot_frame {
    double width, height, left, right;
    bool narrow;
};

enum {
    CGS_PLOT_CHARACTER = 7, /* text is about so wide */
    CGS_PLOT_MARK = 46      /* of an entry of the key, beside its text */
};

/* Characters, not bytes. */
int cgs_plot_text_width(const char *text);

/* Pixels of the rows above the panel, whose plot is `width` wide: bars have one row, lines as many
 * as they need where the figure is narrow, else none. */
double cgs_plot_key_height(const struct cgs_plot_panel *panel, bool narrow, double width);

/* The rows, the last of them just above `top`: pixels from the figure's upper edge to the plot's. */
void cgs_plot_put_key(FILE *file, const struct cgs_plot_frame *frame,
                      const struct cgs_plot_panel *panel, double top);

#endif
