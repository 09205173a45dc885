#!/usr/bin/env python3
"""Calls of the library beside those of OpenCV and scikit-image that do the same, in one process, in turn.

    calls.py box|gauss|resize|pages|threads [--build DIR] [--side 4096] [--threads 2] [--repeat 5] [--json FILE]
             [--type u8|u16|f32] [--channels 1] [--sigmas 2,10,50] [--sizes WxH,WxH ...]

box:    means, variances and tables on one thread and on two, OpenCV on one, and a copy; with what the project asks
        of itself.
gauss:  beside GaussianBlur. resize: beside INTER_AREA, to --sizes.
pages:  sauvola and guided beside ximgproc and scikit-image.
threads: small images on all threads, which is the default, beside one thread: the least times in ms. Fails where all
        take more than 1.1 times as long, for sharing must not cost more than it gains. --pause S: between calls, so
        that threads fall asleep.

Results are compared first. Prints medians (and least times) in ms, of one thread but in box the CPU's; x is a peer's
time over ours. It needs numpy, OpenCV (for pages its contrib modules and scikit-image).
"""
import ctypes
import sys
import time

import cv2
import numpy as np

import measure

TYPES = {"uint8": 0, "uint16": 1, "uint32": 2, "uint64": 3, "float32": 4, "float64": 5}  # satf_type
SAMPLES = {"u8": (np.uint8, 255), "u16": (np.uint16, 65535), "f32": (np.float32, 1)}  # with their full scale
# What the project asks of itself: the factor on 1 and 2 threads.
TARGETS = {"box u8": (2.0, 3.5), "box f32": (2.0, None), "variance u8 to f32": (None, 3.0),
           "integral u8 to u32": (1.0, 1.5), "integral u8 to u32, squares to u64": (None, 2.5)}
REPLICATE = cv2.BORDER_REPLICATE


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("width", ctypes.c_int64), ("height", ctypes.c_int64),
                ("stride", ctypes.c_int64), ("channels", ctypes.c_int32), ("type", ctypes.c_int32),
                ("device", ctypes.c_int32), ("flags", ctypes.c_uint32),
                ("pixel_stride", ctypes.c_int64), ("full", ctypes.c_double)]

    @classmethod
    def of(cls, a):
        return cls(data=a.ctypes.data, width=a.shape[1], height=a.shape[0], stride=a.strides[0],
                   channels=a.shape[2] if a.ndim > 2 else 1, type=TYPES[a.dtype.name])


class Ours:
    """The library with a context of so many threads."""

    def __init__(self, build, threads):
        self.library = ctypes.CDLL(str(build / ".libs" / "libsatfilter.so"))
        self.library.satf_message.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        self.check(self.library.satf_context_create(ctypes.byref(self.context)))
        self.check(self.library.satf_context_set_threads(self.context, threads))

    def check(self, status):
        if status:
            measure.fail(self.library.satf_message(self.context).decode())

    def filter(self, spec, image, made):
        """A function that filters the image into the array, and returns that."""
        chain, views = ctypes.c_void_p(), (View.of(image), View.of(made))
        self.check(self.library.satf_filter_parse(self.context, spec.encode(), ctypes.byref(chain)))

        def call():
            self.check(self.library.satf_filter_apply(self.context, chain, *map(ctypes.byref, views)))
            return made
        return call


class Row:
    """One line: ours by the spec into an array, and peers as {program: function that returns its result}. Results
    may differ by `far`, or by more in that share of the samples."""

    def __init__(self, name, spec, image, made, peers, far, share=0.0, window="-"):
        self.name, self.spec, self.image, self.made, self.peers = name, spec, image, made, peers
        self.far, self.share, self.window = far, share, window

    def compare(self, ours):
        made = ours.filter(self.spec, self.image, self.made)().astype(float).squeeze()
        for program, call in self.peers.items():
            off = np.abs(np.asarray(call()).astype(float).squeeze() - made)
            if (off > self.far).mean() > self.share:
                measure.fail(f"{self.name}, {self.window}: {program} differs by {off.max():g}")


