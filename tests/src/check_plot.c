/* lab/figure: the script that is written, what happens where gnuplot is missing,
 * fails, hangs or says nothing, and, where it is there, real figures. */
#include <math.h>

#include "base/clock.h"
#include "lab/figure/plot_draw.h"
#include "lab/figure/plot_script.h"
#include "tests/src/plot.h"

static const double xs[] = {1e3, 1e4, 1e6}, ys[] = {3e-6, NAN, 5e-5}, lows[] = {2e-6, NAN, 4e-5},
                    highs[] = {4e-6, NAN, 1e-4}, levels[] = {6e-5, 6e-5, 6e-5};
static struct cgs_context own; /* tests begin `context` anew */
static struct cgs_plot plot;

static struct cgs_plot_series *add_series(struct cgs_plot_panel *panel, enum cgs_plot_style style,
                                          const char *name, const double *y, bool spread)
{
    struct cgs_plot_series *series = cgs_plot_add_series(panel, style, name);
    for (int i = 0; i < 3; i++) {
        const double x = panel->bar_count > 0 ? i : xs[i];
        if (spread)
            cgs_plot_add_spread(series, x, y[i], lows[i], highs[i]);
        else
            cgs_plot_add(series, x, y[i]);
    }
    return series;
}

static struct cgs_plot_panel *add_panel(const char *title)
{
    struct cgs_plot_panel *panel = cgs_plot_add_panel(&plot, title);
    panel->x_label = "n";
    panel->y_label = "s";
    return panel;
}

static void add_lines(const char *title, bool logarithmic)
{
    struct cgs_plot_panel *panel = add_panel(title);
    panel->log_x = panel->log_y = logarithmic;
    add_series(panel, CGS_PLOT_LINES, NASTY, ys, true);
    add_series(panel, CGS_PLOT_LINES, "flat", levels, false);
    add_series(panel, CGS_PLOT_GUIDE, "guide", levels, false);
}

/* Bars, lines on linear and logarithmic axes, and a panel without points. */
static void make(void)
{
    static const char *const names[] = {NASTY, "two", "three"};
    setup();
    cgs_context_init(&own);
    ck_assert_int_eq(cgs_plot_make(&own, 4, 4, &plot), CGS_OK);
    strcpy(plot.title, NASTY);
    strcpy(plot.subtitles[0], NASTY);
    struct cgs_plot_panel *panel = add_panel("Bars " NASTY);
    for (int i = 0; i < 3; i++)
        strcpy(cgs_plot_add_bar(panel, names[i])->value, "25 %");
    panel->log_y = true;
    cgs_plot_add_series(panel, CGS_PLOT_BARS, "absent");
    add_series(panel, CGS_PLOT_BARS, "own", ys, true);
    add_series(panel, CGS_PLOT_LEVELS, "level", levels, false);
    add_lines("Lines", false);
    add_lines("Both", true);
    cgs_plot_add_series(add_panel("Empty"), CGS_PLOT_LINES, "absent");
}

static void drop(void)
{
    cgs_plot_release(&plot);
    ck_assert_int_eq(own.host_bytes, 0);
    teardown();
}

static char *script_of(const struct cgs_plot *drawn)
{
    FILE *file = fopen("script", "w");
    cgs_plot_script(file, drawn, "svg", NULL);
    fclose(file);
    return get("script");
}

