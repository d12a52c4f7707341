# CGS_ENABLE_INSTRUMENT
# ---------------------
# Builds that watch themselves, all for the host's code; CGS_INSTRUMENT holds their flags, for
# compiling and linking. Called before AC_PROG_CC, since they change the default CFLAGS.
#   --enable-sanitizers         address and undefined behaviour, ending at the first finding
#   --enable-fuzzer             the same, for clang's libFuzzer: make fuzz
#   --enable-thread-sanitizer   data races, with clang, whose OpenMP tells the sanitizer what it
#                               does (gcc's does not, and its function clones crash under it)
#   --enable-coverage           gcov counts, CGS_COUNT, for the rooms that `make coverage` asks lines of: of one
#                               vector width (base/vectorise.h); threads may lose some of them to each
#                               other, since atomic ones take three times as long; not written before an
#                               exec, which a caged process could not
# CUDA is left out of such builds unless --with-cuda asks for it.
AC_DEFUN([CGS_ENABLE_INSTRUMENT],
[AC_ARG_ENABLE([sanitizers],
  [AS_HELP_STRING([--enable-sanitizers], [build with address and undefined behaviour sanitizers])],
  [], [enable_sanitizers=no])
AC_ARG_ENABLE([thread-sanitizer],
  [AS_HELP_STRING([--enable-thread-sanitizer], [build with the thread sanitizer])],
  [], [enable_thread_sanitizer=no])
AC_ARG_ENABLE([fuzzer],
  [AS_HELP_STRING([--enable-fuzzer], [sanitizers, and clang's libFuzzer])],
  [], [enable_fuzzer=no])
AC_ARG_ENABLE([coverage],
  [AS_HELP_STRING([--enable-coverage], [count executed lines, for gcov])],
  [], [enable_coverage=no])

CGS_INSTRUMENT=
AS_CASE([$enable_thread_sanitizer:$enable_sanitizers:$enable_fuzzer], [no:*|*:no:no], [],
  [AC_MSG_ERROR([--enable-thread-sanitizer excludes --enable-sanitizers and --enable-fuzzer])])
AS_IF([test "$enable_sanitizers" != no || test "$enable_fuzzer" != no],
  [CGS_INSTRUMENT="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"])
AS_IF([test "$enable_thread_sanitizer" != no],
  [CGS_INSTRUMENT="-fsanitize=thread -fno-omit-frame-pointer"])
AS_IF([test "$enable_fuzzer" != no],
  [CGS_INSTRUMENT="$CGS_INSTRUMENT -fsanitize=fuzzer-no-link"])
AS_IF([test "$enable_coverage" != no],
  [CGS_INSTRUMENT="$CGS_INSTRUMENT -DCGS_ONE_WIDTH -fno-builtin-execv -fno-builtin-execvp"
   CGS_COUNT="--coverage -fprofile-update=single"])

AS_IF([test -n "$CGS_INSTRUMENT"], [: "${CFLAGS="-g -O1"}"], [: "${CFLAGS="-O3"}"])
AC_SUBST([CGS_INSTRUMENT])
AC_SUBST([CGS_COUNT])
AM_CONDITIONAL([THREAD_SANITIZER], [test "$enable_thread_sanitizer" != no])
AM_CONDITIONAL([FUZZER], [test "$enable_fuzzer" != no])
])
