# what cgsolve spmv draws and writes of many matrices
libcgsolve_lab_la_SOURCES += \
	%D%/collection.c \
	%D%/collection.h \
	%D%/collection_figures.c \
	%D%/collection_figures.h \
	%D%/collection_page.c \
	%D%/collection_page.h \
	%D%/collection_text.c \
	%D%/collection_text.h \
	%D%/summary.c \
	%D%/summary.h
