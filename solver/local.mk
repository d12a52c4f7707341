libcgsolve_core_la_SOURCES += \
	%D%/cg.c \
	%D%/cg.h \
	%D%/cg_create.c \
	%D%/cg_iterate.c \
	%D%/cg_iterate.h \
	%D%/cg_loop.c \
	%D%/cg_loop.h \
	%D%/cg_outcome.c \
	%D%/cg_outcome.h \
	%D%/cg_range.c \
	%D%/cg_range.h \
	%D%/cg_steps.c \
	%D%/cg_update.c \
	%D%/cg_update.h \
	%D%/jacobi.c \
	%D%/lanczos.c \
	%D%/lanczos.h \
	%D%/multigrid.c \
	%D%/multigrid.h \
	%D%/multigrid_plan.c \
	%D%/operator.c \
	%D%/operator.h \
	%D%/smoother.c \
	%D%/smoother.h \
	%D%/transfer.c \
	%D%/transfer.h \
	%D%/transfer_matrix.c
