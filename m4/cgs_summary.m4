# CGS_SUMMARY
# -----------
# The end of configure: what was found, and what each absence costs. ./bootstrap shows it from
# its first line on.
AC_DEFUN([CGS_SUMMARY],
[AS_ECHO(["
$PACKAGE_NAME $PACKAGE_VERSION is configured:
  compiler      $CGS_COMPILER ($CGS_CFLAGS)"])
AS_IF([test -n "$CGS_INSTRUMENT"], [AS_ECHO(["  instrumented  $CGS_INSTRUMENT"])])
AS_IF([test "$cgs_cuda" = yes],
  [AS_ECHO(["  CUDA          $cgs_cuda_version ($NVCC)
                for $cgs_cuda_architectures"])],
  [AS_ECHO(["  CUDA          no: $cgs_cuda_why
                costs: every CUDA kernel; --backend=cuda will not work, the CPU does"])])
AS_IF([test "$cgs_librsb" = yes],
  [AS_ECHO(["  librsb        $cgs_librsb_version, loaded at run time"])],
  [AS_ECHO(["  librsb        no: $cgs_librsb_why
                costs: the kernel crs_librsb, a reference to compare with"])])
AS_IF([test "$cgs_seccomp" = yes],
  [AS_ECHO(["  libseccomp    $cgs_seccomp_version, loaded at run time"])],
  [AS_ECHO(["  libseccomp    no: $cgs_seccomp_why
                costs: part of the containment of users' kernels (processes, sockets)"])])
AS_IF([test "$cgs_ranks" = yes],
  [AS_ECHO(["  MPI           $cgs_mpi_version"])],
  [AS_ECHO(["  MPI           no: $cgs_mpi_why
                costs: runs on several ranks (mpirun -n 4 cgsolve), libcgsolve_mpi"])])
AS_IF([test "$cgs_ranks" = yes],
  [AS_CASE([$cgs_metis], [no], [AS_ECHO(["  METIS         no: libmetis.so.5 not found (package libmetis-dev)
                costs: --partition=metis of files among ranks"])],
     [AS_ECHO(["  METIS         $cgs_metis, loaded at run time"])])
   AS_CASE([$cgs_scotch], [no], [AS_ECHO(["  Scotch        no: libscotch-7.0.so not found (package libscotch-dev)
                costs: --partition=scotch of files among ranks"])],
     [AS_ECHO(["  Scotch        $cgs_scotch, loaded at run time"])])])
AS_CASE([$cgs_cuda:$cgs_nccl],
  [yes:no], [AS_ECHO(["  NCCL          no: libnccl.so.2 not found (NVIDIA's package libnccl2)
                costs: speed of several GPUs that can't write to each other's memory"])],
  [yes:*], [AS_ECHO(["  NCCL          $cgs_nccl, loaded at run time"])])
AS_CASE([$cgs_hypre:$cgs_petsc],
  [yes:yes], [AS_ECHO(["  peers         hypre and PETSc (make peers)"])],
  [yes:no], [AS_ECHO(["  peers         hypre (make peers); PETSc: $cgs_petsc_why"])],
  [no:yes], [AS_ECHO(["  peers         PETSc (make peers); hypre: $cgs_hypre_why"])],
  [AS_ECHO(["  peers         hypre: $cgs_hypre_why; PETSc: $cgs_petsc_why
                costs: comparisons with them (bench/peers/compare)"])])
AS_CASE([$cgs_graphblas:$cgs_eigen],
  [yes:yes], [],
  [AS_ECHO(["                GraphBLAS $cgs_graphblas (package libgraphblas-dev), Eigen $cgs_eigen (libeigen3-dev)
                costs: what is missing in bench/peers/spgemm"])])
AS_IF([test "$cross_compiling" = yes],
  [AS_ECHO(["  manual        no: it is written by a program of this build, which cannot run here
                costs: cgsolve(1) and the completion of bash"])])
AS_IF([test "$cgs_check" = yes],
  [AS_ECHO(["  Check         $cgs_check_version"])],
  [AS_ECHO(["  Check         no: Check 0.15 or newer not found (package check)
                costs: most of make check"])])
AS_IF([test -n "$cgs_emulator_why"],
  [AS_ECHO(["  emulator      no: $cgs_emulator_why
                costs: make check of CUDA kernels without a GPU"])])
AS_ECHO([""])
])
