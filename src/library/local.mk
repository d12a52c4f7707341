# libcgsolve, the public face
libcgsolve_core_la_SOURCES += \
	%D%/library.c \
	%D%/join.h \
	%D%/library.h \
	%D%/library_call.c \
	%D%/library_matrix.c \
	%D%/library_options.c \
	%D%/library_ranks.c \
	%D%/library_report.c \
	%D%/library_rows.c \
	%D%/library_rows.h
