#!/usr/bin/env bash
# The command line's contract: exit statuses, one-line messages, outputs whole
# or untouched, values of tiny images computed by hand.
set -u
. "$(dirname "$0")/script.sh"
unset SATFILTER_CPU

# samples "SAMPLE..." TYPE WORD... OUTPUT: the command ends well, and these are the last samples of the output
samples()
{
    local samples=$1 type=$2 output
    shift 2
    ends 0 '' "$@"
    for output; do :; done
    check "$*" "$(values "$output" "$type" "$(echo "$samples" | wc -w)")" "$samples"
}

# ------------------------------------------------------------------- inputs

# 1 2 3
# 4 5 6
printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
noise 301 203 3 >noise.ppm

# ------------------------------------------------------------ values by hand

samples '2 3 4 3 4 5' u1 --box 3 in.pgm out.pgm # box 3
samples '1.5 2 2.5 4.5 5 5.5' f4 --box 3x1,border=shrink --type f32 in.pgm out.npy # box 3x1 shrink f32
# shellcheck disable=SC2046
ends 0 '' -f $(yes -- --flatten | head -n 99) in.pgm out.pgm # each longer by its default
samples '1.5 2 2.5 4.5 5 5.5' f4 --border=shrink --box=3x1 in.pgm --type=f32 out.npy # --border is the default
samples '1.5 2 2.5 4.5 5 5.5' f8 --border constant:0 --box 3x1,border=shrink --type f64 in.pgm out.npy
ends 0 '' --device cpu --box 5 noise.ppm plain.ppm
makes plain.ppm --device cpu --algorithm 1+r --r 0.5 --box 5 noise.ppm out.ppm
samples '3 2 4 5 5 6' u1 --border constant:7 --box 3x1 in.pgm out.npy # border constant:7
samples '1 3 6 5 12 21' u4 --integral in.pgm out.npy # integral
samples '1 5 14 17 46 91' u4 --integral --squared in.pgm out.npy # integral of squares
samples '1 5 14 17 46 91' u4 --squared --integral in.pgm out.npy
samples '1 3 6 5 12 21' u8 --integral --type u64 in.pgm out.npy # integral as u64
ends 0 '' --variance 3 in.pgm out.npy
check "variance 3" "$(values out.npy f8 6 | cut -d' ' -f2)" "2.6666666666666665"
ends 0 '' --variance 3x1,border=shrink in.pgm out.npy
check "variance 3x1 shrink" "$(values out.npy f8 6 | cut -d' ' -f1,3,4,6)" "0.25 0.25 0.25 0.25"
samples '0 0.5 0.5 0 0.5 0.5' f8 --stddev 2x1 in.pgm out.npy # stddev 2x1
samples '0 255 255 0 255 255' u1 --stddev 2x1 --type u8 --range 0:0.5 in.pgm out.pgm # image form with a range
printf 'P2 4 1 255 10 12 15 30' >words.pgm
samples '0 51 128 255' u1 --sum 1 --type u8 --range 10:20 words.pgm out.pgm # of integers that begins above 0
ends 0 '' --integral --type u64 words.pgm words.npy
samples '255 230 102 0' u1 --flip h --type u8 --range 10:40 words.npy out.pgm # of integers that no double holds
ends 0 '' -q --stddev 2x1 in.pgm out.pgm
check "image form, 16 bits, 0 ... 255/2" "$(tail -c 12 out.pgm | od -An -v -tx1 | tr -d ' \n')" \
    "000001010101000001010101"
samples '2 5 9 5 12 21' u4 --box 3 --integral in.pgm out.npy # a chain
check "shape of a .npy" "$(grep -ac "'shape': (2, 3)" out.npy)" 1

printf '# twice and a half the pixel\n0 0 1 1 2.5\n' >'a t,b.txt'
samples '2.5 5 7.5 10 12.5 15' f8 --template 'a t,b.txt' in.pgm out.npy # template
printf '1 0 1 1 1\n' >right.txt
samples '2 3 9 5 6 9' f8 --template right.txt,border=constant:9 in.pgm out.npy # template with a border

