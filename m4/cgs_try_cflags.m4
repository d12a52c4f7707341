# CGS_TRY_CFLAGS(VARIABLE, FLAGS)
# -------------------------------
# Appends to VARIABLE those of FLAGS that the C compiler accepts without even a warning, asked one
# by one.
AC_DEFUN([CGS_TRY_CFLAGS],
[cgs_saved_CFLAGS=$CFLAGS
for cgs_flag in $2
do
  CFLAGS="$cgs_saved_CFLAGS -Werror $cgs_flag"
  AC_MSG_CHECKING([whether $CC accepts $cgs_flag])
  AC_LINK_IFELSE([AC_LANG_PROGRAM()],
    [AC_MSG_RESULT([yes])
     $1="${$1:+$$1 }$cgs_flag"],
    [AC_MSG_RESULT([no])])
done
CFLAGS=$cgs_saved_CFLAGS
])
