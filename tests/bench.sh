#!/bin/sh
# satbench: every table on small images, its JSON and its plot, and its errors.
set -eu
. "$(dirname "$0")/script.sh"
. "$source/tests/satbench.sh"

expect 0 --help
expect 0 --version
expect 0 --list
for word in sat filter 2r2w 4r1w blocked box; do
    grep -q "^  $word " out || fail "--list does not name $word"
done

# Every figure is checked against the reference before it is printed, so a run is a test.
expect 0 sat --sizes 1,67x31,130x9 --types u8,u8:u64,u16,f32,f64,f32:f32 --channels 1,3 \
    --repeat 2 --json sat.json --plot sat.svg
says '^| reference' 0 sat --sizes 64 --algorithms reference,auto -T 1 --repeat 1 --markdown
# Rows that are sequential stand beside a copy on one thread, whatever -T allows.
says '^2r2w  *f64  *f64  *1024  *1024  *1  *1 ' 0 sat --sizes 1K --algorithms 2r2w,4r1w,blocked -T 2 --repeat 1
grep -q '^4r1w  *f64  *f64  *1024  *1024  *1  *1 ' out || fail "4r1w used threads: $(cat out)"
grep -q '^blocked  *f64  *f64  *1024  *1024  *1  *2 ' out || fail "blocked used one: $(cat out)"
expect 0 sat --sizes 600x700 --types u8,f32 --algorithms 2r1w,1r1w,1+r --r 0.5 -T 3 \
    --repeat 1 --json paper.json
[ "$(grep -c '^\(2r1w\|1r1w\|1+r\) ' out)" = 6 ] || fail "the dissertation's rows: $(cat out)"
[ "$(grep -c '"name": "1+r".* "r": 0.5' paper.json)" = 2 ] || fail "r is not told: $(cat paper.json)"
expect 0 sat --sizes 600 --types u8 --algorithms sweep --repeat 1 --json sweep.json
[ "$(grep -o '"r": [^,]*' sweep.json | sort -u | wc -l)" -eq 32 ] || fail "values of r: $(cat out)"
says '^2R2W(CPU) ' 0 sat --sizes 64 --algorithms paper --repeat 1
expect 0 filter --sizes 67x31,40 --types u8,u16,f32 --windows 1,4,15,90 --channels 1,3 \
    --filters box,variance,stddev,template,integral --repeat 2 --json filter.json --plot filter.svg
expect 0 filter --sizes 67x31,40 --types u8,u16,f32,f64,u8:f32 --channels 1,3 --repeat 2 \
    --filters transpose,rotate,rotate=180,rotate=270,flip,flip=v,permute --json move.json
printf '%s\n' '-3 -2 4 5 1' '0 0 1 1 -2' '2 -9 3 7 1/3' '-1 1 9 2 0.5' >four.txt
expect 0 filter --sizes 67x31 --types u8,u8:f32 --filters template=four.txt --repeat 2
[ "$(grep -c '^template=four.txt ' out)" -eq 2 ] || fail "a template of a file: $(cat out)"
expect 1 filter --sizes 67x31 --filters template=missing.txt
[ "$(grep -c '"name": "rotate=270"' move.json)" -eq 20 ] || fail "records of rotate=270"

if command -v python3 >/dev/null 2>&1; then
    python3 - <<'PYTHON' || fail "the JSON is not as documented"
import datetime
import json
import re
import xml.dom.minidom

common = {"table": str, "name": str, "input": str, "width": int, "height": int, "channels": int,
          "ms": (int, float), "ms_min": (int, float), "copy_ms": (int, float),
          "x_copy": (int, float)}
tables = {"sat": (dict(common, sum=str, device=str), 6 * 6 * 2 * 3),
          "filter": (dict(common, output=str, window=int, threads=int), (4 * 4 + 1) * 2 * 3 * 2)}
for table, (fields, count) in tables.items():
    with open(table + ".json") as file:
        document = json.load(file)
    assert set(document) == {"program", "version", "commit", "command", "date", "device", "records"}
    assert re.fullmatch("[0-9a-f]{12}|unknown", document["commit"]), document["commit"]
    assert document["program"] == "satbench" and table in document["command"]
    datetime.datetime.strptime(document["date"], "%Y-%m-%dT%H:%M:%SZ")
    device = document["device"]
    assert {"kind", "name", "driver", "threads"} <= set(device)
    assert device["kind"] == "cpu" and device["threads"] >= 1 and device["name"] and "runtime" not in device
    assert len(document["records"]) == count, (table, len(document["records"]))
    for record in document["records"]:
        assert set(record) == set(fields) | ({"r"} if record["name"] == "1+r" else set()), record
        for key, kind in fields.items():
            assert isinstance(record[key], kind), (key, record)
        assert record["table"] == table
        assert 0 < record["ms_min"] <= record["ms"] and record["copy_ms"] > 0
        ratio = record["ms"] / record["copy_ms"]
        assert abs(record["x_copy"] - ratio) < 1e-3 * ratio
    xml.dom.minidom.parse(table + ".svg")
