# CGS_CHECK_LOADED
# ----------------
# Libraries of several ranks that are loaded when they are used: METIS and Scotch, which distribute the rows of a
# file (--partition=metis, scotch), and NCCL between GPUs. Nothing is compiled for them, so that this only tells
# the summary whether they are here. Sets cgs_metis, cgs_scotch and cgs_nccl: the file that was found, "no", or
# "unknown" where the program is for another machine.
AC_DEFUN([CGS_CHECK_LOADED],
[CGS_TRY_LOADED([METIS], [matrix/ranks/partitioner_names.h], [cgs_metis])
CGS_TRY_LOADED([SCOTCH], [matrix/ranks/partitioner_names.h], [cgs_scotch])
CGS_TRY_LOADED([NCCL], [kernels/device/nccl_names.h], [cgs_nccl])
])

# CGS_TRY_LOADED(NAME, HEADER, VARIABLE)
# --------------------------------------
# Runs a program that loads the library as ours does, by the header's CGS_NAME_NAMES and CGS_NAME_SYMBOL.
AC_DEFUN([CGS_TRY_LOADED],
[AC_MSG_CHECKING([for the library of $1])
cgs_saved_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS -I$srcdir"
$3=no
AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <dlfcn.h>
#include <stdio.h>
#include "$2"]],
  [[static const char *const names[] = {CGS_$1_NAMES};
    FILE *found = fopen("conftest.found", "w");
    for (unsigned i = 0; found && i < sizeof names / sizeof *names; i++) {
      void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
      if (library && dlsym(library, CGS_$1_SYMBOL))
        return fprintf(found, "%s\n", names[i]) < 0 || fclose(found) != 0;
    }
    return 1;]])],
  [$3=`cat conftest.found`], [], [$3=unknown])
rm -f conftest.found
CPPFLAGS=$cgs_saved_CPPFLAGS
AC_MSG_RESULT([$$3])
])
