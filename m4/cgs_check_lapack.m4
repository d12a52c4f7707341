# CGS_CHECK_LAPACK
# ----------------
# LAPACK, which finds the modes of lines for --precond=fdm. CHOLMOD needs it, too, so that its
# development package brings it along. Sets LAPACK_LIBS; fails where it is missing.
AC_DEFUN([CGS_CHECK_LAPACK],
[cgs_saved_libs=$LIBS
AC_SEARCH_LIBS([dstevd_], [lapack openblas flexiblas], [],
  [AC_MSG_ERROR(m4_normalize([LAPACK not found: it is needed for the modes of --precond=fdm
    (package liblapack-dev or lapack-devel)]))])
LIBS=$cgs_saved_libs
AS_CASE([$ac_cv_search_dstevd_], [none*], [LAPACK_LIBS=], [LAPACK_LIBS=$ac_cv_search_dstevd_])
AC_SUBST([LAPACK_LIBS])
])
