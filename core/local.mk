# What libcgsolve is made of, above the solver. The rooms, bottom to top:
include core/io/local.mk
include core/ranks/local.mk
include core/options/local.mk
include core/setup/local.mk
include core/precond/local.mk
include core/plan/local.mk
include core/autotune/local.mk
include core/report/local.mk
include core/run/local.mk
include core/field/local.mk
include core/facts/local.mk
include core/library/local.mk

# The commit that this is built from, and its day: asked of git at every make, written only when it
# changed, so that nothing is compiled in vain. A tarball carries both in the file COMMIT.
CLEANFILES += %D%/io/commit.h
nodist_libcgsolve_core_la_SOURCES = %D%/io/commit.h
%D%/io/version.lo: %D%/io/commit.h
%D%/io/commit.h: always
	@$(MKDIR_P) %D%/io; \
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
