/* Judge of `fourth-order`: the element matrices of a trilinear element, by the learner's
 * quadrature. They are assembled to the 27 numbers of an inner row. Of a load f = sin(k pi x) sin(l
 * pi y) sin(m pi z) discrete and exact solution are multiples of the same function, so that the
 * error at the nodes is known without solving: with the symbols
 *     s = sum_d S_d cos(d theta),  m = sum_d M_d cos(d theta),  theta = pi h (k, l, m),
 * u_h = m / s f and u = f / (pi^2 (k^2 + l^2 + m^2)). */
#include <math.h>

#include "core/autotune/calls.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/verdict.h"

enum { CORNERS = 8, NUMBERS = 2 * CORNERS * CORNERS, POINTS_LOWER = 30 };
static const double pi = 3.14159265358979323846;
static const double EXACT = 1e-12, ORDER = 3.9;
/* Largest error at the nodes, over |theta|^4, and what it is for the model solution: 0.0005 to
 * 0.0013. Any element of second order has 0.028 |theta|^2 and more. */
static const double LARGEST = 0.003;
static const int modes[][3] = {{1, 1, 1}, {1, 2, 1}, {2, 1, 3}};
enum { MODES = sizeof modes / sizeof *modes };

static int bit(int corner, int direction)
{
    return corner >> direction & 1;
}

/* Returns sum_d S_d cos(d theta), of the matrix that these element matrices are assembled to. */
static double symbol(const double element[CORNERS * CORNERS], const double theta[3])
{
    double sum = 0.0;
    for (int a = 0; a < CORNERS; a++)
        for (int b = 0; b < CORNERS; b++) {
            double product = element[a * CORNERS + b];
            for (int d = 0; d < 3; d++)
                product *= cos((bit(b, d) - bit(a, d)) * theta[d]);
            sum += product;
        }
    return sum;
}

/* Returns the error at the nodes over the solution there, for mode number `which`. *largest: what
 * it may be. */
static double error(const double *numbers, double h, int which, double *largest)
{
    double theta[3], squares = 0.0;
    for (int d = 0; d < 3; d++) {
        theta[d] = pi * h * modes[which][d];
        squares += (double)(modes[which][d] * modes[which][d]);
    }
    const double discrete = symbol(numbers + CORNERS * CORNERS, theta) / symbol(numbers, theta);
    *largest = LARGEST * pow(pi * h, 4.0) * squares * squares;
    return fabs(discrete * pi * pi * squares - 1.0);
}

/* Products of two or three sides: modes of a cell that are no constant, whose gradient is 0 in its
 * centre. Returns true if the stiffness matrix takes one of them for a constant. */
static bool has_zero_mode(const double stiffness[CORNERS * CORNERS], double h)
{
    static const int directions[] = {3, 5, 6, 7}; /* by bits */
    for (int m = 0; m < 4; m++) {
        double energy = 0.0;
        for (int a = 0; a < CORNERS; a++)
            for (int b = 0; b < CORNERS; b++)
                energy += (__builtin_parity((unsigned)(directions[m] & (a ^ b))) ? -1.0 : 1.0) *
                          stiffness[a * CORNERS + b];
        if (!(energy > EXACT * h))
            return true;
    }
    return false;
}

/* Symmetric; rows of the stiffness add up to 0, the mass matrix to h^3: else it is no element at
 * all. */
static enum cgs_status check_element(const double *numbers, double h, struct cgs_verdict *verdict)
{
    static const char *const names[] = {"stiffness", "mass"};
    double volume = 0.0;
    for (int which = 0; which < 2; which++)
        for (int a = 0; a < CORNERS; a++) {
            const double *row = numbers + (which * CORNERS + a) * CORNERS;
            const double *matrix = numbers + which * CORNERS * CORNERS;
            double sum = 0.0;
            for (int b = 0; b < CORNERS; b++) {
                sum += row[b];
                if (!(fabs(row[b] - matrix[b * CORNERS + a]) <= EXACT * h))
                    return cgs_verdict_wrong(verdict, 0,
                                             "h = %g: %s[%d][%d] is %.10g, but [%d][%d] is %.10g: "
                                             "not symmetric",
                                             h, names[which], a, b, row[b], b, a,
                                             matrix[b * CORNERS + a]);
            }
            if (which == 0 && fabs(sum) > EXACT * h)
                return cgs_verdict_wrong(
                    verdict, 0,
                    "h = %g: row %d of the stiffness matrix adds up to %.3g, but "
                    "a constant has no gradient: 0",
                    h, a, sum);
            volume += which == 1 ? sum : 0.0;
        }
    if (has_zero_mode(numbers, h))
        return cgs_verdict_wrong(verdict, 0,
                                 "h = %g: u'K u is 0 for corners that are +1 and -1 in turn: one "
                                 "point in the centre sees no gradient there, eight points do",
                                 h);
    if (fabs(volume - h * h * h) > EXACT * h * h * h)
        return cgs_verdict_wrong(
            verdict, 0,
            "h = %g: the mass matrix adds up to %.10g, but the cell's volume is "
            "h^3 = %.10g",
            h, volume, h * h * h);
    return CGS_OK;
}

static enum cgs_status try_all(const struct cgs_calls *calls, struct cgs_verdict *verdict)
{
    static const double sides[] = {1.0 / 16.0, 1.0 / 32.0};
    double numbers[2][NUMBERS];
    for (int i = 0; i < 2 && verdict->state == CGS_EXERCISE_RIGHT; i++) {
        CGS_TRY(cgs_call(calls, &sides[i], numbers[i]));
        CGS_TRY(check_element(numbers[i], sides[i], verdict));
    }
    for (int which = 0; which < MODES && verdict->state == CGS_EXERCISE_RIGHT; which++) {
        double largest;
        const double coarse = error(numbers[0], sides[0], which, &largest);
        const double fine = error(numbers[1], sides[1], which, &largest);
        const double order = log2(coarse / fine);
        const int *k = modes[which];
        if (!(order >= ORDER))
            cgs_verdict_wrong(
                verdict, POINTS_LOWER,
                "the observed order is %.2f, not 4: the error at the nodes is %.3g for h "
                "= 1/16, %.3g for 1/32 (solution sin %d pi x sin %d pi y sin %d pi z)",
                order, coarse, fine, k[0], k[1], k[2]);
        else if (!(fine <= largest))
            cgs_verdict_wrong(verdict, 0,
                              "the error at the nodes is %.3g for h = 1/32, where fourth order "
                              "leaves %.1g (solution sin %d pi x sin %d pi y sin %d pi z)",
                              fine, largest, k[0], k[1], k[2]);
    }
    return CGS_OK;
}

enum cgs_status cgs_judge_fourth_order(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    struct cgs_callee callee;
    struct cgs_calls *calls = NULL;
    enum cgs_status status = cgs_judged_open(judged, verdict, &callee);
    cgs_verdict_solved(verdict);
    if (status == CGS_OK)
        status = cgs_calls_begin_plain(&callee, NUMBERS, 1, &calls);
    if (status == CGS_OK)
        status = try_all(calls, verdict);
    cgs_calls_end(calls);
    cgs_callee_close(&callee);
    return cgs_verdict_of_failure(judged->context, status, verdict);
}
