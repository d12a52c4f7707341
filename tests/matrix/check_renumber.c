/* Rows of ranks, threads of this process, that METIS and Scotch distribute anew
 * (matrix/ranks/renumber.h): the same matrix under other numbers, parts of the sizes that were
 * asked for, fewer edges between them; left out where they are missing. Libraries that cannot be
 * used say so. */
#include "base/memory.h"
#include "matrix/ranks/cut.h"
#include "matrix/ranks/renumber.h"
#include "tests/matrix/market.h"
#include "tests/support/ranks.h"

enum { SIDE = 24, ROWS = SIDE * SIDE, UNIT = 32 };

/* Row i of a grid of SIDE x SIDE points, whose numbers are scattered: point 7 i mod ROWS. */
static int64_t point_of(int64_t i)
{
    return i * 7 % ROWS; /* 7 and ROWS have no common divisor */
}

static bool are_neighbours(int64_t p, int64_t q)
{
    return (p / SIDE == q / SIDE && (p - q == 1 || q - p == 1)) || p - q == SIDE || q - p == SIDE;
}

static double entry_of(int64_t i, int64_t j)
{
    const int64_t least = i < j ? i : j, most = i < j ? j : i;
    return i == j                                     ? 8.0
           : are_neighbours(point_of(i), point_of(j)) ? -cgs_random((uint64_t)(least * ROWS + most))
                                                      : 0.0;
}

/* Rows first ... first + count - 1, with a zero above the diagonal of the first row alone. */
static void make_rows(struct cgs_context *context, int64_t first, int64_t count,
                      struct cgs_crs *crs)
{
    int64_t at = 0;
    ck_assert_int_eq(cgs_crs_alloc(context, count, ROWS, 6 * count + 1, crs), CGS_OK);
    crs->first = first;
    crs->whole = ROWS;
    for (int64_t i = 0; i < count; i++) {
        crs->pointers[i] = at;
        for (int64_t j = 0; j < ROWS; j++)
            if (entry_of(first + i, j) != 0.0 || (first + i == 0 && j == ROWS - 1)) {
                crs->column[at] = (int32_t)j;
                crs->value[at++] = entry_of(first + i, j);
            }
    }
    crs->pointers[count] = at;
}

/* Edges from this rank's rows to others'. */
static int64_t edges_of(const struct cgs_crs *crs)
{
    int64_t edges = 0;
    for (int64_t k = 0; k < crs->pointers[crs->rows]; k++)
        edges += crs->column[k] < crs->first || crs->column[k] >= crs->first + crs->rows;
    return edges;
}

static void check_rows_of(const struct cgs_crs *crs, const struct cgs_renumbering *made)
{
    int32_t *row = must_have(ROWS * sizeof *row);
    char *seen = must_have(ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        ck_assert(made->place[i] >= 0 && made->place[i] < ROWS && !seen[made->place[i]]);
        seen[made->place[i]] = 1;
        row[made->place[i]] = (int32_t)i;
    }
    for (int64_t i = 0; i < crs->rows; i++) {
        const int64_t old = made->row[i];
        int64_t wanted = old == 0;
        ck_assert_int_eq(row[crs->first + i], old);
        ck_assert(i == 0 || made->row[i - 1] < old); /* the file's order within a part */
        for (int64_t j = 0; j < ROWS; j++)
            wanted += entry_of(old, j) != 0.0;
        ck_assert_int_eq(crs->pointers[i + 1] - crs->pointers[i], wanted);
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
            ck_assert(k == crs->pointers[i] || crs->column[k - 1] < crs->column[k]);
            ck_assert(crs->value[k] == entry_of(old, row[crs->column[k]]));
        }
    }
    free(seen);
    free(row);
}

static void distribute(struct cgs_context *context, void *user)
{
    struct cgs_renumbering made;
    struct cgs_crs crs;
    int64_t cuts[TEAM_MOST + 1];
    const struct cgs_partitioner *partitioner = user;
    const int rank = context->comm->rank, ranks = context->comm->size;
    cgs_portion_cut(ROWS, UNIT, ranks, cuts);
    const int64_t count = cuts[rank + 1] - cuts[rank];
    make_rows(context, cuts[rank], count, &crs);
    const double before = cgs_comm_sum(context, (double)edges_of(&crs));
    ck_assert_msg(cgs_renumber(context, partitioner, cuts, &crs, &made) == CGS_OK, "%s",
                  context->message);
    ck_assert_int_eq(crs.rows, count);
    check_rows_of(&crs, &made);
    ck_assert_double_lt(cgs_comm_sum(context, (double)edges_of(&crs)), before / 2);
    double *values = must_have((size_t)(count + 1) * sizeof *values);
    for (int64_t i = 0; i < count; i++)
        values[i] = (double)(cuts[rank] + i);
    ck_assert_int_eq(cgs_renumber_vector(context, cuts, &made, values), CGS_OK);
    for (int64_t i = 0; i < count; i++)
        ck_assert(values[i] == (double)made.row[i]);
    free(values);
    cgs_renumbering_release(context, &made);
    cgs_crs_release(context, &crs);
}

/* Returns true if the library is there. */
static bool is_there(const struct cgs_partitioner *partitioner)
{
    struct cgs_context context;
    int32_t start[] = {0, 1, 2}, neighbour[] = {1, 0}, part[2];
    const int64_t sizes[] = {1, 1};
    struct cgs_graph graph = {2, start, neighbour};
    cgs_context_init(&context);
    return cgs_partition(&context, partitioner, &graph, 2, sizes, part) == CGS_OK;
}

static const struct cgs_partitioner *const partitioners[] = {&cgs_metis, &cgs_scotch};
enum { PARTITIONERS = sizeof partitioners / sizeof *partitioners };

LOOP_TEST(same_matrix, 4)
{
    for (int i = 0; i < PARTITIONERS; i++) {
        struct cgs_partitioner partitioner = *partitioners[i];
        if (is_there(&partitioner))
            team_run(_i + 2, distribute, &partitioner);
    }
}

/* A library that is not there, and one that is no partitioner: the message has its package, or
 * its name. */
TEST(wrong_libraries)
{
    static const char *const absent[] = {"libcgsolve-none.so", NULL}, *const other[] = {"libc.so.6",
                                                                                        NULL};
    for (int i = 0; i < PARTITIONERS; i++) {
        struct cgs_partitioner partitioner = *partitioners[i];
        struct cgs_context context;
        struct cgs_graph graph = {0};
        cgs_context_init(&context);
        partitioner.libraries = absent;
        ck_assert_int_eq(cgs_partition(&context, &partitioner, &graph, 2, (int64_t[2]){0}, NULL),
                         CGS_DEVICE);
        ck_assert_ptr_nonnull(strstr(context.message, partitioner.packages));
        cgs_context_init(&context);
        partitioner.libraries = other;
        ck_assert_int_eq(cgs_partition(&context, &partitioner, &graph, 2, (int64_t[2]){0}, NULL),
                         CGS_DEVICE);
        ck_assert_ptr_nonnull(strstr(context.message, "lacks functions"));
    }
}

int main(void)
{
    if (!is_there(&cgs_metis) && !is_there(&cgs_scotch))
        puts("left out: there is neither METIS nor Scotch");
    return market_tests("renumber", 60);
}
