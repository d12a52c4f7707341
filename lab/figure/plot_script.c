/* The script of a figure. All have one width and one size of type, so that type is 7 points high
 * where a figure is 85 mm wide, a column of a journal. Therefore panels use the canvas from edge to
 * edge: a bar's name and value stand above it, what an axis shows above its panel, the key below,
 * and texts that are too long for a line take several. Margins are set here, but for that of the
 * numbers at the left of curves, which is gnuplot's.
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
    TYPE = CGS_PLOT_TYPE,
    HEADING = 14, /* type of the title */
    WIDTH = CGS_PLOT_WIDTH,
    SLIM = 220,   /* width of the figure of a high image, at least */
    EDGE = 14,    /* left and right */
    LINE = 16,    /* from a line of text to the next */
    LINES = 230,  /* height of the plot of curves */
    CURVES = 320, /* its width, at least */
    TALL = 420,   /* of an image, at most */
    LEAST = 72,   /* an image's shorter side */
    BAR = 16,     /* of one bar */
    NUMBERS = 26, /* below a plot */
    COLOURS = 24, /* an image's colours: their bar, and the gap before it */
    SAMPLE = 40,  /* of the key, beside its text */
    DIGIT = CGS_PLOT_DIGIT,
    GAP = 12 /* between panels, and around a number */
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

/* The figure, and where in it the plot of an image stands. */
struct canvas {
    double width, height;
    double left, side, high;          /* of an image */
    double step_x, step_y, step_most; /* between its numbers, and those of its colours */
};

/* ---- lines of text ---- */

/* Returns about how wide a character is, as a share of the type: in DejaVu Sans, which is wider
 * than most. */
static double character_width(const char *c)
{
    return strchr(" .,:;'|!ijl()[]/-", *c) ? 0.36
           : strchr("mwMW%@", *c)          ? 0.95
           : (unsigned char)*c >= 0xe3     ? 1.0
           : (unsigned char)*c >= 0x80     ? 0.8
           : (*c >= 'A' && *c <= 'Z')      ? 0.7
                                           : 0.62;
}

/* Copies as many words as `width` pixels hold, or what of one word they hold. Returns what follows;
 * NULL: nothing. */
static const char *take_line(const char *text, double width, int type, char *line, size_t size)
{
    const char *end = text, *blank = NULL;
    for (double used = 0.0; *end;) {
        used += type * character_width(end);
        if (used > width && end > text)
            break;
        if (*end == ' ')
            blank = end;
        do
            end++;
        while (((unsigned char)*end & 0xc0) == 0x80);
    }
    if (*end && *end != ' ' && blank)
        end = blank;
    snprintf(line, size, "%.*s", (int)(end - text), text);
    end += strspn(end, " ");
    return *end ? end : NULL;
}

static int count_lines(const char *text, double width, int type)
{
    char line[512];
    int count = 0;
    for (text = text[0] ? text : NULL; text; count++)
        text = take_line(text, width, type, line, sizeof line);
    return count;
}

static double text_width(const char *text)
{
    double width = 0.0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            width += TYPE * character_width(text);
    return width;
}

static double inner(const struct canvas *c)
{
    return c->width - 2 * EDGE;
}

/* ---- sizes ---- */

/* The range of an image's colours, a wider one where labels of six digits could not tell its ends
 * apart. */
static void find_colours(const struct cgs_plot_image *image, double *least, double *most)
{
    *least = image->least;
    *most = image->most;
    if (image->diverging) {
        *most = fmax(fabs(*least), fabs(*most));
        *least = -*most;
    }
    if (!(*most - *least > 1e-6 * fmax(fabs(*least), fabs(*most)))) {
        *least -= 0.5 * fmax(fabs(*least), 1.0);
        *most += 0.5 * fmax(fabs(*most), 1.0);
    }
}

/* Numbers are as wide as their steps let them, which are as the sides are long, which are as the
 * numbers leave room: three rounds settle it. */
