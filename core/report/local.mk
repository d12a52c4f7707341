# The report that a run fills, the plan in it before the work, the pictures of it after.
libcgsolve_core_la_SOURCES += \
	%D%/pictures.c \
	%D%/pictures.h \
	%D%/planning.c \
	%D%/planning.h \
	%D%/planning_ranks.c \
	%D%/planning_ranks.h \
	%D%/report.c \
	%D%/report.h
