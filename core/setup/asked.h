/* Translates options into the settings of the modules that make a run, which do not depend on
 * options. */
#pragma once

#include "core/options/settings.h"
#include "core/setup/input.h"
#include "core/setup/spec.h"

/* Returns the mesh of the options. */
struct cgs_mesh cgs_mesh_asked(const struct cgs_settings *settings);

/* Returns the settings of the source of rows; strings and rows are borrowed from the options. */
struct cgs_input_settings cgs_input_asked(const struct cgs_settings *settings,
                                          const struct cgs_external *external);

/* Decides --assemble=auto. CGS_USAGE: --assemble=device, but the device cannot assemble the
 * matrix. */
enum cgs_status cgs_assembly_decide(struct cgs_context *context, struct cgs_settings *settings,
                                    const struct cgs_machine *machine);

/* Returns what applies the matrices of a spec's cycles if `entry` applies CG's: its table in their
 * numbers. Algebraic multigrid's copy of a SELL matrix on the CPU is compressed, which reads fewer
 * bytes for the same sums, unless the kernel was asked for. */
const struct cgs_kernel *cgs_cycle_kernel(const struct cgs_spec *spec,
                                          const struct cgs_kernel_entry *entry, bool automatic);

/* Returns the specification of a run on an open machine. laid: layout of a matrix given by rows,
 * borrowed; NULL: the model problem, or not read yet. */
struct cgs_spec cgs_spec_asked(const struct cgs_settings *settings,
                               const struct cgs_machine *machine, const struct cgs_matrix *laid);
