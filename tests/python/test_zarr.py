"""From array to array by blocks: the results of whole images, in little memory, by any map."""
import concurrent.futures
import hashlib
import importlib.util
import itertools
import multiprocessing
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import satfilter
from satfilter import zarr as sz
from test_types import picture

try:
    import zarr
except ImportError:
    zarr = None
try:
    import h5py
except ImportError:
    h5py = None
try:
    import dask
    import dask.array as da
    from satfilter import dask as sd
except ImportError:
    dask = None

COMMAND = Path(os.environ.get("top_builddir", Path(__file__).resolve().parents[2])).resolve() / "satfilter"
BORDERS = ("clamp", "mirror", "reflect", "wrap", "constant:7", "shrink", "valid")
# Not fork: the library's threads and those of Zarr are at work in this process.
SPAWN = multiprocessing.get_context("spawn")


class Watched:
    """An array that remembers which parts were read and written."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype
        self.reads, self.writes = [], []

    def __getitem__(self, where):
        self.reads.append(where)
        return self.array[where]

    def __setitem__(self, where, values):
        self.writes.append(where)
        self.array[where] = values


class Filters(unittest.TestCase):
    def same(self, image, spec, chunks, tolerance=0.0, **options):
        want = satfilter.filter(image, spec, **options)
        target = np.zeros_like(want)
        sz.filter(image, target, spec, chunks=chunks, **options)
        if tolerance:
            np.testing.assert_allclose(target, want, rtol=0, atol=tolerance * np.abs(want).max())
        else:
            np.testing.assert_array_equal(target, want, f"{spec} {chunks}")

    def test_borders(self):
        """Windows with and without a middle, off the pixel, up to larger than blocks and than the image."""
        image = picture("u1", (60, 71))
        windows = ("box=9", "box=4x7,at=1:-2", "box=1x15", "box=33", "box=6,at=-2:3", "unsharp=5", "guided=7",
                   "sauvola=15", "stddev=8x3", "normalize=9,full=200", "box=3 box=4x5,at=0:1")
        for words, border, chunks in itertools.product(windows, BORDERS, ((60, 71), (7, 71), (60, 9), (13, 20))):
            self.same(image, " ".join(f"{word},border={border}" for word in words.split()), chunks)
        for border in BORDERS[:-1]:
            self.same(image, f"box=201x173,border={border}", (20, 30))
            self.same(image[:9, :9], f"box=4x7,at=1:-2,border={border}", (1, 1))
        for spec in ("box=9,border=valid box=7,border=mirror", "box=3,border=reflect box=4x6,border=valid",
                     "real box=9,border=wrap sauvola=6,border=wrap"):
            self.same(image, spec, (20, 30))

    def test_types(self):
        for dtype in ("?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c16", ">u2"):
            image = picture(dtype.lstrip(">"), (40, 50)).astype(dtype)
            self.same(image, "box=7,border=mirror", (17, 11), 2**-20 if image.dtype.kind in "bfc" else 0)
        image = picture("u1", (40, 50))
        for dtype in ("f8", "i2", "f4", ">u2"):
            target = np.zeros((40, 50), dtype)
            sz.filter(image, target, "box=6", chunks=(13, 50))
            np.testing.assert_array_equal(target, satfilter.box(image, 6, dtype=np.dtype(dtype).newbyteorder("=")))

    def test_axes(self):
        stack = picture("u1", (2, 3, 30, 40))
        self.same(stack, "box=9,border=valid", (11, 13))
        self.same(stack, "wolf=9", (30, 40))
        self.same(stack, "wolf=9", None)
        for axis, shape in ((-1, (40, 30, 3)), (0, (3, 40, 30)), (1, (40, 3, 30))):
            image = picture("u2", shape)
            for spec in ("box=9", "sauvola=9", "unsharp=5,luma", "sauvola=9,border=valid", "sauvola=4,border=wrap"):
                self.same(image, spec, (11, 13), channel_axis=axis)
            target = np.zeros(shape, "u8")
            sz.integral(image, target, channel_axis=axis, chunks=(11, 13))
            np.testing.assert_array_equal(target, satfilter.integral(image, channel_axis=axis))
        self.same(picture("u1", (40, 30, 4)), "box=7", (11, 13), channel_axis=-1, alpha=True)

    def test_tables(self):
        for dtype in ("?", "u1", "i1", "u2", "i4", "u8", "f4", "f8"):
            image = picture(dtype, (2, 60, 71))
            for squared, chunks in itertools.product((False, True), ((60, 71), (7, 71), (60, 9), (13, 20))):
                want = satfilter.integral(image, squared=squared)
                target = np.zeros(image.shape, want.dtype)
                sz.integral(image, target, squared=squared, chunks=chunks)
                if want.dtype.kind == "f":
                    np.testing.assert_allclose(target, want, rtol=1e-13)
                else:
                    np.testing.assert_array_equal(target, want, f"{dtype} {squared} {chunks}")
        image = np.full((300, 300), 60000, "u2")
        for dtype in ("u4", "i4", "u8"):
            target = np.zeros(image.shape, dtype)
            sz.integral(image, target, chunks=(100, 100))
            np.testing.assert_array_equal(target, satfilter.integral(image, dtype=dtype))

    def test_parts(self):
        """A task reads its block and what the filter reaches around it; each pixel is written once."""
        image = picture("u1", (60, 71))
        source, target = Watched(image), Watched(np.zeros_like(image))
        sz.filter(source, target, "box=7", chunks=(20, 30))
        self.assertEqual(len(source.reads), 9)
        self.assertIn((slice(17, 43), slice(27, 63)), source.reads)
        self.assertLessEqual(max(y.stop - y.start for y, x in source.reads), 26)
        written = np.zeros_like(image)
        for where in target.writes:
            written[where] += 1
        self.assertTrue((written == 1).all())

    def test_default_blocks(self):
        """Blocks are at least 2000, four times what is read besides, and multiples of the target's chunks."""
        for window, chunk, side in ((3, None, 2000), (3, (1000, 700), (2000, 2100)), (1025, (512, 512), 4096)):
            source, target = Watched(np.zeros((5000, 5000), "u1")), Watched(np.zeros((5000, 5000), "u1"))
            if chunk:
                target.chunks = chunk
            sz.filter(source, target, f"box={window}", map=lambda task, jobs: map(lambda job: target.writes.append(job),
                                                                                 jobs))
            first = target.writes[0]
            self.assertEqual(tuple(cut.stop for cut in first), side if np.ndim(side) else (side, side))

    def test_refused(self):
        image, target = np.zeros((60, 70), "u1"), Watched(np.zeros((60, 70), "u1"))
        target.chunks = (20, 20)
        for spec, chunks, text in (("box=3", (30, 20), r"multiples of the target's, \(20, 20\)"),
                                   ("box=3", (0, 20), "multiples"), ("wolf=5", (20, 20), r"chunks=\(60, 70\)"),
                                   ("box=3,border=wrap box=3", (20, 20), "filter after filter"),
                                   ("rotate=90", None, "transpose"), ("integral", None, "makes tables"),
                                   ("box=3,border=valid", None, r"shape \(60, 70\), the result \(58, 68\)")):
            with self.assertRaisesRegex(ValueError, text):
                sz.filter(image, target, spec, chunks=chunks)
        with self.assertRaisesRegex(ValueError, "shape"):
            sz.integral(image[1:], target)
        with self.assertRaisesRegex(TypeError, "complex"):
            sz.integral(image.astype("c8"), target)
        with self.assertRaisesRegex(ValueError, "target is the source"):
            sz.filter(image, image[::-1], "box=3", chunks=(60, 20))
        for arrays in (("image.zarr", target), (image, None)):
            with self.assertRaisesRegex(TypeError, "not an array"):
                sz.filter(*arrays, "box=3")
        with self.assertRaisesRegex(TypeError, "chunks=20: 2 integers"):
            sz.filter(image, target, "box=3", chunks=20)
        with SPAWN.Pool(1) as pool, self.assertRaisesRegex(TypeError, "memmap of a whole file"):
            sz.filter(image, target.array, "box=3", map=pool.map)


