# Command cgsolve spmv, of one matrix or of many.
libcgsolve_program_la_SOURCES += \
	%D%/collection.h \
	%D%/collection_command.c \
	%D%/collection_command.h \
	%D%/collection_find.c \
	%D%/collection_find.h \
	%D%/collection_folder.c \
	%D%/collection_folder.h \
	%D%/lab.h \
	%D%/lab_command.c \
	%D%/lab_command.h \
	%D%/lab_plot.c \
	%D%/lab_plot.h \
	%D%/lab_rows.c \
	%D%/lab_rows.h \
	%D%/lab_run.c \
	%D%/lab_run.h
