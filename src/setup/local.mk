# what is to be solved, and where: machine, source, mesh, matrix
libcgsolve_core_la_SOURCES += \
	%D%/asked.c \
	%D%/asked.h \
	%D%/assemble.c \
	%D%/assemble.h \
	%D%/input.c \
	%D%/input.h \
	%D%/machine.c \
	%D%/machine.h \
	%D%/machine_foresee.c \
	%D%/machine_kernel.c \
	%D%/machine_open.c \
	%D%/machine_open.h \
	%D%/measure.c \
	%D%/measure.h \
	%D%/sell_box.c \
	%D%/spec.c \
	%D%/spec.h
