/* The problem of a run: mesh, matrix and operator as they will be, before they are made. */
#pragma once

#include "core/setup/machine.h"
#include "fem/user_problem/user_problem.h"
#include "kernels/box.h"
#include "kernels/near_null.h"
#include "kernels/spgemm.h"

struct cgs_writer; /* core/field/writer.h */

/* The problem of a run before anything is made: all that memory, traffic and choices depend on. */
struct cgs_spec {
    const struct cgs_backend *backend;
    const struct cgs_kernel *kernel;
    const struct cgs_kernel *outer; /* mixed precision: of the equation, in double; else NULL */
    enum cgs_precision precision;
    enum cgs_format format;
    int32_t chunk; /* 1 for CRS */
    int32_t sigma; /* 1 for CRS */
    struct cgs_mesh mesh;
    const struct cgs_user_problem
        *user; /* a problem of the user's own, borrowed; NULL: a built-in one */
    /* A file's matrix, laid out as the format says; borrowed. NULL: the box of `mesh`. */
    const struct cgs_matrix *laid;
    bool borrowed; /* the rows are in the caller's memory and take none of the run's */
    enum cgs_precond precond;
    bool guided;                    /* the library's caller brings the preconditioner */
    /* Constants may solve A x = 0: of a box whose faces have no values; of other rows where the
     * run says so. */
    bool constants;
    int degree;                     /* of its polynomial */
    double strength;                /* of amg's aggregates */
    enum cgs_reuse reuse;           /* of amg's set-up when there are new values */
    struct cgs_near_null_asked near;
    bool grids;                     /* of multigrid on the box: core/precond/grids.h */
    int64_t whole_n;                /* --whole-grids: largest replicated grid; < 0: by a rule */
    const struct cgs_kernel *cycle; /* what applies their matrices, in its numbers; else NULL */
    const struct cgs_kernel_entry *low; /* applies those of order 1 under a mesh of higher order,
                                           where matrices have no entries; else NULL */
    enum cgs_number cycle_number;
    enum cgs_number transform_number;         /* of fdm */
    const struct cgs_spgemm_kernel *products; /* of set-up, amg's or Galerkin's; else NULL */
    const struct cgs_kernel_entry *coarse;    /* --coarse=galerkin: applies products; else NULL */
    bool started;     /* --guess=fmg: needs grids in the precision of the equation */
    int read_vectors; /* vectors read from files to the host: --guess, and --rhs of the box */
    enum cgs_cg_method method;
    int64_t max_iterations;
    int rank, ranks; /* 0 and 1 of a process alone */
    bool fixed;      /* sums of a device over blocks that do not depend on how ranks are cut */
    bool bare;       /* x is 0 at first, and b - A x is not drawn: CG may do with b and x */
    bool profiled;
    int threads;
    /* Tables by which the device computes entries, and load vector and errors; NULL: the host
     * computes these. */
    const struct cgs_assembly_ops *box, *load;
    bool on_device;                  /* all entries of the matrix are computed there */
    bool holds;                      /* the host holds a vector of all unknowns */
    bool sends;                      /* numbers pass through pinned staging memory */
    const struct cgs_writer *fields; /* of --output; NULL: none, or a vector */
    int slices;                      /* of --slice */
};

/* Describes the matrix before it exists: pointers NULL; for the box its mesh and exact counts, but
 * not `unsorted`; for a file a copy of its layout. */
void cgs_spec_matrix(const struct cgs_spec *forecast, struct cgs_matrix *matrix);

/* Returns the rows of which ranks own whole multiples, of `rows` in all. */
int64_t cgs_spec_unit(const struct cgs_spec *spec, int64_t rows);

/* Reduces the matrix of a box to the rows of the spec's rank: entries at most, as if all rows were
 * as long as the longest one. Returns the numbers of other ranks ("ghosts") that a vector has room
 * for, at most; 0 of a process alone. A file's matrix is laid out for the rank already and stays as
 * it is. */
int64_t cgs_spec_take_part(const struct cgs_spec *spec, struct cgs_matrix *matrix);

/* Adds the memory of kappa where it is a number of each cell; on several ranks each has all of
 * it. */
void cgs_spec_plan_kappa(const struct cgs_mesh *mesh, enum cgs_place place, struct cgs_plan *plan);

/* An operator of that matrix that tells what it will be, but can't be applied: steps, and of its
 * domain size, footprint, number, place. */
struct cgs_operator cgs_spec_operator(const struct cgs_spec *forecast,
                                      const struct cgs_matrix *matrix);

/* The same of any kernel. */
struct cgs_operator cgs_spec_operator_of(const struct cgs_backend *backend,
                                         const struct cgs_kernel *kernel,
                                         enum cgs_precision precision,
                                         const struct cgs_matrix *matrix);

/* Returns what spec->low is to be: the first kernel of the device that takes the mesh of order 1
 * with the same cells. */
const struct cgs_kernel_entry *cgs_spec_low(const struct cgs_spec *spec);

/* CGS_OK, or why a kernel of the run cannot take the matrix. */
enum cgs_status cgs_spec_accepts(struct cgs_context *context, const struct cgs_spec *forecast);

/* --max-iterations where it is not given: 20 n for n unknowns a direction, n those of the longest
 * side were all cells cubes of the shortest one, since the condition number grows with (longest /
 * shortest)^2; where kappa jumps by a factor R sqrt(R) times that (the condition number grows with
 * R), and p times that for order p. At most a million. */
int64_t cgs_default_iterations(const struct cgs_mesh *mesh);
