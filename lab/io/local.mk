# folders, pages, tables of laboratories, and this program run once more
libcgsolve_lab_la_SOURCES += \
	%D%/figures.c \
	%D%/figures.h \
	%D%/folder.c \
	%D%/folder.h \
	%D%/html.c \
	%D%/html.h \
	%D%/html_page.c \
	%D%/html_page.h \
	%D%/json_read.c \
	%D%/json_read.h \
	%D%/pairs.c \
	%D%/pairs.h \
	%D%/table_file.c \
	%D%/table_file.h \
	%D%/rerun.c \
	%D%/rerun.h

# The template and style of pages as numbers, which C takes at any length.
EXTRA_DIST += %D%/page.css %D%/page.html
CLEANFILES += %D%/page_css.inc %D%/page_html.inc
%D%/html_page.lo: %D%/page_css.inc %D%/page_html.inc
%D%/page_%.inc: %D%/page.%
	@$(MKDIR_P) %D%
	$(AM_V_GEN)od -An -v -td1 $< | sed 's/[0-9][0-9]*/&,/g' >$@
