# CGS_CHECK_HDF5
# --------------
# libhdf5, for --output=FILE.vtkhdf: the first flavour that pkg-config knows and that a trial program
# works with, serial before parallel (which needs no MPI_Init to write a file alone). HDF5_CFLAGS and
# HDF5_LIBS name another one. --without-hdf5 leaves it out. What stands behind -lhdf5 is tried later: a
# shared HDF5 brings its MPI, and Ubuntu's MPICH names libraries that its packages do not bring.
# Sets cgs_hdf5 (yes or no), cgs_hdf5_version (empty where it is not used), cgs_hdf5_flavour,
# cgs_hdf5_why, HDF5_CFLAGS, HDF5_LIBS and the conditional HDF5.
AC_DEFUN([CGS_CHECK_HDF5],
[AC_ARG_WITH([hdf5],
  [AS_HELP_STRING([--without-hdf5], [do without --output=FILE.vtkhdf])],
  [], [with_hdf5=auto])
AC_ARG_VAR([HDF5_CFLAGS], [C compiler flags for HDF5, instead of pkg-config's])
AC_ARG_VAR([HDF5_LIBS], [linker flags for HDF5, instead of pkg-config's])
cgs_hdf5=no
cgs_hdf5_version=
AS_IF([test "$with_hdf5" = no], [cgs_hdf5_why='not wanted (--without-hdf5)'],
  [cgs_hdf5_why='HDF5 1.10 or newer not found (package libhdf5-dev)'
   cgs_flavours=${HDF5_LIBS:+HDF5_LIBS}
   for cgs_hdf5_flavour in ${cgs_flavours:-hdf5-serial hdf5 hdf5-openmpi hdf5-mpich}; do
     AS_IF([test "$cgs_flavours"],
       [cgs_flags=$HDF5_CFLAGS
        cgs_all_libs=$HDF5_LIBS
        cgs_own_libs=$HDF5_LIBS],
       [$PKG_CONFIG --exists "$cgs_hdf5_flavour >= 1.10"],
       [cgs_flags=`$PKG_CONFIG --cflags $cgs_hdf5_flavour`
        cgs_all_libs=`$PKG_CONFIG --libs $cgs_hdf5_flavour`
        cgs_own_libs=`AS_ECHO(["$cgs_all_libs"]) | sed 's/ -lhdf5 .*/ -lhdf5/'`],
       [continue])
     for cgs_libs in "$cgs_own_libs" "$cgs_all_libs"; do
       CGS_TRY_HDF5
       AS_IF([test "$cgs_hdf5" = yes], [break 2])
     done
   done])
AS_IF([test "$with_hdf5:$cgs_hdf5" = yes:no], [AC_MSG_ERROR([HDF5: $cgs_hdf5_why])])
AC_DEFINE_UNQUOTED([CGS_HDF5_VERSION], ["$cgs_hdf5_version"],
  [The version of HDF5; empty where --output=FILE.vtkhdf was left out.])
AM_CONDITIONAL([HDF5], [test "$cgs_hdf5" = yes])
])

# CGS_TRY_HDF5
# ------------
# Links a program with cgs_flags and cgs_libs and runs it (not where it is for another machine); then
# sets what CGS_CHECK_HDF5 sets, or else cgs_hdf5_why. Folders come as -isystem: others' headers need
# not pass our warnings.
AC_DEFUN([CGS_TRY_HDF5],
[AC_MSG_CHECKING([whether HDF5 works ($cgs_hdf5_flavour)])
cgs_flags=`AS_ECHO(["$cgs_flags"]) | sed 's/-I */-isystem /g'`
cgs_saved_CPPFLAGS=$CPPFLAGS
cgs_saved_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $cgs_flags"
LIBS="$cgs_libs $LIBS"
AC_LANG_CONFTEST([AC_LANG_PROGRAM([[#include <hdf5.h>
#if !H5_VERSION_GE(1, 10, 0)
#error "older than 1.10"
#endif]],
  [[return H5open() < 0 || H5Pcreate(H5P_DATASET_CREATE) < 0;]])])
AS_IF([test "$cross_compiling" = yes], [AC_LINK_IFELSE([], [cgs_hdf5=yes])],
  [AC_RUN_IFELSE([], [cgs_hdf5=yes], [], [:])])
cgs_hdf5_why="a program with $cgs_hdf5_flavour cannot be compiled, linked or run (config.log says why)"
AS_IF([test "$cgs_hdf5" = yes],
  [HDF5_CFLAGS=$cgs_flags
   HDF5_LIBS=$cgs_libs
   cgs_hdf5_version=`AS_ECHO(["cgs_version H5_VERS_INFO"]) | $CC $CPPFLAGS -include hdf5.h -E -P - |
     sed -n 's/^cgs_version.* \(.*\)"/\1/p'`])
CPPFLAGS=$cgs_saved_CPPFLAGS
LIBS=$cgs_saved_LIBS
AC_MSG_RESULT([$cgs_hdf5])
])
