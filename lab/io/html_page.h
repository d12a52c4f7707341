/* Pages of HTML from parts: a page has sections, each with words, figures, tables, lists. What
 * is added to a part is borrowed from it, and may be NULL without memory (cgs_json_starved): all
 * functions take that. Texts are escaped. */
#pragma once

#include "core/io/json.h"
#include "core/io/output.h"
#include "lab/io/html.h"

/* Begins a page. page: in the tab of a browser; about: below the heading. The keys that
 * cgs_put_text may add are those of the template, lab/io/page.html. Owned by the caller. */
json_t *cgs_html_page(const char *page, const char *heading, const char *about);

/* Adds an object to the list `key` of a part, such as a row to the "rows" of a table's body. */
json_t *cgs_html_add(json_t *part, const char *key);
/* Returns the list `key` of a part that is shown only if something is in it: "summary",
 * "figures", "items", ... */
json_t *cgs_html_list(json_t *part, const char *key);

json_t *cgs_html_section(json_t *page, const char *title);
/* Adds a paragraph, and takes it over. */
void cgs_html_say(json_t *section, json_t *text);
/* Adds a table, with `heads` of columns as "<kernel|matrices|least": a column of words, to the
 * left, begins with <. label: for who does not see it; caption: NULL: none. Bodies are added to
 * it. */
json_t *cgs_html_table(json_t *section, const char *label, const char *caption, const char *heads);
/* Adds the head of a further column. */
void cgs_html_head(json_t *table, const char *head);
/* kind: the class of a cell, such as "word" to the left; "": a number. */
json_t *cgs_html_cell(json_t *row, const char *kind, const char *text);
/* The cell that names its row. */
void cgs_html_name(json_t *row, const char *kind, const char *text);

/* A figure number `index` of the page, from the SVG at `path`, if that is there. */
void cgs_html_figure(json_t *section, int index, const char *path, const char *id,
                     const char *label, const char *caption);
/* A line "name: words", of a list of that class; nothing where there are no words. */
void cgs_html_pair(json_t *section, const char *kind, const char *name, const char *words);
/* The command line as one would type it. */
void cgs_html_command(json_t *section, int argc, const char *const *argv);

/* Writes the page to `path`, which messages call `what`, and releases it. CGS_FILE, CGS_MEMORY. */
enum cgs_status cgs_html_write(struct cgs_context *context, const char *what, const char *path,
                               json_t *page);
