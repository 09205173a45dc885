#!/bin/sh
# satbench paper: every table and figure of the papers, with or without a device, the papers' own
# figures in it, and counts that equal them where they are exact.
set -eu
. "$(dirname "$0")/script.sh"
only=paper
. "$source/tests/satbench.sh"

names="4.1 4.2 4.3 4.4 5.1 5.2 5.3 6.1 6.2 rap1 rap2 rap3 rap4 amm6 amm7 amm8 giles lecture"
expect 0 --list
[ "$(sed -n 's/^  \([^ ]*\) .*/\1/p' out | paste -s -d ' ' -)" = "$names" ] || fail "--list: $(cat out)"
expect 0 --record
[ "$(sed -n 's/^\([^ ]*\)  [^ ].*/\1/p' out | grep -xE '[4-6][.].|(rap|amm).|giles|lecture' | paste -s -d ' ' -)" = \
    "$names" ] || fail "not every table in its turn: $(cat out)"

# Names as people write them, several, whole papers; each table once.
expect 0 4.1 RAP III
[ "$(grep -c '^\(4.1\|rap3\)  ' out)" -eq 2 ] || fail "not two tables: $(cat out)"
expect 0 AMM "amm figure 6" Amm6 --record
[ "$(grep -c '^amm[678]  ' out)" -eq 3 ] || fail "not the paper's three figures: $(cat out)"
says '"6.3"; nearest: 6.1, 6.2;' 2 6.3
says 'nearest: rap1, rap2, rap3, rap4;' 2 6.2 rap7
says 'satbench paper --list' 2 nonsense
expect 2 a-name-that-is-far-longer-than-any-that-the-list-of-tables-of-the-papers-has
expect 2 --nonsense
expect 2 6.2 --device gpu
expect 2 6.2 --device
if ! "$satbench" sat --device cuda --sizes 8 --repeat 1 >out 2>err; then
    says 'no CUDA device' 1 6.2 --device cuda
fi

# Curves need a file of their own, and a table that has some; nothing is left of a file that was not finished.
says 'none of the tables that are asked for has curves; 6.2 has$' 2 4.1 --plot curves.svg
says 'the tables go to standard output$' 2 6.2 --plot -
says '^satbench: nowhere/curves.svg: ' 1 6.2 --plot nowhere/curves.svg
[ ! -e curves.svg ] || fail "a plot of nothing"

# What cannot be printed is a failure.
code=0
"$satbench" paper 4.1 >/dev/full 2>err || code=$?
[ "$code" -eq 1 ] && grep -q 'standard output' err || fail "exit $code with a full disk: $(cat err)"

# Records are told from what is measured here; nothing is measured where that is asked for.
says '^record: NVIDIA H200, measured 2026-[0-9-]*, results/h200/sat.json$' 0 6.2 --record
grep -q '^ *here ' out && fail "--record measures: $(cat out)"
says '^ *here  *[0-9.]* *[0-9.]* *[0-9.]* *[0-9.]*  *-  *-' 0 6.2 --device cpu
grep -q '^here: .*, satbench sat --types f64 --algorithms 2r2w,4r1w' out || fail "what ran: $(cat out)"
grep -q 'satbench paper 6.2 --full' out || fail "nothing says how to get the other sizes: $(cat out)"
grep -q '^2R1W .* paper .* 61 *$' out || fail "the paper's figure is missing: $(cat out)"

# Markdown: as many columns in each line.
says '^| 2R1W | paper | 0.332 | 0.850 .* | 61 |$' 0 6.2 --record --markdown
[ "$(grep '^|' out | awk -F '|' '{ print NF }' | sort -u)" = 17 ] || fail "Markdown is ragged: $(cat out)"

# The claims: all of them, as the page has them, and alone those of a table.
claims=$(grep -c '^claim ' "$source/tools/satbench/paper/papers.txt")
expect 0 --check --record --markdown
[ "$(grep -c '| holds\|| does not hold\|| cannot be told here' out)" -eq "$claims" ] ||
    fail "not $claims claims: $(cat out)"
