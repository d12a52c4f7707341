/* Mathematical expressions that a user gives: "exp(x)*cos(2*y) + z^2".
 *
 * muParser evaluates them (https://github.com/beltoforion/muparser, by its C interface). The
 * language, from what binds weakest to what binds strongest:
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
 * of C's library up to rounding: muParser collects constant factors and summands. There are no
 * assignments, lists, or texts.
 */
#ifndef CGS_BASE_EXPRESSION_H
#define CGS_BASE_EXPRESSION_H

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

/* Makes an expression of a text, which is copied, as the constants are (NULL: none). The names of
 * variables are borrowed for its life, and so is the context. option: what the text was given by,
 * for messages ("--source"). Limits are in base/expression_language.h.
 * CGS_USAGE: the text is no expression; the message says what is wrong, shows the text, and marks
 * the place by a caret in a line of its own. Also if a constant has the name of a variable.
 * CGS_MEMORY: no memory. The caller releases the expression. */
enum cgs_status cgs_expression_create(struct cgs_context *context, const char *option,
                                      const char *text, const char *const *variables, int count,
                                      const struct cgs_constants *constants,
                                      struct cgs_expression **expression);

/* Computes the values at `count` points by context->threads threads, with the same bits for any
 * number of them. variables[i][k]: variable i at point k; arrays of unused variables are not read
 * and may be NULL. `values` may be one of the arrays. Values that are not finite are the caller's
 * to find. Not to be called for one expression by several threads at a time, nor within a parallel
 * region.
 *
 * A point costs somewhat more than compiled C, a thread's first one also the making of its parser:
 * bench/results/2026-11-26-expressions.md.
 * CGS_MEMORY: no memory for the parsers. */
enum cgs_status cgs_expression_evaluate(struct cgs_expression *expression, int64_t count,
                                        const double *const *variables, double *values);

/* The same within a parallel region of the caller's, after cgs_expression_open for as many threads, which may fail with
 * CGS_MEMORY: thread: 0 ... threads - 1, another one in each. Returns false if muParser fails: then cgs_expression_fail. */
enum cgs_status cgs_expression_open(struct cgs_expression *expression, int threads);
bool cgs_expression_evaluate_by(const struct cgs_expression *expression, int thread, int64_t count,
                                const double *const *variables, double *values);
enum cgs_status cgs_expression_fail(const struct cgs_expression *expression);

/* Returns true if no variable occurs in it. */
bool cgs_expression_constant(const struct cgs_expression *expression);

/* Returns true if the variable occurs in it, even where it does not matter (0*x). */
bool cgs_expression_uses(const struct cgs_expression *expression, int variable);

/* Returns the text as it was given; valid until the release. */
const char *cgs_expression_text(const struct cgs_expression *expression);

/* NULL is allowed. */
void cgs_expression_release(struct cgs_expression *expression);

CGS_END_C

#endif
