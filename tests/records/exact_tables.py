"""The tables of docs/exact.md: how many results are not the exact ones, from exact.py's record."""
import json

from base import digits, grouped, read, table

RECORD = "results/cpu/exact.json"
SAMPLES = ("u8", "u16", "f32")
OPERATIONS = {"mean": "<mean", "variance": "<variance, as f32", "gauss": "<Gaussian, σ 2", "area": "<area mean"}


def rows_of(operation):
    return [r for r in json.loads(read(RECORD))["records"] if r["operation"] == operation]


def percent(part, whole):
    return digits(100 * part / whole, 2) if part else "0"


def total(group, key):
    return sum(r[key] for r in group)


def share(group, key="wrong"):
    return percent(total(group, key), total(group, "pixels"))


def with_worst(group):
    """The share of both pictures and, unless all are exact, the largest distance."""
    return share(group) + (f" ({max(r['worst'] for r in group):.2f})" if total(group, "wrong") else "")


def relative(error):
    return f"{error:.1e}" if error else "0"


def exact():
    """By program: the largest share of any window or ratio, by the call for which that is least."""
    programs = list(grouped(rows_of("mean") + rows_of("area"), lambda r: r["program"]))

    def cell(operation, program, samples):
        calls = grouped([r for r in rows_of(operation) if (r["program"], r["samples"]) == (program, samples)],
                        lambda r: r["call"]).values()
        most = [max(grouped(call, lambda r: r["size"]).values(),
                    key=lambda group: total(group, "wrong") / total(group, "pixels")) for call in calls]
        return share(min(most, key=lambda group: total(group, "wrong") / total(group, "pixels"))) if most else "–"

    return table(["<results that are not exact, %: u8 / u16 / f32", *OPERATIONS.values()],
                 [[program, *(" / ".join(cell(operation, program, samples) for samples in SAMPLES)
                              if any(r["program"] == program for r in rows_of(operation)) else ""
                              for operation in OPERATIONS)] for program in programs])


def by_samples(rows):
    """((program, call, samples), records), samples by samples."""
    return sorted(grouped(rows, lambda r: (r["program"], r["call"], r["samples"])).items(),
                  key=lambda one: SAMPLES.index(one[0][2]))


def means():
    rows = rows_of("mean")
    windows = list(grouped(rows, lambda r: r["size"]))
    lines = []
    for (program, call, samples), group in by_samples(rows):
        at = grouped(group, lambda r: r["size"])
        lines.append([samples, program, f"`{call}`", *(with_worst(at[w]) for w in windows)])
    return table(["<", "<program", "<call", *map(str, windows)], lines)


def variances():
    rows = rows_of("variance")
    windows = list(grouped(rows, lambda r: r["size"]))
    lines = []
    for (program, call, samples), group in by_samples(rows):
        at = grouped(group, lambda r: r["size"])
        lines.append([samples, program, f"`{call}`",
                      *(f"{share(at[w])} / {share(at[w], 'wrong_f64')}" for w in windows),
                      relative(max(r["worst"] for r in group)), total(group, "below_0") or ""])
    return table(["<", "<program", "<call", *map(str, windows), "worst relative error", "below 0"], lines)


def gaussians():
    return table(["<", "<program", "<call", "not exact, %", "off by a step or more, %", "worst, steps"],
                 [[samples, program, f"`{call}`", share(group), share(group, "by_1"),
                   f"{max(r['worst'] for r in group):.2f}"]
                  for (program, call, samples), group in by_samples(rows_of("gauss"))])


def areas():
    lines = []
    for (program, call, samples), group in by_samples(rows_of("area")):
        at = grouped(group, lambda r: r["size"])
        lines.append([samples, program, f"`{call}`", *(with_worst(at[ratio]) if ratio in at else ""
                                                       for ratio in ("2:1", "3:2"))])
    return table(["<", "<program", "<call", "2:1", "3:2"], lines)
