# Decides open options for this machine and translates options into settings.
libcgsolve_core_la_SOURCES += \
	%D%/asked.c \
	%D%/asked.h \
	%D%/gpus.c \
	%D%/gpus.h \
	%D%/machine_foresee.c \
	%D%/machine_foresee.h \
	%D%/machine_kernel.c \
	%D%/machine_kernel.h \
	%D%/machine_open.c \
	%D%/machine_open.h
