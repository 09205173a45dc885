"""Tables of the CPU beside OpenCV, from scoreboard.py's records."""
import json

from base import TOP, digits, grouped, ratio, table


def documents():
    """The plainest name comes first."""
    paths = sorted(TOP.glob("results/cpu/scoreboard-*.json"), key=lambda path: (len(path.name), path.name))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def size(r):
    return f"{r['width']} × {r['height']}"


def cell(r):
    """OpenCV's time over ours, bold where OpenCV is ahead."""
    text = ratio(r["x"]) if r["x"] < 1 else digits(r["x"], 2)
    return f"**{text}**" if r["lost"] else text


def lost(records):
    """How many cells are lost, and of which works and how many threads."""
    gone = [r for r in records if r["lost"]]
    where = [f"{len(cells)} of {name}" for name, cells in grouped(gone, lambda r: r["name"]).items()]
    threads = [f"{len(cells)} on {n} thread{'s' * (n > 1)}" for n, cells in grouped(
        sorted(gone, key=lambda r: r["threads"]), lambda r: r["threads"]).items()]
    return (f"OpenCV is more than 3 % faster in {len(gone)} of {len(records)} cells, "
            f"{100 * len(gone) / len(records):.0f} %: {', '.join(threads)}; {', '.join(where)}.")


def scoreboard():
    """A table for each record; a cell has a number for each number of threads."""
    parts = []
    for found in documents():
        records = found["records"]
        rows = [[name, *("/".join(map(cell, cells)) for cells in grouped(group, size).values())]
                for name, group in grouped(records, lambda r: r["name"]).items()]
        threads = " / ".join(f"{n} thread{'s' * (n > 1)}" for n in grouped(records, lambda r: r["threads"]))
        parts += [f"`{found['command']}` on {found['date'][:10]}: {found['device']['name']}, {found['instructions']}; "
                  f"OpenCV {found['OpenCV']} with {found['IPP'].split(' 20')[0]}; {threads}.", lost(records),
                  table(["<", *grouped(records, size)], rows)]
    return "\n\n".join(parts)


def lead():
    """Some works on one thread, at the largest size up to 4096 × 4096."""
    names = {"mean of 15 × 15, u8": "box 15 u8", "mean of 15 × 15, f32": "box 15 f32",
             "variance of 15 × 15, u8 to f32": "variance 15 u8 to f32", "summed area table, u8 to u32": "table u8"}
    records, rows = [r for r in documents()[0]["records"] if r["threads"] == 1 and r["width"] <= 4096], []
    for text, name in names.items():
        r = max((r for r in records if r["name"] == name), key=lambda r: r["width"] * r["height"])
        rows.append([text, size(r), f"{digits(r['ms_min'], 2)} ms", f"{digits(r['x'], 2)} times as long"])
    return table(["<on the CPU, one thread", "pixels", "time", "OpenCV 5 takes"], rows)


def summary():
    """Every work at two sizes: milliseconds on one thread, and OpenCV's time over ours by the number of threads."""
    rows = []
    for name, group in grouped(documents()[0]["records"], lambda r: r["name"]).items():
        rows.append([name])
        for width in (1920, 4096):
            cells = [r for r in group if r["width"] == width]
            rows[-1] += [digits(cells[0]["ms_min"]), "/".join(map(cell, cells))]
    return table(["<", "1920 × 1080, ms", "OpenCV, times", "4096 × 4096, ms", "OpenCV, times"], rows)
