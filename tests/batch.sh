#!/usr/bin/env bash
# Batches: lists, folders, names of any bytes, ten thousand files, failures.
set -u
. "$(dirname "$0")/script.sh"

printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
mkdir -p tree/a/deep tree/b tree/.hidden tree/empty
cp in.pgm tree/x.pgm
cp in.pgm tree/a/x.pgm
cp in.pgm tree/a/deep/y.pgm
cp in.pgm tree/b/x.pgm
cp in.pgm tree/.hidden/x.pgm
cp in.pgm tree/b/.x.pgm
echo text >tree/b/notes.txt
ln -s ../.. tree/b/loop
ln -s x.pgm tree/b/link.pgm

# ------------------------------------------------------------------- lists

printf 'in.pgm\n\ntree/a/deep/y.pgm' >list
run --box 3 --filelist list -o o1
check "--filelist" "$? $(files o1)" "0 ./in.pgm ./y.pgm "
"$satfilter" --box 3 tree/b/link.pgm --filelist - -o o2 <list 2>stderr
check "--filelist - beside an operand" "$? $(files o2)" "0 ./in.pgm ./link.pgm ./y.pgm "
odd=$(printf 'line\nend \377\302\205\033.pgm')
cp in.pgm "$odd"
printf '%s\0in.pgm\0' "$odd" >list0
run --box 3 --filelist0 list0 -o o3
check "--filelist0 with a name of two lines" "$? $(ls o3 | wc -l) $(cmp "o3/$odd" o1/in.pgm && echo same)" \
    "0 3 same"
run --box 3 --filelist list0 -o o4
check "NUL bytes in --filelist" "$? $(grep -c filelist0 stderr) $(ls -d o4 2>/dev/null)" "2 1 "
: >none
run --box 3 --filelist none -o o4
check "an empty list" "$? $(wc -l <stderr) $(ls -d o4 2>/dev/null)" "2 1 "
run --box 3 --filelist missing -o o4
check "a missing list" "$? $(wc -l <stderr)" "1 1"
run --box 3 --filelist tree -o o4
check "a folder as a list" "$? $(wc -l <stderr)" "1 1"
run --box 3 --filelist list out.png
check "a list without -o" "$? $(grep -c -e '-o DIR' stderr)" "2 1"
rm "$odd"
printf '%s\0' "$odd" >list0
run --box 3 --filelist0 list0 -o o4
check "a message is one printable line" "$? $(wc -l <stderr) $(tr -d '\n' <stderr | tr -d '[:print:]' | wc -c)" "1 1 0"
check "it is UTF-8" "$(iconv -f UTF-8 -t UTF-8 stderr >/dev/null 2>&1 && echo yes)" yes

# ----------------------------------------------------------------- folders

run --box 3 -r tree -o o5
check "-r" "$? $(files o5)" "0 ./a/deep/y.pgm ./a/x.pgm ./b/link.pgm ./b/x.pgm ./x.pgm "
check "no folder without need" "$(ls -d o5/empty 2>/dev/null)" ""
run --box 3 --recursive=tree/ -o o6 --format png
check "--recursive=DIR/" "$? $(files o6)" "0 ./a/deep/y.png ./a/x.png ./b/link.png ./b/x.png ./x.png "
(cd tree && "$satfilter" --box 3 -r . -o out && "$satfilter" --box 3 -r . -o out) 2>stderr
check "the output's folder inside, twice" "$? $(files tree/out)" \
    "0 ./a/deep/y.pgm ./a/x.pgm ./b/link.pgm ./b/x.pgm ./x.pgm "
rm -r tree/out
run --box 3 -r tree -r tree/a -o o7
check "collisions of two trees" "$? $(grep -c ': its output o7/.* is that of .* too' stderr) $(files o7)" \
    "3 1 ./a/deep/y.pgm ./a/x.pgm ./b/link.pgm ./b/x.pgm ./deep/y.pgm ./x.pgm "
run --box 3 -r tree tree/x.pgm -o o7
check "a collision with an operand" "$? $(grep -c 'tree/x.pgm: is named twice; once is enough' stderr)" "3 1"
run --box 3 -r tree -o tree
check "a tree onto itself" "$? $(grep -c 'no input\|replace an input' stderr)" "2 1"
run --box 3 -r missing -o o7
check "a missing folder" "$? $(wc -l <stderr)" "1 1"
echo text >plain
run --box 3 -r tree -o plain
check "a file as -o" "$? $(wc -l <stderr)" "1 1"
mkdir -p broken/s
echo text >broken/s/x.png
cp in.pgm broken/y.pgm
run --box 3 -r broken -o o8
check "folders of failed inputs go" "$? $(find o8 | LC_ALL=C sort | tr '\n' ' ')" "3 o8 o8/y.pgm "
mkdir o9 && : >o9/a
run --box 3 -r tree -o o9
check "a file in a folder's place" "$? $(files o9)" "3 ./a ./b/link.pgm ./b/x.pgm ./x.pgm "