printf '\357\273\277# byte order mark\r\n0 0 1 1 2\r\n' >mark.txt
samples '2 4 6 8 10 12' f8 --template mark.txt in.pgm out.npy # template with a byte order mark and CR LF
printf '\357\273\2770 0 1 1 3' >mark.txt
samples '3 6 9 12 15 18' f8 --template mark.txt in.pgm out.npy # template that begins behind a byte order mark

printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\377\000\377\377' >rgba.pam
cp rgba.pam rgba.ppm # found by content
samples '255 0 255 255' u1 --box 1 rgba.ppm out.npy # a P7 called .ppm
ends 0 '' --box 1 rgba.ppm out.ppm
check "opaque RGB with alpha written as .ppm" "$(head -c 2 out.ppm)" P6
ends 0 '' --integral rgba.pam out.png
samples '65535 0 65535 65535' u2 --box 1 out.png out.npy # an integral of RGBA as a PNG

# ------------------------------------------------------------ possible ranges

printf '0 0 3 3 0\n-1 0 1 1 0\n' >zero.txt
refuses 1 '--range' --template zero.txt in.pgm none.png; says 'every possible value is 0'
ends 0 '' -q --template zero.txt --range -1:1 in.pgm out.pgm
check "all weights 0 with a range" "$(tail -c 12 out.pgm | od -An -v -tx1 | tr -d ' \n')" \
    "800080008000800080008000"
samples '0 0 0 0 0 0' f8 --template zero.txt in.pgm out.npy # all weights 0
printf '0 0 1 1 1e308\n' >huge.txt
ends 1 '--range' --template huge.txt in.pgm none.png; says 'too large'
refuses 1 'too wide' --template huge.txt --range -1e308:1e308 in.pgm none.png

# ------------------------------------------------------- engines and threads

ends 0 '' --box 15x8 noise.ppm first.png
for options in '-T1' '-T 2' '--threads=3' '--engine sat' '--engine window' '--device cpu' \
    '--algorithm auto' '-v' '--engine sat -T 2'; do
    # shellcheck disable=SC2086
    gives '0 same' 'same first.png second.png' $options --box 15x8 noise.ppm second.png
done
algorithms=$("$satfilter" --list | sed -n '/^Algorithms/,/^$/s/^  \([^ ]*\) *cpu .*/\1/p' |
    at_least 7 "algorithms of --list") || exit 1
for algorithm in $algorithms; do
    makes first.png --box 15x8 --algorithm "$algorithm" noise.ppm second.png
done
refuses 1 '^satfilter: --device cuda:1023: ' --device cuda:1023 --box 3 in.pgm none.png

# -------------------------------------------------------------- wrong usage

cp in.pgm kept.pgm
each_ends 2 <<'END'
did you mean --box?|--bux 3 in.pgm kept.pgm
did you mean --border?|--boredr clamp --box 3 in.pgm kept.pgm
no such option|-x --box 3 in.pgm kept.pgm
no such option|-vx --box 3 in.pgm kept.pgm
needs a value|--rotate
needs a value|--rotate --type u8 in.pgm kept.pgm
takes no value|--json=1 --box 3 in.pgm kept.pgm
no filter|in.pgm kept.pgm
no input|--box 3
no output|--box 3 in.pgm
no input|--box 3 -o dir
need -o FOLDER|--box 3 in.pgm kept.pgm third.pgm
--squared|--box 3 --squared in.pgm kept.pgm
END
for value in 0 -1 x 3x 3x0 x3 3,border=none 3,nonsense 3,size=5,width= 99999999999999999999 70000 1e3 ''; do
    ends 2 . --box "$value" in.pgm kept.pgm
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
    ends 2 . $option --box 3 in.pgm kept.pgm
