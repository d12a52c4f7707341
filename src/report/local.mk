# facts as text and as JSON: the tables of keys
libcgsolve_core_la_SOURCES += \
	%D%/choose_words.c \
	%D%/facts.c \
	%D%/facts.h \
	%D%/facts_head.def \
	%D%/facts_level.def \
	%D%/facts_put.h \
	%D%/facts_solve.def \
	%D%/facts_spgemm.def \
	%D%/facts_spgemm_kernel.def \
	%D%/facts_collection.def \
	%D%/facts_collection_row.def \
	%D%/facts_spmv.def \
	%D%/facts_spmv_kernel.def \
	%D%/notes.c \
	%D%/notes.h \
	%D%/report_amg.c \
	%D%/report_cost.c \
	%D%/report_file.c \
	%D%/report_json.c \
	%D%/report_json.h \
	%D%/report_materials.c \
	%D%/report_outcome.c \
	%D%/report_pictures.c \
	%D%/report_plan.c \
	%D%/report_precond.c \
	%D%/report_profile.c \
	%D%/report_ranks.c \
	%D%/report_start.c \
	%D%/report_text.c \
	%D%/sections.c \
	%D%/sections.h
