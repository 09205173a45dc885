# shellcheck shell=bash disable=SC2034 # read by scripts of the command: their folder, and what they say
# The script is in an empty folder then, and $build, $source, $satfilter lead out of it. A command
# runs by `run`, which leaves stdout and stderr as files.
. "$(dirname "$0")/sure.sh"
build=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "${top_srcdir:-.}" && pwd)
satfilter=${SATFILTER:-$build/satfilter}
work=$(mktemp -d "${TMPDIR:-/tmp}/satfilter-$(basename "$0" .sh).XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
umask 022
LC_ALL=C
export LC_ALL satfilter

passed=0 failed=0 skipped=0
# check NAME FOUND WANTED
check()
{
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $1: '$2' instead of '$3'"
        head -n 5 stderr
    fi
}
# skip THING SENTENCE: see without()
skip()
{
    without "$@"
    skipped=$((skipped + 1))
}
run() { "$satfilter" "$@" >stdout 2>stderr </dev/null; }
said() { sed 's/^satfilter: //' stderr; }
files() { (cd "$1" 2>/dev/null && find . -type f | LC_ALL=C sort | tr '\n' ' '); }
same() { cmp -s "$1" "$2" && echo same; }
