# cgsolve solve
libcgsolve_program_la_SOURCES += \
	%D%/solve.c \
	%D%/solve.h
