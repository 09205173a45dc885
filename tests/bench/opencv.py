#!/usr/bin/env python3
"""Times gauss beside cv2.GaussianBlur, or resize beside cv2.resize with INTER_AREA: in one process,
in turns, on the same bytes and threads.

    opencv.py [--build DIR] [--side 4096] [--threads 2] [--repeat 5] [--sigmas 2,10,50]
              [--sizes WxH,WxH ...] [--type u8|u16|f32] [--channels 1]

DIR is where satfilter was built, --sizes are those of resize's results. Prints medians and least
times in ms (of one thread: the CPU's), after the two results were compared. gauss: no sample may be
further away than 4 % of the full scale, which is what its boxes are off at most; resize: than one
level, or 1e-5 of floats. It needs numpy and opencv-python-headless.
"""
import argparse
import ctypes
import pathlib
import statistics
import sys
import time

import cv2
import numpy as np

# satf_type, and the full scale of these samples; satf_view.device
TYPES, FULL, HOST = {"u8": 0, "u16": 1, "f32": 4}, {"u8": 255, "u16": 65535, "f32": 1}, 0
SAMPLES = {"u8": np.uint8, "u16": np.uint16, "f32": np.float32}


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("width", ctypes.c_int64), ("height", ctypes.c_int64),
                ("stride", ctypes.c_int64), ("channels", ctypes.c_int32), ("type", ctypes.c_int32),
                ("device", ctypes.c_int32), ("flags", ctypes.c_uint32),
                ("pixel_stride", ctypes.c_int64), ("full", ctypes.c_double)]


class Ours:
    def __init__(self, build, threads):
        self.library = ctypes.CDLL(str(pathlib.Path(build) / ".libs" / "libsatfilter.so"))
        self.library.satf_message.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        self.check(self.library.satf_context_create(ctypes.byref(self.context)))
        self.check(self.library.satf_context_set_threads(self.context, threads))

    def check(self, status):
        if status:
            sys.exit(f"opencv.py: {self.library.satf_message(self.context).decode()}")

    def filter(self, spec, pixels, made, kind):
        """A function that makes the result."""
        chain = ctypes.c_void_p()
        self.check(self.library.satf_filter_parse(self.context, spec.encode(), ctypes.byref(chain)))
        views = [View(data=a.ctypes.data, width=a.shape[1], height=a.shape[0], stride=a.strides[0],
                      channels=a.shape[2], type=TYPES[kind], device=HOST) for a in (pixels, made)]
        return lambda: self.check(self.library.satf_filter_apply(
            self.context, chain, ctypes.byref(views[0]), ctypes.byref(views[1])))


def time_ms(call, clock):
    start = clock()
    call()
    return 1e3 * (clock() - start)


def cases(arguments, pixels):
    """What is measured: a name, satfilter's filter, the sides of its result, how far results may differ, the peer."""
    full = FULL[arguments.type]
    if arguments.sizes:
        for size in arguments.sizes.split(","):
            sides = tuple(map(int, size.split("x")))
            yield (size, f"resize={size}!", sides, 1e-5 if full == 1 else 1,
                   lambda to, s=sides: cv2.resize(pixels, s, to, 0, 0, cv2.INTER_AREA))
        return
    for sigma in map(float, arguments.sigmas.split(",")):
        yield (f"{sigma:g}", f"gauss={sigma},border=mirror", pixels.shape[1::-1], 0.04 * full,
               lambda to, s=sigma: cv2.GaussianBlur(pixels, (0, 0), s, to))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=".")
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--sigmas", default="2,10,50")
    parser.add_argument("--sizes")
    parser.add_argument("--type", default="u8", choices=TYPES)
    parser.add_argument("--channels", type=int, default=1)
    arguments = parser.parse_args()
    kind, channels = arguments.type, arguments.channels
    clock = time.process_time if arguments.threads == 1 else time.perf_counter
    cv2.setNumThreads(arguments.threads)
    ours = Ours(arguments.build, arguments.threads)
    shape = arguments.side, arguments.side, channels
    pixels = (np.random.default_rng(7).random(shape) * FULL[kind]).astype(SAMPLES[kind])
    print(f"{arguments.side} x {arguments.side} {kind}, {channels} channels, {arguments.threads} threads, "
          f"OpenCV {cv2.__version__}; medians (least) in ms\n\n| | satfilter | OpenCV | x |\n|--:|--:|--:|--:|")
    for name, spec, sides, most, peer in cases(arguments, pixels):
        made, theirs = (np.zeros((sides[1], sides[0], channels), SAMPLES[kind]) for _ in range(2))
        call = ours.filter(spec, pixels, made, kind)
        call()
        peer(theirs)
        if np.abs(made.astype(float) - theirs).max() > most:
            sys.exit(f"opencv.py: the results of {spec} differ")
        times = [(time_ms(call, clock), time_ms(lambda to=theirs, p=peer: p(to), clock))
                 for _ in range(arguments.repeat)]
        a, b = (statistics.median(t) for t in zip(*times))
        least = [min(t) for t in zip(*times)]
        print(f"| {name} | {a:.1f} ({least[0]:.1f}) | {b:.1f} ({least[1]:.1f}) "
              f"| {b / a:.1f} ({least[1] / least[0]:.1f}) |")


if __name__ == "__main__":
    main()