sed -n '/<!-- claims -->/,/<!-- end -->/{/^<!--/d;p;}' "$source/docs/tables/claims.md" >page
cmp out page || fail "docs/tables/claims.md has not what satbench paper --check --record --markdown prints"
says '^RAP has no conflicts .* equal *holds$' 0 rap2 --check --device cpu
[ "$(grep -c holds out)" -eq 3 ] || fail "not the claims of table II alone: $(cat out)"
grep -q '^Of 3 claims 3 hold, none fails, and 0 cannot be told here.$' out || fail "$(cat out)"
grep -q -e '--record' out && fail "a record is named where nothing needs it: $(cat out)"
says '^RAP is about 10 .* cannot be told here: takes a CUDA device$' 0 rap3 --check --device cpu
grep -q 'satbench paper --check --record.$' out || fail "nothing says who has measured: $(cat out)"
says 'does not hold$' 0 rap3 --check --record
grep -q '^Of 3 claims 0 hold, 3 do not (3 for a known reason), and 0 cannot be told here.$' out || fail "$(cat out)"
grep -q '^    known: since then banks are 4 bytes wide' out || fail "nothing says why: $(cat out)"

# Minutes and memory are said before anything is measured, each run counted once; and of what takes no time only if a
# size is asked for.
mkfifo told
first_words()
{
    "$satbench" paper "$@" --device cpu >out 2>told &
    measuring=$!
    read -r said <told
    kill "$measuring" || fail "satbench paper $*: it had ended when it said what it takes"
    wait "$measuring" 2>/dev/null || :
}
first_words 6.2 --full
[ "$said" = "satbench: this takes some 4 minutes on a CPU, and up to 11 GB of memory" ] || fail "$said"
first_words --full
[ "$said" = "satbench: this takes some 6 minutes on a CPU, and up to 11 GB of memory" ] || fail "$said"
first_words --check
[ "$said" = "satbench: this takes some 15 seconds on a CPU, and up to 0.6 GB of memory" ] || fail "$said"
expect 0 4.1 --quick --device cpu
[ "$(cat err)" = "satbench: this takes some 5 seconds on a CPU, and up to 0.1 GB of memory" ] || fail "$(cat err)"
expect 0 4.1
[ ! -s err ] || fail "a table that takes no time says how much: $(cat err)"
expect 0 6.2 --full --record
[ ! -s err ] || fail "nothing is run, which takes this: $(cat err)"
says '^satbench: --quick and --full cannot be combined$' 2 4.1 --quick --full

# Another machine's file: another kind of file is refused, and its figures stand below ours.
says 'sat.json is not what satbench paper --json writes$' 1 4.1 --against "$source/results/h200/sat.json"
says 'No such file' 1 4.1 --against nowhere.json
expect 0 6.2 --record --json
mv out there.json
sed 's/"record": \[0.0140,/"record": [0.0280,/' there.json >slower.json
says '^ *there *0.0280 ' 0 6.2 --record --against slower.json
grep -q '^ *ratio *0.5  *1 .* 1$' out || fail "our 0.0140 ms are not half of 0.0280: $(cat out)"
sed 's/"record": \[0.0140,/"record": [0.0240,/' there.json >slower.json
code=0
"$satbench" paper 6.2 --check --record --against slower.json >out 2>err || code=$?
[ "$code" -eq 1 ] || fail "exit $code, though 2R1W is not the fastest at 1K there: $(cat out)"
grep -q '^2R1W is the fastest up to 4K .* holds  *1.121 (1K)  *0.833  *does not hold$' out || fail "$(cat out)"

if ! python3 -c '' 2>/dev/null; then
    without python3 "there is no python3: the cells are not compared"
    exit 0
fi
expect 0 --device cpu --json
python3 - "$satbench" "$source" <<'PYTHON' || fail "the tables are not as the papers have them"
import json
import re
import subprocess
import sys
import xml.dom.minidom

with open("out") as file:
    tables = {table["name"]: table for table in json.load(file)["tables"]}
