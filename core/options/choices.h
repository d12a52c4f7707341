/* Values of the options of kind CHOICE (names in choices.def), for modules that take settings and
 * do not depend on options. */
#pragma once

#include "kernels/registry.h"
#include "solver/cg/cg.h"

enum cgs_backend_choice {
    CGS_BACKEND_CPU = CGS_CPU,
    CGS_BACKEND_CUDA = CGS_CUDA,
    CGS_BACKEND_AUTO
};
/* Left to the run, which decides before CG sees it. */
#define CGS_LAUNCH_AUTO ((enum cgs_launch)(CGS_LAUNCH_PERSISTENT + 1))
enum cgs_assemble { CGS_ASSEMBLE_HOST, CGS_ASSEMBLE_DEVICE, CGS_ASSEMBLE_AUTO };
/* CGS_PRECOND_NONE, CGS_PRECOND_JACOBI, ... */
enum cgs_precond {
#define CGS_PRECONDITIONER(code, ...) CGS_PRECOND_##code,
#include "core/options/preconditioners.def"
#undef CGS_PRECONDITIONER
    CGS_PRECONDS
};
enum cgs_precond_trait {
    CGS_PRECOND_CYCLES = 1,     /* has multigrid cycles; they, and lines, in --precond-precision */
    CGS_PRECOND_GRIDS = 2,      /* needs the grids of the model problem */
    CGS_PRECOND_AGGREGATES = 4, /* builds its grids from the matrix entries; takes --strength */
    CGS_PRECOND_LINES = 8       /* needs the lines of the box */
};
enum cgs_precond_precision { CGS_CYCLE_SINGLE, CGS_CYCLE_DOUBLE, CGS_CYCLE_AUTO };
enum cgs_coarse { CGS_COARSE_REDISCRETIZE, CGS_COARSE_GALERKIN };
enum cgs_reuse { CGS_REUSE_NONE, CGS_REUSE_PATTERN, CGS_REUSE_ALL };
enum cgs_guess { CGS_GUESS_ZERO, CGS_GUESS_FMG, CGS_GUESS_FILE /* no word, but its name */ };
enum cgs_scaling_kind { CGS_SCALING_STRONG, CGS_SCALING_WEAK };
enum cgs_partition { CGS_PARTITION_CONTIGUOUS, CGS_PARTITION_METIS, CGS_PARTITION_SCOTCH };
/* CGS_FIGURES_PDF: beside SVG, which pages hold. */
enum cgs_figures { CGS_FIGURES_SVG, CGS_FIGURES_PDF };
enum cgs_sort { CGS_SORT_NO, CGS_SORT_YES };
enum cgs_stop { CGS_STOP_RESIDUAL, CGS_STOP_DISCRETIZATION };
