/* Entry of a user's kernel. Private to kernels/user/. */
#ifndef CGS_KERNELS_USER_FOREIGN_INTERNAL_H
#define CGS_KERNELS_USER_FOREIGN_INTERNAL_H

#include "kernels/user/foreign.h"
#include "kernels/user/wire.h"

struct cgs_foreign_table {
    struct cgs_kernel kernel; /* first member: argument of prepare_own */
    const struct cgs_foreign *foreign;
    enum cgs_number number;
};

struct cgs_foreign {
    char path[4096];    /* as given by the user */
    char library[4096]; /* as loaded by this process */
    char description[256];
    char broken[512];
    char uncontained[64];
    int index;    /* of the device */
    bool prepares;
    int compiled; /* descriptor of a compiled library, else -1 */
    const char *preload; /* library to be loaded before all others in its processes; "": none */
    int said;     /* checked: descriptor of what its processes print, else -1 */
    char warnings[1200];
    const struct cgs_foreign_check *check; /* NULL: a product */
    struct cgs_pulse *pulse;
    struct cgs_kernel_entry apart, here;
    struct cgs_foreign_table tables[2][CGS_NUMBERS];
};

/* Fills in the library and the device for a worker. */
void cgs_foreign_address(const struct cgs_foreign *foreign, struct cgs_job *job);

/* Returns how many vectors x, and y, a worker has: as many as take some megabytes. */
int cgs_foreign_slots(const struct cgs_matrix *matrix);

/* The tables of kernels that run apart (apart.c). */
enum cgs_status cgs_foreign_prepare_apart(const struct cgs_kernel *kernel, struct cgs_queue *queue,
                                          const struct cgs_matrix *matrix, void **self);
extern const struct cgs_steps cgs_foreign_steps_apart;

#endif
