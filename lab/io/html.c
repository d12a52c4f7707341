#include "lab/io/html.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/json.h"

/* ---- templates ---- */

static void write_escaped(FILE *file, const char *text)
{
    static const char special[] = "<>&\"'";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    const char *const end = text + strlen(text);
    uint32_t code;
    for (int length; text < end; text += length) {
        const char *found = strchr(special, *text);
        length = cgs_character(text, (size_t)(end - text), &code);
        if (found)
            fputs(entities[found - special], file);
        else if (cgs_printable(code))
            fwrite(text, 1, (size_t)length, file);
        else
            fputc(' ', file);
    }
}

/* The values of the sections around a place in the template, from inside out. */
struct scope {
    const json_t *value;
    const struct scope *outer;
};

static const json_t *look_up(const struct scope *scope, const char *name)
{
    const json_t *found = NULL;
    if (strcmp(name, ".") == 0)
        return scope->value;
    for (; scope && !found; scope = scope->outer)
        found = json_object_get(scope->value, name);
    return found;
}

static size_t count_values(const json_t *value)
{
    if (json_is_array(value))
        return json_array_size(value);
    const char *text = json_string_value(value);
    return value && !json_is_false(value) && !(text && text[0] == '\0');
}

/* Writes the template from `at` to the tag that closes the section around it, or to its end;
 * nothing without a file. Returns what follows. */
static const char *fill(FILE *file, const char *at, const struct scope *scope)
{
    for (const char *tag; (tag = strstr(at, "{{")) != NULL;) {
        char name[64];
        if (file)
            fwrite(at, 1, (size_t)(tag - at), file);
        const char kind = strchr("#^/&!", tag[2]) ? tag[2] : '\0', *begin = tag + 2 + (kind != 0);
        const size_t length = strcspn(begin, "}");
        snprintf(name, sizeof name, "%.*s", (int)length, begin);
        at = begin + length + 2;
        const json_t *value = look_up(scope, name);
        const char *text = json_string_value(value);
        if (kind != '\0' && kind != '&' && *at == '\n')
            at++; /* the line of a tag that writes nothing itself */
        if (kind == '/')
            return at;
        if (kind == '#' || kind == '^') {
            const bool each = kind == '#' && json_is_array(value);
            const size_t times = kind == '#' ? count_values(value) : count_values(value) == 0;
            for (size_t i = 0; i < times && file; i++)
                fill(file, at, &(struct scope){each ? json_array_get(value, i) : value, scope});
            at = fill(NULL, at, scope);
        } else if (file && text && kind == '&') {
            fputs(text, file);
        } else if (file && text && kind == '\0') {
            write_escaped(file, text);
        }
    }
    if (file)
        fputs(at, file);
    return at + strlen(at);
}

void cgs_html_fill(FILE *file, const char *template, const json_t *facts)
{
    fill(file, template, &(struct scope){facts, NULL});
}

/* ---- figures ---- */

/* The whole file; owned by the caller. NULL: not there, or no memory. */
static char *read_all(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    const bool some = getdelim(&text, &size, '\0', file) > 0;
    fclose(file);
    if (some)
        return text;
    free(text);
    return NULL;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The end of an element that is left out: titles, which browsers show as tips, and groups that hold
 * nothing, of which gnuplot writes many. NULL: it stays. */
static const char *end_of_omitted(const char *at)
{
    const char *content = strchr(at, '>'), *end = NULL;
    if (begins(at, "<title>"))
        end = strstr(at, "</title>");
    else if (begins(at, "<desc>"))
        end = strstr(at, "</desc>");
    else if (begins(at, "<g ") && content && begins(content + 1, "\n</g>"))
        end = content + 2;
    return end ? strchr(end, '>') + 1 : NULL;
}

json_t *cgs_html_svg(const char *path, const char *prefix)
{
    static const char *const before_ids[] = {" id=\"", " id='", "href=\"#", "href='#", "url(#"};
    char *text = read_all(path), *made = NULL;
    size_t size = 0;
    const char *at = text ? strstr(text, "<svg") : NULL;
    FILE *file = at && strstr(at, "</svg>") ? open_memstream(&made, &size) : NULL;
    for (bool tag = false; file && *at;) { /* tag: between < and >; names in texts stay */
        const char *after = *at == '<' ? end_of_omitted(at) : NULL;
        size_t k = 0, ids = sizeof before_ids / sizeof *before_ids;
        while (k < ids && !(tag && begins(at, before_ids[k])))
            k++;
        if (after) {
            at = after;
        } else if (k < ids) {
            fprintf(file, "%s%s", before_ids[k], prefix);
            at += strlen(before_ids[k]);
        } else {
            tag = *at == '<' || (tag && *at != '>');
            fputc(*at++, file);
        }
    }
    json_t *figure = file && fclose(file) == 0 ? cgs_json_text(made) : NULL;
    free(made);
    free(text);
    return figure;
}
