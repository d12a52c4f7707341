libcgsolve_core_la_SOURCES += \
	%D%/assembly.c \
	%D%/assembly.h \
	%D%/cells.c \
	%D%/cells.h \
	%D%/consistency.c \
	%D%/element.h \
	%D%/element_formulas.h \
	%D%/errors.c \
	%D%/errors.h \
	%D%/errors_cells.c \
	%D%/errors_cells.h \
	%D%/exact.c \
	%D%/exact.h \
	%D%/interpolation.c \
	%D%/interpolation.h \
	%D%/lanes.h \
	%D%/load.c \
	%D%/load.h \
	%D%/load_cells.c \
	%D%/mesh.c \
	%D%/mesh.h \
	%D%/polynomials.c \
	%D%/polynomials.h \
	%D%/problem.c \
	%D%/problem.h \
	%D%/tables.c \
	%D%/tables.h
