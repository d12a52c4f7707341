/* Options that do not go together. */
#pragma once

#include "core/options/options.h"

/* CGS_USAGE: options that do not go together, on any machine. Expressions are not read yet. */
enum cgs_status cgs_options_check_rules(struct cgs_context *context, const struct cgs_options *o);
/* CGS_USAGE: --resume, --draw or --figures without the place of what is there. */
enum cgs_status cgs_options_check_folder(struct cgs_context *context, const struct cgs_options *o);
