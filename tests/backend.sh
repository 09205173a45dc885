#!/bin/sh
# The shared object with what nvcc compiles: where it is looked for, when, and what is said of one
# that is missing or unfit. Stand-ins take its place, so that no CUDA is needed.
set -u
. "$(dirname "$0")/script.sh"

# run FILE ARGUMENT...: the command with SATFILTER_CUDA=FILE; nothing was opened unless `opened` is there
run()
{
    file=$1
    shift
    rm -f opened
    OPENED=$work/opened SATFILTER_CUDA=$file "$satfilter" -f "$@" >stdout 2>stderr </dev/null
}
opened() { [ -e opened ] && echo yes || echo no; }

# stand_in NAME: compiles a shared object of that name; it leaves a mark once it is opened. Standard
# input goes on with its source.
stand_in()
{
    {
        printf '#include <stdio.h>\n#include <stdlib.h>\n#include "base/context.h"\n#include "base/device/backend.h"\n'
        printf 'static void __attribute__((constructor)) mark(void)\n'
        printf '{ FILE *f = getenv("OPENED") ? fopen(getenv("OPENED"), "w") : NULL; if (f) fclose(f); }\n'
        cat
    } >stand_in.c
    # shellcheck disable=SC2086 # CC is a list of words
    $CC -std=c11 -D_GNU_SOURCE -I"$source/src" -shared -fPIC -o "$1" stand_in.c
}

printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
version=$("$satfilter" --version | sed -n '1s/.* //p')
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
    ends 1 "$sentence" "$work/$file" --device cuda --box 3 in.pgm out.pgm
    check "$file: no output" "$(ls out.pgm 2>/dev/null)" ""
    gives '0 0' 'cmp out.pgm want.pgm && wc -c <stderr' "$work/$file" --device auto --box 3 in.pgm out.pgm
    check "$file: for little work nothing is opened" "$(opened)" no
    rm out.pgm
    gives '0 no' 'opened' "$work/$file" -v --device cpu --algorithm blocked --box 3 in.pgm out.pgm
    rm out.pgm
done <<T
none.so|no CUDA device: $work/none.so is not installed; use the device cpu
text.so|no CUDA device: .*text.so cannot be opened: .*; use the device cpu
needy.so|no CUDA device: .*needy.so cannot be opened: libneeded-by-none.so: .*; use the device cpu
doorless.so|no CUDA device: .*doorless.so is no backend; use the device cpu
old.so|.*old.so is of version 0.0.1 and this library of $version: install both from one build;
other.so|no CUDA device: .*other.so is of another build of version $version: install both from one; use the device cpu
T
gives '1 yes' 'opened' "$work/old.so" --device cuda --box 3 in.pgm out.pgm # under cuda it is opened

# A device that the kernels may not fit, and that fails if it is used all the same.
# device NAME CODE RUNS COMPILES
device()
{
    stand_in "$1" <<C
#include "base/device/gpu.h"
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
ends 1 "(Stand-in) has compute capability 7.5, .* has kernels for 12.0: build it with --with-cuda-arch=75," \
    "$work/later.so" --device cuda --box 3 in.pgm out.pgm
gives '1 1' "grep -c 'it was used' stderr" "$work/driver.so" --device cuda --box 3 in.pgm out.pgm
check "and what that takes is said first" \
    "$(sed -n '1s/.*compiles kernels for Stand-in .* --with-cuda-arch=75 has them$/said/p' stderr)" said
gives '1 0' 'grep -c compiles stderr' "$work/driver.so" -q --device cuda --box 3 in.pgm out.pgm # but for -q
ends 1 "no CUDA device 1: there are 0 to 0" "$work/driver.so" --device cuda:1 --box 3 in.pgm out.pgm

# Enough work that a device would be done first: auto takes it where kernels fit, and never waits
# for the driver's compiler.
awk 'BEGIN { printf "P2\n2000 2000\n255\n"; for (i = 0; i < 4000000; i++) print i * 7919 % 256 }' >large.pgm
many=$(yes -- "--guided 99" | head -n 30 | tr '\n' ' ')
auto()
{
    # shellcheck disable=SC2086 # a list of options
    gives '0 yes' 'opened' "$work/$1" -v --device auto -T 1 --max-memory 1G $many large.pgm out.pgm
    check "$1: why it is the CPU" "$(grep -c "$2" stderr)" 1
}
auto later.so 'no kernels for CUDA device 0: build it with --with-cuda-arch=75: computed on the CPU'
auto driver.so 'no kernels for CUDA device 0: build it with --with-cuda-arch=75: computed on the CPU'
auto fits.so 'computed on the CPU: it was used'
auto old.so 'is of version 0.0.1 .*: computed on the CPU'
rm -f out.pgm

# An algorithm that devices alone have is known, and says what is missing.
ends 1 "needs a CUDA device.*none.so is not installed" "$work/none.so" --algorithm skss --box 3 in.pgm out.pgm
gives '0 1' 'grep -c " lookback " stdout' "$work/none.so" --list # devices' algorithms are listed

# Without the variable: beside the library, wherever that lies, then where the linker looks.
library=$(readlink -f "$build/.libs/libsatfilter.so.0")
program=$build/.libs/satfilter
if [ -e "$library" ] && [ -e "$program" ]; then
    mkdir lib linker
    cp "$library" lib/libsatfilter.so.0
    mv old.so linker/libsatfilter-cuda.so.0
    # beside FOLDER TEXT
    beside()
    {
        env -u SATFILTER_CUDA LD_LIBRARY_PATH="$work/lib$1" "$program" --device cuda --box 3 \
            in.pgm out.pgm 2>stderr
        check "one message, with '$2'" "$(grep -c -e "$2" stderr) $(wc -l <stderr)" "1 1"
    }
    beside "" "libsatfilter-cuda.so.0 is not installed"
    beside ":$work/linker" "is of version 0.0.1"
    cp text.so lib/libsatfilter-cuda.so.0
    beside ":$work/linker" "lib/libsatfilter-cuda.so.0 cannot be opened"
    mv other.so lib/libsatfilter-cuda.so.0
    beside ":$work/linker" "is of another build"
else
    skip shared-library "where a backend is looked for (no shared library was built here)"
fi

finish
