# what is to be solved, and where: machine, source, mesh, matrix
libcgsolve_core_la_SOURCES += \
	%D%/assemble.c \
	%D%/assemble.h \
	%D%/external.h \
	%D%/input.c \
	%D%/input.h \
	%D%/machine.c \
	%D%/machine.h \
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
