#!/bin/sh
# satfilter/opencv.hpp and samples/opencv.cpp make the numbers of the command.
set -eu
: "${top_builddir:?is set by make check}" "${top_srcdir:?}"
. "$(dirname "$0")/sure.sh"
satfilter=$top_builddir/satfilter
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "${CXX:-}" ] || { without c++ "there is no C++ compiler"; exit 77; }

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# The flags of OpenCV: Debian has no opencv4.pc beside its core alone.
headers=$(pkg-config --cflags opencv4 2>/dev/null || echo -I/usr/include/opencv4)
libraries="-Wl,--as-needed $top_builddir/.libs/libsatfilter.so -lopencv_imgcodecs -lopencv_core"
directory=$(pkg-config --variable=libdir opencv4 2>/dev/null || true)
compile="$CXX -O1 -std=c++11 -I$top_srcdir/src $(echo "$headers" | sed 's/-I/-isystem /g')"
link="$libraries ${directory:+-L$directory} -Wl,-rpath,$top_builddir/.libs"
echo '#include <opencv2/imgcodecs.hpp>
#include <satfilter.h>
int main() { return cv::haveImageReader(satf_version()); }' >"$work/has.cpp"
# shellcheck disable=SC2086
$compile -o "$work/has" "$work/has.cpp" $link 2>"$work/log" || {
    without opencv "OpenCV is not installed, or $CXX cannot link libsatfilter (which has another compiler's sanitizers)"
    exit 77
}

# shellcheck disable=SC2016
sed -n '/^```cpp/,/^```/p' "$top_srcdir/docs/opencv.md" | grep -v '^```' >"$work/page.cpp"
# shellcheck disable=SC2086
for program in "$top_srcdir/samples/opencv.cpp" "$top_srcdir/tests/opencv_check.cpp" "$work/page.cpp"; do
    $compile -Wall -Wextra -pedantic -Werror -o "$work/$(basename "$program" .cpp)" "$program" $link
done
check=$work/opencv_check
. "$top_srcdir/tests/plugins/numbers.sh"

"$check" || fail "refusals"

# same SPEC TYPE CHANNELS WIDTH HEIGHT [TYPE OF THE RESULT]: of $work/in.raw
same()
{
    options=$(printf -- '--%s' "$1" | sed 's/ / --/g;s/,squared/ --squared/')
    # shellcheck disable=SC2086
    "$satfilter" -q -f ${6:+--type $6} $options "$in" "$work/want.npy"
    { shape "$work/want.npy" && values "$work/want.npy"; } >"$work/want"
    "$check" "$1" "$2" "$3" "$4" "$5" "${6:-own}" <"$work/in.raw" >"$work/got" || fail "$*"
    cmp "$work/got" "$work/want" || fail "$* is not satfilter's"
}

# all TYPE CHANNELS WIDTH HEIGHT
all()
{
    picture "$@"
    for spec in box=15x8,at=2:-1 "variance=9,border=mirror" sauvola=21,k=0.2 unsharp=7,amount=2.5 unsharp=7,luma \
        "rotate=90 guided=5"; do
        same "$spec" "$@"
    done
    case $1 in u*) same sum=9 "$@" f64 ;; *) same sum=9 "$@" ;; esac
}

for format in "u8 1" "u8 2" "u8 3" "u8 4" "u16 1" "u16 3" "u16 4" "f32 1" "f32 3" "f64 1" "f64 3"; do
    # shellcheck disable=SC2086
    all $format 66 50
done
for size in "67 41" "1 1"; do
    for format in "u8 4" "u16 3" "f32 1"; do
        # shellcheck disable=SC2086
        all $format $size
    done
done
picture u16 4 66 50
same integral,squared u16 4 66 50 f64
same stddev=9 u16 4 66 50 f32
same stddev=9 u16 4 66 50 u8
picture f32 3 66 50
same box=9 f32 3 66 50 u8

# example SPEC FILE: the program's picture and the command's, whatever zlib packed them
example()
{
    "$work/opencv" "$1" "$2" "$work/out.png"
    compare "$1" "$2"
}

# compare SPEC FILE: $work/out.png is what the command makes of the file
compare()
{
    "$satfilter" -q -f "--$1" "$2" "$work/want.png"
    for picture in out want; do
        "$satfilter" -q -f --box 1 "$work/$picture.png" "$work/$picture.npy"
    done
    cmp "$work/out.npy" "$work/want.npy" || fail "$1 of $2 is not satfilter's"
}

picture u8 4 66 50
"$satfilter" -q -f --box 1 "$work/in.pam" "$work/alpha.png"
for file in "$top_srcdir/samples/scene.png" "$top_srcdir/samples/page.png" "$top_srcdir/samples/depth.png" \
    "$work/alpha.png"; do
    example box=15,border=mirror "$file"
    example unsharp=9 "$file"
    example rotate=90 "$file"
    example sauvola=31 "$file"
done
if "$work/opencv" box=0 "$top_srcdir/samples/scene.png" "$work/none.png" 2>"$work/message"; then
    fail "a window of 0 went unnoticed"
fi
grep -q "^opencv: '0' is no window for box" "$work/message" || fail "$(cat "$work/message")"
[ ! -e "$work/none.png" ] || fail "a picture is left"

# The page's program.
cp "$top_srcdir/samples/scene.png" "$work/in.png"
rm "$work/out.png"
(cd "$work" && ./page)
compare box=15,border=mirror "$work/in.png"
