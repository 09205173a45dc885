#!/usr/bin/env bash
# Batches: lists, folders, names of any bytes, ten thousand files, failures.
set -u
. "$(dirname "$0")/script.sh"

printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
mkdir -p tree/a/deep tree/b tree/.hidden tree/empty
for file in x a/x a/deep/y b/x .hidden/x b/.x; do cp in.pgm tree/$file.pgm; done
echo text >tree/b/notes.txt
ln -s ../.. tree/b/loop
ln -s x.pgm tree/b/link.pgm

# ------------------------------------------------------------------- lists

printf 'in.pgm\n\ntree/a/deep/y.pgm' >list
fills 0 'in.pgm y.pgm' --box 3 --filelist list -o o1 # --filelist
after '0 ./in.pgm ./link.pgm ./y.pgm ' 'files o2' '"$satfilter" --box 3 tree/b/link.pgm --filelist - -o o2 <list'
odd=$(printf 'line\nend \377\302\205\033.pgm')
cp in.pgm "$odd"
printf '%s\0in.pgm\0' "$odd" >list0
gives '0 3 same' 'echo "$(ls o3 | wc -l) $(cmp "o3/$odd" o1/in.pgm && echo same)"' --box 3 --filelist0 list0 -o o3
gives '2 1 ' 'echo "$(grep -c filelist0 stderr) $(ls -d o4 2>/dev/null)"' --box 3 --filelist list0 -o o4
: >none
gives '2 1 ' 'echo "$(wc -l <stderr) $(ls -d o4 2>/dev/null)"' --box 3 --filelist none -o o4 # an empty list
ends 1 . --box 3 --filelist missing -o o4 # a missing list
ends 1 . --box 3 --filelist tree -o o4 # a folder as a list
ends 2 '-o DIR' --box 3 --filelist list out.png # a list without -o
rm "$odd"
printf '%s\0' "$odd" >list0
run --box 3 --filelist0 list0 -o o4
check "a message is one printable line" "$? $(wc -l <stderr) $(tr -d '\n' <stderr | tr -d '[:print:]' | wc -c)" "1 1 0"
check "it is UTF-8" "$(iconv -f UTF-8 -t UTF-8 stderr >/dev/null 2>&1 && echo yes)" yes

# ----------------------------------------------------------------- folders

fills 0 'a/deep/y.pgm a/x.pgm b/link.pgm b/x.pgm x.pgm' --box 3 -r tree -o o5 # -r
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
ends 3 'tree/x.pgm: is named twice; once is enough' --box 3 -r tree tree/x.pgm -o o7 # a collision with an operand
ends 2 'no input\|replace an input' --box 3 -r tree -o tree # a tree onto itself
ends 1 . --box 3 -r missing -o o7 # a missing folder
echo text >plain
ends 1 . --box 3 -r tree -o plain # a file as -o
mkdir -p broken/s
echo text >broken/s/x.png
cp in.pgm broken/y.pgm
gives '3 o8 o8/y.pgm ' "find o8 | LC_ALL=C sort | tr '\n' ' '" --box 3 -r broken -o o8 # folders of failed inputs go
mkdir o9 && : >o9/a
fills 3 'a b/link.pgm b/x.pgm x.pgm' --box 3 -r tree -o o9 # a file in a folder's place

# A directory that vanishes while a batch runs: the rest fails, nothing hangs or is left. A batch may be
# through before: then it is run again.
mkdir many
for i in $(seq 400); do cp in.pgm "many/$i.pgm"; done
for _ in $(seq 50); do
    "$satfilter" --box 3 -r many -o gone 2>stderr &
    for _ in $(seq 1000); do
        [ "$(ls gone 2>/dev/null | wc -l)" -lt 1 ] || break
        sleep 0.002
    done
    mv gone went && rm -r went
    wait $!
    status=$?
    [ $status -eq 0 ] || break
    rm -rf gone
done
check "a directory that vanishes: status" "$status" 3

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
gives '3 18 3' 'echo "$(ls o10 | wc -l) $(wc -l <stderr)"' --box 3 -r mixed -o o10 # failures are told once
check "which" "$(head -n 2 stderr | cut -d: -f2 | tr -d '\n')" " mixed/15.pgm mixed/27.pgm"
check "how many" "$(sed -n '3s/ in [0-9.]* s\( ([0-9.]* a second)\)*//p' stderr)" \
    "satfilter: 18 of 20 done, 2 failed"

# ------------------------------------------------------------- ten thousand

mkdir ten
for _ in $(seq 10000); do printf 'P5\n3 2\n255\n\001\002\003\004\005\006'; done |
    split -b 17 -d -a 4 --additional-suffix=.pgm - ten/
start=$(date +%s%N)
(ulimit -n 40 && "$satfilter" -q --box 3 -r ten -o o11 2>stderr)
check "ten thousand files with 40 descriptors" "$? $(ls o11 | wc -l)" "0 10000"
echo "ten thousand files: $((($(date +%s%N) - start) / 1000000)) ms"
find ten -name '*.pgm' -print0 | (ulimit -n 40 && "$satfilter" -q --box 3 --filelist0 - -o o11 2>stderr)
check "the same by a list, replacing them" "$? $(ls -A o11 | wc -l) $(cmp o11/4711.pgm o5/x.pgm && echo same)" \
    "0 10000 same"

finish
