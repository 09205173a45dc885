"""Records in results/ and the tables that are made of them: what h200.py and its parts share."""
import json
import math
import pathlib

TOP = pathlib.Path(__file__).resolve().parent.parent.parent


def read(path):
    return (TOP / path).read_text(encoding="utf-8")


def records(name, card="h200"):
    return json.loads(read(f"results/{card}/{name}.json"))["records"]


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
