/* src/html: escaping, figures into a page without clashes. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/study/html.h"

static char buffer[8192];

static FILE *open_buffer(void)
{
    memset(buffer, 0, sizeof buffer);
    return fmemopen(buffer, sizeof buffer - 1, "w");
}

START_TEST(escaping)
{
    FILE *file = open_buffer();
    cgs_html_text(file, "a<b> & \"c\" 'd'\n\x01\xff\302\261");
    fclose(file);
    ck_assert_str_eq(buffer, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;  ???");
    file = open_buffer();
    cgs_html_format(file, "%s = %d", "<\302\261>", 7);
    fclose(file);
    ck_assert_str_eq(buffer, "&lt;\302\261&gt; = 7");
}
END_TEST

START_TEST(svg)
{
    static const char figure[] =
        "<?xml version=\"1.0\"?>\n<svg \n width=\"6\" height=\"4\"\n viewBox=\"0 0 6 4\">\n"
        "<title>Gnuplot</title>\n<desc>by &lt;it></desc>\n<g id=\"gnuplot_canvas\">\n"
        "<defs><circle id='gpDot' r='1'/></defs><g fill=\"none\">\n</g>\n"
        "\t<g id=\"gnuplot_plot_1\" ><title>a > b</title><use xlink:href='#gpDot' x = '1'/>"
        "<path fill='url(#gpPat1)' d='M0,0\n\t\tL1,1'/></g></g></svg>\n";
    FILE *file = fopen("figure.svg", "w");
    fputs(figure, file);
    fclose(file);
    file = open_buffer();
    ck_assert(cgs_html_svg(file, "figure.svg", "f1-", "A <title>"));
    fclose(file);
    ck_assert_ptr_eq(strstr(buffer, "<svg"), buffer);
    ck_assert_ptr_nonnull(strstr(buffer, " viewBox=\"0 0 6 4\" role=\"img\" aria-label=\"A &lt;"));
    static const char *const there[] = {"<circle id='f1-gpDot' r='1'/>",
                                        "<use xlink:href='#f1-gpDot' x='1'/>",
                                        "fill='url(#f1-gpPat1)' d='M0,0\n\t\tL1,1'"};
    static const char *const gone[] = {"gnuplot_", "<title>", "<desc>",
                                       "width=",   "<?xml",   "fill=\"none\""};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        ck_assert_msg(strstr(buffer, there[i]) != NULL, "no %s in %s", there[i], buffer);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        ck_assert_msg(strstr(buffer, gone[i]) == NULL, "%s in %s", gone[i], buffer);
    file = fopen("figure.svg", "w");
    fputs("<svg width='1'", file); /* cut off */
    fclose(file);
    file = open_buffer();
    ck_assert(!cgs_html_svg(file, "figure.svg", "f1-", ""));
    unlink("figure.svg");
    ck_assert(!cgs_html_svg(file, "figure.svg", "f1-", ""));
    fclose(file);
    ck_assert_str_eq(buffer, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pages");
    TCase *tcase = tcase_create("pages");
    tcase_add_test(tcase, escaping);
    tcase_add_test(tcase, svg);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