PYTHON
else
    without python3 "there is no python3: the JSON of figures is not looked into"
fi
for plot in sat.svg filter.svg; do
    grep -q '</svg>' "$plot" || fail "$plot is not complete"
done

# The memory machines, simulated: without a device, and the same with the same seed.
expect 0 model --simulate --sizes 128 --widths 4,32 --json model.json --plot model.svg
expect 0 rap --simulate --widths 16,32 --samples 20000 --json rap.json --plot rap.svg
cp out first
expect 0 rap --simulate --widths 16,32 --samples 20000
cmp -s out first || fail "a simulation does not repeat"
expect 0 amm --simulate --json amm.json
expect 0 giles --simulate --json giles.json --plot giles.svg
expect 0 coalesce --simulate --json coalesce.json --plot coalesce.svg
expect 0 model --simulate --sizes 64 --widths 8 --algorithms 1+r,2r1w --r 0.1 --latency 7 --markdown
if command -v python3 >/dev/null 2>&1; then
    python3 - <<'PYTHON' || fail "the JSON of the simulations is not as documented"
import json
import xml.dom.minidom

def records(table):
    with open(table + ".json") as file:
        found = json.load(file)["records"]
    assert all(record["table"] == table for record in found)
    return found

model = records("model")
assert len(model) == 2 * (2 * 5 + 10)
rounds = {"d-designated": 3, "s-designated": 3, "transpose": 4, "row-wise": 8, "column-wise": 16,
          "scheduled": 32}
for record in model:
    assert record["n"] == 128 * 128 and record["w"] in (4, 32)
    ratio = record["time_units"] / record["formula"]
    if record["name"] in rounds:
        assert record["rounds"] == rounds[record["name"]]
        assert abs(ratio - 1) < (0.005 if record["permutation"] == "random" else 1e-9) \
            if "permutation" in record else ratio == 1, record
    else:
        assert 0.98 < ratio < 1.3, record

rap = {(r["name"], r["access"], r["w"]): r["congestion"] for r in records("rap")}
assert len(rap) == (3 * 4 + 7 * 6) * 2
for w in (16, 32):
    assert rap["raw", "stride", w] == w and rap["rap", "stride", w] == 1
    assert all(rap[name, "contiguous", w] == 1 for name in ("raw", "ras", "rap"))
assert abs(rap["raw", "random", 32] - 3.44) < 0.03
assert abs(rap["ras", "stride", 32] - 3.53) < 0.03
assert abs(rap["rap", "diagonal", 32] - 3.61) < 0.03

giles = records("giles")
assert [record["I"] for record in giles] == list(range(1, 129))
assert all(record["congestion"] == 1 for record in giles)
assert giles[31]["congestion_unpadded"] == 32 and giles[31]["words"] == 1055

amm = {(r["kernel"], r["case"], r["name"], r["processor"]): r for r in records("amm")}
assert len(amm) == 6 * 3 * 2
naive, padded, ours = (amm["foo1", 2, name, "tk1"] for name in ("naive", "padded", "amm"))
assert naive["stages"] == 32 * ours["stages"] == 32 * padded["stages"]
assert naive["blocks"] == ours["blocks"] > padded["blocks"]
assert naive["violations"] > 0 == ours["violations"]

coalesce = records("coalesce")
copies = {r["offset"]: r for r in coalesce if r["part"] == "copy"}
assert sorted(copies) == list(range(33))
for offset, r in copies.items():
    assert r["global_reads"] == (1 if offset % 32 == 0 else 2), r
    assert r["sector_reads"] == (4 if offset % 8 == 0 else 5), r
