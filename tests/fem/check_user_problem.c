/* Problems of the user's own: matrices with free faces, load, errors, balance, refusals. */
#include "fem/user_problem/user_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fem/assembly.h"
#include "fem/diagonal.h"
#include "fem/errors.h"
#include "fem/problem.h"
#include "fem/rows.h"
#include "fem/user_problem/balance.h"
#include "fem/user_problem/errors.h"
#include "fem/user_problem/load.h"
#include "fem/user_problem/settle.h"
#include "matrix/matrix.h"
#include "tests/support/rows.h"

static const double SIZE[3] = {1.0, 2.0, 0.5};

/* ---- making problems ---- */

static struct cgs_expression *expression(struct cgs_context *context, const char *text)
{
    static const char *const names[] = CGS_USER_VARIABLE_NAMES;
    struct cgs_expression *made = NULL;
    if (!text)
        return NULL;
    ck_assert_msg(cgs_expression_create(context, "--test", text, names, CGS_USER_FACE_VARIABLES,
                                        NULL, &made) == CGS_OK,
                  "%s", context->message);
    return made;
}

/* A condition of a face as a letter: v, f, t. */
struct texts {
    bool graded;
    const char *conditions; /* x low, x high, y low, ... */
    const char *exact, *source, *kappa, *value, *flux, *transfer, *ambient, *reaction;
};

static struct cgs_user_problem user_of(struct cgs_context *context, const struct texts *t)
{
    struct cgs_user_problem user = {.source = expression(context, t->source),
                                    .exact = expression(context, t->exact),
                                    .kappa = expression(context, t->kappa),
                                    .reaction = expression(context, t->reaction)};
    for (int f = 0; f < 6; f++) {
        struct cgs_user_face *face = &user.face[f / 2][f % 2];
        switch (t->conditions[f]) {
        case 'f':
            face->condition = CGS_FACE_FLUX;
            face->value = expression(context, t->flux);
            break;
        case 't':
            face->condition = CGS_FACE_TRANSFER;
            face->value = expression(context, t->ambient);
            face->transfer = expression(context, t->transfer);
            break;
        default:
            face->condition = CGS_FACE_VALUE;
            face->value = expression(context, t->value);
        }
    }
    return user;
}

/* Makes the cells grow or shrink: in each direction by another ratio. */
static void grade(struct cgs_context *context, struct cgs_user_problem *user,
                  const int64_t cells[3])
{
    static const double ratio[3] = {4.0, 0.3, 2.0};
    for (int k = 0; k < 3; k++) {
        void *x;
        ck_assert_int_eq(cgs_alloc(context, cells[k] + 1, sizeof(double), "test", &x), CGS_OK);
        user->grading.x[k] = x;
        cgs_grading_fill(cells[k], SIZE[k], ratio[k], x);
    }
}

static struct cgs_mesh settle(struct cgs_context *context, struct cgs_user_problem *user,
                              const int64_t cells[3], enum cgs_quadrature rule)
{
    struct cgs_mesh mesh;
    ck_assert_msg(cgs_user_settle(context, user, cells, SIZE, rule, &mesh) == CGS_OK, "%s",
                  context->message);
    return mesh;
}

static struct rows rows_of(struct cgs_context *context, const struct cgs_mesh *mesh)
{
    struct cgs_row_source source;
    ck_assert_int_eq(cgs_assembler_create(context, mesh, cgs_gather_of(mesh), &source), CGS_OK);
    const struct rows rows = rows_gather(&source, 50);
    cgs_assembler_release(context, &source);
    return rows;
}

/* ---- the matrix against its definition ---- */

static bool node_row(const struct cgs_mesh *mesh, const int64_t i[3], int64_t *row)
{
    for (int k = 0; k < 3; k++)
        if (i[k] < 1 || i[k] > mesh->n[k])
            return false;
    *row = ((i[2] - 1) * mesh->n[1] + i[1] - 1) * mesh->n[0] + i[0] - 1;
    return true;
}

/* Adds `entry`(a, b) of the 8 nodes of a cell to the dense matrix. */
static void add_dense(const struct cgs_mesh *mesh, const int64_t c[3], double entry[8][8],
                      double *dense)
{
    const int64_t rows = cgs_mesh_rows(mesh);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            const int64_t i[3] = {c[0] + (a & 1), c[1] + (a >> 1 & 1), c[2] + (a >> 2)};
            const int64_t j[3] = {c[0] + (b & 1), c[1] + (b >> 1 & 1), c[2] + (b >> 2)};
            int64_t row, column;
            if (node_row(mesh, i, &row) && node_row(mesh, j, &column))
                dense[row * rows + column] += entry[a][b];
        }
}

