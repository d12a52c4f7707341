# CGS_CHECK_MPI
# -------------
# MPI, for runs on several ranks (mpirun -n 4 cgsolve) and libcgsolve_mpi: the C flags of Open MPI or MPICH by pkg-config,
# else by asking mpicc, so that $CC stays the compiler of everything; MPI_CFLAGS and MPI_LIBS name
# another one. --with-mpi: yes, no, or auto, which does without where a program cannot be compiled and
# linked. bench/peers wants MPI, too, and takes the same flags (CGS_CHECK_PEERS).
# Sets cgs_mpi (found: yes or no), cgs_ranks (used: yes or no), cgs_mpi_version (of the standard, "3.1";
# empty where it is not used), cgs_mpi_why, MPI_CFLAGS, MPI_LIBS, RANKS_CFLAGS and the conditional MPI.
AC_DEFUN([CGS_CHECK_MPI],
[AC_ARG_WITH([mpi],
  [AS_HELP_STRING([--with-mpi=yes|no|auto], [runs on several ranks (default: auto)])],
  [], [with_mpi=auto])
cgs_ranks=no
cgs_mpi=no
cgs_mpi_version=
PKG_CHECK_MODULES([MPI], [ompi-c], [cgs_mpi=yes],
  [PKG_CHECK_MODULES([MPI], [mpi-c], [cgs_mpi=yes],
    [PKG_CHECK_MODULES([MPI], [mpich], [cgs_mpi=yes], [CGS_ASK_MPICC])])])
AS_IF([test "$with_mpi" = no], [cgs_mpi_why='not wanted (--without-mpi)'],
  [test "$cgs_mpi" = no], [cgs_mpi_why='MPI not found (packages libopenmpi-dev openmpi-bin)'],
  [CGS_TRY_MPI])
AS_IF([test "$with_mpi:$cgs_ranks" = yes:no], [AC_MSG_ERROR([MPI: $cgs_mpi_why])])
AC_DEFINE_UNQUOTED([CGS_MPI_VERSION], ["$cgs_mpi_version"],
  [The version of MPI's standard; empty where runs on several ranks were left out.])
AM_CONDITIONAL([MPI], [test "$cgs_ranks" = yes])
])

# CGS_ASK_MPICC
# -------------
# The flags that mpicc adds: Open MPI's tells them apart, MPICH's does, too.
AC_DEFUN([CGS_ASK_MPICC],
[AC_CHECK_PROG([cgs_mpicc], [mpicc], [mpicc], [])
AS_IF([test "$cgs_mpicc"],
  [AS_IF([MPI_CFLAGS=`$cgs_mpicc --showme:compile 2>/dev/null`],
    [MPI_LIBS=`$cgs_mpicc --showme:link 2>/dev/null` && cgs_mpi=yes],
    [MPI_CFLAGS=`$cgs_mpicc -compile-info 2>/dev/null | sed 's/^[[^ ]]* //; s/ -c / /'`],
    [MPI_LIBS=`$cgs_mpicc -link-info 2>/dev/null | sed 's/^[[^ ]]* //'` && cgs_mpi=yes])])
])

# CGS_TRY_MPI
# -----------
# Links a program; then sets cgs_ranks, cgs_mpi_version and RANKS_CFLAGS, or else cgs_mpi_why. Folders
# come as -isystem: others' headers need not pass our warnings.
AC_DEFUN([CGS_TRY_MPI],
[AC_MSG_CHECKING([whether MPI works])
RANKS_CFLAGS=`AS_ECHO(["$MPI_CFLAGS"]) | sed 's/-I */-isystem /g'`
cgs_saved_CPPFLAGS=$CPPFLAGS
cgs_saved_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $RANKS_CFLAGS"
LIBS="$MPI_LIBS $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3
#error "older than MPI 3"
#endif]],
  [[int level; return MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &level);]])],
  [cgs_ranks=yes
   cgs_mpi_version=`AS_ECHO(["#include <mpi.h>
cgs_version MPI_VERSION.MPI_SUBVERSION"]) | $CC $CPPFLAGS -E -P - |
     sed -n 's/^cgs_version *//p' | tr -d ' '`],
  [cgs_mpi_why='a program with MPI 3 cannot be compiled or linked (config.log says why)'])
CPPFLAGS=$cgs_saved_CPPFLAGS
LIBS=$cgs_saved_LIBS
AC_MSG_RESULT([$cgs_ranks])
AC_SUBST([RANKS_CFLAGS])
])
