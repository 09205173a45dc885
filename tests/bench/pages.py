#!/usr/bin/env python3
"""sauvola and guided beside OpenCV (ximgproc) and scikit-image, in one process, taking turns.

    pages.py LIBRARY    such as .libs/libsatfilter.so
"""
import ctypes as C
import statistics
import sys
import time

import cv2
import numpy as np
from skimage.filters import threshold_sauvola

THREADS, TURNS = 2, 5
lib = C.CDLL(sys.argv[1])


class View(C.Structure):
    _fields_ = [("data", C.c_void_p), ("width", C.c_int64), ("height", C.c_int64),
                ("stride", C.c_int64), ("channels", C.c_int32), ("type", C.c_int32),
                ("device", C.c_int32), ("flags", C.c_uint32), ("pixel_stride", C.c_int64)]


def view(image):
    height, width = image.shape
    return View(image.ctypes.data, width, height, width, 1, 0, 0, 0, 0)


def ours(text, image, result):
    context, chain = C.c_void_p(), C.c_void_p()
    assert lib.satf_context_create(C.byref(context)) == 0
    assert lib.satf_context_set_threads(context, THREADS) == 0
    assert lib.satf_filter_parse(context, text, C.byref(chain)) == 0
    source, target = view(image), view(result)

    def call():
        assert lib.satf_filter_apply(context, chain, C.byref(source), C.byref(target)) == 0
        return result
    return call


def compare(what, calls, allowed):
    times = {name: [] for name, _ in calls}
    for _ in range(TURNS):
        for name, call in calls:
            start = time.perf_counter()
            result = call()
            times[name].append((time.perf_counter() - start) * 1e3)
            if name == "satfilter":
                mine = result.astype(int)
            elif (np.abs(result.astype(int) - mine) > allowed[0]).mean() > allowed[1]:
                sys.exit(f"{what}: {name} has another result")
    least = statistics.median(times["satfilter"])
    for name, ms in times.items():
        ms = statistics.median(ms)
        print(f"{what:28} {name:14} {ms:8.1f} ms {ms / least:7.1f}")


cv2.setNumThreads(THREADS)
page = np.random.default_rng(1).integers(0, 256, (4096, 4096), dtype=np.uint8)
compare("sauvola 31, 4096 x 4096", [
    ("satfilter", ours(b"sauvola=31,k=0.34", page, np.zeros_like(page))),
    ("OpenCV", lambda: cv2.ximgproc.niBlackThreshold(
        page, 255, cv2.THRESH_BINARY, 31, 0.34,
        binarizationMethod=cv2.ximgproc.BINARIZATION_SAUVOLA, r=128)),
    ("scikit-image", lambda: (page > threshold_sauvola(page, 31, k=0.34, r=128)) * np.uint8(255)),
], (0, 0.02))  # borders differ, and OpenCV rounds the threshold
frame = page[:1080, :1920].copy()
compare("guided 15, 1920 x 1080", [
    ("satfilter", ours(b"guided=15,eps=0.01,border=reflect", frame, np.zeros_like(frame))),
    ("OpenCV", lambda: cv2.ximgproc.guidedFilter(frame, frame, 7, 0.01 * 255 * 255)),
], (1, 0))
