#!/bin/sh
# check.sh ARGUMENTS PROGRAM...: runs the programs that need a CUDA device, each
# with those arguments, a sample with a filter; when all pass, writes the receipt,
# unless they ran less than all their cases. 77: no device.
set -u
: "${SATFILTER_CUDA:=$PWD/.libs/libsatfilter-cuda.so.0}"
export SATFILTER_CUDA
: "${top_srcdir:?is set by make check-gpu}"
arguments=$1
shift
if [ $# -eq 0 ]; then
    echo "check-gpu: skipped, this build is without CUDA" >&2
    exit 77
fi
"$top_srcdir/tests/gpu/barriers.sh" "$SATFILTER_CUDA" || exit 1
# Side by side, since most of their time is the host's; then, alone, those that fill the device's
# memory or measure it.
alone()
{
    case $1 in
    *test_gpu_calls | *test_gpu_tune) return 0 ;;
    esac
    return 1
}
run()
{
    code=0
    case $1 in
    samples/*) given=box=15 ;;
    *) given=$arguments ;;
    esac
    # shellcheck disable=SC2086 # a list of options
    "./$1" $given >"$1.log" 2>&1 || code=$?
    echo "$code" >"$1.code"
}
for program; do
    alone "$program" || run "$program" &
done
wait
for program; do
    ! alone "$program" || run "$program"
done
for program; do
    code=$(cat "$program.code")
    rm -f "$program.code"
    cat "$program.log"
    if [ "$code" -eq 77 ]; then
        echo "check-gpu: skipped, no device" >&2
        exit 77
    fi
    if [ "$code" -ne 0 ]; then
        echo "check-gpu: $program failed" >&2
        failed=yes
    fi
done
[ -z "${failed:-}" ] || exit 1
case $arguments in
"" | --long) ;;
*) exit 0 ;; # less than all
esac
for program; do
    echo "$program.log"
done | xargs "$top_srcdir/tests/gpu/receipt.sh"
