/* Reads a plain file by ranges: rank r the lines that begin in the r-th part of its bytes; a
 * compressed one or an archive, which has no middle to begin in, by rank 0 alone.
 *
 * Entries are in any order, so that those of a rank's rows are anywhere in the file. In rounds, all
 * ranks parse a stretch of their range each, and send every entry to the owner of its row; in a
 * symmetric file, which has one of a_ij and a_ji, also to the owner of row j. A rank keeps what it
 * gets by sender. Senders in rank order then have the entries in the file's order, as one process
 * reads them, and duplicates are summed to the same bits.
 *
 * A rank does not know the numbers of its lines. So a wrong line only ends this way of reading. */
#include "matrix/market/market_parts.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/comm.h"
#include "base/memory.h"

/* Numbers that all ranks send in a round, 512 MiB, and the least and largest stretch of text of
 * a rank, which makes at most a number a byte: "1 1\n" is one, for two owners. */
enum { ROUND = 1 << 26, STRETCH_LEAST = 1 << 16, SCAN = 1 << 16 };

/* ---- the ranks' files ---- */

/* Returns a number for what the file declares to be. */
static int kind_of(const struct cgs_market_text *text, const struct cgs_market *market)
{
    return market->array + 2 * (int)market->field + 8 * (int)market->symmetry + 32 * text->zip +
           64 * text->boeing.known;
}

enum cgs_status cgs_market_parts_compare(struct cgs_market_text *text,
                                         const struct cgs_market *market, enum cgs_status status)
{
    struct cgs_context *context = text->context;
    CGS_TRY(cgs_comm_agree(context, status));
    const int64_t rows = (int64_t)cgs_comm_first_of(context, (double)market->rows);
    const int64_t stored = (int64_t)cgs_comm_first_of(context, (double)market->stored);
    const int64_t kind = (int64_t)cgs_comm_first_of(context, kind_of(text, market));
    if (rows != market->rows || stored != market->stored || kind != kind_of(text, market))
        status = cgs_market_complain(
            text, 0,
            "rank %d's file has %" PRId64 " rows and %" PRId64 " entries, rank 0's %" PRId64
            " and %" PRId64 ": all ranks must read the same file",
            context->comm->rank, market->rows, market->stored, rows, stored);
    return cgs_comm_agree(context, status);
}

/* ---- ranges ---- */

/* Returns the first byte at or after `at` at which a line begins; `end` if there is none, -1 if
 * the file cannot be read. */
static int64_t line_start(int file, int64_t at, int64_t begin, int64_t end)
{
    char some[SCAN];
    if (at <= begin)
        return begin;
    for (at--; at < end;) {
        const ssize_t got = pread(file, some, sizeof some, at);
        if (got <= 0)
            return got < 0 ? -1 : end;
        const char *newline = memchr(some, '\n', (size_t)got);
        if (newline)
            return at + (newline - some) + 1 < end ? at + (newline - some) + 1 : end;
        at += got;
    }
    return end;
}

/* Returns true on all ranks if rank 0 is to read all. */
static bool is_packed(const struct cgs_market_text *text, const struct cgs_market *market)
{
    const bool packed = (text->packed || text->member[0]) && !market->array;
    return cgs_comm_first_of(text->context, packed) != 0.0;
}

/* Finds this rank's range; *plain = false: ranges of this file cannot be read. */
static void find_range(struct cgs_market_text *text, const struct cgs_market *market,
                       int64_t *begin, int64_t *end, bool *plain)
{
    struct cgs_context *context = text->context;
    const struct cgs_comm *comm = context->comm;
    const int64_t first = text->bytes - (int64_t)(text->end - text->begin);
    const int64_t bytes = text->reader.regular ? text->reader.bytes : 0;
    const int64_t share = (bytes - first) / comm->size;
    const bool same = (int64_t)cgs_comm_first_of(context, (double)bytes) == bytes;
    bool fits = same && bytes > first && !text->packed && !text->member[0] && !market->array;
    int counts[CGS_RANKS_MOST];
    double starts[CGS_RANKS_MOST];
    const double mine =
        fits ? (double)line_start(text->reader.file, first + comm->rank * share, first, bytes) : -1;
    for (int r = 0; r < comm->size; r++)
        counts[r] = 1;
    comm->ops->gather(context->comm, &mine, counts, starts);
    for (int r = 0; r < comm->size; r++)
        fits = fits && starts[r] >= 0.0;
    *begin = (int64_t)starts[comm->rank];
    *end = comm->rank + 1 < comm->size ? (int64_t)starts[comm->rank + 1] : bytes;
    *plain = cgs_comm_most(context, !fits) == 0.0;
}

/* ---- rounds ---- */

/* Blocks of one sender, in its order. */
struct list {
    struct cgs_market_block *first, *last;
};

struct rounds {
    struct cgs_context *context;
    const struct cgs_market *market;
    const struct cgs_market_part *part;
    struct list *lists; /* by sender */
    int *out, *in;      /* numbers to and from each rank */
    int64_t *places;    /* where the next number for each rank goes */
};

