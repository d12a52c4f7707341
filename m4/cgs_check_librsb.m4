# CGS_CHECK_LIBRSB
# ----------------
# librsb, a sparse BLAS, as the reference kernel crs_librsb: its header is wanted here, and the
# library is loaded when the kernel is used. --without-librsb leaves it out, and so does the thread
# sanitizer, which takes gcc's OpenMP inside librsb for races.
# Sets cgs_librsb (yes or no), cgs_librsb_version (empty where it is not used), cgs_librsb_why,
# LIBRSB_CFLAGS and the conditional LIBRSB.
AC_DEFUN([CGS_CHECK_LIBRSB],
[AC_ARG_WITH([librsb],
  [AS_HELP_STRING([--without-librsb], [do without the reference kernel crs_librsb])],
  [], [with_librsb=auto])
cgs_librsb=no
cgs_librsb_version=
AS_IF([test "$with_librsb" = no], [cgs_librsb_why='not wanted (--without-librsb)'],
  [test "$enable_thread_sanitizer" != no], [cgs_librsb_why='not with the thread sanitizer'],
  [PKG_CHECK_MODULES([LIBRSB], [librsb >= 1.2],
    [cgs_librsb=yes
     cgs_librsb_version=`$PKG_CONFIG --modversion librsb`],
    [cgs_librsb_why='librsb 1.2 or newer not found (package librsb-dev)'])])
AS_IF([test "$with_librsb:$cgs_librsb" = yes:no], [AC_MSG_ERROR([librsb: $cgs_librsb_why])])
AC_DEFINE_UNQUOTED([CGS_LIBRSB_VERSION], ["$cgs_librsb_version"],
  [The version of librsb; empty where the kernel crs_librsb was left out.])
AM_CONDITIONAL([LIBRSB], [test "$cgs_librsb" = yes])
])
