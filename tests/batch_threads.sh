#!/usr/bin/env bash
# Files of a batch side by side: pictures, messages and status are those of one thread, whatever
# ends first; within the limit of memory; nothing is left by signals and full disks.
# SATFILTER_SIGNALS=200 sends so many signals, in place of 30.
set -u
. "$(dirname "$0")/sure.sh"
build=$(cd "${top_builddir:-.}" && pwd)
satfilter=${SATFILTER:-$build/satfilter}
signals=${SATFILTER_SIGNALS:-30}
work=$(mktemp -d "${TMPDIR:-/tmp}/satfilter-threads.XXXXXX") || exit 1
mounted=
trap '[ -z "$mounted" ] || umount "$work/full"; rm -rf "$work"' EXIT
cd "$work" || exit 1
LC_ALL=C
export LC_ALL

passed=0 failed=0 skipped=0
check()
{
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $1: '$2' instead of '$3'"
    fi
}
skip()
{
    without "$@"
    skipped=$((skipped + 1))
}
picture() # WIDTH HEIGHT >PPM
{
    awk -v w="$1" -v h="$2" 'BEGIN {
        printf "P6\n%d %d\n255\n", w, h
        for (i = 0; i < w * h * 3; i++) {
            s = (s * 16807 + 7 + w) % 2147483647
            printf "%c", 33 + s % 94
        }
    }'
}
# without what no two runs have in common: times, and the stage that takes longest
untimed()
{
    sed -E 's/[0-9.]+ m?s\b/T/g; s/ \([0-9.]+ a second\)//; s/, waiting T//; s/; [a-z]+ takes longest//
        s/"bound": "[a-z]*"//; s/("ms"|"stages"): (\{[^}]*\}|[0-9.]+)//g; s/[0-9]+ threads?//g
        s/"threads": [0-9]+//; s/"(decode|compute|encode|waiting|total)": [0-9.]+//g'
}

# ---------------------------------------------------- any number of threads

mkdir in in/sub
picture 700 500 >large.ppm
picture 97 61 >small.ppm
picture 1 1 >dot.ppm
kinds=(png jpg ppm npy)
for i in $(seq 10 69); do
    case $((i * 7919 % 10)) in
    0) cp large.ppm "in/$i.ppm" ;;
    1) "$satfilter" -q --flip h large.ppm "in/$i.${kinds[i % 4]}" ;;
    2) head -c $((1000 + i * 50)) large.ppm >"in/$i.ppm" ;;
    3) echo "no picture" >"in/$i.png" ;;
    4) : >"in/$i.jpg" ;;
    5) "$satfilter" -q --flip h --png-level 1 small.ppm "in/$i.png" && truncate -s -99 "in/$i.png" ;;
    6) cp dot.ppm "in/sub/$i.ppm" ;;
    *) "$satfilter" -q --flip h small.ppm "in/$i.${kinds[i % 4]}" ;;
    esac
done
printf '%s\n' in/none.png in/10.ppm in/sub/10.ppm in/11.ppm in/none.jpg in/sub >list
batch() # THREADS DIR OPTION...
{
    local threads=$1 out=$2
    shift 2
    "$satfilter" -T "$threads" "$@" -r in --filelist list -o "$out" >stdout 2>stderr
    echo "status $?" >>stdout
    untimed <stdout | sed "s|$out/|OUT/|g" >"$out.stdout"
    untimed <stderr | sed "s|$out/|OUT/|g" >"$out.stderr"
}
filters=('--box 15 -v --json' '--variance 9 --format png --json' '--rotate 90 --box 3 -v'
    '--box 5 --integral --format jpg' '--no-stream --box 9 --json -q')
for i in 0 1 2 3 4; do
    # shellcheck disable=SC2086 # lists of options
    batch 1 one$i ${filters[i]}
    for threads in 2 3 16; do
        # shellcheck disable=SC2086
        batch $threads many$i ${filters[i]}
        check "${filters[i]}, $threads threads: pictures" "$(diff -rq one$i many$i 2>&1 | head -n 4)" ""
        check "${filters[i]}, $threads threads: standard output" "$(diff one$i.stdout many$i.stdout | head -n 4)" ""
        check "${filters[i]}, $threads threads: messages" "$(diff one$i.stderr many$i.stderr | head -n 4)" ""
        rm -r many$i
    done
done
check "the batch was mixed" "$(tail -n 1 one0.stdout) $(grep -c '"error"' one0.stdout)" "status 3 30"

# Two names of one output: the first input has it, and the later ones fail.
mkdir and other
for i in 1 2 3 4; do cp large.ppm and/$i.ppm && cp small.ppm other/$i.ppm; done
for threads in 1 4; do
    rm -rf o$threads && mkdir -p o$threads/other && ln -s other o$threads/and
    "$satfilter" -q -T $threads --box 3 --parents -r and -r other -o o$threads 2>stderr
    check "folders that are one, $threads threads" "$? $(grep -c 'its output .* is that of' stderr)" "3 4"