# A batch may be through before anything befalls it: then it is run again, until one was not.
tries=50
mkdir many
for i in $(seq 400); do cp in.pgm "many/$i.pgm"; done
# start DIR OUTPUTS: runs a batch into DIR until that many outputs are there; its process is $child.
start()
{
    rm -rf "$1"
    "$satfilter" --box 3 -r many -o "$1" 2>stderr &
    child=$!
    for _ in $(seq 1000); do
        [ "$(ls "$1" 2>/dev/null | wc -l)" -lt "$2" ] || break
        sleep 0.002
    done
}

# A directory that vanishes while a batch runs: the rest fails, nothing hangs or is left.
for _ in $(seq $tries); do
    start gone 1
    rm -rf went && mv gone went && rm -r went
    wait $child
    status=$?
    [ $status -eq 0 ] || break
done
check "a directory that vanishes: status" "$status" 3

# A signal in the middle of a batch: what is there is complete, the rest is not there.
set -m
for signal in TERM INT; do
    [ "$(trap -p SIG$signal)" != "trap -- '' SIG$signal" ] || continue
    wrong=0 left=0
    for _ in $(seq $tries); do
        start "cut$signal" 5
        kill -$signal $child 2>/dev/null
        wait $child 2>/dev/null
        status=$?
        for output in "cut$signal"/*.pgm; do cmp -s "$output" o5/x.pgm || wrong=$((wrong + 1)); done
        left=$((left + $(find "cut$signal" -name '.*' -type f | wc -l)))
        count=$(ls "cut$signal" | wc -l)
        [ $status -eq 0 ] || [ "$count" -eq 400 ] || break
    done
    check "SIG$signal in a batch: status" "$status" $((128 + $(kill -l $signal)))
    check "SIG$signal in a batch: in its midst" "$([ "$count" -ge 5 ] && [ "$count" -lt 400 ] && echo yes)" yes
    check "SIG$signal in a batch: outputs" "$wrong $left" "0 0"
done
set +m

# ----------------------------------------------------- two writers, one output

for _ in 1 2 3 4 5 6; do
    "$satfilter" -q --box 3 tree/x.pgm one.pgm &
    "$satfilter" -q --box 1 tree/x.pgm one.pgm &
    wait
    cmp -s one.pgm o5/x.pgm || cmp -s one.pgm tree/x.pgm
    check "two processes, one output" $? 0
done
check "two processes leave nothing else" "$(ls -A | grep -c '^\.one')" 0

# ---------------------------------------------------------------- failures

mkdir mixed
for i in $(seq 10 29); do cp in.pgm "mixed/$i.pgm"; done
echo text >mixed/15.pgm
: >mixed/27.pgm
run --box 3 -r mixed -o o10
check "failures are told once" "$? $(ls o10 | wc -l) $(wc -l <stderr)" "3 18 3"
check "which" "$(head -n 2 stderr | cut -d: -f2 | tr -d '\n')" " mixed/15.pgm mixed/27.pgm"
check "how many" "$(sed -n '3s/ in [0-9.]* s\( ([0-9.]* a second)\)*//p' stderr)" \
    "satfilter: 18 of 20 done, 2 failed"

# ------------------------------------------------------------- ten thousand

mkdir ten
(cd ten && cp ../in.pgm 0.pgm && for i in $(seq 9999); do ln 0.pgm "$i.pgm"; done)
start=$(date +%s%N)
(ulimit -n 40 && "$satfilter" -q --box 3 -r ten -o o11 2>stderr)
check "ten thousand files with 40 descriptors" "$? $(ls o11 | wc -l)" "0 10000"
echo "ten thousand files: $((($(date +%s%N) - start) / 1000000)) ms"
find ten -name '*.pgm' -print0 | (ulimit -n 40 && "$satfilter" -q --box 3 --filelist0 - -o o11 2>stderr)
check "the same by a list, replacing them" "$? $(ls -A o11 | wc -l) $(cmp o11/4711.pgm o5/x.pgm && echo same)" \
    "0 10000 same"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
