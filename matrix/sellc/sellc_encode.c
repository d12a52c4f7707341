/* Compresses a matrix, piece by piece.
 *
 * A piece of chunks is generated as SELL into a buffer that (nearly) stays in cache. All threads
 * find the best coding of its chunks; then one thread looks the patterns up in order, so that the
 * lists are the same for any number of threads, and lays the data out; then all threads write.
 */
#include "base/integers.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/block.h"
#include "matrix/fill.h"
#include "matrix/names.h"
#include "matrix/sellc/sellc_chunk.h"
#include "matrix/sellc/sellc_encode.h"
#include "matrix/unique.h"

enum { PIECE = 1 << 21, CHUNKS = 1 << 16 }; /* entries and chunks of a piece, at most */

/* The state of one encoding. */
struct job {
    struct cgs_context *context;
    const struct cgs_matrix *matrix;
    const struct cgs_sellc_sink *sink;
    struct cgs_sellc made;
    struct cgs_value_table table;
    struct cgs_unique patterns, masks;
    /* of a piece */
    int64_t entries, chunks; /* at most */
    int32_t *columns;
    void *values;
    struct cgs_sellc_found *found;
    struct cgs_sellc_slot *slots; /* room for the diagonals of its chunks */
    uint32_t *slot_masks;
};

/* ---- how much memory ---- */

/* Bytes that aligning the two parts of a chunk takes, at most. */
enum { RESTS = 2 * CGS_SELLC_ALIGNMENT };

/* Upper bound of the entries of a piece of `most`: at least one chunk. */
static int64_t entries_of(const struct cgs_matrix *matrix, int64_t most)
{
    const int64_t widest = cgs_bytes(matrix->statistics.longest, matrix->chunk);
    return cgs_least(widest > most ? widest : most, matrix->stored);
}

static int64_t piece_entries(const struct cgs_matrix *matrix)
{
    return entries_of(matrix, PIECE);
}

static int64_t piece_slots(const struct cgs_matrix *matrix)
{
    return matrix->chunk < CGS_SELLC_CHUNK_LEAST ? 0 : 2 * piece_entries(matrix) / matrix->chunk;
}

/* Upper bound of the slots of all chunks: their widths, or the diagonals of the matrix. */
static int64_t slots_most(const struct cgs_matrix *matrix)
{
    return matrix->diagonals > 0 ? cgs_bytes(matrix->units, matrix->diagonals)
                                 : matrix->stored / matrix->chunk;
}

/* Upper bound of the different entries: a star of equal cells of order p has p + 2 masses on a line
 * at most, and as many rows of 2 p + 1 entries, which two masses multiply; and sums of three. */
static int64_t values_most(const struct cgs_matrix *matrix)
{
    const int64_t p = matrix->repeats;
    return p > 0 ? 3 * (p + 2) * (p + 2) * (p + 2) * (2 * p + 2) : matrix->nonzeros;
}

static bool told_by_diagonals(const struct cgs_matrix *matrix)
{
    return matrix->diagonals > 0 && matrix->chunk >= CGS_SELLC_CHUNK_LEAST;
}

/* Returns a bound of the data of all chunks: diagonals, unless SELL itself takes less, as where
 * rows of a chunk have few of the matrix's diagonals. */
static int64_t data_expected(const struct cgs_matrix *matrix, enum cgs_number number)
{
    const int64_t value = cgs_number_bytes(number);
    const int64_t plain = cgs_bytes(matrix->stored, value + (int64_t)sizeof(int32_t));
    if (!told_by_diagonals(matrix))
        return plain;
    if (matrix->repeats > 0) /* codes of 16 bits */
        return cgs_bytes(slots_most(matrix), matrix->chunk * (int64_t)sizeof(uint16_t)) +
               cgs_bytes(matrix->units, CGS_SELLC_ALIGNMENT);
    return matrix->constant
               ? 0
               : cgs_least(plain + cgs_bytes(matrix->units, RESTS),
                           cgs_bytes(cgs_bytes(slots_most(matrix), matrix->chunk), value));
}

int64_t cgs_sellc_bytes_expected(const struct cgs_matrix *matrix, enum cgs_number number)
{
    return data_expected(matrix, number) + cgs_bytes(matrix->units, sizeof(struct cgs_sellc_chunk));
}

