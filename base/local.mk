libcgsolve_core_la_SOURCES += \
	%D%/available.c \
	%D%/available.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/contention.c \
	%D%/contention.h \
	%D%/context.c \
	%D%/context.h \
	%D%/linkage.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/plain.c \
	%D%/plain.h \
	%D%/plan.c \
	%D%/plan.h \
	%D%/probe.c \
	%D%/probe.h \
	%D%/random.h \
	%D%/reader.c \
	%D%/reader.h \
	%D%/spelling.c \
	%D%/spelling.h \
	%D%/status.c \
	%D%/status.def \
	%D%/status.h \
	%D%/vectorise.h
