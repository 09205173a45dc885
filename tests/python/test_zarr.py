"""From array to array by blocks: the results of whole images, in little memory, by any map."""
import concurrent.futures
import hashlib
import importlib.util
import multiprocessing
import os
import subprocess
import sys
import unittest

import numpy as np

import satfilter
from blocks import Blocks
from common import COMMAND, Case, optional, picture
from satfilter import zarr as sz

zarr, h5py = optional("zarr"), optional("h5py")
dask, da = optional("dask"), optional("dask.array")
if dask:
    from satfilter import dask as sd
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


class Filters(Blocks, Case):
    chunks = (60, 71), (7, 71), (60, 9), (13, 20)

    def into(self, call, image, result, dtype, *args, **options):
        """The call writes the result into an array."""
        target = np.zeros_like(result, dtype)
        call(image, target, *args, **options)
        return target

    def filter(self, image, spec, chunks, dtype=None, **options):
        want = satfilter.filter(image, spec, **options)
        return self.into(sz.filter, image, want, dtype, spec, chunks=chunks, **options)

    def table(self, image, chunks, dtype=None, **options):
        return self.into(sz.integral, image, satfilter.integral(image, **options), dtype, chunks=chunks, **options)

    def test_whole_images(self):
        self.check(picture("u1", (2, 3, 30, 40)), "wolf=9", None)

    def test_swapped(self):
        target = self.into(sz.filter, picture("u1", (40, 50)), np.zeros((40, 50)), ">u2", "box=6", chunks=(13, 50))
        np.testing.assert_array_equal(target, satfilter.box(picture("u1", (40, 50)), 6, dtype="u2"))

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
            self.refuse(ValueError, text, sz.filter, image, target, spec, chunks=chunks)
        self.refuse(ValueError, "shape", sz.integral, image[1:], target)
        self.refuse(TypeError, "complex", sz.integral, image.astype("c8"), target)
        self.refuse(ValueError, "target is the source", sz.filter, image, image[::-1], "box=3", chunks=(60, 20))
        for arrays in (("image.zarr", target), (image, None)):
            self.refuse(TypeError, "not an array", sz.filter, *arrays, "box=3")
        self.refuse(TypeError, "chunks=20: 2 integers", sz.filter, image, target, "box=3", chunks=20)
        with SPAWN.Pool(1) as pool, self.assertRaisesRegex(TypeError, "memmap of a whole file"):
            sz.filter(image, target.array, "box=3", map=pool.map)


class Maps(Case):
    def setUp(self):
        self.place = self.folder()
        self.image = picture("u1", (300, 400))

    def in_place(self, array, again):
        """As one block, or blocks that depend on no others, but not as blocks that read what others have written."""
        for spec, chunks in (("unsharp=9", None), ("box=1", (100, 100))):
            want = satfilter.filter(np.array(array), spec)
            sz.filter(array, again, spec, chunks=chunks)
            np.testing.assert_array_equal(array[:], want)
        self.refuse(ValueError, "target is the source", sz.filter, array, again, "box=3", chunks=(300, 200))
        np.testing.assert_array_equal(array[:], want)

    def check(self, source, target, map):
        sz.filter(source, target, "box=31,border=wrap", chunks=(100, 100), map=map)
        np.testing.assert_array_equal(target[:], satfilter.box(self.image, 31, border="wrap"))
        sz.filter(source, target, "box=9", map=map)
        np.testing.assert_array_equal(target[:], satfilter.box(self.image, 9))

    def memmaps(self):
        np.save(self.place / "source.npy", self.image)
        source = np.load(self.place / "source.npy", mmap_mode="r")
        return source, np.lib.format.open_memmap(self.place / "target.npy", "w+", "u1", self.image.shape)

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            self.check(self.image, np.zeros_like(self.image), pool.map)
        self.in_place(self.image, self.image)

    def test_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2, SPAWN, satfilter.set_threads, (1,)) as pool:
            source, target = self.memmaps()
            self.check(source, target, pool.map)
            table = np.lib.format.open_memmap(self.place / "table.npy", "w+", "u8", self.image.shape)
            sz.integral(source, table, map=pool.map, chunks=(77, 99))
            np.testing.assert_array_equal(table, satfilter.integral(self.image))
            self.refuse(TypeError, "memmap of a whole file", sz.filter, source[1:], target[1:], "box=3", map=pool.map)
            with self.assertRaisesRegex(TypeError, "memmap of a whole file"):  # a copy of its own
                sz.filter(source, np.load(self.place / "target.npy", mmap_mode="c"), "box=3", map=pool.map)
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
            source = zarr.create_array(self.place / "source.zarr", shape=self.image.shape, dtype="u1", overwrite=True,
                                       **form)
            source[:] = self.image
            target = zarr.create_array(self.place / "target.zarr", shape=self.image.shape, dtype="u1",
                                       overwrite=True, **form)
            self.check(source, target, map)
            with concurrent.futures.ProcessPoolExecutor(2, SPAWN) as pool:
                self.check(source, target, pool.map)
                with self.assertRaisesRegex(TypeError, "in files"):
                    sz.filter(source, zarr.zeros(self.image.shape, dtype="u1", chunks=(100, 100)), "box=3",
                              map=pool.map)
            self.check(source, zarr.zeros(self.image.shape, dtype="u1", chunks=(100, 100)), map)
            self.in_place(source, zarr.open_array(self.place / "source.zarr"))

    def test_one_file(self):
        """Opened twice it is one array; its parts are several."""
        array = self.memmaps()[1]
        array[:] = self.image
        self.in_place(array, np.load(self.place / "target.npy", mmap_mode="r+"))
        want = satfilter.box(np.array(array[:100]), 3)
        sz.filter(array[:100], array[200:], "box=3", chunks=(50, 400))
        np.testing.assert_array_equal(array[200:], want)

    @unittest.skipUnless(h5py, "h5py is not installed")
    def test_h5py(self):
        with h5py.File(self.place / "image.h5", "w") as file:
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


class Large(Case):
    @unittest.skipUnless(os.path.exists("/proc/self/status"), "/proc/self/status is missing")
    def test_memory(self):
        said = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True).stdout
        for growth in said.split():
            self.assertLess(float(growth), 60, said)

    def test_same_bits(self):
        """Of the command, numpy, Dask and Zarr with two processes each."""
        image = picture("u2", (700, 900))
        hashes = {"numpy": satfilter.box(image, 81)}
        folder = self.folder()
        with concurrent.futures.ProcessPoolExecutor(2, SPAWN, satfilter.set_threads, (1,)) as pool:
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
