/* The registry: the only list of kernels and backends. Those that this build lacks are listed, too,
 * with the reason. */
#pragma once

#include "base/context.h"
#include "base/linkage.h"
#include "kernels/backend.h"
#include "kernels/kernel.h"

CGS_BEGIN_C

/* Builds of the kernel sources (kernels/precision.h), and mixed precision: its kernels are those of
 * its iterations, in single; the equation uses the CGS_PRECISION_F64 table of the same line. */
enum cgs_precision {
    CGS_PRECISION_F64,
    CGS_PRECISION_F32,
    CGS_PRECISION_F64V32,
    CGS_PRECISIONS,
    CGS_PRECISION_MIXED = CGS_PRECISIONS
};

enum cgs_number cgs_precision_real(enum cgs_precision precision);
enum cgs_number cgs_precision_value(enum cgs_precision precision);
/* Returns the precision of matrices whose values and vectors are such numbers. */
enum cgs_precision cgs_number_precision(enum cgs_number number);
const char *
cgs_precision_name(enum cgs_precision precision); /* "double", "single", "f64v32", "mixed" */

struct cgs_kernel_entry {
    const char *name;
    enum cgs_device device;
    enum cgs_format format;
    bool automatic; /* taken by --kernel=auto for the model problem, for its device and format */
    const char *description;
    const struct cgs_kernel *tables[CGS_PRECISIONS + 1]; /* NULL if this build lacks the device */
};

/* Returns all lines of kernels.def in order, *count of them. */
const struct cgs_kernel_entry *cgs_kernels(int *count);

/* Returns the backend of a device, or NULL if this build lacks it. */
const struct cgs_backend *cgs_backend(enum cgs_device device);
const char *cgs_device_name(enum cgs_device device); /* "cpu", "cuda" */
/* Returns why cgs_backend is NULL, and the remedy. */
const char *cgs_backend_reason(enum cgs_device device);

/* Finds the kernel of that name for a device and format. "auto" is the automatic one of the model
 * problem; for other matrices candidates are measured (core/autotune/choose.h).
 * CGS_USAGE: no such kernel; the message has the nearest name. CGS_DEVICE: this build has no code
 * for the device. */
enum cgs_status cgs_kernel_find(struct cgs_context *context, const char *name,
                                enum cgs_device device, enum cgs_format format,
                                const struct cgs_kernel_entry **entry);

/* Returns true if the kernel gives the same bits in every run, a device's on any number of such
 * devices: what --reproducible takes. */
static inline bool cgs_kernel_repeats(const struct cgs_kernel *kernel, enum cgs_device device)
{
    return kernel->reproducible && (device == CGS_CPU || kernel->by_rows);
}

CGS_END_C
