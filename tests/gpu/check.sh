#!/bin/sh
# check.sh PROGRAM...: runs the files of the programs that need a CUDA device, each in a process,
# and a sample with a filter; when all pass, writes the receipt, unless GPU_CASES=small. 77: no
# device.
set -u
: "${SATFILTER_CUDA:=$PWD/.libs/libsatfilter-cuda.so.0}"
export SATFILTER_CUDA
: "${top_srcdir:?is set by make check-gpu}"
if [ $# -eq 0 ]; then
    echo "check-gpu: skipped, this build is without CUDA" >&2
    exit 77
fi
"$top_srcdir/tests/gpu/barriers.sh" "$SATFILTER_CUDA" || exit 1
# A word for each process: PROGRAM,ARGUMENT.
jobs=$(for program; do
    case $program in
    samples/*) echo "$program,box=15" ;;
    *) "./$program" --list | sed "s,/.*,,; s;^;$program,;" | sort -u ;;
    esac
done)
# Side by side, since most of their time is the host's; then, alone, those that fill the device's
# memory or measure it.
alone()
{
    case $1 in
    *,gpu_calls | *,gpu_tune) return 0 ;;
    esac
    return 1
}
run()
{
    code=0
    "./${1%,*}" "${1#*,}" >"$1.log" 2>&1 || code=$?
    echo "$code" >"$1.code"
}
for job in $jobs; do
    alone "$job" || run "$job" &
done
wait
for job in $jobs; do
    ! alone "$job" || run "$job"
done
for job in $jobs; do
    code=$(cat "$job.code")
    rm -f "$job.code"
    cat "$job.log"
    if [ "$code" -eq 77 ]; then
        echo "check-gpu: skipped, no device" >&2
        exit 77
    fi
    if [ "$code" -ne 0 ]; then
        echo "check-gpu: $job failed" >&2
        failed=yes
    fi
done
[ -z "${failed:-}" ] || exit 1
[ "${GPU_CASES:-}" != small ] || exit 0 # less than all
for job in $jobs; do
    echo "$job.log"
done | xargs "$top_srcdir/tests/gpu/receipt.sh"
