# CGS_CHECK_HDF5
# --------------
# libhdf5, for --output=FILE.vtkhdf: its headers are wanted here, and the library (with all that
# Debian's depends on) is loaded when a file is written. --without-hdf5 leaves it out.
# Sets cgs_hdf5 (yes or no), cgs_hdf5_version (empty where it is not used), cgs_hdf5_why, HDF5_CFLAGS
# and the conditional HDF5.
AC_DEFUN([CGS_CHECK_HDF5],
[AC_ARG_WITH([hdf5],
  [AS_HELP_STRING([--without-hdf5], [do without --output=FILE.vtkhdf])],
  [], [with_hdf5=auto])
cgs_hdf5=no
cgs_hdf5_version=
AS_IF([test "$with_hdf5" = no], [cgs_hdf5_why='not wanted (--without-hdf5)'],
  [PKG_CHECK_EXISTS([hdf5-serial >= 1.10], [cgs_hdf5_module=hdf5-serial], [cgs_hdf5_module=hdf5])
   PKG_CHECK_MODULES([HDF5], [$cgs_hdf5_module >= 1.10],
    [cgs_hdf5=yes
     cgs_hdf5_version=`$PKG_CONFIG --modversion $cgs_hdf5_module`],
    [cgs_hdf5_why='HDF5 1.10 or newer not found (package libhdf5-dev)'])])
AS_IF([test "$with_hdf5:$cgs_hdf5" = yes:no], [AC_MSG_ERROR([HDF5: $cgs_hdf5_why])])
AC_DEFINE_UNQUOTED([CGS_HDF5_VERSION], ["$cgs_hdf5_version"],
  [The version of HDF5; empty where --output=FILE.vtkhdf was left out.])
AM_CONDITIONAL([HDF5], [test "$cgs_hdf5" = yes])
])
