# facts of a solve as JSON and as text
libcgsolve_core_la_SOURCES += \
	%D%/choose_words.c \
	%D%/notes.c \
	%D%/notes.h \
	%D%/provenance.c \
	%D%/provenance.h \
	%D%/report_amg.c \
	%D%/report_cost.c \
	%D%/report_file.c \
	%D%/report_json.c \
	%D%/report_json.h \
	%D%/report_json_plan.c \
	%D%/report_machine.c \
	%D%/report_outcome.c \
	%D%/report_pictures.c \
	%D%/report_plan.c \
	%D%/report_precond.c \
	%D%/report_profile.c \
	%D%/report_start.c \
	%D%/report_text.c \
	%D%/sections.c \
	%D%/sections.h
