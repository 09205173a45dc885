#!/bin/sh
# Tests that have nothing to test fail: where a program lists nothing, and where something is missing that has been
# installed (requires.sh).
set -eu
. "$(dirname "$0")/script.sh"
# ends STATUS WHAT COMMAND...
ends()
{
    wanted=$1 what=$2 code=0
    shift 2
    "$@" >said 2>stderr || code=$?
    check "$what" "$code" "$wanted"
}

# shellcheck disable=SC2059
counted() { printf "$1" | at_least "$2" lines >"$work/list"; }
ends 1 "nothing instead of one line" counted '' 1
ends 1 "an empty line instead of one" counted '\n' 1
ends 1 "two lines instead of three" counted 'a\nb\n' 3
ends 0 "as many as there must be" counted 'a\nb\n' 2
[ "$(paste -s -d ' ' "$work/list")" = 'a b' ]
# shellcheck disable=SC2034 # read by without()
lacks() { (CHECK_HAS=$1 && without "$2" "a sentence"); }
ends 0 "what has not been installed may be missing" lacks 'abc-d bc' b
ends 1 "what has been installed may not" lacks 'abc-d bc' bc

# A build whose programs list nothing.
mkdir "$work/build"
ln -s "$build/completions" "$work/build/completions"
for program in satfilter satbench; do
    printf '#!/bin/sh\n' >"$work/build/$program"
    chmod +x "$work/build/$program"
done
ends 1 "completion of nothing" env top_builddir="$work/build" "$source/tests/completion.sh"
mkdir "$work/build/.libs"
ends 1 "hardening of nothing" env top_builddir="$work/build" HARDENING=-z,now "$source/tests/hardening.sh"
# The program, but for its lists.
printf '#!/bin/sh\ncase $1 in --list) exit ;; esac\nexec "%s" "$@"\n' "$build/satfilter" >"$work/build/satfilter"
ends 1 "the command line without a list" env SATFILTER="$work/build/satfilter" "$source/tests/cli.sh"
grep -q 'FAIL: algorithms of --list: 0 instead of' said stderr

# Tests that are skipped where there is nothing but a shell's programs, though more has been installed.
mkdir "$work/bin"
for program in sh dirname awk mktemp rm sed grep cat basename; do
    ln -s "$(command -v $program)" "$work/bin/$program"
done
for case in metadata:python3 model:python3 records:python3 lengths:python3 opencv:c++ python:numpy \
    pages:tiff plugins_vips:plugins plugins_gegl:plugins; do
    script=$source/tests/${case%%:*}.sh
    shell=$(sed -n '1s/.*[ /]//p' "$script")
    for has in "a ${case#*:} b:1" "others:77"; do
        ends "${has#*:}" "$(basename "$script"), of what has been installed: ${has%:*}" env CHECK_HAS="${has%:*}" CXX= \
            PYTHON=none PATH="$work/bin" top_builddir="$work/build" "$(command -v "$shell")" "$script"
    done
done
finish
