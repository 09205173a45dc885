#!/bin/sh
# GEGL's operations make the pictures of the command: in a host of our own (tests/plugins/gegl_host.c),
# in parts, chains and threads (tests/plugins/gegl_live.c), and in the program gegl. Exit codes say
# little: gegl writes the input unchanged where it does not know an operation.
set -eu
: "${top_builddir:?is set by make check}" "${top_srcdir:?}"
. "$(dirname "$0")/sure.sh"
host=$top_builddir/tests/plugins/gegl_host
satfilter=$top_builddir/satfilter
[ -x "$host" ] || { without plugins "GEGL's plugin is not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# GEGL's own operations, but for those of files that load slowly.
mkdir "$work/own"
ln -s "$(pkg-config --variable=pluginsdir gegl-0.4)"/*.so "$work/own"
rm -f "$work"/own/ff-* "$work"/own/pdf-* "$work"/own/svg-* "$work"/own/raw-* "$work"/own/v4l*
GEGL_PATH=$work/own:$top_builddir/plugins/gegl/.libs
XDG_CACHE_HOME=$work/cache
export GEGL_PATH XDG_CACHE_HOME

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

. "$top_srcdir/tests/plugins/numbers.sh"
. "$top_srcdir/tests/plugins/help.sh"

# gegl_picture KIND WIDTH HEIGHT: $work/in.raw and $work/in.pam, of 8 bits
gegl_picture()
{
    kind=$1 width=$2 height=$3
    case $kind in
    grey) channels=1 format="Y' u8" ;;
    rgb) channels=3 format="R'G'B' u8" ;;
    rgba) channels=4 format="R'G'B'A u8" ;;
    esac
    picture u8 $channels "$width" "$height"
}

# samples FILE: the bytes that end the file, which is a PAM
samples()
{
    tail -c $(($(sed -n 's/^WIDTH //p;s/^HEIGHT //p;s/^DEPTH //p;/ENDHDR/q' "$1" | tr '\n' '*')1)) "$1"
}

# judge CHAIN "OPTIONS" GOT: whether its bytes are near the command's, which the input's are not
judge()
{
    # shellcheck disable=SC2086
    "$satfilter" -q -f --type u8 --format pam $2 "$work/in.pam" "$work/want.pam"
    samples "$work/want.pam" >"$work/want.raw"
    "$host" near "$work/want.raw" "$3" || fail "$1 is not satfilter $2: $kind, $width x $height"
    [ "$width" -lt 24 ] || ! "$host" near "$work/want.raw" "$work/in.raw" 2>/dev/null ||
        fail "$1 does nothing: $kind, $width x $height"
}

# through_gegl CHAIN "OPTIONS": in the program gegl, from PNG to PNG
through_gegl()
{
    rm -f "$work/out.png"
    "$satfilter" -q -f --box 1 "$work/in.pam" "$work/in.png"
    # shellcheck disable=SC2086
    gegl "$work/in.png" -o "$work/out.png" -- $1 >"$work/told" 2>&1 || true
    [ -s "$work/out.png" ] || fail "gegl: $1: $(cat "$work/told")"
    "$satfilter" -q -f --type u8 --format pam --box 1 "$work/out.png" "$work/got.pam"
    samples "$work/got.pam" >"$work/got.raw"
    judge "gegl: $1" "$2" "$work/got.raw"
}

# plain FILTER: the option of the command that applies it with its defaults
plain()
{
    help_lines "$1" |
        sed -n 's/^  [^ ]*  *.*(default \([^)]*\)).*/\1/p' >"$work/defaults"
    echo "--$1$(sed 's/^/=/;q' "$work/defaults" | grep -v =off)"
}

# ----------------------------------------------------------- which operations

# Those of the table that the command applies without a file, and that keep a picture's size, and its
# channels unless they make it black and white, but not its pixels.
gegl_picture rgba 24 16
for filter in $(sed -n 's/^#include "\(.*\)\.h"/\1/p' "$top_srcdir/filters/all.h"); do
    ! "$satfilter" -q -f --format pam "$(plain "$filter")" "$work/in.pam" "$work/out.pam" 2>/dev/null ||
        ! sed -n '2,3p' "$work/out.pam" | grep -q '^WIDTH 24$' ||
        sed -n '4p' "$work/out.pam" | grep -q '^DEPTH 2$' || # grey with alpha
        cmp -s "$work/in.pam" "$work/out.pam" || echo "satfilter:$filter $(plain "$filter")"
