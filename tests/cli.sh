#!/usr/bin/env bash
# The command line's contract: exit statuses, one-line messages, outputs whole
# or untouched, values of tiny images computed by hand.
set -u
. "$(dirname "$0")/sure.sh"
build=$(cd "${top_builddir:-.}" && pwd)
satfilter=${SATFILTER:-$build/satfilter}
work=$(mktemp -d "${TMPDIR:-/tmp}/satfilter-cli.XXXXXX") || exit 1
mounted=
cleanup()
{
    [ -z "$mounted" ] || umount "$work/full" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
umask 022
unset SATFILTER_CPU
LC_ALL=C
export LC_ALL

passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); }
fail()
{
    failed=$((failed + 1))
    echo "FAIL: $*"
    sed 's/^/    stderr: /' stderr 2>/dev/null | head -5
}
skip() { without "$@" && skipped=$((skipped + 1)); }
check() { if [ "$2" = "$3" ]; then pass; else fail "$1: '$2' instead of '$3'"; fi; }

# run STATUS ARGUMENTS...: exit status; on failure exactly one line, of the
# documented form; on success nothing on stderr but that an output was replaced.
run()
{
    local want=$1 what status lines
    shift
    what="satfilter $*"
    "$satfilter" "$@" >stdout 2>stderr </dev/null
    status=$?
    lines=$(wc -l <stderr)
    if [ $status -ne "$want" ]; then
        fail "$what: status $status instead of $want"
    elif [ "$want" -eq 0 ] && grep -qv 'existed and was replaced' stderr; then
        fail "$what: a message on success"
    elif [ "$want" -ne 0 ] && { [ "$lines" -ne 1 ] || ! grep -q '^satfilter: .' stderr; }; then
        fail "$what: not one line of message"
    else
        pass
    fi
}

# What a message must say.
says() { if grep -q -e "$1" stderr; then pass; else fail "the message lacks '$1'"; fi; }

# Values behind the header of a .npy: npy FILE OD-TYPE COUNT BYTES
npy() { tail -c $(($3 * $4)) "$1" | od -An -v -w$(($3 * $4)) -t"$2" | tr -s ' ' | sed 's/^ //; s/ $//'; }
pgm() { npy "$1" u1 "$2" 1; }

# ------------------------------------------------------------------- inputs

# 1 2 3
# 4 5 6
printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
# width height channels: printable noise, reproducible
noise()
{
    awk -v w="$1" -v h="$2" -v c="$3" 'BEGIN {
        printf "P%d\n%d %d\n255\n", c == 3 ? 6 : 5, w, h
        s = 1
        for (y = 0; y < h; y++) {
            for (i = 0; i < w * c; i++) {
                s = (s * 16807) % 2147483647
                printf "%c", 33 + s % 94
            }
        }
    }'
}
noise 301 203 3 >noise.ppm

# ------------------------------------------------------------ values by hand

run 0 --box 3 in.pgm out.pgm
check "box 3" "$(pgm out.pgm 6)" "2 3 4 3 4 5"
run 0 --box 3x1,border=shrink --type f32 in.pgm out.npy
check "box 3x1 shrink f32" "$(npy out.npy f4 6 4)" "1.5 2 2.5 4.5 5 5.5"
# shellcheck disable=SC2046
run 0 -f $(yes -- --flatten | head -n 99) in.pgm out.pgm # each longer by its default
run 0 --border=shrink --box=3x1 in.pgm --type=f32 out.npy
check "--border is the default" "$(npy out.npy f4 6 4)" "1.5 2 2.5 4.5 5 5.5"
run 0 --border constant:0 --box 3x1,border=shrink --type f64 in.pgm out.npy
check "a filter's own border goes first" "$(npy out.npy f8 6 8)" "1.5 2 2.5 4.5 5 5.5"
run 0 --device cpu --box 5 noise.ppm plain.ppm
run 0 --device cpu --algorithm 1+r --r 0.5 --box 5 noise.ppm out.ppm
check "--algorithm 1+r" "$(cmp plain.ppm out.ppm 2>&1)" ""
run 0 --border constant:7 --box 3x1 in.pgm out.npy
check "border constant:7" "$(npy out.npy u1 6 1)" "3 2 4 5 5 6"
run 0 --integral in.pgm out.npy
check "integral" "$(npy out.npy u4 6 4)" "1 3 6 5 12 21"
run 0 --integral --squared in.pgm out.npy
check "integral of squares" "$(npy out.npy u4 6 4)" "1 5 14 17 46 91"
run 0 --squared --integral in.pgm out.npy
check "--squared before --integral" "$(npy out.npy u4 6 4)" "1 5 14 17 46 91"
run 0 --integral --type u64 in.pgm out.npy
check "integral as u64" "$(npy out.npy u8 6 8)" "1 3 6 5 12 21"
run 0 --variance 3 in.pgm out.npy
check "variance 3" "$(npy out.npy f8 6 8 | cut -d' ' -f2)" "2.6666666666666665"
run 0 --variance 3x1,border=shrink in.pgm out.npy
check "variance 3x1 shrink" "$(npy out.npy f8 6 8 | cut -d' ' -f1,3,4,6)" "0.25 0.25 0.25 0.25"
run 0 --stddev 2x1 in.pgm out.npy
check "stddev 2x1" "$(npy out.npy f8 6 8)" "0 0.5 0.5 0 0.5 0.5"
run 0 --stddev 2x1 --type u8 --range 0:0.5 in.pgm out.pgm
check "image form with a range" "$(pgm out.pgm 6)" "0 255 255 0 255 255"
run 0 -q --stddev 2x1 in.pgm out.pgm
check "image form, 16 bits, 0 ... 255/2" "$(tail -c 12 out.pgm | od -An -v -tx1 | tr -d ' \n')" \
    "000001010101000001010101"
