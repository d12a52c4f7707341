# Laboratories beside the program: they read reports.
libcgsolve_lab_la_SOURCES += \
	%D%/times.c \
	%D%/times.h
include lab/command_line/local.mk
include lab/io/local.mk
include lab/figure/local.mk
include lab/collection/local.mk
include lab/exercise/local.mk
include lab/study/local.mk
include lab/compare/local.mk
