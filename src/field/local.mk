# solutions as slices and VTK files
libcgsolve_core_la_SOURCES += \
	%D%/hdf5_file.h \
	%D%/planes.c \
	%D%/planes.h \
	%D%/slice.c \
	%D%/slice.h \
	%D%/vtkhdf.c \
	%D%/vtkhdf.h
