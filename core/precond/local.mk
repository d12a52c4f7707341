# preconditioners: hierarchies, AMG, Galerkin products
libcgsolve_core_la_SOURCES += \
	%D%/amg.c \
	%D%/amg.h \
	%D%/amg_adaptive.c \
	%D%/amg_adaptive.h \
	%D%/amg_coarsen.c \
	%D%/amg_coarsen.h \
	%D%/amg_level.h \
	%D%/amg_plan.c \
	%D%/amg_plan.h \
	%D%/amg_shared.c \
	%D%/amg_shared.h \
	%D%/galerkin.c \
	%D%/galerkin.h \
	%D%/galerkin_sizes.c \
	%D%/galerkin_sizes.h \
	%D%/grids.c \
	%D%/grids.h \
	%D%/hierarchy.c \
	%D%/hierarchy.h \
	%D%/hierarchy_galerkin.c \
	%D%/hierarchy_galerkin.h \
	%D%/level.h \
	%D%/modes.c \
	%D%/modes.h \
	%D%/preconditioner.c \
	%D%/preconditioner.h \
	%D%/preconditioner_fdm.c \
	%D%/preconditioning.c \
	%D%/preconditioning.h \
	%D%/rigid_body.c \
	%D%/rigid_body.h \
	%D%/shared.c \
	%D%/shared.h \
	%D%/sharing.c \
	%D%/sharing.h
