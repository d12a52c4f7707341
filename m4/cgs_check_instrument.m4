# CGS_CHECK_INSTRUMENT
# --------------------
# Whether the compiler has what CGS_INSTRUMENT asks of it; called when the compiler is known.
AC_DEFUN([CGS_CHECK_INSTRUMENT],
[AS_CASE([$enable_thread_sanitizer:$enable_fuzzer:$CGS_COMPILER],
  [no:no:*|*:clang*], [],
  [AC_MSG_ERROR([--enable-thread-sanitizer and --enable-fuzzer need clang: CC=clang (packages clang and libomp-dev)])])
AS_IF([test -n "$CGS_INSTRUMENT"],
  [cgs_saved_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS $CGS_INSTRUMENT"
   AC_MSG_CHECKING([whether $CC can link with $CGS_INSTRUMENT])
   AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
     [AC_MSG_RESULT([no])
      AC_MSG_ERROR([the sanitizers' libraries are missing (libasan, libubsan, libtsan come with gcc)])])
   CFLAGS=$cgs_saved_CFLAGS])
])
