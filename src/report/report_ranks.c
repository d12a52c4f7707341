/* What ranks spend their time with: least, median and most of them. */
#include "src/io/format.h"
#include "src/report/report_json.h"
#include "src/report/sections.h"

/* A row of the table by rank. */
struct row {
    const char *name, *key;
    const struct cgs_rank_seconds *seconds;
};

enum { PARTS = 4 };

static void list_parts(const struct cgs_rank_facts *ranks, struct row parts[PARTS])
{
    const struct row all[PARTS] = {
        {"compute", "compute", &ranks->compute},
        {"halo", "halo", &ranks->halo},
        {"sums", "sums", &ranks->sums},
        {"  waiting in these", "waiting", &ranks->waiting},
    };
    for (int i = 0; i < PARTS; i++)
        parts[i] = all[i];
}

/* ---- JSON ---- */

static json_t *json_seconds(const struct cgs_rank_seconds *seconds)
{
    json_t *o = json_object();
    cgs_put_real(o, "least", seconds->least);
    cgs_put_real(o, "median", seconds->median);
    cgs_put_real(o, "most", seconds->most);
    return o;
}

json_t *cgs_json_rank_seconds(const struct cgs_report *report)
{
    struct row parts[PARTS];
    json_t *o = json_object();
    list_parts(&report->ranks, parts);
    for (int i = 0; i < PARTS; i++)
        cgs_put_part(o, parts[i].key, json_seconds(parts[i].seconds));
    return o;
}

json_t *cgs_json_rank_steps(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int i = 0; i < report->profile.count; i++) {
        json_t *o = json_seconds(&report->ranks.steps[i]);
        cgs_put_text(o, "step", report->profile.lines[i].step.name);
        json_array_append_new(array, o);
    }
    return array;
}

/* ---- text ---- */

static void write_row(const struct cgs_page *page, const struct row *row)
{
    const struct cgs_rank_seconds *s = row->seconds;
    cgs_page_more(page);
    fprintf(page->file, "%-20s%11.6f %11.6f %11.6f\n", row->name, s->least, s->median, s->most);
}

void cgs_page_rank_seconds(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_rank_facts *ranks = &report->ranks;
    struct row parts[PARTS];
    list_parts(ranks, parts);
    cgs_page_section(page, "By rank");
    fprintf(page->file, "%-20s%11s %11s %11s\n", "seconds", "least", "median", "most");
    for (int i = 0; i < report->profile.count; i++)
        write_row(page, &(struct row){.name = report->profile.lines[i].step.name,
                                      .seconds = &ranks->steps[i]});
    for (int i = 0; i < PARTS; i++)
        write_row(page, &parts[i]);
    cgs_page_more(page);
    fprintf(page->file, "imbalance %.3f: most compute / mean; %lld exchanges, %lld gatherings\n",
            ranks->imbalance, (long long)ranks->exchanges, (long long)ranks->gatherings);
}
