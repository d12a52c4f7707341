# MPI is seen by mpi.c, watch.c and beats.c alone, for which there is a stand-in. libcgsolve needs none of them.
libcgsolve_core_la_SOURCES += \
	%D%/start.c \
	%D%/ranks.h
noinst_LTLIBRARIES += libcgsolve_mpi.la
if MPI
libcgsolve_mpi_la_SOURCES = \
	%D%/beats.c \
	%D%/beats.h \
	%D%/mpi.c \
	%D%/watch.c \
	%D%/watch.h
libcgsolve_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(RANKS_CFLAGS)
libcgsolve_mpi_la_LIBADD = $(MPI_LIBS)
else
libcgsolve_mpi_la_SOURCES = %D%/mpi_absent.c
endif
