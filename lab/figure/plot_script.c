/* The script of a figure. gnuplot lays it out: `multiplot layout` stacks the panels, and margins
 * follow from names, numbers and keys. Only the size of the whole is given, in pixels, by the
 * numbers of panels and bars and the length of names, so that long names take no room from bars.
 *
 * Texts stand in single quotes, in which gnuplot expands nothing (no backquotes, no macros), and
 * are never "enhanced": '_' and '^' are themselves. */
#include "lab/figure/plot_script.h"

#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/json.h"
#include "lab/figure/plot_axis.h"

/* Pixels. */
enum {
    WIDE = 560,    /* of bars and curves */
    NARROW = 400,  /* of a narrow figure's */
    SQUARE = 422,  /* of an image: its longer side */
    LEAST = 72,    /* its shorter side */
    BAR = 24,      /* of one bar */
    LINES = 340,   /* height of a panel of curves */
    LOW = 290,     /* of a narrow figure's */
    HEAD = 66,     /* of the figure: title and subtitles */
    TITLE = 36,    /* above a panel */
    AXIS = 60,     /* below it: numbers and label */
    SIDES = 108,   /* left and right of it: numbers, label, edge */
    COLOURS = 106, /* right of an image */
    CHARACTER = 8, /* text is about so wide */
    SAMPLE = 46,   /* of the key, beside its text */
    ROW = 22       /* of the key */
};

static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#d55e00", "#000000", "#999999"};
/* Solid for the first, so that it is the one that is looked at; then hatched, each its own way. */
static const char *const fillings[] = {"solid 0.85", "pattern 4", "pattern 2", "pattern 5",
                                       "pattern 1",  "pattern 6", "pattern 7", "pattern 3"};
static const int marks[] = {7, 5, 9, 13, 11, 4, 6, 8};
static const char level_colour[] = "#d55e00", guide_colour[] = "#777777";
enum { KINDS = sizeof colours / sizeof *colours };

/* Lightness grows steadily: viridis of S. van der Walt, N. Smith and E. Firing (matplotlib, 2015,
 * public domain by CC0), every tenth part of its range. */
static const char viridis[] =
    "0 '#440154', 1 '#482475', 2 '#414487', 3 '#355f8d', 4 '#2a788e', 5 '#21918c', 6 '#22a884', "
    "7 '#44bf70', 8 '#7ad151', 9 '#bddf26', 10 '#fde725'";

/* Lightness falls alike to both sides of the middle: K. Moreland, "Diverging color maps for
 * scientific visualization", ISVC 2009, smooth cool-warm from (59, 76, 192) to (180, 4, 38), by its
 * formula in polar CIELAB. */
static const char cool_warm[] =
    "0 '#3b4cc0', 1 '#4e68d7', 2 '#6282ea', 3 '#779af7', 4 '#8db0fe', 5 '#a3c2ff', 6 '#b8d0f9', "
    "7 '#ccd9ee', 8 '#dddddd', 9 '#ecd3c6', 10 '#f5c4ad', 11 '#f7b194', 12 '#f49a7b', "
    "13 '#ec7f63', 14 '#de614c', 15 '#cb3e38', 16 '#b40426'";

/* ---- texts ---- */

/* Sequences of UTF-8 that XML's text cannot hold, and what is shown instead. gnuplot escapes &
 * and < for SVG, but writes > as it is. */
static const struct {
    const char *text, *shown;
} not_xml[] = {
    {"]]>", "]]\342\200\272"},        /* U+203A for > */
    {"\357\277\276", "\357\277\275"}, /* U+FFFE, a noncharacter: U+FFFD */
    {"\357\277\277", "\357\277\275"}, /* U+FFFF */
};

static void put_character(FILE *file, char c)
{
    if (c == '\'')
        fputc(c, file);
    fputc((unsigned char)c < 0x20 || c == 0x7f ? ' ' : c, file);
}

