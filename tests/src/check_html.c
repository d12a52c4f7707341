/* lab/io/html: templates, escaping, figures into a page without clashes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/io/json.h"
#include "lab/io/html.h"
#include "tests/support/check.h"

static char buffer[8192];

static FILE *open_buffer(void)
{
    memset(buffer, 0, sizeof buffer);
    return fmemopen(buffer, sizeof buffer - 1, "w");
}

static const char *fill(const char *template, json_t *facts)
{
    FILE *file = open_buffer();
    ck_assert_ptr_nonnull(facts);
    cgs_html_fill(file, template, facts);
    fclose(file);
    json_decref(facts);
    return buffer;
}

TEST(escaping)
{
    ck_assert_str_eq(
        fill("{{text}}|{{&text}}|{{none}}",
             json_pack("{so}", "text", cgs_json_text("a<b> & \"c\" 'd'\n\x01\x7f\302\261"))),
        "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;   \302\261|"
        "a<b> & \"c\" 'd'\n\x01\x7f\302\261|");
    /* no UTF-8: "?", as in JSON */
    ck_assert_str_eq(fill("{{text}}", json_pack("{so}", "text", cgs_json_text("<\xff{{b}}"))),
                     "&lt;?{{b}}");
}

TEST(sections)
{
    static const char template[] =
        "{{! no words }}\n"
        "{{#rows}}\n"
        "<{{name}}{{#cells}} {{name}}{{.}}{{/cells}}{{^cells}}!{{/cells}}>\n"
        "{{/rows}}\n"
        "{{#one}}{{name}}{{^no}}{{.}}{{/no}}{{/one}}{{#no}}{{#one}}x{{/one}}{{/no}}"
        "{{#empty}}x{{/empty}}{{^text}}x{{/text}}{{#text}}{{.}}{{/text}}.";
    ck_assert_str_eq(fill(template, json_pack("{ss s[{ss s[ss]}{s[]}] s{ss} sb s[] ss}", "name",
                                              "n", "rows", "name", "a", "cells", "1", "2", "cells",
                                              "one", "name", "i", "no", 0, "empty", "text", "t")),
                     "<a a1 a2>\n<n!>\nit.");
    ck_assert_str_eq(fill("a{{#no}}b", json_object()), "a"); /* never closed */
}

/* The text of a page's <svg> that such a file makes; NULL: none. */
static const char *embed(const char *figure)
{
    FILE *file = fopen("figure.svg", "w");
    fputs(figure, file);
    fclose(file);
    json_t *made = cgs_html_svg("figure.svg", "f1-");
    if (!made)
        return NULL;
    snprintf(buffer, sizeof buffer, "%s", json_string_value(made));
    json_decref(made);
    return buffer;
}

TEST(svg)
{
    static const char figure[] =
        "<?xml version=\"1.0\"?>\n<svg \n width=\"6\" height=\"4\"\n viewBox=\"0 0 6 4\">\n"
        "<title>Gnuplot</title>\n<desc>by &lt;it></desc>\n<g id=\"gnuplot_canvas\">\n"
        "<defs><circle id='gpDot' r='1'/></defs><g fill=\"none\">\n</g>\n"
        "\t<g id=\"gnuplot_plot_1\" ><title>a > b</title><use xlink:href='#gpDot' x = '1'/>"
        "<path fill='url(#gpPat1)' d='M0,0\n\t\tL1,1'/><text> id='a' "
        "url(#b)</text></g></g></svg>\n";
    const char *made = embed(figure);
    ck_assert_ptr_eq(strstr(made, "<svg"), made);
    static const char *const there[] = {
        "<circle id='f1-gpDot' r='1'/>", "<use xlink:href='#f1-gpDot' x = '1'/>",
        "<g id=\"f1-gnuplot_plot_1\" ><use", "fill='url(#f1-gpPat1)' d='M0,0\n\t\tL1,1'",
        "<text> id='a' url(#b)</text>"};
    static const char *const gone[] = {"\"gnuplot_", "<title>", "<desc>", "<?xml", "fill=\"none\""};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        ck_assert_msg(strstr(made, there[i]) != NULL, "no %s in %s", there[i], made);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        ck_assert_msg(strstr(made, gone[i]) == NULL, "%s in %s", gone[i], made);
    ck_assert_ptr_null(embed("<svg width='1'")); /* cut off */
    ck_assert_ptr_null(embed(""));
    unlink("figure.svg");
    ck_assert_ptr_null(cgs_html_svg("figure.svg", "f1-"));
}

int main(void)
{
    return run_tests("pages", 60, NULL, NULL);
}
