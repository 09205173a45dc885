#!/usr/bin/env python3
"""Plans of the library beside OpenCV's fastest calls for the same work, at small and large sizes, in one process.

    scoreboard.py [--build DIR] [--threads 2] [--quick] [--sizes WxH,...] [--gap PIXELS] [--repeat 9] [--json FILE]

Each work runs on one thread and on --threads. --quick: the sizes up to 1920x1080. --gap: so many pixels lie between
the rows of all images. Both take turns of 1.5 ms or more, and results are compared first. Prints OpenCV's least time
over ours; a cell is lost where OpenCV is more than 3 % faster. sauvola needs OpenCV's contrib modules, and is left out
without. SATFILTER_CPU=avx2 and OPENCV_IPP=avx2 hold both back; the record says what both used.
"""
import sys
from collections import namedtuple

import cv2
import numpy as np

import measure
from library import Library

SIZES = ["32x32", "64x64", "128x128", "256x256", "320x240", "640x480", "1280x720", "1920x1080",
         "3840x2160", "4096x4096", "8192x8192"]
QUICK = SIZES[:8]
LOST = 0.97
TURN_MS = 1.5
EDGE, MIDDLE = cv2.BORDER_REPLICATE, (-1, -1)


# The peers: functions of the image, the window or sigma, and what makes an array of a shape and a type. They return a
# call that returns its result. Arguments have no names: OpenCV takes 0.3 us longer for names.
def mean(a, n, new):
    to = new(a.shape, a.dtype)
    return lambda: cv2.blur(a, (n, n), to, MIDDLE, EDGE)


def moments(a, n, new):
    """The mean, and the variance."""
    means, squares, products = (new(a.shape, "f4") for _ in range(3))

    def call():
        cv2.boxFilter(a, cv2.CV_32F, (n, n), means, MIDDLE, True, EDGE)
        cv2.sqrBoxFilter(a, cv2.CV_32F, (n, n), squares, MIDDLE, True, EDGE)
        return means, cv2.subtract(squares, cv2.multiply(means, means, products), squares)
    return call


def variance(a, n, new):
    both = moments(a, n, new)
    return lambda: both()[1]


def guided(a, n, new):
    """By itself: how far a pixel keeps its difference from the mean is variance / (variance + eps)."""
    both, slope, offset, more = moments(a, n, new), *(new(a.shape, "f4") for _ in range(3))

    def call():
        means, var = both()
        cv2.divide(var, cv2.add(var, 0.01, more), slope)
        cv2.subtract(means, cv2.multiply(slope, means, more), offset)
        cv2.blur(slope, (n, n), more, MIDDLE, EDGE)
        cv2.blur(offset, (n, n), var, MIDDLE, EDGE)
        return cv2.accumulateProduct(more, a, var)
    return call


def integral(a, n, new):
    kind, depth = ("i4", cv2.CV_32S) if a.dtype == np.uint8 else ("f8", cv2.CV_64F)
    to = new((a.shape[0] + 1, a.shape[1] + 1), kind)
    return lambda: cv2.integral(a, to, depth)


def integrals(a, n, new):
    sums, squares = (new((a.shape[0] + 1, a.shape[1] + 1), kind) for kind in ("i4", "f8"))
    return lambda: cv2.integral2(a, sums, squares, cv2.CV_32S, cv2.CV_64F)[1]


def sauvola(a, n, new):
    to = new(a.shape, a.dtype)
    return lambda: cv2.ximgproc.niBlackThreshold(a, 255, cv2.THRESH_BINARY, n, 0.34, to,
                                                 cv2.ximgproc.BINARIZATION_SAUVOLA, 128)


def gauss(a, sigma, new):
    to = new(a.shape, a.dtype)
    return lambda: cv2.GaussianBlur(a, (0, 0), sigma, to, sigma, EDGE)


def half(a, n, new):
    size = a.shape[1] // 2, a.shape[0] // 2
    to = new((*size[::-1], *a.shape[2:]), a.dtype)
    return lambda: cv2.resize(a, size, to, 0, 0, cv2.INTER_AREA)


def adaptive(a, n, new):
    to = new(a.shape, a.dtype)
    return lambda: cv2.adaptiveThreshold(a, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, n, 7, to)


def unsharp(a, n, new):
    means = mean(a, n, new)

    def call():
        to = means()
        return cv2.addWeighted(a, 2, to, -1, 0, to)
    return call