void cgs_plot_put_text(FILE *file, const char *text)
{
    json_t *clean = cgs_json_text(text); /* UTF-8, whatever it was */
    const char *c = clean ? json_string_value(clean) : "";
    uint32_t code;
    fputc('\'', file);
    while (*c) {
        size_t k = 0, length = 1;
        while (k < sizeof not_xml / sizeof *not_xml &&
               strncmp(c, not_xml[k].text, strlen(not_xml[k].text)) != 0)
            k++;
        if (k < sizeof not_xml / sizeof *not_xml) {
            fputs(not_xml[k].shown, file);
            length = strlen(not_xml[k].text);
        } else if ((length = (size_t)cgs_character(c, strlen(c), &code)) > 1 &&
                   cgs_printable(code)) {
            fwrite(c, 1, length, file);
        } else {
            put_character(file, length > 1 ? ' ' : *c);
        }
        c += length;
    }
    fputc('\'', file);
    json_decref(clean);
}

void cgs_plot_put_path(FILE *file, const char *path)
{
    fputc('\'', file);
    for (; *path; path++)
        put_character(file, *path);
    fputc('\'', file);
}

/* "WHAT 'text' noenhanced": a command of gnuplot up to its further options. */
static void put(FILE *file, const char *what, const char *text)
{
    fprintf(file, "%s ", what);
    cgs_plot_put_text(file, text);
    fputs(" noenhanced", file);
}

static int count_characters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* ---- sizes ---- */

static double text_width(const char *text)
{
    return CHARACTER * count_characters(text);
}

/* Returns the length of one side of an image, in proportion to the other. */
static double image_side(double side, double other)
{
    return side < other ? fmax(LEAST, SQUARE * side / other) : SQUARE;
}

/* The key of bars and of a narrow figure is below the panel, that of others right of it. */
static bool has_key_below(const struct cgs_plot *plot, const struct cgs_plot_panel *p)
{
    return plot->narrow || p->bar_count > 0;
}

static double panel_height(const struct cgs_plot *plot, const struct cgs_plot_panel *p)
{
    if (p->image.values)
        return TITLE + image_side(p->image.height, p->image.width) + AXIS;
    if (!has_key_below(plot, p))
        return TITLE + LINES + AXIS;
    return TITLE + (p->bar_count > 0 ? BAR * (p->bar_count + 1) : LOW) + AXIS +
           ROW * ((p->series_count + 1) / 2);
}

static void find_size(const struct cgs_plot *plot, double *width, double *height)
{
    const struct cgs_plot_image *image = plot->panel_count > 0 ? &plot->panels[0].image : NULL;
    double panel = 0.0, longest = 0.0, head = 1.25 * text_width(plot->title);
    for (int i = 0; i < plot->panel_count; i++) {
        const struct cgs_plot_panel *p = &plot->panels[i];
        for (int k = 0; k < p->bar_count; k++)
            longest = fmax(longest, text_width(p->bars[k].name));
        for (int k = 0; k < p->series_count; k++)
            if (p->series[k].count > 0)
                longest = fmax(longest, SAMPLE + text_width(p->series[k].name));
        panel = fmax(panel, panel_height(plot, p));
    }
    for (int i = 0; i < 2; i++)
        head = fmax(head, text_width(plot->subtitles[i]));
    *width = image && image->values
                 ? fmax(COLOURS, text_width(image->label)) + image_side(image->width, image->height)
             : plot->narrow ? fmax(NARROW, longest)
                            : WIDE + longest;
    *width = SIDES + fmax(*width, head);
    *height = HEAD + plot->panel_count * panel;
}

/* One is taken that this gnuplot has. Points are 1/72 inch, pixels of a screen 1/96. */
static void put_terminal(FILE *file, double width, double height, const char *ending,
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

/* ---- series ---- */

/* Datablock $dP_S of series S of panel P: x, y, low, high. */
static void put_data(FILE *file, const struct cgs_plot_series *s, int panel, int series)
{
    fprintf(file, "$d%d_%d << EOD\n", panel, series);
    for (int i = 0; i < s->count; i++)
        fprintf(file, "%.9g %.9g %.9g %.9g\n", s->points[i].x, s->points[i].y, s->points[i].low,
                s->points[i].high);
    fputs("EOD\n", file);
}

static void put_key(FILE *file, const struct cgs_plot_series *s)
{
    if (s->name[0])
        put(file, " title", s->name);
    else
        fputs(" notitle", file);
}

static bool has_spread(const struct cgs_plot_series *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->points[i].low < s->points[i].high)
            return true;
    return false;
}

