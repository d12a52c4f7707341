/* The script of a figure. Everything has its place in pixels, from the lengths of names and the
 * numbers of bars, so that nothing depends on what gnuplot thinks of fonts: the terminal's size
 * follows from the panels, not the other way round.
 *
 * Texts stand in single quotes, in which gnuplot expands nothing (no backquotes, no macros), and
 * are never "enhanced": '_' and '^' are themselves. */
#include "src/figure/plot_script.h"

#include <math.h>
#include <string.h>

#include "src/figure/plot_axis.h"
#include "src/figure/plot_series.h"

/* Pixels of the frame, but those of keys. */
enum {
    PLOT_WIDTH = 560,
    NARROW = 400,
    HEAD = 66,    /* of the figure: title and subtitle */
    TITLE = 36,   /* above a panel */
    AXIS = 60,    /* below it: numbers and label */
    BAR = 24,     /* of one bar */
    LEAST = 72,   /* of a panel of bars */
    LINES = 340,  /* of a panel of lines */
    LOW = 290,    /* of a narrow figure's */
    Y_AXIS = 84,  /* left of lines: numbers and label */
    X_NUMBER = 34 /* of a number at x, at least */
};

static void put_label(FILE *file, const char *text, double x, double y, int size)
{
    fputs("set label ", file);
    cgs_plot_put_text(file, text);
    fprintf(file, " at screen %.5f, screen %.5f left noenhanced font ',%d'\n", x, y, size);
}

static double panel_height(const struct cgs_plot_panel *panel, bool narrow)
{
    return panel->names ? fmax(LEAST, BAR * panel->name_count) : narrow ? LOW : LINES;
}

/* Title and key. */
static double title_height(const struct cgs_plot_panel *panel, bool narrow)
{
    return (panel->title ? TITLE : 4) + cgs_plot_key_height(panel, narrow, NARROW);
}

static struct cgs_plot_frame make_frame(const struct cgs_plot *plot)
{
    struct cgs_plot_frame f = {
        .height = HEAD, .left = Y_AXIS, .right = 24, .narrow = plot->narrow};
    const double width = plot->narrow ? NARROW : PLOT_WIDTH;
    for (int i = 0; i < plot->panel_count; i++) {
        const struct cgs_plot_panel *p = &plot->panels[i];
        f.height += title_height(p, f.narrow) + panel_height(p, f.narrow) + AXIS;
        for (int k = 0; k < p->name_count; k++) {
            f.left = fmax(f.left, 24 + cgs_plot_text_width(p->names[k]));
            if (p->values)
                f.right = fmax(f.right, 24 + cgs_plot_text_width(p->values[k]));
        }
        for (int s = 0; s < p->series_count && !p->names; s++)
            if (p->series[s].name && cgs_plot_has_points(&p->series[s])) /* beside, or above */
                f.right = fmax(f.right, CGS_PLOT_MARK + 24 - (f.narrow ? width : 0.0) +
                                            cgs_plot_text_width(p->series[s].name));
    }
    f.width = f.left + width + f.right;
    const double head = 48 + fmax(1.25 * cgs_plot_text_width(plot->title), cgs_plot_text_width(plot->subtitle));
    if (f.width < head)
        f.right += head - f.width;
    f.width = fmax(f.width, head);
    return f;
}

/* One is taken that this gnuplot has. Points are 1/72 inch, pixels of a screen 1/96. */
void cgs_plot_put_terminal(FILE *file, double width, double height, const char *ending,
                           const char *path)
{
    if (strcmp(ending, "svg") == 0)
        fprintf(file, "set terminal svg size %.0f,%.0f font 'sans-serif,12' background '#ffffff'\n",
                width, height);
    else if (strcmp(ending, "pdf") == 0)
        fprintf(file,
                "if (strstrt(GPVAL_TERMINALS, 'pdfcairo') == 0) { print "
                "'this gnuplot cannot write PDF (its terminal pdfcairo is missing): take .svg'; "
                "exit status 3 }\n"
                "set terminal pdfcairo size %.3fin,%.3fin font 'sans-serif,12' fontscale 0.8 "
                "background '#ffffff'\n",
                width / 72.0, height / 72.0);
    else
        fprintf(file,
                "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) "
                "set terminal pngcairo size %.0f,%.0f font 'sans-serif,12' fontscale 1.2 "
                "linewidth 1.6 pointscale 1.6 background '#ffffff'; "
                "else set terminal png truecolor size %.0f,%.0f\n",
                1.6 * width, 1.6 * height, 1.6 * width, 1.6 * height);
    if (path) {
        fputs("set output ", file);
        cgs_plot_put_path(file, path);
        fputc('\n', file);
    }
}

/* Names left of the bars, values right of them. Labels, not tics: those are cut after 50
 * characters. */
