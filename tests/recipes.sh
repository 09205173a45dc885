#!/usr/bin/env bash
# Every command of docs/recipes.md and samples/README.md runs as it stands, in a copy of
# what a clone has, and makes the files that it names; README's first commands among them.
set -u
build=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "${top_srcdir:-.}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/satfilter-recipes.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail()
{
    failed=$((failed + 1))
    echo "FAIL: $*"
    head -n 5 stderr
}

# The outputs that a command names: behind -o, the last word, what a ">" leads to.
outputs_of()
{
    # shellcheck disable=SC2086 # words of a command that this project wrote
    set -- $1
    local last=
    while [ $# -gt 0 ]; do
        case $1 in
        -o | '>') echo "$2" && last= && shift ;;
        '<' | '|') last= ;;
        *) last=$1 ;;
        esac
        shift
    done
    case $last in *.png | *.npy) echo "$last" ;; esac
}

# A picture that shows something: not all of it is one value.
shows_something()
{
    case $1 in *.npy | *.json | *.txt) [ -s "$1" ] && return ;; esac
    ./satfilter -q --box 1 --format npy "$1" shown.npy || return 1
    [ "$(tail -c +129 shown.npy | od -An -v -w1 -tu1 | sort -u | wc -l)" -gt 1 ]
}

# page NAME LEAST: runs its commands, of which there must be so many.
page()
{
    local commands=0 command output picture
    while IFS= read -r command; do
        commands=$((commands + 1))
        for output in $(outputs_of "$command"); do rm -rf "$output"; done
        case $command in *--skip-existing*) ./satfilter -q --box 31 samples/page.png -o out-blurred/ ;; esac
        if ! bash -c "set -o pipefail; $command" >stdout 2>stderr </dev/null; then
            fail "$1: $command"
            continue
        fi
        for output in $(outputs_of "$command"); do
            [ -e "$output" ] || fail "$1: $command: no $output"
            for picture in $(find "$output" -type f -name '*.png'); do
                if shows_something "$picture"; then pass; else fail "$1: $command: $picture shows nothing"; fi
            done
        done
        pass
    done < <(sed -n 's/^    \([^ ].*\)/\1/p' "$source/$1")
    [ "$commands" -ge "$2" ] || fail "$1: only $commands commands"
}

mkdir "$work/clone" "$work/clone/docs" && cd "$work/clone" || exit 1
cp -r "$source/samples" . && cp -r "$source/docs/images" docs/ && chmod -R u+w .
ln -s "$build/satfilter" satfilter
page samples/README.md 5
page docs/recipes.md 15

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
