"""What is refused is said in the caller's language: every function with every argument wrong in many ways."""
import inspect
import io
import os
import re
import tempfile
import unittest
import warnings
from functools import partial

import numpy as np

import satfilter
import satfilter.cv
import satfilter.filters
import satfilter.ndimage

import satfilter.zarr
from common import optional

da = optional("dask.array")
if da:
    import satfilter.dask
IMAGE = np.arange(600, dtype="u1").reshape(20, 30)
ERRORS = (ValueError, TypeError, OSError, satfilter.Error)
LIKE_THEIRS = (RuntimeError, IndexError)  # of scipy's and skimage's functions
# Of the command (its options, places X:Y, sizes WIDTHxHEIGHT), of C, and of what an interpreter says by itself.
FOREIGN = re.compile(
    r"\(option|\(limit|--[a-z]|\d+x\d+|WxH|\bX:Y|constant:|LO:HI|\d+ x \d+|\b(u8|u16|u32|u64|f32|f64)\b|=FILE"
    r"|standard output|satf_|SATF_|NULL|\bviews?\b|\bflags|auxiliary|has no attribute|subscriptable|unpack"
    r"|unsupported operand|not supported between|not iterable|'NoneType'|ufunc|broadcast|reshape|argument must be"
    r"|object cannot|unhashable|has no len|positional|embedded|expected str|be converted|t convert|literal|truth value"
    r"|index out of range|not understood|array element|inhomogeneous|scalar")


class Thing:
    def __repr__(self):
        return "Thing()"


WRONG = [
    None, 0, -1, 2, 300, 1 << 40, 10**30, 3.7, -0.5, float("nan"), float("inf"), 1j, True, "", "x", "3x5", "off", "1:2",
    "a\0b", "\u00e9" * 99, b"x", (0, 3), (3, 0), (3, -1), (1.5, 2), (99, -99), (1, 2, 3), ((1, 2), 3), (), [], [[1]],
    {}, {1: 2}, ("x", "y"), (None, 3), Thing(), int, len, np.float64(3.5), np.zeros(3), np.zeros((20, 30)),
    np.zeros((3, 3, 9), "i4"), np.zeros((0, 4), "u1"), np.zeros((20, 31), "u1"), np.zeros(3, "M8[s]"), np.array(["x"]),
    np.array({}), np.ma.masked_array(IMAGE)]


def filters():
    for name in satfilter.list_filters():
        given = {"image": IMAGE}
        given |= {"template": {"rects": [(0, 0, 1, 1, 1)]}, "permute": {"order": np.arange(600)},
                  "by": {"other": IMAGE}, "crop": {"part": (5, 6)}, "varbox": {"map": IMAGE}}.get(name, {})
        yield getattr(satfilter, name), given


def others(folder):
    table = satfilter.integral(IMAGE, dtype="f8")
    path = os.path.join(folder, "x.png")
    satfilter.write(path, IMAGE)
    picture = satfilter.Image(IMAGE)
    anchor = {"anchor": (-1, -1)}
    cv, skimage, scipy = satfilter.cv, satfilter.filters, satfilter.ndimage
    yield satfilter.filter, {"image": IMAGE, "spec": "box=3"}
    yield satfilter.Filter, {"spec": "box=3"}
    yield satfilter.Plan, {"spec": "box=3", "like": IMAGE}
    yield satfilter.Plan("box=3", IMAGE), {"image": IMAGE}
    yield satfilter.moments, {"image": IMAGE}
    yield satfilter.rect_sums, {"table": table, "rects": (0, 0, 2, 2)}
    yield satfilter.rect_stats, {"table": table, "squares": table, "rects": (0, 0, 2, 2)}
    yield satfilter.set_threads, [1]
    yield satfilter.read, {"source": path}
    yield satfilter.read_image, {"source": path}
    yield satfilter.probe, {"path": path}
    yield satfilter.encode, {"image": IMAGE, "format": "png"}
    yield satfilter.write, {"path": io.BytesIO(), "image": IMAGE, "format": "png"}
    yield satfilter.filter_file, {"spec": "box=3", "source": path, "target": io.BytesIO(), "format": "png"}
    yield satfilter.Image, {"array": IMAGE}
    yield picture.filter, {"spec": "box=3"}
    for name in ("icc", "exif", "xmp"):
        yield partial(setattr, picture, name), [None]
    yield scipy.uniform_filter, {"input": IMAGE}
    yield scipy.uniform_filter1d, {"input": IMAGE, "size": 3}
    yield scipy.gaussian_filter, {"input": IMAGE, "sigma": 1}
    yield skimage.gaussian, {"image": IMAGE}
    yield skimage.threshold_otsu, {"image": IMAGE}
    yield skimage.threshold_otsu, {"hist": np.bincount(IMAGE.ravel())}
    yield skimage.threshold_local, {"image": IMAGE}
    yield skimage.threshold_niblack, {"image": IMAGE}
    yield skimage.threshold_sauvola, {"image": IMAGE}
    yield skimage.threshold_local, {"image": IMAGE, "method": "mean"}
    yield skimage.integral_image, {"image": IMAGE}
    yield skimage.integrate, {"ii": table, "start": (0, 0), "end": (1, 1)}
    yield cv.blur, {"src": IMAGE, "ksize": (3, 3), **anchor}
    yield cv.boxFilter, {"src": IMAGE, "ddepth": -1, "ksize": (3, 3), **anchor}
    yield cv.sqrBoxFilter, {"src": IMAGE, "ddepth": -1, "ksize": (3, 3), **anchor}
    yield cv.GaussianBlur, {"src": IMAGE, "ksize": (3, 3), "sigmaX": 1}
    yield cv.adaptiveThreshold, {"src": IMAGE, "maxValue": 255, "adaptiveMethod": 0, "thresholdType": 0, "blockSize": 3,
                                 "C": 2}
    yield cv.niBlackThreshold, {"src": IMAGE, "maxValue": 255, "type": 0, "blockSize": 3, "k": 0.2}
    yield cv.guidedFilter, {"guide": IMAGE, "src": IMAGE, "radius": 1, "eps": 9}
    yield cv.integral, {"src": IMAGE}
    yield cv.integral2, {"src": IMAGE}
    target = np.zeros_like(IMAGE)
    yield satfilter.zarr.filter, {"source": IMAGE, "target": target, "spec": "box=3"}
    yield satfilter.zarr.integral, {"source": IMAGE, "target": np.zeros((20, 30), "u8")}
    if da:
        x = da.from_array(IMAGE, chunks=(10, 10))
        yield satfilter.dask.filter, {"x": x, "spec": "box=3"}
        yield satfilter.dask.integral, {"x": x}
        yield satfilter.dask.uniform_filter, {"input": x}


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


