/* CRS matrices in the memory of a device (kernels/sparse.h): there and back, borrowed rows,
 * transposes, memory that runs out. */
#include <stdio.h>

#include "matrix/layout.h"
#include "tests/support/sparse.h"

static const struct {
    int64_t rows, columns;
    enum lengths lengths;
} shapes[] = {
    {0, 0, ALL},
    {0, 5, ALL},
    {5, 0, ALL},
    {1, 1, ALL},
    {1, 1, NO_ENTRIES},
    {40, 30, NO_ENTRIES},
    {1, 3000, ALL},
    {3000, 1, ALL},
    {33, 65, ALL},
    {600, 601, FULL_ROW},
    {601, 600, FULL_COLUMN},
    {300, 200, THIRDS},
    {4000, 90, UP_TO_NINE},
    {90, 4000, UP_TO_NINE},
    {3000, 3000, HALVING},
    {100000, 70000, THREE},
    {4, 100000, FULL_ROW},
    {200000, 300, UP_TO_NINE},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static enum cgs_number number_of(int i)
{
    return (enum cgs_number)(i % CGS_NUMBERS);
}

static struct smmp shape_make(int i, char *words, size_t size)
{
    const int which = i / CGS_NUMBERS;
    snprintf(words, size, "%lld x %lld, %d", (long long)shapes[which].rows,
             (long long)shapes[which].columns, (int)shapes[which].lengths);
    return smmp_make(shapes[which].rows, shapes[which].columns, shapes[which].lengths, number_of(i),
                     (uint64_t)i);
}

LOOP_TEST(there_and_back, SHAPES *CGS_NUMBERS)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[number_of(_i)];
    char words[100];
    struct smmp m = shape_make(_i, words, sizeof words);
    struct cgs_sparse sent = sparse_send(&m, number_of(_i));
    for (int part = 0; part < 3; part++) {
        const int64_t first = part == 2 ? m.rows / 2 : 0, last = part == 1 ? m.rows / 2 : m.rows;
        const struct cgs_sparse rows = sparse_rows(&sent, number_of(_i), first, last);
        struct cgs_crs got = sparse_fetch(&rows, number_of(_i));
        ck_assert_int_eq(got.pointers[got.rows], m.start[last] - m.start[first]);
        crs_compare(words, &got, &m, first, 0.0, NULL);
        cgs_crs_release(&bed.context, &got);
    }
    ops->release(bed.queue, &sent);
    ck_assert_ptr_null(sent.pointers);
    ops->release(bed.queue, &sent);
    smmp_free(&m);
}

/* Transposes of the whole matrix and of its second half, on 1, 2 and 7 threads. */
LOOP_TEST(transposes, SHAPES *CGS_NUMBERS)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[number_of(_i)];
    const int threads[] = {1, 2, 7};
    char words[100];
    struct smmp m = shape_make(_i, words, sizeof words);
    struct cgs_sparse sent = sparse_send(&m, number_of(_i));
    for (int run = 0; run < 6; run++) {
        const int64_t first = run % 2 ? m.rows / 2 : 0;
        const struct cgs_sparse rows = sparse_rows(&sent, number_of(_i), first, m.rows);
        struct smmp part = m, right;
        part.rows = m.rows - first;
        part.start += first;
        struct cgs_sparse turned;
        bed.context.threads = threads[run / 2];
        must(ops->transpose(bed.queue, &rows, &turned));
        struct cgs_crs got = sparse_fetch(&turned, number_of(_i));
        ck_assert(smmp_transpose(&part, &right));
        ck_assert_int_eq(got.rows, m.columns);
        crs_compare(words, &got, &right, 0, 0.0, NULL);
        smmp_free(&right);
        cgs_crs_release(&bed.context, &got);
        ops->release(bed.queue, &turned);
    }
    ops->release(bed.queue, &sent);
    smmp_free(&m);
}

/* Draws and transposes with the nth allocation refused: CGS_MEMORY, nothing held. */
static enum cgs_status starved(const struct cgs_sparse_ops *ops, const struct cgs_matrix *matrix)
{
    struct cgs_sparse drawn = {.rows = -7}, turned = {.rows = -7};
    enum cgs_status status = ops->generate(bed.queue, matrix, &drawn);
    if (status != CGS_OK) {
        ck_assert_int_eq(drawn.rows, -7);
        return status;
    }
    status = ops->transpose(bed.queue, &drawn, &turned);
    ops->release(bed.queue, &drawn);
    if (status != CGS_OK)
        ck_assert_int_eq(turned.rows, -7);
    else
        ops->release(bed.queue, &turned);
    return status;
}

LOOP_TEST(memory_that_runs_out, CGS_NUMBERS)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[number_of(_i)];
    struct smmp m = smmp_make(500, 400, UP_TO_NINE, number_of(_i), 1);
    const struct plain plain = {m.rows, m.columns, m.start, m.column, m.value};
    const struct cgs_row_source source = plain_source(&plain);
    struct cgs_matrix matrix;
    must(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix));
    for (int place = CGS_HOST; place <= (int)bed.backend->place; place++) {
        const int64_t before = bed.context.host_bytes;
        enum cgs_status status = CGS_MEMORY;
        int64_t nth = 0;
        while (status != CGS_OK) {
            bed.context.starve_in[place] = ++nth;
            status = starved(ops, &matrix);
            bed.context.starve_in[place] = 0;
            ck_assert_msg(status == CGS_OK || status == CGS_MEMORY, "%s", bed.context.message);
            ck_assert_int_eq(bed.context.host_bytes, before);
            ck_assert_int_lt(nth, 100);
            bed_forgive();
        }
        if (place == (int)bed.backend->place)
            ck_assert_int_gt(nth, 6); /* two matrices of three arrays each */
    }
    cgs_matrix_release(&bed.context, &matrix);
    smmp_free(&m);
}

int main(void)
{
    return bed_tests("CRS on a device", 120);
}
