#!/bin/sh
# The shared object with what nvcc compiles: where it is looked for, when, and what is said of one
# that is missing or unfit. Stand-ins take its place, so that no CUDA is needed.
set -u
: "${top_srcdir:?is set by make check}" "${top_builddir:?}" "${CC:?}"
. "$(dirname "$0")/sure.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

# check NAME FOUND WANTED
check()
{
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $1: '$2' instead of '$3'"
        cat stderr
    fi
}
# says TEXT: the command before has said it, and nothing besides
says() { check "one message, with '$1'" "$(grep -c -e "$1" stderr) $(wc -l <stderr)" "1 1"; }

# run FILE ARGUMENT...: the command with SATFILTER_CUDA=FILE; nothing was opened unless `opened` is there
run()
{
    file=$1
    shift
    rm -f opened
    OPENED=$work/opened SATFILTER_CUDA=$file "$top_builddir/satfilter" -f "$@" >stdout 2>stderr </dev/null
}
opened() { [ -e opened ] && echo yes || echo no; }

# stand_in NAME: compiles a shared object of that name; it leaves a mark once it is opened. Standard
# input goes on with its source.
stand_in()
{
    {
        printf '#include <stdio.h>\n#include <stdlib.h>\n#include "base/context.h"\n#include "base/backend.h"\n'
        printf 'static void __attribute__((constructor)) mark(void)\n'
        printf '{ FILE *f = getenv("OPENED") ? fopen(getenv("OPENED"), "w") : NULL; if (f) fclose(f); }\n'
        cat
    } >stand_in.c
    # shellcheck disable=SC2086 # CC is a list of words
    $CC -std=c11 -D_GNU_SOURCE -I"$top_srcdir/src" -shared -fPIC -o "$1" stand_in.c
}

printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
version=$("$top_builddir/satfilter" --version | sed -n '1s/.* //p')
run none.so --device cpu --box 3 in.pgm want.pgm

echo | stand_in doorless.so
stand_in old.so <<'C'
const satf_backend *satf_cuda_backend(void);
const satf_backend *satf_cuda_backend(void)
{
    static const satf_backend b = {.bytes = sizeof b, .context_bytes = sizeof(satf_context), .version = "0.0.1"};
    return &b;
}
C
stand_in other.so <<C
const satf_backend *satf_cuda_backend(void);
const satf_backend *satf_cuda_backend(void)
{
    static const satf_backend b = {.bytes = sizeof b + 8, .context_bytes = sizeof(satf_context), .version = "$version"};
    return &b;
}
C
echo 'not a shared object' >text.so
# shellcheck disable=SC2086
{
    echo 'int nothing;' | $CC -xc -shared -fPIC -Wl,-soname,libneeded-by-none.so -o needed.so -
    echo 'int needy;' | $CC -xc -shared -fPIC -Wl,--no-as-needed -o needy.so - -xnone needed.so
}

# file|what is said; under cuda an error of one sentence, under auto nothing, and the CPU's bits
while IFS='|' read -r file sentence; do
    run "$work/$file" --device cuda --box 3 in.pgm out.pgm
    check "$file: an error" $? 1
    says "$sentence"
    check "$file: no output" "$(ls out.pgm 2>/dev/null)" ""
    run "$work/$file" --device auto --box 3 in.pgm out.pgm
    check "$file: auto takes the CPU" "$? $(cmp out.pgm want.pgm && wc -c <stderr)" "0 0"
    check "$file: for little work nothing is opened" "$(opened)" no
    rm out.pgm
    run "$work/$file" -v --device cpu --algorithm blocked --box 3 in.pgm out.pgm
    check "$file: nor on the CPU" "$? $(opened)" "0 no"
    rm out.pgm
done <<T
none.so|no CUDA device: $work/none.so is not installed; use the device cpu
text.so|no CUDA device: .*text.so cannot be opened: .*; use the device cpu
needy.so|no CUDA device: .*needy.so cannot be opened: libneeded-by-none.so: .*; use the device cpu
doorless.so|no CUDA device: .*doorless.so is no backend; use the device cpu
old.so|.*old.so is of version 0.0.1 and this library of $version: install both from one build;
other.so|no CUDA device: .*other.so is of another build of version $version: install both from one; use the device cpu
T
run "$work/old.so" --device cuda --box 3 in.pgm out.pgm
check "under cuda it is opened" "$(opened)" yes