static void lay_image(const struct cgs_plot_image *image, struct canvas *c)
{
    double least, most, numbers_y = 0.0, numbers_c = 0.0, right = 0.0;
    find_colours(image, &least, &most);
    c->side = WIDTH;
    for (int i = 0; i < 3; i++) {
        c->high = fmax(LEAST, fmin(TALL, c->side * image->height / image->width));
        c->step_y = cgs_plot_step(0.0, image->height, c->high / (1.1 * LINE), &numbers_y);
        c->step_most = cgs_plot_step(least, most, c->high / (1.1 * LINE), &numbers_c);
        c->left = EDGE + 3 * GAP + DIGIT * numbers_y;
        right = COLOURS + GAP + DIGIT * numbers_c + EDGE;
        c->side = WIDTH - c->left - right;
    }
    c->side = fmax(LEAST, fmin(c->side, TALL * image->width / image->height));
    c->high = fmax(LEAST, fmin(TALL, c->side * image->height / image->width));
    c->width = fmax(SLIM, c->left + c->side + right);
    c->step_x = cgs_plot_step_across(image->width, c->side);
}

/* Writes what an axis shows; a bar's length says little where it does not begin at 0. */
static void write_label(const struct cgs_plot_panel *p, char *text, size_t size)
{
    snprintf(text, size, "%s%s", p->image.values ? p->image.label : p->y_label,
             p->bar_count > 0 && p->log_y ? ", logarithmic" : "");
}

/* Height of what is written above the plot of a panel. */
static double panel_head(const struct canvas *c, const struct cgs_plot_panel *p)
{
    char label[512];
    write_label(p, label, sizeof label);
    return LINE * (count_lines(p->title, inner(c), TYPE) + count_lines(label, inner(c), TYPE)) +
           GAP;
}

static bool in_key(const struct cgs_plot_series *s)
{
    return s->count > 0 && s->name[0];
}

/* Width for a name in the key. */
static double key_room(const struct canvas *c)
{
    return inner(c) - SAMPLE;
}

/* Lines that a name takes there, at most. */
static int key_lines(const struct canvas *c, const struct cgs_plot_panel *p)
{
    int most = 1;
    for (int k = 0; k < p->series_count; k++)
        if (in_key(&p->series[k]) && count_lines(p->series[k].name, key_room(c), TYPE) > most)
            most = count_lines(p->series[k].name, key_room(c), TYPE);
    return most;
}

/* Height from a name to the one below. */
static double key_pitch(const struct canvas *c, const struct cgs_plot_panel *p)
{
    return LINE * key_lines(c, p) + 0.25 * LINE;
}

/* Not more than gnuplot would take by its guess of how wide names are: it then takes these. */
static int key_columns(const struct cgs_plot_panel *p)
{
    size_t longest = 1;
    for (int k = 0; k < p->series_count; k++)
        if (in_key(&p->series[k]) && strlen(p->series[k].name) > longest)
            longest = strlen(p->series[k].name);
    return (int)fmax(1.0, CURVES / (SAMPLE + GAP + DIGIT * (double)longest));
}

static double key_height(const struct canvas *c, const struct cgs_plot_panel *p)
{
    const int columns = key_columns(p);
    int count = 0;
    for (int k = 0; k < p->series_count; k++)
        count += in_key(&p->series[k]);
    return count > 0 ? GAP + key_pitch(c, p) * ((count + columns - 1) / columns) : 0.0;
}

/* Width for a bar's name: its value stands at the right. */
static double name_room(const struct canvas *c, const struct cgs_plot_panel *p)
{
    double value = 0.0;
    for (int i = 0; i < p->bar_count; i++)
        value = fmax(value, text_width(p->bars[i].value) + GAP);
    return inner(c) - value;
}

static int name_lines(const struct canvas *c, const struct cgs_plot_panel *p)
{
    int most = 1;
    for (int i = 0; i < p->bar_count; i++)
        if (count_lines(p->bars[i].name, name_room(c, p), TYPE) > most)
            most = count_lines(p->bars[i].name, name_room(c, p), TYPE);
    return most;
}

/* Height from a bar to the next. */
static double bar_pitch(const struct canvas *c, const struct cgs_plot_panel *p)
{
    return LINE * name_lines(c, p) + BAR + GAP / 2;
}

