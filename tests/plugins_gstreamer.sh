#!/bin/sh
# GStreamer's elements make the bytes of the command: in a host of our own (tests/plugins/gst_host.c),
# in gst-launch-1.0, and while properties, caps and states change (tests/plugins/gst_live.c).
# shellcheck disable=SC2086 # options, flags and sizes are lists of words
set -eu
. "$(dirname "$0")/script.sh"
host=$build/tests/plugins/gst_host
[ -x "$host" ] || leave plugins "GStreamer's plugin or its test is not built"
# Only this plugin is new: the user's registry stays as it is.
GST_PLUGIN_PATH=$build/plugins/gstreamer/.libs
GST_REGISTRY=$work/registry.bin
GST_REGISTRY_FORK=no
export GST_PLUGIN_PATH GST_REGISTRY GST_REGISTRY_FORK
unset SATFILTER_MODULES

. "$source/tests/plugins/numbers.sh" # each frame is the beginning of its bytes
. "$source/tests/plugins/help.sh"

# by_command FILE WIDTH HEIGHT DEPTH BYTES OPTION...: what the command makes of the file's samples, in
# $work/part.raw. Grey of a colour picture becomes each colour, opaque.
by_command()
{
    file=$1 columns=$2 rows=$3 depth=$4 size=$5
    shift 5
    case $depth in 1) tuple=GRAYSCALE ;; 3) tuple=RGB ;; *) tuple=RGB_ALPHA ;; esac
    { printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' "$columns" "$rows" \
        "$depth" $((size == 1 ? 255 : 65535)) $tuple && cat "$file"; } >part.pam
    "$satfilter" -q -f --type u$((8 * size)) --format pam "$@" part.pam made.pam
    made=$(sed -n 's/^DEPTH //p;/ENDHDR/q' made.pam)
    tail -c $((columns * rows * made * size)) made.pam >part.raw
    if [ "$made" != "$depth" ]; then
        coloured "$size" "$depth" <part.raw >grey.raw
        mv grey.raw part.raw
    fi
}

# halved SIDE: of the window on chroma, as docs/gstreamer.md says it
halved()
{
    echo $(($1 % 2 ? ($1 + 1) / 2 - 1 + ($1 + 1) / 2 % 2 : $1 / 2))
}

# narrowed "OPTIONS FOR HALF" "OPTIONS": sizes and places as wide as the first, as high as the others
narrowed()
{
    echo "$1" | sed 's/[ ,=]/\n&\n/g' >half
    echo "$2" | sed 's/[ ,=]/\n&\n/g' | paste -d'|' half - | awk -F'|' '
        $1 == $2 { printf "%s", $1; next }
        { by = /:/ ? ":" : "x"; split($1, half, by); n = split($2, whole, by); printf "%s%s%s", half[1], by, whole[n] }'
}

# by_library FILE WIDTH HEIGHT OPTION...: likewise, of grey, by the library, of words of $bits bits
by_library()
{
    file=$1 columns=$2 rows=$3
    shift 3
    chain=$(echo "$*" | sed 's/--\([a-z]*\) \([^-]\)/\1=\2/g;s/--//g')
    "$host" render "$chain" "$columns" "$rows" $(((1 << bits) - 1)) <"$file" >part.raw
}

# by_samples FILE WIDTH HEIGHT OPTION...: of one component of YUV
by_samples()
{
    case $bits in 8)
        file=$1 columns=$2 rows=$3
        shift 3
        by_command "$file" "$columns" "$rows" 1 1 "$@"
        ;;
    *) by_library "$@" ;; esac
}

# words NUMBER...: samples of 9 to 16 bits
words()
{
    for number; do
        # shellcheck disable=SC2059
        printf "$(printf '\\%o\\%o' $((number / 256)) $((number % 256)))"
    done
}

# black_and_white OPTIONS: whether a filter among them says so of itself
black_and_white()
{
    for word in "$@"; do
        name=${word#--}
        [ "$name" = "$word" ] || ! "$satfilter" --help "${name%%=*}" 2>/dev/null |
            sed -n 3p | grep -q "^Black and white" || return 0
    done
    return 1
}

# frame FORMAT WIDTH HEIGHT: of all that follows; $bits of a sample of YUV
frame()
{
    format=$1 width=$2 height=$3 bits=8
    case $format in *_10?E) bits=10 ;; *_12?E | P012*) bits=12 ;; esac
}

