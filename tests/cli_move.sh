#!/usr/bin/env bash
# The options that move pixels, on images small enough to be turned by hand; and a region: what is filtered, what
# stays, and words that are none.
set -u
. "$(dirname "$0")/script.sh"
unset SATFILTER_CPU
# pixels FILE: the size and the samples of a binary PGM or PPM, in decimal.
pixels()
{
    # shellcheck disable=SC2046 # words
    echo $(head -n 2 "$1" | tail -n 1) $(tail -n +4 "$1" | od -An -v -tu1)
}
# becomes "WIDTH HEIGHT SAMPLE..." WORD...
becomes()
{
    local pixels=$1
    shift
    rm -f out.pnm
    ends 0 '' "$@" out.pnm
    check "$*" "$(pixels out.pnm)" "$pixels"
}

# 3 x 2:  1 2 3
#         4 5 6
printf 'P5\n3 2\n255\n\1\2\3\4\5\6' >in.pgm
becomes '2 3 1 4 2 5 3 6' --transpose in.pgm
becomes '2 3 4 1 5 2 6 3' --rotate 90 in.pgm
becomes '3 2 6 5 4 3 2 1' --rotate 180 in.pgm
becomes '2 3 3 6 2 5 1 4' --rotate=270 in.pgm
becomes '3 2 3 2 1 6 5 4' --flip h in.pgm
becomes '3 2 4 5 6 1 2 3' --flip v in.pgm
becomes '3 2 1 2 3 4 5 6' --rotate 90 --rotate 270 in.pgm
becomes '2 1 5 6' --crop 2x1+1+1 in.pgm
becomes '1 2 2 5' --crop 1x2 in.pgm
becomes '2 2 4 5 1 2' --crop 2x2+0+0 --flip v in.pgm
becomes '2 1 6 5' --rotate 90 --crop 1x2+0+1 --rotate 90 in.pgm
becomes '3 2 1 2 3 4 5 6' --grey in.pgm
becomes '2 1 3 4' --resize 2x2 in.pgm
becomes '2 2 1 3 4 6' --resize 2x2! in.pgm
becomes '2 3 3 6 2 5 1 4' --transpose --flip v in.pgm
becomes '2 3 1 4 2 5 3 6' --transpose -T 1 --device cpu in.pgm
becomes '2 3 1 4 2 5 3 6' --transpose --box 1 in.pgm
printf 'P6\n2 1\n255\n\1\2\3\4\5\6' >in.ppm
becomes '1 2 1 2 3 4 5 6' --transpose in.ppm
becomes '2 1 4 5 6 1 2 3' --flip h in.ppm
becomes '2 1 2 5' --grey in.ppm
becomes '1 1 5' --crop 1x1+1+0 --grey in.ppm
ends 1 '^satfilter: in.ppm: crop takes 3 x 1 pixels, and the picture has 2 x 1$' --crop 3x1 in.ppm none.ppm

npy '|u1' '(6,)' '\05\04\03\02\01\0' >order.npy
becomes '3 2 6 5 4 3 2 1' --permute order.npy in.pgm
npy '<i2' '(2, 3)' '\0\0\01\0\02\0\05\0\04\0\03\0' >shape.npy
becomes '3 2 1 2 3 6 5 4' --permute shape.npy in.pgm
becomes '2 3 1 6 2 5 3 4' --permute shape.npy --transpose in.pgm
cp order.npy 'a name, with blanks.npy'
becomes '3 2 6 5 4 3 2 1' --permute 'a name, with blanks.npy' in.pgm

npy '<u4' '(1, 2)' '\01\0\0\0\0\0\0\0200' >wide.npy
ends 0 '' --transpose wide.npy out.npy
check "u32 transposed" "$(values out.npy u4 2)" "1 2147483648"
check "its shape" "$(grep -c "'<u4'.*(2, 1)" out.npy)" 1

ends 1 '^satfilter: in.ppm: the order has 6 entries; the image has 2 x 1 = 2 pixels' --permute order.npy in.ppm out.ppm
npy '|u1' '(6,)' '\05\04\03\02\01\01' >twice.npy
ends 1 "twice.npy': entry 5 is 1, which is there before; each of 0 to 5 must be there once" \
    --permute twice.npy in.pgm none.pgm
npy '|u1' '(3, 2)' '\05\04\03\02\01\0' >tall.npy
ends 1 'for images of 2 x 3 pixels' --permute tall.npy in.pgm none.pgm
npy '|u1' '(0, 2)' '' >empty.npy
ends 1 "empty.npy': the array is empty" --permute empty.npy in.pgm none.pgm
npy '<u8' '(8000000000, 8000000000)' '\01' >vast.npy
ends 1 "vast.npy': it has more than 4294967296 entries" --permute vast.npy in.pgm none.pgm
npy '|u1' '(16, 16)' "$(printf '\\0%o' $(seq 0 255))" >some.npy
printf 'P5\n16 16\n255\n' >some.pgm
head -c 256 /dev/zero >>some.pgm
ends 0 '' --permute some.npy --max-memory 1200 some.pgm out.pgm
ends 1 "some.npy': an order of 256 pixels is above the limit of 1000 bytes (--max-memory)" \
    --permute some.npy --max-memory 1000 some.pgm none.pgm
