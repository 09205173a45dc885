#!/bin/sh
# What other programs read of the TIFFs that are written: stacks of pages, EXIF, GeoTIFF.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}"
. "$(dirname "$0")/sure.sh"
if ! [ -e "$top_builddir/libsatfilter-tiff.la" ]; then
    without tiff "built without libtiff"
    exit 77
fi
for program in python3 exiftool tiffinfo; do
    if ! command -v $program >/dev/null; then
        without $program "there is no $program: what a TIFF says is not compared with it"
        exit 77
    fi
done
if ! python3 -c 'import numpy, tifffile' 2>/dev/null; then
    without tifffile "there is no tifffile: what a TIFF says is not compared with it"
    exit 77
fi
python3 "$top_srcdir/tests/tiff_tags.py" "$top_builddir/satfilter"
