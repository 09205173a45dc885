#!/bin/sh
# GEGL's operations make the pictures of the command: in a host of our own (tests/plugins/gegl_host.c),
# in parts, chains and threads (tests/plugins/gegl_live.c), and in the program gegl. Exit codes say
# little: gegl writes the input unchanged where it does not know an operation.
# shellcheck disable=SC2086 # options, flags and sizes are lists of words
set -eu
. "$(dirname "$0")/script.sh"
host=$build/tests/plugins/gegl_host
[ -x "$host" ] || leave plugins "GEGL's plugin is not built"
# GEGL's own operations, but for those of files that load slowly.
mkdir own
ln -s "$(pkg-config --variable=pluginsdir gegl-0.4)"/*.so own
rm -f "$work"/own/ff-* "$work"/own/pdf-* "$work"/own/svg-* "$work"/own/raw-* "$work"/own/v4l*
GEGL_PATH=$work/own:$build/plugins/gegl/.libs
XDG_CACHE_HOME=$work/cache
export GEGL_PATH XDG_CACHE_HOME

. "$source/tests/plugins/numbers.sh"
. "$source/tests/plugins/help.sh"

# gegl_picture KIND WIDTH HEIGHT: $work/in.raw and $work/in.pam, of 8 bits
gegl_picture()
{
    kind=$1
    case $kind in
    grey) channels=1 format="Y' u8" ;;
    rgb) channels=3 format="R'G'B' u8" ;;
    rgba) channels=4 format="R'G'B'A u8" ;;
    esac
    picture u8 $channels "$2" "$3"
}

# judge CHAIN "OPTIONS" GOT: whether its bytes are near the command's, which the input's are not
judge()
{
    "$satfilter" -q -f --type u8 --format pam $2 in.pam want.pam
    samples want.pam >want.raw
    "$host" near want.raw "$3" || fail "$1 is not satfilter $2: $kind, $width x $height"
    [ "$width" -lt 24 ] || ! "$host" near want.raw in.raw 2>/dev/null ||
        fail "$1 does nothing: $kind, $width x $height"
}

# through_gegl CHAIN "OPTIONS": in the program gegl, from PNG to PNG
through_gegl()
{
    rm -f out.png
    "$satfilter" -q -f --box 1 in.pam in.png
    gegl in.png -o out.png -- $1 >told 2>&1 || true
    [ -s out.png ] || fail "gegl: $1: $(cat told)"
    "$satfilter" -q -f --type u8 --format pam --box 1 out.png got.pam
    samples got.pam >got.raw
    judge "gegl: $1" "$2" got.raw
}

# ----------------------------------------------------------- which operations

gegl_picture rgba 24 16
frame_filters in.pam >filters
sed 's/^/satfilter:/' filters >operations
"$host" show >info
cut -d' ' -f1 info | sort -u >built
compare_lists operations built
while read -r filter; do
    echo "satfilter:$filter $(plain "$filter")"
done <filters >plain

# Their properties and texts come from the table too.
for line in 'box size gint 3' 'box width gint 0' 'box at gchararray "0:0"' 'box border gchararray "clamp"' \
    'box title: Box: mean over a window' 'box categories: satfilter' 'box gimp:menu-label: Box' \
    'box gimp:menu-path: <Image>/Filters/Satfilter' 'sauvola k gdouble 0.340000' \
    'sauvola r gdouble 128.000000' 'integral squared gboolean FALSE' \
    'threshold level gdouble 128.000000' 'threshold otsu-level gboolean FALSE'; do
    grep -qxF "satfilter:$line" info || fail "not '$line' but $(cat info)"
done
while read -r operation; do
    for name in $(properties "${operation#satfilter:}"); do
        grep -q "^$operation $name g" info || fail "$operation has no property $name"
        echo "$name" >>properties
    done
    grep -q "^$operation description: .........." info || fail "$operation is not described"
done <built
at_least 40 "properties" <properties >log

# --------------------------------------------------------------------- pictures

# A chain, then what the command makes it with.
sed 's/ /|/' plain >chains
cat >>chains <<'CHAINS'
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
    gegl_picture $size
    set --
    while IFS='|' read -r chain options; do
        set -- "$@" "$chain" "$work/got$#"
    done <chains
    "$host" run "$format" "$width" "$height" in.raw "$@" || fail "$size"
    while IFS='|' read -r chain options; do
        judge "$chain" "$options" "$2"
        shift 2
    done <chains
done
! "$host" run "$format" 1 1 in.raw satfilter:nothing got 2>/dev/null ||
    fail "an operation that is not there is run"

"$build/tests/plugins/gegl_live" || fail "tests/plugins/gegl_live"

# Installed, it finds the installed library.
installed install-geglexecLTLIBRARIES gegl-0.4/satfilter.so
LD_LIBRARY_PATH=$installed_libraries GEGL_PATH=$work/own:${plugin%/*} "$host" show |
    diff - info || fail "installed, the plugin has other operations"

# -------------------------------------------------------------- the program gegl

command -v gegl >/dev/null || { without gegl "gegl is not installed: it is not tried"; exit 0; }
gegl_picture rgba 67 41
while read -r operation options; do
    through_gegl "$operation" "$options"
done <plain
for kind in rgb grey; do
    gegl_picture $kind 66 50
    through_gegl "satfilter:sauvola size=15" "--sauvola 15"
    through_gegl "satfilter:box size=5 satfilter:stddev size=9" "--box 5 --stddev 9"
done
