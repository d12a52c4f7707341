# cgsolve compare
libcgsolve_lab_la_SOURCES += \
	%D%/change.c \
	%D%/change.h \
	%D%/compare.c \
	%D%/compare.h \
	%D%/compare_plot.c \
	%D%/compare_plot.h \
	%D%/compare_text.c \
	%D%/compare_text.h \
	%D%/difference.c \
	%D%/difference.h \
	%D%/kernel_row.c \
	%D%/kernel_row.h \
	%D%/ranking.c \
	%D%/ranking.h \
	%D%/table.c \
	%D%/table.h
