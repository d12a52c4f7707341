# CGS_CHECK_EMULATOR
# ------------------
# The variable EMULATOR_CXX: the C++ compiler for tests/emulator/, which runs the CUDA kernels of the
# tests on the CPU; optional. Sets cgs_emulator_why where there is none; the conditional EMULATOR.
AC_DEFUN([CGS_CHECK_EMULATOR],
[AC_ARG_VAR([EMULATOR_CXX], [C++ compiler that runs CUDA kernels in tests without a GPU])
AC_CHECK_PROGS([EMULATOR_CXX], [g++ clang++ c++])
cgs_emulator_why=
AS_IF([test "$cgs_check" != yes], [cgs_emulator_why="it needs Check"],
  [test -z "$EMULATOR_CXX"], [cgs_emulator_why="no C++ compiler found (package g++)"],
  [test -n "$CGS_INSTRUMENT"], [cgs_emulator_why="sanitizers and coverage do not follow its fibers"],
  [test "$cross_compiling" = yes], [cgs_emulator_why="the tests can't run here"],
  [AC_MSG_CHECKING([whether $EMULATOR_CXX compiles C++20 for $CC])
   cat >conftest.cpp <<'_CGSEOF'
#include <algorithm>
#include <vector>
#include <link.h>
#define LAST(first, ...) __VA_OPT__(__VA_ARGS__)
static thread_local std::vector<int> list;
extern "C" int cgs_try(int n) { auto f = [[]](auto... all) { return [[all...]]() { return (all + ...); }; };
  list.push_back(n); return f(n, LAST(1, 2))() + *std::max_element(list.begin(), list.end()); }
_CGSEOF
   echo 'int cgs_try(int); int main(void) { return cgs_try(1) != 4; }' >conftest.c
   AS_IF([$EMULATOR_CXX -std=gnu++20 -O1 -c conftest.cpp -o conftest1.o >&AS_MESSAGE_LOG_FD 2>&1 &&
          $CC $CFLAGS conftest.c conftest1.o -lstdc++ -o conftest$EXEEXT >&AS_MESSAGE_LOG_FD 2>&1 &&
          ./conftest$EXEEXT],
     [AC_MSG_RESULT([yes])],
     [AC_MSG_RESULT([no])
      cgs_emulator_why="$EMULATOR_CXX can't compile C++20, or not for $CC"])
   rm -f conftest*])
AM_CONDITIONAL([EMULATOR], [test -z "$cgs_emulator_why"])
])
