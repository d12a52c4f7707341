# libcgsolve, the public face
libcgsolve_core_la_SOURCES += \
	%D%/handle.c \
	%D%/handle.h \
	%D%/join.h \
	%D%/library.h \
	%D%/library_call.c \
	%D%/library_call.h \
	%D%/library_matrix.c \
	%D%/library_matrix.h \
	%D%/library_options.c \
	%D%/library_options.h \
	%D%/library_ranks.c \
	%D%/library_ranks.h \
	%D%/library_report.c \
	%D%/library_report.h \
	%D%/library_rows.c \
	%D%/library_rows.h \
	%D%/library_solve.c \
	%D%/library_step.c \
	%D%/library_step.h

# Handles on several ranks: installed where there is MPI, which libcgsolve itself knows nothing of.
MPI_LIBRARY_VERSION = 0:0:0
if MPI
lib_LTLIBRARIES += libcgsolve_mpi.la
libcgsolve_mpi_la_SOURCES = \
	%D%/library_mpi.c \
	core/ranks/operations.c \
	core/ranks/operations.h
libcgsolve_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/include $(RANKS_CFLAGS)
libcgsolve_mpi_la_LIBADD = libcgsolve.la $(MPI_LIBS)
libcgsolve_mpi_la_LDFLAGS = $(AM_LDFLAGS) -export-symbols-regex '^cgsolve_' \
	-version-info $(MPI_LIBRARY_VERSION)
cgsolveinclude_HEADERS += include/cgsolve/cgsolve_mpi.h
pkgconfig_DATA += cgsolve_mpi.pc
endif
