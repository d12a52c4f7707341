# cgsolve compare
libcgsolve_lab_la_SOURCES += \
	%D%/compare.c \
	%D%/compare.h \
	%D%/compare_plot.c \
	%D%/compare_plot.h \
	%D%/difference.c \
	%D%/difference.h \
	%D%/kernel_row.c \
	%D%/kernel_row.h \
	%D%/ranking.c \
	%D%/ranking.h \
	%D%/table.c \
	%D%/table.h
