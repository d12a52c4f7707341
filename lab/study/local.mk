# cgsolve study
libcgsolve_lab_la_SOURCES += \
	%D%/study_command.c \
	%D%/study.h \
	%D%/study_captions.c \
	%D%/study_curves.c \
	%D%/study_curves.h \
	%D%/study_curves_share.c \
	%D%/study_drawings.def \
	%D%/study_drawings.h \
	%D%/study_facts.def \
	%D%/study_fit.h \
	%D%/study_folder.c \
	%D%/study_guides.c \
	%D%/study_json.c \
	%D%/study_label.c \
	%D%/study_machines.c \
	%D%/study_orders.c \
	%D%/study_origin.c \
	%D%/study_page.c \
	%D%/study_page.h \
	%D%/study_page_tables.c \
	%D%/study_page_words.c \
	%D%/study_plot.c \
	%D%/study_points.c \
	%D%/study_point.c \
	%D%/study_point.h \
	%D%/study_ranks.c \
	%D%/study_run.c \
	%D%/study_scaling.c \
	%D%/study_sheet.c \
	%D%/study_sheet.h \
	%D%/study_table.c \
	%D%/study_take.c \
	%D%/study_text.c \
	%D%/study_theory.c
