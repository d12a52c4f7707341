# Memory plans, and the variants of a run that fit.
libcgsolve_core_la_SOURCES += \
	%D%/fitting.c \
	%D%/fitting.h \
	%D%/forecast.c \
	%D%/forecast.h \
	%D%/links.c \
	%D%/links.h \
	%D%/scaling.c \
	%D%/scaling.h \
	%D%/theory.c \
	%D%/theory.h
