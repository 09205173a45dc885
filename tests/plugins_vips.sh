#!/bin/sh
# The operations of libvips make the numbers of the command: in the program vips, and in pyvips where
# python3 has it.
# shellcheck disable=SC2086 # options, flags and sizes are lists of words
set -eu
. "$(dirname "$0")/script.sh"
module=$build/plugins/vips/.libs/vips-satfilter.so
[ -e "$module" ] || leave plugins "the module of libvips is not built"
needs vips "the program vips is not installed"

# home FOLDER MODULE: one where vips finds that module alone
home()
{
    libraries=$(pkg-config --variable=libdir vips)
    series=$(pkg-config --modversion vips | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
    for place in lib lib64 "${libraries##*/}" "lib/${libraries##*/}"; do
        mkdir -p "$1/$place/vips-modules-$series"
        ln -sf "$2" "$1/$place/vips-modules-$series/vips-satfilter.so"
    done
}

home home "$module"
VIPSHOME=$work/home
export VIPSHOME

# ------------------------------------------------------------------ pictures

. "$source/tests/plugins/numbers.sh"
. "$source/tests/plugins/help.sh"

# vips_picture FORMAT CHANNELS WIDTH HEIGHT: in $work/in.v too
vips_picture()
{
    format=$1 space=b-w
    case $1 in uchar) type=u8 ;; ushort) type=u16 ;; float) type=f32 ;; *) type=f64 ;; esac
    [ "$2" -lt 3 ] || space=srgb
    picture $type "$2" "$3" "$4"
    vips rawload in.raw in.v "$3" "$4" "$2" --format "$1" --interpretation $space
}

# compare WHAT: $work/got.v has the shape, the format and the samples of $work/want.npy. A .v file is a
# header of 64 bytes, the samples in this machine's order, and metadata.
compare()
{
    want=$(shape want.npy | sed 's/u1/0/;s/u2/2/;s/u4/4/;s/f4/6/;s/f8/8/')
    # shellcheck disable=SC2046,SC2116
    got=$(echo $(od -An -j4 -N12 -td4 got.v) $(od -An -j20 -N4 -td4 got.v))
    [ "$got" = "$want" ] || fail "$1: width, height, bands, format are $got, not $want"
    values want.npy >want.raw
    tail -c +65 got.v | head -c "$(wc -c <want.raw)" >got.raw
    cmp got.raw want.raw || fail "$1"
}

# same "COMMAND'S OPTIONS" OPERATION [ARGUMENT]...
same()
{
    options=$1 operation=$2
    shift 2
    rm -f got.v
    "$satfilter" -q -f $options "$in" want.npy || fail "satfilter $options"
    vips "satf_$operation" in.v got.v "$@" || fail "satf_$operation $*"
    compare "satf_$operation $* is not satfilter $options: $format, $(head -c 60 "$in" | tr '\n\0' '  ')"
}

# ------------------------------------------------------------ which filters

# An order of 67 x 41 pixels, the last one first: sums of 0, 1, 1, ... count.
{ printf 'P5 2747 1 255\n\0' && head -c 2746 /dev/zero | tr '\0' '\1'; } >ones.pgm
"$satfilter" -q --integral --flip h ones.pgm order.npy
LC_ALL=C sed -i 's/(1, 2747)/(2747,)  /' order.npy

table_filters | sed 's/^/satf_/' >operations
vips -l | grep -o '(satf_[a-z]*)' | tr -d '()' >has
compare_lists operations has

# every FORMAT CHANNELS: each filter by its defaults
every()
{
    vips_picture "$1" "$2" 67 41
    while read -r operation; do
        filter=${operation#satf_}
        case $filter in
        template) value=$source/samples/sharpen.txt ;;
        permute) value=$work/order.npy ;;
        crop) value=20x10+3+1 ;;
        by) value=$in ;;
        varbox) value=$in ;;
        *) value=$(help_lines "$filter" |
            sed -n 's/^  [^a-z ][^ ]*  *.*(default \([^)]*\)).*/\1/p;s/^  h|v .*/h/p;s/^  90.*/90/p' | sed q) ;;
        esac
        [ "$filter" != integral ] || value=
        same "--$filter${value:+=$value}" "$filter" ${value:+"$value"}
    done <has
}

every uchar 1
every uchar 3
every uchar 4
every ushort 1
every ushort 4
every float 3
every double 1

# ------------------------------------------------- sizes, arguments, formats

for size in 66x50 1x1 35x300; do
    for bands in uchar:2 uchar:4 ushort:3 float:1; do
        vips_picture "${bands%:*}" "${bands#*:}" "${size%x*}" "${size#*x}"
        same "--box 15x8,at=2:-1,border=constant:9" box 15x8 --at 2:-1 --border constant:9
        same "--variance 255,border=wrap" variance 255 --border wrap
        same "--guided 5,eps=0.0001" guided 5 --eps 0.0001
        same "--rotate 270" rotate 270
        same "--sauvola 21,k=0.2" sauvola 21 --k 0.2
        [ "$bands" = float:1 ] || same "--threshold otsu" threshold otsu
        same "--by $in,scale=auto" by "$in" --scale auto
    done
done

