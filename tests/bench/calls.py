#!/usr/bin/env python3
"""Calls of the library beside those of OpenCV that do the same, in one process, in turn: what scoreboard.py has not.

    calls.py gauss|resize|threads [--build DIR] [--side 4096] [--threads 2] [--repeat 5] [--json FILE]
             [--type u8|u16|f32] [--channels 1] [--sigmas 2,10,50] [--sizes WxH,WxH ...]

gauss:  beside GaussianBlur. resize: beside INTER_AREA, to --sizes.
threads: small images on all threads, which is the default, beside one thread: the least times in ms. Fails where all
        take more than 1.1 times as long, for sharing must not cost more than it gains. --pause S: between calls, so
        that threads fall asleep.

Results are compared first. Prints medians (and least times) in ms, of one thread the CPU's; x is OpenCV's time over
ours. It needs numpy and OpenCV.
"""
import sys
import time

import cv2
import numpy as np

import measure
from library import Library

SAMPLES = {"u8": (np.uint8, 255), "u16": (np.uint16, 65535), "f32": (np.float32, 1)}  # with their full scale


def gauss(o, image, full):
    """Name, spec, OpenCV's call, how far samples may be apart: 4 % of the full scale, which is what ours, of boxes, are
    off at most."""
    for sigma in map(float, o.sigmas.split(",")):
        to = np.empty_like(image)
        yield (f"gauss {sigma:g}", f"gauss={sigma},border=mirror",
               lambda s=sigma, to=to: cv2.GaussianBlur(image, (0, 0), s, to), 0.04 * full)


def resize(o, image, full):
    for size in o.sizes.split(","):
        w, h = map(int, size.split("x"))
        to = np.empty((h, w, o.channels), image.dtype)
        yield (f"resize {size}", f"resize={size}!",
               lambda s=(w, h), to=to: cv2.resize(image, s, to, 0, 0, cv2.INTER_AREA), 1e-5 if full == 1 else 1)


# Filter, type and result, and sizes with their channels.
SMALL = [("integral", "u1", "u4", "64x64x1 320x240x1 640x480x1 1920x1080x1 2560x1440x1 1920x1080x3 3840x2160x1 "
          "4096x4096x1 3000x2000x3"),
         ("integral", "f4", "f8", "1920x1080x1 4096x2048x1"), ("integral", "u1", "u8", "1920x1080x1"),
         ("box=15", "u1", "u1", "64x64x1 256x256x1 320x240x1 640x480x1 1920x1080x1 640x480x3"),
         ("box=3", "u1", "u1", "640x480x1"), ("box=63", "u1", "u1", "640x480x1"),
         ("box=15", "f4", "f4", "256x256x1 640x480x1"), ("variance=15", "u1", "f4", "256x256x1 640x480x1"),
         ("flip=h", "u1", "u1", "256x256x1 1920x1080x1"), ("rotate=90", "u1", "u1", "640x480x1 1920x1080x1")]


def sample(call, calls, pause):
    """Milliseconds of one of so many calls."""
    timed, spent = measure.timer(call), 0.0
    for _ in range(calls):
        spent += timed()
        if pause:
            time.sleep(pause)
    return spent / calls


def threads(o):
    """Whether all threads are too slow anywhere; prints the table."""
    lines, records = [], []
    ours = [Library(o.build, n) for n in (1, 0)]
    for spec, dtype, result, size in ((*row[:3], size) for row in SMALL for size in row[3].split()):
        w, h, c = map(int, size.split("x"))
        image = (np.random.default_rng(1).random((h, w, c)) * 200).astype(dtype)
        made = np.zeros((w, h, c) if spec == "rotate=90" else image.shape, result)
        calls = [one.plan(spec, image, made) for one in ours]
        count = 4 if o.pause else 1 + int(2 / (1e-3 + sample(calls[0], 3, 0)))
        found = measure.in_turn({k: lambda call=call: sample(call, count, o.pause) for k, call in enumerate(calls)},
                                o.repeat)
        one, every = min(found[0]), min(found[1])
        lines.append([f"{spec} {dtype} {result}", size, f"{one:.4f}", f"{every:.4f}", f"{every / one:.2f}"])
        records.append({"name": spec, "size": size, "ms_1": one, "ms_all": every})
    measure.table(["work", "size", "1 thread", "all", "ratio"], lines)
    measure.write(o.json, records)
    return any(record["ms_all"] > 1.1 * record["ms_1"] for record in records)


def measured(o, library, clock):
    """A line and a record for each work."""
    dtype, full = SAMPLES[o.type]
    image = (np.random.default_rng(7).random((o.side, o.side, o.channels)) * full).astype(dtype)
    for name, spec, peer, far in globals()[o.what](o, image, full):
        want = np.asarray(peer())
        ours = library.plan(spec, image, np.zeros((*want.shape[:2], o.channels), dtype))
        off = np.abs(ours().astype(float).squeeze() - want.squeeze())
        if off.max() > far:
            measure.fail(f"{name}: OpenCV differs by {off.max():g}")
        calls = {"satfilter": ours, "OpenCV": peer}
        found = measure.in_turn({one: measure.timer(call, clock) for one, call in calls.items()}, o.repeat)
        ms, least = measure.medians(found), {one: min(times) for one, times in found.items()}
        yield ([name, *(f"{ms[one]:.2f} ({least[one]:.2f})" for one in ms), f"{ms['OpenCV'] / ms['satfilter']:.2f}"],
               {"name": name, "width": o.side, "height": o.side, "ms": ms, "ms_min": least})


def main():
    parser = measure.parser_of(__doc__, build=".", repeat=5)
    parser.add_argument("what", choices=["gauss", "resize", "threads"])
    parser.add_argument("--pause", type=float, default=0)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sigmas", default="2,10,50")
    parser.add_argument("--sizes", default="2048x2048,1024x1024,1000x777")
    parser.add_argument("--type", default="u8", choices=SAMPLES)
    parser.add_argument("--channels", type=int, default=1)
    o = parser.parse_args()
    if o.what == "threads":
        return threads(o)
    cv2.setNumThreads(o.threads)
    clock = time.perf_counter if o.threads > 1 else time.process_time
    lines, records = zip(*measured(o, Library(o.build, o.threads), clock))
    print(f"{o.side} x {o.side}, OpenCV {cv2.__version__}, medians (least) of {o.repeat}, in ms\n")
    measure.table(["work", "satfilter", "OpenCV", "x"], lines)
    measure.write(o.json, records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