TEST(script)
{
    char *text = script_of(&plot);
    ck_assert_ptr_nonnull(strstr(text, "set terminal svg size "));
    ck_assert_ptr_null(strstr(text, "set output"));
    ck_assert_ptr_nonnull(strstr(text, NASTY_QUOTED));
    ck_assert_ptr_null(strstr(text, "\xff"));
    /* the point that is NaN is left out, the others have their spread */
    ck_assert_ptr_nonnull(
        strstr(text, "$d0_1 << EOD\n0 3e-06 2e-06 4e-06\n2 5e-05 4e-05 0.0001\nEOD\n"));
    ck_assert_ptr_nonnull(strstr(text, "$d1_0 << EOD\n1000 3e-06 2e-06 4e-06\n"));
    ck_assert_ptr_nonnull(strstr(text, "plot NaN notitle"));
    ck_assert_ptr_null(strstr(text, "'absent'"));
    int times = 0;
    for (const char *at = text; (at = strstr(at, NASTY_QUOTED)) != NULL; at++, times++) {
        const char *plain = strstr(at, "noenhanced");
        ck_assert(plain && plain < strchr(at, '\n'));
    }
    ck_assert_int_eq(times, 2 + 2); /* title and subtitle, two keys; a bar's takes two lines */
    ck_assert_ptr_nonnull(strstr(text, "set label 'it''s_a {name}^2 `touch pwned` "));
    ck_assert_ptr_nonnull(strstr(text, "set label '25 %' noenhanced at graph 1, first "));
    ck_assert_ptr_nonnull(strstr(text, "set label 'two' noenhanced at graph 0, first "));
    free(text);
    ck_assert(!cgs_plot_far_apart(&plot.panels[0])); /* 20 times */
    cgs_plot_add(&plot.panels[0].series[1], 2.0, 1e-4);
    ck_assert(cgs_plot_far_apart(&plot.panels[0]));
}

/* Numbers of one's own at x, but where they would touch; names that take two lines of the key. */
TEST(ticks)
{
    static const double ticks[] = {1e3, 1.01e3, 1e4, 1e6};
    static const char *const there[] = {
        "set key left top horizontal ",
        "set xtics ('1000' 1000, '' 1010, '10000' 10000, '1e+06' 1000000)\n", " title 'a name' ",
        "set label 'order ''two''' noenhanced at first 10000, first 6e-05 right"};
    plot.panel_count = 0;
    plot.ticks = ticks;
    plot.tick_count = 4;
    plot.title[0] = plot.subtitles[0][0] = '\0';
    struct cgs_plot_panel *panel = add_panel("");
    panel->log_x = true;
    add_series(panel, CGS_PLOT_LINES, "a name", ys, false);
    add_series(panel, CGS_PLOT_LINES, "a longer name", levels, false);
    strcpy(add_series(panel, CGS_PLOT_GUIDE, "", levels, false)->note, "order 'two'");
    char *text = script_of(&plot);
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        ck_assert_msg(strstr(text, there[i]) != NULL, "no %s in %s", there[i], text);
    free(text);
    strcpy(panel->series[0].name,
           "a name that is longer than the panel is wide, with all its kernels and orders");
    text = script_of(&plot);
    const char *title = strstr(text, " title 'a name that is longer than"),
               *second = title ? strstr(title, "'.\"\\n\".'") : NULL;
    ck_assert(second && second < strchr(title, '\n'));
    free(text);
    if (has_gnuplot())
        ck_assert_msg(cgs_plot_write(&context, &plot, "slim.svg") == CGS_OK, "%s", context.message);
}

/* Every line of a title, of a bar's name and of what an axis shows fits into the figure. */
TEST(long_texts)
{
    char words[400] = "";
    int lines = 0;
    for (int i = 0; i < 40; i++)
        strcat(words, i % 2 ? "of words " : "a text ");
    snprintf(plot.title, sizeof plot.title, "%s", words);
    snprintf(plot.subtitles[0], sizeof plot.subtitles[0], "%s", words);
    plot.panels[0].bars[1].name = words;
    plot.panels[0].y_label = words;
    char *text = script_of(&plot);
    for (const char *at = text; (at = strstr(at, "set label '")) != NULL; lines++) {
        at += strlen("set label '");
        ck_assert_int_le((int)strcspn(at, "'"), 70);
    }
    ck_assert_int_ge(lines, 4 * 5);
    free(text);
    if (has_gnuplot())
        ck_assert_msg(cgs_plot_write(&context, &plot, "long.svg") == CGS_OK, "%s", context.message);
}

/* The least type of an SVG, exponents included, is 0.029 of its width: 7 points at 85 mm, a
 * column of a journal. */
static void readable(const char *name)
{
    char *text = get(name);
    double width;
    int sizes = 0;
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(sscanf(strstr(text, "<svg"), "<svg width=\"%lf\"", &width), 1);
    for (const char *at = text; (at = strstr(at, "font-size=\"")) != NULL; sizes++) {
        at += strlen("font-size=\"");
        ck_assert_double_ge(strtod(at, NULL), 0.029 * width);
    }
    ck_assert_int_gt(sizes, 10);
    free(text);
}

