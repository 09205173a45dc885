#!/usr/bin/env python3
"""How much of the noise in photographs guided removes, by noise=D and by multiples of its variance as eps: peak
signal-to-noise ratios in dB. Noise is normal, seeded, rounded to bytes; of each picture the upper left part counts.

    noise.py --satfilter ./satfilter --json results/cpu/noise.json PHOTO...
"""
import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import measure

DEVIATIONS = (5, 10, 18, 30)
WINDOWS = (5, 9, 15)
MULTIPLES = (1, 1.5, 2, 2.5, 3, 4, 5, 6)
SIDE = 512


def ratio(picture, other):
    return 10 * math.log10(255 ** 2 / np.mean((picture.astype(float) - other) ** 2))


def noisy(picture, deviation):
    noise = np.random.default_rng(deviation).normal(0, deviation, picture.shape)
    return np.clip(np.rint(picture + noise), 0, 255).astype(np.uint8)


def filtered(satfilter, folder, word):
    subprocess.run([satfilter, "-q", "-f", "--guided", word, folder / "in.png", folder / "out.png"], check=True)
    return np.asarray(Image.open(folder / "out.png"))


def rows_of(satfilter, folder, picture, deviation):
    """Rows of the record for one picture: the ratio before, by noise, and by each multiple."""
    given = noisy(picture, deviation)
    Image.fromarray(given).save(folder / "in.png")
    for window in WINDOWS:
        for colour in ("", ",colour")[:1 + (picture.ndim == 3)]:
            def by(word):
                return round(ratio(picture, filtered(satfilter, folder, f"{window},{word}{colour}")), 3)
            eps = [by(f"eps={k * (deviation / 255) ** 2:.9g}") for k in MULTIPLES]
            yield {"deviation": deviation, "window": window, "colour": bool(colour),
                   "noisy": round(ratio(picture, given), 3), "noise": by(f"noise={deviation}"), "eps": eps}


def table(rows):
    def key(row):
        return row["deviation"], row["window"], "yes" if row["colour"] else "no"

    lines = []
    for place in sorted(set(map(key, rows)), key=lambda one: (one[2], *one)):
        of = [r for r in rows if key(r) == place]
        means = np.mean([[r["noisy"], r["noise"], *r["eps"]] for r in of], axis=0)
        lines.append([*place, *(f"{mean:.1f}" for mean in means)])
    measure.table(["deviation", "window", "colour", "noisy", "noise=D", *(f"{k} V" for k in MULTIPLES)], lines)


def main():
    parser = measure.parser_of(__doc__)
    parser.add_argument("--satfilter", default="satfilter")
    parser.add_argument("photographs", nargs="+", type=Path)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in options.photographs:
            picture = Image.open(path)
            picture = np.asarray(picture.convert("L" if picture.mode == "L" else "RGB"))[:SIDE, :SIDE]
            for deviation in DEVIATIONS:
                rows += [{"picture": path.name, **row}
                         for row in rows_of(options.satfilter, Path(folder), picture, deviation)]
    table(rows)
    measure.write(options.json, rows, multiples=MULTIPLES)


if __name__ == "__main__":
    main()
