/* matrix/market: who is asked and told while a file is read, and memory that runs out. */
#include "matrix/market/market_read.h"
#include "tests/matrix/market.h"

/* ---- settings ---- */

struct seen {
    int asked, told;
    int64_t stop; /* progress refuses from that many calls on, 0: never */
    int64_t last, all;
    struct cgs_plan plan;
    enum cgs_status answer;
};

static enum cgs_status accept(void *user, struct cgs_context *context,
                              const struct cgs_market *market, const struct cgs_plan *plan)
{
    struct seen *seen = user;
    seen->asked++;
    seen->plan = *plan;
    ck_assert_int_eq(context->threads, 2);
    ck_assert_int_eq(market->rows, 5000);
    if (seen->answer != CGS_OK)
        return cgs_fail(context, seen->answer, "no, thank you");
    return CGS_OK;
}

static bool progress(void *user, int64_t done, int64_t all)
{
    struct seen *seen = user;
    ck_assert_int_ge(done, seen->last);
    ck_assert_int_le(done, all);
    seen->last = done;
    seen->all = all;
    return ++seen->told != seen->stop;
}

TEST(settings_are_asked)
{
    enum { N = 5000, ENTRIES = 300000 };
    struct lines lines = make_lines("symmetric", N, ENTRIES, ENTRIES);
    const struct made made = made_file(lines.text, lines.size);
    struct seen seen = {0};
    const struct cgs_market_settings settings = {
        .accept = accept, .progress = progress, .user = &seen};
    struct cgs_crs crs;
    struct cgs_market market;
    must(cgs_market_read(&bed.context, made.path, &settings, &crs, &market));
    ck_assert_int_eq(seen.asked, 1);
    ck_assert_int_ge(seen.told, 5);
    ck_assert_int_eq(seen.last, (int64_t)lines.size);
    ck_assert_int_eq(seen.all, (int64_t)lines.size);
    /* The plan holds, and not by much: only the scratch of a few rows and the pieces lie beside. */
    ck_assert_int_le(bed.context.host_peak, seen.plan.total[CGS_HOST] + (1 << 16));
    ck_assert_int_ge(bed.context.host_peak, seen.plan.total[CGS_HOST] / 10 * 9);
    cgs_crs_release(&bed.context, &crs);

    bed.context.host_peak = 0;
    seen = (struct seen){.answer = CGS_MEMORY};
    ck_assert_int_eq(cgs_market_read(&bed.context, made.path, &settings, &crs, &market),
                     CGS_MEMORY);
    ck_assert_str_eq(bed.context.message, "no, thank you");
    ck_assert_int_lt(bed.context.host_peak, 17 << 20);
    bed_forgive();

    seen = (struct seen){.stop = 3};
    ck_assert_int_eq(cgs_market_read(&bed.context, made.path, &settings, &crs, &market),
                     CGS_INTERRUPTED);
    ck_assert_int_eq(seen.told, 3);
    ck_assert_int_eq(bed.context.host_bytes, 0);
    bed_forgive();
    made_end(&made);
    lines_end(&lines);
}

/* ---- memory that runs out ---- */

TEST(every_refused_allocation)
{
    struct lines lines = make_lines("symmetric", 300, 20000, 20000);
    const struct made made = made_file(lines.text, lines.size);
    enum cgs_status status = CGS_MEMORY;
    int k = 0;
    for (; status != CGS_OK && k < 100; k++) {
        struct cgs_crs crs;
        struct cgs_market market;
        bed.context.starve_in[CGS_HOST] = k + 1;
        status = cgs_market_read(&bed.context, made.path, NULL, &crs, &market);
        bed.context.starve_in[CGS_HOST] = 0;
        if (status == CGS_OK) {
            cgs_crs_release(&bed.context, &crs);
            break;
        }
        ck_assert_int_eq(status, CGS_MEMORY);
        ck_assert_int_eq(bed.context.host_bytes, 0);
        bed_forgive();
    }
    ck_assert_int_eq(status, CGS_OK);
    ck_assert_int_ge(k, 8); /* text, pieces, entries, rows, scratch */
    made_end(&made);
    lines_end(&lines);
}

int main(void)
{
    return market_tests("market_settings", 60);
}
