/* Reads a matrix: open, header, accept, entries, rows; of several ranks, each its rows. */

#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"
#include "matrix/market/market_assemble.h"
#include "matrix/market/market_boeing.h"
#include "matrix/market/market_header.h"
#include "matrix/market/market_npz.h"
#include "matrix/market/market_parts.h"
#include "matrix/market/market_read.h"
#include "matrix/market/market_unpack.h"

/* Returns the rows of `whole` that a part has for each of n rows or entries, rounded up. */
static int64_t share_of(const struct cgs_market_part *part, int64_t whole, int64_t n)
{
    if (!part || whole == 0)
        return n;
    const int64_t rows = part->cuts[part->rank + 1] - part->cuts[part->rank];
    const double share = (double)n * (double)rows / (double)whole;
    return share < 9e18 ? (int64_t)share + 1 : INT64_MAX;
}

/* Returns true for a Matrix Market file. Of the others, which cannot be read by parts, each rank
 * reads all entries, before it keeps its own. */
static bool is_market(const struct cgs_market_text *text)
{
    return !text->zip && !text->boeing.known;
}

/* Returns the most numbers of an array that are read at a time: as if all were as long as their
 * mean; as short as "1\n" in a file that is packed. */
static int64_t numbers_at_a_time(const struct cgs_market_text *text,
                                 const struct cgs_market *market)
{
    const bool plain = text->reader.regular && !text->packed && !text->member[0];
    const double all = (double)market->stored, bytes = plain ? (double)text->reader.bytes : 0.0;
    const double most = (double)text->capacity * fmin(0.5, bytes > 0.0 ? all / bytes : 0.5);
    return most < all ? (int64_t)most : market->stored;
}

/* Adds the peak memory of reading to the plan; of a part as if all rows were of one length. */
static void plan_reading(const struct cgs_market_text *text, const struct cgs_market *market,
                         const struct cgs_market_part *part, struct cgs_plan *plan)
{
    const struct cgs_market_part *const kept = is_market(text) ? part : NULL;
    const int64_t places = market->array && !part ? 0 : 2 * (int64_t)sizeof(int32_t);
    const int64_t values = market->field == CGS_MARKET_PATTERN ? 0 : (int64_t)sizeof(double);
    const int64_t twice = market->symmetry != CGS_MARKET_GENERAL;
    const int64_t expanded =
        market->stored > INT64_MAX / 2 ? INT64_MAX : market->stored * (1 + twice);
    cgs_plan_add(plan, CGS_HOST, "file: text", CGS_MARKET_UNPACK_BYTES + (int64_t)text->capacity,
                 1);
    cgs_plan_add(plan, CGS_HOST, "file: entries", share_of(kept, market->rows, market->stored),
                 places + values);
    const int64_t before = plan->total[CGS_HOST];
    cgs_crs_plan(plan, share_of(part, market->rows, market->rows),
                 share_of(part, market->rows, expanded));
    if (kept && market->array) { /* before the rank's own are chosen, and so before its rows */
        const int64_t rows[CGS_PLACES] = {[CGS_HOST] = plan->total[CGS_HOST] - before};
        struct cgs_plan numbers = {0};
        cgs_plan_add(&numbers, CGS_HOST, "", numbers_at_a_time(text, market), values);
        cgs_plan_add_earlier(plan, &numbers, rows, "file: numbers of all ranks");
    }
}

static enum cgs_status ask(struct cgs_market_text *text, const struct cgs_market *market,
                           const struct cgs_market_part *part)
{
    const struct cgs_market_settings *s = text->settings;
    struct cgs_plan plan = {0};
    if (!s || !s->accept)
        return CGS_OK;
    plan_reading(text, market, part, &plan);
    return s->accept(s->user, text->context, market, &plan);
}

/* Fails if several ranks would read a pipe, each some bytes of it. */
static enum cgs_status check_kind(struct cgs_context *context, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return CGS_OK;
    return cgs_fail(context, CGS_FILE,
                    "%s: is a pipe or a device, which several ranks cannot read: make it a file "
                    "first",
                    path);
}

/* Opens the file and reads its header. part NULL: all rows are to be read; else its cuts are
 * made. */
