# CGS_CHECK_CHOLMOD
# -----------------
# SuiteSparse's CHOLMOD, which solves the coarsest grids of multigrid. Debian before 13 has no
# cholmod.pc: then the library is looked for with its header in suitesparse/ or beside the others.
# Sets CHOLMOD_CFLAGS and CHOLMOD_LIBS; fails where it is missing.
AC_DEFUN([CGS_CHECK_CHOLMOD],
[PKG_CHECK_MODULES([CHOLMOD], [CHOLMOD], [],
  [cgs_cholmod=no
   AC_CHECK_LIB([cholmod], [cholmod_start], [cgs_cholmod=yes])
   cgs_saved_cppflags=$CPPFLAGS
   cgs_cholmod_header=no
   for cgs_folder in "" /usr/include/suitesparse; do
     AS_IF([test "$cgs_cholmod_header" = no],
       [CPPFLAGS="$cgs_saved_cppflags${cgs_folder:+ -isystem $cgs_folder}"
        AC_PREPROC_IFELSE([AC_LANG_PROGRAM([[#include <cholmod.h>]])],
          [cgs_cholmod_header=yes
           CHOLMOD_CFLAGS=${cgs_folder:+"-isystem $cgs_folder"}])])
   done
   CPPFLAGS=$cgs_saved_cppflags
   AS_IF([test "$cgs_cholmod:$cgs_cholmod_header" = yes:yes], [CHOLMOD_LIBS=-lcholmod],
     [AC_MSG_ERROR(m4_normalize([CHOLMOD not found: it is needed for the coarsest grids of multigrid
       (package libsuitesparse-dev or suitesparse-devel)]))])])
])