TEST(type)
{
    if (!has_gnuplot())
        return;
    ck_assert_msg(cgs_plot_write(&context, &plot, "all.svg") == CGS_OK, "%s", context.message);
    readable("all.svg");
}

/* Returns the height of a figure, an SVG, in pixels. */
static double height_of(const char *text)
{
    double width, height;
    ck_assert_int_eq(sscanf(strstr(text, "set terminal svg size"), "set terminal svg size %lf,%lf",
                            &width, &height),
                     2);
    return height;
}

/* A colour map, also one whose values are all the same. */
TEST(image)
{
    static const double values[] = {1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0};
    plot.panel_count = 0;
    add_panel("")->image = (struct cgs_plot_image){.values = values,
                                                   .side = 2,
                                                   .stride = 2,
                                                   .width = 1.0,
                                                   .height = 1.0,
                                                   .least = 1.0,
                                                   .most = 1.0,
                                                   .label = NASTY};
    char *text = script_of(&plot);
    ck_assert_ptr_nonnull(strstr(text, "$d0_0 << EOD\n1 1\n1 1\nEOD\n"));
    ck_assert_ptr_nonnull(strstr(text, "set label " NASTY_QUOTED));
    ck_assert_ptr_nonnull(strstr(text, "set cbrange [0.5:1.5]\n"));
    const double height = height_of(text);
    free(text);
    if (has_gnuplot()) {
        ck_assert_msg(cgs_plot_write(&context, &plot, "i.svg") == CGS_OK, "%s", context.message);
        readable("i.svg");
    }
    plot.panels[0].image.width = 6.0; /* in true proportions */
    plot.panels[0].image.height = 3.0;
    text = script_of(&plot);
    ck_assert_ptr_nonnull(strstr(text, "set xrange [0:6]\nset yrange [0:3]\n"));
    ck_assert_ptr_nonnull(strstr(text, "using (($1 + 0.5) * 3):(($2 + 0.5) * 1.5):3 with image"));
    ck_assert_double_le(height_of(text), height - 130.0);
    free(text);
    if (!has_gnuplot())
        return;
    for (int i = 0; i < 2; i++) { /* also one of micrometres */
        ck_assert_msg(cgs_plot_write(&context, &plot, "j.svg") == CGS_OK, "%s", context.message);
        readable("j.svg");
        plot.panels[0].image.width *= 1e-6;
        plot.panels[0].image.height *= 1e-6;
    }
}

TEST(endings)
{
    static const char *const wrong[] = {"x.jpg", "svg",     ".svg",  "a/.png",
                                        "x.SVG", "x.svg/y", "x.svg."};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cgs_context_init(&context);
        ck_assert_int_eq(cgs_plot_check(&context, wrong[i]), CGS_USAGE);
        said(".svg, .png or .pdf");
        cgs_context_init(&context);
        ck_assert_int_eq(cgs_plot_write(&context, &plot, wrong[i]), CGS_USAGE);
    }
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_plot_check(&context, NULL), CGS_OK);
    ck_assert_int_eq(cgs_plot_check(&context, "x.y.svg"), CGS_OK);
    ck_assert_int_eq(cgs_plot_check(&context, "/nonexistent/x.svg"), CGS_FILE);
    said("the figure '/nonexistent/x.svg'");
}

/* The figure that was there stays, script and data are left, and the package is named. */
static void expect_script(const char *why)
{
    put("x.svg", "old", 0644);
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_plot_write(&context, &plot, "x.svg"), CGS_FILE);
    said("cannot draw 'x.svg'");
    said(why);
    said("'gnuplot x.svg.gp' draws it");
    char *figure = get("x.svg"), *left = get("x.svg.gp");
    ck_assert_str_eq(figure, "old");
    ck_assert_ptr_nonnull(left);
    ck_assert_ptr_nonnull(strstr(left, "set output 'x.svg'\n"));
    ck_assert_ptr_nonnull(strstr(left, "$d0_1 << EOD\n"));
    free(figure);
    free(left);
}

