/* The kernel of a run: by name, format, device, precision and --reproducible. */
#pragma once

#include "core/options/settings.h"
#include "core/setup/machine.h"

/* Sets a bit for each format and each device of the kernels of that name. CGS_USAGE: there is none;
 * the message has the nearest name. */
enum cgs_status cgs_machine_look_up(struct cgs_context *context, const char *name, int *formats,
                                    int *devices);

/* Decides format and backend if the kernel's name leaves one choice and they were not asked for.
 * CGS_USAGE: the kernel does not go with --chunk, --sigma or --device. */
enum cgs_status cgs_machine_follow_kernel(struct cgs_context *context,
                                          struct cgs_settings *settings,
                                          const struct cgs_external *external,
                                          enum cgs_backend_choice *backend);

/* CGS_USAGE: --format=none without the model problem's mesh, or an N that only --format=none
 * supports. */
enum cgs_status cgs_machine_check_format(struct cgs_context *context,
                                         const struct cgs_settings *settings);

/* Chooses entry and kernel on machine->device. CGS_USAGE: there is none for these options. */
enum cgs_status cgs_machine_choose(struct cgs_context *context, const struct cgs_settings *settings,
                                   struct cgs_machine *machine);
