/* Where the box is computed: matrix, load vector and error norms by the host's threads, or by the
 * device into its own memory (--assemble). */
#ifndef CGS_SRC_SETUP_ASSEMBLE_H
#define CGS_SRC_SETUP_ASSEMBLE_H

#include "kernels/box.h"
#include "solver/operator.h"
#include "src/setup/machine.h"

/* What the device computes by; NULL where the host does. */
const struct cgs_assembly_ops *cgs_assemble_box(const struct cgs_options *options,
                                                const struct cgs_machine *machine);

/* The device computes the matrix as well: --assemble=device, or auto, and nothing against it. */
bool cgs_assemble_matrix(const struct cgs_options *options, const struct cgs_machine *machine);

/* Whether the run holds all unknowns on the host, and whether numbers go to the device or back
 * (through pinned staging). */
bool cgs_assemble_holds(const struct cgs_options *options, const struct cgs_machine *machine);
bool cgs_assemble_sends(const struct cgs_options *options, const struct cgs_machine *machine);

/* Settles auto. CGS_USAGE: the device was asked for and can't, with the reason. */
enum cgs_status cgs_assemble_decide(struct cgs_context *context, struct cgs_options *options,
                                    const struct cgs_machine *machine);

/* M = D^-1 of `op`, whose rows `source` gives (cgs_jacobi_create), by the device where it can. */
enum cgs_status cgs_assemble_jacobi(const struct cgs_options *options,
                                    const struct cgs_machine *machine,
                                    const struct cgs_operator *op,
                                    const struct cgs_row_source *source,
                                    struct cgs_operator *jacobi);

/* A problem as the plain data that a device takes. */
struct cgs_box_problem cgs_assemble_problem(const struct cgs_problem *problem,
                                            const struct cgs_mesh *mesh);

#endif
