#!/bin/sh
# The page says what becomes of every kind of metadata, and nothing goes in silence. A page that
# says something else is found, and so is a program that loses something. Of TIFFs that are written other programs read
# stacks of pages, EXIF and GeoTIFF.
set -eu
. "$(dirname "$0")/script.sh"
needs python3 "there is no python3: what becomes of metadata is not compared with the page"
needs exiftool "there is no exiftool: what becomes of metadata is not compared with the page"
python3 "$source/tests/records/metadata.py" "$satfilter" --check

mkdir -p tests/records docs
cp "$source/tests/records/metadata.py" "$source/tests/records/base.py" tests/records
sed '/<!-- metadata -->/,/<!-- end -->/s/| kept |/| dropped with a note |/' \
    "$source/docs/formats.md" >docs/formats.md
! python3 tests/records/metadata.py "$satfilter" --check >found || fail "a page with another table goes unnoticed"
grep 'the table of metadata' found

printf '#!/bin/sh\nexec "%s" -q --strip "$@"\n' "$satfilter" >silent
chmod +x silent
! python3 tests/records/metadata.py "$work/silent" --check >found || fail "metadata that goes in silence goes unnoticed"
grep 'text Author, png to png: loses .* in silence' found

[ -e "$build/libsatfilter-tiff.la" ] || leave tiff "built without libtiff"
needs tiffinfo "there is no tiffinfo: what a TIFF says is not compared with it"
python3 -c 'import numpy, tifffile' 2>/dev/null ||
    leave tifffile "there is no tifffile: what a TIFF says is not compared with it"
python3 "$source/tests/tiff_tags.py" "$satfilter"
