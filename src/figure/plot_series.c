/* Series as gnuplot's datablocks and plot elements. */
#include "src/figure/plot_series.h"

#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "src/io/json.h"

static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#d55e00", "#000000", "#999999"};
/* Solid for the first, so that it is the one that is looked at; then hatched, each its own way. */
static const char *const fillings[] = {"solid 0.85", "pattern 4", "pattern 2", "pattern 5",
                                       "pattern 1",  "pattern 6", "pattern 7", "pattern 3"};
static const int marks[] = {7, 5, 9, 13, 11, 4, 6, 8};
static const char level_colour[] = "#d55e00", guide_colour[] = "#777777";
enum { COLOURS = sizeof colours / sizeof *colours };

bool cgs_plot_has_points(const struct cgs_plot_series *series)
{
    for (int i = 0; i < series->count; i++)
        if (isfinite(series->y[i]))
            return true;
    return false;
}

/* Sequences of UTF-8 that XML's text cannot hold, and what is shown instead. gnuplot escapes & and < for
 * SVG, but writes > as it is. */
static const struct {
    const char *text, *shown;
} not_xml[] = {
    {"]]>", "]]\342\200\272"},             /* U+203A for > */
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

void cgs_plot_put_data(FILE *file, const struct cgs_plot_series *s, int panel, int series)
{
    fprintf(file, "$d%d_%d << EOD\n", panel, series);
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->y[i]))
            fprintf(file, "%.9g %.9g %.9g %.9g\n", s->x ? s->x[i] : i, s->y[i],
                    s->low ? s->low[i] : s->y[i], s->high ? s->high[i] : s->y[i]);
    fputs("EOD\n", file);
}

static void put_title(FILE *file, const struct cgs_plot_series *s)
{
    if (!s->name) {
        fputs(" notitle", file);
        return;
    }
    fputs(" title ", file);
    cgs_plot_put_text(file, s->name);
    fputs(" noenhanced", file);
}

static void put_line_sample(FILE *file, const struct cgs_plot_series *s, int k, double x1, double x2,
                            double y)
{
    const bool guide = s->style == CGS_PLOT_GUIDE;
    const char *colour = guide ? guide_colour : colours[k % COLOURS];
    if (s->style != CGS_PLOT_POINTS)
        fprintf(file, "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead ",
                x1, y, x2, y);
    if (guide)
        fprintf(file, "lw 1.2 dt (6,6) lc '%s'\n", colour);
    else if (s->style == CGS_PLOT_LINES)
        fprintf(file, "lw 1.8 dt %d lc '%s'\n", 1 + k % 5, colour);
    if (!guide)
        fprintf(file, "set label '' at screen %.5f, screen %.5f point pt %d ps 0.9 lc '%s'\n",
                (x1 + x2) / 2.0, y, marks[k % COLOURS], colour);
}

void cgs_plot_put_sample(FILE *file, const struct cgs_plot_series *s, int k, double x1, double x2,
                         double y1, double y2)
{
    const char *colour = colours[k % COLOURS];
    if (s->style == CGS_PLOT_LEVELS)
        fprintf(file,
                "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead "
                "lc '%s' lw 2.5\n",
                (x1 + x2) / 2.0, y1, (x1 + x2) / 2.0, y2, level_colour);
    else if (s->style != CGS_PLOT_BARS)
        put_line_sample(file, s, k, x1, x2, (y1 + y2) / 2.0);
    else
        fprintf(file,
                "set object rectangle from screen %.5f, screen %.5f to screen %.5f, screen %.5f "
                "fs %s border lc '%s' fc '%s'\n",
                x1, y1, x2, y2, fillings[k % COLOURS], colour, colour);
}

/* Bars lie along from `floor`, or levels across them. */
static void put_bars(FILE *file, const struct cgs_plot_series *s, int panel, int k, double floor)
{
    const char *colour = colours[k % COLOURS];
    if (s->style == CGS_PLOT_LEVELS) {
        fprintf(file, "$d%d_%d using 2:($1-0.5):(0):(1) with vectors nohead lc '%s' lw 2.5 notitle",
                panel, k, level_colour);
        return;
    }
    fprintf(file,
            "$d%d_%d using 2:1:(%.9g):2:($1-0.34):($1+0.34) with boxxyerror fs %s border lc '%s' "
            "lc '%s'",
            panel, k, floor, fillings[k % COLOURS], colour, colour);
    if (s->low)
        fprintf(file,
                ", $d%d_%d using 3:1:($4-$3):(0) with vectors nohead lw 1.5 lc '#222222' notitle",
                panel, k);
}

static void put_lines(FILE *file, const struct cgs_plot_series *s, int panel, int k)
{
    const char *colour = colours[k % COLOURS];
    const int mark = marks[k % COLOURS], dash = 1 + k % 5;
    if (s->low) /* below the marks */
        fprintf(file, "$d%d_%d using 1:3:(0):($4-$3) with vectors nohead lw 1.2 lc '%s' notitle, ",
                panel, k, colour);
    if (s->style == CGS_PLOT_GUIDE)
        fprintf(file, "$d%d_%d using 1:2 with lines lw 1.2 dt (6,6) lc '%s'", panel, k,
                guide_colour);
    else if (s->style == CGS_PLOT_POINTS)
        fprintf(file, "$d%d_%d using 1:2 with points pt %d ps 1 lw 1.5 lc '%s'", panel, k, mark,
                colour);
    else
        fprintf(file, "$d%d_%d using 1:2 with linespoints pt %d ps 0.9 lw 1.8 dt %d lc '%s'", panel,
                k, mark, dash, colour);
    put_title(file, s);
}

void cgs_plot_put_series(FILE *file, const struct cgs_plot_series *s, int panel, int k,
                         const double *floor)
{
    if (floor)
        put_bars(file, s, panel, k, *floor);
    else
        put_lines(file, s, panel, k);
}
