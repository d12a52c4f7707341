#include "lab/io/figures.h"

#include <math.h>

#include "base/plain.h"
#include "core/io/json.h"

struct cgs_figure cgs_figure_text(const char *key, bool there, const char *value)
{
    return (struct cgs_figure){
        .key = key, .kind = CGS_FIGURE_TEXT, .there = there && value[0] != '\0', .text = value};
}

struct cgs_figure cgs_figure_integer(const char *key, bool there, int64_t value)
{
    return (struct cgs_figure){
        .key = key, .kind = CGS_FIGURE_INTEGER, .there = there, .integer = value};
}

struct cgs_figure cgs_figure_real(const char *key, bool there, double value)
{
    return (struct cgs_figure){.key = key, .kind = CGS_FIGURE_REAL, .there = there, .real = value};
}

struct cgs_figure cgs_figure_some(const char *key, bool there, double value)
{
    return cgs_figure_real(key, there && value != 0.0, value);
}

struct cgs_figure cgs_figure_yes(const char *key, bool there, bool value)
{
    return (struct cgs_figure){
        .key = key, .kind = CGS_FIGURE_YES, .there = there, .integer = value};
}

/* ---- CSV ---- */

static void write_quoted(FILE *file, const char *value)
{
    cgs_name plain;
    fputc('"', file);
    for (value = cgs_plain(value, plain); *value; value++) {
        if (*value == '"')
            fputc('"', file);
        fputc(*value, file);
    }
    fputc('"', file);
}

static void write_figure(FILE *file, const struct cgs_figure *f)
{
    if (!f->there || (f->kind == CGS_FIGURE_REAL && !isfinite(f->real)))
        return;
    if (f->kind == CGS_FIGURE_TEXT)
        write_quoted(file, f->text);
    else if (f->kind == CGS_FIGURE_REAL)
        fprintf(file, "%.9g", f->real);
    else
        fprintf(file, "%lld", (long long)f->integer);
}

void cgs_figures_csv_head(FILE *file, const struct cgs_figure *figures, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%s", i > 0 ? "," : "", figures[i].key);
    fputc('\n', file);
}

void cgs_figures_csv(FILE *file, const struct cgs_figure *figures, int count)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', file);
        write_figure(file, &figures[i]);
    }
    fputc('\n', file);
}

/* ---- JSON ---- */

json_t *cgs_figures_json(const struct cgs_figure *figures, int count)
{
    json_t *o = json_object();
    for (int i = 0; i < count; i++) {
        const struct cgs_figure *f = &figures[i];
        if (!f->there)
            continue;
        if (f->kind == CGS_FIGURE_TEXT)
            cgs_put_text(o, f->key, f->text);
        else if (f->kind == CGS_FIGURE_REAL)
            cgs_put_real(o, f->key, f->real);
        else if (f->kind == CGS_FIGURE_INTEGER)
            cgs_put_integer(o, f->key, f->integer);
        else
            cgs_put_yes(o, f->key, f->integer);
    }
    return o;
}
