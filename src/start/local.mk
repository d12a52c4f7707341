# roles of a process
libcgsolve_program_la_SOURCES += \
	%D%/program.c \
	%D%/program.h \
	%D%/role.c \
	%D%/role.h