def into(spec, image, dtype=None, shape=None):
    return spec, image, np.zeros(shape or image.shape, dtype or image.dtype)


def variance(image, size):
    mean, squares = (f(image, cv2.CV_32F, size, borderType=REPLICATE) for f in (cv2.boxFilter, cv2.sqrBoxFilter))
    return cv2.subtract(squares, cv2.multiply(mean, mean, mean), squares)


def box(o):
    rng = np.random.default_rng(1)
    byte = rng.integers(0, 256, (o.side, o.side), "u1")
    for name, image, far in (("box u8", byte, 1), ("box f32", rng.random(byte.shape, "f4"), 1e-5)):
        for n in (3, 5, 7, 15, 31, 63, 127, 255):
            out = np.empty_like(image)
            yield Row(name, *into(f"box={n}", image), {"OpenCV": lambda i=image, n=n, to=out: cv2.blur(
                i, (n, n), to, borderType=REPLICATE)}, far, window=n)
    for n in (3, 15, 63):  # 0.05 of 16256: the peer subtracts in single precision
        yield Row("variance u8 to f32", *into(f"variance={n}", byte, "f4"),
                  {"OpenCV": lambda n=n: variance(byte, (n, n))}, 0.05, window=n)
    # OpenCV's have a row and a column of zeros more.
    yield Row("integral u8 to u32", *into("integral", byte, "u4"),
              {"OpenCV": lambda: cv2.integral(byte, sdepth=cv2.CV_32S)[1:, 1:]}, 0)
    yield Row("integral u8 to u32, squares to u64", *into("integral,squared", byte, "u8"),
              {"OpenCV": lambda: cv2.integral2(byte, sdepth=cv2.CV_32S, sqdepth=cv2.CV_64F)[1][1:, 1:]}, 0)


def noise(o):
    dtype, full = SAMPLES[o.type]
    return (np.random.default_rng(7).random((o.side, o.side, o.channels)) * full).astype(dtype), full


def gauss(o):
    """No sample may be further away than 4 % of the full scale, which is what ours, of boxes, are off at most."""
    image, full = noise(o)
    for sigma in map(float, o.sigmas.split(",")):
        to = np.empty_like(image)
        yield Row(f"gauss {sigma:g}", *into(f"gauss={sigma},border=mirror", image),
                  {"OpenCV": lambda s=sigma, to=to: cv2.GaussianBlur(image, (0, 0), s, to)}, 0.04 * full)


def resize(o):
    image, full = noise(o)
    for size in o.sizes.split(","):
        w, h = map(int, size.split("x"))
        to = np.empty((h, w, o.channels), image.dtype)
        yield Row(f"resize {size}", *into(f"resize={size}!", image, shape=to.shape),
                  {"OpenCV": lambda s=(w, h), to=to: cv2.resize(image, s, to, 0, 0, cv2.INTER_AREA)},
                  1e-5 if full == 1 else 1)


def pages(o):
    """Borders differ, and OpenCV rounds the threshold."""
    from skimage.filters import threshold_sauvola
    page = np.random.default_rng(1).integers(0, 256, (o.side, o.side), "u1")
    yield Row("sauvola 31", *into("sauvola=31,k=0.34", page), {
        "OpenCV": lambda: cv2.ximgproc.niBlackThreshold(page, 255, cv2.THRESH_BINARY, 31, 0.34, r=128,
                                                        binarizationMethod=cv2.ximgproc.BINARIZATION_SAUVOLA),
        "scikit-image": lambda: (page > threshold_sauvola(page, 31, k=0.34, r=128)) * np.uint8(255)}, 0, 0.02)
    frame = page[:1080, :1920].copy()
    yield Row("guided 15, 1920 x 1080", *into("guided=15,eps=0.01,border=reflect", frame),
              {"OpenCV": lambda: cv2.ximgproc.guidedFilter(frame, frame, 7, 0.01 * 255 * 255)}, 1)


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
    ours = [Ours(o.build, n) for n in (1, 0)]
    for spec, dtype, result, size in ((*row[:3], size) for row in SMALL for size in row[3].split()):
        w, h, c = map(int, size.split("x"))
        image = (np.random.default_rng(1).random((h, w, c)) * 200).astype(dtype)
        made = np.zeros((w, h, c) if spec == "rotate=90" else image.shape, result)
        calls = [one.filter(spec, image, made) for one in ours]
        count = 4 if o.pause else 1 + int(2 / (1e-3 + sample(calls[0], 3, 0)))
        found = measure.in_turn({k: lambda call=call: sample(call, count, o.pause) for k, call in enumerate(calls)},
                                o.repeat)
        one, every = min(found[0]), min(found[1])
        lines.append([f"{spec} {dtype} {result}", size, f"{one:.4f}", f"{every:.4f}", f"{every / one:.2f}"])
        records.append({"name": spec, "size": size, "ms_1": one, "ms_all": every})
    measure.table(["work", "size", "1 thread", "all", "ratio"], lines)
    measure.write(o.json, records)
    return any(record["ms_all"] > 1.1 * record["ms_1"] for record in records)


