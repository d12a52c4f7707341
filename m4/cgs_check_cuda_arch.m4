# CGS_CHECK_CUDA_ARCH
# -------------------
# Turns CUDA_ARCH ("90", "80 90", "80,90", "sm_90") into CGS_GENCODE: machine code for each one and
# PTX of the highest, which the driver compiles for GPUs newer than those. Without CUDA_ARCH, or "all", one
# of each generation since 2017 that this nvcc still knows: machine code runs on every later
# minor version of its own major one, so 80 serves 86 to 89 as well. A single architecture
# compiles five times as fast: CUDA_ARCH=90 while developing.
AC_DEFUN([CGS_CHECK_CUDA_ARCH],
[AS_IF([test -z "$cgs_cuda_why"],
  [AC_MSG_CHECKING([for the GPU architectures to build for])
   cgs_known=`$NVCC --list-gpu-arch 2>&AS_MESSAGE_LOG_FD | tr '\n' ' '`
   cgs_wanted=`echo "$CUDA_ARCH" | sed 's/sm_//g; s/compute_//g; s/@<:@,;@:>@/ /g; s/^all$//'`
   cgs_list=
   for cgs_arch in ${cgs_wanted:-70 75 80 90 100 120}
   do
     AS_CASE([$cgs_arch],
       [*@<:@!0-9af@:>@*|@<:@!0-9@:>@*],
         [AC_MSG_RESULT([$CUDA_ARCH])
          AC_MSG_ERROR([CUDA_ARCH is a list of numbers such as 80,90, not "$CUDA_ARCH"])])
     AS_CASE([" $cgs_known "],
       [*" compute_${cgs_arch%@<:@af@:>@} "*], [cgs_list="$cgs_list$cgs_arch "],
       [AS_IF([test -n "$cgs_wanted"],
         [AC_MSG_RESULT([$CUDA_ARCH])
          AC_MSG_ERROR([CUDA_ARCH: $NVCC does not know $cgs_arch; it knows $cgs_known])])])
   done
   cgs_list=`echo "$cgs_list" | tr ' ' '\n' | sed '/^$/d' | sort -n -u`
   AS_IF([test -z "$cgs_list"],
     [cgs_cuda_why="$NVCC knows none of the GPU architectures 70 75 80 90 100 120"])
   for cgs_arch in $cgs_list
   do
     CGS_GENCODE="$CGS_GENCODE -gencode arch=compute_$cgs_arch,code=sm_$cgs_arch"
     cgs_cuda_architectures="${cgs_cuda_architectures}sm_$cgs_arch "
   done
   CGS_GENCODE="$CGS_GENCODE -gencode arch=compute_$cgs_arch,code=compute_$cgs_arch"
   cgs_cuda_architectures="${cgs_cuda_architectures}compute_$cgs_arch"
   AC_MSG_RESULT([$cgs_cuda_architectures])])
])
