#!/usr/bin/env bash
# Signals at random moments of a batch, kill -9 among them: every output that is there is complete and right. What can
# be caught leaves no temporary file, no message and its own status; after kill -9 the next run leaves none.
# SATFILTER_KILLS=400 sends so many, in place of 40.
set -u
. "$(dirname "$0")/script.sh"
kills=${SATFILTER_KILLS:-40}

mkdir in
noise 400 300 3 >in/0.ppm # two strips of a PNG
for i in $(seq 1 11); do cp in/0.ppm "in/$i.ppm"; done
batch=("$satfilter" --box 15 --format png --png-level 3 -r in)
start=$(date +%s%N)
"${batch[@]}" -q -T 2 -o whole || exit 1
whole_ms=$((($(date +%s%N) - start) / 1000000 + 2))
check "outputs of a batch" "$(ls whole | wc -l)" 12

# signalled SIGNAL THREADS: the signal after a random time; half of the runs replace outputs that are there
signalled()
{
    local child
    rm -rf out
    replaces=$((RANDOM % 2))
    [ $replaces = 0 ] || cp -r whole out
    # a shell ignores SIGINT for what it runs behind it, and nohup SIGHUP; env does not
    env --default-signal=HUP,INT,TERM "${batch[@]}" -T "$2" -o out 2>stderr &
    child=$!
    sleep "$(awk -v r=$((RANDOM % 1000)) -v t=$whole_ms 'BEGIN { printf "%.4f", r / 1000 * t / 1000 }')"
    kill -"$1" $child 2>/dev/null
    wait $child 2>/dev/null
    code=$?
}

# Until one of either kind was hit with some of its outputs there and others not, at least.
signals=(KILL INT KILL TERM KILL HUP)
left=0 present=0 wrong=0 survived=0 said=0 status=0 midst_KILL=0 midst_caught=0 runs=0
while [ $runs -lt "$kills" ] || { [ $((midst_KILL * midst_caught)) -eq 0 ] && [ $runs -lt $((10 * kills)) ]; }; do
    signal=${signals[runs % 6]} kind=caught
    [ $signal != KILL ] || kind=KILL
    signalled $signal $((1 + runs % 4))
    runs=$((runs + 1))
    if [ $code -ne 0 ]; then
        [ $code -eq $((128 + $(kill -l $signal))) ] || status=$((status + 1))
        ! grep -v ' done in ' stderr || said=$((said + 1)) # that it has ended is no message
        count=$(find out -name '*.png' 2>/dev/null | wc -l)
        [ $replaces = 1 ] || [ "$count" -eq 0 ] || [ "$count" -eq 12 ] || eval "midst_$kind=1"
    fi
    for output in out/*.png; do
        [ -e "$output" ] || continue
        present=$((present + 1))
        cmp -s "$output" "whole/${output#out/}" || wrong=$((wrong + 1))
    done
    [ $kind = KILL ] || [ -z "$(find out -name '.*' -type f 2>/dev/null)" ] || left=$((left + 1))
    "${batch[@]}" -q -T 2 -o out || check "the second run" $? 0
    [ -z "$(find out -name '.*' -type f)" ] || survived=$((survived + 1))
    diff -r whole out >/dev/null || wrong=$((wrong + 1))
done
check "outputs that are not complete or not right" "$wrong" 0
check "signals: temporary files, messages, other statuses" "$left $said $status" "0 0 0"
check "temporary files after a second run" "$survived" 0
check "runs were ended in their midst, by kill -9 and others" "$midst_KILL $midst_caught" "1 1"
echo "$runs signals, $present outputs compared"

# What was left is removed; what only looks alike, or is somebody's, stays.
made=.0123456789abcdef.satf-tmp
used=.fedcba9876543210.satf-tmp
: >out/$made
: >out/.0123456789abcdeg.satf-tmp # no digit of ours
: >out/.0123456789abcde.satf-tmp
: >out/${made#.}
: >out/$made.gz
mkdir out/.0000000000000008.satf-tmp
: >out/$used
if command -v flock >/dev/null 2>&1; then
    flock -n out/$used "${batch[@]}" -q -o out
    check "a temporary file in use" "$(ls out/$used)" out/$used
else
    skip flock "a temporary file in use (no flock)"
fi
"${batch[@]}" -q -o out
kept=".0000000000000008.satf-tmp .0123456789abcde.satf-tmp .0123456789abcdef.satf-tmp.gz"
kept="$kept .0123456789abcdeg.satf-tmp 0123456789abcdef.satf-tmp "
check "what a sweep leaves" "$(cd out && ls -dA .[a-z0-9]* ?*tmp | LC_ALL=C sort -u | tr '\n' ' ')" \
    "$kept"
: >$made
"$satfilter" --box 3 in/0.ppm single.png
check "a single output's folder" "$(ls -A $made 2>/dev/null)" ""

finish
