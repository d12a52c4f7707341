# cgsolve study
libcgsolve_lab_la_SOURCES += \
	%D%/study.h \
	%D%/study_command.c \
	%D%/study_command.h \
	%D%/study_curves.c \
	%D%/study_curves.h \
	%D%/study_drawings.c \
	%D%/study_drawings.def \
	%D%/study_drawings.h \
	%D%/study_facts.def \
	%D%/study_folder.c \
	%D%/study_folder.h \
	%D%/study_limits.c \
	%D%/study_limits.h \
	%D%/study_orders.c \
	%D%/study_orders.h \
	%D%/study_origin.c \
	%D%/study_origin.h \
	%D%/study_page.c \
	%D%/study_page.h \
	%D%/study_page_tables.c \
	%D%/study_page_tables.h \
	%D%/study_page_words.c \
	%D%/study_page_words.h \
	%D%/study_point.c \
	%D%/study_point.h \
	%D%/study_points.c \
	%D%/study_points.h \
	%D%/study_run.c \
	%D%/study_run.h \
	%D%/study_scaling.c \
	%D%/study_scaling.h \
	%D%/study_sheet.c \
	%D%/study_sheet.h \
	%D%/study_text.c \
	%D%/study_text.h
