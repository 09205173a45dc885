#!/usr/bin/env python3
"""Renders the H200 tables of the pages from the records in results/h200/.

    h200.py [--check]

Each table stands between its page's `<!-- NAME -->` and `<!-- end -->` and is
written there in place. --check writes nothing and exits with 1 if a page does not
say what the records say. Whatever is compared is compared before it is rounded.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import statistics
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent


def read(path):
    return (TOP / path).read_text(encoding="utf-8")


def records(name):
    return json.loads(read(f"results/h200/{name}.json"))["records"]


def table(head, rows):
    """A Markdown table; columns whose head begins with '<' are aligned to the left."""
    left = [column.startswith("<") for column in head]
    lines = [[column.lstrip("<") for column in head],
             ["---" if is_left else "--:" for is_left in left], *rows]
    return "\n".join("|" + "|".join(f" {cell} " if cell != "" else " " for cell in line) + "|"
                     for line in lines)


def digits(value, count=3):
    """So many significant digits, never as a power of ten."""
    if value is None:
        return ""
    places = count - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{max(places, 0)}f}"


def ratio(value, places=2):
    return "" if value is None else f"{value:.{places}f}"


def side(r):
    """16384 as 16K, and a rectangle's both sides."""
    def name(n):
        return f"{n // 1024}K" if n % 1024 == 0 else str(n)
    return name(r["width"]) if r["width"] == r["height"] else \
        f"{name(r['width'])} x {name(r['height'])}"


def grouped(rows, key):
    """What has the same key, in the order of its first appearance."""
    groups = {}
    for r in rows:
        groups.setdefault(key(r), []).append(r)
    return groups


