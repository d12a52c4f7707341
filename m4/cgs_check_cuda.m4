# CGS_CHECK_CUDA
# --------------
# --with-cuda=yes|no|auto|DIR and the variables NVCC, NVCCFLAGS, CUDA_ARCH.
#   auto  (default) the GPU's half is built where the toolkit works; where not, the summary says why
#   yes   or DIR: what is missing is an error
# An explicit CUDA_ARCH that nvcc refuses is an error in any case.
#
# The steps stand in files of their own; each one sets cgs_cuda_why when it fails, and the next
# ones then do nothing:
#   CGS_CHECK_NVCC         find nvcc, check its version
#   CGS_CHECK_NVCCFLAGS    NVCCFLAGS, unless the user gives them
#   CGS_CHECK_CUDA_ARCH    CUDA_ARCH -> -gencode flags
#   CGS_CHECK_CUDA_WORKS   compile a kernel, link it with the C compiler
#
# Defines HAVE_CUDA, CGS_CUDA_VERSION, CGS_CUDA_ARCHITECTURES, CGS_CUDA_LIBDIR in config.h (only
# kernels/registry.c asks for HAVE_CUDA) and the conditional CUDA; substitutes NVCC, NVCCFLAGS,
# CGS_GENCODE, CUDA_LIBS.
AC_DEFUN([CGS_CHECK_CUDA],
[AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=yes|no|auto|DIR],
    [CUDA kernels; DIR is the toolkit, as in /usr/local/cuda (auto)])],
  [], [with_cuda=auto])
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS],
  [CUDA compiler flags (-O3 -std=c++20 --expt-relaxed-constexpr, and what makes device code small)])
AC_ARG_VAR([CUDA_ARCH],
  [compute capabilities to build for, "90", "80,90" or "all"; PTX of the highest is added])

cgs_cuda_why=
cgs_cuda_dir=
cgs_cuda_required=no
AS_CASE([$with_cuda],
  [no], [cgs_cuda_why="not wanted (--without-cuda)"],
  [auto], [AS_IF([test -n "$CGS_INSTRUMENT"],
            [cgs_cuda_why="left out of an instrumented build (--with-cuda brings it back)"])],
  [yes], [cgs_cuda_required=yes],
  [cgs_cuda_required=yes; cgs_cuda_dir=$with_cuda])

CGS_GENCODE=
CUDA_LIBS=
cgs_cuda_version=
cgs_cuda_architectures=
cgs_cuda_libdir=

CGS_CHECK_NVCC
CGS_CHECK_NVCCFLAGS
CGS_CHECK_CUDA_ARCH
CGS_CHECK_CUDA_WORKS

AS_IF([test -z "$cgs_cuda_why"],
  [cgs_cuda=yes
   AC_DEFINE([HAVE_CUDA], [1], [Define to 1 when the CUDA kernels are built.])
   AC_DEFINE_UNQUOTED([CGS_CUDA_LIBDIR], ["$cgs_cuda_libdir"],
     [Where the toolkit's libraries were when cgsolve was configured.])],
  [cgs_cuda=no
   cgs_cuda_version=
   cgs_cuda_architectures=
   AS_IF([test "$cgs_cuda_required" = yes],
     [AC_MSG_ERROR([CUDA was asked for by --with-cuda=$with_cuda, but: $cgs_cuda_why])])])
AC_DEFINE_UNQUOTED([CGS_CUDA_VERSION], ["$cgs_cuda_version"],
  [The CUDA toolkit's version; empty without CUDA.])
AC_DEFINE_UNQUOTED([CGS_CUDA_ARCHITECTURES], ["$cgs_cuda_architectures"],
  [What the CUDA kernels were compiled for: machine code (sm_) and PTX (compute_); or empty.])
cgs_escaped=`echo "$cgs_cuda_why" | tr '\n' ' ' | sed 's/ *$//; s/[[\\"]]/\\\\&/g'`
AC_DEFINE_UNQUOTED([CGS_CUDA_WHY], ["$cgs_escaped"],
  [Why this build has no CUDA kernels; empty where it has them.])
AM_CONDITIONAL([CUDA], [test "$cgs_cuda" = yes])
AC_SUBST([CGS_GENCODE])
AC_SUBST([CUDA_LIBS])
AC_SUBST([CGS_WITH_CUDA], [$cgs_cuda])
])
