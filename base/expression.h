/* Mathematical expressions that a user gives: "exp(x)*cos(2*y) + z^2".
 *
 * A text becomes a program of steps, and each step is computed at some hundred points before the
 * next one. The language, from what binds weakest to what binds strongest:
 *
 *     a ? b : c                 b where a is not 0, else c
 *     ||  &&                    1 or 0
 *     <  <=  >  >=  ==  !=      1 or 0
 *     +  -
 *     *  /  and the signs       -x^2 is -(x^2)
 *     ^                         power, from the right: 2^3^2 is 2^9
 *     numbers, names, f(a, b)   1, .5, 1e-3: with a point, whatever the locale
 *
 * Names are the variables and constants that the caller gives, pi and e (also _pi, _e), and the
 * functions of base/expression_language.c; log is the natural logarithm, as ln is. Values are those
 * of C and its library, in the order written, except that x^2, x^3 and x^4 are products. Of
 * a ? b : c both b and c are computed. There are no assignments, lists, or texts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/constants.h"
#include "base/context.h"
#include "base/linkage.h"

CGS_BEGIN_C

/* Adds the definition "name=expression" of --let: the expression may use the constants before it.
 * CGS_USAGE: it is no definition, the name is taken or not a name, the value is not finite, or
 * there are too many; *constants is unchanged. CGS_MEMORY: no memory. */
enum cgs_status cgs_constants_parse(struct cgs_context *context, const char *text,
                                    struct cgs_constants *constants);

struct cgs_expression;

/* Makes an expression of a text, which is copied, as names of variables and constants are (NULL:
 * none). The context is borrowed for its life. option: what the text was given by, for messages
 * ("\1source").
 * CGS_USAGE: the text is no expression; the message says what is wrong, shows the text, and marks
 * the place by a caret in a line of its own. Also if a constant has the name of a variable.
 * CGS_MEMORY: no memory. The caller releases the expression. */
enum cgs_status cgs_expression_create(struct cgs_context *context, const char *option,
                                      const char *text, const char *const *variables, int count,
                                      const struct cgs_constants *constants,
                                      struct cgs_expression **expression);

enum { CGS_FIXED = 3, CGS_EXPRESSION_ALONE = 2048 };

/* A grid of points, numbered along direction 0 first. Variable i changes along direction[i] and has
 * the values variable[i][0 ... count[direction[i]] - 1]; with CGS_FIXED it has one value. Arrays of
 * variables that do not occur are not read and may be NULL. */
struct cgs_expression_grid {
    int64_t count[3];
    const double *variable[CGS_EXPRESSION_VARIABLES];
    int direction[CGS_EXPRESSION_VARIABLES];
};

/* Computes the values at all points by context->threads threads, with the same bits for any number
 * of them. Steps that depend on one direction alone are not computed at every point
 * (bench/results/2026-11-26-expressions.md). Where the grid is one line, `values` may be one of the
 * arrays. Returns the first point whose value is not finite, or the number of points. Fewer points
 * than CGS_EXPRESSION_ALONE are computed by the calling thread, which may be one of a parallel
 * region; more must not be asked for there. */
int64_t cgs_expression_evaluate(const struct cgs_expression *expression,
                                const struct cgs_expression_grid *grid, double *values);

/* Returns true if it has comparisons, or calls of floor, ceil, round or sign, that depend on
 * variables: their outcome changes somewhere, and the value may jump there. */
bool cgs_expression_may_jump(const struct cgs_expression *expression);

/* Computes a number at all points that tells the outcomes of these: it differs between points
 * where one of them differs. Otherwise as cgs_expression_evaluate. */
void cgs_expression_outcomes(const struct cgs_expression *expression,
                             const struct cgs_expression_grid *grid, double *values);

/* Returns true if the variable occurs in it, even where it does not matter (0*x). */
bool cgs_expression_uses(const struct cgs_expression *expression, int variable);

/* Returns the text as it was given; valid until the release. */
const char *cgs_expression_text(const struct cgs_expression *expression);

/* NULL is allowed. */
void cgs_expression_release(struct cgs_expression *expression);

CGS_END_C
