#!/usr/bin/env python3
"""Renders the tables of the pages and of docs/tables from the records in results/.

    h200.py [--check]

Each table stands between its page's `<!-- NAME -->` and `<!-- end -->` and is
written there in place. --check writes nothing and exits with 1 if a page does not
say what the records say. Whatever is compared is compared before it is rounded.
"""
import argparse
import json
import math
import re
import statistics
import sys

sys.dont_write_bytecode = True  # the source tree may be read-only, and stays as it is

import cpu_tables
import exact_tables
import h200_machine as machine
import scoreboard_table
import threshold_tables
import witness
from base import TOP, digits, grouped, ratio, read, records, side, table

# ------------------------------------------------------------------ table 6.2
LABELS = {"2r2w": "2R2W", "4r4w": "4R4W", "4r1w": "4R1W", "2r1w": "2R1W", "1r1w": "1R1W",
          "1.25": "1.25R1W", "1+r": "fastest (1+r)R1W", "skss": "SKSS", "lookback": "look-back",
          "cpu 2r2w": "2R2W(CPU)", "cpu 4r1w": "4R1W(CPU)"}


def table_6_2():
    """{label: {size: record}} of sat.json. Of a size's two records of 1+r the first has r = 1/4."""
    lines = {label: {} for label in LABELS.values()}
    for r in (r for r in records("sat") if r["input"] == "f64"):
        cpu = "cpu " if r.get("device") == "cpu" else ""
        label = LABELS[cpu + r["name"]]
        if r["name"] == "1+r" and r["width"] not in lines["1.25R1W"]:
            label = LABELS["1.25"]
        lines[label][r["width"]] = r
    return lines


def sizes_of(lines):
    return list(lines["look-back"])


def paper_6_2():
    """{label: {size: ms}} of the dissertation, as tools/satbench/paper/papers.txt has them."""
    sizes = [1024 * k for k in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18)]
    rows = read("tools/satbench/paper/papers.txt").split("\ntable 6.2\n")[1].split("\ntable ")[0]
    found = re.findall(r"(?m)^row ([^|\n]+) \| name=[^|]+\| ([\d.|]+)$(?!\ncells)", rows)
    return {label: dict(zip(sizes, map(float, ms.split("|")))) for label, ms in found}


def sat_ms():
    lines = table_6_2()
    sizes = sizes_of(lines)
    rows = [[label, *(digits(line[n]["ms"]) for n in sizes)] for label, line in lines.items()]
    best, lookback = lines["fastest (1+r)R1W"], lines["look-back"]
    rows.append(["r of the fastest", *(digits(best[n]["r"], 2) for n in sizes)])
    rows.append(["its way to wait", *(best[n]["sync"] for n in sizes)])
    rows.append(["copy of the same bytes", *(digits(lookback[n]["copy_ms"]) for n in sizes)])
    return table(["<ms", *(f"{n // 1024}K" for n in sizes)], rows)


def sat_ratios():
    lines = table_6_2()
    sizes = sizes_of(lines)
    rows = [[label, *(ratio(lines[label][n]["x_copy"]) for n in sizes)]
            for label in ("2R1W", "1R1W", "1.25R1W", "fastest (1+r)R1W", "SKSS", "look-back")]
    for label in ("look-back", "fastest (1+r)R1W"):
        rows.append([f"{label}, times as fast as the paper's better CPU program",
                     *(f"{lines[label][n]['speedup']:.0f}" for n in sizes)])
    return table(["<x copy", *(f"{n // 1024}K" for n in sizes)], rows)


