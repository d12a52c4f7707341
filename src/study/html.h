/* Pages that need nothing beside them: text into HTML that is well-formed XML, too, and a figure's
 * SVG into the page. */
#ifndef CGS_SRC_STUDY_HTML_H
#define CGS_SRC_STUDY_HTML_H

#include <stdbool.h>
#include <stdio.h>

/* The text as text, or as a value between double quotes: < > & " ' escaped, control characters and
 * what is no UTF-8 replaced. */
void cgs_html_text(FILE *file, const char *text);

/* The same, of a format; at most 4095 bytes. */
void cgs_html_format(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The SVG of the file that gnuplot has written, as an element of the page: without its prologue,
 * its size left to the page, `title` read out to who does not see it. Its ids begin with `prefix`,
 * so that several figures do not clash. False: there is no such file, or it is no SVG. */
bool cgs_html_svg(FILE *file, const char *path, const char *prefix, const char *title);

#endif
