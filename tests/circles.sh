#!/bin/sh
# No two files call each other in a circle: what an object file defines and what it leaves undefined
# make pairs, which tsort must be able to put in a line.
set -eu
: "${top_builddir:?is set by make check}"
cd "$top_builddir"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# path.o kind symbol; a source that is compiled for several instruction sets is one file
find src cuda tools -name '*.o' | while read -r object; do
    source=$(echo "$object" | sed 's,\.libs/,,; s,/[a-z0-9_]*_la-,/,; s,/satfilter-,/,; s,\.o$,,')
    ${NM:-nm} "$object" 2>/dev/null | awk -v source="$source" '
        NF == 3 && $2 ~ /[TDBRVWC]/ { print source, "defines", $3 }
        NF == 2 && $1 == "U" { print source, "wants", $2 }'
done | LC_ALL=C sort -u >"$work/symbols"
[ "$(wc -l <"$work/symbols")" -gt 1000 ]

awk '
    # What the library and the backend both define, each calls of its own.
    function side(source) { return source ~ /^cuda/ ? "cuda" : "src" }
    function home_of(source, name) {
        return (side(source), name) in home ? home[side(source), name] : home["src", name]
    }
    $2 == "defines" && !((side($1), $3) in home) { home[side($1), $3] = $1 }
    $2 == "wants" { wants[$1 " " $3] = 1 }
    END {
        for (pair in wants) {
            split(pair, part, " ")
            there = home_of(part[1], part[2])
            if (there && there != part[1]) print part[1], there
        }
    }
' "$work/symbols" | LC_ALL=C sort -u >"$work/pairs"
[ "$(wc -l <"$work/pairs")" -gt 100 ]
if ! tsort "$work/pairs" >/dev/null 2>"$work/loops"; then
    echo "these files call each other in a circle:"
    sed -n 's/^tsort: \(src\|cuda\|tools\)/  \1/p' "$work/loops"
    exit 1
fi
