#!/bin/sh
# satfilter/opencv.hpp and samples/opencv.cpp make the numbers of the command.
# shellcheck disable=SC2086 # options, flags and sizes are lists of words
set -eu
. "$(dirname "$0")/script.sh"
[ -n "${CXX:-}" ] || leave c++ "there is no C++ compiler"

# The flags of OpenCV: Debian has no opencv4.pc beside its core alone.
headers=$(pkg-config --cflags opencv4 2>/dev/null || echo -I/usr/include/opencv4)
libraries="-Wl,--as-needed $build/.libs/libsatfilter.so -lopencv_imgcodecs -lopencv_core"
directory=$(pkg-config --variable=libdir opencv4 2>/dev/null || true)
compile="$CXX -O1 -std=c++11 -I$source/src $(echo "$headers" | sed 's/-I/-isystem /g')"
link="$libraries ${directory:+-L$directory} -Wl,-rpath,$build/.libs"
echo '#include <opencv2/imgcodecs.hpp>
#include <satfilter.h>
int main() { return cv::haveImageReader(satf_version()); }' >has.cpp
$compile -o has has.cpp $link 2>log || {
    leave opencv "OpenCV is not installed, or $CXX cannot link libsatfilter (which has another compiler's sanitizers)"
}

# shellcheck disable=SC2016
sed -n '/^```cpp/,/^```/p' "$source/docs/opencv.md" | grep -v '^```' >page.cpp
for program in "$source/samples/opencv.cpp" "$source/tests/opencv_check.cpp" page.cpp; do
    $compile -Wall -Wextra -pedantic -Werror -o "$work/$(basename "$program" .cpp)" "$program" $link
done
check=$work/opencv_check
. "$source/tests/plugins/numbers.sh"

"$check" || fail "refusals"

# same SPEC TYPE CHANNELS WIDTH HEIGHT [TYPE OF THE RESULT]: of $work/in.raw
same()
{
    options=$(printf -- '--%s' "$1" | sed 's/ / --/g;s/,squared/ --squared/')
    "$satfilter" -q -f ${6:+--type $6} $options "$in" want.npy
    { shape want.npy && values want.npy; } >want
    "$check" "$1" "$2" "$3" "$4" "$5" "${6:-own}" <in.raw >got || fail "$*"
    cmp got want || fail "$* is not satfilter's"
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
    all $format 66 50
done
for size in "67 41" "1 1"; do
    for format in "u8 4" "u16 3" "f32 1"; do
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
    ./opencv "$1" "$2" out.png
    compare "$1" "$2"
}

# compare SPEC FILE: $work/out.png is what the command makes of the file
compare()
{
    "$satfilter" -q -f "--$1" "$2" want.png
    for picture in out want; do
        "$satfilter" -q -f --box 1 "$work/$picture.png" "$work/$picture.npy"
    done
    cmp out.npy want.npy || fail "$1 of $2 is not satfilter's"
}

picture u8 4 66 50
"$satfilter" -q -f --box 1 in.pam alpha.png
for file in "$source/samples/scene.png" "$source/samples/page.png" "$source/samples/depth.png" \
    alpha.png; do
    example box=15,border=mirror "$file"
    example unsharp=9 "$file"
    example rotate=90 "$file"
    example sauvola=31 "$file"
done
if ./opencv box=0 "$source/samples/scene.png" none.png 2>message; then
    fail "a window of 0 went unnoticed"
fi
grep -q "^opencv: '0' is no window for box" message || fail "$(cat message)"
[ ! -e none.png ] || fail "a picture is left"

# The page's program.
cp "$source/samples/scene.png" in.png
rm out.png
./page
compare box=15,border=mirror in.png