class Maps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.image = picture("u1", (300, 400))

    def in_place(self, array, again):
        """As one block, or blocks that depend on no others, but not as blocks that read what others have written."""
        for spec, chunks in (("unsharp=9", None), ("box=1", (100, 100))):
            want = satfilter.filter(np.array(array), spec)
            sz.filter(array, again, spec, chunks=chunks)
            np.testing.assert_array_equal(array[:], want)
        with self.assertRaisesRegex(ValueError, "target is the source"):
            sz.filter(array, again, "box=3", chunks=(300, 200))
        np.testing.assert_array_equal(array[:], want)

    def check(self, source, target, map):
        sz.filter(source, target, "box=31,border=wrap", chunks=(100, 100), map=map)
        np.testing.assert_array_equal(target[:], satfilter.box(self.image, 31, border="wrap"))
        sz.filter(source, target, "box=9", map=map)
        np.testing.assert_array_equal(target[:], satfilter.box(self.image, 9))

    def memmaps(self):
        np.save(self.folder / "source.npy", self.image)
        source = np.load(self.folder / "source.npy", mmap_mode="r")
        return source, np.lib.format.open_memmap(self.folder / "target.npy", "w+", "u1", self.image.shape)

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            self.check(self.image, np.zeros_like(self.image), pool.map)
        self.in_place(self.image, self.image)

    def test_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2, SPAWN, satfilter.set_threads, (1,)) as pool:
            source, target = self.memmaps()
            self.check(source, target, pool.map)
            table = np.lib.format.open_memmap(self.folder / "table.npy", "w+", "u8", self.image.shape)
            sz.integral(source, table, map=pool.map, chunks=(77, 99))
            np.testing.assert_array_equal(table, satfilter.integral(self.image))
            with self.assertRaisesRegex(TypeError, "memmap of a whole file"):
                sz.filter(source[1:], target[1:], "box=3", map=pool.map)
            with self.assertRaisesRegex(TypeError, "memmap of a whole file"):  # a copy of its own
                sz.filter(source, np.load(self.folder / "target.npy", mmap_mode="c"), "box=3", map=pool.map)
        with SPAWN.Pool(2) as pool:
            self.check(source, target, pool.map)

    def test_futures(self):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            self.check(self.image, np.zeros_like(self.image), lambda task, jobs: [pool.submit(task, j) for j in jobs])
            with self.assertRaisesRegex(ZeroDivisionError, ""):
                sz.filter(self.image, self.image.copy(), "box=3",
                          map=lambda task, jobs: [pool.submit(lambda: 1 // 0) for _ in jobs])

    @unittest.skipUnless(importlib.util.find_spec("distributed"), "distributed is not installed")
    def test_cluster(self):
        from dask.distributed import Client, LocalCluster
        with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            self.check(*self.memmaps(), client.map)

    @unittest.skipUnless(zarr, "zarr is not installed")
    def test_zarr(self):
        for form in ({"chunks": (50, 100)}, {"chunks": (50, 50), "shards": (100, 100)}):
            source = zarr.create_array(self.folder / "source.zarr", shape=self.image.shape, dtype="u1", overwrite=True,
                                       **form)
            source[:] = self.image
            target = zarr.create_array(self.folder / "target.zarr", shape=self.image.shape, dtype="u1",
                                       overwrite=True, **form)
            self.check(source, target, map)
            with concurrent.futures.ProcessPoolExecutor(2, SPAWN) as pool:
                self.check(source, target, pool.map)
                with self.assertRaisesRegex(TypeError, "in files"):
                    sz.filter(source, zarr.zeros(self.image.shape, dtype="u1", chunks=(100, 100)), "box=3",
                              map=pool.map)
            self.check(source, zarr.zeros(self.image.shape, dtype="u1", chunks=(100, 100)), map)
            self.in_place(source, zarr.open_array(self.folder / "source.zarr"))

    def test_one_file(self):
        """Opened twice it is one array; its parts are several."""
        array = self.memmaps()[1]
        array[:] = self.image
        self.in_place(array, np.load(self.folder / "target.npy", mmap_mode="r+"))
        want = satfilter.box(np.array(array[:100]), 3)
        sz.filter(array[:100], array[200:], "box=3", chunks=(50, 400))
        np.testing.assert_array_equal(array[200:], want)

    @unittest.skipUnless(h5py, "h5py is not installed")
    def test_h5py(self):
        with h5py.File(self.folder / "image.h5", "w") as file:
            source = file.create_dataset("source", data=self.image, chunks=(64, 64))
            target = file.create_dataset("target", self.image.shape, "u1", chunks=(50, 100))
            self.check(source, target, map)
            self.in_place(target, file["target"])


# The peak of a process that filters 144 MB by blocks, in MB above that of one block.
MEMORY = """
import re
import numpy as np
import satfilter
from satfilter import zarr as sz

class Made:  # as it is read
    shape, dtype = (12000, 12000), np.dtype("u1")
    def __getitem__(self, where):
        y, x = (np.arange(cut.start, cut.stop).astype("u1") for cut in where)
        return np.bitwise_xor.outer(y, x)
    def __setitem__(self, where, values):
        Made.written += values.size

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024

class One(Made):
    shape = (2000, 2000)

for call in (lambda a, b: sz.filter(a, b, "box=401"), sz.integral):
    Made.written = 0
    call(One(), One())
    before = peak()
    call(Made(), Made())
    assert Made.written == 2000 * 2000 + 12000 * 12000, Made.written
    print(peak() - before)
"""


class Large(unittest.TestCase):
    @unittest.skipUnless(os.path.exists("/proc/self/status"), "/proc/self/status is missing")
    def test_memory(self):
        said = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True).stdout
        for growth in said.split():
            self.assertLess(float(growth), 60, said)

    def test_same_bits(self):
        """Of the command, numpy, Dask and Zarr with two processes each."""
        image = picture("u2", (700, 900))
        hashes = {"numpy": satfilter.box(image, 81)}
        with tempfile.TemporaryDirectory() as name, \
                concurrent.futures.ProcessPoolExecutor(2, SPAWN, satfilter.set_threads, (1,)) as pool:
            folder = Path(name)
            np.save(folder / "in.npy", image)
            if COMMAND.exists():
                subprocess.run([COMMAND, "-q", "--box", "81", folder / "in.npy", folder / "out.npy"], check=True)
                hashes["command"] = np.load(folder / "out.npy")
            if dask:
                with dask.config.set(scheduler="processes", num_workers=2):
                    hashes["Dask"] = sd.filter(da.from_array(image, (200, 300)), "box=81").compute()
            if zarr:
                source = zarr.create_array(folder / "in.zarr", shape=image.shape, dtype="u2", chunks=(100, 128))
                source[:] = image
                target = zarr.create_array(folder / "out.zarr", shape=image.shape, dtype="u2", chunks=(100, 100))
                sz.filter(source, target, "box=81", chunks=(200, 300), map=pool.map)
                hashes["Zarr"] = target[:]
            target = np.lib.format.open_memmap(folder / "map.npy", "w+", "u2", image.shape)
            sz.filter(np.load(folder / "in.npy", mmap_mode="r"), target, "box=81", chunks=(200, 300), map=pool.map)
            hashes["memmap"] = target
        hashes = {name: hashlib.sha256(made.tobytes()).hexdigest() for name, made in hashes.items()}
        self.assertEqual(len(set(hashes.values())), 1, hashes)


if __name__ == "__main__":
    unittest.main()
