# Benches: built with everything else (or by make bench), run by hand, never installed. One in C is
# a line in `bench_programs` and one for its libraries; one that is a .cu needs CUDA: a line in
# `bench_cu`, one under CUDA, and the two of its program.
bench_programs = \
	%D%/limits \
	%D%/products \
	%D%/steps
bench_cu = \
	%D%/peer_cusparse_cg.cu
if CUDA
bench_programs += \
	%D%/peer_cusparse_cg
endif

%C%_limits_LDADD = $(core_libs)
%C%_products_SOURCES = %D%/products.c %D%/shapes.c %D%/shapes.h
%C%_products_LDADD = $(core_libs)
%C%_steps_LDADD = $(core_libs)

%C%_peer_cusparse_cg_SOURCES =
%C%_peer_cusparse_cg_LDADD = %D%/peer_cusparse_cg.cuda.lo $(core_libs)

# The rules.
noinst_PROGRAMS += $(bench_programs)
EXTRA_DIST += $(bench_cu) %D%/acceptance %D%/peer.cuh
cuda_objects += $(bench_cu:.cu=.cuda.lo)
