# Command cgsolve spgemm.
libcgsolve_program_la_SOURCES += \
	%D%/multiply.c \
	%D%/multiply.h \
	%D%/multiply_check.c \
	%D%/multiply_check.h \
	%D%/multiply_run.c \
	%D%/multiply_run.h \
	%D%/multiply_slabs.c \
	%D%/multiply_slabs.h \
	%D%/multiply_table.h \
	%D%/multiply_trial.c \
	%D%/multiply_trial.h \
	%D%/traffic.c \
	%D%/traffic.h
