#include "src/compare/difference_rules.h"

#include <fnmatch.h>
#include <stddef.h>

/* The first that matches counts. Kernels of the laboratory are at kernel.KEY. */
static const struct cgs_rule rules[] = {
    {"date", CGS_IGNORED, 0},
    {"arguments", CGS_IGNORED, 0}, /* compared without outputs */
    {"arguments_bytes", CGS_IGNORED, 0},
    {"history", CGS_IGNORED, 0},
    {"error_history", CGS_IGNORED, 0},
    {"notes", CGS_IGNORED, 0},
    {"plan", CGS_IGNORED, 0},
    {"profile", CGS_IGNORED, 0},
    {"pictures", CGS_IGNORED, 0},
    {"choice", CGS_IGNORED, 0},
    {"spmv.chosen", CGS_IGNORED, 0},  /* a place in kernels, which say it themselves */
    {"spmv.kernels", CGS_IGNORED, 0}, /* are walked one by one */
    {"kernels", CGS_IGNORED, 0},
    {"kernel.median_seconds", CGS_TIME, 0},
    {"kernel.min_seconds", CGS_IGNORED, 0}, /* spreads, of what stands beside them */
    {"kernel.max_seconds", CGS_IGNORED, 0},
    {"spmv_seconds_*", CGS_IGNORED, 0},
    {"kernel.prepare_seconds", CGS_IGNORED, 0}, /* convert and transfer, as far as they overlap */
    {"kernel.*_seconds", CGS_TIME, 1e-3},
    {"kernel.threads", CGS_IGNORED, 0}, /* of the host */
    {"kernel.products", CGS_IGNORED, 0},
    {"kernel.worst_error", CGS_IGNORED, 0},
    {"kernel.*gbs", CGS_IGNORED, 0}, /* these follow from bytes and seconds */
    {"kernel.roofline", CGS_IGNORED, 0},
    {"kernel.vendor_ratio", CGS_IGNORED, 0},
    {"kernel.speedup", CGS_IGNORED, 0},
    {"kernel.break_even", CGS_IGNORED, 0},
    {"kernel.gflops", CGS_IGNORED, 0},
    {"kernel.reference_ratio", CGS_IGNORED, 0},
    {"kernel.projected_error", CGS_IGNORED, 0},
    {"kernel.slabs", CGS_SETTING, 0},
    {"kernel.chunk", CGS_SETTING, 0},
    {"kernel.sigma", CGS_SETTING, 0},
    {"kernel.*", CGS_RESULT, 0},
    {"product.file", CGS_IGNORED, 0},
    {"product.products", CGS_RESULT, 0},
    {"product.entries", CGS_RESULT, 0},
    {"product.compression", CGS_RESULT, 0},
    {"product.longest_row_products", CGS_RESULT, 0},
    {"product.*_bytes", CGS_RESULT, 0},
    {"*.memory_free", CGS_IGNORED, 0},
    {"*_available", CGS_IGNORED, 0},
    {"*.measured_bytes", CGS_IGNORED, 0},
    {"seconds.*", CGS_TIME, 1e-3}, /* phases */
    {"spmv_seconds", CGS_TIME, 0},
    {"memory.*_peak", CGS_BYTES, 0},
    {"memory.*", CGS_RESULT, 0},
    {"throughput.bytes_per_unknown_iteration", CGS_RESULT, 0},
    {"throughput.attainable_kind", CGS_RESULT, 0},
    {"throughput.*", CGS_RATE, 0},
    {"*_gbs", CGS_RATE, 0},
    {"preconditioning.setup_seconds", CGS_TIME, 1e-3},
    {"preconditioning.galerkin_seconds", CGS_TIME, 1e-3},
    {"preconditioning.coarse", CGS_SETTING, 0},
    {"preconditioning.degree", CGS_SETTING, 0},
    {"preconditioning.cycle_precision", CGS_SETTING, 0},
    {"preconditioning.strength", CGS_SETTING, 0},
    {"preconditioning.setup_parts.*", CGS_TIME, 1e-3},
    {"preconditioning.levels", CGS_IGNORED, 0}, /* follow from N, or from matrix and strength */
    {"preconditioning.*", CGS_RESULT, 0},
    {"solves.count", CGS_SETTING, 0},
    {"solves.median_seconds", CGS_TIME, 0},
    {"solves.once_seconds", CGS_TIME, 1e-3},
    {"solves.*", CGS_IGNORED, 0}, /* spreads, and what follows from the others */
    {"mesh_accuracy.after_seconds", CGS_TIME, 1e-3},
    {"mesh_accuracy.*", CGS_RESULT, 0},
    {"solver.method", CGS_SETTING, 0},
    {"solver.preconditioner", CGS_SETTING, 0},
    {"solver.tolerance", CGS_SETTING, 0},
    {"solver.max_iterations", CGS_SETTING, 0},
    {"solver.launch", CGS_SETTING, 0},
    {"solver.*", CGS_RESULT, 0},
    {"error.*", CGS_RESULT, 0},
    {"start.guess", CGS_SETTING, 0},
    {"start.cycles", CGS_SETTING, 0},
    {"start.*seconds", CGS_TIME, 1e-3},
    {"start.*", CGS_RESULT, 0},
    {"error_message", CGS_RESULT, 0},
    {"exit_status", CGS_RESULT, 0},
    {"matrix.stored", CGS_RESULT, 0},
    {"matrix.padding*", CGS_RESULT, 0},
    {"matrix.bytes*", CGS_RESULT, 0},
};

static const struct cgs_rule setting = {"*", CGS_SETTING, 0};

const struct cgs_rule *cgs_rule_find(const char *place)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (fnmatch(rules[i].place, place, 0) == 0)
            return &rules[i];
    return &setting;
}
