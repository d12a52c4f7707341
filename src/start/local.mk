# roles of a process
libcgsolve_program_la_SOURCES += \
	%D%/option_file.c \
	%D%/option_file.h \
	%D%/program.c \
	%D%/program.h \
	%D%/role.c \
	%D%/role.h