# want "OPTIONS" "OPTIONS FOR HALF CHROMA" ["FOR WHOLE"]: $work/in.raw and
# $work/want.raw
want()
{
    options=$1 chroma=$2 whole=${3:-$1}
    size=1 depth=0
    case $format in
    GRAY16*) size=2 depth=1 ;;
    RGBA64*) size=2 depth=4 ;;
    GRAY8) depth=1 ;;
    RGBA | BGRA) depth=4 ;;
    RGB* | BGR*) depth=3 ;;
    esac
    if [ $depth != 0 ]; then
        head -c $((width * height * depth * size)) bytes >in.raw
        by_command in.raw "$width" "$height" $depth $size $options
        mv part.raw want.raw
        return
    fi
    across=$(((width + 1) / 2)) down=$(((height + 1) / 2))
    case $format in
    Y444*) across=$width down=$height chroma=$whole ;;
    Y42B | YUY2 | UYVY | NV16 | I422*) down=$height chroma=$(narrowed "$chroma" "$whole") ;;
    esac
    bytes=2
    case $bits in 8) bytes=1 middle='\200' ;; 10) middle='\2\000' ;; *) middle='\10\000' ;; esac
    head -c $((width * height * bytes)) bytes >y
    tail -c +20001 bytes | head -c $((across * down * bytes)) >u
    tail -c +40001 bytes | head -c $((across * down * bytes)) >v
    rm -f in.raw want.raw
    for plane in y u v; do
        columns=$across rows=$down filters=$chroma
        [ $plane != y ] || columns=$width rows=$height filters=$options
        if [ "$bits" -gt 8 ]; then # without the bits above
            by_library $plane "$columns" "$rows" --box 1
            mv part.raw $plane
        fi
        cat $plane >>in.raw
        if [ $plane != y ] && black_and_white $options; then # it has no colour
            # shellcheck disable=SC2059
            printf "$(yes "$middle" | head -n $((across * down)) | tr -d '\n')" >part.raw
        else
            by_samples $plane "$columns" "$rows" $filters
        fi
        cat part.raw >>want.raw
    done
}

# same LAUNCH "OPTIONS" "OPTIONS FOR HALF CHROMA" ["FOR WHOLE"]
same()
{
    want "$2" "$3" "${4:-}"
    "$host" run "$1" "$format" "$width" "$height" <in.raw >got.raw || fail "$1: $format, $width x $height"
    cmp got.raw want.raw || fail "$1 is not satfilter $2: $format, $width x $height"
    [ "$width" -lt 24 ] || ! cmp -s got.raw in.raw || fail "$1 does nothing: $format, $width x $height"
}

case $(printf '\1\0' | od -An -tu2 | tr -d ' ') in 1) end=LE ;; *) end=BE ;; esac
formats=$(sed -n '/define PLANES_BYTES/,/^#if/p' "$source/plugins/gstreamer/planes.h" |
    sed "s/#.*//;s/\" end/$end/g" | grep -o '\<[A-Z][A-Z]*[A-Zx0-9_]*[0-9A-Zx]\>')
[ "$(echo "$formats" | wc -l)" = 26 ] || fail "not 26 formats: $formats"

# ------------------------------------------------------------ formats and sizes

for format in $formats; do
    sizes="64x48 66x50 67x41 1x1"
    case $format in Y42B | YUY2 | UYVY | NV16 | *_1[02]?E | P012*) sizes="67x41 1x1" ;; esac
    for size in $sizes; do
        frame "$format" "${size%x*}" "${size#*x}"
        same "satbox size=15" "--box 15" "--box $(halved 15)"
        same "satstddev size=9 height=6 border=mirror" \
            "--stddev 9x6,border=mirror" "--stddev $(halved 9)x$(halved 6),border=mirror"
        same "satsauvola size=21 k=0.2" "--sauvola 21,k=0.2" ""
        same "satthreshold level=1 otsu-level=true" "--threshold otsu" ""
        same "satunsharp size=7 amount=2.5 at=2:-3" \
            "--unsharp 7,amount=2.5,at=2:-3" "--unsharp $(halved 7),amount=2.5,at=1:-1"
        # chroma keeps what is luma's alone
        same "satunsharp size=7 amount=2.5 luma=true threshold=2" \
            "--unsharp 7,amount=2.5,luma,threshold=2" "--box 1" "--box 1"
        same 'satfilter filter="unsharp=7,luma box=5"' "--unsharp 7,luma --box 5" "--box $(halved 5)" "--box 5"
        same 'satfilter filter="box=12x5,border=wrap variance=5 flip=v"' \
            "--box 12x5,border=wrap --variance 5 --flip v" \
            "--box $(halved 12)x$(halved 5),border=wrap --variance $(halved 5) --flip v"
    done
