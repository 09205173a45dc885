#!/bin/sh
# frei0r plugins make the bytes of the command: in a host of our own (tests/plugins/frei0r_host.c),
# and where they are installed in FFmpeg and MLT.
# shellcheck disable=SC2086 # options, flags and sizes are lists of words
set -eu
. "$(dirname "$0")/script.sh"
host=$build/tests/plugins/frei0r_host
FREI0R_PATH=$build/plugins/frei0r/.libs
export FREI0R_PATH
[ -x "$host" ] || leave plugins "frei0r's plugins are not built"

. "$source/tests/plugins/numbers.sh"
. "$source/tests/plugins/help.sh"

# by_command OPTION...: its bytes as RGBA, in $work/want.raw
by_command()
{
    "$satfilter" -q -f --type u8 --format pam "$@" in.pam want.pam
    samples want.pam >want.raw
    if [ "$(wc -c <want.raw)" = $((width * height)) ]; then
        coloured 1 4 <want.raw >grey.raw
        mv grey.raw want.raw
    fi
}

# same FILTER "COMMAND'S OPTIONS" [NAME=VALUE]...
same()
{
    filter=$1 options=$2
    shift 2
    by_command $options
    "$host" run "$FREI0R_PATH/satfilter_$filter.so" "$width" "$height" "$@" \
        <in.raw >got.raw 2>told
    [ ! -s told ] || fail "$filter $* told: $(cat told)"
    cmp got.raw want.raw || fail "$filter $* is not satfilter $options, $width x $height"
    [ "$width" -lt 24 ] || ! cmp -s got.raw in.raw || fail "$filter $* does nothing"
}

# ------------------------------------------------------------ which filters

picture u8 4 24 16
frame_filters in.pam | sed 's/.*/satfilter_&.so/' >plugins
(cd "$FREI0R_PATH" && ls satfilter_*.so) >built
compare_lists plugins built

# Parameters come from the table too; their defaults are the command's, set or not.
while read -r plugin; do
    "$host" info "$FREI0R_PATH/$plugin" >info
    grep -q '^options text $' info || fail "$plugin: no options"
    filter=${plugin#satfilter_}
    filter=${filter%.so}
    same "$filter" "$(plain "$filter")"
    # a host that sets every parameter to its default changes nothing
    # shellcheck disable=SC2046
    same "$filter" "$(plain "$filter")" $(sed -n 's/^\([a-z]*\) [a-z]* \([^ ]*\)$/\1=\2/p' info)
done <built

# -------------------------------------------------------------- parameters

# Odd sizes, a width of 66, borders, and what the numbers in 0 ... 1 mean.
for size in 66x50 35x21 1x1 8x300; do
    picture u8 4 "${size%x*}" "${size#*x}"
    same box "--box 15" size=0.055118110236220472
    same box "--box 255,border=wrap" size=1 border=wrap
    same box "--box 16x7,at=2:-1,border=constant:200" "options=size=16x7,at=2:-1,border=constant:200"
    same variance "--variance 5,border=mirror" size=0.015748031496062992 border=mirror
    same stddev "--stddev 9" options=size=9
    same sauvola "--sauvola 15,k=0.2" options=size=15 k=0.51
    same threshold "--threshold otsu" options=level=otsu
    same unsharp "--unsharp 9,amount=2.5" options=size=9 amount=0.025
    same guided "--guided 5,eps=0.0001" options=size=5 eps=0.16666666666666667
    same integral "--integral --squared" squared=1
    same flip "--flip v" axis=v
done

# What is refused is told, and the value before stays: names of files, too.
picture u8 4 24 16
for bad in border=none options=size=0 options=colour=red options=guide=/etc/passwd; do
    filter=box
    case $bad in *guide*) filter=guided ;; esac
    by_command "--$filter" 7
    "$host" run "$FREI0R_PATH/satfilter_$filter.so" 24 16 options=size=7 "$bad" \
        <in.raw >got.raw 2>told
    grep -q "^satfilter $filter: the value before stays: " told || fail "$bad is not told"
    cmp got.raw want.raw || fail "$bad changes the picture"
done

