"""Samples of one type as those of another: alike by every function, and messages have the caller's types."""
import inspect
import re
import tempfile
import unittest
import warnings

import numpy as np

import satfilter
import satfilter.cv
import satfilter.filters
import satfilter.ndimage
import satfilter.zarr
from common import REAL, Case, picture
from test_words import da, filters, others

SHAPE = (20, 30)


def converted(image, dtype):
    """Numbers as another type has them: integers halves up and saturated."""
    t = np.dtype(dtype)
    if t.kind == "f":
        with np.errstate(over="ignore"):
            return image.astype(t)
    low, high = np.iinfo(t).min, np.iinfo(t).max
    whole = [int(np.floor(value + 0.5)) if image.dtype.kind == "f" else int(value) for value in image.flat]
    return np.array([min(max(value, low), high) for value in whole], t).reshape(image.shape)


def into(call):
    """The function of (image, dtype) whose result call writes into an array."""
    def made(image, dtype):
        out = np.zeros(image.shape, dtype)
        call(image, out)
        return out
    return made


def same_samples():
    """Functions of an image and a type that change no sample: their windows have one."""
    scipy, cv, named = satfilter.ndimage, satfilter.cv, lambda dtype: np.dtype(dtype).name
    yield "uniform_filter", lambda a, t: scipy.uniform_filter(a, 1, output=t)
    yield "uniform_filter, a name", lambda a, t: scipy.uniform_filter(a, 1, output=named(t))
    yield "uniform_filter, an array", into(lambda a, out: scipy.uniform_filter(a, (1, 1), output=out))
    yield "uniform_filter, no axes", lambda a, t: scipy.uniform_filter(a, 3, output=t, axes=())
    yield "uniform_filter, less than one", lambda a, t: scipy.uniform_filter(a, 0, output=t)
    yield "uniform_filter1d", lambda a, t: scipy.uniform_filter1d(a, 1, output=t)
    for name in ("box", "pixelate"):
        yield name, lambda a, t, f=getattr(satfilter, name): f(a, 1, dtype=t)
        yield name + ", an array", into(lambda a, out, f=getattr(satfilter, name): f(a, 1, out=out))
    yield "resize", lambda a, t: satfilter.resize(a, "100%", dtype=t)
    yield "real", lambda a, t: satfilter.real(a, dtype=t)
    yield "flip", lambda a, t: satfilter.flip(a[:, ::-1], dtype=t)
    yield "flip, an array", into(lambda a, out: satfilter.flip(a[:, ::-1], out=out))
    yield "moments", lambda a, t: satfilter.moments(a, 1, dtype=t)[0]
    yield "blur", into(lambda a, out: cv.blur(a, (1, 1), out))
    yield "zarr.filter", into(lambda a, out: satfilter.zarr.filter(a, out, "box=1"))
    if not da:
        return
    blocks = lambda a: da.from_array(a, chunks=(10, 10))
    yield "dask.filter", lambda a, t: satfilter.dask.filter(blocks(a), "box=1", dtype=t).compute()
    yield "dask.uniform_filter", lambda a, t: satfilter.dask.uniform_filter(blocks(a), 1, np.dtype(t)).compute()