static double plot_height(const struct canvas *c, const struct cgs_plot_panel *p)
{
    return p->image.values ? c->high : p->bar_count > 0 ? bar_pitch(c, p) * p->bar_count : LINES;
}

static double panel_height(const struct canvas *c, const struct cgs_plot_panel *p)
{
    return panel_head(c, p) + plot_height(c, p) + NUMBERS +
           (p->bar_count > 0 ? 0 : LINE + GAP / 2) + key_height(c, p) + GAP;
}

static double head_height(const struct cgs_plot *plot, const struct canvas *c)
{
    double height = GAP + (LINE + 2) * count_lines(plot->title, inner(c), HEADING);
    for (int i = 0; i < 2; i++)
        height += LINE * count_lines(plot->subtitles[i], inner(c), TYPE);
    return height + GAP / 2;
}

static void find_size(const struct cgs_plot *plot, struct canvas *c)
{
    *c = (struct canvas){.width = WIDTH};
    if (plot->panel_count > 0 && plot->panels[0].image.values)
        lay_image(&plot->panels[0].image, c);
    c->height = head_height(plot, c);
    for (int i = 0; i < plot->panel_count; i++)
        c->height += panel_height(c, &plot->panels[i]);
}

/* Writes lines of text from `top` on, pixels from the top; returns where the next would stand. */
static double put_lines_of_text(FILE *file, const struct canvas *c, const char *text, double top,
                                int type)
{
    char line[512];
    const double pitch = type == TYPE ? LINE : LINE + 2;
    for (text = text[0] ? text : NULL; text; top += pitch) {
        text = take_line(text, inner(c), type, line, sizeof line);
        put(file, "set label", line);
        fprintf(file, " at screen %.5f, screen %.5f left font ',%d'\n", EDGE / c->width,
                1.0 - (top + 0.5 * pitch) / c->height, type);
    }
    return top;
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

/* The name of a series, in as many lines as it takes. */
static void put_key(FILE *file, const struct canvas *c, const struct cgs_plot_series *s)
{
    char line[CGS_PLOT_NAME];
    const char *name = s->name;
    fputs(name[0] ? " title " : " notitle", file);
    while (name && name[0]) {
        name = take_line(name, key_room(c), TYPE, line, sizeof line);
        cgs_plot_put_text(file, line);
        fputs(name ? ".\"\\n\"." : " noenhanced", file);
    }
}

static bool has_spread(const struct cgs_plot_series *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->points[i].low < s->points[i].high)
            return true;
    return false;
}

/* An element of `plot`; bars lie along from `floor`, in the lower part of their places. */
static void put_series(FILE *file, const struct canvas *c, const struct cgs_plot_panel *p,
                       int panel, int k, double floor)
{
    const struct cgs_plot_series *s = &p->series[k];
    const double bar = BAR / bar_pitch(c, p), low = 0.5 - bar; /* 1 is from a bar to the next */
    const char *colour = colours[k % KINDS];
    const bool bars = s->style == CGS_PLOT_BARS, spread = has_spread(s);
    char across[64], line[224];
    snprintf(across, sizeof across, bars ? "3:($1+%.4f):($4-$3):(0)" : "1:3:(0):($4-$3)",
             low + 0.5 * bar);
    snprintf(line, sizeof line, "$d%d_%d using %s with vectors nohead lw %s lc '%s' notitle", panel,
             k, across, bars ? "1.5" : "1.2", bars ? "#222222" : colour);
    if (spread && !bars) /* below the marks */
        fprintf(file, "%s, ", line);
    fprintf(file, "$d%d_%d using ", panel, k);
    if (bars)
        fprintf(file,
                "2:1:(%.9g):2:($1+%.4f):($1+0.5) with boxxyerror fs %s border lc '%s' lc '%s'",
                floor, low, fillings[k % KINDS], colour, colour);
    else if (s->style == CGS_PLOT_LEVELS)
        fprintf(file, /* a vertical line also in the key */
                "2:($1+%.4f):(0):(%.4f) with vectors nohead lc '%s' lw 2.5 notitle, "
                "keyentry with points pt '\342\224\203' lc '%s'",
                low, bar, level_colour, level_colour);
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
    put_key(file, c, s);
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
        fprintf(file, " at first %.9g, first %.9g %s,0.5 textcolor '#666666'\n",
                s->points[s->count - 2].x, s->points[s->count - 2].y,
                s->note_right ? "left offset character 0.6" : "right offset character -0.6");
    }
}

