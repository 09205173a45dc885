#!/bin/sh
# The tables of the pages are those of the records of the H200, and a page that says
# something else is found.
set -eu
: "${top_srcdir:?is set by make check}"
if ! python3 -c '' 2>/dev/null; then
    echo "there is no python3: the tables of the pages are not compared with the records"
    exit 77
fi
python3 "$top_srcdir/tests/peers/h200.py" --check

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top_srcdir"
for part in docs/*.md results/h200/* tests/gpu/receipt.json tests/peers/h200*.py tools/bench_paper.c; do
    mkdir -p "$work/${part%/*}"
    cp "$part" "$work/$part"
done
chmod -R u+w "$work" # a tarball's files may be read-only
sed '/<!-- aims -->/,/<!-- end -->/s/1/2/g' docs/results.md >"$work/docs/results.md"
if python3 "$work/tests/peers/h200.py" --check >"$work/found"; then
    echo "a page with other figures than the records goes unnoticed"
    exit 1
fi
grep 'table aims' "$work/found"
