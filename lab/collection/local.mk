# what cgsolve spmv draws and writes of many matrices
libcgsolve_lab_la_SOURCES += \
	%D%/collection.c \
	%D%/collection.h \
	%D%/collection_figures.c \
	%D%/collection_page.c \
	%D%/collection_tables.c \
	%D%/collection_text.c \
	%D%/summary.c \
	%D%/summary.h

# The template of report.html as numbers, which C takes at any length.
EXTRA_DIST += %D%/page.html
CLEANFILES += %D%/page.inc
%D%/collection_page.lo: %D%/page.inc
%D%/page.inc: %D%/page.html
	@$(MKDIR_P) %D%
	$(AM_V_GEN)od -An -v -td1 $(srcdir)/%D%/page.html | sed 's/[0-9][0-9]*/&,/g' >$@
