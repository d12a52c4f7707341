# what is to be solved, and where: machine, source, mesh, matrix
libcgsolve_core_la_SOURCES += \
	%D%/assemble.c \
	%D%/assemble.h \
	%D%/input.c \
	%D%/input.h \
	%D%/machine_open.c \
	%D%/machine.h \
	%D%/machine_foresee.c \
	%D%/machine_kernel.c \
	%D%/measure.c \
	%D%/measure.h \
	%D%/sell_box.c \
	%D%/mesh.c \
	%D%/mesh.h \
	%D%/spec.c \
	%D%/spec.h