done
XDG_CACHE_HOME=/dev/null ends 1 '/dev/null/satfilter/tuning-cpu cannot be written' --tune --device cpu
# What contradicts itself is refused before the input is even looked for.
each_ends 2 <<'END'
integral is a summed area table: engine window cannot serve it; .* (--engine)$|--integral --engine window no.png k.pgm
template reads a summed area|--template right.txt --engine window missing.png out.npy
the CPU only|--box 3 --algorithm blocked --device cuda missing.png kept.pgm
--sync|--box 3 --algorithm 4r1w --sync graph --device cpu missing.png kept.pgm
--sync|--box 3 --algorithm blocked --sync graph missing.png kept.pgm
END
for algorithm in 4r4w skss lookback; do
    case " $("$satfilter" --list | sed -n '/^Algorithms/,$s/^  \([^ ]*\) *\(cpu\|cuda\) .*/\1/p' | tr '\n' ' ')" in
    *" $algorithm "*) ends 2 . --box 3 --algorithm $algorithm --device cpu missing.png kept.pgm ;;
    *) ends 2 'not in this version' --box 3 --algorithm $algorithm missing.png kept.pgm ;;
    esac
done
for wrong in 'u32 png' 'f32 png' 'f64 jpg' 'u16 jpg' 'f32 pgm' 'u64 pam' 'f64 pfm' 'u8 pfm'; do
    ends 2 "cannot hold ${wrong% *} samples" --box 3 --type ${wrong% *} missing.png "out.${wrong#* }"
    ends 2 . --box 3 --type ${wrong% *} --format "${wrong#* }" missing.png out.npy
    ends 2 . --box 3 --type ${wrong% *} --format "${wrong#* }" missing.png -o made0
done
ends 2 . --box 3 --type f32 missing.png -
check "refused types made nothing" "$(ls -d made0 2>/dev/null)" ""
# A box over an integral, of floats and of integers, by rows too.
ends 0 '' --box 1 --type f32 in.pgm floats.npy
samples '1 3 6 5 12 21' f8 --integral --box 1 floats.npy out.npy
for route in --stream --no-stream; do
    samples '1 3 6 5 12 21' u4 $route --integral --box 1 in.pgm out.npy