void cgs_sellc_plan(const struct cgs_matrix *matrix, enum cgs_number number, enum cgs_place place,
                    struct cgs_plan *plan)
{
    const int64_t value = cgs_number_bytes(number), slots = slots_most(matrix);
    const int64_t slot = sizeof(struct cgs_sellc_slot) + sizeof(uint32_t);
    const bool few = told_by_diagonals(matrix);
    const int64_t rests = few ? 0 : cgs_bytes(matrix->units, RESTS);
    cgs_plan_add(plan, place, "matrix, compressed", data_expected(matrix, number) + rests, 1);
    cgs_plan_add(plan, place, "matrix chunks", matrix->units, sizeof(struct cgs_sellc_chunk));
    /* repeated patterns are kept once: rows of a mesh differ by the position of chunks in its
     * lines */
    cgs_plan_add(plan, place, "matrix patterns", few ? cgs_least(slots, 64 << 10) : slots, slot);
    cgs_plan_add_passing(plan, "matrix, a piece to compress", piece_entries(matrix), value + 4);
    cgs_plan_add_passing(plan, "matrix, patterns of a piece", piece_slots(matrix), slot);
    cgs_plan_add_passing(plan, "matrix, table of values", 1,
                         cgs_value_table_bytes(values_most(matrix)));
    if (place != CGS_HOST) {
        cgs_plan_add(plan, CGS_HOST, "matrix chunks", matrix->units,
                     sizeof(struct cgs_sellc_chunk));
        cgs_plan_add(plan, CGS_HOST, "matrix patterns", few ? cgs_least(slots, 64 << 10) : slots,
                     slot);
    }
}

static enum cgs_status make_room(struct job *job)
{
    const struct cgs_matrix *matrix = job->matrix;
    struct cgs_context *context = job->context;
    const int64_t slots = piece_slots(matrix);
    job->entries = piece_entries(matrix);
    job->chunks = cgs_least(CHUNKS, matrix->units);
    CGS_TRY(cgs_alloc(context, matrix->units, sizeof *job->made.chunks, "matrix chunks",
                      (void **)&job->made.chunks));
    CGS_TRY(cgs_alloc(context, job->entries, sizeof *job->columns, "piece of the matrix",
                      (void **)&job->columns));
    CGS_TRY(cgs_alloc(context, job->entries, (size_t)cgs_number_bytes(job->made.number),
                      "piece of the matrix", &job->values));
    CGS_TRY(cgs_alloc(context, job->chunks, sizeof *job->found, "chunks of a piece",
                      (void **)&job->found));
    CGS_TRY(cgs_alloc(context, slots, sizeof *job->slots, "diagonals of a piece",
                      (void **)&job->slots));
    CGS_TRY(cgs_alloc(context, slots, sizeof *job->slot_masks, "diagonals of a piece",
                      (void **)&job->slot_masks));
    CGS_TRY(cgs_unique_start(context, sizeof(struct cgs_sellc_slot), 0, &job->patterns));
    return cgs_unique_start(context, sizeof(uint32_t), 1, &job->masks); /* 0 means: none */
}

static void give_back(struct job *job)
{
    struct cgs_context *context = job->context;
    cgs_free(context, job->columns);
    cgs_free(context, job->values);
    cgs_free(context, job->found);
    cgs_free(context, job->slots);
    cgs_free(context, job->slot_masks);
    cgs_unique_release(context, &job->patterns);
    cgs_unique_release(context, &job->masks);
    cgs_value_table_release(context, &job->table);
}

/* ---- a piece ---- */

/* View of chunk k of the generated piece that begins with chunk `first`. */
static struct cgs_sellc_view view_of(const struct job *job, int64_t first, int64_t k)
{
    const struct cgs_matrix *matrix = job->matrix;
    const int64_t chunk = matrix->chunk, at = matrix->pointers[k] - matrix->pointers[first];
    const int64_t place = k * chunk, there = cgs_least(chunk, matrix->rows - place);
    struct cgs_sellc_view view = {
        .chunk = matrix->chunk,
        .width = (matrix->pointers[k + 1] - matrix->pointers[k]) / chunk,
        .columns = job->columns + at,
        .values = (const char *)job->values + at * cgs_number_bytes(job->made.number),
        .number = job->made.number,
        .numbered = matrix->rows < INT32_MAX,
    };
    cgs_matrix_lengths(matrix, place, place + there, view.lengths);
    for (int64_t r = 0; r < there; r++)
        view.rows[r] = (int32_t)cgs_row_at(matrix, place + r);
    return view;
}

