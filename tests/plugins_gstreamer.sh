#!/bin/sh
# GStreamer's elements make the bytes of the command: in a host of our own (tests/plugins/gst_host.c),
# in gst-launch-1.0, and while properties, caps and states change (tests/plugins/gst_live.c).
set -eu
: "${top_builddir:?is set by make check}" "${top_srcdir:?}"
. "$(dirname "$0")/sure.sh"
host=$top_builddir/tests/plugins/gst_host
satfilter=$top_builddir/satfilter
[ -x "$host" ] || { without plugins "GStreamer's plugin or its test is not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Only this plugin is new: the user's registry stays as it is.
GST_PLUGIN_PATH=$top_builddir/plugins/gstreamer/.libs
GST_REGISTRY=$work/registry.bin
GST_REGISTRY_FORK=no
export GST_PLUGIN_PATH GST_REGISTRY GST_REGISTRY_FORK
unset SATFILTER_MODULES

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# Bytes for frames, and their use: each frame is the beginning of these.
"$satfilter" -q -f --type u8 --format pam --box 1 "$top_srcdir/samples/scene.png" "$work/scene.pam"
tail -c +100000 "$work/scene.pam" >"$work/bytes"

# by_command FILE WIDTH HEIGHT DEPTH BYTES OPTION...: what the command makes of the file's samples, in
# $work/part.raw. Grey of a colour picture becomes each colour, opaque.
by_command()
{
    file=$1 columns=$2 rows=$3 depth=$4 size=$5
    shift 5
    case $depth in 1) tuple=GRAYSCALE ;; 3) tuple=RGB ;; *) tuple=RGB_ALPHA ;; esac
    { printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' "$columns" "$rows" \
        "$depth" $((size == 1 ? 255 : 65535)) $tuple && cat "$file"; } >"$work/part.pam"
    "$satfilter" -q -f --type u$((8 * size)) --format pam "$@" "$work/part.pam" "$work/made.pam"
    made=$(sed -n 's/^DEPTH //p;/ENDHDR/q' "$work/made.pam")
    tail -c $((columns * rows * made * size)) "$work/made.pam" >"$work/part.raw"
    if [ "$made" != "$depth" ]; then
        opaque='\\377'
        [ "$size" = 1 ] || opaque='\\377\\377'
        [ "$depth" = 4 ] || opaque=
        # shellcheck disable=SC2059
        printf "$(od -An -v -to1 -w"$size" "$work/part.raw" | sed "s/ /\\\\/g;s/.*/&&&$opaque/" | tr -d '\n')" \
            >"$work/grey.raw"
        mv "$work/grey.raw" "$work/part.raw"
    fi
}

# halved SIDE: of the window on chroma, as docs/gstreamer.md says it
halved()
{
    echo $(($1 % 2 ? ($1 + 1) / 2 - 1 + ($1 + 1) / 2 % 2 : $1 / 2))
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

# want FORMAT WIDTH HEIGHT "OPTIONS" "OPTIONS FOR HALF CHROMA" ["FOR WHOLE"]: $work/in.raw and
# $work/want.raw
want()
{
    format=$1 width=$2 height=$3 options=$4 chroma=$5 whole=${6:-$4}
    size=1 depth=0
    case $format in
    GRAY16*) size=2 depth=1 ;;
    RGBA64*) size=2 depth=4 ;;
    GRAY8) depth=1 ;;
    RGBA | BGRA) depth=4 ;;
    RGB* | BGR*) depth=3 ;;
    esac
    # shellcheck disable=SC2086
    if [ $depth != 0 ]; then
        head -c $((width * height * depth * size)) "$work/bytes" >"$work/in.raw"
        by_command "$work/in.raw" "$width" "$height" $depth $size $options
        mv "$work/part.raw" "$work/want.raw"
        return
    fi
    across=$(((width + 1) / 2)) down=$(((height + 1) / 2))
    [ "$format" != Y444 ] || across=$width down=$height chroma=$whole
    head -c $((width * height)) "$work/bytes" >"$work/y"
    tail -c +20001 "$work/bytes" | head -c $((across * down)) >"$work/u"
    tail -c +40001 "$work/bytes" | head -c $((across * down)) >"$work/v"
    cat "$work/y" "$work/u" "$work/v" >"$work/in.raw"
    # shellcheck disable=SC2086
    by_command "$work/y" "$width" "$height" 1 1 $options
    mv "$work/part.raw" "$work/want.raw"
    for plane in u v; do
        # shellcheck disable=SC2086
        if black_and_white $options; then # it has no colour
            head -c $((across * down)) /dev/zero | tr '\0' '\200' >"$work/part.raw"
        else
            by_command "$work/$plane" $across $down 1 1 $chroma
        fi
        cat "$work/part.raw" >>"$work/want.raw"
    done
}

