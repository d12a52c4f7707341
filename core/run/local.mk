# Steps of a solve: fill in the report, print nothing.
libcgsolve_core_la_SOURCES += \
	%D%/guard.c \
	%D%/guard.h \
	%D%/inject.c \
	%D%/inject.h \
	%D%/judge.c \
	%D%/judge.h \
	%D%/near_null.c \
	%D%/near_null.h \
	%D%/nullspace.c \
	%D%/nullspace.h \
	%D%/pipeline.c \
	%D%/pipeline.h \
	%D%/run.h \
	%D%/run_box.c \
	%D%/run_box.h \
	%D%/run_caller.c \
	%D%/run_caller.h \
	%D%/run_choose.c \
	%D%/run_choose.h \
	%D%/run_file.c \
	%D%/run_file.h \
	%D%/run_precond.c \
	%D%/run_precond.h \
	%D%/run_ranks.c \
	%D%/run_ranks.h \
	%D%/run_rows.c \
	%D%/run_rows.h \
	%D%/run_solve.c \
	%D%/run_solve.h \
	%D%/run_vectors.c \
	%D%/run_vectors.h \
	%D%/steps.c \
	%D%/steps.h \
	%D%/why.c \
	%D%/why.h