shape = {"4.1": (4, 8), "4.2": (5, 7), "4.3": (5, 12), "4.4": (5, 7), "5.1": (6, 7), "5.2": (10, 15),
         "5.3": (3, 4), "6.1": (7, 5), "6.2": (10, 13), "rap1": (2, 3), "rap2": (4, 15),
         "rap3": (3, 9), "rap4": (7, 7), "amm6": (4, 12), "amm7": (1, 12), "amm8": (1, 12),
         "giles": (17, 9), "lecture": (12, 9)}
assert list(tables) == list(shape)
rows = {}
for name, (height, width) in shape.items():
    table = tables[name]
    assert len(table["rows"]) == height and len(table["columns"]) == width, name
    for row in table["rows"]:
        rows[name, row["label"]] = row
        lines = [row[line] for line in ("paper", "counted", "here", "record") if line in row]
        assert lines and all(len(line) == width for line in lines), (name, row)
        assert all(any(cell is not None for cell in line) for line in lines), (name, row)
        # a record stands only where it has what was not measured here
        assert "record" not in row or not all(
            r is None or h is not None for r, h in zip(row["record"], row.get("here", [None] * width)))
    for record in table["records"]:
        assert record["device"] == "NVIDIA H200" and record["date"].startswith("2026-")
    assert any("record" in row for row in table["rows"]) <= bool(table["records"])
    assert all({"of", "command", "date", "driver", "device"} <= set(run) for run in table["runs"])
    assert all(re.fullmatch("[0-9a-f]{12}|unknown", run["commit"]) for run in table["runs"])
    assert {run["of"] for run in table["runs"]} == {
        line for row in table["rows"] for line in ("counted", "here") if line in row}, name
    assert (name[:3] == "amm") == (table["machine"] is None) == \
        all("paper" not in row for row in table["rows"]), name

# Some of the papers' figures, and where they stand.
column = {name: [(c["group"], c["title"]) for c in table["columns"]] for name, table in tables.items()}
def cell(name, label, line, group, title):
    return rows[name, label][line][column[name].index((group, title))]
assert cell("6.2", "2R1W", "paper", None, "18K") == 61
assert cell("6.2", "4R1W", "paper", None, "5K") == 113
assert cell("6.2", "r (0 < r < 1)", "paper", None, "7K") == 0.0876
assert cell("6.2", "4R1W(CPU)", "paper", None, "1K") == 18.0
assert cell("4.2", "Random", "paper", "Algorithms (array-use)", "S-designated") == 275.5
assert cell("4.4", "Transpose", "paper", "Algorithms (in-place)", "D-designated") == 839.3
assert cell("5.2", "(a) transpose", "paper", "S-designated", "4096") == 2037
assert cell("5.2", "(b) random", "paper", "Our scheduled", "2048") == 275
assert cell("5.2", "(b) random", "paper", "Our scheduled", "4096") is None
assert cell("5.3", "maximum", "paper", None, "D_w(P)/n") == 0.9999
assert cell("rap3", "CRSW Transpose", "paper", "RAP", "ns") == 154.5
assert cell("rap3", "DRDW Transpose", "paper", "RAS", "write") == 3.53
assert cell("lecture", "3. powers, stride 32", "paper", None, "x first") == "close to 32"

# Records, by the committed files.
assert cell("6.2", "2R1W", "record", None, "18K") == 2.14
assert cell("6.2", "fastest (1+r)R1W", "record", None, "16K") == 1.36
assert cell("6.2", "1.25R1W", "record", None, "16K") == 1.39
assert cell("4.2", "Transpose", "record", "Algorithms (in-place)", "Conflict-free") == 64.78
assert cell("rap3", "CRSW Transpose", "record", "RAP", "ns") == 97.6
assert "record" not in rows["5.3", "average"] and "here" in rows["6.2", "2R2W(CPU)"]
assert "here" not in rows["6.2", "2R2W"]

# Counts are the papers' where these are exact.
for label in ("Copy", "D-designated", "S-designated", "Our conflict-free"):
    assert rows["4.1", label]["counted"] == rows["4.1", label]["paper"], label
for label in ("Identical", "Transpose", "Shuffle", "Bit-reversal"):
    assert rows["4.3", label]["counted"][:6] == rows["4.3", label]["paper"][:6], label
