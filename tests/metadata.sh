#!/bin/sh
# The page says what becomes of every kind of metadata, and nothing goes in silence. A page that
# says something else is found, and so is a program that loses something.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}"
. "$(dirname "$0")/sure.sh"
for program in python3 exiftool; do
    if ! command -v $program >/dev/null; then
        without $program "there is no $program: what becomes of metadata is not compared with the page"
        exit 77
    fi
done
python3 "$top_srcdir/tests/records/metadata.py" "$top_builddir/satfilter" --check

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/records" "$work/docs"
cp "$top_srcdir/tests/records/metadata.py" "$top_srcdir/tests/records/base.py" "$work/tests/records"
sed '/<!-- metadata -->/,/<!-- end -->/s/| kept |/| dropped with a note |/' \
    "$top_srcdir/docs/formats.md" >"$work/docs/formats.md"
if python3 "$work/tests/records/metadata.py" "$top_builddir/satfilter" --check >"$work/found"; then
    echo "a page with another table goes unnoticed"
    exit 1
fi
grep 'the table of metadata' "$work/found"

printf '#!/bin/sh\nexec "%s" -q --strip "$@"\n' "$top_builddir/satfilter" >"$work/silent"
chmod +x "$work/silent"
if python3 "$work/tests/records/metadata.py" "$work/silent" --check >"$work/found"; then
    echo "metadata that goes in silence goes unnoticed"
    exit 1
fi
grep 'text Author, png to png: loses .* in silence' "$work/found"
