#!/bin/sh
# Formats whose module is not there: --list says so, and no file of theirs is passed over.
set -u
. "$(dirname "$0")/script.sh"
mkdir modules pictures
printf 'P5\n1 1\n255\na' >pictures/in.pgm
printf 'GIF89a\1\0\1\0\200\0\0abcdef,\0\0\0\0\1\0\1\0\0\2\2D\1\0;' >pictures/a.gif
SATFILTER_FORMATS=$work/modules
export SATFILTER_FORMATS
"$satfilter" --list >listed
check "what is not there" "$(grep -c 'not here: libsatfilter-.*so.0 is not installed' listed)" 3
check "what is" "$(grep -c '^  p.*  rw ' listed)" 3
"$satfilter" --list --json >listed
check "as JSON" "$(grep -c '"reads": false, "writes": false, "missing": "lib' listed)" 3
"$satfilter" -q --box 1 -o made -r pictures 2>said
check "a folder's other files" "$? $(ls made)" "3 in.pgm"
check "the file" "$(grep -c 'a.gif: gif files need a part of satfilter: libsatfilter-gif' said)" 1
ends 1 'webp files need a part of satfilter' -q --box 1 pictures/in.pgm out.webp

# A library that the module needs is named, with its package.
if command -v "$CC" >/dev/null 2>&1; then
    echo 'int satf_nothing(void) { return 0; }' >nothing.c
    $CC -shared -fPIC -Wl,-soname,libnothing.so.9 -o libnothing.so.9 nothing.c &&
        echo 'int satf_nothing(void); int satf_format_module(void) { return satf_nothing(); }' >module.c &&
        $CC -shared -fPIC -o modules/libsatfilter-gif.so.0 module.c ./libnothing.so.9 &&
        rm libnothing.so.9
    "$satfilter" --list | tr -s ' \n' ' ' >listed # an entry may take two lines
    check "a library" "$(grep -c 'not here: libnothing.so.9 is not installed; .* apt install libgif7' listed)" 1
else
    without cc "there is no C compiler: a library that is missing is not tried"
fi

finish
