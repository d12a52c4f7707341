# figures, drawn by gnuplot or as SVG
libcgsolve_lab_la_SOURCES += \
	%D%/bars.c \
	%D%/bars.h \
	%D%/gnuplot.c \
	%D%/gnuplot.h \
	%D%/plot.c \
	%D%/plot.h \
	%D%/plot_axis.c \
	%D%/plot_axis.h \
	%D%/plot_draw.c \
	%D%/plot_draw.h \
	%D%/plot_script.c \
	%D%/plot_script.h \
	%D%/slice_plot.c \
	%D%/slice_plot.h
