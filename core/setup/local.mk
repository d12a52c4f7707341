# what is to be solved, and where: open settings decided for this machine, rows, mesh, matrix
libcgsolve_core_la_SOURCES += \
	%D%/asked.c \
	%D%/asked.h \
	%D%/assemble.c \
	%D%/assemble.h \
	%D%/external.h \
	%D%/gpus.c \
	%D%/gpus.h \
	%D%/input.c \
	%D%/input.h \
	%D%/machine.c \
	%D%/machine.h \
	%D%/machine_foresee.c \
	%D%/machine_foresee.h \
	%D%/machine_kernel.c \
	%D%/machine_kernel.h \
	%D%/machine_open.c \
	%D%/machine_open.h \
	%D%/measure.c \
	%D%/measure.h \
	%D%/part.c \
	%D%/part.h \
	%D%/sell_box.c \
	%D%/sell_box.h \
	%D%/spec.c \
	%D%/spec.h \
	%D%/symmetrise.c \
	%D%/symmetrise.h \
	%D%/there.c \
	%D%/there.h