static void put_bar_texts(FILE *file, const char *const *texts, int count, bool right)
{
    for (int i = 0; i < count; i++) {
        fputs("set label ", file);
        cgs_plot_put_text(file, texts[i]);
        fprintf(file, " at graph %d, first %d %s offset character %s1,0 noenhanced\n", right, i,
                right ? "left" : "right", right ? "" : "-");
    }
}

static void put_notes(FILE *file, const struct cgs_plot_panel *p)
{
    for (int k = 0; k < p->series_count; k++) {
        const struct cgs_plot_series *s = &p->series[k];
        if (!s->note || s->count < 2)
            continue;
        fputs("set label ", file);
        cgs_plot_put_text(file, s->note);
        fprintf(file,
                " at first %.9g, first %.9g right offset character -0.6,0.5 noenhanced "
                "textcolor '#666666' font ',11'\n",
                s->x[s->count - 2], s->y[s->count - 2]);
    }
}

/* One panel, whose plot begins `top` pixels below the figure's upper edge. */
static void put_panel(FILE *file, const struct cgs_plot_frame *f, const struct cgs_plot_panel *p, int panel,
                      double top)
{
    const double left = f->left / f->width, right = 1.0 - f->right / f->width;
    const double high = 1.0 - top / f->height, low = high - panel_height(p, f->narrow) / f->height;
    const bool bars = p->names != NULL;
    const char *comma = "plot ";
    double floor = 0.0;
    fprintf(file, "\nset lmargin at screen %.5f; set rmargin at screen %.5f\n", left, right);
    fprintf(file, "set tmargin at screen %.5f; set bmargin at screen %.5f\n", high, low);
    fputs("unset ylabel\nunset ytics\nset xtics autofreq\nset mxtics default\nset mytics default\n", file);
    if (p->title)
        put_label(file, p->title, left, high + (title_height(p, f->narrow) - 20.0) / f->height, 13);
    fprintf(file, "set xlabel ");
    char label[256]; /* a bar's length says little where it does not begin at 0 */
    snprintf(label, sizeof label, "%s%s", bars ? p->y_label : p->x_label,
             bars && p->log_y ? ", logarithmic" : "");
    cgs_plot_put_text(file, label);
    fputs(" noenhanced offset 0,0.3\n", file);
    if (bars) {
        floor = cgs_plot_put_axis(file, 'x', p, false, true);
        fprintf(file, "unset logscale y\nset yrange [%g:-0.5]\n", p->name_count - 0.5);
        put_bar_texts(file, p->names, p->name_count, false);
        if (p->values)
            put_bar_texts(file, p->values, p->name_count, true);
        cgs_plot_put_key(file, f, p, top);
        fputs("set grid noytics\nunset key\n", file);
    } else {
        cgs_plot_put_axes(file, f, p, right, high);
        put_notes(file, p);
        cgs_plot_put_key(file, f, p, top);
    }
    for (int k = 0; k < p->series_count; k++) {
        const struct cgs_plot_series *s = &p->series[k];
        if (!cgs_plot_has_points(s))
            continue;
        fputs(comma, file);
        cgs_plot_put_series(file, s, panel, k, bars ? &floor : NULL);
        comma = ", \\\n     ";
    }
    if (comma[0] == 'p') /* nothing: the axes alone */
        fputs("plot NaN notitle", file);
    fputc('\n', file);
}

void cgs_plot_script(FILE *file, const struct cgs_plot *plot, const char *ending, const char *path)
{
    const struct cgs_plot_frame f = make_frame(plot);
    double top = HEAD;
    fputs("# A figure of cgsolve, for gnuplot 5.4 or later.\nset encoding utf8\n", file);
    cgs_plot_put_terminal(file, f.width, f.height, ending, path);
    for (int i = 0; i < plot->panel_count; i++)
        for (int k = 0; k < plot->panels[i].series_count; k++)
            cgs_plot_put_data(file, &plot->panels[i].series[k], i, k);
    fputs("set border 3 lc '#888888'\nset grid xtics back lt 1 lc '#dddddd' lw 0.8\n"
          "set xtics nomirror out scale 0.6 textcolor '#222222'\nset ytics nomirror\n"
          "set key samplen 2 spacing 1.2 noenhanced\nset errorbars small\n"
          "set multiplot\n",
          file);
    put_label(file, plot->title, 24.0 / f.width, 1.0 - 26.0 / f.height, 15);
    if (plot->subtitle)
        put_label(file, plot->subtitle, 24.0 / f.width, 1.0 - 48.0 / f.height, 11);
    for (int i = 0; i < plot->panel_count; i++) {
        const struct cgs_plot_panel *p = &plot->panels[i];
        top += title_height(p, f.narrow);
        put_panel(file, &f, p, i, top);
        top += panel_height(p, f.narrow) + AXIS;
        fputs("unset label\nunset object\nunset arrow\n", file);
    }
    fputs("unset multiplot\n", file);
}
