#!/bin/sh
# frei0r plugins make the bytes of the command: in a host of our own (tests/plugins/frei0r_host.c),
# and where they are installed in FFmpeg and MLT.
set -eu
: "${top_builddir:?is set by make check}" "${top_srcdir:?}"
. "$(dirname "$0")/sure.sh"
host=$top_builddir/tests/plugins/frei0r_host
FREI0R_PATH=$top_builddir/plugins/frei0r/.libs
export FREI0R_PATH
satfilter=$top_builddir/satfilter
[ -x "$host" ] || { without plugins "frei0r's plugins are not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# picture WIDTH HEIGHT: $work/in.pam and $work/in.raw, colours and alpha from opaque to clear
picture()
{
    "$satfilter" -q -f --type u8 --format pam --box 1 "$top_srcdir/samples/scene.png" "$work/scene.pam"
    bytes=$(($1 * $2 * 4))
    tail -c +100000 "$work/scene.pam" | head -c $((bytes - bytes / 3)) >"$work/in.raw"
    head -c $((bytes / 3)) /dev/zero | tr '\0' '\377' >>"$work/in.raw"
    [ "$(wc -c <"$work/in.raw")" = "$bytes" ] || fail "the sample picture is too small"
    wrap "$1" "$2" <"$work/in.raw" >"$work/in.pam"
}

wrap()
{
    printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' "$1" "$2"
    cat
}

# by_command WIDTH HEIGHT OPTION...: its bytes as RGBA, in $work/want.raw
by_command()
{
    columns=$1 rows=$2
    shift 2
    "$satfilter" -q -f --type u8 --format pam "$@" "$work/in.pam" "$work/want.pam"
    depth=$(sed -n 's/^DEPTH //p;/ENDHDR/q' "$work/want.pam")
    tail -c $((columns * rows * depth)) "$work/want.pam" >"$work/want.raw"
    if [ "$depth" = 1 ]; then # grey, opaque
        # shellcheck disable=SC2059
        printf "$(od -An -v -to1 -w1 "$work/want.raw" | tr -d ' ' | sed 's/.*/\\&\\&\\&\\377/' | tr -d '\n')" \
            >"$work/grey.raw"
        mv "$work/grey.raw" "$work/want.raw"
    fi
}

# same WIDTH HEIGHT FILTER "COMMAND'S OPTIONS" [NAME=VALUE]...
same()
{
    width=$1 height=$2 filter=$3 options=$4
    shift 4
    # shellcheck disable=SC2086
    by_command "$width" "$height" $options
    "$host" run "$FREI0R_PATH/satfilter_$filter.so" "$width" "$height" "$@" \
        <"$work/in.raw" >"$work/got.raw" 2>"$work/told"
    [ ! -s "$work/told" ] || fail "$filter $* told: $(cat "$work/told")"
    cmp "$work/got.raw" "$work/want.raw" || fail "$filter $* is not satfilter $options, $width x $height"
    [ "$width" -lt 24 ] || ! cmp -s "$work/got.raw" "$work/in.raw" || fail "$filter $* does nothing"
}

# plain FILTER: the option of the command that applies it with its defaults
plain()
{
    "$satfilter" --help "$1" | sed -n 's/^  [^ ]*  *.*(default \([^)]*\)).*/\1/p' >"$work/defaults"
    echo "--$1$(sed 's/^/=/;q' "$work/defaults" | grep -v =off)"
}

# ------------------------------------------------------------ which filters

# Those of the table that the command applies without a file, and that keep a picture's size, and its
# channels unless they make it black and white, but not its pixels.
picture 24 16
for filter in $(sed -n 's/^#include "\(.*\)\.h"/\1/p' "$top_srcdir/filters/all.h"); do
    ! "$satfilter" -q -f --format pam "$(plain "$filter")" "$work/in.pam" "$work/out.pam" 2>/dev/null ||
        ! sed -n '2,3p' "$work/out.pam" | grep -q '^WIDTH 24$' ||
        sed -n '4p' "$work/out.pam" | grep -q '^DEPTH 2$' || # grey with alpha
        cmp -s "$work/in.pam" "$work/out.pam" || echo "satfilter_$filter.so"
done | LC_ALL=C sort >"$work/wanted"
(cd "$FREI0R_PATH" && ls satfilter_*.so) | LC_ALL=C sort >"$work/built"
diff "$work/wanted" "$work/built" || fail "the plugins are not the table's filters"
[ "$(wc -l <"$work/built")" -ge 10 ] || fail "plugins are missing"

# Parameters come from the table too; their defaults are the command's, set or not.
while read -r plugin; do
    "$host" info "$FREI0R_PATH/$plugin" >"$work/info"
    grep -q '^options text $' "$work/info" || fail "$plugin: no options"
    filter=${plugin#satfilter_}
    filter=${filter%.so}
    same 24 16 "$filter" "$(plain "$filter")"
    # a host that sets every parameter to its default changes nothing
    # shellcheck disable=SC2046
    same 24 16 "$filter" "$(plain "$filter")" \
        $(sed -n 's/^\([a-z]*\) [a-z]* \([^ ]*\)$/\1=\2/p' "$work/info")
done <"$work/built"

# -------------------------------------------------------------- parameters

# Odd sizes, a width of 66, borders, and what the numbers in 0 ... 1 mean.
for size in 66x50 35x21 1x1 8x300; do
    width=${size%x*} height=${size#*x}
    picture "$width" "$height"
    same "$width" "$height" box "--box 15" size=0.055118110236220472
    same "$width" "$height" box "--box 255,border=wrap" size=1 border=wrap
    same "$width" "$height" box "--box 16x7,at=2:-1,border=constant:200" \
        "options=size=16x7,at=2:-1,border=constant:200"
    same "$width" "$height" variance "--variance 5,border=mirror" size=0.015748031496062992 border=mirror
    same "$width" "$height" stddev "--stddev 9" options=size=9
    same "$width" "$height" sauvola "--sauvola 15,k=0.2" options=size=15 k=0.51
    same "$width" "$height" threshold "--threshold otsu" options=level=otsu
    same "$width" "$height" unsharp "--unsharp 9,amount=2.5" options=size=9 amount=0.025
    same "$width" "$height" guided "--guided 5,eps=0.0001" options=size=5 eps=0.16666666666666667
    same "$width" "$height" integral "--integral --squared" squared=1
    same "$width" "$height" flip "--flip v" axis=v
done

# What is refused is told, and the value before stays: names of files, too.
picture 24 16
for bad in border=none options=size=0 options=colour=red options=guide=/etc/passwd; do
    filter=box
    case $bad in *guide*) filter=guided ;; esac
    by_command 24 16 "--$filter" 7
    "$host" run "$FREI0R_PATH/satfilter_$filter.so" 24 16 options=size=7 "$bad" \
        <"$work/in.raw" >"$work/got.raw" 2>"$work/told"
    grep -q "^satfilter $filter: the value before stays: " "$work/told" || fail "$bad is not told"
    cmp "$work/got.raw" "$work/want.raw" || fail "$bad changes the picture"
done

# Frames keep their size.
"$host" run "$FREI0R_PATH/satfilter_box.so" 24 16 options=size=7,border=valid \
    <"$work/in.raw" >"$work/got.raw" 2>"$work/told"
grep -q "^satfilter box: frames stay as they are: .*24 x 16.* must be 18 x 10" "$work/told" ||
    fail "a smaller result is not told"
cmp "$work/got.raw" "$work/in.raw" || fail "a smaller result changes the picture"

# ---------------------------------------------------------- threads, loading

for filter in box sauvola variance; do
    "$host" load "$FREI0R_PATH/satfilter_$filter.so" 100
    "$host" threads "$FREI0R_PATH/satfilter_$filter.so" 322 200 10
done

# ------------------------------------------------------------------- FFmpeg

# through_ffmpeg "COMMAND'S OPTIONS" CHAIN: through the program, which wants widths of 16 n
through_ffmpeg()
{
    # shellcheck disable=SC2086
    by_command 320 96 $1
    ffmpeg -nostdin -v error -f rawvideo -pix_fmt rgba -s 320x96 -i "$work/in.raw" -vf "$2" \
        -f rawvideo -pix_fmt rgba -y "$work/got.raw"
    cmp "$work/got.raw" "$work/want.raw" || fail "ffmpeg: $2 is not satfilter $1"
}

picture 320 96
if command -v ffmpeg >/dev/null 2>&1 && ffmpeg -v error -filters 2>/dev/null | grep -q frei0r; then
    through_ffmpeg "--box 15" "frei0r=satfilter_box:0.0551181"
    through_ffmpeg "--stddev 15x9,border=mirror" \
        "frei0r=filter_name=satfilter_stddev:filter_params=0||mirror|size=15x9"
    through_ffmpeg "--sauvola 31" "frei0r=satfilter_sauvola"
    # what docs/frei0r.md says, which goes by the parameters' places
    while read -r options chain; do
        grep -qF "'$chain'" "$top_srcdir/docs/frei0r.md" || fail "docs/frei0r.md has no $chain"
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
    # shellcheck disable=SC2086
    "$satfilter" -q -f --type u8 --format ppm $options "$work/in.png" "$work/want.ppm"
    tail -c 230400 "$work/want.ppm" >"$work/want.raw"
    # melt alone, without any filter, writes nothing and ends with 0 now and then on a busy machine
    for _ in 1 2 3 4 5; do
        MLT_FREI0R_PLUGIN_PATH=$FREI0R_PATH melt -profile square_ntsc "$work/in.png" out=0 \
            -filter "frei0r.satfilter_$filter" "$@" -consumer "avformat:$work/got.raw" f=rawvideo \
            vcodec=rawvideo pix_fmt=rgb24 an=1 width=320 height=240 real_time=-1 >"$work/melt.log" 2>&1 || true
        [ ! -s "$work/got.raw" ] || break
    done
    cmp "$work/got.raw" "$work/want.raw" || fail "melt: $filter $* is not satfilter $options"
    rm "$work/got.raw"
}

if command -v melt >/dev/null 2>&1; then
    "$satfilter" -q -f --format ppm --box 1 "$top_srcdir/samples/scene.png" "$work/scene.ppm"
    (printf 'P6 320 240 255\n' && tail -c 230400 "$work/scene.ppm") >"$work/in.ppm"
    "$satfilter" -q --box 1 "$work/in.ppm" "$work/in.png"
    through_melt "--box 15" box size=0.0551181
    through_melt "--box 301x5,border=wrap" box border=wrap options="size 301x5"
    through_melt "--variance 5" variance 0=0.015748
    through_melt "--sauvola 31" sauvola
else
    without melt "melt is not installed: not tried"
fi