run 0 --box 3 --integral in.pgm out.npy
check "a chain" "$(npy out.npy u4 6 4)" "2 5 9 5 12 21"
check "shape of a .npy" "$(grep -ac "'shape': (2, 3)" out.npy)" 1

printf '# twice and a half the pixel\n0 0 1 1 2.5\n' >'a t,b.txt'
run 0 --template 'a t,b.txt' in.pgm out.npy
check "template" "$(npy out.npy f8 6 8)" "2.5 5 7.5 10 12.5 15"
printf '1 0 1 1 1\n' >right.txt
run 0 --template right.txt,border=constant:9 in.pgm out.npy
check "template with a border" "$(npy out.npy f8 6 8)" "2 3 9 5 6 9"

printf '\357\273\277# byte order mark\r\n0 0 1 1 2\r\n' >mark.txt
run 0 --template mark.txt in.pgm out.npy
check "template with a byte order mark and CR LF" "$(npy out.npy f8 6 8)" "2 4 6 8 10 12"
printf '\357\273\2770 0 1 1 3' >mark.txt
run 0 --template mark.txt in.pgm out.npy
check "template that begins behind a byte order mark" "$(npy out.npy f8 6 8)" "3 6 9 12 15 18"

printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\377\000\377\377' >rgba.pam
cp rgba.pam rgba.ppm # found by content
run 0 --box 1 rgba.ppm out.npy
check "a P7 called .ppm" "$(npy out.npy u1 4 1)" "255 0 255 255"
run 0 --box 1 rgba.ppm out.ppm
check "opaque RGB with alpha written as .ppm" "$(head -c 2 out.ppm)" P6
run 0 --integral rgba.pam out.png
run 0 --box 1 out.png out.npy
check "an integral of RGBA as a PNG" "$(npy out.npy u2 4 2)" "65535 0 65535 65535"

# ------------------------------------------------------------ possible ranges

printf '0 0 3 3 0\n-1 0 1 1 0\n' >zero.txt
run 1 --template zero.txt in.pgm none.png; says 'every possible value is 0'; says '--range'
check "no picture without a range" "$(ls none.png 2>/dev/null)" ""
run 0 -q --template zero.txt --range -1:1 in.pgm out.pgm
check "all weights 0 with a range" "$(tail -c 12 out.pgm | od -An -v -tx1 | tr -d ' \n')" \
    "800080008000800080008000"
run 0 --template zero.txt in.pgm out.npy
check "all weights 0" "$(npy out.npy f8 6 8)" "0 0 0 0 0 0"
printf '0 0 1 1 1e308\n' >huge.txt
run 1 --template huge.txt in.pgm none.png; says 'too large'; says '--range'
run 1 --template huge.txt --range -1e308:1e308 in.pgm none.png; says 'too wide'
check "no picture of a range that is not finite" "$(ls none.png 2>/dev/null)" ""

# ------------------------------------------------------- engines and threads

