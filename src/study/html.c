#include "src/study/html.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "src/io/json.h"

void cgs_html_text(FILE *file, const char *text)
{
    json_t *clean = cgs_json_text(text); /* UTF-8, whatever it was */
    const char *c = clean ? json_string_value(clean) : "";
    const char *const end = c + strlen(c);
    uint32_t code;
    for (int length; c < end; c += length) {
        length = cgs_character(c, (size_t)(end - c), &code);
        switch (*c) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        case '\'':
            fputs("&#39;", file);
            break;
        default:
            if (cgs_printable(code))
                fwrite(c, 1, (size_t)length, file);
            else
                fputc(' ', file);
        }
    }
    json_decref(clean);
}

void cgs_html_format(FILE *file, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cgs_html_text(file, text);
}

/* ---- SVG ---- */

/* The whole file; owned by the caller. NULL: not there, or no memory. */
static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    long size;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = malloc((size_t)size + 1)) != NULL)
        text[fread(text, 1, (size_t)size, file)] = '\0';
    fclose(file);
    return text;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* An attribute of a tag, up to its closing quote; *name: as long as `length`. */
struct attribute {
    const char *name, *value;
    int length, value_length;
    char quote;
};

/* The attribute at `at`, which may have blanks before it; NULL: the tag ends there. Else what
 * follows it. */
static const char *read_attribute(const char *at, struct attribute *a)
{
    while (isspace((unsigned char)*at))
        at++;
    a->name = at;
    a->length = (int)strcspn(at, "=/> \t\n");
    at += a->length + strspn(at + a->length, " \t\n");
    if (a->length == 0 || *at != '=')
        return NULL;
    at += 1 + strspn(at + 1, " \t\n");
    if (*at != '"' && *at != '\'')
        return NULL;
    a->quote = *at;
    a->value = at + 1;
    const char *end = strchr(a->value, a->quote);
    if (!end)
        return NULL;
    a->value_length = (int)(end - a->value);
    return end + 1;
}

static bool is_named(const struct attribute *a, const char *name)
{
    return a->length == (int)strlen(name) && strncmp(a->name, name, strlen(name)) == 0;
}

/* Ids that are referred to get the prefix, those of gnuplot's for scripts go. */
static void write_attribute(FILE *file, const struct attribute *a, const char *prefix)
{
    const bool id = is_named(a, "id"),
               link = is_named(a, "xlink:href") && a->value_length > 0 && a->value[0] == '#',
               url = begins(a->value, "url(#");
    const int skip = link ? 1 : url ? 5 : 0;
    if (id && begins(a->value, "gnuplot_"))
        return;
    fprintf(file, " %.*s=%c%.*s%s%.*s%c", a->length, a->name, a->quote, skip, a->value,
            id || skip > 0 ? prefix : "", a->value_length - skip, a->value + skip, a->quote);
}

/* The opening tag at `at`; returns what follows it. `root`: of the figure itself. */
static const char *write_tag(FILE *file, const char *at, const char *prefix, const char *title)
{
    const bool root = begins(at, "<svg");
    const int length = (int)strcspn(at, "/> \t\n");
    struct attribute a;
    fprintf(file, "%.*s", length, at);
    at += length;
    for (const char *next; (next = read_attribute(at, &a)) != NULL; at = next)
        if (!root || (!is_named(&a, "width") && !is_named(&a, "height")))
            write_attribute(file, &a, prefix);
    if (root) {
        fputs(" role=\"img\" aria-label=\"", file);
        cgs_html_text(file, title);
        fputc('"', file);
    }
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* After an element that is left out; `at` itself where it is not such. */
static const char *skip_element(const char *at)
{
    static const char *const none[] = {"title", "desc"};
    for (size_t i = 0; i < 2; i++) {
        char close[16];
        const size_t length = strlen(none[i]);
        snprintf(close, sizeof close, "</%s>", none[i]);
        const char *end = strncmp(at + 1, none[i], length) == 0 && at[1 + length] == '>'
                              ? strstr(at, close)
                              : NULL;
        if (end)
            return end + strlen(close);
    }
    if (begins(at, "<g ")) { /* gnuplot leaves many that hold nothing */
        const char *end = strchr(at, '>');
        while (end && isspace((unsigned char)*++end)) {
        }
        if (end && begins(end, "</g>"))
            return end + 4;
    }
    return at;
}

bool cgs_html_svg(FILE *file, const char *path, const char *prefix, const char *title)
{
    char *text = read_all(path);
    const char *at = text ? strstr(text, "<svg") : NULL;
    const bool there = at && strstr(at, "</svg>");
    while (there && *at) {
        const char *after = *at == '<' ? skip_element(at) : at;
        if (after != at)
            at = after;
        else if (*at == '<' && isalpha((unsigned char)at[1]))
            at = write_tag(file, at, prefix, title);
        else if (*at == '\n' && isspace((unsigned char)at[1]))
            at++;
        else
            fputc(*at++, file);
    }
    free(text);
    return there;
}