done
check "folders that are one" "$(diff -rq o1/other o4/other 2>&1) $(ls o4/other | wc -l)" " 4"
# An output that is a folder's name, and an input that the batch makes.
mkdir -p tree/a.ppm && cp small.ppm tree/a.ppm/x.ppm && cp large.ppm a.ppm
for threads in 1 4; do
    "$satfilter" -T $threads --box 3 a.ppm p$threads/a.ppm --filelist <(echo a.ppm) -r tree --parents \
        -o p$threads 2>err$threads
    echo "status $?" >>err$threads
done
check "names that are files and folders" "$(sed 's/p4/p1/g; s/ in .*//' err4)" "$(sed 's/ in .*//' err1)"
for threads in 1 4; do
    (mkdir q$threads && cd q$threads && cp ../large.ppm a.ppm &&
        "$satfilter" -q -T $threads --box 3 --parents a.ppm out/a.ppm -o out)
    check "an input that the batch makes, $threads threads" "$?" 0
done
check "the same by one thread" "$(cmp q1/out/out/a.ppm q4/out/out/a.ppm)" ""

# ------------------------------------------------------------------- limits

# One picture takes 2 x 1050000 bytes and more: several do not fit, then only one, then none.
mkdir same && for i in 1 2 3 4 5 6 7 8; do cp large.ppm same/$i.ppm; done
for limit in 40M 9M 5M 2500K 1100K 1000K; do
    for threads in 1 4; do
        "$satfilter" -T $threads --no-stream --max-memory $limit --box 9 same/*.ppm -o m$threads 2>stderr
        echo "status $? $(grep -c max-memory stderr)" >m$threads.status
    done
    check "--max-memory $limit" "$(cat m4.status) $(diff -rq m1 m4 2>&1)" "$(cat m1.status) "
done
check "the least limit" "$(cat m4.status)" "status 1 8"
rm -rf m1 m4
(ulimit -n 40 && "$satfilter" -q -T 16 --box 9 same/*.ppm -o m4) 2>stderr
check "few open files" "$? $(find m4 -type f | wc -l) $(cat stderr)" "0 8 "
if (ulimit -v 150000 && "$satfilter" --version) >/dev/null 2>&1; then
    for threads in 1 16; do
        (ulimit -v 150000 && "$satfilter" -q -T $threads --box 9 same/*.ppm -o a$threads) 2>stderr
        echo "status $? $(find a$threads -type f | wc -l) $(cat stderr)" >a$threads.status
    done
    check "little address space" "$(cat a16.status)" "$(cat a1.status)"
else
    skip address-space "little address space (a sanitizer needs much)"
fi

# A disk that has room for one of them.
mkdir full
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1500k tmpfs full 2>/dev/null; then
    mounted=yes
    "$satfilter" -T 4 --box 9 same/*.ppm -o full 2>stderr
    there=$(find full -type f | wc -l)
    failed_there=$(grep -c 'No space' stderr) not_tried=$(sed -n 's/.* \([0-9]*\) not tried.*/\1/p' stderr)
    check "a full disk" "$((there + failed_there + ${not_tried:-0})) $((there < 2)) $((failed_there <= 4))" "8 1 1"
    check "what is there is whole" "$(for i in full/*.ppm; do [ "$there" = 0 ] || cmp "$i" m4/1.ppm; done)" ""
    umount full && mounted=
else
    skip tmpfs "a full disk (tmpfs cannot be mounted)"
fi

# ------------------------------------------------------------------ signals

batch=("$satfilter" --box 15 --format png --png-level 3 -T 4 -r same)
start=$(date +%s%N)
"${batch[@]}" -q -o whole
whole_ms=$((($(date +%s%N) - start) / 1000000 + 2))
left=0 wrong=0 midst=0 said=0 status=0
for i in $(seq "$signals"); do
    rm -rf out
    names=(INT TERM HUP)
    signal=${names[i % 3]}
    # bash ignores SIGINT for what it runs behind it; env does not
    env --default-signal=INT "${batch[@]}" -o out 2>stderr &
    child=$!
    sleep "$(awk -v r=$((RANDOM % 1000)) -v t=$whole_ms 'BEGIN { printf "%.4f", r / 1000 * t / 1000 }')"
    kill -"$signal" $child 2>/dev/null
    wait $child 2>/dev/null
    code=$?
    if [ $code -ne 0 ]; then
        [ $code -eq $((128 + $(kill -l "$signal"))) ] || status=$((status + 1))
        ! grep -v " done in " stderr || said=$((said + 1)) # that it has ended is no message
    fi
    for output in out/*.png; do
        [ -e "$output" ] || continue
        [ $code -eq 0 ] || midst=1
        cmp -s "$output" "whole/${output#out/}" || wrong=$((wrong + 1))
    done
    [ -z "$(find out -name '.*' -type f 2>/dev/null)" ] || left=$((left + 1))
done
check "signals: partial outputs, temporary files, messages, other statuses" \
    "$wrong $left $said $status" "0 0 0 0"
check "a run was ended in its midst" "$midst" 1
check "what outputs were compared with" "$(find whole -name '*.png' | wc -l)" 8

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