done
frame I420 67 41
same "satguided size=5 eps=0.0001 ! satbox size=301" "--guided 5,eps=0.0001 --box 301" \
    "--guided $(halved 5),eps=0.0001 --box $(halved 301)"
frame NV12 66 50
same "satbox size=3" "--box 3" "--box 1"
# Where the height stays, so does the deviation down the columns; dog has one number, which is halved.
frame Y42B 66 50
same "satgauss sigma=4" "--gauss 4" "--gauss 2,down=4" "--gauss 2,down=4"
same "satgauss sigma=4 same-down=false down=0" "--gauss 4,down=0" "--gauss 2,down=0" "--gauss 2,down=0"
frame I420 66 50
same "satgauss sigma=4 same-down=false down=1" "--gauss 4,down=1" "--gauss 2,down=0.5" "--gauss 2,down=0.5"
template=$source/samples/sharpen.txt
frame NV21 67 41
same "satfilter filter=template=$template" "--template $template" "--template $template"

# --------------------------------------------------------------- full scales

# by_hand ELEMENT: $work/in.raw becomes the words on standard input
by_hand()
{
    cat >want.raw
    "$host" run "$1" "$format" "$width" "$height" <in.raw >got.raw
    cmp got.raw want.raw || fail "$1 of $format: $(od -An -tu2 --endian=big got.raw)"
}

# White is 1023. A level of 128 is 513.5 there; of 16 bits it would be 32896.
for format in I420_10$end P010_10$end; do
    frame "$format" 4 2
    words 511 512 513 1023 0 600 400 514 7 1020 9 3 >in.raw
    words 0 0 0 1023 0 1023 0 1023 512 512 512 512 | by_hand "satthreshold level=128"
    words 0 1023 0 1023 0 1023 0 1023 0 1023 1023 0 >in.raw
    words 0 1023 0 1023 0 1023 0 1023 0 1023 1023 0 | by_hand "satunsharp size=3 amount=100"
    words 1023 1023 1023 1023 1023 1023 1023 1023 0 0 0 0 | by_hand "satstddev width=2 height=1 border=wrap"
    words 1023 1023 1023 1023 1023 1023 1023 1023 1023 1023 1023 1023 >in.raw
    words 682 1023 1023 682 682 1023 1023 682 1023 1023 1023 1023 |
        by_hand "satbox width=3 height=1 border=constant:0"
    ! "$host" run "satbox border=constant:1024" "$format" 4 2 <in.raw >got.raw 2>told || fail "1024 is a sample"
    grep -q "it must be an integer of 0 to 1023" told || fail "$(cat told)"
done

# ------------------------------------------------------------------- changes

"$build/tests/plugins/gst_live" 2000 || fail "tests/plugins/gst_live"
"$host" load "$GST_PLUGIN_PATH/libgstsatfilter.so" 100

# Installed, it finds the installed library.
installed install-gstreamerexecLTLIBRARIES libgstsatfilter.so
LD_LIBRARY_PATH=$installed_libraries "$host" load "$plugin" 1

# The rest is by the programs of gstreamer1.0-tools and the elements of gstreamer1.0-plugins-base.
if ! gst-inspect-1.0 --exists --atleast-version=0.1 videoconvert 2>/dev/null; then
    without gst-launch-1.0 "gst-inspect-1.0 or videoconvert is not installed: neither elements' lists nor pipelines"
    exit 0
fi

# ------------------------------------------------------------- which elements

