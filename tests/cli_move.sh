#!/usr/bin/env bash
# The options that move pixels, on images small enough to be turned by hand.
set -u
build=$(cd "${top_builddir:-.}" && pwd)
satfilter=${SATFILTER:-$build/satfilter}
work=$(mktemp -d "${TMPDIR:-/tmp}/satfilter-move.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SATFILTER_CPU
LC_ALL=C
export LC_ALL
failed=0

fail()
{
    failed=$((failed + 1))
    echo "FAIL: $*"
    sed 's/^/    stderr: /' stderr 2>/dev/null | head -3
}

# run STATUS ARGUMENTS...: that status, and one line of message unless it is 0.
run()
{
    local want=$1
    shift
    "$satfilter" "$@" >stdout 2>stderr </dev/null
    local status=$?
    [ $status -eq "$want" ] || fail "satfilter $*: status $status instead of $want"
    [ "$(wc -l <stderr)" -eq $((want != 0)) ] || fail "satfilter $*: not as many messages"
}
says() { grep -q -e "$1" stderr || fail "no '$1' in the message"; }

# pixels FILE: the size and the samples of a binary PGM or PPM, in decimal.
pixels()
{
    # shellcheck disable=SC2046 # words
    echo $(head -n 2 "$1" | tail -n 1) $(tail -n +4 "$1" | od -An -v -tu1)
}
becomes()
{
    local want=$1
    shift
    rm -f out.pnm
    run 0 "$@" out.pnm
    local got
    got=$(pixels out.pnm)
    [ "$got" = "$want" ] || fail "satfilter $*: '$got' instead of '$want'"
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
run 1 --crop 3x1 in.ppm none.ppm
says '^satfilter: in.ppm: crop takes 3 x 1 pixels, and the picture has 2 x 1$'

# npy NAME DESCR SHAPE BYTES
npy()
{
    printf "\223NUMPY\1\0\166\0%-117s\n" "{'descr': '$2', 'fortran_order': False, 'shape': $3}" >"$1"
    printf '%b' "$4" >>"$1"
}
npy order.npy '|u1' '(6,)' '\05\04\03\02\01\0'
becomes '3 2 6 5 4 3 2 1' --permute order.npy in.pgm
npy shape.npy '<i2' '(2, 3)' '\0\0\01\0\02\0\05\0\04\0\03\0'
becomes '3 2 1 2 3 6 5 4' --permute shape.npy in.pgm
becomes '2 3 1 6 2 5 3 4' --permute shape.npy --transpose in.pgm
cp order.npy 'a name, with blanks.npy'
becomes '3 2 6 5 4 3 2 1' --permute 'a name, with blanks.npy' in.pgm

# u32 and u64, which no other filter takes.
npy wide.npy '<u4' '(1, 2)' '\01\0\0\0\0\0\0\0200'
run 0 --transpose wide.npy out.npy
[ "$(tail -c 8 out.npy | od -An -tx1 | tr -d ' \n')" = 0100000000000080 ] || fail "u32 transposed"
grep -q "'<u4'.*(2, 1)" out.npy || fail "the shape of u32 transposed"
run 1 --transpose --box 3 wide.npy out.npy
says 'u32 samples cannot be filtered.*astype'

run 1 --permute order.npy in.ppm out.ppm
says '^satfilter: in.ppm: the order has 6 entries; the image has 2 x 1 = 2 pixels'
npy twice.npy '|u1' '(6,)' '\05\04\03\02\01\01'
run 1 --permute twice.npy in.pgm none.pgm
says "twice.npy': entry 5 is 1, which is there before; each of 0 to 5 must be there once"
npy tall.npy '|u1' '(3, 2)' '\05\04\03\02\01\0'
run 1 --permute tall.npy in.pgm none.pgm
says 'for images of 2 x 3 pixels'
npy empty.npy '|u1' '(0, 2)' ''
run 1 --permute empty.npy in.pgm none.pgm
says "empty.npy': the array is empty"
npy vast.npy '<u8' '(8000000000, 8000000000)' '\01'
run 1 --permute vast.npy in.pgm none.pgm
says "vast.npy': it has more than 4294967296 entries"
npy some.npy '|u1' '(16, 16)' "$(printf '\\0%o' $(seq 0 255))"
printf 'P5\n16 16\n255\n' >some.pgm
head -c 256 /dev/zero >>some.pgm
run 0 --permute some.npy --max-memory 1200 some.pgm out.pgm
run 1 --permute some.npy --max-memory 1000 some.pgm none.pgm
says "some.npy': an order of 256 pixels is above the limit of 1000 bytes (--max-memory)"
run 1 --permute missing.npy in.pgm none.pgm
says 'missing.npy'
run 1 --permute in.pgm in.pgm none.pgm
says 'no .npy file'
for usage in '--rotate 45' '--rotate 90,border=wrap' '--flip x' '--flip' '--transpose=1' \
    '--crop' '--crop 5' '--crop 5x5-1+0' '--grey=1' '--crop 1x1 --engine window' '--resize 2x!' \
    '--guided 9,noise=18,eps=0.01' '--guided 9,eps=0.01,noise=18' \
    '--transpose --engine window' '--flip h --algorithm blocked' '--permute' \
    '--border wrap --rotate 90' '--integral --border shrink'; do
    # shellcheck disable=SC2086 # options
    run 2 $usage in.pgm none.pgm
done
run 0 -f --transpose --box 3 --engine window in.pgm out.pgm
run 0 -f --transpose --box 3 --border wrap in.pgm out.pgm
[ ! -e none.pgm ] || fail "a refused run left an output"

# Help comes from the table.
for filter in crop grey transpose rotate flip permute; do
    "$satfilter" --help $filter | grep -q "^satfilter --$filter" || fail "--help $filter"
    "$satfilter" --list | grep -q "^  $filter " || fail "--list lacks $filter"
done

[ $failed -eq 0 ] && echo "all passed"
exit $((failed != 0))