/* ---- panels ---- */

/* Names and values above their bars. Returns where bars begin. */
static double put_bars(FILE *file, const struct canvas *c, const struct cgs_plot_panel *p)
{
    const double pitch = bar_pitch(c, p), above = LINE * name_lines(c, p) / pitch;
    fputs("unset xlabel\nset xtics autofreq\nset mxtics default\n", file);
    const double floor = cgs_plot_put_numbers(file, 'x', p, false, inner(c));
    fprintf(file, "unset logscale y\nunset ytics\nset yrange [%g:-0.5]\n", p->bar_count - 0.5);
    for (int i = 0; i < p->bar_count; i++) {
        char line[CGS_PLOT_NAME];
        const char *name = p->bars[i].name;
        const int lines = count_lines(name, name_room(c, p), TYPE);
        double at = i + 0.5 - BAR / pitch - above * lines / name_lines(c, p);
        put(file, "set label", p->bars[i].value);
        fprintf(file, " at graph 1, first %.4f right\n", i + 0.5 - (BAR + 0.5 * LINE) / pitch);
        for (; name; at += LINE / pitch) {
            name = take_line(name, name_room(c, p), TYPE, line, sizeof line);
            put(file, "set label", line);
            fprintf(file, " at graph 0, first %.4f left offset character 0.4\n",
                    at + 0.5 * LINE / pitch);
        }
    }
    return floor;
}

static void put_lines(FILE *file, const struct cgs_plot *plot, const struct cgs_plot_panel *p)
{
    put(file, "set xlabel", p->x_label);
    fputs(" offset 0,0.3\n"
          "set ytics nomirror out scale 0.6 autofreq textcolor '#222222'\n"
          "set mytics default\n"
          "set grid ytics\nset xtics autofreq\nset mxtics default\n",
          file);
    cgs_plot_put_axes(file, plot, p, CURVES);
    put_notes(file, p);
}

static void put_pixels(FILE *file, const struct canvas *c, const struct cgs_plot_image *image,
                       int panel)
{
    const double width = image->width, height = image->height;
    fprintf(file,
            "set xrange [0:%.9g]\nset yrange [0:%.9g]\nset xtics %.9g\n"
            "set ytics %.9g out nomirror textcolor '#222222'\nplot $d%d_0 matrix using ",
            width, height, c->step_x, c->step_y, panel);
    if (width == 1.0 && height == 1.0)
        fprintf(file, "(($1 + 0.5) / %d):(($2 + 0.5) / %d)", image->side, image->side);
    else
        fprintf(file, "(($1 + 0.5) * %.17g):(($2 + 0.5) * %.17g)", width / image->side,
                height / image->side);
    fputs(":3 with image notitle\n", file);
}

static void put_image(FILE *file, const struct canvas *c, const struct cgs_plot_panel *p, int panel,
                      double top)
{
    const struct cgs_plot_image *image = &p->image;
    double least, most;
    find_colours(image, &least, &most);
    fprintf(file, "set palette maxcolors 256\nset palette defined (%s)\nset cbrange [%.9g:%.9g]\n",
            image->diverging ? cool_warm : viridis, least, most);
    fprintf(file,
            "set format x '%%g'\nset format y '%%g'\nset format cb '%%g'\nset cbtics %.9g "
            "textcolor '#222222'\n"
            "set colorbox user origin %.5f, %.5f size %.5f, %.5f\n",
            c->step_most, (c->left + c->side + 0.4 * COLOURS) / c->width,
            1.0 - (top + panel_head(c, p) + c->high) / c->height, 0.6 * COLOURS / c->width,
            c->high / c->height);
    put(file, "set xlabel", p->x_label);
    fputs(" offset 0,0.3\n", file);
    put(file, "set label", p->y_label);
    fprintf(file, " at screen %.5f, graph 0.5 left\nset border 15\nset grid noxtics noytics\n",
            EDGE / c->width);
    put_pixels(file, c, image, panel);
}

