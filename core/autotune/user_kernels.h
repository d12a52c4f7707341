/* Users' kernels: the files named by --kernel=, as candidates of `cgsolve spmv`, and verified
 * before CG uses one. */
#pragma once

#include "core/autotune/battery.h"
#include "core/autotune/candidates.h"
#include "kernels/plugin/plugin.h"

enum { CGS_USER_KERNELS_MOST = 32 };

struct cgs_user_kernels {
    struct cgs_plugin *items[CGS_USER_KERNELS_MOST]; /* owned; in the order of --kernel= */
    int count;
    struct cgs_battery_result results[CGS_USER_KERNELS_MOST];
    bool tried[CGS_USER_KERNELS_MOST];
};

/* Opens the files of --kernel=; if possible, call it before the process has a second thread or
 * an open device. CGS_FILE: as cgs_plugin_open; CGS_USAGE: too many files. Call
 * cgs_user_kernels_close after errors, too. */
enum cgs_status cgs_user_kernels_open(struct cgs_context *context,
                                      const struct cgs_settings *settings,
                                      struct cgs_user_kernels *kernels);
void cgs_user_kernels_close(struct cgs_context *context, struct cgs_user_kernels *kernels);

/* Returns the opened kernel of that word of --kernel=, borrowed; NULL if there is none. */
const struct cgs_plugin *cgs_user_kernels_find(const struct cgs_user_kernels *kernels,
                                               const char *word);

/* Returns what tables call the kernel of that word: as it names itself, or the word where a kernel
 * of ours or another file has that name, or there is none of that word. Borrowed. */
const char *cgs_user_kernels_name(const struct cgs_user_kernels *kernels, const char *word);

/* Tries the kernel of that word on the battery's matrices, once. *result is borrowed. */
enum cgs_status cgs_user_kernels_try(struct cgs_user_kernels *kernels,
                                     const struct cgs_machine *machine, const char *word,
                                     const struct cgs_battery_result **result);

/* Returns what cgs_user_kernels_try has found; NULL: it was not tried, or the word names none.
 * Borrowed. */
const struct cgs_battery_result *cgs_user_kernels_tried(const struct cgs_user_kernels *kernels,
                                                        const char *word);

/* Makes the kernel a candidate on `device` in this precision, with the SELL layout chunk, sigma.
 * The candidate's `reason` says why it cannot be tried there. */
struct cgs_candidate cgs_user_kernels_candidate(const struct cgs_plugin *plugin,
                                                enum cgs_device device,
                                                enum cgs_precision precision, int32_t chunk,
                                                int32_t sigma);

/* Verifies the user's kernel of a solve (machine->external.plugin) on these rows in a separate
 * process, as `cgsolve spmv` does, and on rank 0 on the battery's matrices. CGS_NOT_CONVERGED:
 * it is wrong (the message names the row), crashes or hangs; CGS_MEMORY: it was skipped. */
enum cgs_status cgs_user_kernels_verify(struct cgs_context *context,
                                        const struct cgs_settings *settings,
                                        const struct cgs_machine *machine,
                                        const struct cgs_row_source *source);
