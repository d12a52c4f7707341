/* Opens the machine of the options, and fills in the options that depend on it (chunk, launch,
 * tolerance, ...). */
#pragma once

#include "core/options/settings.h"
#include "core/setup/machine.h"

/* Opens the devices and chooses the kernel. --backend=auto takes CUDA if usable, else the CPU, and
 * keeps the reason in machine->why. Afterwards all options of machine, matrix and solver are known,
 * except those that depend on a file's rows. CGS_DEVICE: the backend asked for cannot be used; the
 * message has the remedy. CGS_USAGE: unknown kernel, or a combination that this machine does not
 * support. */
enum cgs_status cgs_machine_open(struct cgs_context *context, struct cgs_settings *settings,
                                 const struct cgs_external *external, struct cgs_machine *machine);

/* Opens the machine without a kernel (`entry` and `kernel` stay NULL). devices: a bit for each
 * device of the kernels in question; decides --backend=auto if there is only one. Afterwards
 * backend, threads and device are known. */
enum cgs_status cgs_machine_open_for(struct cgs_context *context, struct cgs_settings *settings,
                                     int devices, struct cgs_machine *machine);

/* Replaces the kernel by another one of the same device and decides format, layout and launch anew.
 * chunk and sigma are used for SELL only. CGS_USAGE: the machine does not support --launch. */
enum cgs_status cgs_machine_take(struct cgs_context *context, struct cgs_settings *settings,
                                 const struct cgs_kernel_entry *entry, int32_t chunk, int32_t sigma,
                                 struct cgs_machine *machine);

/* Decides --max-iterations of a matrix that is given by rows, unless it is known: in exact
 * arithmetic CG would be done after as many as there are rows; rounding delays it, for
 * ill-conditioned ones several times (up to 8 in bench/results/2026-11-21-spd-files.md), so ten
 * times as many, at least 1000, at most 1e5. */
void cgs_settle_iterations(struct cgs_settings *settings, int64_t rows);

/* Decides --launch anew, unless it is given. */
void cgs_settle_launch(struct cgs_settings *settings, enum cgs_launch launch);

/* Checks --launch without accessing a device; graphs: the space can record graphs. CGS_USAGE: the
 * machine does not support it. */
enum cgs_status cgs_machine_check_launch(struct cgs_context *context,
                                         const struct cgs_settings *settings,
                                         const struct cgs_machine *machine, bool graphs);
