#!/usr/bin/env bash
# kill -9 at random moments of a batch: every output that is there is complete and right,
# and the next run leaves no temporary file. SATFILTER_KILLS=200 kills so often, in place of 20.
set -u
. "$(dirname "$0")/sure.sh"
build=$(cd "${top_builddir:-.}" && pwd)
satfilter=${SATFILTER:-$build/satfilter}
kills=${SATFILTER_KILLS:-20}
work=$(mktemp -d "${TMPDIR:-/tmp}/satfilter-kill.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

passed=0 failed=0 skipped=0
check()
{
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $1: '$2' instead of '$3'"
    fi
}

mkdir in
awk 'BEGIN {
    printf "P6\n400 300\n255\n" # two strips of a PNG
    for (i = 0; i < 400 * 300 * 3; i++) {
        s = (s * 16807 + 7) % 2147483647
        printf "%c", 33 + s % 94
    }
}' >in/0.ppm
for i in $(seq 1 11); do cp in/0.ppm "in/$i.ppm"; done
batch=("$satfilter" -q --box 15 --format png --png-level 3 -T 2 -r in)
start=$(date +%s%N)
"${batch[@]}" -o whole || exit 1
whole_ms=$((($(date +%s%N) - start) / 1000000 + 2))
check "outputs of a batch" "$(ls whole | wc -l)" 12

# Until one was hit with some of its outputs there and others not, at least.
left=0 present=0 wrong=0 survived=0 unfinished=0 midst=0 runs=0
while [ $runs -lt "$kills" ] || { [ $midst -eq 0 ] && [ $runs -lt $((10 * kills)) ]; }; do
    rm -rf out
    runs=$((runs + 1))
    # Half of the runs replace outputs that are there.
    replaces=$((RANDOM % 2))
    [ $replaces = 0 ] || cp -r whole out
    "${batch[@]}" -o out 2>/dev/null &
    child=$!
    sleep "$(awk -v r=$((RANDOM % 1000)) -v t=$whole_ms 'BEGIN { printf "%.4f", r / 1000 * t / 1000 }')"
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    if [ $? -eq 137 ]; then
        unfinished=$((unfinished + 1))
        count=$(find out -name '*.png' 2>/dev/null | wc -l)
        [ $replaces = 1 ] || [ "$count" -eq 0 ] || [ "$count" -eq 12 ] || midst=$((midst + 1))
    fi
    for output in out/*.png; do
        [ -e "$output" ] || continue
        present=$((present + 1))
        cmp -s "$output" "whole/${output#out/}" || wrong=$((wrong + 1))
    done
    [ -z "$(find out -name '.*' -type f 2>/dev/null)" ] || left=$((left + 1))
    "${batch[@]}" -o out || check "the second run" $? 0
    [ -z "$(find out -name '.*' -type f)" ] || survived=$((survived + 1))
    diff -r whole out >/dev/null || wrong=$((wrong + 1))
done
check "outputs that are not complete or not right" "$wrong" 0
check "temporary files after a second run" "$survived" 0
check "a run was killed in its midst" "$([ $midst -gt 0 ] && echo yes)" yes
echo "$runs kills: $unfinished before the end, $midst between outputs, $left left a temporary file," \
    "$present outputs compared"

# What was left is removed; what only looks alike, or is somebody's, stays.
: >out/.7.png.abcdefghij05.satf-tmp
: >out/.7.png.abcdefghij09.satf-tmp # 9 is no digit of ours
: >out/7.png.abcdefghij05.satf-tmp
: >out/.abcdefghij05.satf-tmp
: >out/.7.png.abcdefghij05.satf-tmp.gz
mkdir out/.8.png.abcdefghij05.satf-tmp
: >out/.9.png.abcdefghij05.satf-tmp
if command -v flock >/dev/null 2>&1; then
    flock -n out/.9.png.abcdefghij05.satf-tmp "${batch[@]}" -o out
    check "a temporary file in use" "$(ls out/.9.png.abcdefghij05.satf-tmp)" out/.9.png.abcdefghij05.satf-tmp
else
    without flock "a temporary file in use (no flock)"
    skipped=$((skipped + 1))
fi
"${batch[@]}" -o out
kept=".7.png.abcdefghij05.satf-tmp.gz .7.png.abcdefghij09.satf-tmp .8.png.abcdefghij05.satf-tmp"
kept="$kept .abcdefghij05.satf-tmp 7.png.abcdefghij05.satf-tmp "
check "what a sweep leaves" "$(cd out && ls -dA .[a-z0-9]* ?*tmp | LC_ALL=C sort -u | tr '\n' ' ')" \
    "$kept"
rm -f out/.[0-9]*.gz
: >.single.png.abcdefghij05.satf-tmp
"$satfilter" --box 3 in/0.ppm single.png
check "a single output's folder" "$(ls -A .single* 2>/dev/null)" ""

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
