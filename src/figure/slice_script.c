#include "src/figure/slice_script.h"

#include <math.h>

#include "src/figure/plot_script.h"
#include "src/figure/plot_series.h"

enum { WIDTH = 640, HEIGHT = 620, SIDE = CGS_SLICE_SIDE };

/* Lightness grows steadily: viridis of S. van der Walt, N. Smith and E. Firing (matplotlib, 2015, public
 * domain by CC0), every tenth part of its range. */
static const char viridis[] =
    "0 '#440154', 1 '#482475', 2 '#414487', 3 '#355f8d', 4 '#2a788e', 5 '#21918c', 6 '#22a884', "
    "7 '#44bf70', 8 '#7ad151', 9 '#bddf26', 10 '#fde725'";

/* Lightness falls alike to both sides of the middle: K. Moreland, "Diverging color maps for scientific
 * visualization", ISVC 2009, smooth cool-warm from (59, 76, 192) to (180, 4, 38), by its formula in
 * polar CIELAB. */
static const char cool_warm[] =
    "0 '#3b4cc0', 1 '#4e68d7', 2 '#6282ea', 3 '#779af7', 4 '#8db0fe', 5 '#a3c2ff', 6 '#b8d0f9', "
    "7 '#ccd9ee', 8 '#dddddd', 9 '#ecd3c6', 10 '#f5c4ad', 11 '#f7b194', 12 '#f49a7b', 13 "
    "'#ec7f63', "
    "14 '#de614c', 15 '#cb3e38', 16 '#b40426'";

static void put_label(FILE *file, const char *text, double y, int size)
{
    fputs("set label ", file);
    cgs_plot_put_text(file, text);
    fprintf(file, " at screen %.5f, screen %.5f left noenhanced font ',%d'\n", 24.0 / WIDTH,
            1.0 - y / HEIGHT, size);
}

static void put_titles(FILE *file, const struct cgs_slice_figure *figure)
{
    const struct cgs_report *report = figure->report;
    const struct cgs_options *o = report->options;
    const struct cgs_slice_request *r = &figure->slice->request;
    char text[256], mesh[64] = "", kappa[64];
    snprintf(text, sizeof text, "%s at %c = %g", cgs_nodal_formula(r->field),
             "xyz"[r->axis], r -> position);
    text[0] = (char)(text[0] - 'a' + 'A');
    put_label(file, text, 26.0, 15);
    if (o->deform != 0.0)
        snprintf(mesh, sizeof mesh, ", mesh deformed by %g", o->deform);
    cgs_kappa_write(&o->kappa, kappa, sizeof kappa);
    snprintf(text, sizeof text, "problem %s, N = %lld%s%s%s", o->problem->name, (long long)o->n,
             mesh, o->kappa.kind == CGS_KAPPA_ONE ? "" : ", kappa ",
             o->kappa.kind == CGS_KAPPA_ONE ? "" : kappa);
    put_label(file, text, 48.0, 11);
    int used = snprintf(text, sizeof text, "%s quadrature, true relative residual %.1e",
                        cgs_option_choice(o, CGS_OPTION_quadrature),
                        report->result.true_relative_residual);
    if (report->has_errors)
        snprintf(text + used, sizeof text - (size_t)used, ", %s error %.4e",
                 report->errors.integral ? "L2" : "nodal L2",
                 report->errors.integral ? report->errors.l2 : report->errors.nodal_l2);
    put_label(file, text, 66.0, 11);
}

/* The range of the colours; never empty. */
static void put_colours(FILE *file, const struct cgs_slice *slice)
{
    const bool diverging = slice->request.field != CGS_NODAL_SOLUTION;
    double least = slice->least, most = slice->most;
    if (diverging) {
        most = fmax(fabs(least), fabs(most));
        least = -most;
    }
    if (!(most > least)) {
        least -= 0.5 * fmax(fabs(least), 1.0);
        most += 0.5 * fmax(fabs(most), 1.0);
    }
    fprintf(file, "set palette maxcolors 256\nset palette defined (%s)\nset cbrange [%.9g:%.9g]\n",
            diverging ? cool_warm : viridis, least, most);
    fputs("set cblabel ", file);
    cgs_plot_put_text(file, cgs_nodal_formula(slice->request.field));
    fputs(" noenhanced\nset format cb '%g'\n", file);
}

void cgs_slice_script(FILE *file, const void *self, const char *ending, const char *path)
{
    const struct cgs_slice_figure *figure = self;
    const struct cgs_slice *slice = figure->slice;
    const int axis = slice->request.axis;
    fputs("# A figure of cgsolve, for gnuplot 5.4 or later.\nset encoding utf8\n", file);
    cgs_plot_put_terminal(file, WIDTH, HEIGHT, ending, path);
    fputs("$slice << EOD\n", file);
    for (int i = 0; i < SIDE * SIDE; i++)
        fprintf(file, "%.6g%c", slice->pixels[i].value, i % SIDE == SIDE - 1 ? '\n' : ' ');
    fputs("EOD\n", file);
    put_titles(file, figure);
    put_colours(file, slice);
    fprintf(file,
            "set lmargin at screen 0.12\nset rmargin at screen 0.78\n"
            "set tmargin at screen 0.86\nset bmargin at screen 0.12\n"
            "set size ratio -1\nset border lc '#888888'\n"
            "set xrange [0:1]\nset yrange [0:1]\n"
            "set xtics 0.2 out nomirror textcolor '#222222'\n"
            "set ytics 0.2 out nomirror textcolor '#222222'\nset cbtics textcolor '#222222'\n"
            "set xlabel '%c'\nset ylabel '%c' rotate by 0 offset character 2,0\nunset key\n"
            "plot $slice matrix using (($1 + 0.5) / %d):(($2 + 0.5) / %d):3 with image\n",
            "yxx"[axis], "zzy"[axis], SIDE, SIDE);
}
