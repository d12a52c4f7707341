#include "src/figure/plot_key.h"

#include "src/figure/plot_series.h"

enum { ROW = 22, SAMPLE = 24, GAP = 16 }; /* pixels */

int cgs_plot_text_width(const char *text)
{
    int count = 0;
    for (; text && *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return CGS_PLOT_CHARACTER * count;
}

static bool shown(const struct cgs_plot_series *s)
{
    return s->name && cgs_plot_has_points(s);
}

/* Where the next entry goes: on a row of its own where it does not fit beside the others; bars keep
 * to one row. */
static void place(const struct cgs_plot_series *s, bool bars, double width, double *x, int *row)
{
    if (!bars && *x > 0.0 && *x + SAMPLE + 8.0 + cgs_plot_text_width(s->name) > width) {
        *x = 0.0;
        ++*row;
    }
}

static double step(const struct cgs_plot_series *s)
{
    return CGS_PLOT_MARK + GAP + cgs_plot_text_width(s->name);
}

double cgs_plot_key_height(const struct cgs_plot_panel *p, bool narrow, double width)
{
    double x = 0.0;
    int row = 0;
    if (p->names)
        return ROW;
    for (int k = 0; k < p->series_count && narrow; k++)
        if (shown(&p->series[k])) {
            place(&p->series[k], false, width, &x, &row);
            x += step(&p->series[k]);
        }
    return x > 0.0 ? ROW * (row + 1) : 0.0;
}

void cgs_plot_put_key(FILE *file, const struct cgs_plot_frame *f, const struct cgs_plot_panel *p,
                      double top)
{
    const bool bars = p->names != NULL;
    const double width = f->width - f->left - f->right,
                 height = cgs_plot_key_height(p, f->narrow, width);
    double x = 0.0;
    int row = 0;
    for (int k = 0; k < p->series_count && height > 0.0; k++) {
        const struct cgs_plot_series *s = &p->series[k];
        if (!shown(s))
            continue;
        place(s, bars, width, &x, &row);
        const double y = 1.0 - (top - height + ROW * (row + 0.5)) / f->height, at = f->left + x;
        cgs_plot_put_sample(file, s, k, at / f->width, (at + SAMPLE) / f->width,
                            y - 6.0 / f->height, y + 6.0 / f->height);
        fputs("set label ", file);
        cgs_plot_put_text(file, s->name);
        fprintf(file, " at screen %.5f, screen %.5f left noenhanced font ',12'\n",
                (at + SAMPLE + 8.0) / f->width, y);
        x += step(s);
    }
}
