/* The way into a handle for the library of a message-passing system (libcgsolve_mpi): libcgsolve
 * itself knows none. Not installed: both libraries are of one build, which is checked. */
#pragma once

#include <stddef.h>

#include "base/comm.h"
#include "include/cgsolve/cgsolve.h"

/* Traits of the build that libcgsolve and the library of ranks must have in common. */
struct cgs_join_build {
    int version; /* CGSOLVE_VERSION */
    size_t comm_bytes, ops_bytes;
};
#define CGS_JOIN_BUILD                                                                             \
    ((struct cgs_join_build){CGSOLVE_VERSION, sizeof(struct cgs_comm), sizeof(struct cgs_comm_ops)})

struct cgs_join {
    struct cgs_join_build build; /* of who fills this in */
    struct cgs_comm *comm;
    bool one_thread; /* the process may have one thread only */
    /* Returns why no operation can be called now by this thread; NULL: it can. */
    const char *(*unfit)(const struct cgs_comm *comm);
    void (*release)(struct cgs_comm *comm);
};

/* Makes the ranks of join->comm, all of which call this, those that work together with the
 * handle from now on, in the place of others; its matrix is forgotten. `function` is the public
 * function's name, for messages. CGSOLVE_OK: the handle owns join->comm. Else the caller keeps
 * it: CGSOLVE_USAGE: the handle is NULL or in use, or another build. Where `status` is not
 * CGSOLVE_OK, nobody joins, and the call returns that, with `why` as its message. */
enum cgsolve_status cgsolve_join_ranks(struct cgsolve *solver, const char *function,
                                       enum cgsolve_status status, const char *why,
                                       const struct cgs_join *join);
