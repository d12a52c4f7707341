/* For tests of Matrix Market files: files made on the spot, and a matrix looked at. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "matrix/market/market.h"
#include "tests/support/support.h"

/* Checked fixtures: bed.context alone, on 2 threads, which holds nothing before and after. */
static inline void market_open(void)
{
    cgs_context_init(&bed.context);
    bed.context.threads = 2;
}

static inline void market_close(void)
{
    ck_assert_msg(bed.context.status == CGS_OK, "left: %s", bed.context.message);
    ck_assert_int_eq(bed.context.host_bytes, 0);
}

static inline int market_tests(const char *name, double seconds)
{
    return bed_run(suite_of(name, seconds, market_open, market_close));
}

/* A temporary file of that content, gone with made_end. */
struct made {
    char path[32];
};

static inline struct made made_file(const char *text, size_t size)
{
    struct made made = {"/tmp/cgs-market-XXXXXX"};
    const int file = mkstemp(made.path);
    ck_assert_int_ge(file, 0);
    FILE *stream = fdopen(file, "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fwrite(text, 1, size, stream), size);
    ck_assert_int_eq(fclose(stream), 0);
    return made;
}

static inline struct made made_text(const char *text)
{
    return made_file(text, strlen(text));
}

static inline void made_end(const struct made *made)
{
    ck_assert_int_eq(unlink(made->path), 0);
}

/* Pointers monotone, columns in range and strictly ascending, numbers finite. (One assert a row:
 * Check's cost time.) */
static inline void check_rows(const struct cgs_crs *crs)
{
    ck_assert_int_eq(crs->pointers[0], 0);
    for (int64_t i = 0; i < crs->rows; i++) {
        int64_t before = -1;
        bool right = crs->pointers[i] <= crs->pointers[i + 1];
        for (int64_t k = crs->pointers[i]; right && k < crs->pointers[i + 1]; k++) {
            right = crs->column[k] > before && isfinite(crs->value[k]);
            before = crs->column[k];
        }
        if (!right || before >= crs->columns)
            ck_abort_msg("row %lld is wrong", (long long)i);
    }
}

static inline void check_same(const struct cgs_crs *a, const struct cgs_crs *b)
{
    ck_assert_int_eq(a->rows, b->rows);
    ck_assert_int_eq(a->columns, b->columns);
    ck_assert_mem_eq(a->pointers, b->pointers, (size_t)(a->rows + 1) * sizeof *a->pointers);
    const size_t count = (size_t)a->pointers[a->rows];
    ck_assert_mem_eq(a->column, b->column, count * sizeof *a->column);
    ck_assert_mem_eq(a->value, b->value, count * sizeof *a->value);
    ck_assert_mem_eq(&a->norm, &b->norm, sizeof a->norm);
    ck_assert(a->symmetric == b->symmetric);
}

/* Any finite double, of all sizes. */
static inline double made_double(uint64_t i)
{
    double value;
    const uint64_t bits = cgs_splitmix64(i);
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.1 * (double)i;
}

/* ---- long files ---- */

/* `entries` random ones in an n x n file, a comment and an empty line now and then. Lines 4 + k and
 * so on are not one entry each; where[k] is entry k's line. Many stand at one place. */
struct lines {
    char *text;
    size_t size;
    int64_t *where;
};

static inline struct lines make_lines(const char *symmetry, int64_t n, int64_t entries,
                                      int64_t declared)
{
    struct lines lines = {.where = must_have((size_t)(entries + 1) * sizeof(int64_t))};
    FILE *file = open_memstream(&lines.text, &lines.size);
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real %s\n%% made\n%lld %lld %lld\n", symmetry,
            (long long)n, (long long)n, (long long)declared);
    int64_t line = 4;
    for (int64_t k = 0; k < entries; k++) {
        const uint64_t draw = cgs_splitmix64((uint64_t)k);
        int64_t row = (int64_t)(draw % (uint64_t)n), column = (int64_t)((draw >> 32) % (uint64_t)n);
        if (*symmetry == 's' && row < column) {
            const int64_t other = row;
            row = column;
            column = other;
        }
        if (draw % 97 == 0) {
            fputs(draw & 1024 ? "  % in between\n" : " \t\n", file);
            line++;
        }
        const bool diagonal = symmetry[1] == 'k' && row == column;
        fprintf(file, "%lld %lld %.17g\n", (long long)row + 1, (long long)column + 1,
                diagonal ? 0.0 : cgs_random(draw));
        lines.where[k] = line++;
    }
    lines.where[entries] = line;
    ck_assert_int_eq(fclose(file), 0);
    return lines;
}

static inline void lines_end(struct lines *lines)
{
    free(lines->text);
    free(lines->where);
}
