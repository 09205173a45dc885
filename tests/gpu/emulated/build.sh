#!/bin/sh
# build.sh SOURCE BUILD FOLDER: makes FOLDER/libsatfilter-cuda.so.0, the backend of cuda/ on a device
# that the host emulates. SOURCE/config.h's settings are those of BUILD. CC, CXX and JOBS as usual.
# cuda/sat and cuda/study are left out: sat.cpp is in the place of the former.
set -eu
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd) folder=$3
here=$source/tests/gpu/emulated
: "${CC:=cc}" "${CXX:=c++}" "${JOBS:=$(nproc)}"
mkdir -p "$folder"
cd "$folder"
kernels=$(python3 "$here/translate.py" "$source" .)
# Those of src/ that the backend has of its own (libsatfilter_cuda_la_SOURCES), and what sat.cpp asks for.
plain="base/clock base/device/gpu base/memory base/status base/text base/view formula/magic sums/march/bands sat/sums"
flags="-O2 -g1 -fPIC -ffp-contract=off -w -Wno-psabi -I$here -I. -Isrc -I$build"
flags="$flags -DHAVE_CONFIG_H -DSATF_CUDA_CODE=80 -DSATF_CUDA_PTX=80"
{
    for file in $kernels cuda/backend.cpp "$here/fibers.cpp" "$here/sat.cpp"; do
        echo "$CXX -std=c++17 -include $here/cuda_runtime.h $flags -c $file -o $(basename "$file" .cpp).o"
    done
    for file in $plain; do
        echo "$CC $flags -I$source/src -c $source/src/$file.c -o plain_$(basename "$file").o"
    done
} >commands
rm -f ./*.o
xargs -P "$JOBS" -I{} sh -c '{}' <commands
$CXX -shared -o libsatfilter-cuda.so.0 ./*.o -Wl,-z,defs -Wl,--version-script="$source/cuda/backend.map" -lm
