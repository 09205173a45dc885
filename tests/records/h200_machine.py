"""Tables of the memory machines on an H200: permutations, transposes, structs, coalescing."""
import csv
import re
import statistics

from base import digits, grouped, ratio, read, records, spread, table

# ---------------------------------------------------------------- permutations
def power(n):
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent else str(n)


def permutations():
    """The longest arrays take minutes to plan: records of their own, of some algorithms."""
    return [r for name in ("permute-global", "permute-global-8K-f32", "permute-global-8K",
                           "permute-global-16K", "permute-global-16K-scheduled",
                           "permute-global-16K-f64") for r in records(name)]


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
    layouts = ("raw", "padded", "diagonal", "ras", "rap")  # as in src/base/layout.h
    accesses = ("crsw", "srcw", "drdw", "copy")  # as in src/study/access.h
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