class Words(unittest.TestCase):
    def setUp(self):
        self.wrong = []

    def tearDown(self):
        self.assertFalse(self.wrong, "\n".join(self.wrong[:40]))

    def check(self, name, value, call, errors):
        try:
            call()
        except Exception as error:
            said = str(error)
            ours = said
            for quoted in (str(value), repr(value), f"a {type(value).__name__}"):
                ours = ours.replace(quoted or "\0", "")
            if not isinstance(error, errors) or not said or FOREIGN.search(ours):
                self.wrong.append(f"{name}={value!r:.60}: {type(error).__name__}: {said:.200}")

    def test_wrong_arguments(self):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(folder)  # where a path is a wrong argument
            for function, given in [*filters(), *others(folder)]:
                module, name = function.__module__ or "", getattr(function, "__qualname__", "")
                errors = ERRORS + (LIKE_THEIRS if module.endswith(("ndimage", "filters", "dask")) else ())
                if isinstance(given, list):
                    for value in WRONG:
                        self.check(name, value, partial(function, value), errors)
                    continue
                for argument in given.keys() | inspect.signature(function).parameters.keys() - {"param", "map"}:
                    for value in WRONG:
                        call = partial(function, **{**given, argument: value})
                        self.check(f"{module}.{name}: {argument}", value, call, errors)

    def test_wrong_pictures(self):
        """Samples and shapes that a filter does not take, constants that are no samples, windows that hold no pixel."""
        types = ("u1", "u2", "u4", "i8", "f2", "f4", "f8", "?", "c8", "c16", "g", "S3", "M8[s]", "O")
        images = [np.zeros(shape, t) for t in types for shape in ((), (5,), (5, 6), (5, 0), (2, 5, 6), (5, 6, 5))]
        changes = ({}, {"channel_axis": -1}, {"channel_axis": 0, "alpha": True}, {"alpha": True}, {"border": 300},
                   {"border": 1.5}, {"border": "valid", "size": (6, 5)}, {"size": 3, "at": (0, 5)}, {"dtype": "c8"},
                   {"out": np.zeros((5, 7), "u1")}, {"out": np.zeros((5, 6), "c8")})
        for image in images:
            for function, given in filters():
                for more in changes:
                    if more.keys() <= inspect.signature(function).parameters.keys():
                        call = partial(function, **{**given, **more, "image": image})
                        self.check(f"{function.__name__}({more}) of {image.dtype} {image.shape}", None, call, ERRORS)

    def test_sentences(self):
        for said, call in {
            "size=(0, 3) of box: an integer of 1 to 65535, or two of them, (rows, columns)":
                lambda: satfilter.box(IMAGE, (0, 3)),
            "at=(0, 5) of box: a window of (3, 7) contains its own pixel for rows of -1 to 1 and columns of -3 to 3":
                lambda: satfilter.box(IMAGE, (3, 7), at=(0, 5)),
            "border=300 does not fit uint8 samples; it must be an integer of 0 to 255":
                lambda: satfilter.box(IMAGE, 3, border=300),
            "alpha=True: the image has one channel, and alpha is the last of several":
                lambda: satfilter.box(IMAGE[..., None], 3, channel_axis=-1, alpha=True),
            "the second image is (19, 30) of uint8; it must be (20, 30) of uint8, as the image":
                lambda: satfilter.guided(IMAGE, 3, guide=IMAGE[1:]),
            "rectangle 0 (18, 28, 3, 4) is empty or leaves the table of (20, 30)":
                lambda: satfilter.rect_sums(satfilter.integral(IMAGE), (18, 28, 3, 4)),
            "'0x3' is no window for box: a side is 1 to 65535 pixels; N, WxH, or lengths of 0.001 to 10000 in, mm or "
            "cm and at most 6 decimals, such as 0.33in or 3mmx2mm; all windows are rectangles":
                lambda: satfilter.filter(IMAGE, "box=0x3"),
            "float64 samples of unknown range do not make a png picture by themselves; write .npy, or say "
            'range=(black, white) or range="auto"':
                lambda: satfilter.encode(IMAGE / 3, "png"),
            "a .npy array of shape (3, 20, 30) has 30 channels, its last dimension; 1 to 4 are possible; numpy.load() "
            "reads it": lambda: satfilter.read(npy(np.zeros((3, 20, 30), "u1"))),
            'is a gif file, a format that is not read by default; if you trust the file, formats="all" reads it':
                lambda: satfilter.read(b"GIF89a" + bytes(99)),
            'is a gif file, and only png, jpeg may be read here (formats="all" reads it)':
                lambda: satfilter.read(b"GIF89a" + bytes(99), formats="png,jpeg"),
        }.items():
            with self.assertRaises(ERRORS) as caught:
                call()
            self.assertEqual(str(caught.exception), said)
