/* --gpus: how many ranks this program is to be, before it is more than one. */
#pragma once

#include "core/options/settings.h"
#include "kernels/backend.h"

/* Sets *ranks to the number of processes that solve: 1, or as --gpus asks for, all of which is
 * replaced by the devices that there are; without --gpus, as CGSOLVE_RANKS says. Devices are
 * counted by a child: CUDA does not survive the fork that follows. CGS_USAGE: more devices than
 * there are, a user's kernel for several ranks, or CGSOLVE_RANKS is no number; CGS_DEVICE: no
 * driver, no device, no CUDA in this build; CGS_MEMORY. */
enum cgs_status cgs_gpus_ranks(struct cgs_context *context, struct cgs_settings *settings,
                               int *ranks);

/* Measures the link between the first two devices, in a child, too. Returns false where there
 * are no two, or no link. */
bool cgs_gpus_link(struct cgs_link *link);
