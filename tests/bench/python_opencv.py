#!/usr/bin/env python3
"""satfilter.cv beside OpenCV: the same calls on 1920 x 1080 pixels, one thread each. satfilter must be importable.

    OMP_NUM_THREADS=1 taskset -c 1 python3 python_opencv.py [--json FILE]

Results are compared first. Both take turns; times are the least of 40 calls each, in ms. ximgproc's functions are those
of opencv-contrib-python-headless.
"""
import argparse
import json
import time

import cv2
import numpy as np

import satfilter
from satfilter import cv as ours

RUNS = 40
RNG = np.random.default_rng(1)
PAGE = cv2.blur(RNG.normal(190, 120, (1080, 1920)).clip(0, 255).astype("u1"), (3, 3))
COLOUR = np.dstack([PAGE, PAGE[::-1], PAGE[:, ::-1]])
INTEGERS, REAL = PAGE.astype("i4"), PAGE.astype("f4")
# The call, of ours or cv2; how far results may be apart, and in what share of pixels they may.
CALLS = {
    "blur 15": (lambda m: m.blur(PAGE, (15, 15)), 0, 0),
    "blur 15, BGR": (lambda m: m.blur(COLOUR, (15, 15)), 0, 0),
    "blur 15, int32": (lambda m: m.blur(INTEGERS, (15, 15)), 0, 0),
    "boxFilter 15, sums in int32": (lambda m: m.boxFilter(PAGE, 4, (15, 15), normalize=False), 0, 0),
    "boxFilter 15, float32": (lambda m: m.boxFilter(PAGE, 5, (15, 15)), 1e-3, 1),
    "sqrBoxFilter 15, float32": (lambda m: m.sqrBoxFilter(PAGE, 5, (15, 15)), 1, 1),
    "sqrBoxFilter 15, sums in float64": (lambda m: m.sqrBoxFilter(PAGE, 6, (15, 15), normalize=False), 0, 0),
    "sqrBoxFilter 15, of float32": (lambda m: m.sqrBoxFilter(REAL, 5, (15, 15)), 1, 1),
    "adaptiveThreshold 15": (lambda m: m.adaptiveThreshold(PAGE, 255, 0, 0, 15, 7), 0, 0),
    "adaptiveThreshold 51, inverse, 200": (lambda m: m.adaptiveThreshold(PAGE, 200, 0, 1, 51, 7.5), 0, 0),
    "adaptiveThreshold 35, Gaussian": (lambda m: m.adaptiveThreshold(PAGE, 255, 1, 0, 35, 7), 255, 0.02),
    "integral": (lambda m: m.integral(PAGE), 0, 0),
    "integral, BGR": (lambda m: m.integral(COLOUR), 0, 0),
    "integral, float64": (lambda m: m.integral(PAGE, sdepth=6), 0, 0),
    "integral2": (lambda m: m.integral2(PAGE)[1], 0, 0),
    "GaussianBlur 5 x 5": (lambda m: m.GaussianBlur(PAGE, (5, 5), 0), 1, 1),
    "GaussianBlur, sigma 1.5": (lambda m: m.GaussianBlur(PAGE, (0, 0), 1.5), 2, 1),
    "GaussianBlur, sigma 3": (lambda m: m.GaussianBlur(PAGE, (0, 0), 3), 4, 1),
    "GaussianBlur, sigma 10": (lambda m: m.GaussianBlur(PAGE, (0, 0), 10), 4, 1),
}
OF_XIMGPROC = {
    "niBlackThreshold 31, Niblack": (lambda m: m.niBlackThreshold(PAGE, 255, 0, 31, -0.2), 255, 0.002),
    "niBlackThreshold 31, Sauvola": (
        lambda m: m.niBlackThreshold(PAGE, 255, 0, 31, 0.2, binarizationMethod=1), 255, 0.002),
    "niBlackThreshold 31, Wolf": (
        lambda m: m.niBlackThreshold(PAGE, 255, 0, 31, 0.2, binarizationMethod=2), 255, 0.002),
    "guidedFilter 8": (lambda m: m.guidedFilter(PAGE, PAGE, 8, 400.0), 1, 1),
}


def compare(name, made, want, limit, share):
    off = np.abs(made.astype("f8") - want)
    if made.dtype != want.dtype or off.max() > limit or (off > 0).mean() > share:
        raise SystemExit(f"{name}: off by {off.max()} in {(off > 0).mean():.4f} of the pixels")


def least(calls):
    """Milliseconds of each; they take turns."""
    times = [1e9] * len(calls)
    for _ in range(RUNS):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            call()
            times[k] = min(times[k], time.perf_counter() - start)
    return [t * 1e3 for t in times]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    path = parser.parse_args().json
    cv2.setNumThreads(1)
    satfilter.set_threads(1)
    records = {}
    for module, calls in ((cv2, CALLS), (getattr(cv2, "ximgproc", None), OF_XIMGPROC)):
        for name, (call, limit, share) in calls.items() if module else ():
            compare(name, call(ours), call(module), limit, share)
            mine, theirs = least([lambda: call(ours), lambda: call(module)])
            records[name] = {"satfilter": mine, "OpenCV": theirs, "times": theirs / mine}
            print(f"{name:36s} {mine:8.2f} ms  OpenCV {theirs:8.2f} ms  {theirs / mine:5.2f} times")
    if path:
        with open(path, "w") as file:
            record = {"command": "python_opencv.py --json FILE", "OpenCV": cv2.__version__, "ms": records}
            json.dump(record, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
