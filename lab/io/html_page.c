#include "lab/io/html_page.h"

#include <stdlib.h>
#include <string.h>

#include "core/io/page.h"
#include "core/io/version.h"

static const char template[] = {
#include "lab/io/page_html.inc" /* page.html as numbers */
    0};

static const char style[] = {
#include "lab/io/page_css.inc" /* page.css as numbers: light and dark, phones, paper */
    0};

json_t *cgs_html_page(const char *page, const char *heading, const char *about)
{
    json_t *made = json_object();
    cgs_put_text(made, "page", page);
    cgs_put_text(made, "heading", heading);
    cgs_put_text(made, "about", about);
    cgs_put_text(made, "version", cgs_version());
    cgs_put_part(made, "style", json_string(style));
    return made;
}

/* Returns the value of `key`; where it has none yet, `made`. */
static json_t *find(json_t *part, const char *key, json_t *made)
{
    json_t *found = json_object_get(part, key);
    if (found)
        json_decref(made);
    else
        cgs_put_part(part, key, made);
    return found ? found : json_object_get(part, key);
}

json_t *cgs_html_add(json_t *part, const char *key)
{
    json_t *list = find(part, key, json_array());
    json_array_append_new(list, json_object());
    return json_array_get(list, json_array_size(list) - 1);
}

json_t *cgs_html_list(json_t *part, const char *key)
{
    return find(find(part, key, json_object()), "list", json_array());
}

json_t *cgs_html_section(json_t *page, const char *title)
{
    json_t *section = cgs_html_add(page, "sections");
    cgs_put_text(section, "title", title);
    return section;
}

void cgs_html_say(json_t *section, json_t *text)
{
    json_array_append_new(find(section, "words", json_array()), text);
}

json_t *cgs_html_table(json_t *section, const char *label, const char *caption, const char *heads)
{
    json_t *table = cgs_html_add(section, "tables");
    cgs_put_text(table, "label", label);
    cgs_put_text(table, "caption", caption);
    while (*heads) {
        char head[64];
        const size_t length = strcspn(heads, "|");
        snprintf(head, sizeof head, "%.*s", (int)length, heads);
        cgs_html_head(table, head);
        heads += length + (heads[length] == '|');
    }
    return table;
}

static json_t *add_text(json_t *part, const char *key, const char *kind, const char *text)
{
    json_t *added = cgs_html_add(part, key);
    cgs_put_text(added, "kind", kind);
    cgs_put_text(added, "text", text);
    return added;
}

void cgs_html_head(json_t *table, const char *head)
{
    const bool words = head[0] == '<';
    add_text(table, "heads", words ? "word" : "", head + words);
}

json_t *cgs_html_cell(json_t *row, const char *kind, const char *text)
{
    return add_text(row, "cells", kind, text);
}

void cgs_html_name(json_t *row, const char *kind, const char *text)
{
    cgs_put_yes(cgs_html_cell(row, kind, text), "names", true);
}

void cgs_html_figure(json_t *section, int index, const char *path, const char *id,
                     const char *label, const char *caption)
{
    char prefix[16];
    snprintf(prefix, sizeof prefix, "f%d-", index);
    json_t *svg = cgs_html_svg(path, prefix), *figure = svg ? json_object() : NULL;
    if (!svg)
        return;
    cgs_put_text(figure, "id", id);
    cgs_put_text(figure, "label", label);
    cgs_put_text(figure, "caption", caption);
    cgs_put_part(figure, "svg", svg);
    json_array_append_new(cgs_html_list(section, "figures"), figure);
}

void cgs_html_pair(json_t *section, const char *kind, const char *name, const char *words)
{
    json_t *pair = words && words[0] ? json_object() : NULL;
    if (!pair)
        return;
    cgs_put_text(pair, "name", name);
    cgs_put_text(pair, "words", words);
    json_array_append_new(cgs_html_list(section, "pairs"), pair);
    cgs_put_text(json_object_get(section, "pairs"), "kind", kind);
}

void cgs_html_command(json_t *section, int argc, const char *const *argv)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < argc && file; i++) {
        fputs(i > 0 ? " " : "cgsolve", file);
        if (i > 0)
            cgs_page_word(file, argv[i]);
    }
    if (file && fclose(file) == 0)
        cgs_put_text(section, "command", text);
    free(text);
}

enum cgs_status cgs_html_write(struct cgs_context *context, const char *what, const char *path,
                               json_t *page)
{
    struct cgs_output output = {0};
    enum cgs_status status =
        cgs_json_starved() ? cgs_fail(context, CGS_MEMORY, "no memory for the page '%s'", path)
                           : cgs_output_open(context, what, path, 0, &output);
    if (status == CGS_OK)
        status = cgs_output_begin(context, &output);
    if (status == CGS_OK) {
        cgs_html_fill(output.file, template, page);
        status = cgs_output_commit(context, &output);
    }
    cgs_output_discard(&output);
    json_decref(page);
    return status;
}