# same FORMAT WIDTH HEIGHT LAUNCH "OPTIONS" "OPTIONS FOR HALF CHROMA" ["FOR WHOLE"]
same()
{
    want "$1" "$2" "$3" "$5" "$6" "${7:-}"
    "$host" run "$4" "$1" "$2" "$3" <"$work/in.raw" >"$work/got.raw" || fail "$4: $1, $2 x $3"
    cmp "$work/got.raw" "$work/want.raw" || fail "$4 is not satfilter $5: $1, $2 x $3"
    [ "$2" -lt 24 ] || ! cmp -s "$work/got.raw" "$work/in.raw" || fail "$4 does nothing: $1, $2 x $3"
}

formats=$(sed -n '/define PLANES_FORMATS/,/}"/p' "$top_srcdir/plugins/gstreamer/planes.h" |
    grep -o '\<[A-Z][A-Z]*[A-Zx0-9]*[0-9A-Zx]\>' | grep -v -e PLANES -e GST)
case $(printf '\1\0' | od -An -tu2 | tr -d ' ') in 1) end=LE ;; *) end=BE ;; esac
formats=$(echo "$formats" | sed "s/^\(GRAY16\|RGBA64\)$/&_$end/")
[ "$(echo "$formats" | wc -l)" = 14 ] || fail "not 14 formats: $formats"

# ------------------------------------------------------------ formats and sizes

for format in $formats; do
    for frame in 64x48 66x50 67x41 1x1; do
        width=${frame%x*} height=${frame#*x}
        same "$format" "$width" "$height" "satbox size=15" "--box 15" "--box $(halved 15)"
        same "$format" "$width" "$height" "satstddev size=9 height=6 border=mirror" \
            "--stddev 9x6,border=mirror" "--stddev $(halved 9)x$(halved 6),border=mirror"
        same "$format" "$width" "$height" "satsauvola size=21 k=0.2" "--sauvola 21,k=0.2" ""
        same "$format" "$width" "$height" "satthreshold level=1 otsu-level=true" "--threshold otsu" ""
        same "$format" "$width" "$height" "satunsharp size=7 amount=2.5 at=2:-3" \
            "--unsharp 7,amount=2.5,at=2:-3" "--unsharp $(halved 7),amount=2.5,at=1:-1"
        # chroma keeps what is luma's alone
        same "$format" "$width" "$height" "satunsharp size=7 amount=2.5 luma=true threshold=2" \
            "--unsharp 7,amount=2.5,luma,threshold=2" "--box 1" "--box 1"
        same "$format" "$width" "$height" 'satfilter filter="unsharp=7,luma box=5"' \
            "--unsharp 7,luma --box 5" "--box $(halved 5)" "--box 5"
        same "$format" "$width" "$height" 'satfilter filter="box=12x5,border=wrap variance=5 flip=v"' \
            "--box 12x5,border=wrap --variance 5 --flip v" \
            "--box $(halved 12)x$(halved 5),border=wrap --variance $(halved 5) --flip v"
    done
done
same I420 67 41 "satguided size=5 eps=0.0001 ! satbox size=301" "--guided 5,eps=0.0001 --box 301" \
    "--guided $(halved 5),eps=0.0001 --box $(halved 301)"
same NV12 66 50 "satbox size=3" "--box 3" "--box 1"
template=$top_srcdir/samples/sharpen.txt
same NV21 67 41 "satfilter filter=template=$template" "--template $template" "--template $template"

# ------------------------------------------------------------------- changes

"$top_builddir/tests/plugins/gst_live" 2000 || fail "tests/plugins/gst_live"
"$host" load "$GST_PLUGIN_PATH/libgstsatfilter.so" 100

# Installed, it finds the installed library.
(unset MAKEFLAGS MFLAGS MAKELEVEL && make -s -C "$top_builddir" install-libLTLIBRARIES \
    install-gstreamerexecLTLIBRARIES DESTDIR="$work/root" >"$work/log" 2>&1) || fail "$(cat "$work/log")"
installed=$(find "$work/root" -name libgstsatfilter.so)
[ -n "$installed" ] || fail "make install leaves the plugin out"
LD_LIBRARY_PATH=${installed%/*/*} "$host" load "$installed" 1

# The rest is by the programs of gstreamer1.0-tools and the elements of gstreamer1.0-plugins-base.
if ! gst-inspect-1.0 --exists --atleast-version=0.1 videoconvert 2>/dev/null; then
    without gst-launch-1.0 "gst-inspect-1.0 or videoconvert is not installed: neither elements' lists nor pipelines"
    exit 0
fi

# ------------------------------------------------------------- which elements

. "$top_srcdir/tests/plugins/help.sh"

# plain FILTER: the option of the command that applies it with its defaults
plain()
{
    help_lines "$1" |
        sed -n 's/^  [^ ]*  *.*(default \([^)]*\)).*/\1/p' >"$work/defaults"
    echo "--$1$(sed 's/^/=/;q' "$work/defaults" | grep -v =off)"
}

# Those of the table that the command applies without a file, and that keep a picture's size, and its
# channels unless they make it black and white, but not its pixels.
want RGBA 24 16 "--box 1" ""
cp "$work/part.pam" "$work/small.pam"
for filter in $(sed -n 's/^#include "\(.*\)\.h"/\1/p' "$top_srcdir/filters/all.h"); do
    ! "$satfilter" -q -f --format pam "$(plain "$filter")" "$work/small.pam" "$work/out.pam" 2>/dev/null ||
        ! sed -n '2,3p' "$work/out.pam" | grep -q '^WIDTH 24$' ||
        sed -n '4p' "$work/out.pam" | grep -q '^DEPTH 2$' || # grey with alpha
        cmp -s "$work/small.pam" "$work/out.pam" || echo "sat$filter"
done | LC_ALL=C sort >"$work/wanted"
gst-inspect-1.0 satfilter >"$work/info"
gst-inspect-1.0 "$GST_PLUGIN_PATH/libgstsatfilter.so" | sed -n 's/^  \(sat[a-z]*\): .*/\1/p' |
    grep -v '^satfilter$' | LC_ALL=C sort >"$work/built"
diff "$work/wanted" "$work/built" || fail "the elements are not the table's filters"
[ "$(wc -l <"$work/built")" -ge 10 ] || fail "elements are missing"
grep -q '^  filter  *: ' "$work/info" || fail "satfilter has no property filter"

# Parameters come from the table too; without properties they are the command's defaults.
while read -r element; do
    filter=${element#sat}
    gst-inspect-1.0 "$element" >"$work/info"
    "$satfilter" --help "$filter" >"$work/help"
    for name in $(sed -n '/guide=FILE/d;s/^  \([a-z]*\)=.*(*.*/\1/p' "$work/help"); do
        grep -q "^  $name  *: " "$work/info" || fail "$element has no property $name"
        echo "$name" >>"$work/properties"
    done
    same RGB 64 48 "$element" "$(plain "$filter")" ""
    chroma=$(plain "$filter")
    case $chroma in *=[0-9]*) chroma=--$filter=$(halved "${chroma#*=}") ;; esac
    # The channels of a plane choose one window.
    case $filter in kuwahara) layout=I420 ;; *) layout=NV21 ;; esac
    same $layout 67 41 "$element" "$(plain "$filter")" "$chroma"
