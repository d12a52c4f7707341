# memory before it is taken, and what would fit instead
libcgsolve_core_la_SOURCES += \
	%D%/fitting.c \
	%D%/fitting.h \
	%D%/forecast.c \
	%D%/forecast.h
