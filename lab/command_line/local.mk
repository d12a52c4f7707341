# The command line: words to options, help.
libcgsolve_lab_la_SOURCES += \
	%D%/call.h \
	%D%/environment.def \
	%D%/examples.def \
	%D%/expect.c \
	%D%/expect.h \
	%D%/help.c \
	%D%/help.h \
	%D%/norms.def \
	%D%/options_list.c \
	%D%/options_list.h \
	%D%/options_parse.c \
	%D%/options_parse.h
