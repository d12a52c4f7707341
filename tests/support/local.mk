test_support += \
	%D%/amg.c \
	%D%/amg.h \
	%D%/asked.c \
	%D%/asked.h \
	%D%/check.h \
	%D%/cycle.c \
	%D%/cycle.h \
	%D%/layout.c \
	%D%/layout.h \
	%D%/limits.h \
	%D%/plain.c \
	%D%/products.c \
	%D%/products.h \
	%D%/ranks.c \
	%D%/ranks.h \
	%D%/rig.c \
	%D%/rig.h \
	%D%/root.c \
	%D%/root.h \
	%D%/rows.h \
	%D%/smmp.h \
	%D%/solve.c \
	%D%/solve.h \
	%D%/sparse.c \
	%D%/sparse.h \
	%D%/support.c \
	%D%/support.h
EXTRA_DIST += %D%/cpuinfo.c %D%/mpirun.bash %D%/openmpi.lsan %D%/openmpi.supp %D%/user_kernels.bash %D%/verdicts.bash
