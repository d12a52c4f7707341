/* The choice of --kernel=auto and its reason: three lines for people, an object for programs. */
#include "core/facts/choice.h"

#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "matrix/names.h"

/* "crs_row", "sell_chunk (SELL-8-1)": the device is the same for all. */
static const char *short_name(const struct cgs_candidate *candidate, char *text, size_t size)
{
    if (cgs_format_chunked(candidate->entry->format))
        snprintf(text, size, "%s (%s-%d-%d)", candidate->entry->name,
                 cgs_format_word(candidate->entry->format), (int)candidate->chunk,
                 (int)candidate->sigma);
    else
        snprintf(text, size, "%s", candidate->entry->name);
    cgs_make_plain(text);
    return text;
}

static void explain_rows(const struct cgs_selection *choice, char *text, size_t size)
{
    const struct cgs_row_statistics *s = &choice->statistics;
    const struct cgs_padding *p = &choice->padding;
    snprintf(text, size, "rows of %d to %d entries, mean %.1f, deviation %.1f, %lld empty",
             (int)s->shortest, (int)s->longest, s->mean, s->deviation, (long long)s->empty);
    if (p->chunk > 0)
        cgs_append(text, size, "; SELL-%d would pad %.1f %%", (int)p->chunk, 100.0 * p->unsorted);
    if (p->sigma > 1)
        cgs_append(text, size, ", sorted by %d rows %.1f %%", (int)p->sigma, 100.0 * p->sorted);
    if (s->rounded[2] > 0 && choice->nonzeros > 0)
        cgs_append(text, size, "; rows padded to 4 entries %.1f %%",
                   100.0 * (1.0 - (double)choice->nonzeros / (double)s->rounded[2]));
}

static bool is_out(const struct cgs_selection_item *item)
{
    return item->reason[0] != '\0' && item->seconds == 0.0;
}

static bool same_reason(const struct cgs_selection_item *a, const struct cgs_selection_item *b)
{
    return strcmp(a->reason, b->reason) == 0;
}

static void explain_candidates(const struct cgs_selection *choice, char *text, size_t size)
{
    char name[128];
    int out = 0;
    snprintf(text, size, "candidates: ");
    for (int i = 0; i < choice->count; i++)
        cgs_append(text, size, "%s%s", i ? ", " : "",
                   short_name(&choice->items[i].candidate, name, sizeof name));
    for (int i = 0; i < choice->count; i++) { /* each reason once, after all that it is for */
        bool said = !is_out(&choice->items[i]);
        for (int k = 0; k < i && !said; k++)
            said = is_out(&choice->items[k]) && same_reason(&choice->items[i], &choice->items[k]);
        if (said)
            continue;
        cgs_append(text, size, "%s", out++ ? "; " : ". Left out: ");
        for (int k = i; k < choice->count; k++)
            if (is_out(&choice->items[k]) && same_reason(&choice->items[i], &choice->items[k]))
                cgs_append(text, size, "%s%s", k > i ? ", " : "",
                           short_name(&choice->items[k].candidate, name, sizeof name));
        cgs_append(text, size, ": %s", choice->items[i].reason);
    }
}

/* The next item in the order of their times, after one of `seconds` at index `after`; -1: none. */
static int next_slower(const struct cgs_selection *choice, double seconds, int after)
{
    int next = -1;
    for (int i = 0; i < choice->count; i++) {
        const double here = choice->items[i].seconds;
        if (here > 0.0 && (here > seconds || (here == seconds && i > after)) &&
            (next < 0 || here < choice->items[next].seconds))
            next = i;
    }
    return next;
}

static void explain_times(const struct cgs_selection *choice, char *text, size_t size)
{
    char name[128];
    cgs_text time;
    const char *chosen = choice->chosen < 0 ? "none"
                                            : short_name(&choice->items[choice->chosen].candidate,
                                                         name, sizeof name);
    int at = next_slower(choice, 0.0, -1);
    if (choice->others > 0.0) {
        snprintf(
            text, size,
            "takes %s: by the lengths of rows; other processes used the CPUs for %.0f %% of the "
            "time in which kernels were timed, so these times are not reliable",
            chosen, 100.0 * choice->others);
        return;
    }
    if (at < 0) {
        snprintf(text, size, "takes %s: %s", chosen,
                 choice->by_lengths
                     ? "by the lengths of rows, the same in every run; nothing was timed "
                       "(\1reproducible)"
                 : choice->measured
                     ? "no other takes this matrix"
                     : "the default, which was measured for the box (cgsolve spmv compares them)");
        return;
    }
    snprintf(text, size, "takes %s, by %d products: ", chosen, choice->products);
    for (bool first = true; at >= 0; first = false) {
        const struct cgs_selection_item *item = &choice->items[at];
        cgs_append(text, size, "%s%s %s", first ? "" : ", ",
                   short_name(&item->candidate, name, sizeof name),
                   cgs_seconds_text(item->seconds, time));
        at = next_slower(choice, item->seconds, at);
    }
}

void cgs_choice_explain(const struct cgs_selection *choice,
                        char lines[CGS_CHOICE_LINES][CGS_CHOICE_WIDTH])
{
    explain_rows(choice, lines[0], CGS_CHOICE_WIDTH);
    explain_candidates(choice, lines[1], CGS_CHOICE_WIDTH);
    explain_times(choice, lines[2], CGS_CHOICE_WIDTH);
    for (int i = 0; i < CGS_CHOICE_LINES; i++)
        cgs_name_settings(lines[i], CGS_CHOICE_WIDTH);
}

json_t *cgs_json_choice(const struct cgs_selection *choice)
{
    char lines[CGS_CHOICE_LINES][CGS_CHOICE_WIDTH], name[128];
    json_t *o = json_object(), *explanation = json_array(), *candidates = json_array();
    cgs_choice_explain(choice, lines);
    for (int i = 0; i < CGS_CHOICE_LINES; i++)
        json_array_append_new(explanation, cgs_json_text(lines[i]));
    for (int i = 0; i < choice->count; i++) {
        const struct cgs_selection_item *item = &choice->items[i];
        const struct cgs_candidate *c = &item->candidate;
        json_t *candidate = json_object();
        cgs_put_text(candidate, "name", c->entry->name);
        cgs_put_text(candidate, "format", cgs_format_name(c->entry->format));
        if (cgs_format_chunked(c->entry->format)) {
            cgs_put_integer(candidate, "chunk", c->chunk);
            cgs_put_integer(candidate, "sigma", c->sigma);
        }
        cgs_put_some(candidate, "seconds", item->seconds);
        cgs_put_text(candidate, "reason", item->reason);
        json_array_append_new(candidates, candidate);
    }
    if (choice->chosen >= 0)
        cgs_put_text(o, "chosen",
                     short_name(&choice->items[choice->chosen].candidate, name, sizeof name));
    cgs_put_yes(o, "measured", choice->measured);
    cgs_put_integer(o, "products", choice->products);
    cgs_put_some(o, "others", choice->others);
    json_object_set_new(o, "candidates", candidates);
    json_object_set_new(o, "explanation", explanation);
    return o;
}
