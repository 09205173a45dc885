#!/usr/bin/env python3
"""Which threshold for which page: what tesseract reads of pages that were made black and white.

    thresholds.py --satfilter ./satfilter --work DIR --jobs 16 --json results/cpu/thresholds.json

Pages are drawn from seeds (scans.py). One set of pages chooses the parameters of each method,
another, of other texts, is reported. DIR keeps what was read, so that a run that was stopped, or
that --seconds ended, goes on; a later run may write the record alone. --pictures FOLDER writes the
crops that docs/pages.md shows, of the record's parameters. The page's tables are those of the
record, by tests/records/h200.py. It needs Debian's tesseract-ocr, fonts-dejavu-core, fonts-liberation
and fonts-freefont-ttf, and PyPI's numpy, pillow, opencv-python-headless and doxapy.
"""
import argparse
import dataclasses
import datetime
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

import cv2
import doxapy
import numpy as np
from PIL import Image, features

sys.dont_write_bytecode = True  # the source tree may be read-only, and stays as it is

import measure
import reading
import scans

CHOOSING, REPORTED = "choosing", "reported"
SEEDS = {CHOOSING: 5, REPORTED: 6}
REPORTED_PAGES = 8  # of each kind
PARTS = {CHOOSING: (0.15, 0.3), REPORTED: (0.3, 0.7)}  # that text fills: pages that choose are read the more often
PATIENCE_S = 20  # a page that tesseract takes longer for counts as not read
OPTIONS = None


# ------------------------------------------------------------------- methods
# Each takes a page's file, its dpi, a folder of its own and its parameters. It gives the file that
# tesseract reads, and options for tesseract.
def satfilter(*words):
    def filtered(page, dpi, folder, *parameters):
        options = " ".join(words).format(*parameters).split()
        result = folder / "bw.png"
        subprocess.run([OPTIONS.satfilter, "--threads", "1", "-q", *options, page, result], check=True,
                       capture_output=True)
        return result, []
    return filtered


def saved(pixels, folder):
    Image.fromarray(pixels).save(folder / "bw.png", compress_level=1)
    return folder / "bw.png", []


def grey(page):
    return np.array(Image.open(page).convert("L"))  # doxapy wants it to be writable


def opencv_gaussian(page, dpi, folder, size, level):
    return saved(cv2.adaptiveThreshold(grey(page), 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY,
                                       size, level), folder)


def doxa(name):
    def filtered(page, dpi, folder, *parameters):
        pixels = grey(page)
        result = np.empty_like(pixels)
        method = doxapy.Binarization(getattr(doxapy.Binarization.Algorithms, name))
        method.initialize(pixels)
        method.to_binary(result, dict(zip(("window", "k"), parameters)))
        return saved(result, folder)
    return filtered


def tesseract(method, *names):
    def filtered(page, dpi, folder, *parameters):
        pairs = [("method", method), *zip(names, parameters)]
        return page, [word for name, value in pairs for word in ("-c", f"thresholding_{name}={value}")]
    return filtered


def grid(*choices):
    rows = [()]
    for values in choices:
        rows = [(*row, value) for row in rows for value in values]
    return rows


@dataclasses.dataclass
class Method:
    program: str
    name: str
    function: object
    choices: list = dataclasses.field(default_factory=lambda: [()])
    also: list = dataclasses.field(default_factory=list)  # reported whatever is chosen
    rounds: int = 2  # of choosing


