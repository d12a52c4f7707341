/* The script of a figure. Everything has its place in pixels, from the lengths of names and the
 * numbers of bars, so that nothing depends on what gnuplot thinks of fonts: the terminal's size
 * follows from the panels, not the other way round.
 *
 * Texts stand in single quotes, in which gnuplot expands nothing (no backquotes, no macros), and
 * are never "enhanced": '_' and '^' are themselves. */
#include "src/plot_script.h"

#include <math.h>
#include <string.h>

#include "src/plot_series.h"

/* Pixels of the frame; text is about CHARACTER wide. */
enum {
    CHARACTER = 7,
    PLOT_WIDTH = 560,
    HEAD = 66,   /* of the figure: title and subtitle */
    TITLE = 36,  /* above a panel */
    KEY = 22,    /* of bars, below the title */
    AXIS = 60,   /* below it: numbers and label */
    BAR = 24,    /* of one bar */
    LEAST = 72,  /* of a panel of bars */
    LINES = 340, /* of a panel of lines */
    Y_AXIS = 84, /* left of lines: numbers and label */
    MARK = 46    /* of an entry of the key, beside its text */
};

/* A figure's frame, in pixels. */
struct frame {
    double width, height, left, right;
};

static void put_label(FILE *file, const char *text, double x, double y, int size)
{
    fputs("set label ", file);
    cgs_plot_put_text(file, text);
    fprintf(file, " at screen %.5f, screen %.5f left noenhanced font ',%d'\n", x, y, size);
}

/* Characters, not bytes. */
static int text_width(const char *text)
{
    int count = 0;
    for (; text && *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return CHARACTER * count;
}

static double panel_height(const struct cgs_plot_panel *panel)
{
    return panel->names ? fmax(LEAST, BAR * panel->name_count) : LINES;
}

static double title_height(const struct cgs_plot_panel *panel)
{
    return panel->names ? TITLE + KEY : TITLE;
}

static struct frame make_frame(const struct cgs_plot *plot)
{
    struct frame f = {.height = HEAD, .left = Y_AXIS, .right = 24};
    for (int i = 0; i < plot->panel_count; i++) {
        const struct cgs_plot_panel *p = &plot->panels[i];
        f.height += title_height(p) + panel_height(p) + AXIS;
        for (int k = 0; k < p->name_count; k++) {
            f.left = fmax(f.left, 24 + text_width(p->names[k]));
            if (p->values)
                f.right = fmax(f.right, 24 + text_width(p->values[k]));
        }
        for (int s = 0; s < p->series_count && !p->names; s++)
            if (p->series[s].name && cgs_plot_has_points(&p->series[s]))
                f.right = fmax(f.right, MARK + 24 + text_width(p->series[s].name));
    }
    f.width = f.left + PLOT_WIDTH + f.right;
    const double head = 48 + fmax(1.25 * text_width(plot->title), text_width(plot->subtitle));
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
        cgs_plot_put_text(file, path);
        fputc('\n', file);
    }
}

struct range {
    double least, most;
};

/* Of all that is drawn: x, or else y and its spread; a logarithmic axis has no place for 0. */
static struct range find_range(const struct cgs_plot_panel *panel, bool x)
{
    const bool logarithmic = x ? panel->log_x : panel->log_y;
    struct range r = {INFINITY, -INFINITY};
    for (int k = 0; k < panel->series_count; k++) {
        const struct cgs_plot_series *s = &panel->series[k];
        for (int i = 0; i < s->count && (!x || s->x); i++) { /* bars have no x */
            const double low = x ? s->x[i] : s->low ? s->low[i] : s->y[i];
            if (!isfinite(s->y[i]) || (logarithmic && !(low > 0.0)))
                continue;
            r.least = fmin(r.least, low);
            r.most = fmax(r.most, x ? s->x[i] : s->high ? s->high[i] : s->y[i]);
        }
    }
    return r.least <= r.most ? r : (struct range){1.0, 1.0};
}