class Casts(Case):
    def check(self, name, call, image, dtype):
        what = (name, str(image.dtype), dtype)
        with np.errstate(over="ignore"):
            made = call(image, dtype)
        self.assertEqual(made.dtype, np.dtype(dtype), what)
        self.assertFalse(np.may_share_memory(made, image), what)
        np.testing.assert_array_equal(made, converted(image, dtype), str(what))

    def test_windows_of_one(self):
        """The smallest window, no axis, a move: nothing but a conversion, saturated by all functions alike."""
        for source in REAL + ["?"]:
            image = picture(source) if source != "f2" else picture(source) * np.float16(4)
            for name, call in same_samples():
                for dtype in REAL:
                    self.check(name, call, image, dtype)

    def test_empty(self):
        for call in (satfilter.ndimage.uniform_filter, satfilter.ndimage.uniform_filter1d):
            for source, dtype in (("i2", "u1"), ("?", "u1"), ("f8", "i4")):
                made = call(np.zeros((0, 3), source), 3, output=dtype)
                self.assertEqual((made.shape, made.dtype), ((0, 3), np.dtype(dtype)))
            for size in (1, 3):
                with self.assertRaisesRegex(TypeError, "results are integers or floats, not bool"):
                    call(np.zeros((4, 3)), size, output=bool)
        self.check("a number", lambda a, t: satfilter.ndimage.uniform_filter(a, output=t), np.array(-5, "i2"), "u1")

    def test_not_finite(self):
        bad = np.array([[np.nan, np.inf, -np.inf, 2.5]])
        for name, call in same_samples():
            self.assertEqual(call(bad, "i2").tolist(), [[0, 32767, -32768, 3]], name)

    def test_opencv(self):
        cv, grey = satfilter.cv, picture("u1", SHAPE, 4)
        table = satfilter.integral(grey, zeros=True)
        for dtype in ("u1", "i2", "f4", "f8", "i8"):
            out = np.zeros((21, 31), dtype)
            cv.integral(grey, out)
            np.testing.assert_array_equal(out, converted(table, dtype), dtype)
        real = cv.integral(np.full((2, 2), 1e10), sdepth=4)
        self.assertEqual((real.dtype, real.max()), (np.dtype("i4"), 2**31 - 1))
        np.testing.assert_array_equal(cv.integral(np.full((1, 2), 0.7), sdepth=4)[1], [0, 1, 1])
        for dtype, white in (("i1", 127), ("u2", 255), ("f4", 255), ("f2", 255)):
            for value in (255, 1e9):
                out = np.full(SHAPE, 9, dtype)
                cv.adaptiveThreshold(grey, value, 0, 0, 3, 2, out)
                self.assertEqual(sorted(set(out.flat)), [0, white], (dtype, value))
        bools = picture("?", SHAPE)
        np.testing.assert_array_equal(cv.guidedFilter(bools, bools, 1, 0.01),
                                      satfilter.guided(bools, 3, eps=0.01, border="reflect"))

    def test_skimage(self):
        """Sums into integers as skimage has them: whole numbers of each sample, modulo the type's."""
        skimage, image = satfilter.filters, np.full((3, 4), 100.7)
        for dtype in ("u1", "i4", "i8"):
            want = image.cumsum(0, dtype=dtype).cumsum(1, dtype=dtype)
            np.testing.assert_array_equal(skimage.integral_image(image, dtype=dtype), want)
            np.testing.assert_array_equal(skimage.integral_image(image[0], dtype=dtype), want[0])
        table = skimage.integral_image(picture("u1"))
        for dtype in ("u1", "i2", "u4", "u8"):
            start, end = np.array([[1, 2], [3, 4]], dtype), np.array([[5, 6], [7, 8]], dtype)
            np.testing.assert_array_equal(skimage.integrate(table, start, end),
                                          skimage.integrate(table, start.tolist(), end.tolist()))

    def test_large_numbers(self):
        """What int64 does not hold is told as it is."""
        most = 2**64 - 1
        for call in (lambda: satfilter.rect_sums(satfilter.integral(picture("u1")), np.array([[most, 0, 1, 1]], "u8")),
                     lambda: satfilter.permute(picture("u1", (1, 2)), np.array([0, most], "u8"))):
            self.refuse(ValueError, f": {most} is more than ", call)


STRANGE = {"O": "float64", "S3": "float64", "U3": "float64", "M8[s]": "float64", "g": "float64", "G": "complex128",
           "V3": "float64", "i4,f4": r"array\['f0'\]"}
# Types of samples, but where a sentence lists what is possible.
NAMED = re.compile(r"\b(bool|u?int\d+|float\d+|complex\d+)(?= samples)")