static int owner_of(const struct cgs_market_part *part, int64_t row)
{
    int low = 0, high = part->ranks - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (part->cuts[middle + 1] <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Numbers of an entry: row and column in one, and its value. */
static int width_of(const struct rounds *rounds)
{
    return rounds->market->field == CGS_MARKET_PATTERN ? 1 : 2;
}

/* Owners of an entry: of its row and, where it stands for another one, too, of its column;
 * returns their number. */
static int owners_of(const struct rounds *rounds, int32_t row, int32_t column, int owners[2])
{
    owners[0] = owner_of(rounds->part, row);
    if (rounds->market->symmetry == CGS_MARKET_GENERAL || row == column)
        return 1;
    owners[1] = owner_of(rounds->part, column);
    return owners[0] == owners[1] ? 1 : 2;
}

/* Counts the numbers that go to each rank and lists where they begin; returns their sum. */
static int64_t count_out(struct rounds *rounds, const struct cgs_market_block *block)
{
    const int width = width_of(rounds), ranks = rounds->part->ranks;
    int owners[2];
    int64_t sum = 0;
    memset(rounds->out, 0, (size_t)ranks * sizeof *rounds->out);
    for (int64_t k = 0; block && k < block->count; k++)
        for (int i = owners_of(rounds, block->row[k], block->column[k], owners) - 1; i >= 0; i--)
            rounds->out[owners[i]] += width;
    for (int r = 0; r < ranks; r++) {
        rounds->places[r] = sum;
        sum += rounds->out[r];
    }
    return sum;
}

static void pack(struct rounds *rounds, const struct cgs_market_block *block, int64_t *numbers)
{
    int owners[2];
    for (int64_t k = 0; block && k < block->count; k++) {
        const int count = owners_of(rounds, block->row[k], block->column[k], owners);
        for (int i = 0; i < count; i++) {
            int64_t *place = &rounds->places[owners[i]];
            numbers[(*place)++] = (int64_t)block->row[k] << 32 | block->column[k];
            if (block->value)
                memcpy(&numbers[(*place)++], &block->value[k], sizeof *numbers);
        }
    }
}

/* Tells each rank how many numbers it gets from this one. */
static int64_t count_in(struct rounds *rounds)
{
    struct cgs_comm *comm = rounds->context->comm;
    int64_t out[CGS_RANKS_MOST], in[CGS_RANKS_MOST], sum = 0;
    int ones[CGS_RANKS_MOST];
    for (int r = 0; r < comm->size; r++) {
        out[r] = rounds->out[r];
        ones[r] = 1;
    }
    comm->ops->swap(comm, out, ones, in, ones);
    for (int r = 0; r < comm->size; r++) {
        rounds->in[r] = (int)in[r];
        sum += in[r];
    }
    return sum;
}

/* Appends what came from each sender to its list. */
static enum cgs_status unpack(struct rounds *rounds, const int64_t *numbers)
{
    const int width = width_of(rounds);
    for (int r = 0; r < rounds->part->ranks; r++) {
        const int64_t count = rounds->in[r] / width;
        struct cgs_market_block *made;
        if (count == 0)
            continue;
        CGS_TRY(cgs_market_block_create(rounds->context, 0, count, width == 2, true, &made));
        for (int64_t k = 0; k < count; k++) {
            made->row[k] = (int32_t)(*numbers >> 32);
            made->column[k] = (int32_t)(*numbers++ & INT32_MAX);
            if (width == 2)
                memcpy(&made->value[k], numbers++, sizeof *numbers);
        }
        if (rounds->lists[r].last)
            rounds->lists[r].last->next = made;
        else
            rounds->lists[r].first = made;
        rounds->lists[r].last = made;
    }
    return CGS_OK;
}

/* Exchanges the entries of all ranks' blocks; a block may be NULL. The ranks agree on the
 * outcome. */
static enum cgs_status exchange(struct rounds *rounds, const struct cgs_market_block *block)
{
    struct cgs_context *context = rounds->context;
    struct cgs_comm *comm = context->comm;
    int64_t *out = NULL, *in = NULL;
    const int64_t going = count_out(rounds, block), coming = count_in(rounds);
    enum cgs_status status =
        cgs_alloc(context, going, sizeof *out, "entries for other ranks", (void **)&out);
    if (status == CGS_OK)
        status = cgs_alloc(context, coming, sizeof *in, "entries of other ranks", (void **)&in);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        pack(rounds, block, out);
        comm->ops->swap(comm, out, rounds->out, in, rounds->in);
        status = cgs_comm_agree(context, unpack(rounds, in));
    }
    cgs_free(context, in);
    cgs_free(context, out);
    return status;
}

/* Reads the range in rounds until no rank has any more. *sound = false: some line of some rank
 * is wrong. */
static enum cgs_status read_rounds(struct rounds *rounds, struct cgs_market_range *range,
                                   bool *sound)
{
    struct cgs_context *context = rounds->context;
    for (;;) {
        struct cgs_market_block *block = NULL;
        enum cgs_status status = cgs_comm_agree(context, cgs_market_range_next(range, &block));
        if (status == CGS_OK) {
            *sound = cgs_comm_most(context, !range->sound) == 0.0;
            if (!*sound || cgs_comm_most(context, block != NULL) == 0.0) {
                cgs_free(context, block);
                return CGS_OK;
            }
            status = exchange(rounds, block);
        }
        cgs_free(context, block);
        CGS_TRY(status);
    }
}

/* Returns true if the file as a whole is right, of which every rank knows a range. */
static bool judge(struct cgs_context *context, const struct cgs_market *market,
                  const struct cgs_market_range *range)
{
    const bool below = cgs_comm_most(context, range->below) != 0.0;
    const bool above = cgs_comm_most(context, range->above) != 0.0;
    return cgs_comm_sum(context, (double)range->entries) == (double)market->stored &&
           !(market->symmetry != CGS_MARKET_GENERAL && below && above);
}

/* Moves the blocks of all senders, in rank order, to *entries. */
static void join(struct rounds *rounds, struct cgs_market_entries *entries)
{
    struct cgs_market_block **tail = &entries->blocks;
    for (int r = 0; r < rounds->part->ranks; r++) {
        if (!rounds->lists[r].first)
            continue;
        *tail = rounds->lists[r].first;
        tail = &rounds->lists[r].last->next;
        rounds->lists[r] = (struct list){0};
    }
    for (const struct cgs_market_block *b = entries->blocks; b; b = b->next)
        cgs_market_part_count(rounds->part, rounds->market, b, &entries->kept);
}

static enum cgs_status open_rounds(struct rounds *rounds)
{
    const int ranks = rounds->part->ranks;
    struct cgs_context *context = rounds->context;
    CGS_TRY(cgs_alloc(context, ranks, sizeof *rounds->lists, "ranks' entries",
                      (void **)&rounds->lists));
    memset(rounds->lists, 0, (size_t)ranks * sizeof *rounds->lists);
    CGS_TRY(
        cgs_alloc(context, ranks, sizeof *rounds->out, "ranks' entries", (void **)&rounds->out));
    CGS_TRY(cgs_alloc(context, ranks, sizeof *rounds->in, "ranks' entries", (void **)&rounds->in));
    return cgs_alloc(context, ranks, sizeof *rounds->places, "ranks' entries",
                     (void **)&rounds->places);
}

static void close_rounds(struct rounds *rounds)
{
    struct cgs_context *context = rounds->context;
    for (int r = 0; rounds->lists && r < rounds->part->ranks; r++)
        cgs_market_entries_release(context,
                                   &(struct cgs_market_entries){.blocks = rounds->lists[r].first});
    cgs_free(context, rounds->lists);
    cgs_free(context, rounds->out);
    cgs_free(context, rounds->in);
    cgs_free(context, rounds->places);
}

/* Bytes of text that a rank reads in a round. */
static int64_t stretch_of(int ranks)
{
    const int64_t share = ROUND / ranks;
    return share < STRETCH_LEAST       ? STRETCH_LEAST
           : share > CGS_MARKET_BUFFER ? CGS_MARKET_BUFFER
                                       : share;
}

/* Opens what this rank reads: bytes begin ... end - 1, or all of a file that is packed. */
static enum cgs_status open_range(const struct cgs_market_text *text,
                                  const struct cgs_market *market, bool packed, int64_t begin,
                                  int64_t end, struct cgs_market_range *range)
{
    const struct cgs_comm *comm = text->context->comm;
    return packed && comm->rank == 0
               ? cgs_market_range_open_packed(text, market, range)
               : cgs_market_range_open(text, market, begin, end, stretch_of(comm->size), range);
}

enum cgs_status cgs_market_parts_read(struct cgs_market_text *text, const struct cgs_market *market,
                                      const struct cgs_market_part *part,
                                      struct cgs_market_entries *entries, int64_t *bytes,
                                      bool *done)
{
    struct cgs_context *context = text->context;
    struct rounds rounds = {.context = context, .market = market, .part = part};
    struct cgs_market_range range = {0};
    int64_t begin = 0, end = 0;
    bool sound;
    const bool packed = is_packed(text, market);
    *done = true;
    if (!packed)
        find_range(text, market, &begin, &end, done);
    if (!*done)
        return CGS_OK;
    enum cgs_status status = open_rounds(&rounds);
    if (status == CGS_OK)
        status = open_range(text, market, packed, begin, end, &range);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        status = read_rounds(&rounds, &range, &sound);
    if (status == CGS_OK) {
        if (sound)
            status = cgs_comm_agree(context, cgs_market_range_finish(&range));
        sound = cgs_comm_most(context, !sound || !range.sound) == 0.0;
        *bytes = (int64_t)cgs_comm_first_of(
            context, (double)(packed ? range.text.bytes : text->reader.bytes));
        *done = status == CGS_OK && sound && judge(context, market, &range);
        if (*done)
            join(&rounds, entries);
    }
    cgs_market_range_close(&range);
    close_rounds(&rounds);
    return status;
}