frame RGBA 24 16
want "--box 1" ""
cp part.pam small.pam
frame_filters small.pam | sed 's/^/sat/' >elements
gst-inspect-1.0 satfilter >info
gst-inspect-1.0 "$GST_PLUGIN_PATH/libgstsatfilter.so" | sed -n 's/^  \(sat[a-z]*\): .*/\1/p' |
    grep -v '^satfilter$' >built
compare_lists elements built
grep -q '^  filter  *: ' info || fail "satfilter has no property filter"

# Parameters come from the table too; without properties they are the command's defaults.
while read -r element; do
    filter=${element#sat}
    gst-inspect-1.0 "$element" >info
    for name in $(properties "$filter"); do
        grep -q "^  $name  *: " info || fail "$element has no property $name"
        echo "$name" >>properties
    done
    frame RGB 64 48
    same "$element" "$(plain "$filter")" ""
    chroma=$(plain "$filter")
    case $chroma in *=[0-9]*) chroma=--$filter=$(halved "${chroma#*=}") ;; esac
    # The channels of a plane choose one window.
    case $filter in kuwahara) layout=I420 ;; *) layout=NV21 ;; esac
    frame $layout 67 41
    same "$element" "$(plain "$filter")" "$chroma"
done <built
at_least 40 "properties" <properties >log

# says ELEMENT PROPERTY TEXT...: in what gst-inspect says of the property
says()
{
    gst-inspect-1.0 "$1" | grep -A2 "^  $2  *: " | tr -s ' \n' '  ' >info
    grep -q 'changeable in NULL, READY, PAUSED or PLAYING state' info || fail "$1 $2 cannot be changed"
    property="$1 $2"
    shift 2
    for text; do
        grep -qF "$text" info || fail "$property: not '$text' but $(cat info)"
    done
}
says satbox size controllable "Integer. Range: 1 - 65535 Default: 3" "window in pixels"
says satbox width controllable "Integer. Range: 0 - 65535 Default: 0"
says satbox border 'String. Default: "clamp"' "mirror"
says satsauvola k controllable "Double. Range: -10 - 10 Default: 0.34" "threshold"
says satthreshold otsu-level controllable "Boolean. Default: false" "whatever the number of level"
says satguided eps controllable "Double. Range: 1e-06 - 1000000 Default: 0.01"
says satintegral squared controllable "Boolean. Default: false"
says satflip axis 'String. Default: "h"' "left and right"

# ------------------------------------------------------------------- modules

has() { gst-inspect-1.0 --exists --atleast-version=0.1 "$1" 2>told; }

# Elements come and go with what the variable names, though GStreamer keeps a list of them.
${CC:?} -std=gnu11 -O2 -shared -fPIC -ffp-contract=off -I"$source/samples" -I"$source/src" -o contrast \
    "$source/samples/contrast.c"
! has satcontrast || fail "a module is loaded unasked"
export SATFILTER_MODULES="$work/contrast.so"
! has satcontrast || fail "there is an element without its module"
grep -q "SATFILTER_MODULES: module $work/contrast.so cannot be opened" told || fail "$(cat told)"
has satbox || fail "a module that is missing takes all elements away"
mv contrast "$SATFILTER_MODULES"
has satcontrast || fail "a module's filter is no element: $(cat told)"
says satcontrast gain controllable "Double. Range: -100 - 100 Default: 2"
frame NV12 67 41
same "satcontrast size=9 gain=2.5" "--contrast 9,gain=2.5" "--contrast 5,gain=2.5"
frame RGBA 66 50
same 'satfilter filter="contrast=5 box=7"' "--contrast 5 --box 7" ""
unset SATFILTER_MODULES
! has satcontrast || fail "an element stays without its module"

# ------------------------------------------------------------ gst-launch-1.0

# launch WORD...: gst-launch-1.0, whose exit status says little
launch()
{
    gst-launch-1.0 -q "$@" >told 2>&1 || true
    [ ! -s told ] || fail "gst-launch-1.0 $*: $(cat told)"
}

