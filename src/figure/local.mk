# figures, drawn by gnuplot or as SVG
libcgsolve_core_la_SOURCES += \
	%D%/bars.c \
	%D%/bars.h \
	%D%/gnuplot.c \
	%D%/gnuplot.h \
	%D%/plot_draw.c \
	%D%/plot.h \
	%D%/plot_axis.c \
	%D%/plot_axis.h \
	%D%/plot_key.c \
	%D%/plot_key.h \
	%D%/plot_script.c \
	%D%/plot_script.h \
	%D%/plot_series.c \
	%D%/plot_series.h \
	%D%/slice_script.c \
	%D%/slice_script.h
