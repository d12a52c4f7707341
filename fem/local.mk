libcgsolve_core_la_SOURCES += \
	%D%/assembly.c \
	%D%/assembly.h \
	%D%/consistency.c \
	%D%/element.h \
	%D%/errors.c \
	%D%/errors.h \
	%D%/interpolation.c \
	%D%/interpolation.h \
	%D%/load.c \
	%D%/problem.c \
	%D%/problem.h \
	%D%/tables.c \
	%D%/tables.h
