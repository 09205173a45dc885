#!/usr/bin/env python3
"""Times thresholds beside OpenCV's and scikit-image's, all on the same bytes and threads.

    threshold_speed.py --satbench ./satbench [--side 4096] [--window 31] [--threads 2] [--json FILE]

satbench times ours before and behind the peers, and the lower median of the two stands; a peer's is
the median of five calls. Results are black and white, or what the peer has for it: skimage's
thresholds are compared with the picture in the time that is measured. It needs numpy,
opencv-contrib-python-headless and scikit-image.
"""
import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np
import skimage
from skimage import filters

NAMES = ("adaptive", "bradley", "niblack", "nick", "sauvola")


def peers(pixels, n):
    white, binary = 255, cv2.THRESH_BINARY
    ximgproc = cv2.ximgproc

    def niblack(method, k):
        return lambda: ximgproc.niBlackThreshold(pixels, white, binary, n, k, binarizationMethod=method)

    return {
        "adaptive": {"cv2.adaptiveThreshold":
                     lambda: cv2.adaptiveThreshold(pixels, white, cv2.ADAPTIVE_THRESH_MEAN_C, binary, n, 5),
                     "skimage.threshold_local":
                     lambda: pixels > filters.threshold_local(pixels, n, method="mean", offset=5)},
        "bradley": {},
        "niblack": {"cv2.ximgproc": niblack(ximgproc.BINARIZATION_NIBLACK, -0.2),
                    "skimage.threshold_niblack":
                    lambda: pixels > filters.threshold_niblack(pixels, n, k=0.2)},
        "nick": {"cv2.ximgproc": niblack(ximgproc.BINARIZATION_NICK, -0.2)},
        "sauvola": {"cv2.ximgproc": niblack(ximgproc.BINARIZATION_SAUVOLA, 0.34),
                    "skimage.threshold_sauvola":
                    lambda: pixels > filters.threshold_sauvola(pixels, n, k=0.34, r=128)},
    }


def ours(satbench, side, window, threads):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "ours.json"
        subprocess.run([satbench, "filter", "--sizes", str(side), "--filters", ",".join(NAMES),
                        "--windows", str(window), "--threads", str(threads), "--json", file],
                       check=True, capture_output=True)
        run = json.loads(file.read_text())
    return run["device"], {r["name"]: r["ms"] for r in run["records"]}


def time_call(call):
    def once():
        start = time.perf_counter()
        call()
        return 1e3 * (time.perf_counter() - start)
    once()
    return statistics.median(once() for _ in range(5))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--satbench", default="./satbench")
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--window", type=int, default=31)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    cv2.setNumThreads(arguments.threads)
    pixels = np.random.default_rng(7).integers(0, 256, (arguments.side, arguments.side), np.uint8)
    device, first = ours(arguments.satbench, arguments.side, arguments.window, arguments.threads)
    found = {name: {peer: time_call(call) for peer, call in calls.items()}
             for name, calls in peers(pixels, arguments.window).items()}
    _, second = ours(arguments.satbench, arguments.side, arguments.window, arguments.threads)
    records = []
    for name in NAMES:
        ms = min(first[name], second[name])
        records.append({"filter": name, "ms": round(ms, 3), "peers": {p: round(t, 2) for p, t in found[name].items()}})
        beside = ", ".join(f"{p} {t:.1f} ms, {t / ms:.1f} times" for p, t in found[name].items())
        print(f"{name:9} {ms:8.2f} ms  {beside}")
    if arguments.json:
        record = {
            "program": "threshold_speed.py", "command": " ".join(["threshold_speed.py", *sys.argv[1:]]),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "device": device,
            "programs": {"OpenCV": cv2.__version__, "scikit-image": skimage.__version__},
            "side": arguments.side, "window": arguments.window, "threads": arguments.threads, "records": records}
        pathlib.Path(arguments.json).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
