#!/usr/bin/env python3
"""Means of pixels of which some do not count, and of signed samples, beside the same without and beside peers.

    counting.py [--side 4096] [--window 31] [--repeat 5]

The peers' way is two calls: the mean of the samples with 0 where they do not count, over the mean of ones and zeros.
Results are compared first. Prints the least times in ms of one thread, and what they are of the first line's. It
needs the Python package on PYTHONPATH, numpy, OpenCV and scipy.
"""
import argparse
import time

import cv2
import numpy as np
import scipy.ndimage

import satfilter


def least(repeat, call):
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def by_opencv(image, counts, w):
    sums = [cv2.boxFilter(a, -1, (w, w), borderType=cv2.BORDER_REPLICATE) for a in (image, counts)]
    return sums[0] / sums[1]


def by_scipy(image, counts, w):
    return np.divide(*(scipy.ndimage.uniform_filter(a, w, mode="nearest") for a in (image, counts)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--window", type=int, default=31)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    satfilter.set_threads(1)
    cv2.setNumThreads(1)
    random, n, w = np.random.default_rng(0), args.side, args.window
    image = random.random((n, n), dtype=np.float32)
    holes = image.copy()
    holes[random.random((n, n)) < 0.05] = np.nan
    counts = np.isfinite(holes).astype(np.float32)
    filled = np.where(counts > 0, holes, np.float32(0))
    grey, weights = random.integers(0, 256, (2, n, n), dtype=np.uint8)
    alpha = np.dstack([grey, weights])
    words = random.integers(0, 65536, (n, n), dtype=np.uint16)
    signed = (words ^ 0x8000).view(np.int16)
    omitted = satfilter.box(holes, w, nan_policy="omit")
    assert np.abs(omitted - by_scipy(filled.astype("f8"), counts.astype("f8"), w)).max() < 1e-6
    assert (satfilter.box(signed, w) == satfilter.box(words, w).astype(int) - 32768).all()
    groups = {
        "f32": [("whole", lambda: satfilter.box(image, w)),
                ("5 % NaN, omitted", lambda: satfilter.box(holes, w, nan_policy="omit")),
                ("two calls of OpenCV", lambda: by_opencv(filled, counts, w)),
                ("two calls of scipy", lambda: by_scipy(filled, counts, w))],
        "u8": [("with alpha", lambda: satfilter.box(alpha, w, channel_axis=-1, alpha=True)),
               ("weights", lambda: satfilter.box(grey, w, weights=weights)),
               ("nodata", lambda: satfilter.box(grey, w, nodata=0))],
        "16 bits": [("u16", lambda: satfilter.box(words, w)), ("i16", lambda: satfilter.box(signed, w))],
    }
    for name, calls in groups.items():
        first = None
        for what, call in calls:
            ms = least(args.repeat, call)
            first = first or ms
            print(f"{name:8} {what:20} {ms:8.1f} ms {ms / first:6.2f}")


if __name__ == "__main__":
    main()
