/* Reads a matrix: open, header, accept, entries, rows. */
#include "matrix/market/market.h"

#include "base/clock.h"
#include "matrix/market/market_entries.h"
#include "matrix/market/market_unpack.h"

/* Adds the peak memory of reading to the plan. */
static void plan_reading(const struct cgs_market_text *text, const struct cgs_market *market,
                         struct cgs_plan *plan)
{
    const int64_t places = market->array ? 0 : 2 * (int64_t)sizeof(int32_t);
    const int64_t values = market->field == CGS_MARKET_PATTERN ? 0 : (int64_t)sizeof(double);
    const int64_t twice = market->symmetry != CGS_MARKET_GENERAL;
    cgs_plan_add(plan, CGS_HOST, "file: text", CGS_MARKET_UNPACK_BYTES + (int64_t)text->capacity, 1);
    cgs_plan_add(plan, CGS_HOST, "file: entries", market->stored, places + values);
    cgs_crs_plan(plan, market->rows,
                 market->stored > INT64_MAX / 2 ? INT64_MAX : market->stored * (1 + twice));
}

static enum cgs_status ask(struct cgs_market_text *text, const struct cgs_market *market)
{
    const struct cgs_market_settings *s = text->settings;
    struct cgs_plan plan = {0};
    if (!s || !s->accept)
        return CGS_OK;
    plan_reading(text, market, &plan);
    return s->accept(s->user, text->context, market, &plan);
}

static enum cgs_status read_matrix(struct cgs_market_text *text, struct cgs_market *market,
                                   struct cgs_crs *crs)
{
    struct cgs_market_entries entries = {0};
    int64_t size_line;
    bool room;
    CGS_TRY(cgs_market_header(text, market, &size_line, &room));
    if (room)
        CGS_TRY(ask(text, market));
    CGS_TRY(cgs_market_entries_read(text, market, size_line, &entries));
    market->bytes = text->bytes;
    enum cgs_status status = cgs_market_unpack_finish(text);
    if (status == CGS_OK)
        status = cgs_market_assemble(text, &entries, market, crs);
    cgs_market_entries_release(text->context, &entries);
    return status;
}

enum cgs_status cgs_market_read(struct cgs_context *context, const char *path,
                                const struct cgs_market_settings *settings, struct cgs_crs *crs,
                                struct cgs_market *market)
{
    const double start = cgs_now();
    struct cgs_market_text text;
    struct cgs_market read;
    struct cgs_crs made;
    CGS_TRY(cgs_market_text_open(context, path, settings, &text));
    const enum cgs_status status = read_matrix(&text, &read, &made);
    cgs_market_text_close(&text);
    if (status != CGS_OK)
        return status;
    cgs_crs_measure(context, &made);
    read.seconds = cgs_now() - start;
    *crs = made;
    *market = read;
    return CGS_OK;
}