/* kappa K of a cell of the box, by the rule's points and the element of fem/element/element.h. */
static void box_cell(const struct cgs_mesh *mesh, const double h[3], double kappa,
                     double entry[8][8])
{
    double corner[24], stiffness[CGS_PACKED];
    for (int a = 0; a < 8; a++)
        for (int k = 0; k < 3; k++)
            corner[3 * a + k] = (a >> k & 1) * h[k];
    cgs_element_stiffness(corner, mesh->quadrature, kappa, stiffness);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            entry[a][b] = stiffness[cgs_packed(a, b)];
}

/* Adds c int phi_a phi_b over a cell of the box, by the rule's points. */
static void add_reaction(const struct cgs_mesh *mesh, const double length[3], double c,
                         double entry[8][8])
{
    const double weight = c * length[0] * length[1] * length[2] / 8.0;
    for (int q = 0; q < 8; q++) {
        double s[3];
        for (int k = 0; k < 3; k++)
            s[k] = (q >> k & 1 ? 1.0 : -1.0) * cgs_rule_point(mesh->quadrature);
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++)
                entry[a][b] += weight * cgs_shape(a, s) * cgs_shape(b, s);
    }
}

/* int h phi_a phi_b over the face (k, side) of a cell of the box. */
static void face_cell(const struct cgs_mesh *mesh, const double length[3], int k, int side,
                      double h, double entry[8][8])
{
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    const double p = cgs_rule_point(mesh->quadrature), area = length[l] * length[m];
    memset(entry, 0, 64 * sizeof entry[0][0]);
    for (int q = 0; q < 4; q++) {
        double s[3];
        s[k] = side ? 1.0 : -1.0;
        s[l] = q & 1 ? p : -p;
        s[m] = q >> 1 ? p : -p;
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++)
                entry[a][b] += 0.25 * area * h * cgs_shape(a, s) * cgs_shape(b, s);
    }
}

static double kappa_at(const double x[3])
{
    return 1.0 + x[0] + 2.0 * x[1] * x[2];
}

static double transfer_at(const double x[3])
{
    return 0.5 + x[0] * x[0] + x[1] + 3.0 * x[2];
}

static double reaction_at(const double x[3])
{
    return x[0] < 0.5 ? 0.0 : 30.0 * x[1];
}

static double *dense_of(const struct cgs_mesh *mesh, const char *conditions)
{
    const int64_t rows = cgs_mesh_rows(mesh);
    double *dense = calloc((size_t)(rows * rows), sizeof *dense), entry[8][8];
    int64_t cells[3], low[3];
    for (int k = 0; k < 3; k++) {
        cells[k] = cgs_mesh_cells(mesh, k);
        low[k] = conditions[2 * k] == 'v' ? 0 : 1;
    }
    for (int64_t i = 0; i < cells[0] * cells[1] * cells[2]; i++) {
        const int64_t at[3] = {i % cells[0], i / cells[0] % cells[1], i / (cells[0] * cells[1])};
        const int64_t c[3] = {at[0] + low[0], at[1] + low[1], at[2] + low[2]};
        double centre[3], length[3];
        for (int k = 0; k < 3; k++) {
            const double *x = mesh->grading ? mesh->grading->x[k] + at[k] : NULL;
            centre[k] =
                x ? 0.5 * (x[0] + x[1]) : SIZE[k] * ((double)at[k] + 0.5) / (double)cells[k];
            length[k] = x ? x[1] - x[0] : mesh->h[k];
        }
        box_cell(mesh, length, kappa_at(centre), entry);
        if (mesh->kappa.reaction)
            add_reaction(mesh, length, reaction_at(centre), entry);
        add_dense(mesh, c, entry, dense);
        for (int f = 0; f < 6; f++) {
            const int k = f / 2, side = f % 2;
            double x[3] = {centre[0], centre[1], centre[2]};
            if (conditions[f] != 't' || at[k] != (side ? cells[k] - 1 : 0))
                continue;
            x[k] = side ? SIZE[k] : 0.0;
            face_cell(mesh, length, k, side, transfer_at(x), entry);
            add_dense(mesh, c, entry, dense);
        }
    }
    return dense;
}

static const char *const CONDITIONS[] = {"vvvvvv", "vfvvvv", "vvtvvv", "ftvftf",
                                         "tttttt", "ffffff", "fvvttf", "tvfvvt"};
enum { CONDITION_COUNT = sizeof CONDITIONS / sizeof *CONDITIONS };
static const int64_t SMALL[][3] = {{3, 4, 5}, {12, 2, 3}, {2, 2, 9}, {40, 2, 2}};

