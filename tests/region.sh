#!/usr/bin/env bash
# A region on the command line: what is filtered, what stays, and words that are none.
set -u
. "$(dirname "$0")/script.sh"

{
    printf 'P6\n20 10\n255\n'
    awk 'BEGIN { s = 5; for (i = 0; i < 600; i++) { s = (s * 16807) % 2147483647; printf "%c", 33 + s % 94 } }'
} >noise.ppm
bytes() { tail -c "+$2" "$1" | head -c "$3" | od -An -tx1; }
at=$((13 + 3 * (2 * 20 + 3)))

run --box 5 noise.ppm first.ppm
check "the whole picture" "$? $(said)" "0 "
run --region 3,2,4x1 --box 5 noise.ppm second.ppm
check "a region" "$? $(said)" "0 "
check "inside it" "$(bytes second.ppm $((at + 1)) 12)" "$(bytes first.ppm $((at + 1)) 12)"
check "in front of it" "$(bytes second.ppm 1 $at)" "$(bytes noise.ppm 1 $at)"
check "behind it" "$(bytes second.ppm $((at + 13)) 9999)" "$(bytes noise.ppm $((at + 13)) 9999)"
run --json --region 3,2,4X1 --box 5 noise.ppm third.ppm
check "a region in --json" "$(grep -o '"region": [^]]*]' stdout)" '"region": [3, 2, 4, 1]'
check "the same by rows or not" "$(same second.ppm third.ppm)" same
mkdir in out
cp noise.ppm in/a.ppm
printf 'P5\n3 3\n255\n123456789' >in/small.pgm
run --region 3,2,4x1 --box 5 in/a.ppm in/small.pgm -o out
check "a batch" "$? $(files out) $(same out/a.ppm second.ppm)" "3 ./a.ppm  same"
check "names the file that is too small" \
    "$(grep -c 'small.pgm: the region of 4 x 1 at 3, 2 is empty or leaves the picture of 3 x 3 (--region)$' stderr)" 1
run --region 0,0,2x2 --variance 5 noise.ppm none.ppm
check "another type" "$? $(grep -c 'f64 with 3 channels, .* u8 with 3 (--region)$' stderr) $(files none.ppm)" "1 1 "
for region in 1,2,3 1,2,0x3 1,2,3x0 -1,2,3x3 1,-2,3x3 1,2,3x-3 1,2,3x3x3 '1,2,3x3,' a,2,3x3 '' 1 ,,x \
    1,2,99999999999999999999x3 99999999999999999999,2,3x3 1.5,2,3x3 ' 1,2,3x3' 1,2,3x3K; do
    run --region "$region" --box 3 noise.ppm none.ppm
    check "--region '$region'" "$? $(grep -cF -- "--region: '$region' is no region X,Y,WxH" stderr)" "2 1"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
