#!/bin/sh
# The shared library exports what the public headers declare, all of it, and no more; a static one
# (--enable-static) has no global name but satf_..., so an application may have any of its own.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?}"
library=$top_builddir/.libs/libsatfilter.so
if [ ! -e "$library" ]; then
    echo "no shared library was built here"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# a declaration may go on to the next line, but its name stands on the first
sed -n 's/^SATF_API .*[ *]\(satf_[a-z0-9_]*\)(.*/\1/p' "$top_srcdir"/src/satfilter*.h |
    LC_ALL=C sort >"$work/declared"
${NM:-nm} -D --defined-only "$library" | awk '$2 != "A" { print $NF }' | sed 's/@.*//' |
    LC_ALL=C sort >"$work/exported"
[ "$(wc -l <"$work/declared")" = "$(cat "$top_srcdir"/src/satfilter*.h | grep -c '^SATF_API ')" ]
diff "$work/declared" "$work/exported"
${NM:-nm} -D --defined-only "$library" | grep ' T ' | grep -v '@@satf_0\.1$' >"$work/unversioned" || true
if [ -s "$work/unversioned" ]; then
    echo "without a version:" && cat "$work/unversioned"
    exit 1
fi

static=$top_builddir/.libs/libsatfilter.a
if [ -e "$static" ]; then
    ${NM:-nm} -g --defined-only "$static" | awk 'NF == 3 { print $NF }' | LC_ALL=C sort >"$work/global"
    diff "$work/declared" "$work/global"
fi
