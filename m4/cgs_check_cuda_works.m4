# CGS_CHECK_CUDA_WORKS
# --------------------
# Compiles a kernel by nvcc, its host compiler and the very flags of the build, and links it by the
# C compiler with the static runtime, trying the places where toolkits keep it: so the program
# starts on a machine without GPU, driver or toolkit. Of cuSPARSE and cuBLAS only the headers are
# asked for: the libraries are loaded at run time. Sets CUDA_LIBS, cgs_cuda_libdir.
AC_DEFUN([CGS_CHECK_CUDA_WORKS],
[AS_IF([test -z "$cgs_cuda_why"],
  [AC_MSG_CHECKING([whether nvcc can compile a kernel])
   cat >conftest.cu <<'_ACEOF'
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <cstdint>
static __global__ void twice(double *x, std::int64_t n)
{
    const std::int64_t i = (std::int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[[i]] *= 2.0;
}
int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices < 0)
        twice<<<1, 32>>>(nullptr, 0);
    return 0;
}
_ACEOF
   cgs_try="$NVCC -forward-unknown-to-host-compiler $NVCCFLAGS $CGS_GENCODE $OPENMP_CFLAGS -c -o conftest.cuda.$ac_objext conftest.cu"
   echo "$as_me:${as_lineno-$LINENO}: $cgs_try" >&AS_MESSAGE_LOG_FD
   AS_IF([$cgs_try >conftest.err 2>&1],
     [AC_MSG_RESULT([yes])
      cat conftest.err >&AS_MESSAGE_LOG_FD],
     [AC_MSG_RESULT([no])
      cat conftest.err >&AS_MESSAGE_LOG_FD
      cgs_cuda_why="$NVCC cannot compile a small kernel: `grep -i -m 1 -e error -e fatal -e unsupported -e 'not found' conftest.err || sed 1q conftest.err` (all of it is in config.log)"])])

AS_IF([test -z "$cgs_cuda_why"],
  [AC_MSG_CHECKING([for the static CUDA runtime])
   cgs_top=`cd "\`dirname "\\\`readlink -f "$NVCC" || echo "$NVCC"\\\`"\`/.." && pwd`
   cgs_nvcc_top=`$NVCC -dryrun -c conftest.cu 2>&1 | sed -n 's/^#\\$ TOP=//p'`
   for cgs_dir in "$cgs_cuda_dir" "${NVCC%/bin/nvcc}" "$cgs_top" "$cgs_nvcc_top" /usr
   do
     for cgs_lib in lib64 lib lib/`uname -m`-linux-gnu targets/`uname -m`-linux/lib targets/sbsa-linux/lib
     do
       AS_IF([test -n "$cgs_dir" && test -f "$cgs_dir/$cgs_lib/libcudart_static.a"], [], [continue])
       CUDA_LIBS="-L$cgs_dir/$cgs_lib -lcudart_static -lstdc++ -lrt -ldl -lpthread"
       cgs_try="$CC $CFLAGS $OPENMP_CFLAGS $LDFLAGS -o conftest$ac_exeext conftest.cuda.$ac_objext $CUDA_LIBS"
       echo "$as_me:${as_lineno-$LINENO}: $cgs_try" >&AS_MESSAGE_LOG_FD
       AS_IF([$cgs_try >&AS_MESSAGE_LOG_FD 2>&1],
         [cgs_cuda_libdir=$cgs_dir/$cgs_lib
          break 2])
     done
   done
   AC_MSG_RESULT([${cgs_cuda_libdir:-no}])
   AS_IF([test -z "$cgs_cuda_libdir"],
     [cgs_cuda_why="no libcudart_static.a beside $NVCC that $CC can link (package cuda-cudart-dev)"])])
rm -f conftest.cu conftest.err conftest.cuda.$ac_objext conftest$ac_exeext
])
