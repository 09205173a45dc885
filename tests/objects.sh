#!/bin/sh
# Kernels are compiled at -O3 where CFLAGS say -O2; other levels, and other files, are as CFLAGS say.
# No two files call each other in a circle: what an object file defines and what it leaves undefined
# make pairs, which tsort must be able to put in a line.
set -eu
. "$(dirname "$0")/script.sh"
cd "$build"

# path kind symbol; a source that is compiled for several instruction sets is one file
find src cuda tools -name '*.o' -exec ${NM:-nm} -A {} + 2>/dev/null | awk '
    {
        file = $1
        sub(/:.*/, "", file)
        sub(/\.libs\//, "", file)
        sub(/\/[a-z0-9_]*_la-/, "/", file)
        sub(/\/satfilter-/, "/", file)
        sub(/\.o$/, "", file)
    }
    NF == 3 && $2 ~ /[TDBRVWC]/ { print file, "defines", $3 }
    $(NF - 1) == "U" { print file, "wants", $NF }' | LC_ALL=C sort -u >"$work/symbols"
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
tsort "$work/pairs" >/dev/null 2>"$work/loops" ||
    fail "these files call each other in a circle:" "$(sed -n 's/^tsort: \(src\|cuda\|tools\)/  \1/p' "$work/loops")"

# With CFLAGS=$1 make would compile src/sums/march/$2.c, object src/sums/march/$3.lo, at the level $4.
expect()
{
    got=$(make -n -W "src/sums/march/$2.c" CFLAGS="$1" "src/sums/march/$3.lo" |
        sed -n '/mode=compile/s/.* \(-O[0-9a-z]*\) .*/\1/p')
    check "CFLAGS='$1' compile $3" "$got" "$4"
}

levels='base'
grep -q '^#define SATF_HAVE_X86_ISA 1' config.h && levels='base avx2 avx512'
for level in $levels; do
    object=libkernels_${level}_la-kernels
    expect '-g -O2' kernels "$object" -O3
    expect '-O0 -O2 -fwrapv' kernels "$object" -O3
    for other in -O0 -O1 -Og -Os; do
        expect "$other" kernels "$object" "$other"
    done
    expect '-O2 -Og' kernels "$object" -Og
    expect '-O3 -g' kernels "$object" -O3
done
expect '-g -O2' march libcore_la-march -O2

finish