static void analyse_piece(const struct job *job, int64_t first, int64_t last)
{
    const struct cgs_matrix *matrix = job->matrix;
#pragma omp parallel for num_threads(job->context->threads) schedule(static)
    for (int64_t k = first; k < last; k++) {
        const struct cgs_sellc_view view = view_of(job, first, k);
        const int64_t slot =
            matrix->chunk < CGS_SELLC_CHUNK_LEAST
                ? 0
                : 2 * (matrix->pointers[k] - matrix->pointers[first]) / matrix->chunk;
        struct cgs_sellc_found *found = &job->found[k - first];
        *found =
            (struct cgs_sellc_found){.pattern = job->slots + slot, .masks = job->slot_masks + slot};
        cgs_sellc_analyse(&view, &job->table, found);
    }
}

static void write_piece(const struct job *job, int64_t first, int64_t last, char *data,
                        uint64_t address)
{
#pragma omp parallel for num_threads(job->context->threads) schedule(static)
    for (int64_t k = first; k < last; k++) {
        const struct cgs_sellc_found *found = &job->found[k - first];
        const struct cgs_sellc_view view = view_of(job, first, k);
        if (found->bytes > 0)
            cgs_sellc_write(&view, &job->table, found,
                            data + (cgs_sellc_address(job->made.chunks[k]) - address));
    }
}

static enum cgs_status too_many_patterns(struct cgs_context *context)
{
    return cgs_fail(
        context, CGS_USAGE,
        "the matrix has more than 2^32 slots of different patterns: take \1format=sell");
}

/* Puts patterns and masks of the piece's chunks into the lists; *bytes: of its data. */
static enum cgs_status look_up(struct job *job, int64_t first, int64_t last, int64_t *bytes)
{
    struct cgs_sellc *made = &job->made;
    *bytes = 0;
    for (int64_t k = first; k < last; k++) {
        const struct cgs_sellc_found *found = &job->found[k - first];
        int64_t pattern = found->slots, masks = 0;
        uint64_t diagonals = 0;
        if (found->way == CGS_SELLC_DIAGONALS && found->slots > 0) {
            diagonals = (uint64_t)found->slots;
            CGS_TRY(cgs_unique_find(job->context, &job->patterns, found->pattern_hash,
                                    found->pattern, found->slots, &pattern));
            if (found->masked)
                CGS_TRY(cgs_unique_find(job->context, &job->masks, found->masks_hash, found->masks,
                                        found->slots, &masks));
        }
        if (pattern > UINT32_MAX || masks > UINT32_MAX)
            return too_many_patterns(job->context);
        made->chunks[k] = (struct cgs_sellc_chunk){
            .data = (uint64_t)found->way | (uint64_t)found->coding << 2 | diagonals << 52,
            .pattern = (uint32_t)pattern,
            .masks = (uint32_t)masks};
        made->told += found->slots * made->chunk;
        made->of_way[found->way]++;
        made->of_coding[found->coding]++;
        *bytes += found->bytes;
    }
    return CGS_OK;
}

/* Sets the address of each chunk's data. */
static void place_piece(struct job *job, int64_t first, int64_t last, uint64_t address)
{
    assert(address % CGS_SELLC_ALIGNMENT == 0 && address >> 52 == 0);
    for (int64_t k = first; k < last; k++) {
        job->made.chunks[k].data |= address;
        address += (uint64_t)job->found[k - first].bytes;
    }
}

static enum cgs_status encode_piece(struct job *job, int64_t first, int64_t last)
{
    int64_t bytes;
    void *data;
    uint64_t address;
    CGS_TRY(cgs_matrix_fill(job->context, job->matrix, first, last, job->made.number, job->columns,
                            job->values));
    analyse_piece(job, first, last);
    CGS_TRY(look_up(job, first, last, &bytes));
    if (bytes == 0)
        return CGS_OK;
    job->made.data_bytes += bytes;
    CGS_TRY(job->sink->room(job->sink->self, bytes, &data, &address));
    place_piece(job, first, last, address);
    write_piece(job, first, last, data, address);
    return job->sink->done(job->sink->self, bytes);
}

