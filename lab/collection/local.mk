# Command cgsolve spmv, of one matrix or of many.
libcgsolve_core_la_SOURCES += \
	%D%/collection.h \
	%D%/collection_command.c \
	%D%/collection_figures.c \
	%D%/collection_find.c \
	%D%/collection_folder.c \
	%D%/collection_page.c \
	%D%/collection_rows.c \
	%D%/collection_run.c \
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