def spread(values):
    return max(values) / min(values) - 1


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
    """{label: {size: ms}} of the dissertation, as tools/bench_paper.c has them."""
    sizes = [1024 * k for k in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18)]
    found = re.findall(r'\{"([^"]+)",\s*"[^"]+",\s*"\w+",\s*[\d.]+,\s*\{([^}]+)\}',
                       read("tools/bench_paper.c"))
    return {label: dict(zip(sizes, map(float, ms.split(",")))) for label, ms in found}


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
        rows.append([f"{label} over the better CPU program",
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


def types():
    groups = grouped(records("types"), lambda r: (r["name"], r["input"], r["sum"]))
    sizes = list(grouped(records("types"), side))
    rows = []
    for (name, given, sums), group in groups.items():
        at = {side(r): r for r in group}
        rows.append([f"{name} {given} to {sums}",
                     *(f"{at[s]['x_copy']:.2f} ({at[s]['x_convert']:.2f})" if s in at else ""
                       for s in sizes)])
    return table(["<x copy (x convert)", *sizes], rows)


def channels():
    def what(r):
        return r["name"], r["input"], r["sum"], side(r)
    counts = list(grouped(records("channels"), lambda r: r["channels"]))
    rows = []
    for (name, given, sums, size), group in grouped(records("channels"), what).items():
        at = {r["channels"]: r for r in group}
        rows.append([f"{name} {given} to {sums}, {size}",
                     *(f"{digits(at[n]['ms'])} ({at[n]['x_copy']:.2f})" if n in at else ""
                       for n in counts)])
    return table(["<ms (x copy)", *(f"{n} channels" for n in counts)], rows)


# ------------------------------------------------------------ stages and bytes
def stages_row(label, r, wait):
    """
    One algorithm at one size: its stages and launches (cuda/sat/rows.cu), what it moves, and what
    of its time that leaves. Both triangles together have triangle * (triangle + 1) blocks, which
    are read twice. Blocks are 64 x 64 where the record leaves them at the default.
    """
    blocks = -(-r["width"] // r.get("tile", 64))
    triangle = round(math.sqrt(r.get("r", 0.25)) * blocks) if r["name"] == "1+r" else 0
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
    for group in grouped(records("launch"), lambda r: r["width"]).values():
        for r in group:
            label = LABELS[r["name"]].replace("fastest ", "")
            if r["name"] == "2r1w":
                rows.append(stages_row(label, r, ""))
                continue
            rows.append(stages_row(label, dict({"r": 0.25} if r["name"] == "1+r" else {}, **r),
                                   "launch"))
            best = lines[LABELS[r["name"]]].get(r["width"])
            if best:
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
    groups = grouped(records("peers"), lambda r: (r["name"], r["input"], r["sum"]))
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


# --------------------------------------------------------------------- filters
def filters():
    """Whole filters: the table of sums and the reading of its corners."""
    rows = []
    chosen = records("filter") + records("filter-8K")
    for (n, name, given, channels), group in grouped(
            chosen, lambda r: (r["width"], r["name"], r["input"], r["channels"])).items():
        at = {r["window"]: r for r in group}
        rows.append([f"{n // 1024}K", name, f"{given} to {group[0]['output']}", channels,
                     *(f"{digits(at[w]['ms'])} ({ratio(at[w]['x_copy'], 1)})" for w in (15, 255))])
    return table(["n", "<filter", "<type", "channels", "15 x 15: ms (x copy)", "255 x 255"], rows)


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
                 f"runs compared (`tests/gpu/receipt.json`, {receipt['date'][:10]})",
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


# ---------------------------------------------------------------- permutations
def power(n):
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent else str(n)


def permutations():
    """The longest arrays take minutes to plan: records of their own, of some algorithms."""
    return [r for name in ("permute-global", "permute-global-8K", "permute-global-16K",
                           "permute-global-16K-scheduled") for r in records(name)]


def of_permutations(kind):
    chosen = [r for r in permutations() if r["input"] == kind and "layout" not in r]
    return grouped(chosen, lambda r: (r["width"] * r["height"], r["pattern"]))


ANY = ("d-designated", "s-designated", "scheduled", "fused")  # what takes any permutation


def permute_global(kind):
    rows = []
    for (n, pattern), group in of_permutations(kind).items():
        at = {r["name"]: r for r in group if r["name"] in ANY}
        if n < 1 << 20 or not at:
            continue
        rows.append([power(n), pattern,
                     *(digits(1000 * at[name]["ms"]) if name in at else "" for name in ANY)])
        if len(at) == len(ANY):
            d, s, scheduled, fused = (at[name]["ms"] for name in ANY)
            rows[-1] += [ratio(at["fused"]["x_copy"]), ratio(fused / scheduled),
                         ratio(min(d, s) / fused)]
        else:
            rows[-1] += ["", "", ""]
    return table(["n", "<pattern", *ANY, "fused, x copy", "fused / scheduled",
                  "better casual one / fused"], rows)


def permute_spread():
    rows = []
    for kind in grouped(permutations(), lambda r: r["input"]):
        by_size = grouped([r for group in of_permutations(kind).values() for r in group],
                          lambda r: r["width"] * r["height"])
        for n, group in by_size.items():
            ms = {name: [r["ms"] for r in own]
                  for name, own in grouped(group, lambda r: r["name"]).items()}
            copies = [r["copy_ms"] for r in group]
            rows.append([kind, power(n), digits(1000 * statistics.median(copies)),
                         *(f"{100 * spread(ms[name]):.1f} %" if len(ms.get(name, ())) > 1 else ""
                           for name in ANY),
                         f"{100 * spread(copies):.0f} %"])
    return table(["<", "n", "copy, us", *ANY, "the copies"], rows)


def permute_bytes():
    """What memory moved for each element of a transpose of 2^26 floats, by ncu's counters."""
    names = {"designated<unsigned int, 1>": ("d-designated", 1),
             "designated<unsigned int, 0>": ("s-designated", 1),
             "spread_kernel": ("fused, steps 1 and 2, each", 2),
             "collect_kernel": ("fused, step 3", 1)}
    lines = [line for line in read("results/h200/permute-ncu.csv").splitlines() if line]
    rows, whole = [], [0, 0, 0]
    launches = grouped(csv.DictReader(lines), lambda r: (r["ID"], r["Kernel Name"]))
    for prefix, (name, times) in names.items():
        own = [{r["Metric Name"]: float(r["Metric Value"].replace(",", "")) for r in metrics}
               for (_, kernel), metrics in launches.items() if prefix in kernel]
        cells = [statistics.median(launch[metric] for launch in own) / (1 << 26)
                 for metric in ("dram__bytes_read.sum", "dram__bytes_write.sum")]
        us = statistics.median(launch["gpu__time_duration.sum"] for launch in own) / 1000
        rows.append([name, *map(ratio, cells), ratio(sum(cells)), digits(us)])
        if name.startswith("fused"):
            whole = [a + times * b for a, b in zip(whole, (*cells, us))]
    rows.append(["fused, all", ratio(whole[0]), ratio(whole[1]), ratio(whole[0] + whole[1]),
                 digits(whole[2])])
    return table(["<", "bytes read, an element", "written", "both", "us"], rows)


def permute_shared(kind):
    """Table 4.4: ns, and stages on a machine of 32 banks (doubles: by half warps)."""
    forms = [(form, name) for form in ("array", "in-place")
             for name in ("d-designated", "s-designated", "conflict-free")]
    rows = []
    chosen = [r for r in records("permute") if r["input"] == kind]
    for pattern, group in grouped(chosen, lambda r: r["pattern"]).items():
        at = {(r["form"], r["name"]): r for r in group}
        rows.append([pattern, *(f"{at[f]['ns']:.1f} ({at[f]['stages']:.3g})" if f in at else ""
                                for f in forms)])
    rows.append(["plain copy", *[""] * 5,
                 f"{statistics.median(r['copy_ns'] for r in chosen):.1f}"])
    return table(["<", *(f"{form}: {name}" if name == "d-designated" else name
                         for form, name in forms)], rows)


# -------------------------------------------------------------------- machines
def rap():
    groups = grouped(records("rap"), lambda r: (r["name"], r["access"]))
    kinds = [(kind, way) for kind in ("f32", "f64") for way in ("kept", "computed")]
    rows = []
    for (name, access), group in groups.items():
        at = {(r["input"], r["addresses"]): r for r in group}
        cells = []
        for kind in kinds:  # spread numbers are for doubles only
            cells += [digits(at[kind]["ns"]), ratio(at[kind]["x_diagonal"])] if kind in at else [
                "", ""]
        kept = [at.get((kind, "kept")) for kind in ("f32", "f64")]
        rows.append([name, access.upper(), *cells,
                     *(f"{r['read']:.3g} + {r['write']:.3g}" if r else "" for r in kept)])
    head = ["<layout", "<access"]
    for kind, way in kinds:
        head += [f"{kind} {way}, ns", "x diagonal"]
    return table(head + ["stages f32, read + write", "f64"], rows)


def rap_counters():
    """What the hardware counted: passes over the banks for each instruction of a warp."""
    layouts = ("raw", "padded", "diagonal", "ras", "rap")  # as in src/machine/layout.h
    accesses = ("crsw", "srcw", "drdw", "copy")  # as in src/machine/access.h
    lines = [line for line in read("results/h200/rap-ncu.csv").splitlines() if line]
    kernels = grouped(csv.DictReader(lines), lambda r: (r["ID"], r["Kernel Name"]))
    rows = {}
    for (_, name), metrics in kernels.items():
        element, layout, access, computed = re.search(r"<([\w ]+), (\d), (\d), (\d)>",
                                                      name).groups()
        value = {r["Metric Name"]: int(r["Metric Value"].replace(",", "")) for r in metrics}

        def passes(way, value=value):
            return (value[f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{way}.sum"] /
                    value[f"smsp__inst_executed_op_shared_{way}.sum"])
        key = (layouts[int(layout)], accesses[int(access)],
               "computed" if computed == "1" else "kept", "f64" if "long" in element else "f32")
        halves = 2 if key[3] == "f64" else 1  # what an access without conflicts takes
        said = {"read": 1, "write": 1} if key[1] == "copy" else next(
            (r for r in records("rap") if r["name"] not in ("ras", "rap")  # other random numbers
             and key == (r["name"], r["access"], r["addresses"], r["input"])), None)
        cells = [ratio(passes("ld"), 3), ratio(said and said["read"] * halves, 3),
                 ratio(passes("st"), 3), ratio(said and said["write"] * halves, 3)]
        rows.setdefault((*key, *cells), []).append(name)
    return table(["<layout", "<access", "<addresses", "<type", "read, counted", "simulated",
                  "write, counted", "simulated", "launches"],
                 [["" if row[1] == "copy" else row[0], *row[1:], len(found)]
                  for row, found in rows.items()])


PAPER_AMM = {1: "amm < padded < naive", 2: "amm < naive < padded", 3: "amm = naive < padded"}


def amm():
    rows = []
    for (case, kernel, residence), group in grouped(
            records("amm"), lambda r: (r["case"], r["kernel"], r["residence"])).items():
        at = {r["name"]: r for r in group}
        ranked = sorted(at, key=lambda name: at[name]["ns"])
        order = ranked[0]
        for before, name in zip(ranked, ranked[1:]):
            alike = at[name]["ns"] <= 1.01 * at[before]["ns"]
            order += f" {'=' if alike else '<'} {name}"
        three = [at[name] for name in ("naive", "padded", "amm")]
        rows.append([case, kernel, residence, *(digits(r["ns"]) for r in three),
                     *(ratio(r["x_naive"]) for r in three[1:]),
                     ", ".join(str(r["blocks"]) for r in three), order, PAPER_AMM[case]])
    return table(["case", "<kernel", "<blocks as on", "naive, ns", "padded", "amm",
                  "padded / naive", "amm / naive", "<resident", "<here", "<paper"], rows)


def power_in(i):
    return min(i & -i, 32)


def giles():
    shown = (1, 2, 3, 4, 8, 16, 24, 31, 32, 33, 48, 64, 96, 127, 128)
    rows = [[r["I"], r["congestion"], r["congestion_unpadded"],
             *(digits(r[f"{way}_us"]) for way in ("giles", "unpadded", "strided", "coalesced",
                                                  "copy"))]
            for r in records("giles") if r["I"] in shown]
    return table(["I", "conflicts, Giles", "unpadded", "Giles, us", "unpadded", "strided",
                  "without structs", "copy"], rows)


def giles_by_power():
    rows = []
    groups = grouped(records("giles"), lambda r: power_in(r["I"]))
    for p, group in sorted(groups.items()):
        cells = [p, len(group), max(r["congestion"] for r in group),
                 max(r["congestion_unpadded"] for r in group)]
        for way in ("unpadded", "strided"):
            times = [r[f"{way}_us"] / r["giles_us"] for r in group]
            cells += [ratio(statistics.median(times)), f"{min(times):.2f} - {max(times):.2f}",
                      sum(t < 1 for t in times)]
        rows.append(cells)
    return table(["P of I", "I up to 128", "conflicts, Giles", "unpadded",
                  "unpadded / Giles, median", "range", "faster than Giles",
                  "strided / Giles, median", "range", "faster than Giles"], rows)


def coalesce():
    rows = []
    for part, group in grouped(records("coalesce"), lambda r: r["part"]).items():
        for name, own in grouped(group, lambda r: r["name"]).items():
            times = [r["x_first"] for r in own]
            offsets = [r["offset"] for r in own if "offset" in r]
            what = name if not offsets else \
                f"{name}, offset {', '.join(map(str, offsets))}" if len(offsets) < 3 else \
                f"{name}, offset {min(offsets)} to {max(offsets)}"

            def span(key, own=own):
                values = sorted({digits(r[key]) for r in own if key in r}, key=float)
                return " - ".join(values[::len(values) - 1] if len(values) > 1 else values)
            rows.append([part, what, digits(statistics.median(r["us"] for r in own)),
                         digits(min(times)) if len(own) == 1 else
                         f"{min(times):.3f} - {max(times):.3f}",
                         span("sector_reads"), span("sector_writes"),
                         span("shared_writes")])
    return table(["<part", "<", "us", "x first", "sectors a read", "a write",
                  "conflicts of a write to shared memory"], rows)


PAGES = {
    "docs/results.md": {"sat": sat_ms, "ratios": sat_ratios, "order": sat_order, "types": types,
                        "channels": channels,
                        "crossings": crossings, "stages": stages,
                        "peers": peers, "aims": aims},
    "docs/performance.md": {"fit": fit, "moves": moves, "filters": filters},
    "docs/permutation.md": {"shared-f32": lambda: permute_shared("f32"),
                            "shared-f64": lambda: permute_shared("f64"),
                            "global-f32": lambda: permute_global("f32"),
                            "global-f64": lambda: permute_global("f64"),
                            "spread": permute_spread, "bytes": permute_bytes},
    "docs/machine.md": {"rap": rap, "counters": rap_counters, "amm": amm, "giles": giles,
                        "giles-powers": giles_by_power, "coalesce": coalesce},
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
                      "tests/peers/h200.py writes it anew")
                wrong = 1
        if not check and text != old:
            (TOP / page).write_text(text, encoding="utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
