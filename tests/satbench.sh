# shellcheck shell=sh
# How tests/bench.sh and tests/paper.sh run satbench, behind script.sh. A script that sets only runs that table alone.

# expect STATUS ARGUMENTS...: that exit status; a failure says so in one line, and prints nothing.
expect()
{
    status=$1
    shift
    code=0
    "$satbench" ${only:+"$only"} "$@" >out 2>err || code=$?
    [ "$code" -eq "$status" ] || fail "satbench $*: exit $code, not $status: $(cat err)"
    if [ "$status" -ne 0 ]; then
        [ "$(grep -c '^satbench: ' err)" -eq 1 ] || fail "satbench $*: not one line: $(cat err)"
        [ "$(wc -l <err)" -eq 1 ] || fail "satbench $*: more than a line: $(cat err)"
        [ ! -s out ] || fail "satbench $*: prints something: $(head -n 1 out)"
    fi
}

# says PATTERN STATUS ARGUMENTS...: and the pattern is in what it prints, or in what it says of its failure.
says()
{
    pattern=$1
    shift
    expect "$@"
    case $1 in
    0) said=out ;;
    *) said=err ;;
    esac
    grep -q -e "$pattern" $said || fail "satbench $*: no '$pattern': $(cat $said)"
}
