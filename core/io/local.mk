# files, text, JSON, machine: what knows no option
libcgsolve_core_la_SOURCES += \
	%D%/array_file.c \
	%D%/array_file.h \
	%D%/child.c \
	%D%/child.h \
	%D%/figures.c \
	%D%/figures.h \
	%D%/format.c \
	%D%/format.h \
	%D%/folder.c \
	%D%/folder.h \
	%D%/html.c \
	%D%/html.h \
	%D%/interrupt.c \
	%D%/interrupt.h \
	%D%/json.c \
	%D%/json.h \
	%D%/json_read.c \
	%D%/json_read.h \
	%D%/output.c \
	%D%/output.h \
	%D%/output_same.c \
	%D%/page.c \
	%D%/page.h \
	%D%/progress.c \
	%D%/progress.h \
	%D%/stack.c \
	%D%/stack.h \
	%D%/terminal.c \
	%D%/terminal.h \
	%D%/threads.c \
	%D%/threads.h \
	%D%/version.c \
	%D%/version.h

# The style of pages as numbers, which C takes at any length.
EXTRA_DIST += %D%/page.css
CLEANFILES += %D%/page_css.inc
%D%/html.lo: %D%/page_css.inc
%D%/page_css.inc: %D%/page.css
	@$(MKDIR_P) %D%
	$(AM_V_GEN)od -An -v -td1 $(srcdir)/%D%/page.css | sed 's/[0-9][0-9]*/&,/g' >$@
