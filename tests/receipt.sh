#!/bin/sh
# A receipt of the GPU suite is stale when a file changes that the suite runs or compiles, fresh
# when another does, and says so where it is asked for. nvcc's own lists of headers are checked.
set -eu
. "$(dirname "$0")/script.sh"
cd "$source"
tree=$work/a.tree # a dot, as in satfilter-0.1.0
mkdir "$tree" "$work/build"
find configure.ac Makefile.am NEWS m4 cuda docs filters samples src tests tools -type f \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh' -o -name '*.inc' -o -name '*.map' \
    -o -name '*.m4' -o -name '*.md' -o -name '*.a[cm]' -o -name NEWS \) | tar cf - -T - | tar xf - -C "$tree"
chmod -R u+w "$tree" # a tarball's files may be read-only

receipt()
{
    (cd "$work/build" && top_srcdir=../a.tree "$tree/tests/gpu/receipt.sh" "$@")
}

# Two programs' logs, by which the sources become covered.
cover()
{
    printf '%s\n' 'device: a device' 'driver: 1.2' 'test_gpu_sat: 30 runs compared, 2 refused' \
        '[  PASSED  ] 5 test(s).' >"$work/build/one.log"
    printf '%s\n' 'test_gpu_runs: 12 runs compared' '[  PASSED  ] 2 test(s).' \
        '[  SKIPPED ] 1 test(s), listed below:' >"$work/build/two.log"
    receipt one.log two.log
}

# says WORDS: the line about the receipt has them.
says()
{
    receipt --check >"$work/said"
    [ "$(wc -l <"$work/said") $(grep -c "$1" "$work/said")" = "1 1" ] ||
        fail "$2: not '$1' but: $(cat "$work/said")"
}

# changes FILE WORDS: what is said once the file has one more line. Then it is as it was.
changes()
{
    cp "$tree/$1" "$work/kept"
    echo >>"$tree/$1"
    says "$2" "$1"
    cp "$work/kept" "$tree/$1"
}

rm -f "$tree/tests/gpu/receipt.json"
says 'is missing' 'no receipt'
cover | grep '7 tests, 1 skipped, 42 runs compared'
says 'covers these sources' 'a new receipt'

# What kernels and the suite's programs are made of, headers under any condition included; the C
# that prepares a kernel's work; how all that is compiled.
for file in cuda/products/box.cuh cuda/move/geometry.cu cuda/backend.map src/sums/march/gpu.h \
    src/sums/march/bands_words.h src/sums/march/plan.c src/sums/march/strip_template.h src/satfilter/formula.h \
    src/satfilter/loops.h src/satfilter-module.h src/sums/march/device_window_engine.c \
    src/run/move_engine.c src/chain/region.c src/base/device/gpu.c \
    src/sat/tuner.c src/move/kernels.c src/permute/schedule.c src/study/host.c filters/wolf.h \
    tests/filter_offsets.h tests/chosen_device.c tests/gpu/test_gpu_window.c tests/gpu/failing.cu \
    tests/gpu/check.sh tests/gpu/Makefile.inc samples/camera.cu src/sums/Makefile.inc configure.ac \
    Makefile.am m4/cuda.m4; do
    changes $file 'is older than'
done
for file in docs/design.md NEWS src/io/png/png_read.c src/pipeline/stream.c tools/satfilter/satfilter.c \
    tests/io/test_io.c tests/fake_kernels.c samples/example.c; do
    changes $file 'covers these sources'
done
says 'covers these sources' 'all files as they were'

# A folder that only a header includes, and only under a condition, from the day on that it does.
mkdir "$tree/src/later"
echo 'int later(void);' >"$tree/src/later/later.h"
echo 'int later(void) { return 1; }' >"$tree/src/later/more.c"
says 'covers these sources' 'a folder that nobody includes'
printf '#ifdef LATER\n  #  include "../../src/later/later.h" /* "no.h" */\n#endif\n' >>"$tree/cuda/products/feed.cuh"
cover >/dev/null
changes src/later/later.h 'is older than'
changes src/later/more.c 'is older than'
mv "$tree/src/later/more.c" "$tree/src/later/less.c"
says 'is older than' 'a file of another name'

# nvcc's lists, of a build inside the tree and of one beside it.
echo 'cuda/a.lo : cuda/products/box.cu /usr/include/stdio.h \
    cuda/products/../../src/sums/march/gpu.h config.h
cuda/products/../../src/sums/march/gpu.h :' >"$tree/in.d"
(cd "$tree" && top_srcdir=$tree tests/gpu/receipt.sh --nvcc in.d)
sed 's,cuda/products/box.cu,../a.tree/&,; s,cuda/products/\.\.,../a.tree/./&,' "$tree/in.d" >"$work/build/beside.d"
receipt --nvcc beside.d
sed 's,sums/march/gpu.h,io/pnm/pnm.c,' "$work/build/beside.d" >"$work/build/more.d"
! receipt --nvcc beside.d more.d 2>"$work/said" ||
    fail "nvcc reads a file that the receipt does not cover, and that is no failure"
grep 'covers no src/io/pnm/pnm.c, which nvcc read for .*/build/more.d$' "$work/said"
[ "$(wc -l <"$work/said")" -eq 1 ]
echo 'a.lo : /usr/include/stdio.h' >"$work/build/other.d"
for none in other.d none.d; do
    ! receipt --nvcc $none 2>"$work/said" || fail "$none names no source, and that is no failure"
done

# make check says it, and an error of the script is one of make's. The checks before a change lands
# end with the line, then the totals.
${MAKE:-make} -s -n -C "$build" check-local | grep 'receipt.sh --check$'
finish=$(sed -n '/^finish()/,/^}/p' .ci/run)
# shellcheck disable=SC2034 # finish() reads them
root=$tree passed=3 failed=0 skipped=1
eval "$finish"
(unset top_srcdir && finish) | tail -n 2 >"$work/said"
sed -n 1p "$work/said" | grep 'receipt.json is older than'
sed -n 2p "$work/said" | grep '^3 passed, 0 failed, 1 skipped$'
