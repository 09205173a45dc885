#!/bin/sh
# An installed tree was moved to a folder with a blank in its name: its programs find the library, the modules of
# formats and the kernels for devices, and programs of others find the library by pkg-config, CMake and Meson.
set -eu
. "$(dirname "$0")/script.sh"

# has COMMAND
has()
{
    command -v "$1" >/dev/null || { without "$1" "there is no $1: it is not tested" && skipped=77 && return 1; }
}

# works PROGRAM: it runs with the library that was installed
works()
{
    [ "$(LD_LIBRARY_PATH=$libdir "$1")" = "2 4" ] || fail "$1 does not work"
}

prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
grep -q '^PROGRAM_RPATH = .' "$build/Makefile" || leave prefix "a tree in $prefix stays where it is"
unset DESTDIR CFLAGS SATFILTER_FORMATS SATFILTER_CUDA
must make -s -C "$build" DESTDIR="$work/stage" install-libLTLIBRARIES install-pkglibLTLIBRARIES install-binPROGRAMS \
    install-includeHEADERS install-module_includeHEADERS install-pkgconfigDATA install-cmakeDATA \
    install-bashcompletionDATA install-man1
mv "$work/stage$prefix" "$work/moved here"
config=$(find "$work/moved here" -name satfilterConfig.cmake)
libdir=${config%/cmake/*}
export PKG_CONFIG_PATH="$libdir/pkgconfig" CMAKE_PREFIX_PATH="$work/moved here"

# Programs are found through PATH, too. A broken file is named by its folder.
PATH="$work/moved here/bin:$PATH"
must satfilter --box 3 "$source/samples/scene.png" out.png
echo "not a shared object" >"$libdir/satfilter/libsatfilter-cuda.so.0"
for program in "satfilter --device cuda --box 3 $source/samples/scene.png out.png" "satbench sat --device cuda"; do
    # shellcheck disable=SC2086 # words
    ! $program >log 2>&1 || fail "$program goes without its kernels"
    grep -qE 'moved here/.*/satfilter/libsatfilter-cuda.so.0 cannot be opened' log || fail "$program: $(cat log)"
done
if [ -e "$libdir/satfilter/libsatfilter-tiff.so.0" ]; then
    must satfilter --box 3 "$source/samples/scan.tif" out.tif
    echo "not a shared object" >"$libdir/satfilter/libsatfilter-tiff.so.0"
    ! satfilter --box 3 out.tif out.png 2>log || fail "a TIFF was read by another module"
    grep -qF "$libdir/satfilter/libsatfilter-tiff.so.0 cannot be opened" log || fail "of a broken module: $(cat log)"
else
    without tiff "built without libtiff: no module of a format is tested"
fi
found=$(grep -rlF "$prefix/" "$work/moved here/share" || true)
[ -z "$found" ] || fail "$found names $prefix"
skipped=0

cat >"$work/program.c" <<'END'
#include <stdio.h>

#include <satfilter-expert.h>

int main(void)
{
    uint8_t in[2] = {1, 7}, out[2];
    satf_view from = satf_view_packed(in, 2, 1, 1, SATF_U8), to = from;
    satf_context *ctx = NULL;
    satf_filter *filter = NULL;
    to.data = out;
    if (satf_context_create(&ctx) || satf_context_set_engine(ctx, SATF_ENGINE_SAT) ||
        satf_filter_parse(ctx, "box=2x1", &filter) || satf_filter_apply(ctx, filter, &from, &to)) {
        return 1;
    }
    printf("%d %d\n", out[0] + 1, out[1]);
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return 0;
}
END

if has pkg-config; then
    flags=$(pkg-config --cflags --libs satfilter)
    # shellcheck disable=SC2086 # CC is a list of words; pkg-config quotes what a shell would take apart
    eval "$CC -o by_pkg_config program.c $flags" || fail "pkg-config: $flags"
    works ./by_pkg_config
fi

if has cmake; then
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(program C)
find_package(satfilter 0.1 REQUIRED)
find_package(satfilter)
add_executable(by_cmake program.c)
target_link_libraries(by_cmake satfilter::satfilter)
END
    must cmake -S . -B "cmake build" -DCMAKE_C_COMPILER="${CC%% *}"
    must cmake --build "cmake build"
    works "cmake build/by_cmake"
    sed -i 's/satfilter 0.1 REQUIRED/satfilter 1.0 REQUIRED/' CMakeLists.txt
    ! cmake -S . -B other -DCMAKE_C_COMPILER="${CC%% *}" >log 2>&1 || fail "CMake takes another version"
    grep -q "compatible with requested version" log || fail "CMake: $(cat log)"
fi

if has meson; then
    cat >meson.build <<'END'
project('program', 'c')
executable('by_meson', 'program.c', dependencies: [dependency('satfilter', version: '>=0.1')])
END
    must meson setup "meson build"
    must meson compile -C "meson build"
    works "meson build/by_meson"
fi
exit $skipped