run 0 --box 15x8 noise.ppm first.png
for options in '-T1' '-T 2' '--threads=3' '--engine sat' '--engine window' '--device cpu' \
    '--algorithm auto' '-v' '--engine sat -T 2'; do
    # shellcheck disable=SC2086
    "$satfilter" $options --box 15x8 noise.ppm second.png 2>stderr
    check "status with $options" $? 0
    if cmp -s first.png second.png; then pass; else fail "$options changes the output"; fi
done
algorithms=$("$satfilter" --list | sed -n '/^Algorithms/,/^$/s/^  \([^ ]*\) *cpu .*/\1/p' |
    at_least 7 "algorithms of --list") || exit 1
for algorithm in $algorithms; do
    run 0 --box 15x8 --algorithm "$algorithm" noise.ppm second.png
    if cmp -s first.png second.png; then pass; else fail "$algorithm changes the output"; fi
done
run 1 --device cuda:1023 --box 3 in.pgm none.png
says '^satfilter: --device cuda:1023: '
check "no output without the device" "$(ls none.png 2>/dev/null)" ""

# -------------------------------------------------------------- wrong usage

cp in.pgm kept.pgm
usage() { run 2 "$@"; }
usage --bux 3 in.pgm kept.pgm;                says 'did you mean --box?'
usage --boredr clamp --box 3 in.pgm kept.pgm; says 'did you mean --border?'
usage -x --box 3 in.pgm kept.pgm;             says 'no such option'
usage -vx --box 3 in.pgm kept.pgm;            says 'no such option'
usage --rotate;                               says 'needs a value'
usage --rotate --type u8 in.pgm kept.pgm;     says 'needs a value'
usage --json=1 --box 3 in.pgm kept.pgm;       says 'takes no value'
usage in.pgm kept.pgm;                        says 'no filter'
usage --box 3;                                says 'no input'
usage --box 3 in.pgm;                         says 'no output'
usage --box 3 -o dir;                         says 'no input'
usage --box 3 in.pgm kept.pgm third.pgm;      says 'need -o DIR'
usage --box 3 --squared in.pgm kept.pgm;      says '--squared'
for value in 0 -1 x 3x 3x0 x3 3,border=none 3,nonsense 3,size=5,width= 99999999999999999999 70000 1e3 ''; do
    usage --box "$value" in.pgm kept.pgm
done
for option in '--type u9' '--border none' '--border constant' '--border constant:x' '--range 1' \
    '--range 2:1' '--range 1:1' '--range a:b' '--range nan:1' '--range 0:inf' '--device gpu' \
    '--device cuda:' '--device cuda:x' '--engine fast' '--algorithm none' '--r 0' '--r 1' '--r x' \
    '--r 0.5' '--sync never' '--sync graph' '--tune' '-T x' '-T -1' '-T 1000000' \
    '--threads 1.5' '--format jp2' '--quality 0' '--quality 101' '--png-level 10' \
    '--png-level x' '--max-pixels 0' '--max-pixels 1T' '--max-memory 99999999999G' \
    '--max-metadata 0' '--max-scans -1' '--max-ratio x' '--formats jp2' '--formats ,' \
    '--stream --device cuda' '--max-device-memory 0' \
    '--engine window --algorithm 2r2w' '--help nothing'; do
    # shellcheck disable=SC2086
    usage $option --box 3 in.pgm kept.pgm
done
XDG_CACHE_HOME=/dev/null run 1 --tune --device cpu
says '/dev/null/satfilter/tuning-cpu cannot be written'
# What contradicts itself is refused before the input is even looked for.
usage --integral --engine window missing.png kept.pgm
says '^satfilter: integral is a summed area table: engine window cannot serve it; .* (--engine)$'
usage --template right.txt --engine window missing.png out.npy; says 'template reads a summed area'
usage --box 3 --algorithm blocked --device cuda missing.png kept.pgm; says 'the CPU only'
usage --box 3 --algorithm 4r1w --sync graph --device cpu missing.png kept.pgm; says '--sync'
usage --box 3 --algorithm blocked --sync graph missing.png kept.pgm; says '--sync'
for algorithm in 4r4w skss lookback; do
    case " $("$satfilter" --list | sed -n '/^Algorithms/,$s/^  \([^ ]*\) *\(cpu\|cuda\) .*/\1/p' | tr '\n' ' ')" in
    *" $algorithm "*) usage --box 3 --algorithm $algorithm --device cpu missing.png kept.pgm ;;
    *)
        usage --box 3 --algorithm $algorithm missing.png kept.pgm
        says 'not in this version'
        ;;
    esac
