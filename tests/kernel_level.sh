#!/bin/sh
# Kernels are compiled at -O3 where CFLAGS say -O2; other levels, and other files, are as CFLAGS say.
set -u
cd "${top_builddir:?is set by make check}" || exit 1
failed=0

# With CFLAGS=$1 make would compile src/window/$2.c, object src/window/$3.lo, at the level $4.
expect()
{
    got=$(MAKEFLAGS='' make -n -W "src/window/$2.c" CFLAGS="$1" "src/window/$3.lo" |
        sed -n '/mode=compile/s/.* \(-O[0-9a-z]*\) .*/\1/p')
    if [ "$got" != "$4" ]; then
        echo "CFLAGS='$1' compile $3 at '$got', not $4"
        failed=1
    fi
}

levels='base'
grep -q '^#define SATF_HAVE_X86_ISA 1' config.h && levels='base avx2 avx512'
for level in $levels; do
    object=libkernels_${level}_la-kernels
    expect '-g -O2' kernels "$object" -O3
    expect '-O0 -O2 -fwrapv' kernels "$object" -O3
    for other in -O0 -O1 -Og -Os; do
        expect "$other" kernels "$object" "$other"
    done
    expect '-O2 -Og' kernels "$object" -Og
    expect '-O3 -g' kernels "$object" -O3
done
expect '-g -O2' march libcore_la-march -O2
exit $failed
