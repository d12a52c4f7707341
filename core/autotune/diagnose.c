#include "core/autotune/diagnose.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/plain.h"

struct span {
    int64_t count, first, last; /* wrong rows */
};

static struct span span_of(const struct cgs_wrong_rows *w)
{
    struct span span = {.first = -1};
    for (int64_t i = 0; i < w->rows; i++) {
        if (!w->wrong[i])
            continue;
        span.count++;
        span.last = i;
        if (span.first < 0)
            span.first = i;
    }
    return span;
}

/* A range of numbers that wrong rows have, and right ones. */
struct range {
    int64_t least, most;
    int64_t right_least, right_most;
};

static struct range lengths_of(const struct cgs_wrong_rows *w)
{
    struct range range = {INT64_MAX, -1, INT64_MAX, -1};
    for (int64_t i = 0; i < w->rows; i++) {
        const int64_t length = w->pointers[i + 1] - w->pointers[i];
        int64_t *least = w->wrong[i] ? &range.least : &range.right_least;
        int64_t *most = w->wrong[i] ? &range.most : &range.right_most;
        *least = length < *least ? length : *least;
        *most = length > *most ? length : *most;
    }
    return range;
}

/* Rows of certain lengths, and no others. Returns false if that is not what they share. */
static bool by_length(const struct cgs_wrong_rows *w, char *text, size_t size)
{
    if (!w->pointers)
        return false;
    const struct range r = lengths_of(w);
    if (r.least > r.right_most)
        snprintf(text, size, "all with more than %" PRId64 " entries", r.right_most);
    else if (r.most == 0 && r.right_least > 0)
        snprintf(text, size, "all empty ones");
    else if (r.most < r.right_least)
        snprintf(text, size, "all with fewer than %" PRId64 " entries", r.right_least);
    else
        return false;
    return true;
}

static bool by_place(const struct cgs_wrong_rows *w, const struct span *span, char *text,
                     size_t size)
{
    if (span->last - span->first != span->count - 1 || span->count == 1)
        return false;
    if (span->last == w->rows - 1)
        snprintf(text, size, "the last ones");
    else if (span->first == 0)
        snprintf(text, size, "the first ones");
    else
        snprintf(text, size, "rows %" PRId64 " to %" PRId64, span->first, span->last);
    return true;
}

/* Every so many rows; a step that blocks of threads have, or a small one. */
static bool by_step(const struct cgs_wrong_rows *w, const struct span *span, char *text,
                    size_t size)
{
    static const int64_t steps[] = {2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128, 256, 512, 1024};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        int64_t found = 0;
        for (int64_t i = span->first; i < w->rows && w->wrong[i]; i += steps[s])
            found++;
        if (span->count < 3 || found != span->count ||
            span->first + found * steps[s] < w->rows) /* one of them is right */
            continue;
        snprintf(text, size, "every %" PRId64 "%s from row %" PRId64 " on", steps[s],
                 cgs_ordinal(steps[s]), span->first);
        return true;
    }
    return false;
}

void cgs_diagnose(const struct cgs_wrong_rows *w, char *text, size_t size)
{
    char share[96] = "";
    const struct span span = span_of(w);
    const char *how = w->narrow      ? ", but right to single precision"
                      : w->unwritten ? ", not written"
                                     : "";
    if (span.count == w->rows) {
        snprintf(text, size, "all %" PRId64 " rows are wrong%s", w->rows, how);
        if (w->factor != 0.0 && w->rows > 1)
            cgs_append(text, size, ": %.6g times what they should be", w->factor);
        return;
    }
    if (span.count == 1 && span.last == w->rows - 1)
        snprintf(share, sizeof share, ": the last one");
    else if (by_length(w, share + 2, sizeof share - 2) ||
             by_place(w, &span, share + 2, sizeof share - 2) ||
             by_step(w, &span, share + 2, sizeof share - 2)) {
        share[0] = ':';
        share[1] = ' ';
    }
    snprintf(text, size, "%" PRId64 " of %" PRId64 " rows %s wrong%s%s", span.count, w->rows,
             span.count == 1 ? "is" : "are", share, how);
}
