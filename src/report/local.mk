# reports as text
libcgsolve_program_la_SOURCES += \
	%D%/report_amg.c \
	%D%/report_cost.c \
	%D%/report_file.c \
	%D%/report_file.h \
	%D%/report_materials.c \
	%D%/report_outcome.c \
	%D%/report_pictures.c \
	%D%/report_plan.c \
	%D%/report_plan.h \
	%D%/report_precond.c \
	%D%/report_profile.c \
	%D%/report_ranks.c \
	%D%/report_ranks.h \
	%D%/report_text.c \
	%D%/report_text.h \
	%D%/sections.c \
	%D%/sections_internal.h \
	%D%/sections.h