# Sums of 64 bits are doubles, which hold these exactly.
vips_picture ushort 4 66 50
"$satfilter" -q -f --type f64 --integral --squared "$in" want.npy
vips satf_integral in.v got.v --squared
compare "satf_integral --squared is not exact"
# Sums are moved, too.
vips_picture uchar 3 66 50
"$satfilter" -q -f --integral --flip v "$in" want.npy
vips satf_integral in.v sums.v
vips satf_flip sums.v got.v v
compare "satf_flip of uint"
# Radiance's packed floats are unpacked.
vips_picture float 3 66 50
vips float2rad in.v rad.v
vips rad2float rad.v unpacked.v
for one in rad unpacked; do
    vips satf_box "$work/$one.v" "$work/$one.box.v" 9
    tail -c +65 "$work/$one.box.v" | head -c $((66 * 50 * 3 * 4)) >"$work/$one.raw"
done
cmp rad.raw unpacked.raw || fail "packed floats are not unpacked"

# -------------------------------------------------------------- interpretation

# interpretation OPERATION [ARGUMENT]...: of what it makes of $work/in.v, a number of vips
interpretation()
{
    operation=$1
    shift
    vips "satf_$operation" in.v got.v "$@"
    od -An -j28 -N4 -td4 got.v | tr -d ' '
}

vips_picture uchar 4 24 16
[ "$(interpretation box 3)" = 22 ] || fail "a mean of sRGB is not sRGB"
[ "$(interpretation variance 3)" = 0 ] || fail "variances are taken for colours"
[ "$(interpretation sauvola 9)" = 1 ] || fail "black and white is not"

# A colour profile stays with colours.
vips icc_export "$source/samples/scene.png" in.v --output-profile srgb
for pair in "box 9=1" "sauvola 9=0" "variance 9=0"; do
    interpretation ${pair%=*} >/dev/null
    profiles=$(vipsheader -a got.v | grep -c icc-profile-data || true)
    [ "$profiles" = "${pair#*=}" ] || fail "satf_${pair%=*}: $profiles colour profiles"
done

# PNG in, PNG out: the first example of docs/vips.md.
vips satf_box "$source/samples/scene.png" vips.png 15
for file in "$work/vips.png=1" "$source/samples/scene.png=15"; do
    "$satfilter" -q -f --format pam "--box=${file#*=}" "${file%=*}" "$work/${file#*=}.pam"
done
cmp 1.pam 15.pam || fail "satf_box of a PNG is not satfilter --box"

# ---------------------------------------------------------------------- errors

# refused TEXT OPERATION [ARGUMENT]...: the library's sentence, non-zero, and no result
refused()
{
    text=$1 operation=$2
    shift 2
    rm -f got.v
    ! vips "satf_$operation" in.v got.v "$@" 2>told ||
        fail "satf_$operation $* is not refused"
    grep -q "^satf_$operation: $text" told || fail "satf_$operation $*: $(cat told)"
    [ ! -e got.v ] || fail "satf_$operation $* leaves a result"
}

vips_picture uchar 4 24 16
refused "'15y9' is no window for box: a side is" box 15y9
refused "'0' is no window for box" box 0
refused "'none' is no border" box 9 --border none
refused "'nan' is no level for threshold: it must be a number or otsu" threshold nan
refused "eps = 0: " guided 9 --eps 0
refused "eps = -1: " guided 9 --eps -1
refused "cannot open template .*/nonexistent" template /nonexistent
vips cast in.v other.v complex && mv other.v in.v
refused "pictures of complex are not filtered; cast them to" box 9
vips bandjoin "$work/in.v $work/in.v" bands.v && vips cast bands.v in.v uchar
refused "the input view has 8 channels; 1 to 4 are possible" box 9
vips black black.v 1500 1500 && vips linear black.v white.v 1 65535
vips cast white.v in.v ushort
refused "a sum is above 2^53" integral --squared

# ------------------------------------------------------------ pyvips, installed

if python3 -c 'import pyvips' 2>/dev/null; then
    vips_picture ushort 4 67 41
    same "--box 15x9,border=mirror" box 15x9 --border mirror
    cp want.raw box.raw
    same "--stddev 9" stddev 9
    python3 - "$work" <<'END'
import sys, pyvips
work = sys.argv[1]
image = pyvips.Image.new_from_file(work + "/in.v")
for name, result in (("box", image.satf_box("15x9", border="mirror")), ("want", image.satf_stddev("9"))):
    with open(f"{work}/{name}.raw", "rb") as file:
        assert result.write_to_memory() == file.read(), name
try:
    image.satf_box("0")
    raise AssertionError("a window of 0 is not refused")
except pyvips.Error as error:
    assert "is no window for box" in str(error), error
END
else
    without pyvips "python3 has no pyvips: not tried"
fi

# Installed, it finds the installed library.
installed install-vipsexecLTLIBRARIES 'vips-modules-*/vips-satfilter.so'
home other "$plugin"
vips_picture uchar 3 66 50
same "--box 15" box 15
rm got.v
VIPSHOME=$work/other LD_LIBRARY_PATH=$installed_libraries vips satf_box in.v got.v 15
compare "satf_box, installed"
