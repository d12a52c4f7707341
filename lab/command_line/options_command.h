/* The command, and the options and words given with it. */
#ifndef CGS_LAB_COMMAND_LINE_OPTIONS_COMMAND_H
#define CGS_LAB_COMMAND_LINE_OPTIONS_COMMAND_H

#include "core/options/options.h"

/* Finds the command: the first argument unless that is an option, else `solve`. *taken: number of
 * arguments used: 0, 1, or 2 for the help of `command` (help spmv). CGS_USAGE: unknown command. */
enum cgs_status cgs_options_find_command(struct cgs_context *context, int argc,
                                         const char *const *argv, enum cgs_command *command,
                                         int *taken);
/* Returns true for `help expert`. */
bool cgs_options_for_experts(int argc, const char *const *argv);
/* CGS_USAGE: an option that the command does not take, too many or too few words. */
enum cgs_status cgs_options_check_words(struct cgs_context *context,
                                        const struct cgs_options *options);

#endif