/* End of the piece that begins with `first`. */
static int64_t piece_end(const struct job *job, int64_t first)
{
    const int64_t *pointers = job->matrix->pointers;
    int64_t low = first + 1, high = cgs_least(first + job->chunks, job->matrix->units);
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (pointers[middle] - pointers[first] <= job->entries)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- the whole ---- */

/* Converts the table to the matrix's number type, and the lists to their final size. */
static enum cgs_status take_lists(struct job *job)
{
    struct cgs_sellc *made = &job->made;
    const int64_t size = cgs_number_bytes(made->number);
    const bool coded = made->of_coding[CGS_SELLC_CODES8] + made->of_coding[CGS_SELLC_CODES16] > 0;
    made->table_count = coded ? job->table.count : 0;
    CGS_TRY(
        cgs_alloc(job->context, made->table_count, (size_t)size, "table of values", &made->table));
    for (int64_t i = 0; i < made->table_count; i++)
        cgs_value_put(made->number, made->table, i, job->table.values[i]);
    made->slot_count = job->patterns.count;
    made->mask_count = job->masks.count;
    CGS_TRY(cgs_unique_take(job->context, &job->patterns, (void **)&made->slots));
    return cgs_unique_take(job->context, &job->masks, (void **)&made->masks);
}

static enum cgs_status encode_all(struct job *job)
{
    CGS_TRY(make_room(job));
    CGS_TRY(cgs_value_table_make(job->context, job->matrix->source, job->made.number, &job->table));
    for (int64_t first = 0, last; first < job->matrix->units; first = last) {
        last = piece_end(job, first);
        CGS_TRY(encode_piece(job, first, last));
    }
    return take_lists(job);
}

enum cgs_status cgs_sellc_accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    if (matrix->chunk <= CGS_SELLC_CHUNK_MOST)
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE, "chunk %d: chunks of compressed SELL have at most %d rows",
                    (int)matrix->chunk, CGS_SELLC_CHUNK_MOST);
}

enum cgs_status cgs_sellc_encode(struct cgs_context *context, const struct cgs_matrix *matrix,
                                 enum cgs_number number, const struct cgs_sellc_sink *sink,
                                 struct cgs_sellc *out)
{
    CGS_TRY(cgs_sellc_accepts(context, matrix));
    const enum cgs_phase before = cgs_stopwatch_enter(&context->watch, CGS_PHASE_CONVERT);
    struct job job = {.context = context,
                      .matrix = matrix,
                      .sink = sink,
                      .made = {.number = number, .chunk = matrix->chunk, .units = matrix->units}};
    const enum cgs_status status = encode_all(&job);
    give_back(&job);
    if (status == CGS_OK)
        *out = job.made;
    else
        cgs_sellc_release(context, &job.made);
    cgs_stopwatch_enter(&context->watch, before);
    return status;
}

/* ---- new values ---- */

enum { RENEWED = 1 << 18 }; /* entries of a piece whose values are renewed, at most */

/* Returns the coding that chunk k has. */
static struct cgs_sellc_found found_of(const struct cgs_sellc *made, int64_t k)
{
    const struct cgs_sellc_chunk chunk = made->chunks[k];
    const bool diagonals = cgs_sellc_way_of(chunk) == CGS_SELLC_DIAGONALS;
    return (struct cgs_sellc_found){.way = cgs_sellc_way_of(chunk),
                                    .coding = cgs_sellc_coding_of(chunk),
                                    .masked = chunk.masks != 0,
                                    .slots = cgs_sellc_width(chunk),
                                    .pattern = diagonals ? made->slots + chunk.pattern : NULL,
                                    .masks = made->masks + chunk.masks};
}

/* Takes the values of patterns from the first chunk of the matrix that has them; taken: slots that
 * begin a pattern and have been taken. */
static void take_patterns(const struct job *job, int64_t first, int64_t last, bool *taken)
{
    for (int64_t k = first; k < last; k++) {
        const struct cgs_sellc_found found = found_of(&job->made, k);
        if (!found.pattern || found.coding != CGS_SELLC_SAME || found.slots == 0 ||
            taken[found.pattern - job->made.slots])
            continue;
        const struct cgs_sellc_view view = view_of(job, first, k);
        cgs_sellc_take_values(&view, &found);
        taken[found.pattern - job->made.slots] = true;
    }
}