static void put_image_data(FILE *file, const struct cgs_plot_image *image, int panel)
{
    fprintf(file, "$d%d_0 << EOD\n", panel);
    for (int i = 0; i < image->side * image->side; i++)
        fprintf(file, "%.6g%c", image->values[(size_t)i * image->stride],
                (i + 1) % image->side == 0 ? '\n' : ' ');
    fputs("EOD\n", file);
}

/* Places the plot of a panel, which begins at `top`. */
static void put_frame(FILE *file, const struct canvas *c, const struct cgs_plot_panel *p,
                      double top)
{
    const double plot = top + panel_head(c, p);
    fprintf(file,
            "set origin 0, %.5f\nset size 1, %.5f\nset tmargin at screen %.5f\n"
            "set bmargin at screen %.5f\n",
            1.0 - (top + panel_height(c, p)) / c->height, panel_height(c, p) / c->height,
            1.0 - plot / c->height, 1.0 - (plot + plot_height(c, p)) / c->height);
    if (p->image.values)
        fprintf(file, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
                c->left / c->width, (c->left + c->side) / c->width);
    else
        fprintf(file, "set lmargin%s %.5f\nset rmargin at screen %.5f\n",
                p->bar_count > 0 ? " at screen" : "", p->bar_count > 0 ? EDGE / c->width : -1.0,
                1.0 - EDGE / c->width);
    fprintf(file, "set key at screen %.5f, screen %.5f maxcols %d spacing %.2f\n", EDGE / c->width,
            1.0 - (top + panel_height(c, p) - GAP - key_height(c, p)) / c->height, key_columns(p),
            key_pitch(c, p) / (1.5 * TYPE));
}

static void put_panel(FILE *file, const struct cgs_plot *plot, const struct canvas *c, int panel,
                      double top)
{
    const struct cgs_plot_panel *p = &plot->panels[panel];
    const char *comma = "plot ";
    double floor = 0.0;
    char label[512];
    fputc('\n', file);
    put_frame(file, c, p, top);
    double line = put_lines_of_text(file, c, p->title, top, TYPE);
    write_label(p, label, sizeof label);
    put_lines_of_text(file, c, label, line, TYPE);
    if (p->image.values) {
        put_image(file, c, p, panel, top);
        return;
    }
    if (p->bar_count > 0)
        floor = put_bars(file, c, p);
    else
        put_lines(file, plot, p);
    for (int k = 0; k < p->series_count; k++)
        if (p->series[k].count > 0) {
            fputs(comma, file);
            put_series(file, c, p, panel, k, floor);
            comma = ", \\\n     ";
        }
    fputs(comma[0] == 'p' ? "plot NaN notitle\n" : "\n", file); /* the axes alone */
}

/* Returns where the first panel begins. */
static double put_head(FILE *file, const struct cgs_plot *plot, const struct canvas *c)
{
    double top = put_lines_of_text(file, c, plot->title, GAP, HEADING);
    for (int i = 0; i < 2; i++)
        top = put_lines_of_text(file, c, plot->subtitles[i], top, TYPE);
    return top + GAP / 2;
}

void cgs_plot_script(FILE *file, const struct cgs_plot *plot, const char *ending, const char *path)
{
    struct canvas c;
    find_size(plot, &c);
    fputs("# A figure of cgsolve, for gnuplot 5.4 or later.\nset encoding utf8\n", file);
    put_terminal(file, c.width, c.height, ending, path);
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
    fputs("set key left top horizontal Left reverse samplen 2 height 0.6 noenhanced\n"
          "set multiplot\n",
          file);
    double top = put_head(file, plot, &c);
    for (int i = 0; i < plot->panel_count; i++) {
        put_panel(file, plot, &c, i, top);
        fputs("unset label\n", file);
        top += panel_height(&c, &plot->panels[i]);
    }
    fputs("unset multiplot\n", file);
}
