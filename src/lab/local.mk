# Shared by the benchmarks spmv and spgemm.
libcgsolve_core_la_SOURCES += \
	%D%/laboratory.c \
	%D%/laboratory.h \
	%D%/times.c \
	%D%/times.h