TEST(missing)
{
    hide_gnuplot();
    expect_script("'gnuplot' is not there (package gnuplot-nox");
}

TEST(failing)
{
    pretend("echo 'line 3:  no such thing' >&2; exit 3");
    expect_script("gnuplot failed with status 3: line 3: no such thing");
    pretend("echo half; kill -SEGV $$");
    expect_script("gnuplot was ended by signal 11");
    pretend("exit 0");
    expect_script("has written nothing");
    put("gnuplot", "", 0644);
    setenv("PATH", folder, 1);
    expect_script("'gnuplot' cannot be started");
    pretend("exit 3");
    ck_assert_int_eq(cgs_plot_write(&context, &plot, "/nonexistent/x.svg"), CGS_FILE);
}

/* It and what it has started are ended; a reader of its output does not wait for them. */
TEST(hanging)
{
    char why[256];
    pretend("echo waiting >&2; sleep 1000 & sleep 1000");
    FILE *in = tmpfile(), *out = tmpfile();
    const double start = cgs_now();
    ck_assert(!cgs_gnuplot_run(in, fileno(out), 0.3, why, sizeof why));
    ck_assert_msg(strstr(why, "was ended after 0.3 s: waiting"), "%s", why);
    ck_assert(cgs_now() - start < 500.0);
    fclose(in);
    fclose(out);
}

/* The first failure stays the one that counts. */
TEST(after_a_failure)
{
    pretend("exit 3");
    cgs_fail(&context, CGS_NOT_CONVERGED, "a kernel failed");
    ck_assert_int_eq(cgs_plot_write(&context, &plot, "x.png"), CGS_NOT_CONVERGED);
    said("a kernel failed; moreover, cannot draw 'x.png'");
    ck_assert_int_eq(context.status, CGS_NOT_CONVERGED);
    pretend("cat"); /* draws its script */
    ck_assert_int_eq(cgs_plot_write(&context, &plot, "x.png"), CGS_OK);
}

TEST(versions)
{
    char text[128];
    pretend("echo 'gnuplot 5.2 patchlevel 8'");
    ck_assert(!cgs_gnuplot_version(text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "too old"));
    pretend("echo 'gnuplot 6.0 patchlevel 0'");
    ck_assert(cgs_gnuplot_version(text, sizeof text));
    ck_assert_str_eq(text, "gnuplot 6.0 patchlevel 0");
    pretend("echo no");
    ck_assert(!cgs_gnuplot_version(text, sizeof text));
}

TEST(real)
{
    static const struct {
        const char *path, *start;
    } files[] = {{"it's $x.svg", "<?xml"}, {"x.png", "\x89PNG"}, {"x.pdf", "%PDF"}};
    if (!has_gnuplot())
        return;
    for (size_t i = 0; i < 3; i++) {
        ck_assert_msg(cgs_plot_write(&context, &plot, files[i].path) == CGS_OK, "%s",
                      context.message);
        char *figure = get(files[i].path);
        ck_assert_ptr_nonnull(figure);
        ck_assert_int_eq(strncmp(figure, files[i].start, strlen(files[i].start)), 0);
        if (i == 0) /* the name as it is, but for XML's own */
            ck_assert_ptr_nonnull(strstr(figure, "s_a {name}^2 `touch pwned` \\"));
        free(figure);
    }
    ck_assert_int_ne(access("pwned", F_OK), 0);
}

/* Texts that XML cannot hold as they are: gnuplot writes > unescaped. A file's name stays what
 * it is. */
TEST(texts_of_xml)
{
    char *quoted = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&quoted, &size);
    cgs_plot_put_text(file, "a ]]> ]]]>> it's \xef\xbf\xbe\xef\xbf\xbf");
    cgs_plot_put_path(file, "]]>'\n");
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_str_eq(quoted, "'a ]]\xe2\x80\xba ]]]\xe2\x80\xba> it''s \xef\xbf\xbd\xef\xbf\xbd'"
                             "']]>'' '");
    free(quoted);
}

int main(void)
{
    return run_tests("plot", 120, make, drop);
}
