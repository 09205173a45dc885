#!/bin/sh
# The example program, linked with the shared library, does what it says; the
# sample pictures are those that samples/generate makes, pixel by pixel.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?}"
. "$(dirname "$0")/sure.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
satfilter=$top_builddir/satfilter

for picture in scene page depth; do
    "$top_builddir/samples/example" "$top_srcdir/samples/$picture.png" "$work/$picture.png" \
        >"$work/mean"
    grep '^mean of the middle' "$work/mean"
    # the same chain through the command line
    "$satfilter" -q --box 15,border=mirror --stddev 7 "$top_srcdir/samples/$picture.png" \
        "$work/command.png"
    cmp "$work/$picture.png" "$work/command.png"
done

# the shortest program does what the command does, and knows the command's filters
"$top_builddir/samples/file" "box=15 stddev=7" "$top_srcdir/samples/scene.png" "$work/short.png"
"$satfilter" -q --box 15 --stddev 7 "$top_srcdir/samples/scene.png" "$work/command.png"
cmp "$work/short.png" "$work/command.png"
if "$top_builddir/samples/file" "box=0" "$top_srcdir/samples/scene.png" "$work/none.png" 2>"$work/message"; then
    echo "a window of 0 went unnoticed"
    exit 1
fi
grep "^file: '0' is no window" "$work/message"

# frame after frame, as the command does each
"$satfilter" -q --flip h "$top_srcdir/samples/scene.png" "$work/turned.png"
for picture in "$top_srcdir/samples/scene.png" "$work/turned.png"; do
    "$satfilter" -q --format ppm --box 1 "$picture" "$work/frame.ppm" -f
    "$satfilter" -q --format ppm --box 9 "$picture" "$work/blurred.ppm" -f
    size=$(head -c 15 "$work/frame.ppm" | sed -n '2p')
    bytes=$(($(echo "$size" | tr ' ' '*') * 3))
    tail -c "$bytes" "$work/frame.ppm" >>"$work/in.rgb"
    tail -c "$bytes" "$work/blurred.ppm" >>"$work/want.rgb"
done
# shellcheck disable=SC2086 # two numbers
"$top_builddir/samples/frames" box=9 $size <"$work/in.rgb" >"$work/out.rgb"
cmp "$work/out.rgb" "$work/want.rgb"
# the picture that is never held whole, too, and one that ends too early is an error
"$satfilter" -q --box 1 "$top_srcdir/samples/page.png" "$work/page.pgm"
"$satfilter" -q --box 31,border=mirror --box 9 "$work/page.pgm" "$work/whole.pgm"
"$top_builddir/samples/rows" "box=31,border=mirror box=9" <"$work/page.pgm" >"$work/rows.pgm"
cmp "$work/whole.pgm" "$work/rows.pgm"
if head -c 9999 "$work/page.pgm" | "$top_builddir/samples/rows" box=3 >"$work/rows.pgm" 2>"$work/message"; then
    echo "missing rows went unnoticed"
    exit 1
fi
grep '^rows: SATF_DATA' "$work/message"

# the example reports an error, and leaves no file
if "$top_builddir/samples/example" "$work/none.png" "$work/out.png" 2>"$work/message"; then
    echo "a missing file went unnoticed"
    exit 1
fi
grep '^example: SATF_IO: ' "$work/message"
[ ! -e "$work/out.png" ]

mkdir "$work/made"
"$top_builddir/samples/generate" "$work/made"
for picture in scene page depth; do
    # as plain values: two versions of zlib may pack the same pixels differently
    "$satfilter" -q --box 1 "$work/made/$picture.png" "$work/made.npy"
    "$satfilter" -q --box 1 "$top_srcdir/samples/$picture.png" "$work/kept.npy"
    cmp "$work/made.npy" "$work/kept.npy"
    [ "$(wc -c <"$top_srcdir/samples/$picture.png")" -lt 400000 ]
done

# scan.tif is page.png in three pages, two rows short of it.
if [ -e "$top_builddir/libsatfilter-tiff.la" ]; then
    "$satfilter" -q --box 1 "$top_srcdir/samples/scan.tif" "$work/scan.npy"
    "$satfilter" -q --box 1 "$top_srcdir/samples/page.png" "$work/page.npy"
    tail -c $((558 * 640)) "$work/scan.npy" >"$work/scan"
    tail -c $((560 * 640)) "$work/page.npy" | head -c $((558 * 640)) | cmp - "$work/scan"
else
    without tiff "samples/scan.tif (built without libtiff)"
fi
