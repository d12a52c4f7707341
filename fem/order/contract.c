/* z, y and x are contracted in turn, eight sums at a time in registers, in the order of the
 * summands. Blocks are whole: what they write beyond the end of a line, the next line overwrites,
 * and buffers have room behind the last one. */
#include "fem/order/contract.h"

#include <string.h>

#include "base/vectorise.h"

enum { WIDE = 8, POINTS = CGS_BASIS_POINTS };

/* WIDE numbers anywhere. */
typedef double block __attribute__((vector_size(WIDE * sizeof(double)), aligned(8)));

/* F_ij, and F_ij at [j][i], zeros behind it. */
struct matrix {
    int rows, columns;
    double by_rows[POINTS][POINTS], by_columns[POINTS][2 * WIDE];
};

/* Lines of a cell, with room for a block behind them. */
struct lines {
    double number[POINTS * POINTS * POINTS + WIDE];
};

/* out[i][o] = sum_j F_ij in[j][o], o < others. */
CGS_PIECE void contract_slowest(const struct matrix *f, int others, const double *restrict in,
                                double *restrict out)
{
    for (int i = 0; i < f->rows; i++)
        for (int begin = 0; begin < others; begin += WIDE) {
            block sum = {0.0};
            for (int j = 0; j < f->columns; j++)
                sum += f->by_rows[i][j] * *(const block *)(in + j * others + begin);
            *(block *)(out + i * others + begin) = sum;
        }
}

/* out[o][i] = sum_j F_ij in[o][j], o < others. */
CGS_PIECE void contract_fastest(const struct matrix *f, int others, const double *restrict in,
                                double *restrict out)
{
    for (int o = 0; o < others; o++)
        for (int begin = 0; begin < f->rows; begin += WIDE) {
            block sum = {0.0};
            for (int j = 0; j < f->columns; j++)
                sum += in[o * f->columns + j] * *(const block *)(f->by_columns[j] + begin);
            *(block *)(out + o * f->rows + begin) = sum;
        }
}

static CGS_CLONES void contract(const struct matrix f[3], bool adds, const double *in, double *out)
{
    const int x = f[0].columns, y = f[1].columns, z = f[2].columns;
    struct lines one, two;
    memcpy(one.number, in, (size_t)(z * y * x) * sizeof *in);
    memset(one.number + z * y * x, 0, WIDE * sizeof *in);
    contract_slowest(&f[2], y * x, one.number, two.number);
    for (int k = 0; k < f[2].rows; k++)
        contract_slowest(&f[1], x, two.number + k * y * x, one.number + k * f[1].rows * x);
    contract_fastest(&f[0], f[2].rows * f[1].rows, one.number, two.number);
    for (int i = 0; i < f[2].rows * f[1].rows * f[0].rows; i++)
        out[i] = adds ? out[i] + two.number[i] : two.number[i];
}

static void make_matrix(const struct cgs_basis *basis, const double (*factor)[CGS_NODES_MOST],
                        bool to_points, struct matrix *f)
{
    const int nodes = basis->order + 1, points = basis->points;
    *f = (struct matrix){.rows = to_points ? points : nodes, .columns = to_points ? nodes : points};
    for (int i = 0; i < f->rows; i++)
        for (int j = 0; j < f->columns; j++)
            f->by_rows[i][j] = f->by_columns[j][i] = to_points ? factor[i][j] : factor[j][i];
}

void cgs_order_contract(const struct cgs_basis *basis,
                        const double (*const factor[3])[CGS_NODES_MOST], bool to_points, bool adds,
                        const double *in, double *out)
{
    struct matrix f[3];
    for (int k = 0; k < 3; k++)
        make_matrix(basis, factor[k], to_points, &f[k]);
    contract(f, adds, in, out);
}
