/* The problem of the user's own that options describe by expressions: --source, --exact,
 * --kappa, --reaction, --face, --material, --region, --let. */
#pragma once

#include "core/options/settings.h"
#include "core/options/user_model.h"

/* Makes settings->model of the settings, and lets settings->problem point to it, if there is one
 * among them. CGS_USAGE: an expression or a face is not understood, or options contradict each
 * other. */
enum cgs_status cgs_ask_user_problem(struct cgs_context *context, struct cgs_settings *settings);
/* Releases settings->model. */
void cgs_forget_user_problem(struct cgs_settings *settings);

/* Reads --kappa=FILE and evaluates coefficients and conditions, before any other work of a run.
 * Nothing to do without settings->model, or the second time. CGS_USAGE: a coefficient that is not
 * positive, a value that is not finite; CGS_FILE, CGS_MEMORY. */
enum cgs_status cgs_settle_user_problem(struct cgs_context *context,
                                        const struct cgs_settings *settings);
