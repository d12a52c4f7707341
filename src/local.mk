bin_PROGRAMS += cgsolve
cgsolve_SOURCES = %D%/main.c
cgsolve_LDADD = libcgsolve_program.la libcgsolve_lab.la libcgsolve_ranks.la $(core_libs)

libcgsolve_program_la_SOURCES += \
	%D%/list.c \
	%D%/list.h

# The rooms, bottom to top:
include src/start/local.mk
include src/report/local.mk
include src/lab/local.mk
include src/solve/local.mk
include src/spmv/local.mk
include src/spgemm/local.mk
include src/doctor/local.mk