static enum cgs_status open_matrix(struct cgs_context *context, const char *path,
                                   const struct cgs_market_settings *settings,
                                   struct cgs_market_part *part, struct cgs_market_text *text,
                                   struct cgs_market *market, int64_t *size_line)
{
    bool room;
    if (part)
        CGS_TRY(check_kind(context, path));
    CGS_TRY(cgs_market_text_open(context, path, settings, text));
    CGS_TRY(cgs_market_header(text, market, size_line, &room));
    if (part) {
        CGS_TRY(
            cgs_alloc(context, part->ranks + 1, sizeof *part->cuts, "cuts", (void **)&part->cuts));
        settings->cut(settings->user, market->rows, part->cuts);
    }
    return room ? ask(text, market, part) : CGS_OK;
}

/* Reads the entries: of ranks by ranges of a Matrix Market file, unless each has to read all. */
static enum cgs_status read_entries(struct cgs_market_text *text, struct cgs_market *market,
                                    int64_t size_line, const struct cgs_market_part *part,
                                    struct cgs_market_entries *entries)
{
    bool done = false;
    if (part && is_market(text))
        CGS_TRY(cgs_market_parts_read(text, market, part, entries, &market->bytes, &done));
    if (done)
        return CGS_OK;
    enum cgs_status status = text->zip ? cgs_market_npz_entries(text, market, part, entries)
                             : text->boeing.known
                                 ? cgs_market_boeing_entries(text, market, part, entries)
                                 : cgs_market_entries_read(text, market, size_line, part, entries);
    market->bytes = text->bytes;
    if (status == CGS_OK)
        status = cgs_market_unpack_finish(text);
    return part ? cgs_comm_agree(text->context, status) : status;
}

/* Sets facts of the whole from those of the parts. */
static void add_up(struct cgs_context *context, struct cgs_market *market, struct cgs_crs *crs,
                   int64_t *overflow)
{
    const double none = -9007199254740992.0; /* -2^53: no row has that number */
    const double wrong = cgs_comm_most(context, *overflow < 0 ? none : -(double)*overflow);
    *overflow = wrong == none ? -1 : -(int64_t)wrong;
    market->nonzeros = (int64_t)cgs_comm_sum(context, (double)market->nonzeros);
    market->duplicates = (int64_t)cgs_comm_sum(context, (double)market->duplicates);
    market->zeros = (int64_t)cgs_comm_sum(context, (double)market->zeros);
    crs->norm = cgs_comm_most(context, crs->norm);
}

static enum cgs_status read_matrix(struct cgs_market_text *text, struct cgs_market *market,
                                   int64_t size_line, const struct cgs_market_part *part,
                                   struct cgs_crs *crs)
{
    struct cgs_context *context = text->context;
    struct cgs_market_entries entries = {0};
    struct cgs_crs made = {0};
    int64_t overflow = -1;
    enum cgs_status status = read_entries(text, market, size_line, part, &entries);
    if (status == CGS_OK) {
        status = cgs_market_assemble(text, part, &entries, market, &made, &overflow);
        if (status == CGS_OK)
            cgs_crs_measure(context, &made);
        status = part ? cgs_comm_agree(context, status) : status;
    }
    if (status == CGS_OK && part)
        add_up(context, market, &made, &overflow);
    if (status == CGS_OK && overflow >= 0)
        status =
            cgs_market_complain(text, 0,
                                "entries of row %" PRId64 " that stand at one place have a sum "
                                "past the range of double precision",
                                overflow + 1);
    cgs_market_entries_release(context, &entries);
    if (status == CGS_OK)
        *crs = made;
    else
        cgs_crs_release(context, &made);
    return status;
}

enum cgs_status cgs_market_read(struct cgs_context *context, const char *path,
                                const struct cgs_market_settings *settings, struct cgs_crs *crs,
                                struct cgs_market *market)
{
    const double start = cgs_now();
    struct cgs_market_text text = {.context = context, .path = path, .reader = {.file = -1}};
    struct cgs_market read = {0};
    struct cgs_market_part part = {0}, *shared = NULL;
    int64_t size_line = 0;
    if (context->comm && settings && settings->cut) {
        part = (struct cgs_market_part){.rank = context->comm->rank, .ranks = context->comm->size};
        shared = &part;
    }
    enum cgs_status status = open_matrix(context, path, settings, shared, &text, &read, &size_line);
    if (shared && !settings->head)
        status = cgs_market_parts_compare(&text, &read, status);
    if (status == CGS_OK)
        status = read_matrix(&text, &read, size_line, shared, crs);
    cgs_market_text_close(&text);
    cgs_free(context, part.cuts);
    if (status != CGS_OK)
        return status;
    read.seconds = cgs_now() - start;
    *market = read;
    return CGS_OK;
}
