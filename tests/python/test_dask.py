"""Dask arrays: the results of whole images, for any blocks. Skipped where Dask is missing."""
import concurrent.futures
import doctest
import itertools
import pickle
import tempfile
import tracemalloc
import unittest

import numpy as np

import satfilter

from satfilter import ndimage
from test_types import picture

try:
    import dask
    import dask.array as da
except ImportError:
    dask = None
else:
    from satfilter import dask as sd

BORDERS = ("clamp", "mirror", "reflect", "wrap", "constant:7", "shrink", "valid")
CHUNKS = [((60,), (71,)), ((7, 23, 30), (71,)), ((60,), (9, 1, 1, 30, 30)), ((13, 20, 27), (40, 20, 11))]


def setUpModule():
    if not dask:
        raise unittest.SkipTest("dask is not installed")
    dask.config.set(scheduler="synchronous")


class Filters(unittest.TestCase):
    def same(self, lazy, want, what, tolerance=0.0):
        made = lazy.compute()
        self.assertEqual((lazy.dtype, lazy.shape), (want.dtype, want.shape), what)
        self.assertEqual((made.dtype, made.shape), (want.dtype, want.shape), what)
        if tolerance:
            np.testing.assert_allclose(made, want, rtol=0, atol=tolerance * np.abs(want).max(), err_msg=what)
        else:
            np.testing.assert_array_equal(made, want, what)

    def test_borders(self):
        """Windows with and without a middle, off the pixel, up to larger than blocks and than the image."""
        image = picture("u1", (60, 71))
        windows = ("box=9", "box=4x7,at=1:-2", "box=1x15", "box=33", "box=6,at=-2:3", "unsharp=5", "guided=7",
                   "sauvola=15", "stddev=8x3", "normalize=9,full=200", "box=3 box=4x5,at=0:1")
        for words, border, chunks in itertools.product(windows, BORDERS, CHUNKS):
            spec = " ".join(f"{word},border={border}" for word in words.split())
            self.same(sd.filter(da.from_array(image, chunks), spec), satfilter.filter(image, spec), f"{spec} {chunks}")
        for border, chunks in itertools.product(BORDERS[:-1], CHUNKS):
            spec = f"box=201x173,border={border}"
            self.same(sd.filter(da.from_array(image, chunks), spec), satfilter.filter(image, spec), f"{spec} {chunks}")

    def test_mixed_borders(self):
        image = picture("u2", (60, 71))
        for spec in ("box=9,border=valid box=7,border=mirror sum=4", "box=3,border=reflect sum=4x6,border=valid",
                     "box=9,border=constant:9 stddev=5", "real box=9,border=wrap sauvola=6,border=wrap"):
            for chunks in CHUNKS:
                self.same(sd.filter(da.from_array(image, chunks), spec), satfilter.filter(image, spec), spec)

    def test_types(self):
        for dtype in ("?", "i1", "u2", "i4", "u8", "f2"):
            x = da.from_array(picture(dtype, (40, 50)), (17, 11))
            for spec in ("box=7", "sum=5,border=mirror", "template"):
                if spec == "template":
                    spec = satfilter.Filter.of("template", rects=[(-1, -7, 3, 4, 2), (0, 0, 2, 9, -1)])
                want = satfilter.filter(x.compute(), spec)
                self.same(sd.filter(x, spec), want, f"{dtype} {spec}", 1e-6 if want.dtype.kind == "f" else 0)
        for dtype in ("f4", "f8", "c16"):
            image = picture(dtype, (40, 50))
            want = satfilter.box(image, 7, border="mirror")
            self.same(sd.filter(da.from_array(image, 13), "box=7,border=mirror"), want, dtype, 2**-22)
        image = picture("u1", (40, 50))
        for dtype in ("f8", "i2", "f4"):
            self.same(sd.filter(da.from_array(image, 13), "box=6", dtype=dtype),
                      satfilter.box(image, 6, dtype=dtype), dtype)

    def test_not_finite(self):
        image = picture("f4", (40, 50))
        image[13, 20], image[14, 3] = np.nan, np.inf
        made = sd.filter(da.from_array(image, 7), "box=5").compute()
        np.testing.assert_array_equal(np.isnan(made), np.isnan(satfilter.box(image, 5)))
        np.testing.assert_array_equal(np.isinf(made), np.isinf(satfilter.box(image, 5)))

    def test_axes(self):
        stack = picture("u1", (5, 30, 40))
        for chunks in ((2, 30, 40), (1, 7, 13), (5, 11, 40)):
            x = da.from_array(stack, chunks)
            self.same(sd.filter(x, "box=9,border=valid"), satfilter.box(stack, 9, border="valid"), "stack")
            self.same(sd.integral(x), satfilter.integral(stack), "tables of a stack")
        for axis, shape in ((-1, (40, 30, 3)), (0, (3, 40, 30)), (1, (40, 3, 30))):
            image = picture("u2", shape)
            x = da.from_array(image, tuple(2 if n == 3 else 11 for n in shape))
            for spec in ("box=9", "sauvola=9", "unsharp=5,luma", "sauvola=9,border=valid", "sauvola=4,border=wrap"):
                self.same(sd.filter(x, spec, channel_axis=axis),
                          satfilter.filter(image, spec, channel_axis=axis), f"{spec} {axis}")
            self.same(sd.integral(x, channel_axis=axis), satfilter.integral(image, channel_axis=axis), "table")
        image = picture("u1", (40, 30, 4))
        self.same(sd.filter(da.from_array(image, (11, 13, 1)), "box=7", channel_axis=-1, alpha=True),
                  satfilter.box(image, 7, channel_axis=-1, alpha=True), "alpha")

    def test_whole_images(self):
        """Filters that depend on the whole image take images of one block, and refuse others."""
        stack = picture("u1", (3, 30, 40))
        guide = picture("u1", (30, 40), seed=2)
        varied = satfilter.Filter.of("varbox", map=guide // 50)
        mixed = "box=5,border=wrap box=3"
        for spec in ("wolf=9", "wolf=9,border=valid", varied, satfilter.Filter.of("guided", size=5, guide=guide),
                     satfilter.Filter.of("guided", size=5, guide=guide, border="valid"), mixed):
            self.same(sd.filter(da.from_array(stack, (1, 30, 40)), spec), satfilter.filter(stack, spec), str(spec))
            with self.assertRaisesRegex(ValueError, "filter after filter" if spec == mixed else
                                        r"one block: x.rechunk\({1: -1, 2: -1}\)"):
                sd.filter(da.from_array(stack, (1, 15, 40)), spec)
        with tempfile.TemporaryDirectory() as folder:
            satfilter.write(folder + "/x.png", guide)
            spec = f"by={folder}/x.png,op=sub"
            with concurrent.futures.ThreadPoolExecutor(1) as pool:  # whose first call reads the file
                pool.submit(satfilter.Filter, spec).result()
            self.same(sd.filter(da.from_array(stack, (1, 30, 40)), spec), satfilter.filter(stack, spec), spec)
        x = da.from_array(stack, (1, 15, 40))
        for spec, text in {"rotate=90": "transpose", "integral": "makes tables", "box=3mm": "resolution",
                           "box=31x41,border=valid": "\(30, 40\)", "boxx=3": "boxx"}.items():
            with self.assertRaisesRegex(ValueError, text):
                sd.filter(x, spec)
        with self.assertRaisesRegex(ValueError, "too few axes"):
            sd.filter(x[0], "box=3", channel_axis=0)
        with self.assertRaisesRegex(ValueError, "3 axes"):
            sd.filter(x, "box=3", channel_axis=3)

    def test_uniform_filter(self):
        modes = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-wrap")
        for dtype, ndim in (("u1", 2), ("i4", 3), ("f8", 2), ("?", 2)):
            image = picture(dtype, (41, 30, 24)[:ndim])
            x = da.from_array(image, (11, 30, 7)[:ndim])
            for mode, size in itertools.product(modes, (1, 5, (4, 7, 6)[:ndim], 61)):
                lazy = sd.uniform_filter(x, size, mode=mode, cval=3)
                self.same(lazy, ndimage.uniform_filter(image, size, mode=mode, cval=3), f"{dtype} {mode} {size}",
                          1e-14 if dtype in "f8?" else 0)
        image, x = picture("u1", (41, 30)), da.from_array(picture("u1", (41, 30)), 9)
        for options in ({"origin": (1, -2), "mode": ("wrap", "mirror")}, {"axes": 0, "output": "f8"},
                        {"axes": (1,), "origin": 2, "mode": "reflect"}, {"output": np.int32}):
            self.same(sd.uniform_filter(x, 6, **options), ndimage.uniform_filter(image, 6, **options), str(options))
        with self.assertRaisesRegex(TypeError, "output is a type"):
            sd.uniform_filter(x, 3, image)
        with self.assertRaisesRegex(RuntimeError, "mode"):
            sd.uniform_filter(x, 3, mode="nowhere")

    def test_blocks(self):
        """Blocks stay as they are, unless they are smaller than what the filter reaches."""
        x = da.ones((100, 90), chunks=(20, 30), dtype="u1")
        self.assertEqual(sd.filter(x, "box=21").chunks, x.chunks)
        self.assertGreaterEqual(min(sd.filter(x, "box=61").chunks[0]), 30)

    def test_refused(self):
        for call in (sd.filter, sd.uniform_filter, lambda x, _: sd.integral(x)):
            with self.assertRaisesRegex(TypeError, "a ndarray, not an array of Dask"):
                call(picture("u1"), "box=3")
            x = da.from_array(picture("u1"))
            with self.assertRaisesRegex(ValueError, "compute_chunk_sizes"):
                call(x[x[:, 0] > 100], "box=3")

    def test_graph(self):
        """The work is picklable, for workers in other processes, and the same work has the same name."""
        x = da.from_array(picture("u1", (60, 71)), 20)
        lazy = sd.filter(x, "box=5,border=wrap")
        self.assertEqual(lazy.name, sd.filter(x, "box=5,border=wrap").name)
        self.assertNotEqual(lazy.name, sd.filter(x, "box=7,border=wrap").name)
        pickle.loads(pickle.dumps(lazy))
        with dask.config.set(scheduler="processes", num_workers=2):
            self.same(lazy, satfilter.box(x.compute(), 5, border="wrap"), "processes")
            self.same(sd.integral(x), satfilter.integral(x.compute()), "processes")


class Tables(unittest.TestCase):
    def test_types(self):
        for dtype in ("?", "u1", "i1", "u2", "i2", "u4", "i8", "u8", "f2", "f4", "f8"):
            image = picture(dtype, (60, 71))
            for squared in (False, True):
                want = satfilter.integral(image, squared=squared)
                for chunks in CHUNKS:
                    lazy = sd.integral(da.from_array(image, chunks), squared=squared)
                    made = lazy.compute()
                    self.assertEqual((lazy.dtype, made.dtype), (want.dtype, want.dtype), dtype)
                    if want.dtype.kind == "f":
                        np.testing.assert_allclose(made, want, rtol=1e-6 if want.dtype == "f4" else 1e-13)
                    else:
                        np.testing.assert_array_equal(made, want, f"{dtype} {squared} {chunks}")

    def test_stacks(self):
        image = picture("u2", (3, 40, 50))
        want = satfilter.integral(image)
        for chunks in ((2, 15, 20), (1, 40, 50), (3, 40, 7)):
            np.testing.assert_array_equal(sd.integral(da.from_array(image, chunks)), want)
        colours = np.moveaxis(image, 0, -1)
        made = sd.integral(da.from_array(colours, (15, 20, 2)), channel_axis=-1)
        np.testing.assert_array_equal(made, satfilter.integral(colours, channel_axis=-1))

    def test_memory(self):
        """Blocks of the image wait for the sums of others, not their tables, which are eight times as large."""
        image = da.random.default_rng(1).integers(0, 256, (2400, 2400), dtype="u1", chunks=(240, 240))

        class Sink:
            def __setitem__(self, where, block):
                pass

        tracemalloc.start()
        da.store(sd.integral(image, dtype="u8"), Sink(), lock=False, scheduler="sync")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(peak, 4 * image.nbytes)

    def test_large_sums(self):
        """The type is the whole image's; sums that do not fit saturate only at the end."""
        image = np.full((300, 300), 60000, "u2")
        x = da.from_array(image, 100)
        for dtype in (None, "u4", "i4", "f4"):
            np.testing.assert_array_equal(sd.integral(x, dtype=dtype), satfilter.integral(image, dtype=dtype))
        self.assertEqual(sd.integral(x).dtype, np.dtype("u8"))
        large = da.ones((70000, 70000), chunks=7000, dtype="u1")
        self.assertEqual(sd.integral(large).dtype, np.dtype("u8"))
        with self.assertRaisesRegex(TypeError, "complex128"):
            sd.integral(x.astype("c16"))

    def test_documentation(self):
        self.assertEqual(doctest.testmod(sd, verbose=False).failed, 0)


if __name__ == "__main__":
    unittest.main()
