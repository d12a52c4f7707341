/* A matrix in the memory of a device, of the library's caller or made there, as a row source. It
 * stays where it is: the host gets the row pointers where somebody asks for them, and entries
 * where a row has to be shown. */
#pragma once

#include "core/setup/external.h"
#include "core/setup/machine.h"
#include "kernels/rows.h"
#include "kernels/sparse.h"
#include "matrix/matrix.h"

struct cgs_there {
    const struct cgs_rows_ops *ops;
    struct cgs_queue *queue; /* borrowed */
    int64_t rows, columns, nonzeros;
    struct cgs_device_rows there; /* those given, but for pointers that were of 32 bits */
    int64_t *wide;                /* those; in the device's memory, owned; NULL: none were */
    int64_t *pointers;            /* on the host; owned; NULL: not asked for */
    struct cgs_rows_findings findings;
};

/* Checks arrays and rows. CGS_USAGE: the machine computes on the host, or an array is not in the
 * device's memory, or begins in the middle of 16 bytes. CGS_FILE: as cgs_crs_check. CGS_MEMORY,
 * CGS_DEVICE. To be released, also after a failure. */
enum cgs_status cgs_there_open(struct cgs_context *context, const struct cgs_machine *machine,
                               const struct cgs_caller_rows *rows, struct cgs_there *there);
/* Takes new values of such rows on the same pattern, with the same checks. */
enum cgs_status cgs_there_renew(struct cgs_context *context, const struct cgs_machine *machine,
                                const struct cgs_caller_rows *rows, struct cgs_there *there);
/* Takes a matrix that set-up has made, whose arrays begin as kernels need them: layouts copy it, as
 * it goes before them. Only its pointers are looked at. Nothing to release. CGS_MEMORY,
 * CGS_DEVICE. */
enum cgs_status cgs_there_made(const struct cgs_machine *machine, const struct cgs_sparse *m,
                               struct cgs_there *there);
/* Brings the pointers to the host, for whoever needs more than a layout by rows on the device. */
enum cgs_status cgs_there_bring(struct cgs_context *context, struct cgs_there *there);
void cgs_there_release(struct cgs_context *context, struct cgs_there *there);

/* Returns it as a row source, whose rows are slow to read where the pointers are not on the
 * host; *there must not move. */
struct cgs_row_source cgs_there_source(const struct cgs_there *there);
