/* The settings of the modules that make a run, from its options: below them nobody knows an option. */
#ifndef CGS_SRC_SETTLE_ASKED_H
#define CGS_SRC_SETTLE_ASKED_H

#include "src/options/options.h"
#include "src/setup/input.h"
#include "src/setup/spec.h"

/* The mesh that the options ask for, with n unknowns in each direction. */
struct cgs_mesh cgs_mesh_asked(const struct cgs_options *options, int64_t n);

/* The source of the matrix's rows. */
struct cgs_input_settings cgs_input_asked(const struct cgs_options *options);

/* Settles --assemble=auto. CGS_USAGE: the device was asked for and cannot, with the reason. */
enum cgs_status cgs_assembly_decide(struct cgs_context *context, struct cgs_options *options,
                                    const struct cgs_machine *machine);

/* The run on a machine that is open; `laid`: a file's matrix, laid out, NULL: the box, or not read yet. */
struct cgs_spec cgs_spec_asked(const struct cgs_options *options, const struct cgs_machine *machine,
                               const struct cgs_matrix *laid);

#endif
