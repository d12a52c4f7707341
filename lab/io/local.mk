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
	%D%/html_page.c \
	%D%/html_page.h \
	%D%/json_read.c \
	%D%/json_read.h

# The template and style of pages as numbers, which C takes at any length.
EXTRA_DIST += %D%/page.css %D%/page.html
CLEANFILES += %D%/page_css.inc %D%/page_html.inc
%D%/html_page.lo: %D%/page_css.inc %D%/page_html.inc
%D%/page_%.inc: %D%/page.%
	@$(MKDIR_P) %D%
	$(AM_V_GEN)od -An -v -td1 $< | sed 's/[0-9][0-9]*/&,/g' >$@
