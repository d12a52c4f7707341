# CGS_CHECK_PEERS
# ---------------
# hypre and PETSc, for bench/peers alone (make peers): the program and the tests need neither. Both
# want MPI, whose C flags CGS_CHECK_MPI has found. hypre has no .pc file: HYPRE_CFLAGS, HYPRE_LIBS say where one is that the
# compiler does not find; for PETSc there is PKG_CONFIG_PATH.
# --with-hypre, --with-petsc: yes, no, or auto, which does without what is missing.
# Sets cgs_hypre and cgs_petsc (yes or no), cgs_hypre_why, cgs_petsc_why; HYPRE_CFLAGS, HYPRE_LIBS,
# PETSC_CFLAGS, PETSC_LIBS, which have MPI's; the conditionals HYPRE and PETSC.
AC_DEFUN([CGS_CHECK_PEERS],
[AC_ARG_WITH([hypre],
  [AS_HELP_STRING([--without-hypre], [no bench/peers/peer_hypre for make peers])],
  [], [with_hypre=auto])
AC_ARG_WITH([petsc],
  [AS_HELP_STRING([--without-petsc], [no bench/peers/peer_petsc for make peers])],
  [], [with_petsc=auto])
AC_ARG_VAR([HYPRE_CFLAGS], [C compiler flags for hypre, instead of -I/usr/include/hypre])
AC_ARG_VAR([HYPRE_LIBS], [linker flags for hypre, instead of -lHYPRE])
cgs_hypre=no cgs_hypre_why=
cgs_petsc=no cgs_petsc_why=

AS_IF([test "$with_hypre" = no], [cgs_hypre_why='not wanted'],
  [test "$cgs_mpi" = no], [cgs_hypre_why='no MPI (package libopenmpi-dev)'],
  [CGS_TRY_PEER([HYPRE], [cgs_hypre], [${HYPRE_CFLAGS--I/usr/include/hypre} $MPI_CFLAGS],
    [${HYPRE_LIBS--lHYPRE} $MPI_LIBS],
    [HYPRE_parcsr_ls.h], [HYPRE_Init()])
   cgs_hypre_why='no hypre 2.20 or newer (package libhypre-dev)'])
AS_IF([test "$with_hypre:$cgs_hypre" = yes:no], [AC_MSG_ERROR([hypre: $cgs_hypre_why])])

cgs_petsc_why='no PETSc 3.17 or newer (package petsc-dev)'
AS_IF([test "$with_petsc" = no], [cgs_petsc_why='not wanted'],
  [test "$cgs_mpi" = no], [cgs_petsc_why='no MPI (package libopenmpi-dev)'],
  [PKG_CHECK_MODULES([PETSC_REAL], [petsc >= 3.17],
    [CGS_TRY_PEER([PETSC], [cgs_petsc], [$MPI_CFLAGS $PETSC_REAL_CFLAGS],
      [$PETSC_REAL_LIBS $MPI_LIBS], [petscksp.h],
      [KSP ksp; KSPCreate(PETSC_COMM_WORLD, &ksp)])], [:])])
AS_IF([test "$with_petsc:$cgs_petsc" = yes:no], [AC_MSG_ERROR([PETSc: $cgs_petsc_why])])
AM_CONDITIONAL([HYPRE], [test "$cgs_hypre" != no])
AM_CONDITIONAL([PETSC], [test "$cgs_petsc" != no])
CGS_CHECK_PEERS_OF_PRODUCTS
])

# CGS_CHECK_PEERS_OF_PRODUCTS
# ---------------------------
# SuiteSparse:GraphBLAS and Eigen, whose products of matrices bench/peers/peer_spgemm times beside
# ours; it does without what is missing. Eigen is C++: its header alone is looked for, and the
# compiler that `make peers` calls is $CXX (default g++).
# --with-graphblas, --with-eigen: no, or auto. Sets cgs_graphblas and cgs_eigen (yes or no),
# GRAPHBLAS_CFLAGS, GRAPHBLAS_LIBS, EIGEN_CFLAGS; the conditionals GRAPHBLAS and EIGEN.
AC_DEFUN([CGS_CHECK_PEERS_OF_PRODUCTS],
[AC_ARG_WITH([graphblas],
  [AS_HELP_STRING([--without-graphblas], [no GraphBLAS in bench/peers/peer_spgemm])],
  [], [with_graphblas=auto])
AC_ARG_WITH([eigen],
  [AS_HELP_STRING([--without-eigen], [no Eigen in bench/peers/peer_spgemm])],
  [], [with_eigen=auto])
AC_ARG_VAR([CXX], [C++ compiler of bench/peers/peer_spgemm, for Eigen, instead of g++])
cgs_graphblas=no
AS_IF([test "$with_graphblas" != no],
  [CGS_TRY_PEER([GRAPHBLAS], [cgs_graphblas], [${GRAPHBLAS_CFLAGS--I/usr/include/suitesparse}],
    [${GRAPHBLAS_LIBS--lgraphblas}], [GraphBLAS.h], [GrB_init(GrB_NONBLOCKING)])])
cgs_eigen=no
test -n "$CXX" || CXX=g++
AS_IF([test "$with_eigen" != no],
  [PKG_CHECK_MODULES([EIGEN], [eigen3 >= 3.4],
    [AS_IF([$CXX --version >/dev/null 2>&1], [cgs_eigen=yes])
     EIGEN_CFLAGS=`AS_ECHO(["$EIGEN_CFLAGS"]) | sed 's/-I/-isystem /g'`], [:])])
AM_CONDITIONAL([GRAPHBLAS], [test "$cgs_graphblas" = yes])
AM_CONDITIONAL([EIGEN], [test "$cgs_eigen" = yes])
])

# CGS_TRY_PEER(NAME, VARIABLE, CFLAGS, LIBS, HEADER, STATEMENT)
# --------------------------------------------------------------
# Sets NAME_CFLAGS and NAME_LIBS, and VARIABLE to yes where a program with HEADER and STATEMENT
# links with them. Folders come as -isystem (headers of others need not pass our warnings), and how
# a package was compiled is not how we are.
AC_DEFUN([CGS_TRY_PEER],
[AC_MSG_CHECKING([for $1])
cgs_system=
for cgs_flag in $3
do
  AS_CASE([$cgs_flag],
    [-I*], [cgs_system="$cgs_system -isystem ${cgs_flag@%:@-I}"],
    [-W*|-D_FORTIFY_SOURCE*], [],
    [cgs_system="$cgs_system $cgs_flag"])
done
$1_CFLAGS=$cgs_system
$1_LIBS="$4"
cgs_saved_CPPFLAGS=$CPPFLAGS
cgs_saved_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $$1_CFLAGS"
LIBS="$$1_LIBS $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$5>]], [[$6;]])], [$2=yes])
CPPFLAGS=$cgs_saved_CPPFLAGS
LIBS=$cgs_saved_LIBS
AC_MSG_RESULT([$$2])
AC_SUBST([$1_CFLAGS])
AC_SUBST([$1_LIBS])
])
