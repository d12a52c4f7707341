# CGS_CHECK_COMPILER
# ------------------
# The C compiler: C17 is required, 64-bit pointers too. Sets (and substitutes)
#   CGS_STD        the flags for C17, -std=gnu17, and for sums that do not depend on where a loop
#                  was cut: a compiler that fuses a product and a sum does so in one copy of a loop
#                  and not in another (gcc 14); and for functions of a shared library that are
#                  inlined as in a program
#   CGS_COMPILER   its name and version as reports show it: "gcc 12.2.0"
# OpenMP (AC_OPENMP: OPENMP_CFLAGS) is required; what is missing is said together with its remedy.
AC_DEFUN([CGS_CHECK_COMPILER],
[CGS_STD=
CGS_TRY_CFLAGS([CGS_STD], [-std=gnu17])
AS_IF([test -z "$CGS_STD"],
  [AC_MSG_ERROR([$CC does not know -std=gnu17; gcc 8, clang 6 or newer is needed (CC=... chooses)])])
CGS_TRY_CFLAGS([CGS_STD], [-ffp-contract=off])
CGS_TRY_CFLAGS([CGS_STD], [-fno-semantic-interposition])
AC_SUBST([CGS_STD])

AC_COMPILE_IFELSE([AC_LANG_SOURCE([[_Static_assert(sizeof(void *) == 8, "64 bits");]])], [],
  [AC_MSG_ERROR([cgsolve needs a 64-bit system: row pointers and loop counts pass 2^31])])

AC_MSG_CHECKING([for the name and version of $CC])
cat >conftest.h <<'_ACEOF'
#ifdef __clang__
clang __clang_major__.__clang_minor__.__clang_patchlevel__
#else
gcc __GNUC__.__GNUC_MINOR__.__GNUC_PATCHLEVEL__
#endif
_ACEOF
CGS_COMPILER=`$CC -E -P -x c conftest.h 2>&AS_MESSAGE_LOG_FD | sed -n 's/ *\. */./g; s/^\(clang\|gcc\) /&/p'`
rm -f conftest.h
: "${CGS_COMPILER:=$CC}"
AC_MSG_RESULT([$CGS_COMPILER])

AC_OPENMP
cgs_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $OPENMP_CFLAGS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <omp.h>
#ifndef _OPENMP
#error OpenMP is off
#endif
]], [[return omp_get_max_threads() < 1;]])], [],
  [AC_MSG_ERROR([$CC cannot build an OpenMP program, which cgsolve needs: take gcc, or install libomp-dev for clang])])
CFLAGS=$cgs_saved_CFLAGS
])
