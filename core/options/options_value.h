/* Options of their texts. */
#pragma once

#include "core/options/options.h"

/* Reads `text` into the option's field; TEXT and SLICE borrow it. CGS_USAGE: invalid or out of
 * range. */
enum cgs_status cgs_options_take(struct cgs_context *context, struct cgs_options *options,
                                 enum cgs_option_id id, const char *text);

/* Sets the defaults of `solve`. */
enum cgs_status cgs_options_start(struct cgs_context *context, struct cgs_options *options);
/* Finds the option of that name, without dashes. CGS_USAGE: unknown; the message has the nearest
 * spelling. */
enum cgs_status cgs_options_find(struct cgs_context *context, const char *name,
                                 enum cgs_option_id *id);
/* Call after the last option: checks combinations and decides options that follow from others.
 * CGS_USAGE: contradictory options. */
enum cgs_status cgs_options_settle(struct cgs_context *context, struct cgs_options *options);

/* Releases what the options own; after errors, too. */
void cgs_options_release(struct cgs_options *options);