done <"$work/built"
at_least 40 "properties" <"$work/properties" >"$work/log"

# says ELEMENT PROPERTY TEXT...: in what gst-inspect says of the property
says()
{
    gst-inspect-1.0 "$1" | grep -A2 "^  $2  *: " | tr -s ' \n' '  ' >"$work/info"
    grep -q 'changeable in NULL, READY, PAUSED or PLAYING state' "$work/info" || fail "$1 $2 cannot be changed"
    property="$1 $2"
    shift 2
    for text; do
        grep -qF "$text" "$work/info" || fail "$property: not '$text' but $(cat "$work/info")"
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

has() { gst-inspect-1.0 --exists --atleast-version=0.1 "$1" 2>"$work/told"; }

# Elements come and go with what the variable names, though GStreamer keeps a list of them.
# shellcheck disable=SC2086 # CC is a list of words
${CC:?} -std=gnu11 -O2 -shared -fPIC -ffp-contract=off -I"$top_srcdir/samples" -I"$top_srcdir/src" -o "$work/contrast" \
    "$top_srcdir/samples/contrast.c"
! has satcontrast || fail "a module is loaded unasked"
export SATFILTER_MODULES="$work/contrast.so"
! has satcontrast || fail "there is an element without its module"
grep -q "SATFILTER_MODULES: module $work/contrast.so cannot be opened" "$work/told" || fail "$(cat "$work/told")"
has satbox || fail "a module that is missing takes all elements away"
mv "$work/contrast" "$SATFILTER_MODULES"
has satcontrast || fail "a module's filter is no element: $(cat "$work/told")"
says satcontrast gain controllable "Double. Range: -100 - 100 Default: 2"
same NV12 67 41 "satcontrast size=9 gain=2.5" "--contrast 9,gain=2.5" "--contrast 5,gain=2.5"
same RGBA 66 50 'satfilter filter="contrast=5 box=7"' "--contrast 5 --box 7" ""
unset SATFILTER_MODULES
! has satcontrast || fail "an element stays without its module"

# ------------------------------------------------------------ gst-launch-1.0

# launch WORD...: gst-launch-1.0, whose exit status says little
launch()
{
    gst-launch-1.0 -q "$@" >"$work/told" 2>&1 || true
    [ ! -s "$work/told" ] || fail "gst-launch-1.0 $*: $(cat "$work/told")"
}

# through_launch FORMAT WIDTH HEIGHT ELEMENTS "OPTIONS" "OPTIONS FOR HALF CHROMA": in that format, by
# GStreamer's own conversion from and to samples as the command has them
through_launch()
{
    want "$1" "$2" "$3" "$5" "$6"
    case $1 in
    GRAY16*) plain=GRAY16_BE ;;
    RGBA64*) plain=RGBA64_BE ;;
    GRAY8 | Y444) plain=$1 ;;
    RGBA | BGRA) plain=RGBA ;;
    RGB* | BGR*) plain=RGB ;;
    *) plain=I420 ;;
    esac
    size="width=$2,height=$3,framerate=25/1"
    rm -f "$work/got.raw"
    # shellcheck disable=SC2086
    launch filesrc "location=$work/in.raw" "blocksize=$(wc -c <"$work/in.raw")" ! "video/x-raw,format=$plain,$size" ! \
        videoconvert ! "video/x-raw,format=$1,$size" ! $4 ! "video/x-raw,format=$1,$size" ! \
        videoconvert ! "video/x-raw,format=$plain,$size" ! filesink "location=$work/got.raw"
    cmp "$work/got.raw" "$work/want.raw" || fail "gst-launch-1.0: $4 is not satfilter $5: $1"
}

