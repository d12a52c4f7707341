# Steps of a solve: fill in the report, print nothing.
libcgsolve_core_la_SOURCES += \
	%D%/guard.c \
	%D%/guard.h \
	%D%/inject.c \
	%D%/inject.h \
	%D%/judge.c \
	%D%/judge.h \
	%D%/pictures.c \
	%D%/pictures.h \
	%D%/planning.c \
	%D%/planning_ranks.c \
	%D%/planning.h \
	%D%/report.c \
	%D%/report.h \
	%D%/run.c \
	%D%/run.h \
	%D%/run_box.c \
	%D%/run_file.c \
	%D%/run_handed.c \
	%D%/run_ranks.c \
	%D%/run_rows.c \
	%D%/run_solve.c \
	%D%/run_start.c \
	%D%/run_vectors.c \
	%D%/why.c \
	%D%/why.h
