# shellcheck shell=sh
# What makes sure that a script has tested something. A script reads it before it goes elsewhere:
#     . "$(dirname "$0")/requires.sh"

# at_least N WHAT: hands on the lines of a list that a program prints, and fails if there are fewer. A loop goes
# through what was handed on, so that it is not left out with the list:
#     names=$(PROGRAM | at_least 10 "names of PROGRAM") || exit 1
at_least()
{
    awk -v least="$1" -v what="$2" 'NF { print; count++ } END {
        if (count < least) print "FAIL: " what ": " count + 0 " instead of " least " or more" >"/dev/stderr"
        exit count < least
    }'
}

# without THING SENTENCE: says what is not tested, since something is not there. Where that has been installed this is
# a failure: CHECK_HAS is a list of what has, as .ci/run knows it.
without()
{
    echo "skipped: $2"
    case " ${CHECK_HAS:-} " in
    *" $1 "*)
        echo "FAIL: $1 is installed (CHECK_HAS), so nothing may be skipped for lack of it"
        exit 1
        ;;
    esac
}

# leave THING SENTENCE: the same of a whole script, which ends as skipped.
leave()
{
    without "$@"
    exit 77
}

# needs PROGRAM SENTENCE: leaves unless the program is there.
needs() { command -v "$1" >/dev/null 2>&1 || leave "$@"; }
