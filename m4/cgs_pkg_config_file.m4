# CGS_PKG_CONFIG_FILE
# -------------------
# What cgsolve.pc says of the libraries behind libcgsolve. A shared one knows them by itself, so that
# they are private then (`pkg-config --static` names them). Where only the static one is built, the
# default, whoever links needs them: then they are public, and `pkg-config --libs` is enough.
# Substitutes CGS_PC_REQUIRES, CGS_PC_LIBS, or both with _PRIVATE.
AC_DEFUN([CGS_PKG_CONFIG_FILE],
[cgs_pc_requires="jansson libarchive zlib"
cgs_pc_libs="$LAPACK_LIBS $CUDA_LIBS $OPENMP_CFLAGS $LIBS"
AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists CHOLMOD],
  [cgs_pc_requires="$cgs_pc_requires CHOLMOD"],
  [cgs_pc_libs="$CHOLMOD_LIBS $cgs_pc_libs"])
AS_IF([test "$enable_shared" = yes],
  [CGS_PC_REQUIRES=
   CGS_PC_LIBS=
   CGS_PC_REQUIRES_PRIVATE=$cgs_pc_requires
   CGS_PC_LIBS_PRIVATE=$cgs_pc_libs],
  [CGS_PC_REQUIRES=$cgs_pc_requires
   CGS_PC_LIBS=$cgs_pc_libs
   CGS_PC_REQUIRES_PRIVATE=
   CGS_PC_LIBS_PRIVATE=])
AC_SUBST([CGS_PC_REQUIRES])
AC_SUBST([CGS_PC_LIBS])
AC_SUBST([CGS_PC_REQUIRES_PRIVATE])
AC_SUBST([CGS_PC_LIBS_PRIVATE])
])
