# files, text, JSON, machine: what knows no option
libcgsolve_core_la_SOURCES += \
	%D%/array_file.c \
	%D%/array_file.h \
	%D%/format.c \
	%D%/format.h \
	%D%/interrupt.c \
	%D%/interrupt.h \
	%D%/json.c \
	%D%/json.h \
	%D%/output.c \
	%D%/output.h \
	%D%/page.c \
	%D%/page.h \
	%D%/progress.c \
	%D%/progress.h \
	%D%/terminal.c \
	%D%/terminal.h \
	%D%/threads.c \
	%D%/threads.h \
	%D%/version.c \
	%D%/version.h
