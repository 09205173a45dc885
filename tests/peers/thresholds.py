#!/usr/bin/env python3
"""Which threshold for which page: what tesseract reads of pages that were made black and white.

    thresholds.py --satfilter ./satfilter --json results/cpu/thresholds.json --cache DIR

Pages are drawn from a seed (scans.py). Half of them choose the parameters of each method, of nine;
the other half is reported. --cache keeps what was read, so that a run that was stopped goes on.
--pictures DIR writes the crops that docs/pages.md shows. The page's tables are those of the record,
by tests/peers/h200.py. It needs Debian's tesseract-ocr, imagemagick, fonts-dejavu-core,
fonts-liberation and fonts-freefont-ttf, and PyPI's numpy, pillow, opencv-python-headless and doxapy.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version

import cv2
import doxapy
import numpy as np
from PIL import Image, features

sys.dont_write_bytecode = True  # the source tree may be read-only, and stays as it is

import scans

DPI = 200
WINDOWS = (31, 51, 101)
SHARES = (0.05, 0.15, 0.34)
LEVELS = (6, 12, 20)
SATFILTER = "satfilter"


# ------------------------------------------------------------------- methods
# Each takes a folder of its own with page.png, the page's pixels, and its two parameters. It gives
# the page in black and white, and options for tesseract.
def run(folder, *words):
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return np.asarray(Image.open(folder / "bw.png").convert("L"))


def satfilter(name):
    def filtered(folder, pixels, size, k):
        return run(folder, SATFILTER, f"--{name}", f"{size},k={k}", "page.png", "bw.png"), []
    return filtered


def satfilter_template(folder, pixels, size, level):
    (folder / "list.txt").write_text(
        f"0 0 1 1 1\n{-(size // 2)} {-(size // 2)} {size} {size} -1/{size * size}\n", encoding="utf-8")
    return run(folder, SATFILTER, "--template", "list.txt", "--range", f"{-level}:{0.1 - level}",
               "--type", "u8", "page.png", "bw.png"), []


def opencv(method):
    def filtered(folder, pixels, size, level):
        return cv2.adaptiveThreshold(pixels, 255, method, cv2.THRESH_BINARY, size, level), []
    return filtered


def opencv_otsu(folder, pixels):
    return cv2.threshold(pixels, 0, 255, cv2.THRESH_OTSU)[1], []


def imagemagick(folder, pixels, size, level):
    return run(folder, "convert", "page.png", "-lat", f"{size}x{size}-{100 * level / 255:.2f}%",
               "bw.png"), []


def doxa(name):
    def filtered(folder, pixels, *parameters):
        result = np.empty_like(pixels)
        method = doxapy.Binarization(getattr(doxapy.Binarization.Algorithms, name))
        method.initialize(pixels)
        method.to_binary(result, dict(zip(("window", "k"), parameters)))
        return result, []
    return filtered


def tesseract(method, *names):
    def filtered(folder, pixels, *parameters):
        pairs = [("method", method), *zip(names, parameters)]
        return pixels, [word for name, value in pairs for word in ("-c", f"thresholding_{name}={value}")]
    return filtered


def grid(first, second):
    return [(a, b) for a in first for b in second]


# program, method with the names of its parameters, function, its defaults (or an example's of its
# own pages; None where it has none), and what to choose from.
METHODS = [
    ("satfilter", "--sauvola N,k=K", satfilter("sauvola"), (31, 0.34), grid(WINDOWS, SHARES)),
    ("satfilter", "--wolf N,k=K", satfilter("wolf"), (41, 0.5), grid(WINDOWS, (0.2, 0.35, 0.5))),
    ("satfilter", "--template, mean N - C", satfilter_template, (51, 20), grid(WINDOWS, LEVELS)),
    ("OpenCV", "mean N - C", opencv(cv2.ADAPTIVE_THRESH_MEAN_C), (11, 2), grid(WINDOWS, LEVELS)),
    ("OpenCV", "Gaussian N - C", opencv(cv2.ADAPTIVE_THRESH_GAUSSIAN_C), (11, 2), grid(WINDOWS, LEVELS)),
    ("OpenCV", "Otsu", opencv_otsu, (), [()]),
    ("ImageMagick", "-lat, mean N - C", imagemagick, None, grid(WINDOWS, LEVELS)),
    ("doxapy", "Sauvola N, k", doxa("SAUVOLA"), (75, 0.2), grid(WINDOWS, SHARES)),
    ("doxapy", "Wolf N, k", doxa("WOLF"), (75, 0.2), grid(WINDOWS, (0.2, 0.35, 0.5))),
    ("doxapy", "NICK N, k", doxa("NICK"), (75, -0.2), grid(WINDOWS, (-0.05, -0.1, -0.2))),
    ("doxapy", "Niblack N, k", doxa("NIBLACK"), (75, 0.2), grid(WINDOWS, (-0.2, -0.6, -1.0))),
    ("doxapy", "ISauvola N, k", doxa("ISAUVOLA"), (75, 0.2), grid(WINDOWS, SHARES)),
    ("doxapy", "Su", doxa("SU"), (), [()]),
    ("doxapy", "Bataineh", doxa("BATAINEH"), (), [()]),
    ("tesseract", "0: Otsu", tesseract(0), (), [()]),
    ("tesseract", "1: Otsu of tiles, size, smoothing",
     tesseract(1, "tile_size", "smooth_kernel_size"), (0.33, 0), grid((0.16, 0.33, 0.66), (0, 0.5, 1))),
    ("tesseract", "2: Sauvola, size, k", tesseract(2, "window_size", "kfactor"), (0.33, 0.34),
     grid((0.16, 0.33, 0.66), SHARES)),
]


# ------------------------------------------------------------------- reading
def distance(a, b):
    """How many to insert, delete and replace to make b of a."""
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (one != other))
    return row[-1]


def share_right(wanted, got):
    """1 less the share that is wrong, missing or made up; 0 if more is."""
    return max(0.0, 1 - distance(wanted, got) / len(wanted))


def read(pixels, options, cache):
    """What tesseract reads, of the cache if it has read the same."""
    words = ["tesseract", "page.png", "-", "--dpi", str(DPI), *options]
    key = hashlib.sha256(pixels.tobytes() + " ".join(words).encode()).hexdigest()
    kept = cache / f"{key}.txt"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            Image.fromarray(pixels).save(pathlib.Path(folder) / "page.png")
            text = subprocess.run(words, cwd=folder, check=True, capture_output=True).stdout
        partial = cache / f"{key}.{os.getpid()}"
        partial.write_bytes(text)
        partial.rename(kept)
    return kept.read_text(encoding="utf-8")


def binarize(function, scan, parameters):
    with tempfile.TemporaryDirectory() as folder:
        Image.fromarray(scan.pixels).save(pathlib.Path(folder) / "page.png")
        return function(pathlib.Path(folder), scan.pixels, *parameters)


def score(work):
    """Shares of words and characters that are right, and of words where that is enough."""
    function, scan, parameters, cache, is_reported = work
    text = read(*binarize(function, scan, parameters), cache)
    words = share_right(scan.text.split(), text.split())
    if not is_reported:
        return words
    return [words, share_right(" ".join(scan.text.split()), " ".join(text.split()))]


# ------------------------------------------------------------------ measuring
def measure(pool, method, choosing, reporting, cache):
    program, name, function, usual, choices = method
    tried = []
    for parameters in choices if len(choices) > 1 else []:
        shares = pool.map(score, [(function, scan, parameters, cache, False) for scan in choosing])
        tried.append([sum(shares) / len(choosing), parameters])
    chosen = max(tried, key=lambda one: one[0])[1] if tried else choices[0]

    def report(parameters):
        return list(pool.map(score, [(function, scan, parameters, cache, True) for scan in reporting]))
    record = {"program": program, "name": name, "chosen": chosen, "pages": report(chosen)}
    if usual is not None:
        record |= {"usual": usual, "usual_pages": report(usual)}
    return record | {"tried": [[round(mean, 4), *parameters] for mean, parameters in tried]}


def halves(seed, count):
    """Of each kind, pages take turns at choosing and at being reported."""
    pages = [scans.scan(seed, i) for i in range(count)]
    turn = [i // len(scans.KINDS) % 2 for i in range(count)]
    return [[page for page, i in zip(pages, turn) if i == half] for half in (0, 1)]


def first_line(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split("\n")[0]


def programs():
    return {"satfilter": first_line(SATFILTER, "--version"), "OpenCV": cv2.__version__,
            "ImageMagick": " ".join(first_line("convert", "--version").split()[1:3]),
            "doxapy": version("doxapy"), "tesseract": first_line("tesseract", "--version"),
            "numpy": np.__version__, "pillow": version("pillow"),
            "FreeType": features.version("freetype2")}


def write_record(options, pool):
    choosing, reporting = halves(options.seed, options.pages)
    records = []
    for method in METHODS:
        records.append(measure(pool, method, choosing, reporting, options.cache))
        words = [page[0] for page in records[-1]["pages"]]
        print(*method[:2], records[-1]["chosen"], f"{100 * sum(words) / len(words):.1f} %", flush=True)
    record = {
        "program": "thresholds.py",
        "command": f"thresholds.py --seed {options.seed} --pages {options.pages} --json {options.json}",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "device": {"kind": "cpu", "name": platform.machine(), "driver": platform.system()},
        "programs": programs(),
        "kinds": [scan.kind for scan in reporting],
        "words": sum(len(scan.text.split()) for scan in reporting),
        "characters": sum(len(" ".join(scan.text.split())) for scan in reporting),
        "records": [{key: [[round(x, 4) for x in page] for page in value] if key.endswith("pages") else value
                     for key, value in one.items()} for one in records],
    }
    text = re.sub(r"\n {3,}", " ", json.dumps(record, indent=1))  # a record a line
    pathlib.Path(options.json).write_text(text + "\n", encoding="utf-8")


# ------------------------------------------------------------------- pictures
SHOWN_KINDS = ["hard shadow", "pencil", "bleed-through"]
SHOWN = [(satfilter("wolf"), (31, 0.5)), (satfilter("sauvola"), (31, 0.34)), (satfilter_template, (51, 20))]
CROP = np.s_[140:222, 300:600]


def pictures(seed, count, folder):
    """A crop of a reported page of some kinds, and of what filters make of it, below one another."""
    _, reporting = halves(seed, count)
    for kind in SHOWN_KINDS:
        scan = next(scan for scan in reporting if scan.kind == kind)
        crops = [scan.pixels[CROP]]
        for function, parameters in SHOWN:
            crops += [np.full((4, crops[0].shape[1]), 128), binarize(function, scan, parameters)[0][CROP]]
        image = Image.fromarray(np.rint(np.vstack(crops) / 17).astype(np.uint8), "P")  # 16 greys
        image.putpalette([17 * i for i in range(16) for _ in "RGB"])
        image.save(folder / f"pages-{kind.replace(' ', '-')}.png", bits=4, optimize=True)


def main():
    global SATFILTER
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--satfilter", default=SATFILTER)
    parser.add_argument("--seed", type=int, default=49)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--json")
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    SATFILTER = os.path.abspath(options.satfilter) if "/" in options.satfilter else options.satfilter
    os.environ["OMP_THREAD_LIMIT"] = "1"
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        options.cache = options.cache or pathlib.Path(folder)
        options.cache.mkdir(parents=True, exist_ok=True)
        if options.json:
            write_record(options, pool)
        if options.pictures:
            pictures(options.seed, options.pages, options.pictures)


if __name__ == "__main__":
    main()
