#!/bin/sh
# The programs and the library are linked as configure's hardening flags say.
set -u
. "$(dirname "$0")/sure.sh"
build=${top_builddir:-.}
case " ${HARDENING:-} " in
*-z,now*) ;;
*)
    without hardening "built without hardening"
    exit 77
    ;;
esac
if ! command -v readelf >/dev/null 2>&1; then
    without readelf "readelf is not installed"
    exit 77
fi
failed=0
libraries=$(ls "$build"/.libs/libsatfilter*.so | at_least 2 "shared libraries") || exit 1
for program in satfilter satbench $libraries; do
    case $program in
    *-cuda.so) continue ;; # nvcc links it
    */*) file=$program ;;
    *)
        file=$build/$program
        [ -e "$build/.libs/$program" ] && file=$build/.libs/$program
        ;;
    esac
    readelf -W -d -l -h "$file" >"$build/hardening.out"
    for wanted in 'Type: *DYN' BIND_NOW GNU_RELRO 'GNU_STACK .* RW '; do
        if ! grep -q -e "$wanted" "$build/hardening.out"; then
            echo "$file lacks $wanted"
            failed=1
        fi
    done
    if grep -q TEXTREL "$build/hardening.out"; then
        echo "$file has relocations in its code"
        failed=1
    fi
done
rm -f "$build/hardening.out"
exit $failed
