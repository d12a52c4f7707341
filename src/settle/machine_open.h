/* Opens the machine that the options ask for, and writes the decisions that follow from it (chunk, launch,
 * tolerance, ...) into the options. */
#ifndef CGS_SRC_SETTLE_MACHINE_OPEN_H
#define CGS_SRC_SETTLE_MACHINE_OPEN_H

#include "src/options/options.h"
#include "src/setup/machine.h"

/* Opens what the options ask for. --backend=auto takes CUDA where it is usable, else the CPU, and
 * keeps the reason. Afterwards every option of machine, matrix and solver is known.
 * CGS_DEVICE: the backend asked for cannot be used, with the remedy. CGS_USAGE: kernel unknown
 * (nearest spelling), or a combination that this machine cannot do. */
enum cgs_status cgs_machine_open(struct cgs_context *context, struct cgs_options *options,
                                 struct cgs_machine *machine);

/* The same without a kernel (`entry` and `kernel` stay NULL), for kernels of these devices (a bit each), which may
 * settle where to compute; backend, threads and device are known afterwards. */
enum cgs_status cgs_machine_open_for(struct cgs_context *context, struct cgs_options *options,
                                     int devices, struct cgs_machine *machine);

/* Another kernel of the same device instead, with what follows from that (launch). chunk and sigma
 * are SELL's. CGS_USAGE: --launch asks for what it cannot do. */
enum cgs_status cgs_machine_take(struct cgs_context *context, struct cgs_options *options,
                                 const struct cgs_kernel_entry *entry, int32_t chunk, int32_t sigma,
                                 struct cgs_machine *machine);

/* Whether --launch fits, without a look at a device; `graphs`: the space can record them. CGS_USAGE. */
enum cgs_status cgs_machine_check_launch(struct cgs_context *context,
                                         const struct cgs_options *options,
                                         const struct cgs_machine *machine, bool graphs);

/* ---- machine_foresee.c ---- */
/* Refuses by CGS_USAGE what cgs_machine_open will refuse whatever this machine is, and a mesh that is
 * turned inside out, without opening anything: of a combination that is to be run later. Options that
 * follow from a kernel's name are settled. */
enum cgs_status cgs_machine_foresee(struct cgs_context *context, struct cgs_options *options);

/* ---- machine_kernel.c: looks at no device ---- */
/* The formats and devices (a bit each) of the kernels of that name. CGS_USAGE with the nearest
 * spelling where there is none. */
enum cgs_status cgs_machine_look_up(struct cgs_context *context, const char *name, int *formats,
                                    int *devices);

/* A kernel's name may settle its format and its device, unless they were asked for. */
enum cgs_status cgs_machine_follow_kernel(struct cgs_context *context, struct cgs_options *options,
                                          enum cgs_backend_choice *backend);
/* What --format=none can't do, and what it alone can. */
enum cgs_status cgs_machine_check_format(struct cgs_context *context,
                                         const struct cgs_options *options);
/* Entry and kernel of machine->device. */
enum cgs_status cgs_machine_choose(struct cgs_context *context, const struct cgs_options *options,
                                   struct cgs_machine *machine);

#endif
