/* The grids of multigrid before they exist: what they will hold, what a cycle moves, what the
 * report says of them. */
#pragma once

#include "core/precond/galerkin_sizes.h"
#include "core/setup/spec.h"
#include "solver/multigrid.h"

struct cgs_grids {
    struct cgs_grid_spec {
        struct cgs_spec forecast;
        struct cgs_matrix matrix;
        struct cgs_operator op; /* cgs_spec_operator */
        struct cgs_transfer transfer; /* what it moves, no more; not of the coarsest */
        bool borrowed;          /* CG's own, of the finest grid */
        bool product; /* a Galerkin product: the forecast's kernel and format are those of it */
    } level[CGS_GRIDS];
    struct cgs_galerkin_sizes products[CGS_GRIDS]; /* where forecast->coarse */
    struct cgs_multigrid_settings
        settings; /* count; points into `level`: the struct stays where it is */
};

/* Specifies the grids of a run with forecast->grids. */
void cgs_grids_specify(const struct cgs_spec *forecast, struct cgs_grids *grids);

/* A line for each grid and place: operators, vectors, transfers, the coarsest grid's inverse;
 * and one of what makes Galerkin products, as if it stood to the end. */
void cgs_grids_plan(const struct cgs_spec *forecast, struct cgs_plan *plan);

/* Returns the bytes that grid l takes of the memory that it is in; outer: the numbers of CG. */
int64_t cgs_grids_bytes(const struct cgs_grids *grids, int l, enum cgs_number outer);

/* CGS_OK, or why the kernel does not take the matrix of a grid. */
enum cgs_status cgs_grids_accept(struct cgs_context *context, const struct cgs_spec *forecast);
