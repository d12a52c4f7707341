/* Padded rows of CRS (matrix/pad.c) and the tasks of long ones (kernels/spmv/crs/tasks.c), against
 * their definitions. */
#include <stdlib.h>
#include <string.h>

#include "kernels/spmv/crs/tasks.h"
#include "matrix/fill.h"
#include "matrix/layout.h"
#include "matrix/pad.h"
#include "tests/support/layout.h"

static void make(const struct cgs_row_source *source, int power, struct cgs_matrix *padded)
{
    struct cgs_matrix crs;
    must(cgs_matrix_create(&bed.context, source, CGS_CRS, 1, 1, &crs));
    must(cgs_matrix_pad(&bed.context, &crs, power, padded));
    cgs_matrix_release(&bed.context, &crs);
}

TEST(picture)
{
    static int64_t start[] = {0, 2, 4, 5, 8};
    static int32_t column[] = {1, 2, 0, 3, 2, 0, 2, 3};
    static double value[] = {3, 1, 4, 7, 6, 9, 5, 3};
    static const int64_t pointers[] = {0, 2, 4, 6, 10};
    static const int32_t padded_column[] = {1, 2, 0, 3, 2, 2, 0, 2, 3, 0};
    static const double padded_value[] = {3, 1, 4, 7, 6, 0, 9, 5, 3, 0};
    const struct plain plain = {4, 4, start, column, value};
    const struct cgs_row_source source = plain_source(&plain);
    struct cgs_matrix padded;
    make(&source, 1, &padded);
    layout_is(&padded, pointers, padded_column, padded_value);
    ck_assert_int_eq(padded.stored, 10);
    ck_assert_int_eq(padded.nonzeros, 8);
    cgs_matrix_release(&bed.context, &padded);
}

/* Rows first ... last - 1, drawn on their own. */
static void check_rows(const struct plain *plain, const struct cgs_matrix *padded, int64_t first,
                       int64_t last, enum cgs_number number)
{
    int32_t *columns;
    void *values;
    layout_draw(padded, first, last, number, &columns, &values);
    int64_t wrong = 0;
    for (int64_t i = first; i < last; i++) {
        const int64_t at = padded->pointers[i] - padded->pointers[first];
        const int64_t begin = plain->start[i], length = plain->start[i + 1] - begin;
        for (int64_t j = 0; j < padded->pointers[i + 1] - padded->pointers[i]; j++) {
            const double right = j < length ? plain->value[begin + j] : 0.0;
            const int32_t column = plain->column[begin + (j < length ? j : 0)];
            wrong += columns[at + j] != column;
            wrong += number == CGS_F64 ? ((double *)values)[at + j] != right
                                       : ((float *)values)[at + j] != (float)right;
        }
    }
    ck_assert_int_eq(wrong, 0);
    free(columns);
    free(values);
}

static void check_padded(const struct plain *plain, int power)
{
    const struct cgs_row_source source = plain_source(plain);
    const int64_t multiple = INT64_C(1) << power, before = bed.context.host_bytes;
    struct cgs_matrix padded;
    int64_t stored = 0;
    make(&source, power, &padded);
    ck_assert_int_eq(bed.context.host_bytes - before, (plain->rows + 1) * (int64_t)sizeof(int64_t));
    for (int64_t i = 0; i < plain->rows; i++) {
        const int64_t length = plain->start[i + 1] - plain->start[i];
        if (padded.pointers[i] != stored)
            ck_abort_msg("row %lld begins at %lld, not at %lld", (long long)i,
                         (long long)padded.pointers[i], (long long)stored);
        stored += (length + multiple - 1) / multiple * multiple;
    }
    ck_assert_int_eq(padded.pointers[plain->rows], stored);
    ck_assert_int_eq(padded.stored, stored);
    ck_assert_int_eq(padded.nonzeros, plain->start[plain->rows]);
    for (enum cgs_number number = 0; number < CGS_NUMBERS; number++) {
        check_rows(plain, &padded, 0, plain->rows, number);
        for (int64_t first = 0, step = 1; first < plain->rows; first += step, step = 3 * step + 1)
            check_rows(plain, &padded, first,
                       first + step < plain->rows ? first + step : plain->rows, number);
    }
    cgs_matrix_release(&bed.context, &padded);
    ck_assert_int_eq(bed.context.host_bytes, before);
}

LOOP_TEST(rows_by_definition, plain_cases())
{
    struct plain *plain = plain_make(_i, PLAIN_RANDOM);
    for (int threads = 1; threads <= 3; threads++) {
        bed.context.threads = threads;
        for (int power = 1; power < CGS_ROUNDINGS; power++)
            check_padded(plain, power);
    }
    plain_free(plain);
}

