#!/bin/sh
# receipt.sh LOG...: writes tests/gpu/receipt.json from the logs of a full pass
# on a device. receipt.sh --check: says in a line whether that pass covers the
# sources as they are. receipt.sh --nvcc FILE.d...: fails if nvcc read a file of
# the project that is not among these sources.
set -eu
here=$PWD
cd "${top_srcdir:-$(dirname "$0")/../..}"
receipt=tests/gpu/receipt.json

# A path without its /./ and name/../.
# shellcheck disable=SC2016 # awk's
plain='function plain(path) {
    while (sub(/\/\.\//, "/", path) || sub(/[^\/]+\/\.\.\//, "", path)) { }
    return path
}'

# The sources that decide what a device computes and what that is compared with, by name: cuda/,
# tests/gpu/, the sample that make check-gpu runs, and what these include, whatever the condition;
# and all of a folder of src/ that kernels include a header of, for its C prepares the kernels' work
# and is what they are compared with; and src/chain and src/run, which prepare and start all work. So
# files, the pipeline and the command are left out, but for headers that the tests include. `#include
# SATF_MODULE` is a module's, which have no kernels.
covered()
{
    find cuda filters samples src tests -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \
        -o -name '*.inc' -o -name '*.map' -o -name '*.sh' \) | awk "$plain"'
        function folder(path) { sub(/[^\/]*$/, "", path); return path }
        function take(path) {
            if ((path in known) && !(path in taken)) {
                taken[path]
                list[++count] = path
            }
        }
        # What the files of the list include, and what these do. The compiler tries all three places.
        function follow(    path, line, part) {
            while (done < count) {
                path = list[++done]
                while ((getline line < path) > 0) {
                    if (line ~ /^[ \t]*#[ \t]*include[ \t]*["<]/) {
                        split(line, part, /["<>]/)
                        take(plain(folder(path) part[2]))
                        take(plain("src/" part[2]))
                        take(plain("tests/" part[2]))
                    }
                }
                close(path)
            }
        }
        { known[$0] }
        END {
            for (path in known)
                if (path ~ /^cuda\//) take(path)
            follow()
            for (path in taken)
                if (path ~ /^src\//) {
                    reached[folder(path)]
                    take(substr(path, 1, match(path, /[^\/]*\/[^\/]*$/) - 1) "Makefile.inc") # of the folder above
                }
            for (path in known)
                if ((folder(path) in reached) || path ~ /^src\/(chain|run)\// ||
                    path ~ /^tests\/(gpu\/[^\/]*|(test|chosen_device)\.c)$/ ||
                    path == "samples/camera.cu") take(path)
            follow()
            for (i = 1; i <= count; i++) print list[i]
        }'
}

# One sum over all of it, names included. Of m4/ no more than is named: the rest comes with libtool.
covered_sum()
{
    { covered && printf '%s\n' configure.ac Makefile.am m4/cuda.m4 m4/flags.m4; } |
        LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1
}

if [ "${1:-}" = --check ]; then
    sum=$(covered_sum)
    if [ ! -f "$receipt" ]; then
        echo "$receipt is missing: run make check-gpu where there is a CUDA device"
    elif ! grep -q "\"sources\": \"$sum\"" "$receipt"; then
        echo "$receipt is older than the sources it covers: run make check-gpu again"
    else
        echo "$receipt covers these sources"
    fi
    exit 0
fi
if [ $# -eq 0 ]; then
    echo "usage: receipt.sh LOG... | --check | --nvcc FILE.d..." >&2
    exit 2
fi

nvcc=
if [ "$1" = --nvcc ]; then
    nvcc=yes
    shift
fi
# What is named lies where the build is.
for file; do
    shift
    case $file in
    /*) set -- "$@" "$file" ;;
    *) set -- "$@" "$here/$file" ;;
    esac
done

# These files are rules of make: targets, and what each is made of. config.h is configure.ac's.
if [ -n "$nvcc" ]; then
    covered | awk -v top="$PWD/" -v here="$here/" "$plain"'
        FILENAME == "-" { listed[$0]; next }
        {
            for (i = 1; i <= NF; i++) {
                path = plain($i ~ /^\// ? $i : here $i)
                sub(/:$/, "", path)
                if (index(path, top) != 1 || path !~ /\.(c|h|cu|cuh)$/ || path ~ /\/config\.h$/) continue
                path = substr(path, length(top) + 1)
                read++
                if (!(path in listed) && !(path in lacks)) {
                    lacks[path]
                    print "tests/gpu/receipt.sh covers no " path ", which nvcc read for " FILENAME
                    failed = 1
                }
            }
        }
        END {
            if (!read) print "receipt.sh: these are not nvcc\047s lists of headers of this project"
            exit failed || !read
        }' - "$@" >&2
    exit
fi

# A field that every log has at the start of a line.
field()
{
    sed -n "s/^$1: //p" "$2" | head -n 1
}

runs=$(sed -n 's/^test_[a-z_]*: \([0-9]*\) runs compared.*/\1/p' "$@" | awk '{ n += $1 } END { print n + 0 }')
tests=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test(s).*/\1/p' "$@" | awk '{ n += $1 } END { print n + 0 }')
skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test(s).*/\1/p' "$@" | awk '{ n += $1 } END { print n + 0 }')
if [ "$tests" -eq 0 ] || [ -z "$(field device "$1")" ]; then
    echo "receipt.sh: these logs are not of a pass on a device: $*" >&2
    exit 1
fi
cat >"$receipt.tmp" <<JSON
{
  "device": "$(field device "$1")",
  "driver": "$(field driver "$1")",
  "date": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "tests": $tests,
  "skipped": $skipped,
  "runs": $runs,
  "sources": "$(covered_sum)"
}
JSON
mv "$receipt.tmp" "$receipt"
echo "$receipt: $tests tests, $skipped skipped, $runs runs compared"
