# Shared by the benchmarks spmv and spgemm.
libcgsolve_program_la_SOURCES += \
	%D%/laboratory.c \
	%D%/laboratory.h
