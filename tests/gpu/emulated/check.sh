#!/bin/sh
# check.sh BACKEND PROGRAM: runs the files of tests/gpu/run_gpu that an emulated device can, their small cases, side
# by side. Not those of summed area tables, streams, graphs and the driver.
set -u
SATFILTER_CUDA=$1 program=$2 GPU_CASES=small
export SATFILTER_CUDA GPU_CASES program
files='filter window ends lines floats colour parts tiles threshold geometry template cells random'
for file in $files; do
    echo "gpu_$file"
done | xargs -P "${JOBS:-$(nproc)}" -I{} sh -c '
    if "$program" {} >"$program-{}.log" 2>&1; then
        sed -n "s/^test_\(gpu_.*runs compared.*\)/\1/p" "$program-{}.log"
    else
        cat "$program-{}.log"
        exit 1
    fi'
