# Trials of kernels, built-in and users': verification, timing and choice.
libcgsolve_core_la_SOURCES += \
	%D%/battery.c \
	%D%/battery.h \
	%D%/calls.c \
	%D%/calls.h \
	%D%/candidates.c \
	%D%/candidates.h \
	%D%/choose.c \
	%D%/choose.h \
	%D%/diagnose.c \
	%D%/diagnose.h \
	%D%/outcome.c \
	%D%/outcome.h \
	%D%/testbed.c \
	%D%/testbed.h \
	%D%/tournament.c \
	%D%/tournament.h \
	%D%/trial.c \
	%D%/trial.h \
	%D%/user_kernels.c \
	%D%/user_kernels.h \
	%D%/verify.c \
	%D%/verify.h
