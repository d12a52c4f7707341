/* Chooses the kernel of a run by name, format, device, precision and --reproducible. */
#ifndef CGS_CORE_SETTLE_MACHINE_KERNEL_H
#define CGS_CORE_SETTLE_MACHINE_KERNEL_H

#include "core/settle/machine_open.h"

/* Sets a bit for each format and each device of the kernels of that name. CGS_USAGE: there is none;
 * the message has the nearest name. */
enum cgs_status cgs_machine_look_up(struct cgs_context *context, const char *name, int *formats,
                                    int *devices);

#endif
