# CGS_CHECK_NVCC
# --------------
# Finds nvcc, in this order: NVCC as given; DIR/bin of --with-cuda=DIR; PATH; CUDA_HOME, CUDA_PATH;
# /usr/local/cuda and its numbered sisters, /opt/cuda. Needs version 12.4 or newer (C++20, and a
# runtime whose graphs and memory pools the kernels use). Sets NVCC, cgs_cuda_version.
AC_DEFUN([CGS_CHECK_NVCC],
[AS_IF([test -z "$cgs_cuda_why"],
  [AC_MSG_CHECKING([for nvcc])
   AS_IF([test -z "$NVCC"],
     [AS_IF([test -n "$cgs_cuda_dir"], [set dummy "$cgs_cuda_dir/bin"],
        [set dummy `echo "$PATH" | tr : ' '` ${CUDA_HOME:+"$CUDA_HOME/bin"} \
           ${CUDA_PATH:+"$CUDA_PATH/bin"} /usr/local/cuda/bin /usr/local/cuda-*/bin /opt/cuda/bin])
      shift
      for cgs_dir
      do
        AS_IF([test -f "$cgs_dir/nvcc" && test -x "$cgs_dir/nvcc"],
          [NVCC=$cgs_dir/nvcc
           break])
      done])
   AC_MSG_RESULT([${NVCC:-no}])
   AS_IF([test -z "$NVCC"],
     [AS_IF([test -n "$cgs_cuda_dir"],
       [cgs_cuda_why="there is no nvcc in $cgs_cuda_dir/bin"],
       [cgs_cuda_why="nvcc found neither on PATH nor in /usr/local/cuda; CUDA Toolkit 12.4 or newer brings it"])])])

AS_IF([test -z "$cgs_cuda_why"],
  [AC_MSG_CHECKING([for the version of nvcc])
   cgs_cuda_version=`$NVCC --version 2>&AS_MESSAGE_LOG_FD | sed -n 's/.*release \([[0-9.]]*\).*/\1/p'`
   AC_MSG_RESULT([${cgs_cuda_version:-unknown}])
   AS_IF([test -z "$cgs_cuda_version"],
     [cgs_cuda_why="$NVCC --version does not tell a release"],
     [AS_VERSION_COMPARE([$cgs_cuda_version], [12.4],
       [cgs_cuda_why="$NVCC is CUDA $cgs_cuda_version, and 12.4 or newer is needed"])])])
])
