bin_PROGRAMS += cgsolve
cgsolve_SOURCES = %D%/main.c
cgsolve_LDADD = libcgsolve_ranks.la $(core_libs)

# Everything but main is in the library, for the tests to reach.
libcgsolve_core_la_SOURCES += \
	%D%/list.c \
	%D%/list.h

# HDF5 is seen by hdf5_file.c alone, for which there is a stand-in. libcgsolve, which writes no files, has
# the stand-in always: who links it needs no HDF5.
noinst_LTLIBRARIES += libcgsolve_hdf5.la
if HDF5
libcgsolve_hdf5_la_SOURCES = %D%/field/hdf5_file.c
libcgsolve_hdf5_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
libcgsolve_hdf5_la_LIBADD = $(HDF5_LIBS)
else
libcgsolve_hdf5_la_SOURCES = %D%/field/hdf5_absent.c
endif
libcgsolve_la_SOURCES += %D%/field/hdf5_absent.c

# The commit that this is built from, and its day: asked of git at every make, written only when it
# changed, so that nothing is compiled in vain. A tarball carries both in the file COMMIT.
CLEANFILES += %D%/commit.h
nodist_libcgsolve_core_la_SOURCES = %D%/commit.h
%D%/io/version.lo: %D%/commit.h
%D%/commit.h: always
	@$(MKDIR_P) %D%; \
	commit=unknown; date=; \
	if test -e $(srcdir)/.git; then \
		commit=`git -C $(srcdir) describe --always --dirty --abbrev=12 2>/dev/null` || \
			commit=unknown; \
		date=`TZ=UTC0 git -C $(srcdir) log -1 --date=short-local --format=%cd 2>/dev/null`; \
	elif test -f $(srcdir)/COMMIT; then \
		read commit date <$(srcdir)/COMMIT; \
	fi; \
	printf '#define CGS_COMMIT "%s"\n#define CGS_COMMIT_DATE "%s"\n' "$$commit" "$$date" >$@.$$$$; \
	if cmp -s $@.$$$$ $@; then rm -f $@.$$$$; else mv -f $@.$$$$ $@; fi
.PHONY: always
always:

# The rooms, bottom to top.
include src/io/local.mk
include src/ranks/local.mk
include src/options/local.mk
include src/setup/local.mk
include src/settle/local.mk
include src/precond/local.mk
include src/plan/local.mk
include src/tune/local.mk
include src/run/local.mk
include src/report/local.mk
include src/figure/local.mk
include src/field/local.mk
include src/library/local.mk
include src/lab/local.mk
include src/solve/local.mk
include src/spmv/local.mk
include src/spgemm/local.mk
include src/collection/local.mk
include src/exercise/local.mk
include src/study/local.mk
include src/compare/local.mk
include src/doctor/local.mk
