"""Tables of what is read of pages in black and white, from thresholds.py's record."""
import json
import random

from base import grouped, read, table

RECORD, DRAWS = "results/cpu/thresholds.json", 2000
SHORT = {"bleed-through": "bleed", "coloured paper": "coloured", "thermal paper": "thermal", "book photo": "book"}


def record():
    return json.loads(read(RECORD))


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


def parameters(values):
    return ", ".join(map(str, values))


def settings():
    """Program, method, parameters, whether these were chosen, and every page's shares: best first. What
    was not read is left out."""
    rows = [(r["program"], r["name"], one["with"], one["with"] == r["chosen"] and len(r["tried"]) > 1,
             one["shares"]) for r in record()["records"] for one in r["reported"] if one["shares"]]
    return sorted(rows, key=lambda row: -mean([words for words, _ in row[4]]))


def by_kind(shares):
    """Words of each kind, whose pages take turns."""
    kinds = record()["kinds"]
    return {kind: mean([words for words, _ in shares[i::len(kinds)]]) for i, kind in enumerate(kinds)}


def thresholds():
    """Every setting by words; the difference is to satfilter's best, page by page."""
    ours = next(([words for words, _ in row[4]] for row in settings() if row[0] == "satfilter"), [])
    rows = []
    for program, name, values, is_chosen, shares in settings():
        words, characters = zip(*shares)
        less = [a - b for a, b in zip(words, ours)]
        kinds = by_kind(shares)
        worst = min(kinds, key=kinds.get)
        rows.append([program, name, parameters(values), "yes" if is_chosen else "", percent(words),
                     percent(less, "+") if any(less) else "", f"{100 * kinds[worst]:.0f}", worst,
                     f"{100 * mean(characters):.1f}"])
    return table(["<program", "<method", "<with", "<chosen", "words, %", "more than satfilter's best",
                  "worst kind, %", "<which", "characters, %"], rows)


def kinds():
    """Words by the kind of page: chosen settings, and methods that have none."""
    rows = [[f"{program} {name}", parameters(values), *(f"{100 * share:.0f}" for share in by_kind(shares).values())]
            for program, name, values, is_chosen, shares in settings() if is_chosen or not values]
    return table(["<words, %", "<with", *(SHORT.get(kind, kind) for kind in record()["kinds"])], rows)


def wolf():
    """wolf's windows and k on the pages that choose: mean, worst kind, and pages of each kind."""
    tried = [one for r in record()["records"] if r["name"] == "--wolf N,k=K" for one in r["tried"]]
    of_k = sorted({one["with"][1] for one in tried})
    rows = []
    for window, group in grouped(tried, lambda one: one["with"][0]).items():
        cells = {one["with"][1]: f"{100 * one['mean']:.1f} / {100 * one['worst']:.0f} ({one['pages']})"
                 for one in group}
        rows.append([window, *(cells.get(k, "") for k in of_k)])
    return table(["<window", *(f"k = {k}" for k in of_k)], rows)
