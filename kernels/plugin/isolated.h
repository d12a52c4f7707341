/* Kernels that run isolated. Private to kernels/plugin/. */
#pragma once

#include "kernels/plugin/plugin_table.h"
#include "kernels/plugin/wire.h"

/* Fills in the library and the device for a worker. */
void cgs_plugin_address(const struct cgs_plugin *plugin, struct cgs_job *job);

/* Returns how many vectors x, and y, a worker has: as many as take some megabytes. */
int cgs_plugin_slots(const struct cgs_matrix *matrix);

/* struct cgs_kernel.prepare_user, and the steps. */
enum cgs_status cgs_plugin_prepare_isolated(const struct cgs_kernel *kernel,
                                            struct cgs_queue *queue,
                                            const struct cgs_matrix *matrix, void **self);
extern const struct cgs_steps cgs_plugin_steps_isolated;