# Frames keep their size.
"$host" run "$FREI0R_PATH/satfilter_box.so" 24 16 options=size=7,border=valid \
    <in.raw >got.raw 2>told
grep -q "^satfilter box: frames stay as they are: .*24 x 16.* must be 18 x 10" told ||
    fail "a smaller result is not told"
cmp got.raw in.raw || fail "a smaller result changes the picture"

# ---------------------------------------------------------- threads, loading

for filter in box sauvola variance; do
    "$host" load "$FREI0R_PATH/satfilter_$filter.so" 100
    "$host" threads "$FREI0R_PATH/satfilter_$filter.so" 322 200 10
done

# ------------------------------------------------------------------- FFmpeg

# through_ffmpeg "COMMAND'S OPTIONS" CHAIN: through the program, which wants widths of 16 n
through_ffmpeg()
{
    by_command $1
    ffmpeg -nostdin -v error -f rawvideo -pix_fmt rgba -s 320x96 -i in.raw -vf "$2" \
        -f rawvideo -pix_fmt rgba -y got.raw
    cmp got.raw want.raw || fail "ffmpeg: $2 is not satfilter $1"
}

picture u8 4 320 96
if command -v ffmpeg >/dev/null 2>&1 && ffmpeg -v error -filters 2>/dev/null | grep -q frei0r; then
    through_ffmpeg "--box 15" "frei0r=satfilter_box:0.0551181"
    through_ffmpeg "--stddev 15x9,border=mirror" \
        "frei0r=filter_name=satfilter_stddev:filter_params=0||mirror|size=15x9"
    through_ffmpeg "--sauvola 31" "frei0r=satfilter_sauvola"
    # what docs/frei0r.md says, which goes by the parameters' places
    while read -r options chain; do
        grep -qF "'$chain'" "$source/docs/frei0r.md" || fail "docs/frei0r.md has no $chain"
        through_ffmpeg "$options" "$chain"
    done <<'END'
--guided=15,eps=0.01 frei0r=satfilter_guided:||||||n|||size=15\,eps=0.01
--threshold=otsu frei0r=satfilter_threshold:||n|n|level=otsu
END
    # ten instances at once
    chain=frei0r=satfilter_box:0.0078740157
    options="--box 3"
    for _ in 1 2 3 4 5 6 7 8 9; do
        chain=$chain,frei0r=satfilter_box:0.0078740157
        options="$options --box 3"
    done
    through_ffmpeg "$options" "$chain"
else
    without ffmpeg "FFmpeg with frei0r is not installed: not tried"
fi

# ------------------------------------------------------------------ MLT

# through_melt "COMMAND'S OPTIONS" FILTER [NAME=VALUE]...: of $work/in.png, opaque
through_melt()
{
    options=$1 filter=$2
    shift 2
    "$satfilter" -q -f --type u8 --format ppm $options in.png want.ppm
    tail -c 230400 want.ppm >want.raw
    # melt alone, without any filter, writes nothing and ends with 0 now and then on a busy machine
    for _ in 1 2 3 4 5; do
        MLT_FREI0R_PLUGIN_PATH=$FREI0R_PATH melt -profile square_ntsc in.png out=0 \
            -filter "frei0r.satfilter_$filter" "$@" -consumer "avformat:$work/got.raw" f=rawvideo \
            vcodec=rawvideo pix_fmt=rgb24 an=1 width=320 height=240 real_time=-1 >melt.log 2>&1 || true
        [ ! -s got.raw ] || break
    done
    cmp got.raw want.raw || fail "melt: $filter $* is not satfilter $options"
    rm got.raw
}

if command -v melt >/dev/null 2>&1; then
    "$satfilter" -q -f --format ppm --box 1 "$source/samples/scene.png" scene.ppm
    (printf 'P6 320 240 255\n' && tail -c 230400 scene.ppm) >in.ppm
    "$satfilter" -q --box 1 in.ppm in.png
    through_melt "--box 15" box size=0.0551181
    through_melt "--box 301x5,border=wrap" box border=wrap options="size 301x5"
    through_melt "--variance 5" variance 0=0.015748
    through_melt "--sauvola 31" sauvola
else
    without melt "melt is not installed: not tried"
fi