/* A row that comes longer than it was announced fits its padding, but is refused where it does not.
 */
static int32_t grown;

static void grown_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                          int32_t *lengths)
{
    (void)source;
    for (int64_t i = first; i < last; i++)
        lengths[i - first] = i == 1 ? grown : 3;
}

static void grown_fill(const struct cgs_row_source *source, int64_t first, int64_t last,
                       int32_t *columns, double *values)
{
    (void)source;
    for (int64_t i = first; i < last; i++)
        for (int32_t j = 0; j < (i == 1 ? grown : 3); j++) {
            *columns++ = j;
            *values++ = 1.0;
        }
}

TEST(rows_that_grow_are_refused)
{
    const struct cgs_row_source source = {
        .rows = 3, .columns = 9, .lengths = grown_lengths, .fill = grown_fill};
    struct cgs_matrix padded;
    int32_t columns[12];
    double values[12];
    grown = 2;
    make(&source, 2, &padded);
    ck_assert_int_eq(padded.stored, 12);
    grown = 5;
    ck_assert_int_eq(cgs_matrix_fill(&bed.context, &padded, 0, 3, CGS_F64, columns, values),
                     CGS_FILE);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "row 2 (counting from 1): 5 entries now"));
    bed_forgive();
    cgs_matrix_release(&bed.context, &padded);
}

/* Each long row is cut into tasks that follow each other, of whole segments and nearly one length.
 */
static void check_tasks(const struct cgs_matrix *padded)
{
    struct cgs_tasks tasks;
    int64_t rows = 0, count = 0;
    must(cgs_tasks_create(&bed.context, padded, &tasks));
    for (int64_t i = 0; i < padded->rows; i++) {
        const int64_t begin = padded->pointers[i], end = padded->pointers[i + 1];
        if (end - begin <= CGS_TASK_LONGEST)
            continue;
        ck_assert_int_lt(rows, tasks.rows);
        const struct cgs_split *row = &tasks.row[rows++];
        const int64_t parts = row[1].slot - row->slot;
        ck_assert_int_eq(row->row, i);
        ck_assert_int_eq(row->slot, count);
        int64_t at = begin, shortest = INT64_MAX, longest = 0;
        for (int64_t part = 0; part < parts; part++) {
            const struct cgs_task *task = &tasks.task[count++];
            ck_assert_int_eq(task->begin, at);
            ck_assert_int_eq(task->entries % CGS_SEGMENT, 0);
            at += task->entries;
            shortest = task->entries < shortest ? task->entries : shortest;
            longest = task->entries > longest ? task->entries : longest;
        }
        ck_assert_int_eq(at, end);
        ck_assert_int_gt(shortest, 0);
        ck_assert_int_le(longest - shortest, CGS_SEGMENT);
        ck_assert(longest <= CGS_TASK_LONGEST || parts == CGS_PARTS_MOST);
    }
    ck_assert_int_eq(rows, tasks.rows);
    ck_assert_int_eq(count, tasks.tasks);
    ck_assert_int_eq(tasks.row[rows].row, padded->rows);
    ck_assert_int_eq(tasks.row[rows].slot, count);
    ck_assert_int_le(count, cgs_tasks_most(padded));
    ck_assert_int_le(2 * rows, cgs_tasks_most(padded));
    cgs_tasks_release(&bed.context, &tasks);
}

LOOP_TEST(tasks_of_long_rows, plain_cases())
{
    struct plain *plain = plain_make(_i, PLAIN_RANDOM);
    const struct cgs_row_source source = plain_source(plain);
    struct cgs_matrix padded;
    make(&source, 4, &padded);
    check_tasks(&padded);
    cgs_matrix_release(&bed.context, &padded);
    plain_free(plain);
}

/* Rows on both sides of where they are cut, and one so long that its tasks grow. */
TEST(tasks_of_these_rows)
{
    enum { L = CGS_TASK_LONGEST, HUGE_ROW = L * CGS_PARTS_MOST + 16 * 1000 };
    static int64_t pointers[] = {0, 0, L, L + 16, 0, 16, 2 * L, 2 * L + 16, HUGE_ROW, 0, 32};
    enum { ROWS = sizeof pointers / sizeof *pointers - 1 };
    for (int i = 1; i <= ROWS; i++)
        pointers[i] += pointers[i - 1];
    const struct cgs_matrix padded = {.rows = ROWS,
                                      .pointers = pointers,
                                      .stored = pointers[ROWS],
                                      .statistics = {.longest = HUGE_ROW}};
    check_tasks(&padded);
}

int main(void)
{
    return bed_tests("padded", 300);
}