/* Writes the values of a piece. Returns false if they do not fit. */
static bool rewrite_piece(const struct job *job, int64_t first, int64_t last)
{
    bool fits = true;
#pragma omp parallel for num_threads(job->context->threads) schedule(static) reduction(&& : fits)
    for (int64_t k = first; k < last; k++) {
        const struct cgs_sellc_found found = found_of(&job->made, k);
        const struct cgs_sellc_view view = view_of(job, first, k);
        void *data = (void *)(uintptr_t)cgs_sellc_address(job->made.chunks[k]);
        fits = (found.slots == 0 || cgs_sellc_rewrite(&view, &found, data)) && fits;
    }
    return fits;
}

static enum cgs_status renew_all(struct job *job, bool *taken, bool *renewed)
{
    const struct cgs_matrix *matrix = job->matrix;
    bool fits = true;
    memset(taken, 0, (size_t)job->made.slot_count * sizeof *taken);
    for (int64_t first = 0, last; fits && first < matrix->units; first = last) {
        last = piece_end(job, first);
        CGS_TRY(cgs_matrix_fill(job->context, matrix, first, last, job->made.number, job->columns,
                                job->values));
        take_patterns(job, first, last, taken);
        fits = rewrite_piece(job, first, last);
    }
    *renewed = fits;
    return CGS_OK;
}

enum cgs_status cgs_sellc_renew(struct cgs_context *context, const struct cgs_matrix *matrix,
                                const struct cgs_sellc *sellc, bool *renewed)
{
    struct job job = {.context = context,
                      .matrix = matrix,
                      .made = *sellc,
                      .entries = entries_of(matrix, RENEWED),
                      .chunks = cgs_least(CHUNKS, matrix->units)};
    bool *taken = NULL;
    *renewed = false;
    if (sellc->table_count > 0)
        return CGS_OK;
    const enum cgs_phase before = cgs_stopwatch_enter(&context->watch, CGS_PHASE_CONVERT);
    enum cgs_status status = cgs_alloc(context, job.entries, sizeof *job.columns,
                                       "piece of the matrix", (void **)&job.columns);
    if (status == CGS_OK)
        status = cgs_alloc(context, job.entries, (size_t)cgs_number_bytes(sellc->number),
                           "piece of the matrix", &job.values);
    if (status == CGS_OK)
        status = cgs_alloc(context, sellc->slot_count, sizeof *taken, "patterns of the matrix",
                           (void **)&taken);
    if (status == CGS_OK)
        status = renew_all(&job, taken, renewed);
    cgs_free(context, taken);
    cgs_free(context, job.values);
    cgs_free(context, job.columns);
    cgs_stopwatch_enter(&context->watch, before);
    return status;
}

void cgs_sellc_release(struct cgs_context *context, struct cgs_sellc *sellc)
{
    cgs_free(context, sellc->chunks);
    cgs_free(context, sellc->slots);
    cgs_free(context, sellc->masks);
    cgs_free(context, sellc->table);
    *sellc = (struct cgs_sellc){.units = 0};
}

int64_t cgs_sellc_bytes(const struct cgs_sellc *sellc)
{
    return sellc->units * (int64_t)sizeof *sellc->chunks + sellc->data_bytes +
           sellc->slot_count * (int64_t)sizeof *sellc->slots +
           sellc->mask_count * (int64_t)sizeof *sellc->masks +
           sellc->table_count * cgs_number_bytes(sellc->number);
}

/* ---- storage in host memory ---- */

/* Data of one piece, after a header of one cache line. */
struct cgs_sellc_block {
    struct cgs_sellc_block *next;
};

static enum cgs_status store_room(void *self, int64_t bytes, void **write, uint64_t *address)
{
    struct cgs_sellc_store *store = self;
    struct cgs_sellc_block *block;
    CGS_TRY(
        cgs_alloc(store->context, bytes + CGS_ALIGNMENT, 1, "matrix, compressed", (void **)&block));
    block->next = store->blocks;
    store->blocks = block;
    *write = (char *)block + CGS_ALIGNMENT;
    *address = (uint64_t)(uintptr_t)*write;
    return CGS_OK;
}

static enum cgs_status store_done(void *self, int64_t bytes)
{
    (void)self, (void)bytes;
    return CGS_OK;
}

struct cgs_sellc_sink cgs_sellc_into(struct cgs_sellc_store *store)
{
    return (struct cgs_sellc_sink){.self = store, .room = store_room, .done = store_done};
}

void cgs_sellc_store_release(struct cgs_sellc_store *store)
{
    for (struct cgs_sellc_block *block = store->blocks, *next; block; block = next) {
        next = block->next;
        cgs_free(store->context, block);
    }
    store->blocks = NULL;
}
