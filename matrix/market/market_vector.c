/* Vectors: read as a matrix of one column or several, array or coordinate, or numbers alone;
 * written as an array. */
#include <inttypes.h>
#include <locale.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "matrix/market/market_read.h"
#include "matrix/market/market_vector.h"
#include "matrix/market/market_write.h"

enum { ROUND = 1 << 20, PIECE = 1 << 12, LINE = CGS_MARKET_NUMBER_TEXT + 1 };

struct wanted {
    const char *path;
    int64_t rows;
    bool many; /* several columns are taken */
    const struct cgs_market_settings *settings; /* the caller's, or NULL */
};

static enum cgs_status accept_size(void *user, struct cgs_context *context,
                                   const struct cgs_market *market, const struct cgs_plan *plan)
{
    const struct wanted *wanted = user;
    (void)plan;
    if (market->rows == wanted->rows &&
        (market->columns == 1 || (wanted->many && market->columns > 0)))
        return CGS_OK;
    return cgs_fail(context, CGS_FILE,
                    "%s: expected a vector, %" PRId64 " rows and 1 column%s, found %" PRId64
                    " rows and %" PRId64 " column%s",
                    wanted->path, wanted->rows, wanted->many ? " or more" : "", market->rows,
                    market->columns, market->columns == 1 ? "" : "s");
}

static void pass_cut(void *user, int64_t rows, int64_t *cuts)
{
    const struct wanted *wanted = user;
    wanted->settings->cut(wanted->settings->user, rows, cuts);
}

static bool pass_progress(void *user, int64_t done, int64_t all)
{
    const struct wanted *wanted = user;
    return wanted->settings->progress(wanted->settings->user, done, all);
}

enum cgs_status cgs_market_read_vectors(struct cgs_context *context, const char *path,
                                        const struct cgs_market_settings *settings, int64_t rows,
                                        int64_t *columns, double **values)
{
    struct wanted wanted = {path, rows, columns != NULL, settings};
    const struct cgs_market_settings own = {
        .accept = accept_size,
        .progress = settings && settings->progress ? pass_progress : NULL,
        .cut = settings && settings->cut ? pass_cut : NULL,
        .user = &wanted,
        .buffer = settings ? settings->buffer : 0,
        .plain = rows};
    struct cgs_market market;
    struct cgs_crs crs;
    double *made;
    CGS_TRY(cgs_market_read(context, path, &own, &crs, &market));
    const int64_t all = crs.rows * crs.columns;
    const enum cgs_status status =
        cgs_alloc(context, all, sizeof *made, "numbers of a file", (void **)&made);
    if (status == CGS_OK) {
        memset(made, 0, (size_t)all * sizeof *made);
        for (int64_t i = 0; i < crs.rows; i++)
            for (int64_t k = crs.pointers[i]; k < crs.pointers[i + 1]; k++)
                made[crs.column[k] * crs.rows + i] = crs.value[k];
        *values = made;
        if (columns)
            *columns = crs.columns;
    }
    cgs_crs_release(context, &crs);
    return status;
}

struct head {
    struct wanted wanted;
    int rank;
    int64_t mine; /* rows of this rank; -1: all */
    int64_t columns, bytes;
};

static void note_cut(void *user, int64_t rows, int64_t *cuts)
{
    struct head *head = user;
    pass_cut(&head->wanted, rows, cuts);
    head->mine = cuts[head->rank + 1] - cuts[head->rank];
}

/* Takes what the head says, and ends the reading. */
static enum cgs_status note_size(void *user, struct cgs_context *context,
                                 const struct cgs_market *market, const struct cgs_plan *plan)
{
    struct head *head = user;
    CGS_TRY(accept_size(&head->wanted, context, market, plan));
    const int64_t mine = head->mine < 0 ? market->rows : head->mine;
    const int64_t made = cgs_bytes(market->columns, cgs_bytes(mine, sizeof(double)));
    struct cgs_plan rows = {0}; /* the vectors as rows, beside them as columns */
    cgs_crs_plan(&rows, mine, mine * market->columns);
    head->columns = market->columns;
    head->bytes = rows.total[CGS_HOST];
    if (plan->total[CGS_HOST] - made > head->bytes)
        head->bytes = plan->total[CGS_HOST] - made;
    return CGS_INTERRUPTED;
}

enum cgs_status cgs_market_head_vectors(struct cgs_context *context, const char *path,
                                        const struct cgs_market_settings *settings, int64_t rows,
                                        int64_t *columns, int64_t *bytes)
{
    struct head head = {.wanted = {path, rows, true, settings},
                        .rank = context->comm ? context->comm->rank : 0,
                        .mine = -1};
    const struct cgs_market_settings own = {.accept = note_size,
                                            .cut = settings ? note_cut : NULL,
                                            .head = true,
                                            .user = &head,
                                            .plain = rows};
    struct cgs_market market;
    struct cgs_crs crs;
    const enum cgs_status status = cgs_market_read(context, path, &own, &crs, &market);
    if (head.columns == 0)
        return status;
    *columns = head.columns;
    *bytes = head.bytes;
    return CGS_OK;
}

/* Writes numbers first ... first + count - 1 as text, PIECE numbers a piece, each with its own
 * room. */
static void write_round(const struct cgs_context *context, FILE *file, const double *values,
                        int64_t count, char *text, locale_t c)
{
    int64_t bytes[ROUND / PIECE];
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t piece = 0; piece < count; piece += PIECE) {
        const locale_t before = uselocale(c);
        char *at = text + LINE * piece;
        for (int64_t i = piece; i < count && i < piece + PIECE; i++) {
            at = cgs_market_put_number(at, values[i]);
            *at++ = '\n';
        }
        bytes[piece / PIECE] = at - (text + LINE * piece);
        uselocale(before);
    }
    for (int64_t piece = 0; piece < count; piece += PIECE)
        fwrite(text + LINE * piece, 1, (size_t)bytes[piece / PIECE], file);
}

enum cgs_status cgs_market_write_vectors(struct cgs_context *context, FILE *file,
                                         const char *comment, int64_t rows, int64_t columns,
                                         const double *values)
{
    const int64_t all = rows * columns;
    char *text;
    CGS_TRY(cgs_alloc(context, all < ROUND ? all : ROUND, LINE, "text to be written",
                      (void **)&text));
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    cgs_market_put_banner(file, "array real general", comment);
    fprintf(file, "%" PRId64 " %" PRId64 "\n", rows, columns);
    for (int64_t first = 0; first < all && !ferror(file); first += ROUND)
        write_round(context, file, values + first, all - first < ROUND ? all - first : ROUND, text,
                    c);
    if (c)
        freelocale(c);
    cgs_free(context, text);
    return CGS_OK;
}