WOLF_K = (0.1, 0.2, 0.35, 0.5)
FLAT = "--flatten {},target=230"
WOLF = ("--wolf N,k=K", satfilter("--wolf {},k={}"))
METHODS = [
    Method("satfilter", *WOLF, grid((21, 31, 51, 75), WOLF_K), [(21, 0.2), (21, 0.5), (31, 0.5), (41, 0.5)], rounds=3),
    Method("satfilter", *WOLF, grid(("0.1in", "0.15in", "0.25in"), WOLF_K)),
    Method("satfilter", "--flatten N", satfilter(FLAT), grid(("0.25in", "0.5in", "1in")), [("0.5in",)]),
    Method("satfilter", "--sauvola N,k=K", satfilter("--sauvola {},k={}"), grid(("0.15in", "0.25in"), (0.1, 0.2, 0.34)),
           [(31, 0.34)]),
    Method("satfilter", "--flatten N --wolf M,k=K", satfilter(FLAT, "--wolf {},k={}"),
           grid(("0.5in",), ("0.15in", "0.25in"), (0.2, 0.5))),
    Method("satfilter", "--flatten N --threshold otsu", satfilter(FLAT, "--threshold otsu"), grid(("0.25in", "0.5in"))),
    Method("satfilter", "--nick N,k=K", satfilter("--nick {},k={}"), grid(("0.15in", "0.25in"), (-0.1, -0.2))),
    Method("satfilter", "--niblack N,k=K", satfilter("--niblack {},k={}"), grid(("0.25in", "0.5in"), (-1.0, -1.4))),
    Method("satfilter", "--bradley N,percent=T", satfilter("--bradley {},percent={}"),
           grid(("0.25in", "0.5in"), (10, 15))),
    Method("satfilter", "--adaptive N,offset=C", satfilter("--adaptive {},offset={}"),
           grid(("0.15in", "0.25in"), (12, 20))),
    Method("satfilter", "--threshold otsu", satfilter("--threshold otsu")),
    Method("OpenCV", "Gaussian N - C", opencv_gaussian, grid(("0.25in", "0.5in"), (8, 14))),
    Method("doxapy", "Su", doxa("SU")),
    Method("tesseract", "0: Otsu, of the page itself", tesseract(0)),
    Method("tesseract", "1: Otsu of tiles, size", tesseract(1, "tile_size"), grid((0.33, 0.66))),
]


# ------------------------------------------------------------------- reading
@dataclasses.dataclass(frozen=True)
class Task:
    """A page of a set, and the method, with its parameters in pixels, that it is read after."""
    pages: str
    kind: int
    number: int
    method: int
    parameters: tuple

    def key(self):
        method = METHODS[self.method]
        return f"{self.pages} {self.kind} {self.number} {method.program} {method.name} {self.parameters}"


def tasks(pages, numbers, settings):
    """Page by page of all kinds, so that what was read when the time was up is of all kinds alike."""
    return [Task(pages, kind, number, method, tuple(reading.pixels(p, scans.dpi(number)) for p in parameters))
            for numbered in numbers for method, parameters in settings
            for kind in range(len(scans.KINDS)) for number in [numbered(kind)]]


def page_file(task):
    """The page, which is drawn if it is not in the folder yet, and its text."""
    place = OPTIONS.work / f"{task.pages}-{task.kind}-{task.number}.jpg"
    words = place.with_suffix(".txt")
    if not place.exists():
        scan = scans.scan(SEEDS[task.pages], scans.KINDS[task.kind], task.number, PARTS[task.pages])
        for path, data in ((words, scan.text.encode()), (place, scan.file)):
            partial = path.with_suffix(f".{os.getpid()}")
            partial.write_bytes(data)
            partial.rename(path)
    return place, words.read_text(encoding="utf-8")


def recognised(picture, dpi, options):
    try:
        return subprocess.run(["tesseract", picture, "-", "--dpi", str(dpi), *options], check=True,
                              capture_output=True, timeout=PATIENCE_S).stdout.decode()
    except subprocess.TimeoutExpired:
        return None


def read(task):
    """Shares of words and characters that are right, and whether tesseract ended. None if the time is up."""
    begin, dpi = time.monotonic(), scans.dpi(task.number)
    if begin > OPTIONS.until:
        return None
    page, text = page_file(task)
    with tempfile.TemporaryDirectory() as folder:
        picture, options = METHODS[task.method].function(page, dpi, pathlib.Path(folder), *task.parameters)
        got = recognised(picture, dpi, options)
    wanted, found = text.split(), (got or "").split()
    shares = [reading.share_right(wanted, found), reading.share_right(" ".join(wanted), " ".join(found))]
    return {"key": task.key(), "shares": [round(share, 4) for share in shares], "ended": got is not None,
            "words": len(wanted), "characters": len(" ".join(wanted)),
            "seconds": round(time.monotonic() - begin, 2)}


