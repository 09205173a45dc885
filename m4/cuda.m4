# SATF_CUDA: finds nvcc on PATH or in /usr/local/cuda and compiles and links a
# kernel with it. Sets the conditional CUDA, NVCC, NVCC_FLAGS, CUDA_LIBS
# and $cuda_summary; config.h says which capabilities there is code for.
AC_DEFUN([SATF_CUDA], [
AC_ARG_ENABLE([cuda],
  [AS_HELP_STRING([--disable-cuda], [build for the CPU only])],
  [], [enable_cuda=auto])
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=DIR], [CUDA toolkit (default: of the nvcc on PATH, else /usr/local/cuda)])],
  [], [with_cuda=auto])
AC_ARG_WITH([cuda-arch],
  [AS_HELP_STRING([--with-cuda-arch=LIST],
    [compute capabilities to compile for, as in "80,90"; "all"; "80-ptx" is code for the driver's compiler alone
     @<:@those of this machine's devices, else 80,90@:>@])],
  [], [with_cuda_arch=auto])

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
AS_IF([test "x$CUDA_LIBS" != x],
  [AC_DEFINE([SATF_HAVE_CUDA], [1], [Kernels are compiled for CUDA devices])])
])

# $satf_codes and $satf_ptx: the capabilities to make machine code for, and the one whose code the
# driver can compile for later devices: the last. Machine code of 8.0 serves all of 8.x, and so on.
AC_DEFUN([SATF_CUDA_ARCH], [
  satf_known=" `"$NVCC" --list-gpu-code 2>/dev/null | sed 's/^sm_//' | tr '\n' ' '`"
  satf_wanted=$with_cuda_arch
  AS_CASE([$with_cuda_arch],
    [auto], [satf_wanted=`nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
      tr -d '. ' | sort -nu | grep -x '@<:@0-9@:>@*' | tr '\n' ' '`],
    [all], [satf_wanted="75 80 90 100 120"])
  AS_CASE([$with_cuda_arch], [auto|all], [
    with_cuda_arch=
    for satf_arch in $satf_wanted; do
      AS_CASE([$satf_known], [*" $satf_arch "*], [AS_VAR_APPEND([with_cuda_arch], [" $satf_arch"])])
    done])
  AS_IF([test "x$with_cuda_arch" = x], [with_cuda_arch="80 90"])
  satf_codes=
  satf_ptx=0
  for satf_arch in `AS_ECHO(["$with_cuda_arch"]) | tr ',;' '  '`; do
    satf_number=`AS_ECHO(["$satf_arch"]) | sed 's/^sm_//; s/\.//; s/-ptx$//'`
    AS_CASE([$satf_number], [''|*@<:@!0-9@:>@*],
      [AC_MSG_ERROR([--with-cuda-arch=$with_cuda_arch: capabilities are numbers, as in "80,90", or "all"])])
    AS_CASE([$satf_arch], [*-ptx], [], [AS_VAR_APPEND([satf_codes], [" $satf_number"])])
    AS_IF([test $satf_number -gt $satf_ptx], [satf_ptx=$satf_number])
  done
  AS_IF([test $satf_ptx = 0], [AC_MSG_ERROR([--with-cuda-arch= names no compute capability])])
  satf_codes=`AS_ECHO(["$satf_codes"]) | tr ' ' '\n' | sort -nu | tr '\n' ' ' | sed 's/^ *//; s/ *$//'`
])

# The kernel is compiled with the very flags of the build, and linked as the
# backend is: statically, so that no CUDA toolkit is needed where it runs.
AC_DEFUN([SATF_CUDA_TRY], [
  SATF_CUDA_ARCH
  NVCC_FLAGS="-std=c++17 -O3 -fmad=false"
  for satf_arch in $satf_codes; do
    AS_VAR_APPEND([NVCC_FLAGS], [" -gencode=arch=compute_$satf_arch,code=sm_$satf_arch"])
  done
  AS_VAR_APPEND([NVCC_FLAGS], [" -gencode=arch=compute_$satf_ptx,code=compute_$satf_ptx"])
  # Kernels are a fifth of the size then, and unpacked when they are first used.
  AS_IF(["$NVCC" --help 2>/dev/null | grep -q 'compress-mode'],
    [AS_VAR_APPEND([NVCC_FLAGS], [" --compress-mode=size"])])
  AC_DEFINE_UNQUOTED([SATF_CUDA_CODE], [`AS_ECHO(["$satf_codes 0"]) | sed 's/^ //' | tr ' ' ','`],
    [Capabilities, times ten, that nvcc makes machine code for, and 0])
  AC_DEFINE_UNQUOTED([SATF_CUDA_PTX], [$satf_ptx],
    [The capability whose code the driver can compile for later devices])
  satf_named="compute capability ${satf_codes:-$satf_ptx by the driver's compiler}"
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
  AC_MSG_CHECKING([whether $NVCC compiles a kernel for $satf_named])
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
        cuda_summary="$NVCC, $satf_named"],
       [AC_MSG_RESULT([it compiles, but does not link])
        cuda_summary="no (libcudart_static does not link, see config.log)"])],
    [AC_MSG_RESULT([no])
     cuda_summary="no ($NVCC cannot compile for $satf_named, or is older than CUDA 12.5, see config.log)"])
  LIBS=$satf_saved_libs
  rm -f conftest.cu conftest_cuda.o
])
