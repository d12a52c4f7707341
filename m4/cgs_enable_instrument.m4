# CGS_ENABLE_INSTRUMENT
# ---------------------
# Builds that watch themselves, all for the host's code; CGS_INSTRUMENT holds their flags, for
# compiling and linking. Called before AC_PROG_CC, since they change the default CFLAGS.
#   --enable-sanitizers         address and undefined behaviour, ending at the first finding
#   --enable-thread-sanitizer   data races, with clang, whose OpenMP tells the sanitizer what it
#                               does (gcc's does not, and its function clones crash under it)
#   --enable-coverage           gcov counts
# CUDA is left out of such builds unless --with-cuda asks for it.
AC_DEFUN([CGS_ENABLE_INSTRUMENT],
[AC_ARG_ENABLE([sanitizers],
  [AS_HELP_STRING([--enable-sanitizers], [build with address and undefined behaviour sanitizers])],
  [], [enable_sanitizers=no])
AC_ARG_ENABLE([thread-sanitizer],
  [AS_HELP_STRING([--enable-thread-sanitizer], [build with the thread sanitizer])],
  [], [enable_thread_sanitizer=no])
AC_ARG_ENABLE([coverage],
  [AS_HELP_STRING([--enable-coverage], [count executed lines, for gcov])],
  [], [enable_coverage=no])

CGS_INSTRUMENT=
AS_IF([test "$enable_sanitizers" != no && test "$enable_thread_sanitizer" != no],
  [AC_MSG_ERROR([--enable-sanitizers and --enable-thread-sanitizer exclude each other])])
AS_IF([test "$enable_sanitizers" != no],
  [CGS_INSTRUMENT="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"])
AS_IF([test "$enable_thread_sanitizer" != no],
  [CGS_INSTRUMENT="-fsanitize=thread -fno-omit-frame-pointer"])
AS_IF([test "$enable_coverage" != no],
  [CGS_INSTRUMENT="$CGS_INSTRUMENT --coverage"])

AS_IF([test "$enable_coverage" != no], [: "${CFLAGS="-g -O0"}"],
  [test -n "$CGS_INSTRUMENT"], [: "${CFLAGS="-g -O1"}"],
  [: "${CFLAGS="-g -O3"}"])
AC_SUBST([CGS_INSTRUMENT])
])