done | LC_ALL=C sort >"$work/plain"
cut -d' ' -f1 "$work/plain" >"$work/wanted"
"$host" show >"$work/info"
cut -d' ' -f1 "$work/info" | LC_ALL=C sort -u >"$work/built"
diff "$work/wanted" "$work/built" || fail "the operations are not the table's filters"
[ "$(wc -l <"$work/built")" -ge 10 ] || fail "operations are missing"

# Their properties and texts come from the table too.
for line in 'box size gint 3' 'box width gint 0' 'box at gchararray "0:0"' 'box border gchararray "clamp"' \
    'box title: Box: mean over a window' 'box categories: satfilter' 'box gimp:menu-label: Box' \
    'box gimp:menu-path: <Image>/Filters/Satfilter' 'sauvola k gdouble 0.340000' \
    'sauvola r gdouble 128.000000' 'integral squared gboolean FALSE' \
    'threshold level gdouble 128.000000' 'threshold otsu-level gboolean FALSE'; do
    grep -qxF "satfilter:$line" "$work/info" || fail "not '$line' but $(cat "$work/info")"
done
while read -r operation; do
    for name in $("$satfilter" --help "${operation#satfilter:}" |
        sed -n '/guide=FILE/d;s/^  \([a-z]*\)=.*(*.*/\1/p'); do
        grep -q "^$operation $name g" "$work/info" || fail "$operation has no property $name"
        echo "$name" >>"$work/properties"
    done
    grep -q "^$operation description: .........." "$work/info" || fail "$operation is not described"
done <"$work/built"
at_least 40 "properties" <"$work/properties" >"$work/log"

# --------------------------------------------------------------------- pictures

# A chain, then what the command makes it with.
sed 's/ /|/' "$work/plain" >"$work/chains"
cat >>"$work/chains" <<'CHAINS'
satfilter:box size=15 border=wrap|--box 15,border=wrap
satfilter:unsharp width=16 height=7 at=2:-3 amount=2.5|--unsharp 16x7,at=2:-3,amount=2.5
satfilter:stddev size=301 border=mirror|--stddev 301,border=mirror
satfilter:box size=9 border=constant:0.2|--box 9,border=constant:51
satfilter:variance size=9 border=constant:1|--variance 9,border=constant:255
satfilter:wolf size=9 border=constant:0.4|--wolf 9,border=constant:102
satfilter:integral squared=true|--integral --squared
satfilter:flip axis=v satfilter:stddev size=7|--flip v --stddev 7
satfilter:threshold level=1 otsu-level=true|--threshold otsu
satfilter:threshold level=100.5|--threshold 100.5
satfilter:sauvola size=21 k=0.2 satfilter:box size=5|--sauvola 21,k=0.2 --box 5
CHAINS
for size in "rgb 66 50" "rgba 67 41" "grey 67 41" "rgb 1 1" "rgba 1 1"; do
    # shellcheck disable=SC2086
    gegl_picture $size
    set --
    while IFS='|' read -r chain options; do
        set -- "$@" "$chain" "$work/got$#"
    done <"$work/chains"
    "$host" run "$format" "$width" "$height" "$work/in.raw" "$@" || fail "$size"
    while IFS='|' read -r chain options; do
        judge "$chain" "$options" "$2"
        shift 2
    done <"$work/chains"
done
! "$host" run "$format" 1 1 "$work/in.raw" satfilter:nothing "$work/got" 2>/dev/null ||
    fail "an operation that is not there is run"

"$top_builddir/tests/plugins/gegl_live" || fail "tests/plugins/gegl_live"

# Installed, it finds the installed library.
(unset MAKEFLAGS MFLAGS MAKELEVEL && make -s -C "$top_builddir" install-libLTLIBRARIES \
    install-geglexecLTLIBRARIES DESTDIR="$work/root" >"$work/log" 2>&1) || fail "$(cat "$work/log")"
installed=$(find "$work/root" -path '*/gegl-0.4/satfilter.so')
[ -n "$installed" ] || fail "make install leaves the plugin out"
LD_LIBRARY_PATH=${installed%/*/*} GEGL_PATH=$work/own:${installed%/*} "$host" show |
    diff - "$work/info" || fail "installed, the plugin has other operations"

# -------------------------------------------------------------- the program gegl

command -v gegl >/dev/null || { without gegl "gegl is not installed: it is not tried"; exit 0; }
gegl_picture rgba 67 41
while read -r operation options; do
    through_gegl "$operation" "$options"
done <"$work/plain"
for kind in rgb grey; do
    gegl_picture $kind 66 50
    through_gegl "satfilter:sauvola size=15" "--sauvola 15"
    through_gegl "satfilter:box size=5 satfilter:stddev size=9" "--box 5 --stddev 9"
done
