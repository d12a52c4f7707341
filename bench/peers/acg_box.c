/* The box's matrix in the binary format of aCG (bench/peers/acg): the Q1 Laplacian of N^3 interior
 * nodes with homogeneous boundary values, as cgsolve --save-matrix writes it, entries of value 0
 * included.
 *
 *     acg_box N MATRIX PARTITION
 *
 * The format (aCG's mtxfile_fwrite_double): header and sizes of a Matrix Market file as text, then
 * all rows, all columns (int32, from 1) and all values (double). Written is the lower triangle row
 * by row: 14 entries in most rows. PARTITION, a vector of int32, gives the lower half of the planes
 * to part 1, the upper half to part 2.
 *
 * A row's entries depend on the distance of two nodes alone: 8/3 h on the diagonal, 0 across a
 * face, -1/6 h across an edge, -1/12 h across a corner of the cells' 2x2x2 neighbourhood; h = 1/(N
 * + 1).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entries {
    int32_t *row, *column;
    double *value;
};

static int64_t pairs(int64_t n)
{
    return 3 * n - 2; /* (i, j) with |i - j| <= 1 */
}

/* Entries of the lower triangle in the planes below z: as many as in their rows up to the
 * diagonal. */
static int64_t entries_below(int64_t n, int64_t z)
{
    const int64_t plane = pairs(n) * pairs(n), within = (plane + n * n) / 2;
    return z == 0 ? 0 : z * within + (z - 1) * plane;
}

/* The plane z of the lower triangle, at its place. */
static void fill_plane(int64_t n, int64_t z, struct entries e)
{
    const double h = 1.0 / (double)(n + 1),
                 by_distance[] = {8.0 / 3 * h, 0.0, -1.0 / 6 * h, -1.0 / 12 * h};
    int64_t k = entries_below(n, z);
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < n; x++) {
            const int64_t row = (z * n + y) * n + x;
            for (int64_t c = z > 0 ? -1 : 0; c <= 0; c++)
                for (int64_t b = y > 0 ? -1 : 0; b <= (y < n - 1); b++)
                    for (int64_t a = x > 0 ? -1 : 0; a <= (x < n - 1); a++) {
                        const int64_t column = row + (c * n + b) * n + a;
                        if (column > row)
                            continue;
                        e.row[k] = (int32_t)(row + 1);
                        e.column[k] = (int32_t)(column + 1);
                        e.value[k++] = by_distance[labs(a) + labs(b) + labs(c)];
                    }
        }
}

static int write_all(FILE *file, const void *data, size_t size, int64_t count)
{
    return fwrite(data, size, (size_t)count, file) == (size_t)count;
}

int main(int argc, char **argv)
{
    const int64_t n = argc == 4 ? atoll(argv[1]) : 0, rows = n * n * n, count = entries_below(n, n);
    if (n < 1 || rows > INT32_MAX) {
        fprintf(stderr, "usage: acg_box N MATRIX PARTITION\n");
        return 1;
    }
    struct entries e = {malloc((size_t)count * sizeof *e.row),
                        malloc((size_t)count * sizeof *e.column),
                        malloc((size_t)count * sizeof *e.value)};
    int32_t *part = malloc((size_t)rows * sizeof *part);
    FILE *matrix = fopen(argv[2], "wb"), *partition = fopen(argv[3], "wb");
    if (!e.row || !e.column || !e.value || !part || !matrix || !partition) {
        perror("acg_box");
        return 1;
    }

#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < n; z++)
        fill_plane(n, z, e);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++)
        part[i] = i / (n * n) < n / 2 ? 1 : 2;

    fprintf(matrix, "%%%%MatrixMarket matrix coordinate real symmetric\n%lld %lld %lld\n",
            (long long)rows, (long long)rows, (long long)count);
    fprintf(partition, "%%%%MatrixMarket vector array integer general\n%lld\n", (long long)rows);
    if (!write_all(matrix, e.row, sizeof *e.row, count) ||
        !write_all(matrix, e.column, sizeof *e.column, count) ||
        !write_all(matrix, e.value, sizeof *e.value, count) ||
        !write_all(partition, part, sizeof *part, rows) || fclose(matrix) || fclose(partition)) {
        perror("acg_box");
        return 1;
    }
    printf("%lld rows, %lld entries, of them %lld written\n", (long long)rows,
           (long long)(pairs(n) * pairs(n) * pairs(n)), (long long)count);
    return 0;
}