/* An axis with some air; returns where it begins: for bars at 0, or below the shortest of them. */
static double put_axis(FILE *file, char axis, struct range r, bool logarithmic, bool bars)
{
    double least = bars || r.least >= 0.0 ? 0.0 : r.least - 0.05 * (r.most - r.least);
    double most = r.most > 0.0 ? 1.05 * r.most : least < 0.0 ? 0.0 : 1.0;
    if (logarithmic) {
        least = r.least / (bars ? 2.0 : 1.25);
        most = fmax(1.25 * r.most, 10.0 * least); /* a decade, so that there are numbers */
    }
    fprintf(file, "%s logscale %c\nset format %c '%s'\nset %crange [%.9g:%.9g]\n",
            logarithmic ? "set" : "unset", axis, axis,
            logarithmic && (r.least < 1e-3 || r.most > 1e5) ? "10^{%L}" : "%g", axis, least, most);
    return least;
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

/* Samples and names in a row around height `y`: gnuplot's own keys break rows as they like. */
static void put_bar_key(FILE *file, const struct frame *f, const struct cgs_plot_panel *p, double y)
{
    double x = f->left;
    for (int k = 0; k < p->series_count; k++) {
        const struct cgs_plot_series *s = &p->series[k];
        if (!s->name || !cgs_plot_has_points(s))
            continue;
        cgs_plot_put_sample(file, s, k, x / f->width, (x + 24.0) / f->width, y - 6.0 / f->height,
                            y + 6.0 / f->height);
        put_label(file, s->name, (x + 32.0) / f->width, y, 12);
        x += MARK + 16 + text_width(s->name);
    }
}

/* One panel, whose plot begins `top` pixels below the figure's upper edge. */
static void put_panel(FILE *file, const struct frame *f, const struct cgs_plot_panel *p, int panel,
                      double top)
{
    const double left = f->left / f->width, right = 1.0 - f->right / f->width;
    const double high = 1.0 - top / f->height, low = high - panel_height(p) / f->height;
    const bool bars = p->names != NULL;
    const char *comma = "plot ";
    double floor = 0.0;
    fprintf(file, "\nset lmargin at screen %.5f; set rmargin at screen %.5f\n", left, right);
    fprintf(file, "set tmargin at screen %.5f; set bmargin at screen %.5f\n", high, low);
    fputs("unset ylabel\nunset ytics\n", file);
    put_label(file, p->title, left, high + (title_height(p) - 20.0) / f->height, 13);
    fprintf(file, "set xlabel ");
    char label[256]; /* a bar's length says little where it does not begin at 0 */
    snprintf(label, sizeof label, "%s%s", bars ? p->y_label : p->x_label,
             bars && p->log_y ? ", logarithmic" : "");
    cgs_plot_put_text(file, label);
    fputs(" noenhanced offset 0,0.3\n", file);
    if (bars) {
        floor = put_axis(file, 'x', find_range(p, false), p->log_y, true);
        fprintf(file, "unset logscale y\nset yrange [%g:-0.5]\n", p->name_count - 0.5);
        put_bar_texts(file, p->names, p->name_count, false);
        if (p->values)
            put_bar_texts(file, p->values, p->name_count, true);
        put_bar_key(file, f, p, 1.0 - (top - KEY / 2.0) / f->height);
        fputs("set grid noytics\nunset key\n", file);
    } else {
        put_axis(file, 'x', find_range(p, true), p->log_x, false);
        put_axis(file, 'y', find_range(p, false), p->log_y, false);
        fputs("set ylabel ", file);
        cgs_plot_put_text(file, p->y_label);
        fprintf(file,
                " noenhanced\nset ytics nomirror out scale 0.6 autofreq textcolor '#222222'\nset "
                "grid ytics\n"
                "set key on at screen %.5f, screen %.5f left top vertical Left reverse\n",
                right + 8.0 / f->width, high);
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
    const struct frame f = make_frame(plot);
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
        top += title_height(p);
        put_panel(file, &f, p, i, top);
        top += panel_height(p) + AXIS;
        fputs("unset label\nunset object\nunset arrow\n", file);
    }
    fputs("unset multiplot\n", file);
}
