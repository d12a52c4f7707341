# Benches: built with everything else (or by make bench), run by hand, never installed. One that is a .cu
# needs CUDA: a line in `bench_cu`, one under CUDA, and the two of its program.
bench_programs =
bench_cu = \
	%D%/peer_cusparse_cg.cu
if CUDA
bench_programs += \
	%D%/peer_cusparse_cg
endif

%C%_peer_cusparse_cg_SOURCES =
%C%_peer_cusparse_cg_LDADD = %D%/peer_cusparse_cg.cuda.lo $(core_libs)

# Multigrid of others on our problem (bench/peers/compare): built by `make peers`, never by `make
# all`, from what configure found. What is missing is left out.
peer_programs =
if HYPRE
peer_programs += %D%/peers/peer_hypre
endif
if PETSC
peer_programs += %D%/peers/peer_petsc
endif
peer_programs += %D%/peers/peer_spgemm
EXTRA_PROGRAMS += \
	%D%/peers/peer_hypre \
	%D%/peers/peer_petsc \
	%D%/peers/peer_spgemm
peer_sources = \
	%D%/peers/judge.c \
	%D%/peers/peer.c \
	%D%/peers/peer.h

%C%_peers_peer_hypre_SOURCES = \
	$(peer_sources) \
	%D%/peers/hypre.h \
	%D%/peers/hypre_rows.c \
	%D%/peers/hypre_struct.c \
	%D%/peers/peer_hypre.c
%C%_peers_peer_hypre_CPPFLAGS = $(AM_CPPFLAGS) $(HYPRE_CFLAGS)
%C%_peers_peer_hypre_LDADD = $(core_libs) $(HYPRE_LIBS)

%C%_peers_peer_petsc_SOURCES = \
	$(peer_sources) \
	%D%/peers/peer_petsc.c \
	%D%/peers/petsc.h \
	%D%/peers/petsc_boxes.c
%C%_peers_peer_petsc_CPPFLAGS = $(AM_CPPFLAGS) $(PETSC_CFLAGS)
%C%_peers_peer_petsc_LDADD = $(core_libs) $(PETSC_LIBS)

# Products of matrices, beside GraphBLAS and Eigen where configure found them. Eigen's file is C++,
# compiled by a rule of its own: the rest needs no C++ compiler.
%C%_peers_peer_spgemm_SOURCES = \
	%D%/peers/peer_spgemm.c \
	%D%/peers/spgemm.h
%C%_peers_peer_spgemm_CPPFLAGS = $(AM_CPPFLAGS)
%C%_peers_peer_spgemm_LDADD = $(core_libs)
if GRAPHBLAS
%C%_peers_peer_spgemm_SOURCES += %D%/peers/spgemm_graphblas.c
%C%_peers_peer_spgemm_CPPFLAGS += $(GRAPHBLAS_CFLAGS) -DHAVE_GRAPHBLAS
%C%_peers_peer_spgemm_LDADD += $(GRAPHBLAS_LIBS)
endif
if EIGEN
%C%_peers_peer_spgemm_CPPFLAGS += -DHAVE_EIGEN
%C%_peers_peer_spgemm_LDADD += %D%/peers/spgemm_eigen.o -lstdc++
endif
%D%/peers/spgemm_eigen.o: %D%/peers/spgemm_eigen.cpp %D%/peers/spgemm.h
	@$(MKDIR_P) %D%/peers
	$(CXX) -O3 -g -I$(top_srcdir) $(EIGEN_CFLAGS) -c -o $@ $<

# The rules.
CLEANFILES += %D%/peers/spgemm_eigen.o
EXTRA_DIST += %D%/peers/spgemm_eigen.cpp %D%/peers/spgemm_graphblas.c %D%/peers/spgemm \
	%D%/peers/mfem %D%/peers/peer_mfem.cpp
noinst_PROGRAMS += $(bench_programs)
EXTRA_DIST += $(bench_cu) %D%/acceptance %D%/amg_ranks %D%/causes %D%/fdm_scan.py %D%/figures \
	%D%/figures-gpus %D%/figures-others.tsv %D%/geometric.py %D%/peer.cuh %D%/many-gpus %D%/ranks-gpus %D%/ranks-mg %D%/reports.bash \
	%D%/spgemm %D%/peers/compare %D%/peers/cupy_cg.py
cuda_objects += $(bench_cu:.cu=.cuda.lo)
