# SATF_CUDA: finds nvcc on PATH or in /usr/local/cuda and compiles and links a
# kernel with it. Sets the conditional CUDA, NVCC, NVCC_FLAGS, CUDA_LIBS
# and $cuda_summary.
AC_DEFUN([SATF_CUDA], [
AC_ARG_ENABLE([cuda],
  [AS_HELP_STRING([--disable-cuda], [build for the CPU only])],
  [], [enable_cuda=auto])
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=DIR], [CUDA toolkit (default: of the nvcc on PATH, else /usr/local/cuda)])],
  [], [with_cuda=auto])
AC_ARG_WITH([cuda-arch],
  [AS_HELP_STRING([--with-cuda-arch=LIST],
    [compute capabilities to compile for, as in "80,90"; later ones are compiled when first used @<:@90@:>@])],
  [], [with_cuda_arch=90])

cuda_summary=no
NVCC=
NVCC_FLAGS=
CUDA_LIBS=
AS_IF([test "x$enable_cuda" = xno || test "x$with_cuda" = xno], [cuda_summary="no (disabled)"], [
  AS_CASE([$with_cuda],
    [auto|yes], [AC_PATH_PROG([NVCC], [nvcc], [], [$PATH$PATH_SEPARATOR/usr/local/cuda/bin])],
    [AC_PATH_PROG([NVCC], [nvcc], [], [$with_cuda/bin])])
  AS_IF([test "x$NVCC" = x], [cuda_summary="no (no nvcc on PATH or in /usr/local/cuda)"], [SATF_CUDA_TRY])])
AS_IF([test "x$CUDA_LIBS" = x], [
  AS_IF([test "x$enable_cuda" = xyes],
    [AC_MSG_ERROR([--enable-cuda was given, but CUDA cannot be used: $cuda_summary])])])
AC_SUBST([NVCC])
AC_SUBST([NVCC_FLAGS])
AC_SUBST([CUDA_LIBS])
AM_CONDITIONAL([CUDA], [test "x$CUDA_LIBS" != x])
])

# The kernel is compiled with the very flags of the build, and linked as the
# library is: statically, so that no CUDA toolkit is needed where it runs.
AC_DEFUN([SATF_CUDA_TRY], [
  NVCC_FLAGS="-std=c++17 -O3 -fmad=false"
  for satf_arch in `AS_ECHO(["$with_cuda_arch"]) | tr ',;' '  '`; do
    satf_arch=`AS_ECHO(["$satf_arch"]) | sed 's/^sm_//; s/\.//'`
    AS_CASE([$satf_arch], [''|*@<:@!0-9@:>@*],
      [AC_MSG_ERROR([--with-cuda-arch=$with_cuda_arch: capabilities are numbers, as in "80,90"])])
    AS_VAR_APPEND([NVCC_FLAGS],
      [" -gencode=arch=compute_$satf_arch,code=@<:@sm_$satf_arch,compute_$satf_arch@:>@"])
  done
  AS_CASE([$NVCC_FLAGS], [*gencode*], [],
    [AC_MSG_ERROR([--with-cuda-arch= names no compute capability])])
  # $NVCC is <toolkit>/bin/nvcc, perhaps through a link
  satf_toolkit=`readlink -f "$NVCC" 2>/dev/null || AS_ECHO(["$NVCC"])`
  satf_toolkit=`AS_DIRNAME(["$satf_toolkit"])`/..
  satf_cudart=
  for satf_dir in lib64 lib targets/$host_cpu-linux/lib; do
    AS_IF([test -f "$satf_toolkit/$satf_dir/libcudart_static.a"],
      [satf_cudart=`cd "$satf_toolkit/$satf_dir" && pwd`
       break])
  done
  satf_libs="${satf_cudart:+-L$satf_cudart }-lcudart_static -lstdc++ -ldl -lrt -lpthread"
  AC_MSG_CHECKING([whether $NVCC compiles a kernel for $with_cuda_arch])
  cat >conftest.cu <<'_SATF_EOF'
__global__ void fill(int *data) { data[[threadIdx.x]] = 1; }
extern "C" int conftest_run(int *data);
int conftest_run(int *data)
{
    void *entry;
    cudaDriverEntryPointQueryResult found;
    fill<<<1, 32>>>(data);
    return cudaGetLastError() == cudaSuccess &&
           cudaGetDriverEntryPointByVersion("cuInit", &entry, 12000, cudaEnableDefault, &found) == cudaSuccess;
}
_SATF_EOF
  satf_saved_libs=$LIBS
  AS_IF([AS_ECHO(["$NVCC $NVCC_FLAGS -c conftest.cu"]) >&AS_MESSAGE_LOG_FD
         "$NVCC" $NVCC_FLAGS --compiler-options=-fPIC -c -o conftest_cuda.o conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
    [LIBS="conftest_cuda.o $satf_libs $LIBS"
     AC_LINK_IFELSE([AC_LANG_PROGRAM([[int conftest_run(int *);]], [[return conftest_run(0);]])],
       [AC_MSG_RESULT([yes])
        CUDA_LIBS=$satf_libs
        cuda_summary="$NVCC, compute capability $with_cuda_arch and later"],
       [AC_MSG_RESULT([it compiles, but does not link])
        cuda_summary="no (libcudart_static does not link, see config.log)"])],
    [AC_MSG_RESULT([no])
     cuda_summary="no ($NVCC cannot compile for $with_cuda_arch, or is older than CUDA 12.5, see config.log)"])
  LIBS=$satf_saved_libs
  rm -f conftest.cu conftest_cuda.o
])
