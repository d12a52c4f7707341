# CGS_CHECK_WARNINGS
# ------------------
# CGS_WARNINGS: the warnings that every C file is compiled with; CGS_CUDA_WARNINGS: those for the
# host side of .cu files (what nvcc generates is not pedantic). --enable-werror, for CI and
# developers only, makes errors of them: a new compiler must never break a user's build. How vectors
# go through calls (-Wpsabi) does not matter: functions of vectors are inlined (fem/element/lanes.h).
AC_DEFUN([CGS_CHECK_WARNINGS],
[AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [warnings are errors (for CI and developers)])],
  [], [enable_werror=no])
CGS_WARNINGS=
CGS_TRY_CFLAGS([CGS_WARNINGS], [-Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes dnl
-Wmissing-prototypes -Wold-style-definition -Wpointer-arith -Wwrite-strings -Wundef dnl
-Wformat=2 -Wduplicated-cond -Wlogical-op -Wno-psabi])
CGS_CUDA_WARNINGS="-Wall -Wextra -Wno-missing-field-initializers"
AS_IF([test "$enable_werror" = yes],
  [CGS_WARNINGS="$CGS_WARNINGS -Werror"
   CGS_CUDA_WARNINGS="$CGS_CUDA_WARNINGS --compiler-options=-Werror --Werror=all-warnings"])
AC_SUBST([CGS_WARNINGS])
AC_SUBST([CGS_CUDA_WARNINGS])
])
