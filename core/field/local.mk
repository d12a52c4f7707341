# solutions as slices and files
libcgsolve_core_la_SOURCES += \
	%D%/even.c \
	%D%/even.h \
	%D%/grid.c \
	%D%/grid.h \
	%D%/plain_files.c \
	%D%/planes.c \
	%D%/planes.h \
	%D%/slice.c \
	%D%/slice.h \
	%D%/vtkxml.c \
	%D%/writer.c \
	%D%/writer.h
