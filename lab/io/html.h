/* Pages of HTML that need no other file, and are well-formed XML, too: a template filled with
 * facts. */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* Writes `template` with its tags replaced, a subset of Mustache:
 *
 *     {{name}}                text, escaped: < > & " ' as entities, control characters as blanks
 *     {{&name}}               text as it is
 *     {{#name}}...{{/name}}   once for each element of an array, once for any other value, and not at all
 *                             where there is none, or "", false, an empty array
 *     {{^name}}...{{/name}}   once, where {{name}} is none, or "", false, an empty array
 *     {{.}}                   the element or value of the innermost section
 *     {{! words }}            nothing
 *
 * A name is looked up in the innermost object first, then in those around it. */
void cgs_html_fill(FILE *file, const char *template, const json_t *facts);

/* Returns the figure that gnuplot has written to `path`, as the text of an element <svg>: without
 * its prologue and titles, all ids with `prefix` in front, so that several figures fit into one
 * page. NULL: there is no such file, it is no SVG, or memory ran out. */
json_t *cgs_html_svg(const char *path, const char *prefix);
