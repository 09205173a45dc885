"""Dask arrays: the results of whole images, for any blocks. Skipped where Dask is missing."""
import concurrent.futures
import doctest
import itertools
import pickle
import tracemalloc
import unittest

import numpy as np

import satfilter
from blocks import Blocks
from common import Case, optional, picture
from satfilter import ndimage

dask, da = optional("dask"), optional("dask.array")
if dask:
    from satfilter import dask as sd

CHUNKS = [((60,), (71,)), ((7, 23, 30), (71,)), ((60,), (9, 1, 1, 30, 30)), ((13, 20, 27), (40, 20, 11))]


def setUpModule():
    if not dask:
        raise unittest.SkipTest("dask is not installed")
    dask.config.set(scheduler="synchronous")


def array_of(image, chunks, axis=None):
    """Blocks of so many rows and columns, and of two along all other axes."""
    places = [k for k in range(image.ndim) if axis is None or k != axis % image.ndim][-2:]
    return da.from_array(image, tuple(chunks[places.index(k)] if k in places else 2 for k in range(image.ndim)))


class Filters(Blocks, Case):
    chunks = CHUNKS

    def computed(self, lazy):
        made = lazy.compute()
        self.assertEqual((lazy.dtype, lazy.shape), (made.dtype, made.shape))
        return made

    def filter(self, image, spec, chunks, dtype=None, channel_axis=None, alpha=False):
        x = array_of(image, chunks, -1 if alpha else channel_axis)
        return self.computed(sd.filter(x, spec, dtype=dtype, channel_axis=channel_axis, alpha=alpha))

    def table(self, image, chunks, dtype=None, channel_axis=None, **options):
        x = array_of(image, chunks, channel_axis)
        return self.computed(sd.integral(x, dtype=dtype, channel_axis=channel_axis, **options))

    def test_not_finite(self):
        image = picture("f4", (40, 50))
        image[13, 20], image[14, 3] = np.nan, np.inf
        made = sd.filter(da.from_array(image, 7), "box=5").compute()
        np.testing.assert_array_equal(np.isnan(made), np.isnan(satfilter.box(image, 5)))
        np.testing.assert_array_equal(np.isinf(made), np.isinf(satfilter.box(image, 5)))

    def test_whole_images(self):
        """Filters that depend on the whole image take images of one block, and refuse others."""
        stack = picture("u1", (3, 30, 40))
        guide = picture("u1", (30, 40), seed=2)
        varied = satfilter.Filter.of("varbox", map=guide // 50)
        mixed = "box=5,border=wrap box=3"
        for spec in ("wolf=9", "wolf=9,border=valid", varied, satfilter.Filter.of("guided", size=5, guide=guide),
                     satfilter.Filter.of("guided", size=5, guide=guide, border="valid"), mixed):
            self.check(stack, spec, (30, 40))
            with self.assertRaisesRegex(ValueError, "filter after filter" if spec == mixed else
                                        r"one block: x.rechunk\({1: -1, 2: -1}\)"):
                sd.filter(da.from_array(stack, (1, 15, 40)), spec)
        path = self.folder() / "x.png"
        satfilter.write(path, guide)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:  # whose first call reads the file
            pool.submit(satfilter.Filter, f"by={path},op=sub").result()
        self.check(stack, f"by={path},op=sub", (30, 40))
        x = da.from_array(stack, (1, 15, 40))
        for spec, text in {"rotate=90": "transpose", "integral": "makes tables", "box=3mm": "resolution",
                           "box=31x41,border=valid": "\(30, 40\)", "boxx=3": "boxx"}.items():
            self.refuse(ValueError, text, sd.filter, x, spec)
        self.refuse(ValueError, "too few axes", sd.filter, x[0], "box=3", channel_axis=0)
        self.refuse(ValueError, "3 axes", sd.filter, x, "box=3", channel_axis=3)

    def test_uniform_filter(self):
        modes = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-wrap")
        for dtype, ndim in (("u1", 2), ("i4", 3), ("f8", 2), ("?", 2)):
            image = picture(dtype, (41, 30, 24)[:ndim])
            x = da.from_array(image, (11, 30, 7)[:ndim])
            for mode, size in itertools.product(modes, (1, 5, (4, 7, 6)[:ndim], 61)):
                lazy = sd.uniform_filter(x, size, mode=mode, cval=3)
                self.same(self.computed(lazy), ndimage.uniform_filter(image, size, mode=mode, cval=3),
                          what=(dtype, mode, size), tolerance=1e-14 if dtype in "f8?" else 0)
        image, x = picture("u1", (41, 30)), da.from_array(picture("u1", (41, 30)), 9)
        for options in ({"origin": (1, -2), "mode": ("wrap", "mirror")}, {"axes": 0, "output": "f8"},
                        {"axes": (1,), "origin": 2, "mode": "reflect"}, {"output": np.int32}):
            self.same(self.computed(sd.uniform_filter(x, 6, **options)), ndimage.uniform_filter(image, 6, **options),
                      what=options)
        self.refuse(TypeError, "output is a type", sd.uniform_filter, x, 3, image)
        self.refuse(RuntimeError, "mode", sd.uniform_filter, x, 3, mode="nowhere")

    def test_blocks(self):
        """Blocks stay as they are, unless they are smaller than what the filter reaches."""
        x = da.ones((100, 90), chunks=(20, 30), dtype="u1")
        self.assertEqual(sd.filter(x, "box=21").chunks, x.chunks)
        self.assertGreaterEqual(min(sd.filter(x, "box=61").chunks[0]), 30)

    def test_refused(self):
        for call in (sd.filter, sd.uniform_filter, lambda x, _: sd.integral(x)):
            self.refuse(TypeError, "a ndarray, not an array of Dask", call, picture("u1"), "box=3")
            x = da.from_array(picture("u1"))
            self.refuse(ValueError, "compute_chunk_sizes", call, x[x[:, 0] > 100], "box=3")

    def test_graph(self):
        """The work is picklable, for workers in other processes, and the same work has the same name."""
        x = da.from_array(picture("u1", (60, 71)), 20)
        lazy = sd.filter(x, "box=5,border=wrap")
        self.assertEqual(lazy.name, sd.filter(x, "box=5,border=wrap").name)
        self.assertNotEqual(lazy.name, sd.filter(x, "box=7,border=wrap").name)
        pickle.loads(pickle.dumps(lazy))
        with dask.config.set(scheduler="processes", num_workers=2):
            self.same(self.computed(lazy), satfilter.box(x.compute(), 5, border="wrap"))
            self.same(self.computed(sd.integral(x)), satfilter.integral(x.compute()))


class Tables(Case):
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
        large = da.ones((70000, 70000), chunks=7000, dtype="u1")
        self.assertEqual(sd.integral(large).dtype, np.dtype("u8"))
        self.refuse(TypeError, "complex128", sd.integral, large.astype("c16"))

    def test_documentation(self):
        self.assertEqual(doctest.testmod(sd, verbose=False).failed, 0)
