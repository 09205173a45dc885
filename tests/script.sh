# shellcheck shell=sh disable=SC2034 # read by scripts, which say what they test and keep what is their own:
#     . "$(dirname "$0")/script.sh"
# The script is in an empty folder then; $build, $source, $satfilter and $satbench lead out of it. `run` is the
# command, and leaves stdout and stderr as files. A script ends by `finish`, if it has counted checks.
. "$(dirname "$0")/requires.sh"
build=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "${top_srcdir:-.}" && pwd)
satfilter=${SATFILTER:-$build/satfilter}
satbench=$build/satbench
work=$(mktemp -d "${TMPDIR:-/tmp}/satfilter-$(basename "$0" .sh).XXXXXX") || exit 1
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$work"' EXIT
cd "$work" || exit 1
umask 022
LC_ALL=C
: "${CC:=cc}"
export LC_ALL satfilter
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs the tests

# ------------------------------------------------------------- what is counted

passed=0 failed=0 skipped=0
# check NAME FOUND WANTED
check()
{
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $1: '$2' instead of '$3'"
        head -n 5 stderr 2>/dev/null || true
    fi
}
# holds WHAT COMMAND...: which ends with 0
holds()
{
    what=$1 code=0
    shift
    "$@" || code=$?
    check "$what" "$code" 0
}
# skip THING SENTENCE: see without()
skip()
{
    without "$@"
    skipped=$((skipped + 1))
}
finish()
{
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}
# fail WORD...: ends the script
fail()
{
    echo "FAILED: $*" >&2
    exit 1
}
# must COMMAND...: with what it says if it fails
must() { "$@" >log 2>&1 || fail "$*: $(cat log)"; }

# ------------------------------------------------------------- the command

run() { "$satfilter" "$@" >stdout 2>stderr </dev/null; }
said() { sed 's/^satfilter: //' stderr; }
files() { (cd "$1" 2>/dev/null && find . -type f | LC_ALL=C sort | tr '\n' ' '); }
same() { cmp -s "$1" "$2" && echo same; }
# says TEXT: one line of stderr has it
says() { check "the message has '$1'" "$(grep -c -e "$1" stderr)" 1; }

# Each of these runs the command with WORD..., and counts one check.
#   ends STATUS TEXT WORD...     one line of stderr has the text: the only line, as messages are written, if the
#                                status is 1 or 2; without a text nothing is said but that a file was replaced
ends()
{
    wanted=$1 text=$2 code=0
    shift 2
    run "$@" || code=$?
    found="$code $(grep -c -e "$text" stderr || true)"
    case $wanted-$text in
    *-) found="$code $(grep -vc 'existed and was replaced' stderr || true)" wanted="$wanted 0" ;;
    [12]-*) wanted="$wanted 1 1 1" found="$found $(wc -l <stderr) $(grep -c '^[a-z]*: .' stderr || true)" ;;
    *) wanted="$wanted 1" ;;
    esac
    check "$*: status, lines with '$text'" "$found" "$wanted"
}
# each_ends STATUS: the same of rows on standard input, TEXT|WORD...
each_ends()
{
    status=$1
    while IFS='|' read -r text words; do
        eval "set -- $words"
        ends "$status" "$text" "$@"
    done
}
#   refuses STATUS TEXT WORD... OUTPUT     the same, and there is no output
refuses()
{
    ends "$@"
    for output; do :; done
    check "$*: the output" "$(ls -d "$output" 2>/dev/null)" ""
}
#   shows TEXT WORD...     ends with 0, and a line of stdout has the text
shows()
{
    text=$1 code=0
    shift
    run "$@" || code=$?
    check "$*: status, lines with '$text'" "$code $(grep -c -e "$text" stdout | sed 's/[1-9].*/some/')" "0 some"
}
#   tells STATUS SENTENCES WORD...     all that it says
tells()
{
    wanted="$1 $2" code=0
    shift 2
    run "$@" || code=$?
    check "$*" "$code $(said)" "$wanted"
}
#   makes FILE WORD... OUTPUT          ends with 0 and says nothing; the output is as the file
makes()
{
    like=$1
    shift
    ends 0 '' "$@"
    for output; do :; done
    check "$*: the output" "$(same "$like" "$output")" same
}
#   fills STATUS "FILE..." WORD... FOLDER     the folder has these files then, and no others
fills()
{
    wanted="$1 $2" code=0
    shift 2
    run "$@" || code=$?
    for output; do :; done
    check "$*" "$code $(files "$output" | sed 's,\./,,g; s/ $//')" "$wanted"
}
#   gives WANTED COMMAND WORD...       the command prints that, of what is there then
gives()
{
    wanted=$1 command=$2 code=0
    shift 2
    run "$@" || code=$?
    check "$*: $command" "$code $(eval "$command")" "$wanted"
}

# after WANTED COMMAND LINE: the same of a line of shell with redirections or pipes
after()
{
    code=0
    eval "$3" 2>stderr || code=$?
    check "$3: $2" "$code $(eval "$2")" "$1"
}

# typed ANSWER COMMAND: runs the command at a terminal on which the answer is typed; its output is in the file screen.
# The shell is sh for everyone: shells differ in what they write of their own. The fifo stays open, for script(1) waits
# two seconds at the end of its input.
typed()
{
    rm -f answers && mkfifo answers && exec 9<>answers && printf '%s\n' "$1" >&9
    code=0
    SHELL=/bin/sh script -qec "$2" /dev/null <&9 >screen 9>&- || code=$?
    exec 9>&-
    return $code
}
# answers ANSWER WANTED COMMAND WHAT: typed, and what the command prints of what is there then, behind the status
answers()
{
    code=0
    typed "$1" "$4" || code=$?
    check "$4, answered '$1': $3" "$code $(eval "$3")" "$2"
}

# lint PAGE: mandoc or groff finds nothing in a man page
lint()
{
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$1" >found 2>&1 || true
    elif command -v groff >/dev/null; then
        groff -man -Tutf8 -ww -z "$1" >found 2>&1 || true
    else
        skip mandoc "the man page's lint (neither mandoc nor groff)"
        return
    fi
    check "the man page" "$(grep -v 'missing date' found || true)" ""
}

# ------------------------------------------------------------- pictures

# noise WIDTH HEIGHT CHANNELS [SEED]: printable samples as PGM or PPM, the same each time
noise()
{
    awk -v w="$1" -v h="$2" -v c="$3" -v s="${4:-1}" 'BEGIN {
        printf "P%d\n%d %d\n255\n", c == 3 ? 6 : 5, w, h
        for (i = 0; i < w * h * c; i++) {
            s = (s * 16807 + 7) % 2147483647
            printf "%c", 33 + s % 94
        }
    }'
}
# npy DESCR SHAPE BYTES: an array, its bytes as printf has them
npy()
{
    printf "\223NUMPY\1\0\166\0%-117s\n" "{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
    printf '%b' "$3"
}
# values FILE TYPE COUNT: the last samples of a file; a type is u1, u2, u4, u8, f4 or f8
values()
{
    bytes=$(($3 * ${2#[a-z]}))
    tail -c $bytes "$1" | od -An -v -w$bytes -t"$2" | tr -s ' ' | sed 's/^ //; s/ $//'
}
