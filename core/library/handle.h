/* The handle of libcgsolve: how it keeps things, and lets go of them. */
#pragma once

#include "core/library/library.h"

/* Gives back the run; what its report knows stays. */
void cgs_library_close(struct cgsolve *solver);

/* Gives back what the report of the last solve owns. */
void cgs_library_forget(struct cgsolve *solver);

/* Leaves the handle without a matrix. */
void cgs_library_forget_matrix(struct cgsolve *solver);

/* Rows of the matrix, of several ranks this one's; 0: there are none, or they are not known: of
 * a file that has not been read since options changed, or on several ranks of the box. */
int64_t cgs_library_unknowns(const struct cgsolve *solver);

/* Returns the other ranks of the handle; NULL: it is alone. */
struct cgs_comm *cgs_library_comm(const struct cgsolve *solver);

/* Returns true if CG alone reads the option: a new value keeps the rest of the set-up. */
bool cgs_library_of_cg(enum cgs_option_id id);

/* Keeps a copy of value (NULL: none) as that of an option, checked before, or adds it to those of
 * an option that may be given several times; the next solve sets up anew what depends on it.
 * CGS_MEMORY: nothing is changed. */
/* Makes the next solve make CG anew, and keep what else there is of the set-up; of a box all is
 * made anew. */
void cgs_library_renew_solver(struct cgsolve *solver);

enum cgs_status cgs_library_keep(struct cgsolve *solver, enum cgs_option_id id, const char *value);

struct cgs_library_call;

/* The end of a call that gives the handle a matrix of that kind, or has failed. */
enum cgsolve_status cgs_library_end_matrix(struct cgs_library_call *call,
                                           enum cgs_library_matrix matrix);

/* Forgets the rows of the caller. */
void cgs_library_forget_arrays(struct cgsolve *solver);

/* Counts the unknowns of the box by the options that they follow from; 0 where the context says why
 * not. */
int64_t cgs_library_unknowns_of_box(struct cgs_context *context, const struct cgsolve *solver);