# A device that the kernels may not fit, and that fails if it is used all the same.
# device NAME CODE RUNS COMPILES
device()
{
    stand_in "$1" <<C
#include "base/gpu.h"
static int count(const char **why) { (void)why; return 1; }
static bool describe(int device, satf_gpu_info *info)
{
    (void)device;
    *info = (satf_gpu_info){.name = "Stand-in", .major = 7, .minor = 5, .code = "$2"};
    info->runs_kernels = $3, info->compiles = $4;
    return true;
}
static satf_status open_device(satf_context *ctx, int device)
{
    (void)device;
    snprintf(ctx->message, sizeof ctx->message, "it was used");
    return SATF_NO_DEVICE;
}
static satf_status keep(satf_context *ctx, satf_status status) { (void)ctx; return status; }
const satf_backend *satf_cuda_backend(void);
const satf_backend *satf_cuda_backend(void)
{
    static const satf_backend b = {sizeof b, sizeof(satf_context), "$version", .count = count,
                                   .describe = describe, .open = open_device, .leave = keep};
    return &b;
}
C
}
device later.so 12.0 0 0
device driver.so "" 0 1
device fits.so 7.5 1 0
run "$work/later.so" --device cuda --box 3 in.pgm out.pgm
check "a device that no kernels fit: an error" $? 1
says "(Stand-in) has compute capability 7.5, .* has kernels for 12.0: build it with --with-cuda-arch=75,"
run "$work/driver.so" --device cuda --box 3 in.pgm out.pgm
check "one that the driver compiles for is used" "$? $(grep -c 'it was used' stderr)" "1 1"
check "and what that takes is said first" \
    "$(sed -n '1s/.*compiles kernels for Stand-in .* --with-cuda-arch=75 has them$/said/p' stderr)" said
run "$work/driver.so" -q --device cuda --box 3 in.pgm out.pgm
check "but for -q" "$(grep -c compiles stderr)" 0
run "$work/driver.so" --device cuda:1 --box 3 in.pgm out.pgm
says "no CUDA device 1: there are 0 to 0"

# Enough work that a device would be done first: auto takes it where kernels fit, and never waits
# for the driver's compiler.
awk 'BEGIN { printf "P2\n2000 2000\n255\n"; for (i = 0; i < 4000000; i++) print i * 7919 % 256 }' >large.pgm
many=$(yes -- "--guided 99" | head -n 30 | tr '\n' ' ')
auto()
{
    # shellcheck disable=SC2086 # a list of options
    run "$work/$1" -v --device auto -T 1 --max-memory 1G $many large.pgm out.pgm
    check "$1: auto" "$? $(opened)" "0 yes"
    check "$1: why it is the CPU" "$(grep -c "$2" stderr)" 1
}
auto later.so 'no kernels for CUDA device 0: build it with --with-cuda-arch=75: computed on the CPU'
auto driver.so 'no kernels for CUDA device 0: build it with --with-cuda-arch=75: computed on the CPU'
auto fits.so 'computed on the CPU: it was used'
auto old.so 'is of version 0.0.1 .*: computed on the CPU'
rm -f out.pgm

# An algorithm that devices alone have is known, and says what is missing.
run "$work/none.so" --algorithm skss --box 3 in.pgm out.pgm
check "skss needs a device" $? 1
says "needs a CUDA device.*none.so is not installed"
run "$work/none.so" --list
check "devices' algorithms are listed" "$? $(grep -c ' lookback ' stdout)" "0 1"

# Without the variable: beside the library, wherever that lies, then where the linker looks.
library=$(readlink -f "$top_builddir/.libs/libsatfilter.so.0")
program=$top_builddir/.libs/satfilter
if [ -e "$library" ] && [ -e "$program" ]; then
    mkdir lib linker
    cp "$library" lib/libsatfilter.so.0
    mv old.so linker/libsatfilter-cuda.so.0
    beside()
    {
        env -u SATFILTER_CUDA LD_LIBRARY_PATH="$work/lib$1" "$program" --device cuda --box 3 \
            in.pgm out.pgm 2>stderr
    }
    beside ""
    says "libsatfilter-cuda.so.0 is not installed"
    beside ":$work/linker"
    says "is of version 0.0.1"
    cp text.so lib/libsatfilter-cuda.so.0
    beside ":$work/linker"
    says "lib/libsatfilter-cuda.so.0 cannot be opened"
    mv other.so lib/libsatfilter-cuda.so.0
    beside ":$work/linker"
    says "is of another build"
else
    without shared-library "where a backend is looked for (no shared library was built here)"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