LOOP_TEST(matrix_is_its_definition, CONDITION_COUNT)
{
    const char *conditions = CONDITIONS[_i % CONDITION_COUNT];
    for (int s = 0; s < 8; s++)
        for (int rule = 0; rule < 2; rule++) {
            const int64_t *cells = SMALL[s % 4]; /* then graded ones */
            struct cgs_context context;
            cgs_context_init(&context);
            const struct texts texts = {.conditions = conditions,
                                        .kappa = "1+x+2*y*z",
                                        .transfer = "0.5+x^2+y+3*z",
                                        .reaction = (s + rule) % 2 ? "x < 0.5 ? 0 : 30*y" : NULL};
            struct cgs_user_problem user = user_of(&context, &texts);
            if (s >= 4)
                grade(&context, &user, cells);
            const struct cgs_mesh mesh = settle(&context, &user, cells, (enum cgs_quadrature)rule);
            const int64_t all = cgs_mesh_rows(&mesh);
            struct rows rows = rows_of(&context, &mesh);
            double *dense = dense_of(&mesh, conditions),
                   *diagonal = malloc((size_t)all * sizeof *diagonal);
            double norm = 0.0;
            ck_assert_int_eq(cgs_mesh_diagonal(&context, &mesh, 0, mesh.n[2], diagonal), CGS_OK);
            ck_assert_int_eq(rows.entries, cgs_mesh_nonzeros(&mesh));
            for (int64_t i = 0; i < all; i++) {
                double sum = 0.0;
                const double scale = dense[i * all + i];
                for (int64_t e = rows.start[i]; e < rows.start[i + 1]; e++) {
                    const int64_t j = rows.columns[e];
                    ck_assert_double_eq_tol(rows.values[e], dense[i * all + j], 1e-14 * scale);
                    sum += fabs(rows.values[e]);
                    dense[i * all + j] = 0.0;
                    if (j == i)
                        ck_assert(rows.values[e] == diagonal[i]);
                    for (int64_t g = rows.start[j]; g < rows.start[j + 1]; g++)
                        if (rows.columns[g] == i)
                            ck_assert(rows.values[g] == rows.values[e]);
                }
                norm = fmax(norm, sum);
                for (int64_t j = 0; j < all; j++)
                    ck_assert(dense[i * all + j] == 0.0);
            }
            ck_assert(norm <= cgs_mesh_norm(&mesh));
            free(diagonal);
            free(dense);
            rows_free(&rows);
            cgs_user_release(&context, &user);
            ck_assert_int_eq(context.host_bytes, 0);
        }
}

TEST(constants_solve_pure_flux)
{
    const struct texts texts = {
        .conditions = "ffffff", .kappa = "1+x+2*y*z", .exact = "exp(x)*cos(2*y)+z^2"};
    static const int64_t cells[3] = {4, 5, 3};
    struct cgs_context context;
    cgs_context_init(&context);
    struct cgs_user_problem user = user_of(&context, &texts);
    const struct cgs_mesh mesh = settle(&context, &user, cells, CGS_GAUSS);
    struct rows rows = rows_of(&context, &mesh);
    for (int64_t i = 0; i < rows.count; i++) {
        double sum = 0.0, size = 0.0;
        for (int64_t e = rows.start[i]; e < rows.start[i + 1]; e++) {
            sum += rows.values[e];
            size += fabs(rows.values[e]);
        }
        ck_assert_double_le(fabs(sum), 1e-15 * size);
    }
    ck_assert(cgs_user_singular(&user));
    double *b = malloc((size_t)rows.count * sizeof *b);
    ck_assert_int_eq(cgs_user_load(&context, &user, &mesh, 0, rows.count, b), CGS_OK);
    double sum = 0.0, size = 0.0;
    for (int64_t i = 0; i < rows.count; i++) {
        sum += b[i];
        size += fabs(b[i]);
    }
    ck_assert_double_le(fabs(sum), 1e-14 * size);
    free(b);
    rows_free(&rows);
    cgs_user_release(&context, &user);
}

/* ---- solving ---- */

static void multiply(const struct rows *a, const double *x, double *y)
{
    for (int64_t i = 0; i < a->count; i++) {
        y[i] = 0.0;
        for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
            y[i] += a->values[e] * x[a->columns[e]];
    }
}