class Log:
    """What was read, a line each in a file: the next run begins with it."""

    def __init__(self, path):
        self.path, self.read = path, {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            one = json.loads(line)
            self.read[one["key"]] = one

    def fill(self, pool, wanted):
        """Reads what is missing. False if the time was up before."""
        missing = list({task.key(): task for task in wanted if task.key() not in self.read}.values())
        if missing and OPTIONS.seconds > 0:
            note_machine()
        with self.path.open("a", encoding="utf-8") as file:
            for one in pool.imap_unordered(read, missing):
                if one is not None:
                    self.read[one["key"]] = one
                    file.write(json.dumps(one) + "\n")
                    file.flush()
        return all(task.key() in self.read for task in wanted)

    def shares(self, pages, numbers, setting):
        """Of each page in order, where all of its number were read."""
        done = []
        for number in numbers:
            keys = [task.key() for task in tasks(pages, [number], [setting])]
            if not all(key in self.read for key in keys):
                break
            done += [self.read[key]["shares"] for key in keys]
        return done


# ------------------------------------------------------------------ measuring
def same(number):
    return lambda kind: number


# By round of choosing, the number of each kind's pages: first of half of the kinds the page of 200
# dpi, of half that of 300, then the other.
ROUNDS = [[lambda kind: kind % 2], [lambda kind: 1 - kind % 2], [same(2), same(3)]]


def mean(values):
    return sum(values) / len(values)


def verdict(shares):
    """Words of pages whose kinds take turns: their mean, that of the worst kind, and that of the three
    worst. The sum of the first and the last chooses: one kind alone would decide by a few pages."""
    words = [page[0] for page in shares]
    kinds = sorted(mean(words[kind::len(scans.KINDS)]) for kind in range(len(scans.KINDS)))
    return {"mean": round(mean(words), 4), "worst": round(kinds[0], 4), "worst_three": round(mean(kinds[:3]), 4)}


def choose(log, pool, i):
    """What a method is best with, and what was found of all. The better half of a round is tried in the
    next, too. None if the time was up."""
    left, tried, numbers = METHODS[i].choices, {}, []
    for more in ROUNDS[:METHODS[i].rounds] if len(left) > 1 else ():
        numbers, left = numbers + more, left[:(len(left) + 1) // 2] if tried else left
        settings = [(i, parameters) for parameters in left]
        if not log.fill(pool, tasks(CHOOSING, numbers, settings)):
            return None
        for setting in settings:
            found = verdict(log.shares(CHOOSING, numbers, setting))
            tried[setting[1]] = {"with": setting[1], "pages": len(numbers), **found}
        left = sorted(left, key=lambda one: -tried[one]["mean"] - tried[one]["worst_three"])
    return i, left[0], tried


def reported(chosen):
    """Every setting that is reported: the chosen one of a method, then what is reported anyway."""
    return [(i, parameters) for i, best, _ in chosen
            for parameters in dict.fromkeys([best, *METHODS[i].also])]


# --------------------------------------------------------------------- record
def first_line(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split("\n")[0]


def machine():
    return {"device": {"kind": "cpu", "name": measure.processor(), "cores": os.cpu_count(), "driver": "Linux"},
            "programs": {"satfilter": first_line(OPTIONS.satfilter, "--version"), "OpenCV": cv2.__version__,
                         "doxapy": version("doxapy"), "tesseract": first_line("tesseract", "--version"),
                         "numpy": np.__version__, "pillow": version("pillow"),
                         "FreeType": features.version("freetype2")}}


def machines():
    place = OPTIONS.work / "machine.json"
    return json.loads(place.read_text(encoding="utf-8")) if place.exists() else []


def note_machine():
    """Where pages are read, and by what: kept beside the log, by each run that reads."""
    known, here = machines(), machine()
    if here not in known:
        (OPTIONS.work / "machine.json").write_text(json.dumps([*known, here]), encoding="utf-8")


def written(log, chosen):
    """The record of what was read: as many pages of each kind as have been read after all methods."""
    numbers = [same(number) for number in range(REPORTED_PAGES)]
    shares = {setting: log.shares(REPORTED, numbers, setting) for setting in reported(chosen)}
    count = min(map(len, shares.values()), default=0)
    pages = [log.read[task.key()] for task in tasks(REPORTED, numbers, list(shares)[:1])[:count]]
    records = []
    for i, best, tried in chosen:
        settings = [setting for setting in reported(chosen) if setting[0] == i]
        records.append({
            "program": METHODS[i].program, "name": METHODS[i].name, "chosen": best,
            "tried": list(tried.values()),
            "reported": [{"with": parameters, "shares": shares[(i, parameters)][:count]}
                         for _, parameters in settings],
        })
    last = machines()[-1]
    return {
        "program": "thresholds.py",
        "command": f"thresholds.py --work DIR --jobs {last['device']['cores']} --json results/cpu/thresholds.json",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        **last, "before": machines()[:-1], "seeds": SEEDS, "kinds": [scans.name(kind) for kind in scans.KINDS],
        "words": sum(page["words"] for page in pages), "characters": sum(page["characters"] for page in pages),
        "not_ended": sum(not one["ended"] for one in log.read.values()), "reads": len(log.read),
        "seconds": round(sum(one["seconds"] for one in log.read.values())), "records": records,
    }


def write_record(log, chosen):
    text = json.dumps(written(log, chosen), indent=1)
    text = re.sub(r"\n {3,}", " ", text)  # a method a line
    pathlib.Path(OPTIONS.json).write_text(text + "\n", encoding="utf-8")


def study():
    """Chooses, then reads what is reported, and records both. False if the time was up: then some methods
    have no choice, or fewer pages are reported, of each kind as many."""
    log = Log(OPTIONS.work / "reads.jsonl")
    with multiprocessing.Pool(OPTIONS.jobs) as pool:
        chosen = [choose(log, pool, i) for i in range(len(METHODS))]
        numbers = [same(number) for number in range(REPORTED_PAGES)]
        complete = None not in chosen and log.fill(pool, tasks(REPORTED, numbers, reported(chosen)))
    write_record(log, [one for one in chosen if one])
    return complete


# ------------------------------------------------------------------- pictures
SHOWN_KINDS = [scans.wavy_ink, scans.sharp_stains, scans.bleed_through]
SHOWN = [("--wolf {},k={}", 21, 0.35), ("--wolf {},k={}", 21, 0.2), (FLAT, 101)]
CROP = np.s_[500:582, 200:500]


def pictures(folder):
    """A crop of a reported page of some kinds, and of what filters make of it, below one another."""
    for kind in SHOWN_KINDS:
        page = page_file(Task(REPORTED, scans.KINDS.index(kind), 0, 0, ()))[0]
        crops = [grey(page)[CROP]]
        for words, *parameters in SHOWN:
            with tempfile.TemporaryDirectory() as scratch:
                result = satfilter(words)(page, 200, pathlib.Path(scratch), *parameters)[0]
                crops += [np.full((4, crops[0].shape[1]), 128), grey(result)[CROP]]
        image = Image.fromarray(np.rint(np.vstack(crops) / 17).astype(np.uint8), "P")  # 16 greys
        image.putpalette([17 * i for i in range(16) for _ in "RGB"])
        image.save(folder / f"pages-{scans.name(kind).replace(' ', '-')}.png", bits=4, optimize=True)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--satfilter", default="satfilter")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--json")
    parser.add_argument("--pictures", type=pathlib.Path)
    OPTIONS = parser.parse_args()
    OPTIONS.until = time.monotonic() + OPTIONS.seconds
    if "/" in OPTIONS.satfilter:
        OPTIONS.satfilter = os.path.abspath(OPTIONS.satfilter)
    OPTIONS.work.mkdir(parents=True, exist_ok=True)
    os.environ["OMP_THREAD_LIMIT"] = "1"
    cv2.setNumThreads(1)
    if OPTIONS.pictures:
        pictures(OPTIONS.pictures)
    if OPTIONS.json and not study():
        sys.exit("thresholds.py: the time was up; another run with this folder goes on")


if __name__ == "__main__":
    main()