def sat_order():
    """The sizes at which two algorithms of the paper are the other way round."""
    ours, paper = table_6_2(), paper_6_2()
    labels = [label for label in ours if label in paper]
    rows = []
    for i, one in enumerate(labels):
        for other in labels[i + 1:]:
            shared = [n for n in ours[one] if n in paper[one] and n in ours[other]]
            for first, second in ((one, other), (other, one)):
                turned = [n for n in shared if paper[first][n] < paper[second][n]
                          and ours[first][n]["ms"] >= ours[second][n]["ms"]]
                if turned:
                    most = max(ours[first][n]["ms"] / ours[second][n]["ms"] for n in turned)
                    rows.append([first, second, ", ".join(f"{n // 1024}K" for n in turned),
                                 ratio(most, 3)])
    return table(["<ahead in the paper", "<of", "<behind here at", "at most, times"], rows)


def pair(r):
    return f"{r['name']} {r['input']} to {r['sum']}"


def across(name, head, label, column, cell):
    """A line for each label of the record, a cell for each of what column() says."""
    columns = list(grouped(records(name), column))
    lines = []
    for text, group in grouped(records(name), label).items():
        at = {column(r): r for r in group}
        lines.append([text, *(cell(at[c]) if c in at else "" for c in columns)])
    return table([head, *columns], lines)


def types():
    return across("types", "<x copy (x convert)", pair, side,
                  lambda r: f"{r['x_copy']:.2f} ({r['x_convert']:.2f})")


def rows():
    return across("rows", "<ms (x copy)", pair, side,
                  lambda r: f"{digits(r['ms'])} ({digits(r['x_copy'])})")


def own_r():
    """How far the r that is taken by itself, the last of each size, is from the best of the sweep before it."""
    runs = [grouped(records(name, "h100"), side) for name in ("r-untuned", "r-tuned")]
    return table(["<", *runs[0]],
                 [[label, *(ratio(group[-1]["ms_min"] / min(r["ms_min"] for r in group[:-1]), 3)
                            for group in run.values())]
                  for label, run in zip(("r reckoned", "r by --tune"), runs)])


def channels():
    return across("channels", "<ms (x copy)", lambda r: f"{pair(r)}, {side(r)}",
                  lambda r: f"{r['channels']} channels",
                  lambda r: f"{digits(r['ms'])} ({r['x_copy']:.2f})")


# ------------------------------------------------------------ stages and bytes
STAGES_AT = (4, 8, 14, 16, 18)