done
for wrong in 'u32 png' 'f32 png' 'f64 jpg' 'u16 jpg' 'f32 pgm' 'u64 pam' 'f64 pfm' 'u8 pfm'; do
    usage --box 3 --type ${wrong% *} missing.png "out.${wrong#* }"
    says "cannot hold ${wrong% *} samples"
    usage --box 3 --type ${wrong% *} --format "${wrong#* }" missing.png out.npy
    usage --box 3 --type ${wrong% *} --format "${wrong#* }" missing.png -o made0
done
usage --box 3 --type f32 missing.png -
check "refused types made nothing" "$(ls -d made0 2>/dev/null)" ""
# An integral of integers is of u32 or u64, which no filter takes; of floats it is of doubles.
usage --integral --box 3 in.pgm kept.pgm;            says 'box cannot filter u32.*integral last'
usage --integral --box 3 in.pgm -o made0;            says 'box cannot filter u32'
check "unsuited inputs made nothing" "$(ls -d made0 2>/dev/null)" ""
run 0 --box 1 --type f32 in.pgm floats.npy
run 0 --integral --box 1 floats.npy out.npy
check "a box over an integral of floats" "$(npy out.npy f8 6 8)" "1 3 6 5 12 21"
run 0 --variance 3 --integral --box 3 in.pgm out.npy
run 3 -q --integral --box 1 floats.npy in.pgm -o made0 --format npy
rm -r made0

usage --box 3 in.pgm out.xyz;  says 'out.xyz: the suffix names no format'
usage --box 3 in.pgm out;      says 'out: the suffix'
mkdir some; usage --box 3 in.pgm some; says 'use -o'
if cmp -s in.pgm kept.pgm; then pass; else fail "wrong usage touched an output"; fi
usage --box 3 -- --box in.pgm third; says 'third file'
for w in eps=0.02 1.5; do usage --guided 9 $w in.pgm out.pgm; says "^satfilter: $w: is no file; .* commas"; done
usage --box 3 some out; says '^satfilter: some: is a folder; .* by -r, with -o DIR'

# ----------------------------------------------------------------- bad input

bad()
{
    cp in.pgm kept.png
    run 1 --box 3 "$@" kept.png
    if cmp -s in.pgm kept.png; then pass; else fail "$*: touched the output"; fi
    rm -f kept.png
    run 1 --box 3 "$@" kept.png
    if [ ! -e kept.png ]; then pass; else fail "$*: left an output"; fi
}
bad missing.png;  says '^satfilter: missing.png: '
bad some;         says 'is a directory.*-r'
: >empty.png;     bad empty.png
printf 'no picture at all\n' >text.png
bad text.png;     says '^satfilter: text.png: '
head -c 14 in.pgm >short.pgm
bad short.pgm
printf 'P5\n2147483648 2147483648\n255\n\001' >huge.pgm
bad huge.pgm
printf 'P5\n100000 100000\n255\n\001' >large.pgm
bad large.pgm;    says 'max-pixels'
printf 'P5\n100000 10000\n255\n\001' >claims.pgm
bad --max-memory 1M --integral claims.pgm; says 'truncated'
{ printf 'P5\n100000 40\n255\n' && head -c 4000000 /dev/zero; } >wide.pgm
bad --max-memory 1M --integral wide.pgm; says 'max-memory'
bad --max-pixels 1K noise.ppm;  says 'max-pixels'
# A PNG header of 40000 by 40000 with its checksum, and no more.
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\234\100\0\0\234\100\010\0\0\0\0CRC!' >claims.png
bad claims.png;                      says 'truncated'
bad --max-metadata 10 first.png;     says 'max-metadata'
bad --formats png,jpeg in.pgm;       says 'pnm file.*--formats'
{ printf 'BM\0\0\0\0\0\0\0\0\066\0\0\0\050\0\0\0\1\0\0\0\1\0\0\0\1\0\030\0' && head -c 28 /dev/zero; } >in.bmp
run 0 --box 1 in.bmp out.ppm # the command reads every format unless told otherwise
bad --formats png,jpeg,pnm,pfm,npy in.bmp; says 'bmp file'
run 0 --formats BMP,pnm --box 1 in.bmp out.ppm
# A PNG header of 2^31 - 1 by 2^31 - 1 with its checksum.
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\177\377\377\377\177\377\377\377\010\0\0\0\0\061\242\124\272' >huge.png
bad huge.png
size=$(wc -c <first.png)
head -c $((size / 2)) first.png >half.png
bad half.png
head -c $((size - 6)) first.png >almost.png
bad almost.png
{
    head -c $((size / 2)) first.png
    tail -c +$((size / 2 + 1)) first.png | head -c 1 | LC_ALL=C tr '\000-\377' '\001-\377\000'
    tail -c +$((size / 2 + 2)) first.png
} >flipped.png
check "size of the damaged file" "$(wc -c <flipped.png)" "$size"
bad flipped.png
run 0 -q --box 3 noise.ppm whole.jpg
head -c $(($(wc -c <whole.jpg) / 2)) whole.jpg >half.jpg
bad half.jpg
{
    printf "\223NUMPY\1\0\166\0%-117s\n" "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 1)}"
    printf '\1\0\0\0'
} >wide.npy
bad wide.npy;     says 'u32 samples cannot be filtered.*astype'
run 1 --box 3 in.pgm nowhere/out.png;     says '^satfilter: nowhere/out.png: '
run 1 --box 3 in.pgm in.pgm/out.png
run 1 --template missing.txt in.pgm out.npy
printf '0 0 1\n' >bad.txt
"$satfilter" --template bad.txt in.pgm none.npy 2>stderr
check "a damaged template" "$? $(wc -l <stderr) $(ls none.npy 2>/dev/null)" "1 1 "
name=$(printf 'no\nfile\033\342\200\256\377.png')
run 1 --box 3 "$name" out.png;            says '^satfilter: no\\nfile\\x1b\\u202e\\xff.png: '
if [ "$(id -u)" -ne 0 ]; then
    mkdir sealed && chmod 555 sealed
    run 1 --box 3 in.pgm sealed/out.png
    chmod 755 sealed