class Names(unittest.TestCase):
    """A message names the type of the caller's array, whatever the library was given in its place."""

    def said(self, call):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", getattr(np, "exceptions", np).ComplexWarning)
                call()
        except (TypeError, ValueError) as error:
            return str(error)
        except np.exceptions.ComplexWarning as error:
            self.fail(f"an imaginary part is lost: {error}")
        return ""

    def check_named(self, call, dtype, what):
        said = self.said(call)
        for name in NAMED.findall(said):
            self.assertEqual(name, str(np.dtype(dtype)), (what, said))
        return said

    def test_arrays(self):
        """Of every type, by every filter, with arguments of which some are wrong."""
        count, changes = 0, (
            {}, {"border": 300}, {"border": 1.5}, {"border": "valid", "size": (99, 5)}, {"channel_axis": -1},
            {"channel_axis": -1, "alpha": True}, {"level": "otsu"}, {"level": "otsu", "surface": True},
            {"colour": True}, {"luma": True}, {"full": 7})
        for dtype in REAL + ["?", "c8", "c16"]:
            for shape in (SHAPE, (*SHAPE, 3), (*SHAPE, 5), (5,)):
                image = np.zeros(shape, dtype)
                for function, given in filters():
                    for more in changes:
                        if more.keys() <= inspect.signature(function).parameters.keys():
                            call = lambda: function(**{**given, **more, "image": image})
                            count += bool(self.check_named(call, dtype, (function.__name__, more, shape)))
        self.assertGreater(count, 1000)

    def test_second_arrays(self):
        for function, argument in ((satfilter.by, "other"), (satfilter.varbox, "map"), (satfilter.guided, "guide")):
            for dtype in [t for t in REAL + ["?"] if t not in ("u8", "i8") or function is not satfilter.guided]:
                second = np.zeros((19, 30), dtype)
                for source in ("u1", "f8", "i2") if function is not satfilter.guided else (dtype,):
                    said = self.said(lambda: function(np.zeros(SHAPE, source), **{argument: second}))
                    self.assertIn(f"the second image is (19, 30) of {second.dtype};", said)
                f = satfilter.Filter.of(function.__name__, **{argument: second})
                said = self.said(lambda: satfilter.Plan(f, np.zeros(SHAPE, dtype)))
                self.assertIn(f"{second.dtype} samples: a plan is for arrays of" if dtype == "?" else
                              f"the second image is (19, 30) of {second.dtype};", said)
            said = self.said(lambda: function(np.zeros(SHAPE), **{argument: np.zeros(SHAPE, "c8")}))
            self.assertEqual(said, f"{argument}: complex64 samples; real ones, as abs() makes them, are possible")
        f = satfilter.Filter.of("by", other=np.zeros((19, 30), "i1"))
        self.assertIn("(19, 30) of int8;", self.said(lambda: satfilter.Plan(f, np.zeros(SHAPE, "u1"))))

    def test_strange(self):
        """Every function that takes an array says whose samples it cannot take, and what makes others."""
        arrays = {"image", "like", "input", "src", "guide", "table", "squares", "array", "other", "source", "ii", "x"}
        count = 0
        for function, given in [*filters(), *others(self.enterContext(tempfile.TemporaryDirectory()))]:
            if isinstance(given, list) or isinstance(given.get("source"), str):
                continue
            for argument in arrays & (given.keys() | inspect.signature(function).parameters.keys()):
                for dtype, remedy in STRANGE.items():
                    strange, name = np.zeros(SHAPE, dtype), getattr(function, "__qualname__", str(function))
                    blocks = function.__module__ == "satfilter.dask"
                    array = da.from_array(strange, chunks=(10, 10)) if blocks else strange
                    said = self.said(lambda: function(**{**given, argument: array}))
                    self.assertIn(str(strange.dtype), said, (name, argument))
                    count += 1
                    if name in ("box", "sauvola", "uniform_filter", "blur", "moments", "rect_sums"):
                        self.assertRegex(said, remedy, (name, argument))
        self.assertGreater(count, 300)
