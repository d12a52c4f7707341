/* Settings of the solver: traits of the preconditioner, and what of grids and cycles follows
 * from it. */
#pragma once

#include "core/options/settings.h"

/* Returns true if the preconditioner has that trait. */
bool cgs_precond_is(enum cgs_precond precond, enum cgs_precond_trait trait);
/* Returns the default degree of its polynomial or smoother; 0: it has none. */
int cgs_precond_degree(enum cgs_precond precond);
/* Returns true if grids of the model problem are made: for --precond=mg or --guess=fmg. */
bool cgs_settings_grids(const struct cgs_settings *settings);
/* Returns true if there are multigrid cycles: on such grids, or with --precond=amg. */
bool cgs_settings_cycles(const struct cgs_settings *settings);
/* Returns the number type of the preconditioner's cycles, or of the start vector's if it has
 * none. */
enum cgs_number cgs_settings_cycle(const struct cgs_settings *settings);
/* Returns the numbers of fdm's transforms: those of CG, unless --precond-precision=single. */
enum cgs_number cgs_settings_transform(const struct cgs_settings *settings);
/* CGS_USAGE: the kernel cannot be used on grids, or has no entries for --precond=amg. entry NULL:
 * the kernel is not chosen yet. */
enum cgs_status cgs_settings_check_grids(struct cgs_context *context,
                                         const struct cgs_settings *settings,
                                         const struct cgs_kernel_entry *entry);
/* Decides --precond for --precond=auto, and why: a clause. */
void cgs_settings_take_precond(struct cgs_settings *settings, enum cgs_precond precond,
                               const char *why);
/* Decides --degree and --strength if they were left open. */
void cgs_settings_settle_solver(struct cgs_settings *settings);
