/* --inject: a fault on purpose, put where the run would really meet one: in a vector between two
 * iterations, in an entry on its way out of the row source, in the system's answer to an
 * allocation, in a kernel on the device. All that follows is the program's ordinary way. */
#ifndef CGS_SRC_RUN_INJECT_H
#define CGS_SRC_RUN_INJECT_H

#include "src/options/fault.h"
#include "src/setup/machine.h"

struct cgs_injection {
    struct cgs_fault fault;
    bool happened;
    char what[160]; /* once it happened: "r(14) became NaN after iteration 10" */
    /* indefinite, asymmetric: the source behind, and the entry that is not what that one gives */
    struct cgs_row_source behind;
    int64_t row;
    int32_t place; /* of the entry in its row */
    double value;
    double magnitudes; /* sum of the changed row's */
    const struct cgs_machine *machine; /* cuda-error: where; borrowed */
};

/* Takes up a fault. `planned`: by --plan, which solves nothing. CGS_USAGE: it cannot happen in this run (no CUDA
 * device; --plan; a matrix without entries). */
enum cgs_status cgs_inject_start(struct cgs_context *context, const struct cgs_fault *fault,
                                 bool planned, enum cgs_format format,
                                 const struct cgs_machine *machine,
                                 struct cgs_injection *injection);

/* *drawn: `source` itself, or (indefinite, asymmetric) a source of the same rows but for one entry,
 * in the middle of the matrix. It lives as long as `source` and `injection` do. CGS_USAGE: there is
 * no entry to change. */
enum cgs_status cgs_inject_rows(struct cgs_context *context, struct cgs_injection *injection,
                                const struct cgs_row_source *source, struct cgs_row_source *drawn);

/* oom: from here on the system refuses memory of the machine's place. */
void cgs_inject_starvation(struct cgs_context *context, struct cgs_injection *injection,
                           const struct cgs_machine *machine);

/* nan, bitflip, cuda-error: settings->pause strikes. */
void cgs_inject_pause(struct cgs_injection *injection, const struct cgs_machine *machine,
                      struct cgs_cg_settings *settings);

#endif
