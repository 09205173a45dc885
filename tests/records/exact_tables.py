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


def gaussians():
    """satfilter's own, by call and samples."""
    calls = grouped([r for r in rows_of("gauss") if r["program"] == "satfilter"],
                    lambda r: (r["call"], SAMPLES.index(r["samples"])))
    return table(["<call", "<samples", "not exact, %", "off by a step or more, %", "worst, steps"],
                 [[f"`{call}`", SAMPLES[samples], share(group), share(group, "by_1"),
                   f"{max(r['worst'] for r in group):.2f}"] for (call, samples), group in sorted(calls.items())])
