#!/bin/sh
# CONTRIBUTING.md's filter in ten minutes, as far as it is told in files: its filter is one, and its reference
# compiles where the page puts it.
set -u
. "$(dirname "$0")/script.sh"
page=$source/CONTRIBUTING.md
# block N: the N-th program in C of the page
block()
{
    awk -v n="$1" '/^```c$/ { if (++k == n) { on = 1; next } } /^```$/ { on = 0 } on' "$page"
}
block 1 >soften.h
block 2 >reference
printf '#define SATF_MODULE "soften.h"\n#include <satfilter-module.h>\n' >soften.c
# shellcheck disable=SC2086 # CC is a list of words
must $CC -std=gnu11 -O2 -Wall -Wextra -Werror -shared -fPIC -ffp-contract=off -I. -I"$source/src" -o soften.so soften.c
must "$satfilter" --module ./soften.so --soften 9 "$source/samples/scene.png" out.png
must "$satfilter" --module ./soften.so --soften 9,by=1 "$source/samples/scene.png" all.png
must "$satfilter" --box 9 "$source/samples/scene.png" box.png
cmp all.png box.png || fail 'all of the way is not the mean'
! cmp -s out.png box.png || fail 'half of the way is the mean'
mkdir filter filters
cp "$source"/filters/all.h filters
cp "$source"/tests/*.h .
cp "$source/tests/filter/test_filter.c" filter
chmod -R u+w . # a tarball's files may be read-only
{ sed -i -e '$d' filter_formulas.h && cat reference >>filter_formulas.h && echo '#endif' >>filter_formulas.h; } ||
    fail 'the reference is not added'
eval "$(sed -n -e 's,^    \(sed -i .*\) tests/\(filter/test_filter.c\)$,\1 \2,p' \
    -e 's,^    \(sed -i .* filters/all.h\)$,\1,p' "$page")"
grep -q '"soften", ref_soften' filter/test_filter.c || fail 'no row is added'
grep -qx '#include "soften.h"' filters/all.h || fail 'no line is added to filters/all.h'
# shellcheck disable=SC2086
must $CC -std=gnu11 -fsyntax-only -Wall -Werror -D_GNU_SOURCE -DHAVE_CONFIG_H -I. -I"$build" -I"$source/src" \
    filter/test_filter.c