def ours_of(row, ours):
    """The call that is timed; the table of squares comes after that of sums."""
    call = ours.filter(row.spec, row.image, row.made)
    if row.spec != "integral,squared":
        return call
    first = ours.filter(*into("integral", row.image, "u4"))
    return lambda: (first(), call())


def measured(row, ours, repeat, clock, copies):
    """{program: [ms]}."""
    row.compare(next(iter(ours.values())))
    calls = {name: ours_of(row, one) for name, one in ours.items()} | row.peers
    if copies:  # of the bytes that are read and written
        half = np.ones((row.image.nbytes + row.made.nbytes + row.spec.count("squared") * row.image.size * 4) // 2, "u1")
        target = np.empty_like(half)
        calls["copy"] = lambda: np.copyto(target, half)
    for call in calls.values():
        call()
    return measure.in_turn({name: measure.timer(call, clock) for name, call in calls.items()}, repeat)


def cells_of(row, found):
    """Each program's time, and a peer's over ours with what it should be."""
    ms, least = measure.medians(found), {name: min(times) for name, times in found.items()}
    cells, mine = [row.name, row.window], [name for name in ms if name.startswith("satfilter")]
    for name in ms:
        ratios = ""
        if name in row.peers or name == "copy":
            ratios = ", x " + " and ".join(f"{ms[name] / ms[one]:.2f} ({least[name] / least[one]:.2f})" for one in mine)
        cells.append(f"{ms[name]:.2f} ({least[name]:.2f}){ratios}")
    for target, one in zip(TARGETS.get(row.name, ()), mine):
        if target:
            cells[-1 - len(row.peers)] += f", {'met' if ms['OpenCV'] / ms[one] >= target else 'missed'}: {target:g}"
    record = {"name": row.name, "window": row.window, "width": row.image.shape[1], "height": row.image.shape[0],
              "ms": {name: round(value, 4) for name, value in ms.items()},
              "ms_min": {name: round(value, 4) for name, value in least.items()}}
    return cells, record


def main():
    parser = measure.parser_of(__doc__, build=".", repeat=5)
    parser.add_argument("what", choices=["box", "gauss", "resize", "pages", "threads"])
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
    is_box = o.what == "box"
    cv2.setNumThreads(1 if is_box else o.threads)
    ours = {f"satfilter, {n} threads": Ours(o.build, n) for n in ((1, 2) if is_box else (o.threads,))}
    clock = time.perf_counter if is_box or o.threads > 1 else time.process_time
    lines, records = [], []
    for row in globals()[o.what](o):
        found = measured(row, ours, o.repeat, clock, is_box)
        cells, record = cells_of(row, found)
        lines, records = [*lines, cells], [*records, record]
    head = ["work", "window", *(record["ms"])]
    print(f"{o.side} x {o.side}, OpenCV {cv2.__version__}, medians (least) of {o.repeat}, in ms\n")
    measure.table(head, [line + [""] * (len(head) - len(line)) for line in lines])
    measure.write(o.json, records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
