/* Finds out what fits into memory: the largest N of a run and of its nearest variants, and the
 * error message that names them. */
#pragma once

#include "core/options/settings.h"
#include "core/plan/forecast.h"

/* Variant of a run. Its options are added to those asked for; later options replace earlier
 * ones. */
struct cgs_variant {
    char options[48]; /* as people write them; "" for the run as asked for */
    bool fits;        /* fits with the N asked for or the file's matrix */
    /* Largest N that fits, of a box its cells in the longest direction less 1; 0: not even 1, or a
     * file's matrix. */
    int64_t largest;
    int64_t cells[3];          /* of that box, of the same proportions as the one asked for, */
    bool by_cells;             /* which is given by --cells */
    int64_t bytes[CGS_PLACES]; /* memory as asked for if it fits, else with `largest`; 0: none */
};

enum { CGS_VARIANTS = CGS_FORMATS + 2 };

/* Lists the variants: the run as asked for, single precision, each other format with a kernel in
 * this build (matrix-free first, none if --chunk, --sigma or --kernel fix the format), and sorted
 * rows for a file's SELL matrix. Without --max-iterations the history has the default length for
 * each N. laid: layout of a file's matrix, which is laid out again for each variant; NULL: the
 * model problem. Returns the number of variants. */
int cgs_variants(const struct cgs_settings *settings, const struct cgs_machine *machine,
                 const struct cgs_matrix *laid, const struct cgs_room *room,
                 struct cgs_variant variants[CGS_VARIANTS]);

/* Returns the largest N that fits, with all else as in `forecast`; 0: none. bounded: keeps
 * max_iterations, else uses the default for each N. bytes: memory of that N. */
int64_t cgs_fitting_largest(struct cgs_spec forecast, bool bounded, const struct cgs_room *room,
                            int64_t bytes[CGS_PLACES]);

/* Returns true if the plan fits on host and device. */
bool cgs_plan_fits(const struct cgs_plan *plan, const struct cgs_room *room);

/* CGS_MEMORY: the plan does not fit. The message has the memory needed, its largest parts, the
 * memory available, and the three nearest variants that fit, as options with their bytes, nearest
 * first. variants: `count` of them, used only if the plan does not fit. */
enum cgs_status cgs_fitting_check(struct cgs_context *context, const struct cgs_settings *settings,
                                  const struct cgs_machine *machine, const struct cgs_matrix *laid,
                                  const struct cgs_variant *variants, int count,
                                  const struct cgs_plan *plan, const struct cgs_room *room);