/* An element of `plot`; bars lie along from `floor`. */
static void put_series(FILE *file, const struct cgs_plot_series *s, int panel, int k, double floor)
{
    const char *colour = colours[k % KINDS];
    const bool bars = s->style == CGS_PLOT_BARS, spread = has_spread(s);
    const char *across = bars ? "3:1:($4-$3):(0)" : "1:3:(0):($4-$3)";
    char line[160];
    snprintf(line, sizeof line, "$d%d_%d using %s with vectors nohead lw %s lc '%s' notitle", panel,
             k, across, bars ? "1.5" : "1.2", bars ? "#222222" : colour);
    if (spread && !bars) /* below the marks */
        fprintf(file, "%s, ", line);
    fprintf(file, "$d%d_%d using ", panel, k);
    if (bars)
        fprintf(file,
                "2:1:(%.9g):2:($1-0.34):($1+0.34) with boxxyerror fs %s border lc '%s' lc '%s'",
                floor, fillings[k % KINDS], colour, colour);
    else if (s->style == CGS_PLOT_LEVELS)
        fprintf(file, /* a vertical line also in the key */
                "2:($1-0.5):(0):(1) with vectors nohead lc '%s' lw 2.5 notitle, "
                "keyentry with points pt '\342\224\203' lc '%s'",
                level_colour, level_colour);
    else if (s->style == CGS_PLOT_GUIDE && s->of > 0)
        fprintf(file, "1:2 with lines lw 1.2 dt (2,4) lc '%s'", colours[(s->of - 1) % KINDS]);
    else if (s->style == CGS_PLOT_GUIDE)
        fprintf(file, "1:2 with lines lw 1.2 dt (6,6) lc '%s'", guide_colour);
    else if (s->style == CGS_PLOT_POINTS)
        fprintf(file, "1:2 with points pt %d ps 0.6 lc '%s'", marks[k % KINDS], colour);
    else if (s->style == CGS_PLOT_STEPS)
        fprintf(file, "1:2 with steps lw 1.8 dt %d lc '%s'", 1 + k % 5, colour);
    else
        fprintf(file, "1:2 with linespoints pt %d ps 0.9 lw 1.8 dt %d lc '%s'", marks[k % KINDS],
                1 + k % 5, colour);
    put_key(file, s);
    if (spread && bars)
        fprintf(file, ", %s", line);
}

static void put_notes(FILE *file, const struct cgs_plot_panel *p)
{
    for (int k = 0; k < p->series_count; k++) {
        const struct cgs_plot_series *s = &p->series[k];
        if (!s->note[0] || s->count < 2)
            continue;
        put(file, "set label", s->note);
        fprintf(file, " at first %.9g, first %.9g %s,0.5 textcolor '#666666' font ',11'\n",
                s->points[s->count - 2].x, s->points[s->count - 2].y,
                s->note_right ? "left offset character 0.6" : "right offset character -0.6");
    }
}

/* ---- panels ---- */

/* The numbers of an axis that are texts; gnuplot takes % in them for a format. */
static void put_ticks(FILE *file, const char *axis, const struct cgs_plot_panel *p, bool values)
{
    fprintf(file, "set %s (", axis);
    for (int i = 0; i < p->bar_count; i++) {
        const char *text = values ? p->bars[i].value : p->bars[i].name;
        char doubled[2 * CGS_PLOT_NAME], *to = doubled;
        for (; *text && to < doubled + sizeof doubled - 2; text++) {
            *to++ = *text;
            if (*text == '%')
                *to++ = '%';
        }
        *to = '\0';
        fputs(i > 0 ? ", " : "", file);
        cgs_plot_put_text(file, doubled);
        fprintf(file, " %d", i);
    }
    fputs(") noenhanced nomirror scale 0 textcolor '#000000'\n", file);
}

