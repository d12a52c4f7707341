# CGS_CHECK_SECCOMP
# -----------------
# libseccomp, for the filter of system calls around users' kernels: its header is wanted here, and the
# library is loaded when a kernel is. --without-seccomp leaves it out.
# Sets cgs_seccomp (yes or no), cgs_seccomp_version (empty where it is not used), cgs_seccomp_why,
# SECCOMP_CFLAGS and the conditional SECCOMP.
AC_DEFUN([CGS_CHECK_SECCOMP],
[AC_ARG_WITH([seccomp],
  [AS_HELP_STRING([--without-seccomp], [do without the filter of system calls around users' kernels])],
  [], [with_seccomp=auto])
cgs_seccomp=no
cgs_seccomp_version=
AS_IF([test "$with_seccomp" = no], [cgs_seccomp_why='not wanted (--without-seccomp)'],
  [PKG_CHECK_MODULES([SECCOMP], [libseccomp >= 2.4],
    [cgs_seccomp=yes
     cgs_seccomp_version=`$PKG_CONFIG --modversion libseccomp`],
    [cgs_seccomp_why='libseccomp 2.4 or newer not found (package libseccomp-dev)'])])
AS_IF([test "$with_seccomp:$cgs_seccomp" = yes:no], [AC_MSG_ERROR([libseccomp: $cgs_seccomp_why])])
AC_DEFINE_UNQUOTED([CGS_SECCOMP_VERSION], ["$cgs_seccomp_version"],
  [The version of libseccomp; empty where the filter of system calls was left out.])
AM_CONDITIONAL([SECCOMP], [test "$cgs_seccomp" = yes])
])