done
ends 0 '' --variance 3 --integral --box 3 in.pgm out.npy
ends 1 'sums of 6 of them, of up to 4294967295, pass 2^53' --integral --integral,squared in.pgm no.npy
# Signed samples: as they are in arrays, from black to white in a picture.
npy '<i2' '(1, 4)' '\0\200\377\377\0\0\377\177' >signed.npy
for route in --stream --no-stream; do
    samples '-32768 -1 0 32767' d2 $route --box 1 signed.npy out.npy
    samples '-128 -1 0 127' d1 $route --box 1 --type i8 signed.npy out.npy
    for type in f4 f8; do
        samples '-32768 -1 0 32767' $type $route --box 1 --type f$((8 * ${type#f})) signed.npy out.npy
    done
    samples '0 0 127 255 128 0 255 255' u1 $route --box 1 signed.npy out.pgm
    ends 0 '' -q $route --box 1 signed.npy out.tif
    samples '-32768 -1 0 32767' d2 --box 1 out.tif back.npy
done
samples '0 0 0 0 0 0 255 255' u1 --box 1 --range 0:1 signed.npy out.pgm
# Pixels that do not count: the middle one, by its value, by weights, and as NaN.
npy '<i2' '(1, 3)' '\02\0\367\377\04\0' >hole.npy # 2 -9 4
npy '|u1' '(1, 3)' '\377\0\377' >weights.npy
for route in --stream --no-stream; do
    samples '2 3 4' d2 $route --box 3x1 --nodata -9 hole.npy out.npy
    samples '2 3 4' d2 $route --box 3x1 --weights weights.npy hole.npy out.npy
done
samples '-3 -1 -2' d2 --box 3x1,border=shrink --nodata none hole.npy out.npy
ends 2 "nan: 'no' is neither omit nor spread$" --box 3 --nan no hole.npy no.npy
ends 2 "nodata: '9x' is neither a number nor none$" --box 3 --nodata 9x hole.npy no.npy
ends 1 'weights: missing.npy: cannot be read' --box 3 --weights missing.npy hole.npy no.npy
ends 2 "'nan' is neither a number nor none; --nan omit leaves out NaN$" --box 3 --nodata nan hole.npy no.npy
ends 2 'weights: standard input is the picture, and cannot be read twice$' --box 3 --weights - - no.npy
ends 2 'mask: standard input is the picture, and cannot be read twice$' --box 3 --mask - - no.npy
ends 1 'cannot leave out pixels.*(--nan)$' --guided 3 --nodata -9 hole.npy no.npy
samples '2 3 4' d2 --rotate 180 --box 3x1 --flip h --weights weights.npy hole.npy out.npy
samples '2 2' d2 --flip v --crop 2x1+0+0 --box 3x1,border=shrink --weights weights.npy hole.npy out.npy
ends 1 'are 3 x 1, and .* is 2 x 1; they are of its size (--weights)$' --box 3 --weights weights.npy out.npy no.npy
ends 2 'npy cannot hold bf16 samples; no format can ' --box 1 --type bf16 signed.npy no.npy
ends 2 'png cannot hold i16 samples; possible in: npy, tiff ' --box 1 --type i16 signed.npy no.png

mkdir some
each_ends 2 <<'END'
out.xyz: the suffix names no format|--box 3 in.pgm out.xyz
out: the suffix|--box 3 in.pgm out
use -o|--box 3 in.pgm some
third file|--box 3 -- --box in.pgm third
^satfilter: eps=0.02: is no file; .* commas|--guided 9 eps=0.02 in.pgm out.pgm
^satfilter: 1.5: is no file; .* commas|--guided 9 1.5 in.pgm out.pgm
^satfilter: some: is a folder; .* by -r, with -o DIR|--box 3 some out
END
check "wrong usage touched an output" "$(same in.pgm kept.pgm)" same

# ----------------------------------------------------------------- bad input

# bad TEXT WORD...: one line with the text; an output that is there stays, and none is made
bad()
{
    local text=$1
    shift
    cp first.png kept.png
    ends 1 "$text" --box 3 "$@" kept.png
    check "$*: touched the output" "$(same first.png kept.png)" same
    rm kept.png
    ends 1 "$text" --box 3 "$@" kept.png
    check "$*: left an output" "$(ls kept.png 2>/dev/null)" ""
}
bad '^satfilter: missing.png: ' missing.png
bad 'is a directory.*-r' some
: >empty.png;     bad . empty.png
printf 'no picture at all\n' >text.png
bad '^satfilter: text.png: ' text.png
head -c 14 in.pgm >short.pgm
bad . short.pgm
printf 'P5\n2147483648 2147483648\n255\n\001' >huge.pgm
bad . huge.pgm
printf 'P5\n100000 100000\n255\n\001' >large.pgm
bad 'max-pixels' large.pgm
printf 'P5\n100000 10000\n255\n\001' >claims.pgm
bad 'truncated' --max-memory 1M --integral claims.pgm
{ printf 'P5\n100000 40\n255\n' && head -c 4000000 /dev/zero; } >wide.pgm
bad 'max-memory' --max-memory 1M --integral wide.pgm
bad 'max-pixels' --max-pixels 1K noise.ppm
# A PNG header of 40000 by 40000 with its checksum, and no more.
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\234\100\0\0\234\100\010\0\0\0\0CRC!' >claims.png
bad 'truncated' claims.png
bad 'max-metadata' --max-metadata 10 first.png
bad 'pnm file.*--formats' --formats png,jpeg in.pgm
{ printf 'BM\0\0\0\0\0\0\0\0\066\0\0\0\050\0\0\0\1\0\0\0\1\0\0\0\1\0\030\0' && head -c 28 /dev/zero; } >in.bmp
ends 0 '' --box 1 in.bmp out.ppm # the command reads every format unless told otherwise
bad 'bmp file' --formats png,jpeg,pnm,pfm,npy in.bmp
ends 0 '' --formats BMP,pnm --box 1 in.bmp out.ppm
# A PNG header of 2^31 - 1 by 2^31 - 1 with its checksum.
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\177\377\377\377\177\377\377\377\010\0\0\0\0\061\242\124\272' >huge.png
bad . huge.png
size=$(wc -c <first.png)
head -c $((size / 2)) first.png >half.png
bad . half.png
head -c $((size - 6)) first.png >almost.png
bad . almost.png
{
    head -c $((size / 2)) first.png
    tail -c +$((size / 2 + 1)) first.png | head -c 1 | LC_ALL=C tr '\000-\377' '\001-\377\000'
    tail -c +$((size / 2 + 2)) first.png
} >flipped.png
check "size of the damaged file" "$(wc -c <flipped.png)" "$size"
bad . flipped.png
ends 0 '' -q --box 3 noise.ppm whole.jpg
head -c $(($(wc -c <whole.jpg) / 2)) whole.jpg >half.jpg
bad . half.jpg
ends 1 '^satfilter: nowhere/out.png: ' --box 3 in.pgm nowhere/out.png
ends 1 . --box 3 in.pgm in.pgm/out.png
ends 1 . --template missing.txt in.pgm out.npy
printf '0 0 1\n' >bad.txt
after '1 1 ' 'echo "$(wc -l <stderr) $(ls none.npy 2>/dev/null)"' '"$satfilter" --template bad.txt in.pgm none.npy'
name=$(printf 'no\nfile\033\342\200\256\377.png')
ends 1 '^satfilter: no\\nfile\\x1b\\u202e\\xff.png: ' --box 3 "$name" out.png
if [ "$(id -u)" -ne 0 ]; then
    mkdir sealed && chmod 555 sealed
    ends 1 . --box 3 in.pgm sealed/out.png
    chmod 755 sealed
else
    skip user "unwritable directory (root may write anywhere)"
fi

noise 700 700 1 >big.pgm
if [ -c /dev/full ]; then
    ends 1 . --box 3 --format pnm big.pgm /dev/full
    after '1 ' : '"$satfilter" --help >/dev/full' # --help to a full device
fi

# --------------------------------------------------------------- same file

cp in.pgm same.pgm
chmod 640 same.pgm
samples '2 3 4 3 4 5' u1 -q --box 3 same.pgm same.pgm # input is output
check "mode of a replaced file" "$(ls -l same.pgm | cut -c1-10)" "-rw-r-----"

# ------------------------------------------------------------------- pipes

after '0 2 3 4 3 4 5' 'values piped.pgm u1 6' '"$satfilter" --box 3 --format pnm - - <in.pgm >piped.pgm'
after '0  89 50 4e 47' 'cat stdout' '"$satfilter" --box 3 - - <in.pgm | head -c 4 | od -An -tx1 >stdout'
after '0 same' 'same first.png piped.png' \
    'cat noise.ppm | "$satfilter" --box 15x8 - - | "$satfilter" --box 1 - piped.png'
# A reader that goes away: a message and status 1, not silence.
{
    "$satfilter" --box 3 --format pnm big.pgm - 2>stderr
    echo $? >status
} | sleep 0.2
check "a closed pipe" "$(cat status) $(wc -l <stderr)" "1 1"
after '1 1' 'wc -l <stderr' '"$satfilter" --box 3 --format pnm in.pgm - >&-' # closed standard output

# ----------------------------------------------------------------- batches

mkdir a b
cp noise.ppm a/one.ppm
cp first.png a/two.png
cp noise.ppm b/one.ppm
cp in.pgm 'a/with blank.pgm'
ends 0 '' -q --box 5 a/one.ppm a/two.png 'a/with blank.pgm' -o made
check "names of a batch" "$(ls made | tr '\n' ' ')" "one.ppm two.png with blank.pgm "
ends 0 '' -q --box 5 a/one.ppm a/two.png -o made2 --format png
check "names with --format" "$(ls made2 | tr '\n' ' ')" "one.png two.png "
ends 0 '' -o no/parent --box 5 a/one.ppm
check "missing parents of -o are made" "$(ls no/parent)" one.ppm
ends 2 'is that of a/one.ppm too' -o made3 --box 5 a/one.ppm b/one.ppm
ends 2 'is that of a/one.ppm too' -o made3 --box 5 --format png a/one.ppm b/one.ppm
ends 2 'would replace an input' -o a --box 5 a/one.ppm
ends 2 . -o ./a/../a --box 5 b/one.ppm a/one.ppm
ends 2 . -o made3 --box 5 -
check "refused batches made nothing" "$(ls -d made3 2>/dev/null)" ""
echo text >plain
ends 1 'is not a folder' -o plain --box 5 a/one.ppm
ends 3 '^satfilter: missing.png: ' -q --box 5 a/one.ppm missing.png 'a/with blank.pgm' -o made4
check "the others are done" "$(ls made4 | tr '\n' ' ')" "one.ppm with blank.pgm "
gives '1 2 ' 'echo "$(wc -l <stderr) $(ls -d made5 2>/dev/null)"' -q --box 5 missing.png half.png -o made5

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
    check "SIG$signal: output touched" "$(same in.pgm "signal$signal/out.png")" same
done
set +m

# --------------------------------------------------------------------- JSON

odd=$(printf 'odd "\\\n\t\377\303\251.pgm')
cp in.pgm "$odd"
after '3 4' 'wc -l <json' '"$satfilter" --json -o made6 --box 3 "$odd" missing.png in.pgm >json' # a batch with --json
after '0 2 3 4 3 4 5' 'values stdout u1 6' '"$satfilter" --json --box 3 --format pnm in.pgm - 2>json2 >stdout'
# The same under another name, as a pipe and as a file.
for to in '| cat >' '>'; do
    after '0 2 3 4 3 4 5 17 1' 'echo "$(values stdout u1 6) $(wc -c <stdout) $(wc -l <json3)"' \
        "\"\$satfilter\" --json --box 3 --format pnm in.pgm /dev/stdout 2>json3 $to stdout"
done
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

after '0 0' 'wc -c <stdout' '"$satfilter" -v --box 3 in.pgm out.pgm >stdout' # -v prints nothing on stdout
for word in decode compute encode engine thread cpu '3 x 2'; do holds "-v tells $word" grep -q "$word" stderr; done
says '^  \(the CPU will finish first\|a build without CUDA: computed on the CPU\)$'
after '0 0' "grep -c 'CUDA\|finish first' stderr" '"$satfilter" -v --device cpu --box 3 in.pgm out.pgm'
if ! "$satfilter" --device cuda --box 3 in.pgm out.pgm 2>stderr; then
    # Work that a device would be worth: 2000 rectangles around every pixel.
    { printf 'P5 1200 900 255\n'; head -c 1080000 /dev/zero; } >large.pgm
    seq 2000 | sed 's/.*/-1 -1 3 3 1/' >many.txt
    "$satfilter" -v -T1 --template many.txt --range 0:1 large.pgm out.pgm 2>stderr
    check "-v gives advice nobody needs" "$(grep -c 'use the device cpu' stderr)" 0
    says '^  \(no CUDA device (.*)\|a build without CUDA\): computed on the CPU$'
fi
ends 0 '' -q --box 3 in.pgm out.pgm
ends 1 . -q --box 3 missing.png out.pgm

# --------------------------------------------------------------------- help

after '0 1' "grep -c '^satfilter [0-9]' stdout" '"$satfilter" --version >stdout' # --version
SATFILTER_CPU=base gives '0 1' \
    "grep -c '\"passed\": true.*\"sat on cpu base\", \"results\": [1-9]' stdout" --self-test --json
after '0 0' 'wc -c <stderr' '"$satfilter" --help >help' # --help
lines=$(sed '/^Filters:/,/^$/d' help | wc -l)
holds "--help is too long: $lines lines without its filters" [ "$lines" -le 75 ]
check "columns of --help beyond 100" "$(awk 'length > m { m = length } END { print (m > 100 ? m - 100 : 0) }' help)" 0
after '0 ' : '"$satfilter" -h | cmp - help' # -h
after '0 ' : '"$satfilter" --list >list' # --list
"$satfilter" --help-man >man.1
filters=$(sed -n '/^Filters:/,/^$/s/^  \([a-z]*\) .*/\1/p' list | at_least 30 "filters of --list") || exit 1
check "filters of --list" "$(echo "$filters" | wc -l)" "$(echo "$filters" | sort -u | wc -l)"
for filter in $filters; do
    for text in help man.1 list; do
        holds "$text lacks $filter" grep -qE -e "(^  |-)$filter\>" $text
    done
    after '0 1' 'grep -c -e "^satfilter --$filter" stdout' '"$satfilter" --help "$filter" >stdout'
done
options=$(grep -o -e '--[a-z-]*[a-z]' help | sort -u | at_least 75 "options of --help") || exit 1
for option in $options; do
    holds "the man page lacks $option" grep -qF -e "${option//-/\\-}" man.1
done
for word in clamp mirror reflect wrap constant shrink png jpeg pnm npy auto u64; do
    holds "--list lacks $word" grep -qw $word list
done
after '0 ' : '"$satfilter" --list --json >list.json' # --list --json
if command -v python3 >/dev/null 2>&1; then
    check "filters of --list --json" "$(python3 -c 'import json
for f in json.load(open("list.json"))["filters"]: print(f["name"])')" "$filters"
else
    skip python3 "filters of --list --json (no python3)"
fi
lint man.1

# ---------------------------------------------------------------- streaming

# 128 MiB through a pipe, an eighth of it in memory.
zeros() { printf 'P5\n16384 %d\n255\n' "$1" && head -c $((16384 * $1)) /dev/zero; }
after '0 ' : 'zeros 8192 | "$satfilter" --stream --box 255 --max-memory 16M - /dev/null --format pnm'
after '1 1' "grep -c max-memory stderr" \
    'zeros 8192 | "$satfilter" --no-stream --box 255 --max-memory 16M - /dev/null --format pnm' # as a whole
for spec in '--box 3 --variance 5x3' '--integral' '--box 4 --integral --squared'; do
    # shellcheck disable=SC2086
    ends 0 '' --stream $spec noise.ppm by-rows.npy
    # shellcheck disable=SC2086
    makes by-rows.npy --no-stream $spec noise.ppm whole.npy
done
ends 0 '' --stream --border wrap --box 15 noise.ppm by-rows.ppm
makes by-rows.ppm --border wrap --box 15 noise.ppm whole.ppm
after '1 1' "grep -c 'border wrap out of a pipe.*--stream' stderr" \
    'cat noise.ppm | "$satfilter" --stream --border wrap --box 15 - out.ppm'
"$satfilter" -v --box 3 noise.ppm out.png 2>stderr
says 'side by side'
# PFM begins with its last row: by rows in a plain file, as a whole in a pipe.
ends 0 '' --box 3 --type f32 noise.ppm rows.pfm
ends 0 '' --stream --box 1 rows.pfm again.pfm
"$satfilter" --box 1 - - --format pfm <rows.pfm 2>stderr | cat >piped.pfm
check "PFM by rows" "$(same rows.pfm again.pfm) $(same rows.pfm piped.pfm)" "same same"
# Behind what is in the file already, and where writing only appends.
{ echo before && "$satfilter" --box 1 rows.pfm - --format pfm && echo behind; } >within
{ echo before && cat rows.pfm && echo behind; } >wanted
check "PFM in the middle of a file" "$(same within wanted)" same
echo before >within
after '0 same' 'same within wanted' '"$satfilter" --box 1 rows.pfm - --format pfm >>within && echo behind >>within'
after '1 1' 'grep -c "out of a pipe" stderr' 'cat rows.pfm | "$satfilter" --stream --box 1 - out.pfm'

# No temporary file may be left by anything above.
check "files left over" "$(find . -name '.*' -type f)" ""

finish