def stages_row(label, r, wait):
    """
    One algorithm at one size: its stages and launches (cuda/sat/algorithms.cu), what it moves, and what
    of its time that leaves. Both triangles together have triangle * (triangle + 1) blocks, which
    are read twice.
    """
    blocks = -(-r["width"] // r["tile"])
    triangle = round(math.sqrt(r["r"]) * blocks) if r["name"] == "1+r" else 0
    stages = 2 * blocks - 1 - 2 * triangle
    moved = 2 + triangle * (triangle + 1) / blocks ** 2
    launches = (stages if wait == "launch" else 1) + (6 if triangle else 0)
    if r["name"] == "2r1w":
        stages, moved = 0, 3
        launches = 4 if blocks <= 32 else 7  # the table of block sums in turn, by 32 x 32
    beyond = r["ms"] - moved / 2 * r["copy_ms"]
    return [side(r), label, wait, ratio(r["r"]) if "r" in r else "", blocks, stages or "",
            "one graph" if wait == "graph" else launches, ratio(moved), digits(r["ms"]),
            digits(beyond), digits(1000 * beyond / stages) if r["name"] == "1r1w" else ""]


def stages():
    lines, rows = table_6_2(), []
    for n, group in grouped(records("launch"), lambda r: r["width"]).items():
        for r in group if n // 1024 in STAGES_AT else ():
            label = LABELS[r["name"]].replace("fastest ", "")
            if r["name"] == "2r1w":
                rows.append(stages_row(label, r, ""))
                continue
            best = lines[LABELS[r["name"]]][n]
            rows.append(stages_row(label, r, "launch"))
            if best["sync"] != "launch":
                rows.append(stages_row(label, best, best["sync"]))
    return table(["<n x n", "<algorithm", "<wait", "r", "blocks a side", "stages", "launches",
                  "elements moved, of n", "ms", "beyond its bytes, ms", "of that us a stage"], rows)


def crossings():
    """The sizes at which one algorithm is ahead of another: in the paper, here, and by launches."""
    best, paper, launch = table_6_2(), paper_6_2(), {}
    for r in records("launch"):
        launch.setdefault(LABELS[r["name"]], {})[r["width"]] = r

    def sizes(of, one, other):
        shared = [n for n in of.get(one, ()) if n in of.get(other, ())]
        ms = [(of[one][n], of[other][n]) for n in shared]
        won = [n for n, (a, b) in zip(shared, ms)
               if (a < b if of is paper else a["ms"] < b["ms"])]
        if not shared:
            return ""
        if won == shared:
            return "all"
        if won and won == shared[-len(won):]:
            return f"from {won[0] // 1024}K"
        return ", ".join(f"{n // 1024}K" for n in won) or "none"
    return table(["<ahead", "<of", "<in the paper", "<here, best wait", "<here, a launch a stage"],
                 [[one, other, *(sizes(of, one, other) for of in (paper, best, launch))]
                  for one, other in (("fastest (1+r)R1W", "1R1W"), ("fastest (1+r)R1W", "2R1W"),
                                     ("1R1W", "2R1W"), ("SKSS", "2R1W"),
                                     ("SKSS", "fastest (1+r)R1W"))])


# ----------------------------------------------------------------------- peers
def lookback_of(given, sums, width):
    return next((r for r in records("types") if (r["name"], r["input"], r["sum"], r["width"]) ==
                 ("lookback", given, sums, width)), None)


def peers():
    npp = [r for r in records("peers-npp") if r["name"].startswith("npp")]
    groups = grouped(records("peers") + npp, lambda r: (r["name"], r["input"], r["sum"]))
    sizes = list(grouped(records("peers"), lambda r: r["width"]))
    rows = []
    for (name, given, sums), group in groups.items():
        cells = []
        for n in sizes:
            r = next((r for r in group if r["width"] == n), None)
            own = lookback_of(given, sums, n)
            cells.append("" if not r else digits(r["ms"]) +
                         (f" ({r['ms'] / own['ms']:.1f})" if own else ""))
        rows.append([name, f"{given} to {sums}", *cells])
    return table(["<ms (times look-back's)", "<type", *(f"{n // 1024}K" for n in sizes)], rows)


def into():
    """Samples that their sums are wider than."""
    groups = grouped(records("into"), lambda r: (r["name"], r["input"], r["sum"]))
    sizes = list(grouped(records("into"), lambda r: r["width"]))
    return table(["<ms (copies)", "<type", *(f"{n // 1024}K" for n in sizes)],
                 [[name, f"{given} to {sums}",
                   *(f"{digits(r['ms'])} ({ratio(r['x_copy'], 2)})" for r in group)]
                  for (name, given, sums), group in groups.items()])


# --------------------------------------------------------------------- filters
def gauss():
    """gauss of u8 by its deviation."""
    groups = grouped(records("gauss"), lambda r: (r["width"], r["channels"]))
    names = list(grouped(records("gauss"), lambda r: r["name"]))
    return table(["n", "channels", *(f"σ {name.split('=')[1]}" for name in names)],
                 [[f"{n // 1024}K", channels,
                   *(f"{digits(r['ms'])} ({ratio(r['x_copy'], 1)})" for r in group)]
                  for (n, channels), group in groups.items()])


def filters(card):
    """All filters by the side of their window, in copies."""
    names = ["filter", "filter-8K", "filter-16K", "filter-16K-bytes"]
    names += ["filter-16K-words"] if card == "h200" else []
    chosen = [r for name in names for r in records(name, card)]
    sides = sorted(grouped(chosen, lambda r: r["window"]))
    rows = []
    for (n, name, given, output, channels), group in grouped(
            chosen, lambda r: (r["width"], r["name"], r["input"], r["output"],
                               r["channels"])).items():
        at = {r["window"]: r for r in group}
        rows.append([f"{n // 1024}K", name, f"{given} to {output}", channels,
                     *(f"{digits(at[w]['ms'])} ({ratio(at[w]['x_copy'], 1)})" if w in at else ""
                       for w in sides)])
    return table(["n", "<filter", "<type", "channels", *(str(w) for w in sides)], rows)


def beside_filters():
    """Filters beside those of CuPy and torch that do the same, by type and window."""
    own = {(r["name"], r["input"], r["window"]): r for name in ("filter", "gauss-types")
           for r in records(name) if (r["width"], r["channels"]) == (4096, 1)}
    rows = []
    for key, others in grouped(records("peers-filters"), lambda r: (r["name"], r["input"], r["window"])).items():
        name, given, window = key
        at = {r["peer"].split()[0]: digits(r["ms"] / own[key]["ms"], 2) for r in others}
        rows.append([name, given, window or "", digits(own[key]["ms"]), ratio(own[key]["x_copy"], 1),
                     at.get("cupy", ""), at.get("torch", "")])
    rows.sort(key=lambda row: (row[0], ("u8", "u16", "f32").index(row[1])))
    return table(["<filter", "<type", "window", "ms", "copies", "CuPy", "torch"], rows)


def windows():
    """Boxes by the side of their window, on both cards."""
    sides = list(grouped(records("box"), lambda r: r["window"]))
    rows = []
    for card in ("h200", "h100"):
        for n, group in grouped(records("box", card), lambda r: r["width"]).items():
            at = {r["window"]: r for r in group}
            rows.append([card.upper(), f"{n // 1024}K",
                         *(f"{digits(at[w]['ms'])} ({ratio(at[w]['x_copy'])})" for w in sides)])
    return table(["<", "n", *(f"{w}" for w in sides)], rows)


def moves():
    chosen = records("moves")
    names = list(grouped(chosen, lambda r: r["name"]))
    rows = []
    for (given, channels), group in grouped(
            chosen, lambda r: (r["input"], r["channels"])).items():
        at = {r["name"]: r for r in group}
        copies = [r["copy_ms"] for r in group]
        rows.append([given, channels, digits(statistics.median(copies)),
                     *(ratio(at[name]["x_copy"]) for name in names)])
    return table(["<", "channels", "copy, ms", *(f"{name}, x copy" for name in names)], rows)


# ------------------------------------------------------------------------ aims
def verdict(met):
    return "met" if met else "missed"


def aims():
    lines, rows = table_6_2(), []
    best = lines["fastest (1+r)R1W"]
    for given in ("f32", "f64"):
        limits = {8: 1.15, 16: 1.10, 32: 1.10}
        found = {k: lookback_of(given, given, k * 1024)["x_copy"] for k in limits}
        rows.append([f"look-back {given} to {given}: 8K at most 1.15 copies; 16K, 32K at most 1.10",
                     "; ".join(ratio(x, 3) for x in found.values()),
                     "; ".join(verdict(found[k] <= limits[k]) for k in limits)])
        at_4k = lookback_of(given, given, 4096)["x_copy"]
        rows.append([f"beyond that, look-back {given} to {given}: 4K at most 1.15; 8K, 16K, 32K 1.05",
                     "; ".join(ratio(x, 3) for x in (at_4k, *found.values())),
                     "; ".join([verdict(at_4k <= 1.15),
                                *(verdict(x <= 1.05) for x in found.values())])])
    found = lookback_of("u8", "u32", 16384)["x_convert"]
    rows.append(["look-back u8 to u32: 16K at most 1.25 of a convert-copy", ratio(found, 3),
                 verdict(found <= 1.25)])
    found = lookback_of("f32", "f32", 1024)["ms"] * 1000
    rows.append(["look-back f32 to f32: 1K at most 10 us in all", f"{digits(found)} us",
                 verdict(found <= 10)])
    for rivals, least in ((["1R1W"], 1), (["1R1W", "2R1W"], 14)):
        sizes = [n for n in best if n >= least * 1024]
        worst = max(best[n]["ms"] / lines[rival][n]["ms"] for n in sizes for rival in rivals)
        rows.append([f"(1+r)R1W with its best r faster than {' and '.join(rivals)} " +
                     (f"from {least}K" if least > 1 else "at every size"),
                     f"takes at most {worst:.3f} of their time", verdict(worst < 1)])
    found = best[18432]["x_copy"]
    rows.append(["(1+r)R1W with its best r: 18K at most 1.6 copies", ratio(found, 3),
                 verdict(found <= 1.6)])
    for given, n, times in (("f32", 4096, 25), ("f32", 16384, 12), ("f64", 16384, 7)):
        torch = next(r for r in records("peers") if r["name"].startswith("torch")
                     and (r["input"], r["width"]) == (given, n))["ms"]
        own = lookback_of(given, given, n)["ms"]
        rows.append([f"{times} times faster than torch's two cumsums, {given} {n // 1024}K",
                     f"{digits(torch, 4)} against {digits(own, 4)} ms: {torch / own:.2f}",
                     verdict(torch / own >= times)])
    receipt = json.loads(read("tests/gpu/receipt.json"))
    rows.append(["integers bit for bit, filters too",
                 f"{receipt['tests']} tests, {receipt['skipped']} skipped, {receipt['runs']:,} "
                 f"runs compared, of the sources of {receipt['date'][:10]} (`tests/gpu/receipt.json`)",
                 verdict(receipt["tests"] > 0 and receipt["skipped"] == 0)])
    return table(["<aim", "<measured", "<"], rows)


# ------------------------------------------------------------ look-back's fit
def fit():
    """
    look-back's ms from 4K up by least squares of relative errors: so many copies, and so many
    ms for each 1024 of the side.
    """
    runs = records("types") + [dict(r, table="6.2") for r in table_6_2()["look-back"].values()]
    chosen = [r for r in runs if r["name"] == "lookback" and r["width"] >= 4096]
    rows = []
    for (given, sums, source), group in grouped(
            chosen, lambda r: (r["input"], r["sum"], r["table"])).items():
        u = [r["copy_ms"] / r["ms"] for r in group]
        v = [r["width"] / 1024 / r["ms"] for r in group]
        uu, vv, uv = (sum(map(math.prod, zip(*two))) for two in ((u, u), (v, v), (u, v)))
        determinant = uu * vv - uv * uv
        copies = (sum(u) * vv - sum(v) * uv) / determinant
        per_1024 = (sum(v) * uu - sum(u) * uv) / determinant
        rows.append([f"{given} to {sums}{', table 6.2' if source == '6.2' else ''}",
                     ratio(copies, 3), ratio(1000 * per_1024),
                     "; ".join(f"{side(r)} {100 * (copies * a + per_1024 * b - 1):+.1f}"
                               for r, a, b in zip(group, u, v))])
    return table(["<", "copies", "us for each 1024 of the side",
                  "<the fit's error, % of what was measured"], rows)


# ------------------------------------------------------------- performance.md
def beside():
    """A device beside what Python programs and CUDA's libraries have for the same work."""
    npp = [r for r in records("peers-npp") if r["name"].startswith("npp")]
    rows = []
    for given, sums in (("f32", "f32"), ("f64", "f64"), ("u8", "u32")):
        own = lookback_of(given, sums, 16384)
        others = {}  # each at its fastest
        for r in sorted(records("peers") + npp, key=lambda r: r["ms"]):
            if (r["input"], r["sum"], r["width"]) == (given, sums, 16384):
                others.setdefault(r["name"].split()[0].replace("nppiIntegral", "NPP"), digits(r["ms"] / own["ms"], 2))
        rows.append([f"summed area table, {given} to {sums}, 16384²", "H200", f"{digits(own['ms'])} ms",
                     ratio(own["x_copy"], 1), "; ".join(map(" ".join, others.items()))])
    for name, work, window in (("frame", "box", 15), ("box", "box", 15), ("box", "box", 255),
                               ("filter-16K-words", "box", 15), ("filter-16K", "variance", 15),
                               ("filter-16K-bytes", "sauvola", 15)):
        r = max((r for r in records(name) if (r["name"], r["window"]) == (work, window)),
                key=lambda r: r["width"])
        pixels = "16384²" if r["width"] == 16384 else "a frame of 1920 × 1080 RGB"
        rows.append([f"{work} {window}, {r['input']} to {r['output']}, {pixels}", "H200", f"{digits(r['ms'])} ms",
                     ratio(r["x_copy"], 1), ""])
    calls = grouped(records("python", "h100"), lambda r: (r["side"], r["type"], r["window"]))
    for (n, kind, window), group in calls.items():
        at = {r["call"]: r["ms"] for r in group if r["call"] != "satfilter.Plan"}
        own, copy = at.pop("satfilter.box"), at.pop("copy")
        if n == 4096:
            rows.append([f"box {window}, {kind}, 4096², from Python", "H100", f"{digits(own)} ms",
                         ratio(own / copy, 1), "; ".join(f"{name} {digits(ms / own, 2)}" for name, ms in at.items())])
    return table(["<work", "<device", "time", "copies", "<others take, times as long"], rows)


PAGES = {
    "README.md": {"lead": scoreboard_table.lead},
    "docs/performance.md": {"opencv": scoreboard_table.summary, "beside": beside, "files": cpu_tables.files},
    "docs/tables/opencv.md": {"scoreboard": scoreboard_table.scoreboard},
    "docs/tables/cpu.md": {"sat": cpu_tables.sat, "types": cpu_tables.types, "filters": cpu_tables.filters,
                           "python": cpu_tables.python_host},
    "docs/tables/files.md": {"commands": cpu_tables.commands, "png": cpu_tables.png, "batches": cpu_tables.batches,
                             "pages": cpu_tables.pages, "auto": cpu_tables.auto},
    "docs/tables/device.md": {"windows": windows, "gauss": gauss, "filters": lambda: filters("h200"),
                              "filters-h100": lambda: filters("h100"), "beside": beside_filters, "moves": moves,
                              "python": cpu_tables.python_device},
    "docs/results.md": {"ratios": sat_ratios, "crossings": crossings},
    "docs/tables/sat.md": {"sat": sat_ms, "order": sat_order, "stages": stages, "types": types, "rows": rows,
                           "into": into, "channels": channels, "peers": peers, "r": own_r, "fit": fit, "aims": aims},
    "docs/tables/permutation.md": {"shared-f32": lambda: machine.permute_shared("f32"),
                                   "shared-f64": lambda: machine.permute_shared("f64"),
                                   "global-f32": lambda: machine.permute_global("f32"),
                                   "global-f64": lambda: machine.permute_global("f64"),
                                   "spread": machine.permute_spread, "bytes": machine.permute_bytes},
    "docs/tables/machine.md": {"rap": machine.rap, "counters": machine.rap_counters,
                               "amm": machine.amm, "giles-powers": machine.giles_by_power},
    "docs/pages.md": {"thresholds": threshold_tables.thresholds, "kinds": threshold_tables.kinds,
                      "wolf": threshold_tables.wolf},
    "docs/exact.md": {"exact": exact_tables.exact, "gaussians": exact_tables.gaussians},
    "docs/witness.md": {"witnesses": witness.witnesses, "apart": witness.apart},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    wrong = 0
    for page, tables in PAGES.items():
        text = old = read(page)
        for name, render in tables.items():
            found = re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
            before = text
            text, count = found.subn(lambda match: f"{match[1]}{render()}\n{match[2]}", text)
            if count != 1:
                sys.exit(f"h200.py: {page} has {count} places for the table {name}, not one")
            if check and text != before:
                print(f"h200.py: {page}: the table {name} is not that of the records; "
                      "tests/records/h200.py writes it anew")
                wrong = 1
        if not check and text != old:
            (TOP / page).write_text(text, encoding="utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
