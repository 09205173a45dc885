#!/bin/sh
# The example program, linked with the shared library, does what it says; the
# sample pictures are those that samples/generate makes, pixel by pixel.
set -eu
. "$(dirname "$0")/script.sh"

for picture in scene page depth; do
    "$build/samples/example" "$source/samples/$picture.png" "$picture.png" >mean
    grep '^mean of the middle' mean
    # the same chain through the command line
    "$satfilter" -q --box 15,border=mirror --stddev 7 "$source/samples/$picture.png" command.png
    cmp "$picture.png" command.png
done

# the shortest program does what the command does, and knows the command's filters
"$build/samples/file" "box=15 stddev=7" "$source/samples/scene.png" short.png
"$satfilter" -q --box 15 --stddev 7 "$source/samples/scene.png" command.png
cmp short.png command.png
! "$build/samples/file" "box=0" "$source/samples/scene.png" none.png 2>message || fail "a window of 0 went unnoticed"
grep "^file: '0' is no window" message

# frame after frame, as the command does each
"$satfilter" -q --flip h "$source/samples/scene.png" turned.png
for picture in "$source/samples/scene.png" turned.png; do
    "$satfilter" -q --format ppm --box 1 "$picture" frame.ppm -f
    "$satfilter" -q --format ppm --box 9 "$picture" blurred.ppm -f
    size=$(head -c 15 frame.ppm | sed -n '2p')
    bytes=$(($(echo "$size" | tr ' ' '*') * 3))
    tail -c "$bytes" frame.ppm >>in.rgb
    tail -c "$bytes" blurred.ppm >>want.rgb
done
# shellcheck disable=SC2086 # two numbers
"$build/samples/frames" box=9 $size <in.rgb >out.rgb
cmp out.rgb want.rgb
# the picture that is never held whole, too, and one that ends too early is an error
"$satfilter" -q --box 1 "$source/samples/page.png" page.pgm
"$satfilter" -q --box 31,border=mirror --box 9 page.pgm whole.pgm
"$build/samples/rows" "box=31,border=mirror box=9" <page.pgm >rows.pgm
cmp whole.pgm rows.pgm
! head -c 9999 page.pgm | "$build/samples/rows" box=3 >rows.pgm 2>message || fail "missing rows went unnoticed"
grep '^rows: SATF_DATA' message

# the example reports an error, and leaves no file
! "$build/samples/example" none.png out.png 2>message || fail "a missing file went unnoticed"
grep '^example: SATF_IO: ' message
[ ! -e out.png ]

mkdir made
"$build/samples/generate" made
for picture in scene page depth; do
    # as plain values: two versions of zlib may pack the same pixels differently
    "$satfilter" -q --box 1 "made/$picture.png" made.npy
    "$satfilter" -q --box 1 "$source/samples/$picture.png" kept.npy
    cmp made.npy kept.npy
    [ "$(wc -c <"$source/samples/$picture.png")" -lt 400000 ]
done

# scan.tif is page.png in three pages, two rows short of it.
if [ -e "$build/libsatfilter-tiff.la" ]; then
    "$satfilter" -q --box 1 "$source/samples/scan.tif" scan.npy
    "$satfilter" -q --box 1 "$source/samples/page.png" page.npy
    tail -c $((558 * 640)) scan.npy >scan
    tail -c $((560 * 640)) page.npy | head -c $((558 * 640)) | cmp - scan
else
    without tiff "samples/scan.tif (built without libtiff)"
fi