cases = {(r["part"], r["name"]): r for r in coalesce if r["part"] != "copy"}
assert len(cases) == 2 + 2 + 3
assert cases["powers shared", "interleaved"]["shared_writes"] == 1
assert cases["powers shared", "consecutive"]["shared_writes"] == 32
assert cases["powers global", "consecutive"]["sector_writes"] == 32
assert cases["product", "strided"]["global_reads"] == 32
for name in ("coalesced", "staged"):
    r = cases["product", name]
    assert r["global_reads"] == r["shared_reads"] == r["shared_writes"] == 1, r
for plot in ("model", "rap", "giles", "coalesce"):
    xml.dom.minidom.parse(plot + ".svg")
PYTHON
else
    without python3 "there is no python3: the JSON of simulations is not looked into"
fi
says 'counted only' 1 model
for table in rap amm giles coalesce; do
    says '--device cuda, or --simulate' 1 $table
done
for table in model rap amm giles coalesce; do
    expect 2 $table --simulate --device cuda
done
expect 2 sat --simulate
expect 2 filter --simulate
expect 2 amm --simulate --plot amm.svg
expect 2 amm --simulate --samples 5
for table in permute permute-global; do
    expect 2 $table --simulate --plot plot.svg
done
says 'leave out --repeat' 2 giles --simulate --repeat 3
says '32 banks' 2 rap --widths 32,64
expect 2 rap --simulate --widths 1
expect 2 rap --simulate --samples 0
expect 2 rap --simulate --latency 5
expect 2 model --simulate --algorithms nonsense
expect 2 model --simulate --sizes 64x32
expect 2 model --simulate --sizes 48 --widths 32
expect 2 model --simulate --latency 0

# Permutations: stages of shared memory and distributions are counted without a device.
says '^transpose  *d-designated  *in-place  *f32  *1  *1  *1.000  *32.00  *33.00  *1.000  *16.00  *17.00 *$' \
    0 permute --simulate --json permute.json
awk '$2 == "conflict-free" && $3 == "array" { seen++; bad += $9 != "4.000" || $12 != "4.000" }
    END { exit !seen || bad }' out ||
    fail "a schedule has conflicts: $(cat out)"
expect 0 permute --simulate --types f32 --patterns shuffle --algorithms copy
[ "$(grep -c '^shuffle  *copy  *array  *f32  *1  *1 .* 2.000  *1.000  *1.000  *2.000 *$' out)" -eq 1 ] ||
    fail "the copy is missing: $(cat out)"
expect 0 permute-global --simulate --sizes 64,96x160 --algorithms all,auto --types f32 --json global.json
awk '$3 == "scheduled" || $3 == "row-wise" { seen++; bad += $NF != "1.000" }
    END { exit !seen || bad }' out ||
    fail "a schedule has conflicts: $(cat out)"
grep -q '^bit-reversal: skipped\|bit-reversal: skipped' err || fail "96x160 is no power of two"
for pattern in identical shuffle random bit-reversal transpose; do
    grep -q "\"pattern\": \"$pattern\"" global.json || fail "global.json has no $pattern"
done
says '^random  *mean  *fused  *-  *f32  *256  *256  *2048  *64 .* 1.000 *$' 0 permute-global --simulate --sizes 256 \
    --patterns random --samples 5 --types f32 --algorithms fused --tile 2048
expect 0 permute-global --simulate --sizes 64 --patterns transpose --types f32 \
    --algorithms transpose,fused --layouts raw,diagonal
grep -q "^transpose  *-  *transpose  *raw  *f32 .* 4.500 *$" out || fail "no conflicts in raw: $(cat out)"
grep -q "^transpose  *-  *transpose  *diagonal  *f32 .* 1.000 *$" out || fail "conflicts: $(cat out)"
expect 2 permute-global --simulate --layouts nonsense
# What would be ignored is refused, and what is skipped says why.
says 'of transpose' 2 permute-global --simulate --sizes 64 --layouts raw
says 'of random' 2 permute-global --simulate --sizes 64 --patterns transpose --samples 5
says 'of fused' 2 permute-global --simulate --sizes 64 --algorithms scheduled --tile 2048
expect 0 permute-global --simulate --sizes 33x65 --patterns random --samples 3 --types f32 \
    --algorithms s-designated,fused
grep -q '^satbench: fused, random: skipped, .*elements' err || fail "nothing says why: $(cat err)"
for table in permute permute-global; do
    says '--device cuda, or --simulate' 1 $table
    expect 2 $table --simulate --types u8
    expect 2 $table --simulate --algorithms nonsense
    expect 2 $table --simulate --patterns nonsense
done
expect 2 permute-global --simulate --sizes 64K