else
    skip user "unwritable directory (root may write anywhere)"
fi

# Full disk: an output that exists stays, nothing is left.
noise 700 700 1 >big.pgm
mkdir full
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
    mounted=yes
    cp in.pgm full/out.png
    run 1 -f --box 3 big.pgm full/out.png
    says '^satfilter: full/out.png: '
    if cmp -s in.pgm full/out.png; then pass; else fail "full disk: touched the output"; fi
    check "full disk: what is left" "$(ls -A full)" "out.png"
else
    skip tmpfs "full file system (tmpfs cannot be mounted)"
fi
if [ -c /dev/full ]; then
    run 1 --box 3 --format pnm big.pgm /dev/full
    "$satfilter" --help >/dev/full 2>stderr
    check "--help to a full device" $? 1
fi

# --------------------------------------------------------------- same file

cp in.pgm same.pgm
chmod 640 same.pgm
run 0 -q --box 3 same.pgm same.pgm
check "input is output" "$(pgm same.pgm 6)" "2 3 4 3 4 5"
check "mode of a replaced file" "$(ls -l same.pgm | cut -c1-10)" "-rw-r-----"

# ------------------------------------------------------------------- pipes

"$satfilter" --box 3 --format pnm - - <in.pgm >piped.pgm 2>stderr
check "stdin to stdout" "$? $(pgm piped.pgm 6)" "0 2 3 4 3 4 5"
"$satfilter" --box 3 - - <in.pgm 2>stderr | head -c 4 | od -An -tx1 | tr -d ' ' >stdout
check "PNG is standard output's format" "$(cat stdout)" "89504e47"
cat noise.ppm | "$satfilter" --box 15x8 - - | "$satfilter" --box 1 - piped.png
if cmp -s first.png piped.png; then pass; else fail "a pipeline of two changes the picture"; fi
# A reader that goes away: a message and status 1, not silence.
{
    "$satfilter" --box 3 --format pnm big.pgm - 2>stderr
    echo $? >status
} | sleep 0.2
check "a closed pipe" "$(cat status) $(wc -l <stderr)" "1 1"
"$satfilter" --box 3 --format pnm in.pgm - >&- 2>stderr
check "closed standard output" "$? $(wc -l <stderr)" "1 1"

# ----------------------------------------------------------------- batches

