#!/bin/sh
# A shared library exports what its public headers declare, all of it, and no more; a static one
# (--enable-static) has no global name but satf_..., so an application may have any of its own.
# Symbols carry the version of the soname: the two move together (docs/numbers.md). The library that
# everyone links needs neither CUDA nor a C++ runtime, and a backend has one door.
set -eu
. "$(dirname "$0")/script.sh"
libraries=$build/.libs
[ -e "$libraries/libsatfilter.so" ] || leave shared-library "no shared library was built here"

# What the library exports, under satf_N if its soname ends in .so.N, is what the headers declare. A declaration may go
# on to the next line, but its name stands on the first.
soname=$(${READELF:-readelf} -d "$libraries/libsatfilter.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
version=satf_${soname#libsatfilter.so.}
cat "$source"/src/satfilter*.h >"$work/headers"
sed -n 's/^SATF_API .*[ *]\(satf_[a-z0-9_]*\)(.*/\1/p' "$work/headers" | LC_ALL=C sort >"$work/declared"
[ "$(wc -l <"$work/declared")" = "$(grep -c '^SATF_API ' "$work/headers")" ]
${NM:-nm} -D --defined-only "$libraries/libsatfilter.so" | awk '$2 != "A" { print $NF }' >"$work/symbols"
sed 's/@.*//' "$work/symbols" | LC_ALL=C sort | diff "$work/declared" -
! grep -v "@@$version\$" "$work/symbols" || fail "symbols of another version than $version"
# Debian's package names them too, each with the release that brought it.
{ echo "$version" && cat "$work/declared"; } | sed "s/\$/@$version/" >"$work/versioned"
sed -n 's/^ \(satf_.*\) [0-9.]*$/\1/p' "$source/packaging/debian/libsatfilter0.symbols" | diff - "$work/versioned" ||
    fail "packaging/debian/libsatfilter0.symbols does not have what the headers declare"

needed=$(${READELF:-readelf} -d "$libraries/libsatfilter.so" | grep NEEDED)
! echo "$needed" | grep -E 'stdc\+\+|cuda' || fail "the library needs what it must do without"
for name in libsatfilter-cuda libsatfilter-study-cuda; do
    if [ -e "$libraries/$name.so" ]; then
        doors=$(${NM:-nm} -D --defined-only "$libraries/$name.so" | awk '{ print $NF }')
        case $doors in
        satf_cuda_backend | satf_study_backend) ;;
        *) fail "$name exports $doors" ;;
        esac
    fi
done

for module in "$source"/src/io/*/*.c; do
    name=libsatfilter-$(basename "$module" .c).so
    if [ -e "$libraries/$name" ]; then
        doors=$(${NM:-nm} -D --defined-only "$libraries/$name" | awk '{ print $NF }' | grep -v '^_TIFF')
        [ "$doors" = satf_format_module ] || fail "$name exports $doors"
        modules="${modules:-} $name"
    fi
done
# libtiff's calls for memory find those of its module, which tests/faults/test_faults.c asks of libtiff.
if [ -e "$libraries/libsatfilter-tiff.so" ]; then
    own=$(${NM:-nm} -D --defined-only "$libraries/libsatfilter-tiff.so" | awk '/_TIFF/ { print $NF }' | LC_ALL=C sort)
    check_own=$(printf '_TIFFfree\n_TIFFmalloc\n_TIFFrealloc')
    [ "$own" = "$check_own" ] || fail "libtiff would take its memory from $own"
fi
for format in tiff gif webp; do
    case ${modules:-} in *"-$format.so"*) ;; *) without $format "there is no module for $format files" ;; esac
done

static=$libraries/libsatfilter.a
if [ -e "$static" ]; then
    ${NM:-nm} -g --defined-only "$static" | awk 'NF == 3 { print $NF }' | LC_ALL=C sort >"$work/global"
    diff "$work/declared" "$work/global"
else
    without static-library "the names of the static library (none was built here)"
fi
