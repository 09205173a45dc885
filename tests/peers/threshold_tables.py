"""Tables of what is read of pages in black and white, from thresholds.py's record."""
import json
import random

from h200_base import grouped, read, table

RECORD, DRAWS = "results/cpu/thresholds.json", 2000
SHORT = {"bleed-through": "bleed"}


def mean(values):
    return sum(values) / len(values)


def interval(values):
    """Between what means of as many pages, drawn anew with replacement, lie in 95 of 100 draws."""
    draw = random.Random(1)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(DRAWS))
    return means[DRAWS // 40], means[-DRAWS // 40 - 1]


def percent(values, sign=""):
    low, high = interval(values)
    return f"{100 * mean(values):{sign}.1f} ({100 * low:{sign}.1f} … {100 * high:{sign}.1f})"


def best_first(records):
    return sorted(records, key=lambda r: -mean([page[0] for page in r["pages"]]))


def parameters(values):
    return ", ".join(map(str, values))


def thresholds():
    """Every method by words; the difference is to satfilter's best, page by page."""
    records = best_first(json.loads(read(RECORD))["records"])
    ours = [page[0] for page in next(r for r in records if r["program"] == "satfilter")["pages"]]
    rows = []
    for r in records:
        words, characters = zip(*r["pages"])
        less = [a - b for a, b in zip(words, ours)]
        usual = percent([page[0] for page in r["usual_pages"]]) if "usual_pages" in r else ""
        rows.append([r["program"], r["name"], parameters(r["chosen"]), percent(words),
                     percent(less, "+") if any(less) else "", percent(characters),
                     parameters(r.get("usual", [])), usual if r.get("usual") else ""])
    return table(["<program", "<method", "<chosen", "words, %", "more than satfilter's best", "characters, %",
                  "<by default", "words, %"], rows)


def kinds():
    """Words by the kind of page: with the chosen parameters, and satfilter's defaults."""
    record = json.loads(read(RECORD))
    places = grouped(range(len(record["kinds"])), lambda i: record["kinds"][i])
    rows = []
    for r in best_first(record["records"]):
        for values, pages in ((r["chosen"], r["pages"]), (r.get("usual"), r.get("usual_pages"))):
            if pages is r["pages"] or (r["program"] == "satfilter" and values != r["chosen"]):
                rows.append([f"{r['program']} {r['name']}", parameters(values),
                             *(f"{100 * mean([pages[i][0] for i in where]):.0f}" for where in places.values())])
    return table(["<words, %", "<", *(SHORT.get(kind, kind) for kind in places)], rows)
