libcgsolve_core_la_SOURCES += \
	%D%/block.c \
	%D%/block.h \
	%D%/crs.c \
	%D%/crs.h \
	%D%/diagonal.c \
	%D%/fill.c \
	%D%/layout.c \
	%D%/market.c \
	%D%/market.h \
	%D%/matrix.h \
	%D%/names.c \
	%D%/pad.c \
	%D%/row_source.h \
	%D%/scatter.c \
	%D%/share.h \
	%D%/sort.c \
	%D%/sort.h \
	%D%/statistics.c \
	%D%/statistics.h \
	%D%/symmetry.c \
	%D%/symmetry.h \
	%D%/walk.c \
	%D%/walk.h
