/* Checks options as cgs_machine_open does, without opening a device. */
#pragma once

#include "core/setup/machine_open.h"

/* Checks options that will be run later, without opening anything: CGS_USAGE if cgs_machine_open
 * would refuse them on every machine, or if the mesh has inverted cells. Decides options that
 * follow from the kernel's name. */
enum cgs_status cgs_machine_foresee(struct cgs_context *context, struct cgs_settings *settings);
