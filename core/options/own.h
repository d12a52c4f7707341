/* The problem of the user's own that options describe by expressions: --source, --exact, --kappa, --face,
 * --material, --region, --let. */
#ifndef CGS_CORE_OPTIONS_OWN_H
#define CGS_CORE_OPTIONS_OWN_H

#include "core/options/options.h"
#include "fem/own/materials.h"
#include "fem/own/own.h"
#include "fem/problem.h"

struct cgs_own_problem {
    struct cgs_context *context; /* borrowed: of the expressions and the numbers */
    struct cgs_problem problem;  /* options->problem */
    struct cgs_own own;
    struct cgs_materials materials; /* their facts are there once the problem is settled */
    struct cgs_mesh mesh;           /* its kappa.cells are there once the problem is settled */
    bool settled;
};

/* Reads --kappa=FILE and evaluates coefficients and conditions, before any other work of a run. Nothing to do without
 * options->own, or the second time. CGS_USAGE: a coefficient that is not positive, a value that is not finite;
 * CGS_FILE, CGS_MEMORY. */
enum cgs_status cgs_settle_own(struct cgs_context *context, const struct cgs_options *options);

#endif
