libcgsolve_core_la_SOURCES += \
	%D%/cg/cg.c \
	%D%/cg/cg.h \
	%D%/cg/cg_create.c \
	%D%/cg/cg_internal.h \
	%D%/cg/cg_launch.c \
	%D%/cg/cg_residual.c \
	%D%/cg/cg_result.c \
	%D%/cg/cg_steps.c \
	%D%/cg/lanczos.c \
	%D%/cg/lanczos.h \
	%D%/callback.c \
	%D%/callback.h \
	%D%/jacobi.c \
	%D%/multigrid.c \
	%D%/multigrid.h \
	%D%/multigrid_plan.c \
	%D%/operator.c \
	%D%/operator.h \
	%D%/profile.c \
	%D%/profile.h \
	%D%/ranks.c \
	%D%/ranks.h \
	%D%/smoother.c \
	%D%/smoother.h \
	%D%/transfer.c \
	%D%/transfer.h \
	%D%/transfer_matrix.c
