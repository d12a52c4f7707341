# CGS_CHECK_NVCCFLAGS
# -------------------
# NVCCFLAGS, unless the user gives them. Device code of six architectures is most of what is installed:
# -compress-mode=size (nvcc 12.8) makes it a fifth of what -Xfatbin=-compress-all leaves, and so does the
# want of -lineinfo, which a profiler needs to show lines of source (HACKING.md).
AC_DEFUN([CGS_CHECK_NVCCFLAGS],
[AS_IF([test -z "$cgs_cuda_why" && test -z "${NVCCFLAGS+set}"],
  [NVCCFLAGS="-O3 -std=c++20 --expt-relaxed-constexpr"
   AS_IF([$NVCC --help 2>&AS_MESSAGE_LOG_FD | grep -q -e --compress-mode],
     [NVCCFLAGS="$NVCCFLAGS -compress-mode=size"],
     [NVCCFLAGS="$NVCCFLAGS -Xfatbin=-compress-all"])])
])
