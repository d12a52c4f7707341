# reports as text
libcgsolve_program_la_SOURCES += \
	%D%/report_materials.c \
	%D%/report_materials.h \
	%D%/report_outcome.c \
	%D%/report_outcome.h \
	%D%/report_plan.c \
	%D%/report_plan.h \
	%D%/report_precond.c \
	%D%/report_precond.h \
	%D%/report_text.c \
	%D%/report_text.h \
	%D%/sections.c \
	%D%/sections.h
