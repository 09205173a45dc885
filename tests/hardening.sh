#!/bin/sh
# The programs and the library are linked as configure's hardening flags say.
set -u
. "$(dirname "$0")/script.sh"
case " ${HARDENING:-} " in *-z,now*) ;; *) leave hardening "built without hardening" ;; esac
needs readelf "readelf is not installed"
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
    readelf -W -d -l -h "$file" >said
    for wanted in 'Type: *DYN' BIND_NOW GNU_RELRO 'GNU_STACK .* RW '; do
        holds "$file lacks $wanted" grep -q -e "$wanted" said
    done
    check "$file has relocations in its code" "$(grep -c TEXTREL said)" 0
done
finish
