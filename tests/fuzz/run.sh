#!/usr/bin/env bash
# run.sh CORPUS SECONDS TARGET...: runs fuzz/target_TARGET so long each, two side by
# side, from the seeds in CORPUS/TARGET. New inputs stay in fuzz/found/TARGET, what
# broke something in fuzz/broken. One line for each target, then the totals.
set -u
corpus=$(cd "$1" && pwd) || exit 1
seconds=$2
shift 2
here=$PWD/fuzz
mkdir -p "$here/broken"
export UBSAN_OPTIONS=print_stacktrace=1 SATFILTER_FORMATS=$here

one()
{
    local target=$1 found=$here/found/$1 log=$here/$1.log work status
    work=$(mktemp -d) || exit 1
    mkdir -p "$found"
    cd "$work" || exit 1
    echo '0 0 3 3 1' >t # what specs may name as a template
    "$here/target_$target" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$here/broken/$target-" "$found" "$corpus/$target" \
        >"$log" 2>&1 </dev/null
    status=$?
    rm -rf "$work"
    local runs edges features
    runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    features=$(sed -n 's/.* ft: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if [ $status -eq 0 ] && [ "${runs:-0}" -gt 0 ]; then
        echo "PASS: fuzz $target: $seconds s, $runs runs, ${edges:-0} edges, ${features:-0} features"
    else
        status=1
        echo "FAIL: fuzz $target: see $log"
        grep -A 12 -E 'ERROR:|runtime error|not so|gives another' "$log" | head -n 24
    fi
    return $status
}

failed=0 running=0
for target in "$@"; do
    if [ $running -eq 2 ]; then
        wait -n || failed=$((failed + 1))
        running=$((running - 1))
    fi
    one "$target" &
    running=$((running + 1))
done
while [ $running -gt 0 ]; do
    wait -n || failed=$((failed + 1))
    running=$((running - 1))
done
echo "fuzz: $(($# - failed)) passed, $failed failed"
[ $failed -eq 0 ]
