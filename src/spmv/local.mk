# Command cgsolve spmv.
libcgsolve_core_la_SOURCES += \
	%D%/lab_command.c \
	%D%/lab.h \
	%D%/lab_candidates.c \
	%D%/lab_json.c \
	%D%/lab_plot.c \
	%D%/lab_rows.c \
	%D%/lab_run.c \
	%D%/lab_text.c