for format in $formats; do
    through_launch "$format" 64 48 "satbox size=15" "--box 15" "--box 7"
    through_launch "$format" 64 48 "satunsharp size=9 ! satsauvola size=21" "--unsharp 9 --sauvola 21" ""
done

# cut_rows STRIDE WIDTH: rows without their padding
cut_rows()
{
    # shellcheck disable=SC2059
    printf "$(od -An -v -to1 -w"$1" | cut -c"1-$((4 * $2))" | sed 's/ /\\/g' | tr -d '\n')"
}

# Rows of 66 and 67 samples lie 68 apart.
for width in 66 67; do
    head -c $((68 * 41)) "$work/bytes" >"$work/padded.raw"
    cut_rows 68 $width <"$work/padded.raw" >"$work/in.raw"
    by_command "$work/in.raw" $width 41 1 1 --variance 9x5,border=reflect
    launch filesrc "location=$work/padded.raw" blocksize=$((68 * 41)) ! \
        "video/x-raw,format=GRAY8,width=$width,height=41,framerate=25/1" ! \
        satvariance size=9 height=5 border=reflect ! filesink "location=$work/got.raw"
    cut_rows 68 $width <"$work/got.raw" | cmp - "$work/part.raw" || fail "gst-launch-1.0: width $width"
done

# Ten elements one after another; ten side by side; two pipelines.
ten="satbox size=3" options="--box 3"
for side in 5 7 9 11 13 15 17 19 21; do
    ten="$ten ! satbox size=$side" options="$options --box $side"
done
through_launch RGBA 64 48 "$ten" "$options" ""
want GRAY8 64 48 "--box 1" ""
source="filesrc location=$work/in.raw blocksize=3072 ! video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"
branches=
for side in 3 5 7 9 11 13 15 17 19 21; do
    branches="$branches t. ! queue ! satstddev size=$side ! filesink location=$work/branch$side"
done
# shellcheck disable=SC2086
launch $source ! tee name=t $branches \
    $source ! satbox size=25 ! filesink "location=$work/branch25"
for side in 3 5 7 9 11 13 15 17 19 21; do
    by_command "$work/in.raw" 64 48 1 1 --stddev $side
    cmp "$work/branch$side" "$work/part.raw" || fail "ten branches: that of size $side"
done
by_command "$work/in.raw" 64 48 1 1 --box 25
cmp "$work/branch25" "$work/part.raw" || fail "a second pipeline"

# Errors are the sentences that the command says.
for bad in box=0 box=9,at=50:0 sauvola=9,k=many; do
    "$satfilter" -q "--$bad" "$work/in.pam" "$work/out.pam" 2>"$work/sentence" || true
    sed -i 's/^satfilter: --[a-z]*: //' "$work/sentence"
    # shellcheck disable=SC2086
    ! timeout 20 gst-launch-1.0 -q $source ! satfilter "filter=$bad" ! fakesink async=false \
        >"$work/told" 2>&1 || fail "$bad is taken"
    [ -s "$work/sentence" ] && grep -qF "GstSatfilter:satfilter0: $(cat "$work/sentence")" "$work/told" ||
        fail "$bad tells: $(cat "$work/told")"
done