mkdir a b
cp noise.ppm a/one.ppm
cp first.png a/two.png
cp noise.ppm b/one.ppm
cp in.pgm 'a/with blank.pgm'
run 0 -q --box 5 a/one.ppm a/two.png 'a/with blank.pgm' -o made
check "names of a batch" "$(ls made | tr '\n' ' ')" "one.ppm two.png with blank.pgm "
run 0 -q --box 5 a/one.ppm a/two.png -o made2 --format png
check "names with --format" "$(ls made2 | tr '\n' ' ')" "one.png two.png "
run 0 -o no/parent --box 5 a/one.ppm
check "missing parents of -o are made" "$(ls no/parent)" one.ppm
run 2 -o made3 --box 5 a/one.ppm b/one.ppm;             says 'is that of a/one.ppm too'
run 2 -o made3 --box 5 --format png a/one.ppm b/one.ppm; says 'is that of a/one.ppm too'
run 2 -o a --box 5 a/one.ppm;                           says 'would replace an input'
run 2 -o ./a/../a --box 5 b/one.ppm a/one.ppm
run 2 -o made3 --box 5 -
check "refused batches made nothing" "$(ls -d made3 2>/dev/null)" ""
echo text >plain
run 1 -o plain --box 5 a/one.ppm;                       says 'is not a folder'
run 3 -q --box 5 a/one.ppm missing.png 'a/with blank.pgm' -o made4
says '^satfilter: missing.png: '
check "the others are done" "$(ls made4 | tr '\n' ' ')" "one.ppm with blank.pgm "
"$satfilter" -q --box 5 missing.png half.png -o made5 2>stderr
check "all inputs failed" "$? $(wc -l <stderr) $(ls -d made5 2>/dev/null)" "1 2 "

# ------------------------------------------------------------------- signals

# Input that stalls halfway: the output's temporary file is there while more is awaited.
# Not those that this shell was started to ignore (nohup): its children ignore them too.
set -m
for signal in TERM INT HUP; do
    [ "$(trap -p SIG$signal)" != "trap -- '' SIG$signal" ] || continue
    mkdir "signal$signal"
    cp in.pgm "signal$signal/out.png"
    noise 1500 1500 1 >"slow.pgm"
    "$satfilter" -f --box 3 - "signal$signal/out.png" 2>stderr < <(head -c 1000000 slow.pgm; sleep 9) &
    child=$!
    for _ in $(seq 300); do
        [ "$(ls -A "signal$signal" | wc -l)" -lt 2 ] || break
        kill -0 $child 2>/dev/null || break
        sleep 0.01
    done
    seen=$(ls -A "signal$signal" | wc -l)
    kill -$signal $child 2>/dev/null
    wait $child 2>/dev/null
    check "SIG$signal: status" $? $((128 + $(kill -l $signal)))
    check "SIG$signal: a temporary file while at work" "$seen" 2
    check "SIG$signal: nothing is left" "$(ls -A "signal$signal")" out.png
    if cmp -s in.pgm "signal$signal/out.png"; then pass; else fail "SIG$signal: output touched"; fi
done
set +m

# --------------------------------------------------------------------- JSON

odd=$(printf 'odd "\\\n\t\377\303\251.pgm')
cp in.pgm "$odd"
"$satfilter" --json -o made6 --box 3 "$odd" missing.png in.pgm >json 2>stderr
check "a batch with --json" "$? $(wc -l <json)" "3 4"
"$satfilter" --json --box 3 --format pnm in.pgm - 2>json2 >stdout
check "--json beside standard output" "$? $(pgm stdout 6)" "0 2 3 4 3 4 5"
# The same under another name, as a pipe and as a file.
"$satfilter" --json --box 3 --format pnm in.pgm /dev/stdout 2>json3 | cat >stdout
check "--json beside a picture in a pipe" "$(pgm stdout 6) $(wc -c <stdout) $(wc -l <json3)" \
    "2 3 4 3 4 5 17 1"
"$satfilter" --json --box 3 --format pnm in.pgm /dev/stdout 2>json3 >stdout
check "--json beside a picture in a file" "$(pgm stdout 6) $(wc -c <stdout) $(wc -l <json3)" \
    "2 3 4 3 4 5 17 1"
if command -v python3 >/dev/null 2>&1; then
    python3 - <<'PYTHON' >stdout 2>stderr
import json
records = [json.loads(line) for line in open("json", encoding="utf-8")]
summary = records.pop()["summary"]
del summary["ms"]
stages = {"decode", "compute", "encode", "waiting"}
assert set(summary["stages"]) == stages and summary["bound"] in stages, summary
assert all(abs(summary["stages"][k] - sum(r["ms"][k] for r in records if "ms" in r)) < 0.01
           for k in stages), summary
