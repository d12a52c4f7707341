# facts of reports: the tables of keys, and JSON
libcgsolve_core_la_SOURCES += \
	%D%/choice.c \
	%D%/choice.h \
	%D%/cost.c \
	%D%/cost.h \
	%D%/facts.c \
	%D%/facts.h \
	%D%/facts_collection.def \
	%D%/facts_collection_row.def \
	%D%/facts_head.def \
	%D%/facts_level.def \
	%D%/facts_put.h \
	%D%/facts_solve.def \
	%D%/facts_spgemm.def \
	%D%/facts_spgemm_kernel.def \
	%D%/facts_spmv.def \
	%D%/facts_spmv_kernel.def \
	%D%/notes.c \
	%D%/notes.h \
	%D%/parts.c \
	%D%/parts.h \
	%D%/report_json.c \
	%D%/report_json.h
