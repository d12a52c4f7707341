# CGS_CHECK_PARTITIONERS
# ----------------------
# METIS and Scotch, which distribute the rows of a file among ranks (--partition=metis, scotch). They are
# loaded when they are used and nothing is compiled for them, so that this only tells the summary whether
# they are here. Sets cgs_metis and cgs_scotch: the file that was found, "no", or "unknown" where the
# program is for another machine.
AC_DEFUN([CGS_CHECK_PARTITIONERS],
[CGS_TRY_PARTITIONER([METIS], [cgs_metis])
CGS_TRY_PARTITIONER([SCOTCH], [cgs_scotch])
])

# CGS_TRY_PARTITIONER(NAME, VARIABLE)
# -----------------------------------
# Runs a program that loads the library as matrix/ranks/partitioner.c does.
AC_DEFUN([CGS_TRY_PARTITIONER],
[AC_MSG_CHECKING([for the library of $1])
cgs_saved_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS -I$srcdir"
$2=no
AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <dlfcn.h>
#include <stdio.h>
#include "matrix/ranks/partitioner_names.h"]],
  [[static const char *const names[] = {CGS_$1_NAMES};
    FILE *found = fopen("conftest.found", "w");
    for (unsigned i = 0; found && i < sizeof names / sizeof *names; i++) {
      void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
      if (library && dlsym(library, CGS_$1_SYMBOL))
        return fprintf(found, "%s\n", names[i]) < 0 || fclose(found) != 0;
    }
    return 1;]])],
  [$2=`cat conftest.found`], [], [$2=unknown])
rm -f conftest.found
CPPFLAGS=$cgs_saved_CPPFLAGS
AC_MSG_RESULT([$$2])
])