# Ours by plans in order, or satf_sat(), each with the type of its result. That of the last may be off by `far`, and by
# more in that share of the samples.
TABLE, SQUARES = "table", "table of squares"
Work = namedtuple("Work", "name peer n type channels plans far share", defaults=(0,))
WORKS = [
    Work("box 3 u8", mean, 3, "u1", 1, {"box=3": "u1"}, 1),
    Work("box 15 u8", mean, 15, "u1", 1, {"box=15": "u1"}, 1),
    Work("box 63 u8", mean, 63, "u1", 1, {"box=63": "u1"}, 1),
    Work("box 15 u8 x 3", mean, 15, "u1", 3, {"box=15": "u1"}, 1),
    Work("box 15 u16", mean, 15, "u2", 1, {"box=15": "u2"}, 1),
    Work("box 3 f32", mean, 3, "f4", 1, {"box=3": "f4"}, 1e-5),
    Work("box 15 f32", mean, 15, "f4", 1, {"box=15": "f4"}, 1e-5),
    # Of 16256: OpenCV subtracts in single precision.
    Work("variance 15 u8 to f32", variance, 15, "u1", 1, {"variance=15": "f4"}, 0.05),
    Work("table u8", integral, 0, "u1", 1, {TABLE: "u4"}, 0),
    Work("table f32", integral, 0, "f4", 1, {TABLE: "f8"}, 1e-3),
    Work("tables u8 and squares", integrals, 0, "u1", 1, {TABLE: "u4", SQUARES: "u8"}, 0),
    # OpenCV rounds the threshold, and so it does the mean of adaptive.
    Work("sauvola 31 u8", sauvola, 31, "u1", 1, {"sauvola=31": "u1"}, 0, 0.02),
    # Ours are made of boxes, 4 % off at most.
    Work("gauss σ 2 u8", gauss, 2, "u1", 1, {"gauss=2": "u1"}, 0.04 * 255),
    Work("gauss σ 2 u8 x 3", gauss, 2, "u1", 3, {"gauss=2": "u1"}, 0.04 * 255),
    Work("gauss σ 10 u8", gauss, 10, "u1", 1, {"gauss=10": "u1"}, 0.04 * 255),
    Work("gauss σ 2 f32", gauss, 2, "f4", 1, {"gauss=2": "f4"}, 0.04),
    Work("half u8", half, 0, "u1", 1, {"resize={}x{}!": "u1"}, 1),
    Work("half u8 x 3", half, 0, "u1", 3, {"resize={}x{}!": "u1"}, 1),
    Work("adaptive 31 u8", adaptive, 31, "u1", 1, {"adaptive=31,offset=7": "u1"}, 0, 0.02),
    Work("guided 9 f32", guided, 9, "f4", 1, {"guided=9,eps=0.01": "f4"}, 1e-4),
    Work("unsharp 15 u8", unsharp, 15, "u1", 1, {"unsharp=15": "u1"}, 1),
]


def noise(to):
    """Of all integers, or of floats from 0 to 1."""
    random = np.random.default_rng(1)
    is_real = to.dtype.kind == "f"
    to[:] = random.random(to.shape, to.dtype) if is_real else random.integers(0, 1 << 8 * to.itemsize, to.shape)
    return to


def in_order(calls):
    """One call of all, that returns what the last does."""
    if len(calls) == 1:
        return calls[0]
    return lambda: [call() for call in calls][-1]


def calls_of(work, library, w, h, gap):
    """Ours and OpenCV's, which have had the same result."""
    def new(shape, kind):
        return np.zeros((shape[0], shape[1] + gap, *shape[2:]), kind)[:, :shape[1]]
    colours = (work.channels,) if work.channels > 1 else ()
    image, smaller = noise(new((h, w, *colours), work.type)), (w // 2, h // 2)
    sides = (*smaller[::-1], *colours) if work.peer is half else image.shape
    ours = in_order([library.table(image, new(sides, kind), spec == SQUARES) if spec in (TABLE, SQUARES) else
                     library.plan(spec.format(*smaller), image, new(sides, kind)) for spec, kind in work.plans.items()])
    theirs = work.peer(image, work.n, new)
    made, want = ours(), theirs()
    if work.peer in (integral, integrals):  # OpenCV's begin with zeros, and wrap too
        want = want[1:, 1:].astype(made.dtype)
    off = np.abs(want.astype("f8") - made)
    if (off > work.far).mean() > work.share:
        measure.fail(f"{work.name}, {w}x{h}: OpenCV differs by {off.max():g}")
    return {"satfilter": ours, "OpenCV": theirs}


def turn(call):
    """A function that returns the ms of one of as many calls as take TURN_MS."""
    timed = measure.timer(call)
    return measure.repeated(call, 1 + int(TURN_MS / min(timed() for _ in range(3))))


def record_of(work, library, threads, size, o):
    w, h = map(int, size.split("x"))
    cv2.setNumThreads(threads)
    calls = calls_of(work, library, w, h, o.gap)
    found = measure.in_turn({name: turn(call) for name, call in calls.items()}, o.repeat)
    ours, theirs = map(min, found.values())
    return {"name": work.name, "threads": threads, "width": w, "height": h, "x": round(theirs / ours, 3),
            "lost": theirs / ours < LOST, "ms_min": round(ours, 6), "opencv_ms_min": round(theirs, 6)}


def main():
    parser = measure.parser_of(__doc__, build=".", repeat=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes")
    parser.add_argument("--gap", type=int, default=0)
    o = parser.parse_args()
    sizes = o.sizes.split(",") if o.sizes else QUICK if o.quick else SIZES
    libraries = {threads: Library(o.build, threads) for threads in sorted({1, o.threads})}
    uses = {"instructions": libraries[1].instructions(), "OpenCV": cv2.__version__, "IPP": cv2.ipp.getIppVersion()}
    print(uses, "\nOpenCV's time over ours; *: lost\n", " " * 33, *(f"{size:>9}" for size in sizes))
    records = []
    for work in WORKS:
        if work.peer is sauvola and not hasattr(cv2, "ximgproc"):
            continue
        for threads, library in libraries.items():
            row = [record_of(work, library, threads, size, o) for size in sizes]
            print(f"{work.name:24}{threads:3} threads", *(f"{r['x']:8.2f}" + " *"[r["lost"]] for r in row), flush=True)
            records += row
    lost = sum(r["lost"] for r in records)
    print(f"{lost} of {len(records)} cells are lost, {100 * lost / len(records):.1f} %")
    measure.write(o.json, records, **uses)


if __name__ == "__main__":
    sys.exit(main())
