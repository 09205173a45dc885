#!/bin/sh
# sanitize.sh PROGRAM...: the small cases of each of the programs' files under compute-sanitizer,
# all four tools; 77 without a device or the sanitizer. Run where the build is.
set -u
export GPU_CASES=small
: "${SATFILTER_CUDA:=$PWD/.libs/libsatfilter-cuda.so.0}"
export SATFILTER_CUDA
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ ! -x "$sanitizer" ] || [ $# -eq 0 ]; then
    echo "sanitize-gpu: skipped, no compute-sanitizer or no CUDA" >&2
    exit 77
fi
failed=0
for program; do
    if [ -x "$(dirname "$program")/.libs/$(basename "$program")" ]; then
        program=$(dirname "$program")/.libs/$(basename "$program")
    fi
    for file in $("./$program" --list | sed 's,/.*,,' | sort -u); do
        for tool in memcheck racecheck synccheck initcheck; do
            log=$program.$file.$tool.log
            start=$(date +%s)
            code=0
            "$sanitizer" --tool "$tool" --error-exitcode 99 "./$program" "$file" >"$log" 2>&1 || code=$?
            if [ "$code" -eq 77 ]; then
                echo "sanitize-gpu: skipped, no device" >&2
                exit 77
            fi
            verdict=clean
            if [ "$code" -ne 0 ]; then
                verdict="exit status $code"
                failed=1
                tail -n 40 "$log"
            fi
            echo "$tool $file: $verdict, $(($(date +%s) - start)) s"
        done
    done
done
exit $failed
