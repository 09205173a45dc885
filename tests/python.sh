#!/bin/sh
# The Python package, compiled against this build's library: tests/python, which need numpy. Those that
# compare with scipy, scikit-image, OpenCV or hypothesis are skipped where these are missing, but for what CHECK_HAS
# says (requires.sh).
# Arguments are modules of tests: tests/python.sh test_types.
set -eu
. "$(dirname "$0")/requires.sh"
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top_builddir=${top_builddir:-$top_srcdir}
export top_srcdir top_builddir
python=${PYTHON:-python3}
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$python" -c 'import sys, numpy; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    without numpy "$python is not Python 3.11 or later with numpy"
    exit 77
}
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] || { without numpy "$include/Python.h is missing (Debian: python3-dev)"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top_builddir=$(cd "$top_builddir" && pwd)
top_srcdir=$(cd "$top_srcdir" && pwd)
export top_builddir top_srcdir
library=$top_builddir/.libs
cp -R "$top_srcdir/python/satfilter" "$work"
chmod -R u+w "$work"
# shellcheck disable=SC2086
${CC:-cc} ${CFLAGS:--O2} -std=gnu11 -Wall -Wextra -Wshadow -Wconversion -Werror -DPy_LIMITED_API=0x030b0000 \
    -isystem "$include" -I"$top_srcdir/src" -fPIC -shared -o "$work/satfilter/_core.abi3.so" \
    "$work"/satfilter/_core*.c "$library/libsatfilter.so" -Wl,-rpath,"$library"
{ "$python" "$top_srcdir/python/tools/make_functions.py" "$work/satfilter" &&
    PYTHONPATH=$work${PYTHONPATH:+:$PYTHONPATH} "$python" -c 'import satfilter'; } 2>"$work/log" || {
    grep -iE 'sanitizer|static TLS' "$work/log" || { cat "$work/log"; exit 1; }
    without numpy "Python cannot load a library that is made with a sanitizer"
    exit 77
}
PYTHONPATH=$work${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
cd "$top_srcdir/tests/python"
least=1
[ $# -gt 0 ] || { set -- discover && least=100; }
{ "$python" -m unittest "$@" -v 2>&1 || : >"$work/failed"; } | tee "$work/log"
[ ! -e "$work/failed" ] || exit 1
grep ' ok$' "$work/log" | at_least $least "tests that have passed" >"$work/passed"
# What is skipped begins with what is missing.
sed -n "s/.* skipped ['\"]\(.*\)['\"]\$/\1/p" "$work/log" | sort -u >"$work/skipped"
while read -r thing why; do
    without "$thing" "$thing $why"
done <"$work/skipped"