del summary["stages"], summary["bound"]
assert summary == {"inputs": 3, "done": 2, "failed": 1, "existing": 0, "replaced": 0, "damaged": 0,
                   "not_tried": 0, "unreadable": 0, "skipped": 0, "skipped_suffixes": [],
                   "links": 0}, summary
records += [json.loads(line) for line in open("json2", encoding="utf-8")]
for i, r in enumerate(records):
    assert r["program"] == "satfilter" and r["version"] and r["filter"] == "box=3", r
    assert ("error" in r) == (i == 1), r
    if i != 1:
        assert (r["width"], r["height"], r["channels"]) == (3, 2, 1), r
        assert r["input_type"] == r["output_type"] == "u8" and r["threads"] >= 1, r
        assert r["device"] == "cpu" and r["engine"] in ("window", "sat"), r
        assert set(r["ms"]) == stages | {"total"}, r
        assert r["bound"] == max(stages, key=r["ms"].get) or r["ms"][r["bound"]] == max(
            r["ms"][k] for k in stages), r
        assert all(v >= 0 for v in r["ms"].values()), r
        assert [s["filter"] for s in r["steps"]] == ["box"] and r["steps"][0]["ms"] >= 0, r
        assert r["steps"][0]["engine"] == r["engine"] and r["steps"][0]["device"] == "cpu", r
        assert r["steps"][0]["algorithm"] == r["algorithm"], r
assert records[0]["input"] == 'odd "\\\n\t\ufffd\u00e9.pgm', records[0]["input"]
assert records[1]["input"] == "missing.png" and records[1]["output"] == "made6/missing.png"
PYTHON
    check "the JSON's contents" $? 0
else
    skip python3 "JSON's contents (no python3)"
fi

# ---------------------------------------------------------------- -v and -q

"$satfilter" -v --box 3 in.pgm out.pgm >stdout 2>stderr
check "-v prints nothing on stdout" "$? $(wc -c <stdout)" "0 0"
for word in 'decode' 'compute' 'encode' 'engine' 'thread' 'cpu' '3 x 2'; do says "$word"; done
says '^  \(the CPU will finish first\|a build without CUDA: computed on the CPU\)$'
"$satfilter" -v --device cpu --box 3 in.pgm out.pgm 2>stderr
if grep -q 'CUDA\|finish first' stderr; then fail "-v --device cpu speaks of CUDA"; else pass; fi
if ! "$satfilter" --device cuda --box 3 in.pgm out.pgm 2>stderr; then
    # Work that a device would be worth: 2000 rectangles around every pixel.
    { printf 'P5 1200 900 255\n'; head -c 1080000 /dev/zero; } >large.pgm
    seq 2000 | sed 's/.*/-1 -1 3 3 1/' >many.txt
    "$satfilter" -v -T1 --template many.txt --range 0:1 large.pgm out.pgm 2>stderr
    if grep -q 'use the device cpu' stderr; then fail "-v gives advice nobody needs"; else pass; fi
    says '^  \(no CUDA device (.*)\|a build without CUDA\): computed on the CPU$'
fi
run 0 -q --box 3 in.pgm out.pgm
run 1 -q --box 3 missing.png out.pgm

# --------------------------------------------------------------------- help

"$satfilter" --version >stdout 2>stderr
check "--version" "$? $(grep -c '^satfilter [0-9]' stdout)" "0 1"
SATFILTER_CPU=base run 0 --self-test --json
check "--self-test" "$(grep -c '"passed": true.*"sat on cpu base", "results": [1-9]' stdout)" 1
"$satfilter" --help >help 2>stderr
check "--help" "$? $(wc -c <stderr)" "0 0"
lines=$(sed '/^Filters:/,/^$/d' help | wc -l)
if [ "$lines" -le 72 ]; then pass; else fail "--help is too long: $lines lines without its filters"; fi
check "columns of --help beyond 100" "$(awk 'length > m { m = length } END { print (m > 100 ? m - 100 : 0) }' help)" 0
"$satfilter" -h 2>stderr | cmp -s - help
check "-h is --help" $? 0
"$satfilter" --list >list 2>stderr
check "--list" $? 0
"$satfilter" --help-man >man.1
filters=$(sed -n '/^Filters:/,/^$/s/^  \([a-z]*\) .*/\1/p' list | at_least 30 "filters of --list") || exit 1
check "filters of --list" "$(echo "$filters" | wc -l)" "$(echo "$filters" | sort -u | wc -l)"
for filter in $filters; do
    for text in help man.1 list; do
        if grep -qE -e "(^  |-)$filter\>" $text; then pass; else fail "$text lacks $filter"; fi
    done
    "$satfilter" --help "$filter" >stdout 2>stderr
    check "--help $filter" "$? $(grep -c -e "^satfilter --$filter" stdout)" "0 1"
