# folders, pages, tables and child processes of laboratories
libcgsolve_lab_la_SOURCES += \
	%D%/child.c \
	%D%/child.h \
	%D%/figures.c \
	%D%/figures.h \
	%D%/folder.c \
	%D%/folder.h \
	%D%/html.c \
	%D%/html.h \
	%D%/json_read.c \
	%D%/json_read.h

# The style of pages as numbers, which C takes at any length.
EXTRA_DIST += %D%/page.css
CLEANFILES += %D%/page_css.inc
%D%/html.lo: %D%/page_css.inc
%D%/page_css.inc: %D%/page.css
	@$(MKDIR_P) %D%
	$(AM_V_GEN)od -An -v -td1 $(srcdir)/%D%/page.css | sed 's/[0-9][0-9]*/&,/g' >$@
