/* What fits into the memory that is there: the largest N of a run as asked for and of its nearest
 * variants, and the refusal that names them. */
#ifndef CGS_SRC_PLAN_FITTING_H
#define CGS_SRC_PLAN_FITTING_H

#include "src/options/options.h"
#include "src/plan/forecast.h"

/* A way to run. Its options come on top of those asked for (a later one replaces an earlier one).
 */
struct cgs_variant {
    char options[48];          /* "--precision=single"; "" for the run as asked */
    bool fits;                 /* with the N asked for, or the file's matrix */
    int64_t largest;           /* the largest N that fits; 0: not even 1, or a file's matrix */
    int64_t bytes[CGS_PLACES]; /* where it fits, else with the largest N; 0: nothing fits */
};

enum { CGS_VARIANTS = CGS_FORMATS + 2 };

/* The run as asked first, then in single precision, then with each other format for which this
 * build has a kernel, matrix-free first; unless chunk, sigma or kernel bind the format. Without
 * --max-iterations the history is that of 20 N. A file's matrix, laid out as asked (NULL: the box),
 * is laid out again for each; it may have its rows sorted, too. Returns how many. */
int cgs_variants(const struct cgs_options *options, const struct cgs_machine *machine,
                 const struct cgs_matrix *laid, const struct cgs_room *room,
                 struct cgs_variant variants[CGS_VARIANTS]);

/* The largest N that fits, all else as forecast; 0: none. bounded: iterations are as forecast, too, else the default
 * for that N. bytes: what that one takes. */
int64_t cgs_fitting_largest(struct cgs_spec forecast, bool bounded, const struct cgs_room *room,
                            int64_t bytes[CGS_PLACES]);

/* Whether the plan's total fits in every place. */
bool cgs_plan_fits(const struct cgs_plan *plan, const struct cgs_room *room);

/* CGS_MEMORY where the plan does not fit: how much, of what, how much there is, and the three
 * nearest choices that fit, nearest first, with their bytes and as one would type them. `count`
 * variants; looked at only where the plan does not fit. */
enum cgs_status cgs_fitting_check(struct cgs_context *context, const struct cgs_options *options,
                                  const struct cgs_machine *machine, const struct cgs_matrix *laid,
                                  const struct cgs_variant *variants, int count,
                                  const struct cgs_plan *plan, const struct cgs_room *room);

#endif
