/* The command line, read by the tables of options and commands. */
#pragma once

#include "core/options/arguments.h"
#include "core/options/options.h"

/* Reads the command line; stops at --help, --usage or --version. After a wrong option it reads the
 * others, so that options->json is known for the report of the failure. CGS_USAGE: unknown option
 * or command (the message has the nearest spelling), an option given twice, invalid value,
 * contradictory options. Call cgs_options_release after errors, too. */
enum cgs_status cgs_options_parse(struct cgs_context *context, int argc, const char *const *argv,
                                  struct cgs_options *options);
/* The same for words of which some are from files, whose place is then in the message. The
 * context may have failed while they were read: the status is not CGS_OK then. Keeps `arguments`
 * borrowed. */
enum cgs_status cgs_options_parse_arguments(struct cgs_context *context,
                                            const struct cgs_arguments *arguments,
                                            struct cgs_options *options);