/* Returns where bars begin. */
static double put_bars(FILE *file, const struct cgs_plot_panel *p)
{
    char label[256]; /* a bar's length says little where it does not begin at 0 */
    snprintf(label, sizeof label, "%s%s", p->y_label, p->log_y ? ", logarithmic" : "");
    put(file, "set xlabel", label);
    fputs(" offset 0,0.3\n", file);
    const double floor = cgs_plot_put_range(file, 'x', p, false);
    fprintf(file, "unset ylabel\nunset logscale y\nset yrange [%g:-0.5]\nset y2range [%g:-0.5]\n",
            p->bar_count - 0.5, p->bar_count - 0.5);
    put_ticks(file, "ytics", p, false);
    put_ticks(file, "y2tics", p, true);
    return floor;
}

static void put_lines(FILE *file, const struct cgs_plot *plot, const struct cgs_plot_panel *p)
{
    put(file, "set xlabel", p->x_label);
    fputs(" offset 0,0.3\n", file);
    put(file, "set ylabel", p->y_label);
    fputs("\nunset y2tics\nset ytics nomirror out scale 0.6 autofreq textcolor '#222222'\n"
          "set mytics default\n"
          "set grid ytics\nset xtics autofreq\nset mxtics default\n",
          file);
    cgs_plot_put_axes(file, plot, p, plot->narrow ? NARROW : WIDE);
    put_notes(file, p);
}

/* Axes and pixels of an image; those of the unit square have tics of their own. Below a narrow
 * image there is room for two or three numbers. */
static void put_pixels(FILE *file, const struct cgs_plot_image *image, int panel)
{
    const double width = image->width, height = image->height;
    const bool unit = width == 1.0 && height == 1.0;
    const char *tics = unit ? "0.2" : "autofreq";
    char of_x[64];
    if (width < 0.6 * height)
        snprintf(of_x, sizeof of_x, "0,%.9g", width < 0.4 * height ? width : 0.5 * width);
    else
        snprintf(of_x, sizeof of_x, "%s", tics);
    fprintf(file,
            "set xrange [0:%.9g]\nset yrange [0:%.9g]\nset xtics %s\n"
            "set ytics %s out nomirror textcolor '#222222'\nplot $d%d_0 matrix using ",
            width, height, of_x, tics, panel);
    if (unit)
        fprintf(file, "(($1 + 0.5) / %d):(($2 + 0.5) / %d)", image->side, image->side);
    else
        fprintf(file, "(($1 + 0.5) * %.17g):(($2 + 0.5) * %.17g)", width / image->side,
                height / image->side);
    fputs(":3 with image notitle\n", file);
}

/* Returns a distance between numbers, 1, 2 or 5 times a power of 10, so that a range has `count` of
 * them at most, and not more than some 8. */
static double step_of(double range, double count)
{
    const double least = range / fmin(count, 8.0);
    const double power = pow(10.0, floor(log10(least)));
    return power * (least <= power         ? 1.0
                    : least <= 2.0 * power ? 2.0
                    : least <= 5.0 * power ? 5.0
                                           : 10.0);
}

/* The range of its colours is never empty. Their label stands above their bar: at its side it would
 * run through the numbers of a low one. The margin is in characters wider than the label's. */
static void put_image(FILE *file, const struct cgs_plot_panel *p, int panel)
{
    const struct cgs_plot_image *image = &p->image;
    double least = image->least, most = image->most;
    if (image->diverging) {
        most = fmax(fabs(least), fabs(most));
        least = -most;
    }
    if (!(most > least)) {
        least -= 0.5 * fmax(fabs(least), 1.0);
        most += 0.5 * fmax(fabs(most), 1.0);
    }
    fprintf(file, "set palette maxcolors 256\nset palette defined (%s)\nset cbrange [%.9g:%.9g]\n",
            image->diverging ? cool_warm : viridis, least, most);
    put(file, "set label", image->label);
    fprintf(file,
            " at graph 1, graph 1 offset character 0.8,0.9 left\nset rmargin %d\n"
            "set format cb '%%g'\nset cbtics %.9g textcolor '#222222'\n",
            (int)fmax(9.0, 0.7 * count_characters(image->label) - 2.0),
            step_of(most - least, image_side(image->height, image->width) / ROW));
    put(file, "set xlabel", p->x_label);
    put(file, "\nset ylabel", p->y_label);
    fputs(" rotate by 0 offset character 2,0\nset border 15\nset grid noxtics noytics\n", file);
    fprintf(file, "set size ratio %.5f\n",
            image_side(image->height, image->width) / image_side(image->width, image->height));
    put_pixels(file, image, panel);
}