done
options=$(grep -o -e '--[a-z-]*[a-z]' help | sort -u | at_least 75 "options of --help") || exit 1
for option in $options; do
    if grep -qF -e "${option//-/\\-}" man.1; then pass; else fail "the man page lacks $option"; fi
done
for word in clamp mirror reflect wrap constant shrink png jpeg pnm npy auto u64; do
    if grep -qw $word list; then pass; else fail "--list lacks $word"; fi
done
"$satfilter" --list --json >list.json 2>stderr
check "--list --json" $? 0
if command -v python3 >/dev/null 2>&1; then
    check "filters of --list --json" "$(python3 -c 'import json
for f in json.load(open("list.json"))["filters"]: print(f["name"])')" "$filters"
else
    skip python3 "filters of --list --json (no python3)"
fi
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning man.1 >stdout 2>&1
    check "mandoc's warnings" "$(grep -vc 'missing date' stdout)" 0
elif command -v groff >/dev/null 2>&1; then
    check "groff's warnings" "$(groff -man -Tutf8 -ww -z man.1 2>&1)" ""
else
    skip mandoc "the man page's lint (neither mandoc nor groff)"
fi

# ---------------------------------------------------------------- streaming

# 128 MiB through a pipe, an eighth of it in memory.
zeros() { printf 'P5\n16384 %d\n255\n' "$1" && head -c $((16384 * $1)) /dev/zero; }
zeros 8192 | "$satfilter" --stream --box 255 --max-memory 16M - /dev/null --format pnm 2>stderr
check "a picture larger than its memory" $? 0
zeros 8192 | "$satfilter" --no-stream --box 255 --max-memory 16M - /dev/null --format pnm 2>stderr
check "the same as a whole" $? 1
says 'max-memory'
for spec in '--box 3 --variance 5x3' '--integral' '--box 4 --integral --squared'; do
    # shellcheck disable=SC2086
    run 0 --stream $spec noise.ppm by-rows.npy
    # shellcheck disable=SC2086
    run 0 --no-stream $spec noise.ppm whole.npy
    if cmp -s by-rows.npy whole.npy; then pass; else fail "$spec by rows differs"; fi
done
run 0 --stream --border wrap --box 15 noise.ppm by-rows.ppm
run 0 --border wrap --box 15 noise.ppm whole.ppm
if cmp -s by-rows.ppm whole.ppm; then pass; else fail "border wrap by rows differs"; fi
# shellcheck disable=SC2002
cat noise.ppm | "$satfilter" --stream --border wrap --box 15 - out.ppm 2>stderr
check "border wrap out of a pipe by rows" $? 1
says 'border wrap out of a pipe.*--stream'
"$satfilter" -v --box 3 noise.ppm out.png 2>stderr
says 'side by side'
# PFM begins with its last row: by rows in a plain file, as a whole in a pipe.
run 0 --box 3 --type f32 noise.ppm rows.pfm
run 0 --stream --box 1 rows.pfm again.pfm
"$satfilter" --box 1 - - --format pfm <rows.pfm 2>stderr | cat >piped.pfm
if cmp -s rows.pfm again.pfm && cmp -s rows.pfm piped.pfm; then pass; else fail "PFM by rows"; fi
# Behind what is in the file already, and where writing only appends.
{ echo before && "$satfilter" --box 1 rows.pfm - --format pfm && echo behind; } >within
{ echo before && cat rows.pfm && echo behind; } >wanted
if cmp -s within wanted; then pass; else fail "PFM in the middle of a file"; fi
echo before >within
"$satfilter" --box 1 rows.pfm - --format pfm >>within && echo behind >>within
if cmp -s within wanted; then pass; else fail "PFM appended"; fi
# shellcheck disable=SC2002
cat rows.pfm | "$satfilter" --stream --box 1 - out.pfm 2>stderr
check "PFM from a pipe by rows" $? 1
says 'out of a pipe'

# No temporary file may be left by anything above.
check "files left over" "$(find . -name '.*' -type f)" ""

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
