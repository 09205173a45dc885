#!/usr/bin/env bash
# A batch that fills a disk: it stops at the first output that does not fit, says how many it has
# not tried, and goes on with those of another disk. An output that is there stays. Needs leave to mount a
# small file system.
set -u
. "$(dirname "$0")/requires.sh"
if [ -z "${SATFILTER_MAY_MOUNT:-}" ]; then
    for options in -rm -m; do # as a user who is root there, or as root
        unshare $options true 2>/dev/null && SATFILTER_MAY_MOUNT=1 exec unshare $options bash "$0"
    done
    leave tmpfs "a full disk (nobody may mount a file system)"
fi
. "$(dirname "$0")/script.sh"
mkdir small elsewhere in in/b
mount -t tmpfs -o size=64k none small || leave tmpfs "a full disk (no tmpfs)"
mounted=small

noise 100 110 1 >in/01.pgm
for i in $(seq 2 18); do cp in/01.pgm "in/$(printf %02d "$i").pgm"; done
cp in/01.pgm in/b/1.pgm && cp in/01.pgm in/b/2.pgm
mkdir small/out && ln -s ../../elsewhere small/out/b

# the last line, without the time that it took
closing() { sed -n '$s/satfilter: \(.*\) in [0-9.]* s/\1/p' stderr; }

gives '3 5 2' 'echo "$(ls small/out | grep -c pgm) $(ls elsewhere | wc -l)"' -T 1 --json --box 1 -r in -o small/out
check "one line for the one that failed" "$(sed 's/satfilter: //' stderr | head -n 1) $(wc -l <stderr)" \
    "small/out/06.pgm: writing failed: No space left on device 2"
check "and one at the end" "$(closing)" "7 of 20 done, 1 failed, 12 not tried, for there is no space left"
check "--json has each of them" "$(grep -c '"not_tried": true}$' stdout)" 12
check "the one that failed" "$(grep -c '"error": "writing failed: No space left' stdout)" 1
check "and their number" "$(tail -n 1 stdout | grep -c '"failed": 1, .*"not_tried": 12, ')" 1
check "nothing is left of it" "$(find small elsewhere -name '.*' | wc -l)" 0

gives '3 0 of 20 done, 1 failed, 12 not tried, for there is no space left, 7 skipped, whose outputs exist' 'closing' \
    -q -T 1 --skip-existing --box 1 -r in -o small/out
for options in 'npy' 'tif --compression none' 'png --png-level 0' 'pfm'; do
    # shellcheck disable=SC2086 # words
    run -q -T 1 -f --box 1 --format $options in/0[3-9].pgm -o small/out
    check "$options" "$? $(closing)" "1 0 of 7 done, 1 failed, 6 not tried, for there is no space left"
done
rm small/out/0[12].pgm
run -f -T 4 --box 1 -r in -o small/out
check "several at a time" "$(closing | tr -dc '0-9 ' | awk '{ print $2, $1 + $3 + $4, ($3 > 0 && $3 <= 4) }')" "20 20 1"
for output in small/out/*.pgm; do check "$output is whole" "$(same "$output" in/01.pgm)" same; done
run --flip h in/01.pgm turned.pgm
ends 1 "$output: writing failed: No space left" -f --box 1 turned.pgm "$output"
check "an output that is there stays" "$(same "$output" in/01.pgm) $(find small -name '.*' | wc -l)" "same 0"
tells 1 'small/out/30.pgm: writing failed: No space left on device' -T 1 --box 1 in/03.pgm small/out/30.pgm

# What fails for another reason, and is too large for a limit, does not stop the others.
rm -r small/out
(trap '' XFSZ && ulimit -f 8 && run -T 1 --box 1 -r in -o limited)
check "files that may not be so large" "$? $(grep -c 'File too large' stderr) $(closing)" \
    "1 20 0 of 20 done, 20 failed"

finish