static void put_image_data(FILE *file, const struct cgs_plot_image *image, int panel)
{
    fprintf(file, "$d%d_0 << EOD\n", panel);
    for (int i = 0; i < image->side * image->side; i++)
        fprintf(file, "%.6g%c", image->values[(size_t)i * image->stride],
                (i + 1) % image->side == 0 ? '\n' : ' ');
    fputs("EOD\n", file);
}

static void put_panel(FILE *file, const struct cgs_plot *plot, int panel)
{
    const struct cgs_plot_panel *p = &plot->panels[panel];
    const char *comma = "plot ";
    double floor = 0.0;
    fputc('\n', file);
    if (p->title[0]) {
        put(file, "set label", p->title);
        fputs(" at graph 0, graph 1 offset character 0,1 left font ',13'\n", file);
    }
    if (p->image.values) {
        put_image(file, p, panel);
        return;
    }
    if (p->bar_count > 0)
        floor = put_bars(file, p);
    else
        put_lines(file, plot, p);
    for (int k = 0; k < p->series_count; k++)
        if (p->series[k].count > 0) {
            fputs(comma, file);
            put_series(file, &p->series[k], panel, k, floor);
            comma = ", \\\n     ";
        }
    fputs(comma[0] == 'p' ? "plot NaN notitle\n" : "\n", file); /* the axes alone */
}

/* Titles stand at the left, where gnuplot's would be in the middle. */
static void put_titles(FILE *file, const struct cgs_plot *plot)
{
    const char *const texts[] = {plot->title, plot->subtitles[0], plot->subtitles[1]};
    for (int i = 0; i < 3; i++)
        if (texts[i][0]) {
            put(file, "set label", texts[i]);
            fprintf(file, " at screen 0, screen 1 offset character 3,%.1f left font ',%d'\n",
                    -1.5 - 1.2 * i, i == 0 ? 15 : 11);
        }
}

void cgs_plot_script(FILE *file, const struct cgs_plot *plot, const char *ending, const char *path)
{
    double width, height;
    find_size(plot, &width, &height);
    fputs("# A figure of cgsolve, for gnuplot 5.4 or later.\nset encoding utf8\n", file);
    put_terminal(file, width, height, ending, path);
    for (int i = 0; i < plot->panel_count; i++) {
        const struct cgs_plot_panel *p = &plot->panels[i];
        if (p->image.values)
            put_image_data(file, &p->image, i);
        for (int k = 0; k < p->series_count; k++)
            put_data(file, &p->series[k], i, k);
    }
    fputs("set border 3 lc '#888888'\nset grid xtics back lt 1 lc '#dddddd' lw 0.8\n"
          "set xtics nomirror out scale 0.6 textcolor '#222222'\n",
          file);
    fprintf(
        file,
        "set key %s Left reverse samplen 2 spacing 1.2 height 0.6 noenhanced\nset tmargin 2.5\n",
        plot->panel_count > 0 && has_key_below(plot, &plot->panels[0]) ? "bmargin left horizontal"
                                                                       : "rmargin top vertical");
    fprintf(file, "set multiplot layout %d,1 title \"\\n\\n\"\n", plot->panel_count);
    put_titles(file, plot);
    for (int i = 0; i < plot->panel_count; i++) {
        put_panel(file, plot, i);
        fputs("unset label\n", file);
    }
    fputs("unset multiplot\n", file);
}