ends 1 'missing.npy' --permute missing.npy in.pgm none.pgm
ends 1 'no .npy file' --permute in.pgm in.pgm none.pgm
for usage in '--rotate 45' '--rotate 90,border=wrap' '--flip x' '--flip' '--transpose=1' \
    '--crop' '--crop 5' '--crop 5x5-1+0' '--grey=1' '--crop 1x1 --engine window' '--resize 2x!' \
    '--guided 9,noise=18,eps=0.01' '--guided 9,eps=0.01,noise=18' \
    '--transpose --engine window' '--flip h --algorithm blocked' '--permute' \
    '--border wrap --rotate 90' '--integral --border shrink'; do
    # shellcheck disable=SC2086 # options
    ends 2 . $usage in.pgm none.pgm
done
ends 0 '' -f --transpose --box 3 --engine window in.pgm out.pgm
ends 0 '' -f --transpose --box 3 --border wrap in.pgm out.pgm
check "a refused run left an output" "$(ls none.pgm 2>/dev/null)" ""

# Help comes from the table.
gives '0 6' "grep -c '^  \(crop\|grey\|transpose\|rotate\|flip\|permute\) ' stdout" --list # cli.sh has each one's help

# -------------------------------------------------------------------- a region

noise 20 10 3 5 >noise.ppm
bytes() { tail -c "+$2" "$1" | head -c "$3" | od -An -tx1; }
at=$((13 + 3 * (2 * 20 + 3)))

tells 0 '' --box 5 noise.ppm first.ppm # the whole picture
tells 0 '' --region 3,2,4x1 --box 5 noise.ppm second.ppm # a region
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

# -------------------------------------------------------------------- a mask

printf 'P5\n20 10\n255\n' | tee black.pgm >white.pgm
head -c 200 /dev/zero >>black.pgm
head -c 200 /dev/zero | tr '\000' '\377' >>white.pgm
tells 0 '' --mask white.pgm --box 5 noise.ppm white.ppm # a mask
check "white: the filter's" "$(same white.ppm first.ppm)" same
tells 0 '' --mask black.pgm --box 5 noise.ppm black.ppm # a black mask
check "black: the input" "$(same black.ppm noise.ppm)" same
tells 0 '' --mask white.pgm --region 3,2,4x1 --box 5 noise.ppm both.ppm # both
check "white in a region" "$(same both.ppm second.ppm)" same
run --json --mask white.pgm --box 5 noise.ppm third.ppm
check "a mask in --json" "$(grep -o '"mask": [^,]*' stdout)" '"mask": "white.pgm"'
scene=$source/samples/scene.png

# Both spellings.
ends 0 '' -f --grey "$scene" want.pgm
makes want.pgm -f --gray "$scene" out.pgm
ends 0 '' -f --guided 5,colour "$scene" want.ppm
for words in '--guided 5,color' '--guided 5 --color' '--color --guided 5'; do
    # shellcheck disable=SC2086 # options
    makes want.ppm -f $words "$scene" out.ppm
done
tells 0 '' --mask "$scene" --gauss 6 "$scene" rows.ppm # a picture in colour, its own mask
tells 0 '' --no-stream --mask "$scene" --gauss 6 "$scene" whole.ppm # as a whole
check "by rows and as a whole" "$(same rows.ppm whole.ppm)" same
run --mask white.pgm --box 5 in/a.ppm in/small.pgm -o masked
check "a batch under a mask" "$? $(files masked) $(same masked/a.ppm first.ppm)" "3 ./a.ppm  same"
check "names the file of another size" \
    "$(grep -c 'small.pgm: the mask has 20 x 10 pixels, and the picture 3 x 3 (--mask)$' stderr)" 1
npy '|u1' '(10, 20)' "$(head -c 200 /dev/zero | tr '\000' '\377')" >mask.npy
run --axes ZYX --mask mask.npy --box 5 in/a.ppm axes.ppm
check "axes are not the mask's" "$? $(same axes.ppm first.ppm)" "0 same"
ends 1 'missing.png: cannot be read: No such file' --mask missing.png --box 5 noise.ppm none.ppm
head -c 100 white.pgm >cut.pgm
ends 1 'cut.pgm: the file ends before its data does' --mask cut.pgm --box 5 noise.ppm none.ppm
ends 1 'f64 with 3 channels, .* u8 with 3 (--mask)$' --mask white.pgm --variance 5 noise.ppm none.ppm
ends 2 'mask' --mask '' --box 5 noise.ppm none.ppm

finish