# through_launch ELEMENTS "OPTIONS" "OPTIONS FOR HALF CHROMA": in that format, by
# GStreamer's own conversion from and to samples as the command has them
through_launch()
{
    want "$2" "$3"
    case $format in
    GRAY16*) plain=GRAY16_BE ;;
    P010* | P012*) plain=I420_${bits}BE ;;
    *_1[02]?E) plain=${format%?E}BE ;;
    Y42B | YUY2 | UYVY | NV16) plain=Y42B ;;
    RGBA64*) plain=RGBA64_BE ;;
    GRAY8 | Y444) plain=$format ;;
    RGBA | BGRA) plain=RGBA ;;
    RGB* | BGR*) plain=RGB ;;
    *) plain=I420 ;;
    esac
    size="width=$width,height=$height,framerate=25/1" convert="videoconvert dither=none"
    rm -f got.raw
    launch filesrc "location=$work/in.raw" "blocksize=$(wc -c <in.raw)" ! "video/x-raw,format=$plain,$size" ! \
        $convert ! "video/x-raw,format=$format,$size" ! $1 ! "video/x-raw,format=$format,$size" ! \
        $convert ! "video/x-raw,format=$plain,$size" ! filesink "location=$work/got.raw"
    cmp got.raw want.raw || fail "gst-launch-1.0: $1 is not satfilter $2: $format"
}

for format in $formats; do
    frame "$format" 64 48
    through_launch "satbox size=15" "--box 15" "--box 7"
    through_launch "satunsharp size=9 ! satsauvola size=21" "--unsharp 9 --sauvola 21" ""
    size="video/x-raw,format=$format,width=67,height=41"
    launch videotestsrc num-buffers=2 ! "$size" ! satbox size=9 ! satunsharp ! "$size" ! fakesink
done

# cut_rows STRIDE WIDTH: rows without their padding
cut_rows()
{
    # shellcheck disable=SC2059
    printf "$(od -An -v -to1 -w"$1" | cut -c"1-$((4 * $2))" | sed 's/ /\\/g' | tr -d '\n')"
}

# Rows of 66 and 67 samples lie 68 apart.
for width in 66 67; do
    head -c $((68 * 41)) bytes >padded.raw
    cut_rows 68 $width <padded.raw >in.raw
    by_command in.raw $width 41 1 1 --variance 9x5,border=reflect
    launch filesrc "location=$work/padded.raw" blocksize=$((68 * 41)) ! \
        "video/x-raw,format=GRAY8,width=$width,height=41,framerate=25/1" ! \
        satvariance size=9 height=5 border=reflect ! filesink "location=$work/got.raw"
    cut_rows 68 $width <got.raw | cmp - part.raw || fail "gst-launch-1.0: width $width"
done

# Ten elements one after another; ten side by side; two pipelines.
ten="satbox size=3" options="--box 3"
for side in 5 7 9 11 13 15 17 19 21; do
    ten="$ten ! satbox size=$side" options="$options --box $side"
done
frame RGBA 64 48
through_launch "$ten" "$options" ""
frame GRAY8 64 48
want "--box 1" ""
from="filesrc location=$work/in.raw blocksize=3072 ! video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"
branches=
for side in 3 5 7 9 11 13 15 17 19 21; do
    branches="$branches t. ! queue ! satstddev size=$side ! filesink location=$work/branch$side"
done
launch $from ! tee name=t $branches \
    $from ! satbox size=25 ! filesink "location=$work/branch25"
for side in 3 5 7 9 11 13 15 17 19 21; do
    by_command in.raw 64 48 1 1 --stddev $side
    cmp "$work/branch$side" part.raw || fail "ten branches: that of size $side"
done
by_command in.raw 64 48 1 1 --box 25
cmp branch25 part.raw || fail "a second pipeline"

# Errors are the sentences that the command says.
for bad in box=0 box=9,at=50:0 sauvola=9,k=many; do
    "$satfilter" -q "--$bad" in.pam out.pam 2>sentence || true
    sed -i 's/^satfilter: --[a-z]*: //' sentence
    ! timeout 20 gst-launch-1.0 -q $from ! satfilter "filter=$bad" ! fakesink async=false \
        >told 2>&1 || fail "$bad is taken"
    [ -s sentence ] && grep -qF "GstSatfilter:satfilter0: $(cat sentence)" told ||
        fail "$bad tells: $(cat told)"
done