static double product(int64_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* CG with the diagonal, to rounding. */
static void solve(const struct rows *a, const double *b, double *x)
{
    const int64_t n = a->count;
    double *memory = calloc((size_t)(5 * n), sizeof *memory), *r = memory, *p = r + n, *q = p + n,
           *z = q + n, *d = z + n, rho = 0.0, first = 0.0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = 0.0;
        r[i] = b[i];
        for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
            if (a->columns[e] == i)
                d[i] = a->values[e];
    }
    for (int step = 0; step < 2000; step++) {
        for (int64_t i = 0; i < n; i++)
            z[i] = r[i] / d[i];
        const double next = product(n, r, z);
        if (step == 0)
            first = next;
        if (next <= 1e-28 * first)
            break;
        for (int64_t i = 0; i < n; i++)
            p[i] = z[i] + (step > 0 ? next / rho : 0.0) * p[i];
        rho = next;
        multiply(a, p, q);
        const double alpha = rho / product(n, p, q);
        for (int64_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
    }
    free(memory);
}

/* Solves on these cells. */
static double *solved(struct cgs_context *context, const struct cgs_user_problem *user,
                      const struct cgs_mesh *mesh)
{
    struct rows rows = rows_of(context, mesh);
    double *b = malloc((size_t)rows.count * sizeof *b), *x = malloc((size_t)rows.count * sizeof *x);
    ck_assert_msg(cgs_user_load(context, user, mesh, 0, rows.count, b) == CGS_OK, "%s",
                  context->message);
    solve(&rows, b, x);
    free(b);
    rows_free(&rows);
    return x;
}

static double outflow(const struct cgs_balance *balance)
{
    double size = fabs(balance->source);
    for (int f = 0; f < 6; f++)
        size += fabs(balance->flux[f / 2][f % 2]);
    return size;
}

#define EXACT "exp(x)*cos(2*y)+z^2"
#define KAPPA "1+x+2*y*z"
#define SOURCE                                                                                     \
    "-(exp(x)*cos(2*y) - 4*z*exp(x)*sin(2*y) + 4*y*z + (1+x+2*y*z)*(2 - 3*exp(x)*cos(2*y)))"
#define FLUX "(1+x+2*y*z)*(nx*exp(x)*cos(2*y) - ny*2*exp(x)*sin(2*y) + nz*2*z)"
#define TRANSFER "2+y+x*z"

static const struct texts ORDERS[] = {
    {.conditions = "vvvvvv", .exact = EXACT, .kappa = KAPPA},
    {.conditions = "vfvvvv", .exact = EXACT, .kappa = KAPPA},
    {.conditions = "vvtvvv", .exact = EXACT, .kappa = KAPPA, .transfer = TRANSFER},
    {.conditions = "ftvftf", .exact = EXACT, .kappa = KAPPA, .transfer = TRANSFER},
    {.conditions = "vvvvvv", .exact = EXACT, .kappa = KAPPA, .source = SOURCE},
    {.conditions = "vvvvvv", .exact = EXACT, .kappa = KAPPA, .source = SOURCE, .value = EXACT},
    {.conditions = "ftvftf",
     .exact = EXACT,
     .kappa = KAPPA,
     .source = SOURCE,
     .value = EXACT,
     .flux = FLUX,
     .transfer = TRANSFER,
     .ambient = EXACT "+" FLUX "/(" TRANSFER ")"},
    {.conditions = "ftvftf",
     .exact = EXACT,
     .kappa = KAPPA,
     .transfer = TRANSFER,
     .source = SOURCE},
    {.conditions = "tfftvv",
     .exact = EXACT,
     .kappa = KAPPA,
     .value = EXACT,
     .flux = FLUX,
     .transfer = TRANSFER,
     .ambient = EXACT "+" FLUX "/(" TRANSFER ")"},
    {.conditions = "tttttt", .exact = EXACT, .kappa = KAPPA, .transfer = TRANSFER},
    {.graded = true, .conditions = "ftvftf", .exact = EXACT, .kappa = KAPPA, .transfer = TRANSFER},
    {.graded = true,
     .conditions = "tfftvv",
     .exact = EXACT,
     .kappa = KAPPA,
     .source = SOURCE,
     .value = EXACT,
     .flux = FLUX,
     .transfer = TRANSFER,
     .ambient = EXACT "+" FLUX "/(" TRANSFER ")"},
};
enum { ORDER_COUNT = sizeof ORDERS / sizeof *ORDERS };

static double kappa_slope(int k, const double x[3])
{
    const double slope[3] = {exp(x[0]) * cos(2 * x[1]), -2 * exp(x[0]) * sin(2 * x[1]), 2 * x[2]};
    return kappa_at(x) * slope[k];
}

/* -int kappa du/dn over a face, by the midpoint rule. */
static double exact_outflow(int k, int side)
{
    enum { M = 200 };
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    double sum = 0.0, x[3];
    x[k] = side ? SIZE[k] : 0.0;
    for (int i = 0; i < M * M; i++) {
        x[l] = SIZE[l] * (i % M + 0.5) / M;
        x[m] = SIZE[m] * (i / M + 0.5) / M;
        sum += kappa_slope(k, x);
    }
    return (side ? -1.0 : 1.0) * sum * SIZE[l] * SIZE[m] / (M * M);
}

LOOP_TEST(orders, ORDER_COUNT)
{
    double l2[3], h1[3], energy[3], flux[3] = {0.0};
    const int levels = CHECK_SMALL ? 2 : 3; /* two have no order, but all that is computed */
    for (int level = 0; level < levels; level++) {
        const int64_t cells[3] = {6 << level, 10 << level, 4 << level};
        struct cgs_context context;
        struct cgs_errors errors;
        struct cgs_balance balance;
        cgs_context_init(&context);
        struct cgs_user_problem user = user_of(&context, &ORDERS[_i]);
        if (ORDERS[_i].graded)
            grade(&context, &user, cells);
        const struct cgs_mesh mesh = settle(&context, &user, cells, CGS_GAUSS);
        const struct cgs_slab slab = cgs_slab_whole(&mesh);
        const struct cgs_problem problem = {.user = &user};
        double *x = solved(&context, &user, &mesh);
        ck_assert(!cgs_user_singular(&user));
        ck_assert_int_eq(cgs_errors_measure(&context, &problem, &mesh, &slab, x, &errors), CGS_OK);
        ck_assert_int_eq(cgs_user_balance(&context, &user, &mesh, &slab, x, &balance), CGS_OK);
        ck_assert(errors.integral);
        l2[level] = errors.l2;
        h1[level] = errors.h1;
        energy[level] = errors.energy;
        ck_assert_double_le(fabs(balance.imbalance), 1e-10 * outflow(&balance));
        for (int f = 0; f < 6; f++)
            flux[level] =
                fmax(flux[level], fabs(balance.flux[f / 2][f % 2] - exact_outflow(f / 2, f % 2)) /
                                      outflow(&balance));
        free(x);
        cgs_user_release(&context, &user);
        ck_assert_int_eq(context.host_bytes, 0);
    }
    if (levels < 3)
        return;
    ck_assert_double_le(flux[2], 1e-3);
    ck_assert_double_eq_tol(log2(l2[1] / l2[2]), 2.0, 0.05);
    ck_assert_double_eq_tol(log2(h1[1] / h1[2]), 1.0, 0.03);
    ck_assert_double_eq_tol(log2(energy[1] / energy[2]), 1.0, 0.03);
}

/* The norms of a function that is not discrete: of u - 0 against integrals in closed form. */
LOOP_TEST(norms_are_integrals, 2)
{
    const struct texts texts = {.conditions = "ffffff", .exact = "exp(x)+y*z"};
    static const int64_t cells[3] = {4, 3, 2};
    struct cgs_context context;
    struct cgs_errors errors;
    cgs_context_init(&context);
    struct cgs_user_problem user = user_of(&context, &texts);
    if (_i > 0)
        grade(&context, &user, cells);
    const struct cgs_mesh mesh = settle(&context, &user, cells, CGS_GAUSS);
    const struct cgs_slab slab = cgs_slab_whole(&mesh);
    double *x = calloc((size_t)cgs_mesh_rows(&mesh), sizeof *x);
    ck_assert_int_eq(cgs_user_errors(&context, &user, &mesh, &slab, x, &errors), CGS_OK);
    /* on [0, 1] x [0, 2] x [0, 1/2]: int e^2x + 2 e^x y z + y^2 z^2, int e^2x + y^2 + z^2 */
    const double e = exp(1.0);
    const double l2 = (e * e - 1) / 2 + 2 * (e - 1) * 2 / 8 + 8.0 / 3 / 24;
    const double h1 = (e * e - 1) / 2 + 8.0 / 3 / 2 + 2.0 / 24;
    ck_assert_double_eq_tol(errors.l2, sqrt(l2), _i > 0 ? 1e-6 : 1e-8); /* cells of e^x up to 0.4 */
    ck_assert_double_eq_tol(errors.h1, sqrt(h1), _i > 0 ? 1e-5 : 1e-7);
    ck_assert_double_eq_tol(errors.energy, errors.h1, 1e-14);
    ck_assert_double_eq_tol(errors.max, e + 1, 1e-14);
    free(x);
    cgs_user_release(&context, &user);
}

/* Linear functions are discrete solutions, on meshes with more points than are evaluated at a
 * time, too. */
LOOP_TEST(linear_functions_solve, CONDITION_COUNT)
{
    static const int64_t cells[2][3] = {{3, 5, 4}, {CHECK_SMALL ? 400 : 2000, 4, 2}};
    static const char *const sources[3] = {NULL, "0*x", "0"};
    for (int s = 0; s < (CHECK_SMALL ? 8 : 12); s++) { /* odd ones graded */
        const struct texts texts = {.conditions = CONDITIONS[_i],
                                    .exact = "1+2*x-y+3*z",
                                    .kappa = "2+0*x",
                                    .source = sources[s / 2 % 3],
                                    .transfer = "3"};
        struct cgs_context context;
        struct cgs_errors errors;
        struct cgs_balance balance;
        cgs_context_init(&context);
        struct cgs_user_problem user = user_of(&context, &texts);
        if (s % 2 == 1)
            grade(&context, &user, cells[s / 6]);
        const struct cgs_mesh mesh = settle(&context, &user, cells[s / 6], CGS_BLENDED);
        const struct cgs_slab slab = cgs_slab_whole(&mesh);
        struct rows rows = rows_of(&context, &mesh);
        double *b = malloc((size_t)(3 * rows.count) * sizeof *b), *u = b + rows.count,
               *au = u + rows.count;
        ck_assert_int_eq(cgs_user_load(&context, &user, &mesh, 0, rows.count, b), CGS_OK);
        ck_assert_int_eq(cgs_user_solution(&context, &user, &mesh, 0, rows.count, u), CGS_OK);
        multiply(&rows, u, au);
        for (int64_t i = 0; i < rows.count; i++) {
            double size = 0.0;
            for (int64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
                size += fabs(rows.values[e]);
            ck_assert_double_le(fabs(au[i] - b[i]), 1e-13 * size);
        }
        ck_assert_int_eq(cgs_user_errors(&context, &user, &mesh, &slab, u, &errors), CGS_OK);
        ck_assert_double_le(errors.l2, 1e-13);
        ck_assert_double_le(errors.h1, 1e-11);
        ck_assert(errors.max == 0.0);
        ck_assert_int_eq(cgs_user_balance(&context, &user, &mesh, &slab, u, &balance), CGS_OK);
        ck_assert_double_le(fabs(balance.source), 1e-8);
        for (int f = 0; f < 6; f++) {
            const double slope[3] = {2.0, -1.0, 3.0};
            const double flow = 2.0 * slope[f / 2] / SIZE[f / 2] * (SIZE[0] * SIZE[1] * SIZE[2]);
            ck_assert_double_eq_tol(balance.flux[f / 2][f % 2], f % 2 ? -flow : flow, 1e-8);
        }
        free(b);
        rows_free(&rows);
        cgs_user_release(&context, &user);
    }
}

/* ---- numbers of threads, ranges of rows ---- */

LOOP_TEST(same_bits_for_threads_and_ranges, ORDER_COUNT)
{
    static const int64_t cells[3] = {9, 14, 7};
    double *kept = NULL;
    struct cgs_errors kept_errors = {.l2 = 0.0};
    struct cgs_balance kept_balance = {.source = 0.0};
    for (int threads = 1; threads <= 4; threads += 3) {
        struct cgs_context context;
        struct cgs_errors errors;
        struct cgs_balance balance;
        cgs_context_init(&context);
        context.threads = threads;
        struct cgs_user_problem user = user_of(&context, &ORDERS[_i]);
        const struct cgs_mesh mesh = settle(&context, &user, cells, CGS_BLENDED);
        const struct cgs_slab slab = cgs_slab_whole(&mesh);
        const int64_t rows = cgs_mesh_rows(&mesh);
        double *b = malloc((size_t)rows * sizeof *b), *piece = malloc((size_t)rows * sizeof *piece);
        ck_assert_int_eq(cgs_user_load(&context, &user, &mesh, 0, rows, b), CGS_OK);
        ck_assert_int_eq(cgs_user_errors(&context, &user, &mesh, &slab, b, &errors), CGS_OK);
        ck_assert_int_eq(cgs_user_balance(&context, &user, &mesh, &slab, b, &balance), CGS_OK);
        if (!kept) {
            kept = b;
            kept_errors = errors;
            kept_balance = balance;
        } else {
            ck_assert_mem_eq(b, kept, (size_t)rows * sizeof *b);
            ck_assert(errors.l2 == kept_errors.l2 && errors.h1 == kept_errors.h1 &&
                      errors.energy == kept_errors.energy &&
                      errors.nodal_l2 == kept_errors.nodal_l2);
            ck_assert_mem_eq(&balance, &kept_balance, sizeof balance);
            for (int64_t first = 0; first < rows; first += 301) {
                const int64_t last = first + 301 < rows ? first + 301 : rows;
                ck_assert_int_eq(cgs_user_load(&context, &user, &mesh, first, last, piece), CGS_OK);
                ck_assert_mem_eq(piece, kept + first, (size_t)(last - first) * sizeof *b);
            }
            double *u = malloc((size_t)rows * sizeof *u);
            ck_assert_int_eq(cgs_user_solution(&context, &user, &mesh, 0, rows, u), CGS_OK);
            for (int64_t first = 0; first < rows; first += 77) {
                const int64_t last = first + 77 < rows ? first + 77 : rows;
                ck_assert_int_eq(cgs_user_solution(&context, &user, &mesh, first, last, piece),
                                 CGS_OK);
                ck_assert_mem_eq(piece, u + first, (size_t)(last - first) * sizeof *b);
            }
            free(u);
            free(b);
        }
        free(piece);
        cgs_user_release(&context, &user);
    }
    free(kept);
}

/* ---- a wall of three layers ---- */

TEST(layers_resist_in_series)
{
    static const int64_t cells[3] = {8, 3, 4};
    const double area = SIZE[1] * SIZE[2];
    for (int transfer = 0; transfer < 2; transfer++) {
        struct cgs_context context;
        struct cgs_balance balance;
        cgs_context_init(&context);
        const struct texts texts = {.conditions = transfer ? "tvffff" : "vvffff",
                                    .kappa = "x<0.25 ? 1 : x<0.5 ? 10 : 0.1",
                                    .value = "x<0.5 ? 3 : 1",
                                    .transfer = "5",
                                    .ambient = "3"};
        struct cgs_user_problem user = user_of(&context, &texts);
        const struct cgs_mesh mesh = settle(&context, &user, cells, CGS_GAUSS);
        const struct cgs_slab slab = cgs_slab_whole(&mesh);
        double *x = solved(&context, &user, &mesh);
        ck_assert_int_eq(cgs_user_balance(&context, &user, &mesh, &slab, x, &balance), CGS_OK);
        const double resistance = 0.25 / 1 + 0.25 / 10 + 0.5 / 0.1 + (transfer ? 1.0 / 5 : 0.0);
        const double flow = (3.0 - 1.0) / resistance * area;
        ck_assert_double_eq_tol(balance.flux[0][0], -flow, 1e-10 * flow);
        ck_assert_double_eq_tol(balance.flux[0][1], flow, 1e-10 * flow);
        ck_assert_double_le(fabs(balance.imbalance), 1e-10 * flow);
        for (int f = 2; f < 6; f++)
            ck_assert(balance.flux[f / 2][f % 2] == 0.0);
        ck_assert_int_eq(cgs_problem_known(&(struct cgs_problem){.user = &user}, &mesh),
                         CGS_KNOWN_NOWHERE);
        free(x);
        cgs_user_release(&context, &user);
    }
}

/* ---- numbers of cells from files ---- */

static double *cells_of(struct cgs_context *context, const int64_t cells[3], bool varies)
{
    const int64_t count = cells[0] * cells[1] * cells[2];
    void *block;
    ck_assert_int_eq(cgs_alloc(context, count, sizeof(double), "test", &block), CGS_OK);
    double *numbers = block;
    for (int64_t i = 0; i < count; i++) {
        const double x[3] = {SIZE[0] * ((double)(i % cells[0]) + 0.5) / (double)cells[0],
                             SIZE[1] * ((double)(i / cells[0] % cells[1]) + 0.5) / (double)cells[1],
                             SIZE[2] * ((double)(i / (cells[0] * cells[1])) + 0.5) /
                                 (double)cells[2]};
        numbers[i] = varies ? kappa_at(x) : 3.0;
    }
    return numbers;
}

TEST(numbers_of_cells)
{
    static const int64_t cells[3] = {5, 3, 4};
    struct cgs_context context;
    struct cgs_balance balance;
    cgs_context_init(&context);
    const struct texts by_text = {
        .conditions = "ftvftf", .kappa = KAPPA, .transfer = TRANSFER, .source = "3"};
    const struct texts by_file = {.conditions = "ftvftf", .transfer = TRANSFER};
    struct cgs_user_problem text = user_of(&context, &by_text), file = user_of(&context, &by_file);
    file.cells = cells_of(&context, cells, true);
    file.cell_source = cells_of(&context, cells, false);
    const struct cgs_mesh a = settle(&context, &text, cells, CGS_GAUSS);
    const struct cgs_mesh b = settle(&context, &file, cells, CGS_GAUSS);
    const int64_t all = (a.n[0] + 1) * (a.n[1] + 1) * (a.n[2] + 1), rows = cgs_mesh_rows(&a);
    for (int64_t i = 0; i < all; i++)
        ck_assert_double_le(fabs(a.kappa.cells[i] - b.kappa.cells[i]), 1e-15 * a.kappa.cells[i]);
    double *load = malloc((size_t)rows * sizeof *load),
           *other = malloc((size_t)rows * sizeof *load);
    ck_assert_int_eq(cgs_user_load(&context, &text, &a, 0, rows, load), CGS_OK);
    ck_assert_int_eq(cgs_user_load(&context, &file, &b, 0, rows, other), CGS_OK);
    for (int64_t i = 0; i < rows; i++)
        ck_assert_double_le(fabs(load[i] - other[i]), 1e-14 * fabs(load[i]));
    const struct cgs_slab slab = cgs_slab_whole(&b);
    ck_assert_int_eq(cgs_user_balance(&context, &file, &b, &slab, load, &balance), CGS_OK);
    ck_assert_double_eq_tol(balance.source, 3.0 * SIZE[0] * SIZE[1] * SIZE[2], 1e-13);
    free(load);
    free(other);
    cgs_user_release(&context, &text);
    cgs_user_release(&context, &file);
    ck_assert_int_eq(context.host_bytes, 0);
}

/* kappa of cells and a solution with a kink between them, weakly: the flux is continuous, so
 * that f is 0 inside and u_h = u. */
TEST(kinks_between_cells)
{
    static const int64_t cells[3] = {4, 2, 2};
    struct cgs_context context;
    struct cgs_errors errors;
    cgs_context_init(&context);
    const struct texts texts = {
        .conditions = "vfffft", .exact = "x<0.5 ? 4*x : 2+(x-0.5)", .transfer = "2"};
    struct cgs_user_problem user = user_of(&context, &texts);
    user.cells = cells_of(&context, cells, false);
    for (int i = 0; i < 16; i++)
        user.cells[i] = i % 4 < 2 ? 1.0 : 4.0;
    const struct cgs_mesh mesh = settle(&context, &user, cells, CGS_GAUSS);
    const struct cgs_slab slab = cgs_slab_whole(&mesh);
    double *x = solved(&context, &user, &mesh);
    ck_assert_int_eq(cgs_user_errors(&context, &user, &mesh, &slab, x, &errors), CGS_OK);
    ck_assert_double_le(errors.max, 1e-12);
    ck_assert_double_le(errors.h1, 1e-11);
    free(x);
    cgs_user_release(&context, &user);
}

/* ---- refusals ---- */

static const struct {
    struct texts texts;
    const char *says[3];
} REFUSED[] = {
    {{.conditions = "vvvvvv", .kappa = "x>0.4&&x<0.6&&y<0.5&&z<0.2 ? 0 : 1"},
     {"kappa '", "is 0 in cell (2, 0, 0)", "x = 0.5, y = 0.25, z = 0.125"}},
    {{.conditions = "fvvvvv", .kappa = "sqrt(x-0.2)"}, {"nan in cell (0, 0, 0)"}},
    {{.conditions = "vvvvvv", .kappa = "exp(1000*x)"}, {"inf in cell (4, 0, 0)"}},
    {{.conditions = "tvvvvv", .transfer = "y-0.3"},
     {"transfer coefficient 'y-0.3' of face x = 0", "is -0.05 at cell (0, 0, 0)"}},
    {{.conditions = "vtvvvv", .transfer = "1/(y-0.25)"}, {"inf at cell (4, 0, 0)"}},
    {{.conditions = "vvvvvv", .value = "log(y)"},
     {"value 'log(y)' of face x = 0", "-inf at node (0, 0, 0)"}},
};
enum { REFUSED_COUNT = sizeof REFUSED / sizeof *REFUSED };

LOOP_TEST(refusals, REFUSED_COUNT)
{
    static const int64_t cells[3] = {5, 4, 2};
    struct cgs_context context;
    struct cgs_mesh mesh;
    cgs_context_init(&context);
    struct cgs_user_problem user = user_of(&context, &REFUSED[_i].texts);
    ck_assert_int_eq(cgs_user_settle(&context, &user, cells, SIZE, CGS_GAUSS, &mesh), CGS_USAGE);
    for (int i = 0; i < 3 && REFUSED[_i].says[i]; i++)
        ck_assert_msg(strstr(context.message, REFUSED[_i].says[i]) != NULL, "%s", context.message);
    cgs_user_release(&context, &user);
    ck_assert_int_eq(context.host_bytes, 0);
}

TEST(refusals_of_numbers)
{
    static const int64_t cells[3] = {5, 4, 2}, one[3] = {1, 4, 2};
    struct cgs_context context;
    struct cgs_mesh mesh;
    double b[100];
    cgs_context_init(&context);
    struct cgs_user_problem user = user_of(&context, &(struct texts){.conditions = "vvvvvv"});
    user.cells = cells_of(&context, cells, false);
    user.cells[5 * 4 + 5 * 2 + 3] = 0.0;
    ck_assert_int_eq(cgs_user_settle(&context, &user, cells, SIZE, CGS_GAUSS, &mesh), CGS_USAGE);
    ck_assert_msg(strstr(context.message, "kappa is 0 in cell (3, 2, 1)") != NULL, "%s",
                  context.message);
    cgs_user_release(&context, &user);

    cgs_context_init(&context);
    user = user_of(&context, &(struct texts){.conditions = "vvvvvv", .source = "1/(x-x)"});
    ck_assert_int_eq(cgs_user_settle(&context, &user, one, SIZE, CGS_GAUSS, &mesh), CGS_USAGE);
    ck_assert_msg(strstr(context.message, "0 unknowns") != NULL, "%s", context.message);
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_user_settle(&context, &user, cells, SIZE, CGS_GAUSS, &mesh), CGS_OK);
    ck_assert_int_eq(cgs_user_load(&context, &user, &mesh, 0, cgs_mesh_rows(&mesh), b), CGS_USAGE);
    ck_assert_msg(strstr(context.message, "the source '1/(x-x)' is inf at x = 0.") != NULL, "%s",
                  context.message);
    cgs_user_release(&context, &user);
}

int main(void)
{
    return run_tests("own", 120, NULL, NULL);
}
