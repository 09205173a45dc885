#!/usr/bin/env python3
"""The Python package on the host, beside scipy and scikit-image where they are. satfilter must be importable.

    python_host.py [--json FILE]

Times are the least of several, in ms, into `out` where the call has one: what a call costs, one thread on
4096 x 4096 bytes, and a stack of 1,000 images on one thread and on all. Results are compared first.
"""
import argparse
import json
import os
import time

import numpy as np

import satfilter

RNG = np.random.default_rng(3)


def least(call, runs):
    """Milliseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def small(records):
    image = RNG.integers(0, 256, (64, 64), "u1")
    out = np.empty_like(image)
    plan = satfilter.Plan("box=15", image)
    records["box 64, out"] = least(lambda: satfilter.box(image, 15, out=out), 20000)
    records["plan 64, out"] = least(lambda: plan(image, out), 20000)
    records["uniform_filter 64, out"] = least(lambda: satfilter.ndimage.uniform_filter(image, 15, output=out), 20000)


def large(records):
    image = RNG.integers(0, 256, (4096, 4096), "u1")
    out = np.empty_like(image)
    plan = satfilter.Plan("box=15", image)
    records["box 4096, out"] = least(lambda: satfilter.box(image, 15, out=out), 50)
    records["plan 4096, out"] = least(lambda: plan(image, out), 50)
    records["uniform_filter 4096, out"] = least(lambda: satfilter.ndimage.uniform_filter(image, 15, output=out), 50)
    records["sauvola 4096, out"] = least(lambda: satfilter.sauvola(image, 31, out=out), 30)
    records["threshold_sauvola 4096"] = least(lambda: satfilter.filters.threshold_sauvola(image, 31), 10)
    try:
        from scipy import ndimage
        records["scipy uniform_filter 4096, out"] = least(lambda: ndimage.uniform_filter(image, 15, output=out), 3)
    except ImportError:
        pass
    try:
        from skimage.filters import threshold_sauvola
        want, got = threshold_sauvola(image, 31), satfilter.filters.threshold_sauvola(image, 31)
        np.testing.assert_allclose(got, want, rtol=1e-9)
        records["skimage threshold_sauvola 4096"] = least(lambda: threshold_sauvola(image, 31), 2)
        records["skimage sauvola, bilevel 4096"] = least(lambda: image > threshold_sauvola(image, 31), 2)
    except ImportError:
        pass


def stack(records):
    images = RNG.integers(0, 256, (1000, 64, 64), "u1")
    out = np.empty_like(images)
    want = np.stack([satfilter.box(image, 15) for image in images])
    for threads in (1, os.cpu_count()):
        satfilter.set_threads(threads)
        satfilter.box(images, 15, out=out)
        np.testing.assert_array_equal(out, want)
        records[f"1,000 x box 64, {threads} threads"] = least(lambda: satfilter.box(images, 15, out=out), 200)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    options = parser.parse_args()
    import satfilter.filters
    import satfilter.ndimage
    records = {}
    satfilter.set_threads(1)
    small(records)
    large(records)
    stack(records)
    for name, ms in records.items():
        print(f"{name:36} {ms:10.4f} ms")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"command": "python_host.py --json FILE", "cpus": os.cpu_count(), "ms": records}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