# A file on standard output has it for itself; the table goes to standard error.
for name in - /dev/stdout; do
    expect 0 sat --sizes 8 --algorithms blocked --repeat 1 --json $name
    [ "$(head -c 1 out)" = '{' ] || fail "--json $name: $(head -n 1 out)"
    [ "$(tail -n 1 out)" = '}' ] || fail "--json $name: something follows the JSON"
    grep -q '^blocked ' err || fail "--json $name: no table on standard error"
done
expect 0 sat --sizes 8 --algorithms blocked --repeat 1 --plot -
[ "$(head -c 4 out)" = '<svg' ] || fail "--plot -: $(head -n 1 out)"
expect 2 sat --json - --plot -

# 0 threads: one per core.
expect 0 sat --sizes 8 --algorithms blocked --repeat 1 -T 0 --json cores.json
cores=$(sed -n 's/.*"threads": \([0-9]*\)$/\1/p' cores.json)
[ "${cores:-0}" -ge 1 ] || fail "-T 0: $cores threads"

# The man page names every option and table.
expect 0 --help
cp out help
expect 0 --help-man
cp out man.1
words=$(grep -o -e '--[a-z]*' help | sort -u | at_least 25 "options of --help")
for word in sat filter $words; do
    grep -qF -e "$(printf '%s' "$word" | sed 's/-/\\-/g')" man.1 || fail "the man page lacks $word"
done
for table in sat filter model rap giles coalesce; do
    grep -m 1 -A 1 -e '--plot FILE' help | tail -n 1 | grep -qw "$table" || fail "--plot: no $table"
done
for table in amm permute permute-global; do
    grep -m 1 -A 1 -e '--plot FILE' help | tail -n 1 | grep -q -e "$table\(,\|\$\)" && fail "--plot: $table"
done
awk 'length > 100 { exit 1 }' help || fail "--help is wider than 100 columns"
lint man.1

expect 2
for table in permute permute-global rap amm giles coalesce model; do
    grep -q "^  $table " help || fail "the help lacks $table"
done
expect 2 nonsense
says 'no such option; see --help' 2 sat --nonsense
says 'did you mean --sizes?' 2 sat --sized 8
says 'behind a table' 2 --sizes 8 sat
says 'filter does not take it' 2 filter --widths 8
expect 2 sat sizes
expect 2 sat --json=
expect 0 sat --sizes=8 --algorithms blocked --repeat 1 -T1
expect 0 sat --help
cmp -s out help || fail "--help behind a table differs"
expect 2 sat --sizes
expect 2 sat --sizes 0
expect 2 sat --sizes 1K,
expect 2 sat --sizes 99999999999999999999
expect 2 sat --types u9
expect 2 sat --types u32
expect 2 sat --algorithms nonsense
expect 2 sat --channels 5
expect 2 sat --windows 3
expect 2 sat -T -1
expect 2 sat -T 1025
expect 2 sat --repeat 1e3
expect 2 sat --device gpu
expect 2 sat --markdown=yes
expect 2 sat --r 1
expect 2 sat --tile 0
expect 2 sat --sizes 8 --tile 32
expect 2 sat --sizes 8 --block-threads 64
says 'of CUDA rows' 2 sat --sizes 8 --search
expect 2 sat --block-threads 1025
expect 2 filter --search
expect 2 sat --sizes 8 --sync launch
expect 2 sat --sync never
expect 2 filter --tile 32
expect 2 permute --sync launch
expect 2 permute-global --r 0.5
expect 2 filter --windows 65536
expect 2 filter --filters nonsense
expect 2 filter --filters rotate=45
expect 2 filter --filters box=3
expect 2 filter --filters ''

# --device cuda works where there is a device, and otherwise says so.
for table in sat filter; do
    if ! "$satbench" $table --device cuda --sizes 64 --repeat 1 >out 2>err; then
        says 'no CUDA device' 1 $table --device cuda --sizes 64
    fi
done

# Files appear at the end, whole; a run that fails leaves none and changes none.
echo before >kept
code=0
"$satbench" filter --filters nonsense --json kept --plot new.svg 2>err || code=$?
[ "$code" -eq 2 ] || fail "exit $code, not 2"
[ "$(cat kept)" = before ] || fail "a failed run changed an existing file"
[ ! -e new.svg ] || fail "a failed run left a plot"
expect 1 sat --sizes 8 --json missing/file.json
[ -z "$(find . -name '*.tmp*' -o -name '.sat*')" ] || fail "temporary files were left: $(ls -a)"
finish
