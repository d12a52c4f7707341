# What the laboratories of products share.
libcgsolve_core_la_SOURCES += \
	%D%/laboratory.c \
	%D%/laboratory.h