for row in tables["5.1"]["rows"]:
    assert row["counted"][:6] == row["paper"][:6], row
    time, formula = row["counted"][6].split(", formula ")
    assert time == formula, row
side, w = 1024, 32
barriers = {"2R2W": 1, "4R4W": 3, "4R1W": 2 * side - 2, "2R1W": 2, "1R1W": 2 * side // w - 2,
            "1.25R1W": side // w + 4}
for label, count in barriers.items():
    assert rows["6.1", label]["counted"][3] == count, label
leading = {"2R2W": (1, 1, 1, 1, 0, 0), "4R4W": (4, 4, 0, 0, 2, 2), "4R1W": (0, 0, 4, 1, 0, 0),
           "2R1W": (2, 1, 0, 0, 4, 3), "1R1W": (1, 1, 0, 0, 2, 2),
           "1.25R1W": (1.25, 1, 0, 0, 2.5, 2.25), "(1+r)R1W": (1.1, 1, 0, 0, 2.2, 2.1)}
def multiple(text):
    return 0 if text == "-" else 1 if text == "n" else float(text.rstrip("n"))
for label, counts in leading.items():
    counted = rows["6.1", label]["counted"]
    parts = [multiple(part) for text in counted[:3]
             for part in ((text or "-/-").split("/") if text not in (None, "-") else ("-", "-"))]
    assert all(abs(a - b) < 0.13 for a, b in zip(parts, counts)), (label, parts)
    time, formula = map(float, counted[4].split(", formula "))
    assert 0.99 < time / formula < 1.04, label
for row in tables["rap2"]["rows"]:
    for paper, counted in zip(row["paper"], row["counted"]):
        assert counted == paper if isinstance(paper, int) else abs(counted - paper) < 0.03, row
assert rows["rap1", "Stride"]["counted"][0] == 32 and rows["rap1", "Stride"]["counted"][2] == 1
exact = {"w": 32, "3w": 96, "w^3": 32 ** 3, "w^2 + w": 32 ** 2 + 32}
for row in tables["rap4"]["rows"]:
    for paper, counted in zip(row["paper"], row["counted"]):
        if isinstance(paper, int) or paper in exact:
            assert counted == exact.get(paper, paper), row
        else:
            assert 7 < counted < 9 if paper.startswith("6 ") else 3.3 < counted < 3.7, row
for way in ("CRSW", "SRCW", "DRDW"):
    row = rows["rap3", way + " Transpose"]
    for i in (0, 1, 3, 4, 6, 7):
        assert abs(row["counted"][i] - row["paper"][i]) < 0.1, row
for row in tables["giles"]["rows"]:
    assert row["counted"][0] == row["paper"][0] == 1, row
assert cell("giles", "I = 32", "counted", None, "words") == 1055
assert cell("amm6", "Foo 1", "counted", "blocks on a TK1", "padded") == 2

# The curves have a point for each figure of the paper, of the record and of this machine, above the axes' names.
def drawn(*options):
    run = subprocess.run([sys.argv[1], "paper", "6.2", "--device", "cpu", "--json", "--plot", "curves.svg", *options],
                         stdout=subprocess.PIPE, check=True)
    table = json.loads(run.stdout)["tables"][0]
    lines = [line for row in table["rows"] for key, line in row.items() if key != "label"]
    picture = xml.dom.minidom.parse("curves.svg")
    x = [float(circle.getAttribute("cx")) for circle in picture.getElementsByTagName("circle")]
    assert len(x) == sum(cell is not None for line in lines for cell in line), options
    assert all(len({at for at in x if (at > 440) == panel}) == 13 for panel in (0, 1)), sorted(x)
    return picture, {t.firstChild.data for t in picture.getElementsByTagName("text")}
picture, texts = drawn("--record")
assert {"time in ms", "side of the matrix, sqrt n", "r of the fastest (1+r)R1W", "fastest (1+r)R1W",
        "record: NVIDIA H200"} <= texts and not any(t.startswith("here:") for t in texts), texts
circles = [c for c in picture.getElementsByTagName("circle") if float(c.getAttribute("cx")) > 440]
shown = [1 - (float(c.getAttribute("cy")) - 56) / 300 for c in circles]
r = [cell for row in tables["6.2"]["rows"] if row["label"].startswith("r ") for line in ("paper", "record")
     for cell in row[line]]
assert all(abs(a - b / (1.08 * max(r))) < 0.001 for a, b in zip(shown, r)), (shown, r)
def skeleton(path):
    with open(path) as file:
        parts = re.split(r"([0-9.]+)", file.read())
    return parts[::2], [float(number) for number in parts[1::2] if number.strip(".")]
page, here = skeleton(sys.argv[2] + "/docs/images/h200-table-6.2.svg"), skeleton("curves.svg")
assert page[0] == here[0] and all(abs(a - b) < 0.11 for a, b in zip(page[1], here[1])), \
    "docs/images/h200-table-6.2.svg is not what satbench paper 6.2 --record --plot draws"
_, texts = drawn()
assert any(t.startswith("here: ") for t in texts), texts

# The same table alone has the same paper, counts and records.
alone = json.loads(subprocess.run([sys.argv[1], "paper", "rap3", "6.1", "--json", "--device", "cpu"],
                                  stdout=subprocess.PIPE, check=True).stdout)["tables"]
assert [t["rows"] for t in alone] == [tables[name]["rows"] for name in ("6.1", "rap3")]
PYTHON

# Claims are judged by the cells: those of the papers' own figures hold but for what a paper says against its table, and
# each turns where its table has other figures.
expect 0 --check --record --json
mv out record.json
python3 - "$satbench" <<'PYTHON' || fail "claims are not judged by the cells"
import copy
import json
import random
import re
import subprocess
import sys

with open("record.json") as file:
    ours = json.load(file)
LINES = ("counted", "here", "record")
# AMM's figures and the lecture's copies have no numbers in the text: there the record's remain.
WORDS = [c["claim"] for c in ours["claims"]
         if c["paper"].split()[0] in ("AMM", "lecture") and c["verdict"] == "does not hold"]

def judged(change):
    there = copy.deepcopy(ours)
    for table in there["tables"]:
        for row in table["rows"]:
            change(row)
    with open("there.json", "w") as file:
        json.dump(there, file)
    run = subprocess.run([sys.argv[1], "paper", "--check", "--record", "--json", "--against", "there.json"],
                         stdout=subprocess.PIPE)
    claims = json.loads(run.stdout)["claims"]
    broken = [c for c in claims if "does not hold" in (c["verdict"], c["verdict there"]) and not c["known"]]
    assert run.returncode == (1 if broken else 0), (run.returncode, broken)
    assert [c["verdict"] for c in claims] == [c["verdict"] for c in ours["claims"]]
    return claims

def change_lines(row, to):
    for line in LINES:
        row[line] = [to(column, cell) for column, cell in enumerate(row[line])] if line in row else []

def of_the_paper(row):
    printed = row.get("paper", [None] * 16)
    change_lines(row, lambda i, cell: printed[i] if isinstance(printed[i], (int, float)) else cell)

fails = [c["claim"] for c in judged(of_the_paper) if c["verdict there"] == "does not hold"]
assert fails == ["1.25R1W is ahead of 2R1W and 1R1W from 5K on"] + WORDS, fails

def spoilt(cell, factor):
    """The cell with each number times one of its own."""
    text = re.sub(r"[\d.]+|(?<![a-z])n|^-$|^[a-z]$",
                  lambda m: str(factor() * float(m[0])) if m[0][0].isdigit() else "77", str(cell))
    return cell if cell is None else float(text) if text.replace(".", "").isdigit() else text

# Then the same by the inverse: of any two numbers one has become greater.
left = {c["claim"] for c in ours["claims"] if c["verdict"] == "holds"}
for sign in (1, -1):
    draw = random.Random(4)
    spoil = lambda row: change_lines(row, lambda i, cell: spoilt(cell, lambda: 1000 ** draw.uniform(-sign, sign)))
    left -= {c["claim"] for c in judged(spoil) if c["verdict there"] == "does not hold"}
assert not left, left
PYTHON
