# MPI is seen by operations.c and mpi.c alone, for which there is a stand-in, and by
# core/library/library_mpi.c. libcgsolve needs none of them; libcgsolve_mpi has operations.c, too.
libcgsolve_core_la_SOURCES += \
	%D%/local.c \
	%D%/local.h \
	%D%/mpi.h \
	%D%/processes.c \
	%D%/processes.h \
	%D%/start.c \
	%D%/start.h
noinst_LTLIBRARIES += libcgsolve_ranks.la
if MPI
libcgsolve_ranks_la_SOURCES = \
	%D%/mpi.c \
	%D%/operations.c \
	%D%/operations.h
libcgsolve_ranks_la_CPPFLAGS = $(AM_CPPFLAGS) $(RANKS_CFLAGS)
libcgsolve_ranks_la_LIBADD = $(MPI_LIBS)
else
libcgsolve_ranks_la_SOURCES = %D%/mpi_absent.c
endif
