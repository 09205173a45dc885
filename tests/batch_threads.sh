#!/usr/bin/env bash
# Files of a batch side by side: pictures, messages and status are those of one thread, whatever
# ends first; within the limit of memory.
set -u
. "$(dirname "$0")/script.sh"

# without what no two runs have in common: times, and the stage that takes longest
untimed()
{
    sed -E 's/[0-9.]+ m?s\b/T/g; s/ \([0-9.]+ a second\)//; s/, waiting T//; s/; [a-z]+ takes longest//
        s/"bound": "[a-z]*"//; s/("ms"|"stages"): (\{[^}]*\}|[0-9.]+)//g; s/[0-9]+ threads?//g
        s/"threads": [0-9]+//; s/"(decode|compute|encode|waiting|total)": [0-9.]+//g'
}

# ---------------------------------------------------- any number of threads

mkdir in in/sub
noise 700 500 3 >large.ppm
noise 97 61 3 2 >small.ppm
noise 1 1 3 >dot.ppm
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
    "$satfilter" --device cpu -T "$threads" "$@" -r in --filelist list -o "$out" >stdout 2>stderr
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
        for what in '' .stdout .stderr; do # pictures, what is printed, messages
            check "${filters[i]}, $threads threads: $what" "$(diff -rq one$i$what many$i$what 2>&1 | head -n 4)" ""
        done
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

finish
