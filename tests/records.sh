#!/bin/sh
# The tables of the pages are those of the records of the H200, and a page that says
# something else is found. Records are measured anew by their own commands, or stay.
set -eu
. "$(dirname "$0")/script.sh"
needs python3 "there is no python3: the tables of the pages are not compared with the records"
python3 "$source/tests/records/h200.py" --check

# What counts the words that were read wrong finds what the recurrence by its definition finds.
python3 -B - "$source/tests/bench" <<'end'
import random
import sys
sys.path.insert(0, sys.argv[1])
import reading

def plain(a, b):
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (one != other))
    return row[-1]

draw = random.Random(1)
for _ in range(2000):
    a, b = (draw.choices("abc", k=draw.randrange(12)) for _ in range(2))
    assert reading.distance(a, b) == plain(a, b), (a, b)
assert reading.share_right("a b c".split(), "a x c d".split()) == 1 - 2 / 3
assert [reading.pixels(p, 200) for p in ("0.15in", "0.25in", "0.5in", 31, 0.5)] == [31, 51, 101, 31, 0.5]
end

cd "$source"
for part in ./README.md docs/*.md docs/tables/* results/*/* tests/gpu/receipt.json tests/records/*.py \
    tools/satbench/paper/papers.txt tools/satfilter/selftest/digests.inc; do
    mkdir -p "$work/${part%/*}"
    cp "$part" "$work/$part"
done
chmod -R u+w "$work" # a tarball's files may be read-only
sed '/<!-- aims -->/,/<!-- end -->/s/1/2/g' docs/tables/sat.md >"$work/docs/tables/sat.md"
! python3 "$work/tests/records/h200.py" --check >"$work/found" || fail "a page with other figures goes unnoticed"
grep 'table aims' "$work/found"
cp docs/tables/sat.md "$work/docs/tables/"
sed 's/"with": \[ 31,/"with": [ 33,/' results/cpu/thresholds.json >"$work/results/cpu/thresholds.json"
! python3 "$work/tests/records/h200.py" --check >"$work/found" || fail "a page of other thresholds goes unnoticed"
grep 'docs/pages.md: the table' "$work/found"

cp results/cpu/thresholds.json "$work/results/cpu/"
sed 's/"wrong": 0,/"wrong": 1,/' results/cpu/exact.json >"$work/results/cpu/exact.json"
! python3 "$work/tests/records/h200.py" --check >"$work/found" || fail "a page of other exact results goes unnoticed"
grep 'docs/exact.md: the table' "$work/found"

# A filter whose digest has changed is stale in the rows of before, where these are kept; else all are.
cp results/cpu/exact.json "$work/results/cpu/"
digests=tools/satfilter/selftest/digests.inc
then=$(sed -n 's/^{"integers", "\(.*\)"},$/\1/p' $digests)
kept=$work/results/witness/digests-$(echo "$then" | cut -c 1-12).inc
cp $digests "$kept"
sed '/^{"\(box u8\|flip f32\|integers\)"/s/", "./", "x/' $digests >"$work/$digests"
rm -f "$work"/results/witness/*.log
end='floats=1 result=ok'
cat >"$work/results/witness/one.log" <<end
run: native
flags: -O3
witness: version=1 commit=a system="An x" compiler="cc 1" cpu="" instructions=base devices="" integers=$then $end
end
! python3 "$work/tests/records/h200.py" --check >"$work/found" || fail "other digests make no witness stale"
grep 'docs/witness.md: the table' "$work/found"
python3 "$work/tests/records/h200.py"
grep '^| An x | cc 1 | `-O3` | native | .* | ok | box, flip |$' "$work/docs/witness.md"
rm "$kept"
python3 "$work/tests/records/h200.py"
grep '^| An x .* | all |$' "$work/docs/witness.md"

# wolf's defaults are what the study chose.
chosen=$(python3 -c 'import json; print(*json.load(open("results/cpu/thresholds.json"))["records"][0]["chosen"])')
help=$("$satfilter" --help wolf | tr -s ' \n' ' ')
for value in $chosen; do
    echo "$help" | grep -q "(default $value)" || fail "wolf's defaults are not the record's $chosen"
done

# Three records of small tables: of this machine, of another, and one whose command fails.
mkdir -p "$work/docs/images" "$work/new"
cd "$work/new"
"$satbench" sat --sizes 16 --repeat 1 --json old.json --plot here.svg >/dev/null
rm here.svg
cd "$work/results/h200"
sed 's,: ".*satbench sat --sizes 16,: "/old/place/satbench sat --sizes 32,' "$work/new/old.json" >here.json
sed 's,"name": ".*"\,$,"name": "another"\,,; s,here.svg,elsewhere.svg,' here.json >elsewhere.json
sed 's,--sizes 32,--sizes none,; s,here.svg,fails.svg,' here.json >fails.json
cp ./*.json "$work"
record="python3 $work/tests/records/h200_record.py --build $build"
code=0
$record fails elsewhere here >"$work/said" 2>"$work/failed" || code=$?
[ "$code" -eq 1 ] || fail "exit $code, not 1, though two were not measured"
grep 'fails was not measured: exit status 2$' "$work/failed"
grep 'elsewhere was not measured: it is of another, this is ' "$work/failed"
for name in fails elsewhere; do
    cmp $name.json "$work/$name.json"
    [ ! -e "$work/docs/images/$name.svg" ] || fail "$name.svg was written"
done
grep '"command": "satbench sat --sizes 32 --repeat 1 --json here.json --plot here.svg"' here.json
grep -q '"width": 32,' here.json
grep -q '</svg>' "$work/docs/images/here.svg"
$record --into "$work/new" elsewhere >"$work/said"
cmp elsewhere.json "$work/elsewhere.json"
grep -q '"width": 32,' "$work/new/elsewhere.json"
grep -q '</svg>' "$work/new/elsewhere.svg"
