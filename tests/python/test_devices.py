"""Arrays on a device. Without one the tests' own backend takes its place, whose memory is the host's, and a
module that looks like cupy; with one the same by torch and cupy."""
import collections
import contextlib
import ctypes
import os
import subprocess
import sys
import types
import unittest

import numpy as np

from common import Case

FAKE = os.path.join(os.environ.get("top_builddir", "."), "tests", ".libs", "fake_device.so")
RNG = np.random.default_rng(7)


class Memory(contextlib.nullcontext):
    """An array that claims to lie on a device, as cupy.ndarray."""

    def __init__(self, array):
        super().__init__()
        self.array = array
        self.dtype, self.shape, self.strides = array.dtype, array.shape, array.strides
        self.data = types.SimpleNamespace(ptr=array.ctypes.data)
        self.device = Device()

    def __dlpack_device__(self):
        return 2, 0

    def __setitem__(self, key, value):
        self.array[key] = value.array

    def copy(self, order="C"):
        return Memory(self.array.copy(order=order))


Memory.__module__ = "cupy"


class Device(contextlib.nullcontext):
    id = 0


class State(ctypes.Structure):
    """The beginning of fake_device (tests/fake_device.h)."""
    _fields_ = [("calls", ctypes.c_long), ("waits", ctypes.c_long), ("fail_at", ctypes.c_long),
                ("lost", ctypes.c_bool), ("failure", ctypes.c_int), ("room", ctypes.c_size_t),
                ("used", ctypes.c_size_t), ("most", ctypes.c_size_t), ("blocks", ctypes.c_long),
                ("events", ctypes.c_long), ("contexts", ctypes.c_long), ("devices", ctypes.c_int)]


def fake_cupy():
    cupy = types.ModuleType("cupy")
    stream = types.SimpleNamespace(ptr=0x77)
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: stream)
    cupy.empty = lambda shape, dtype: Memory(np.empty(shape, dtype))
    cupy.moveaxis = lambda x, a, b: Memory(np.moveaxis(x.array, a, b))
    return cupy


Kinds = collections.namedtuple("Kinds", "put get")  # how to make arrays of a kind, and to get at their samples


def kinds():
    """Every kind of array that is to be had here."""
    found = {}
    if "cupy" in sys.modules and not hasattr(sys.modules["cupy"], "__version__"):
        return {"fake": Kinds(Memory, lambda x: x.array)}
    with contextlib.suppress(ImportError):
        import torch
        if torch.cuda.is_available():
            found["torch"] = Kinds(lambda a: torch.from_numpy(np.ascontiguousarray(a)).cuda(),
                                   lambda x: x.cpu().numpy())
    with contextlib.suppress(ImportError):
        import cupy
        with contextlib.suppress(cupy.cuda.runtime.CUDARuntimeError):
            cupy.cuda.runtime.getDeviceCount()
            found["cupy"] = Kinds(cupy.asarray, cupy.asnumpy)
    return found


def samples(shape, dtype):
    if np.dtype(dtype).kind == "f":
        return RNG.random(shape).astype(dtype)
    return RNG.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


class Devices(Case):
    @classmethod
    def setUpClass(cls):
        import satfilter
        cls.sf = satfilter
        cls.kinds = kinds()
        if not cls.kinds:
            raise unittest.SkipTest("neither torch nor cupy has a device here")

    def same(self, call, image, exact=True):
        """The call's results on a device are those on the host, and arrays of the image's kind."""
        want = call(image)
        for name, kind in self.kinds.items():
            there = kind.put(image)
            made = call(there)
            self.assertIs(type(made), type(there), name)
            got = kind.get(made)
            self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape), name)
            if exact:
                np.testing.assert_array_equal(got, want, name)
            else:
                np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)

    def test_types(self):
        for dtype in ("u1", "u2", "f4", "f8"):
            image = samples((37, 53), dtype)
            exact = dtype in ("u1", "u2")
            self.same(lambda a: self.sf.box(a, 5), image, exact)
            self.same(lambda a: self.sf.variance(a, (3, 7)), image, exact)
            self.same(lambda a: self.sf.filter(a, "box=3 sauvola=9"), image, exact)
            self.same(lambda a: self.sf.integral(a), image, exact)
            self.same(lambda a: self.sf.box(a, 5, dtype="f8"), image, exact)

    def test_axes(self):
        image = samples((2, 3, 24, 31), "u1")
        self.same(lambda a: self.sf.box(a, 5), image)
        self.same(lambda a: self.sf.box(a, 5, channel_axis=1), image)
        colours = samples((2, 24, 31, 3), "u1")
        self.same(lambda a: self.sf.box(a, 5, channel_axis=-1), colours)
        self.same(lambda a: self.sf.sauvola(a, 5, channel_axis=-1), colours)
        self.same(lambda a: self.sf.box(a, 5, channel_axis=-1, alpha=True), samples((24, 31, 4), "u1"))
        self.same(lambda a: self.sf.transpose(a), samples((24, 31), "u2"))
        for kind in self.kinds.values():
            self.refuse(TypeError, "side by side", self.sf.sauvola, kind.put(image), 5, channel_axis=1)
            self.refuse(ValueError, "axes", self.sf.box, kind.put(image), 5, channel_axis=4)
            self.refuse(ValueError, "this array has 1 axis", self.sf.box, kind.put(samples((5,), "u1")), 3)

    def test_out(self):
        image = samples((24, 31), "u1")
        want = self.sf.box(image, 5)
        for kind in self.kinds.values():
            there, out = kind.put(image), kind.put(np.zeros_like(image))
            self.assertIs(self.sf.box(there, 5, out=out), out)
            np.testing.assert_array_equal(kind.get(out), want)
            self.assertIs(self.sf.box(there, 5, out=there), there)  # which a copy makes possible
            np.testing.assert_array_equal(kind.get(there), want)
            self.refuse(TypeError, "out is a ndarray", self.sf.box, there, 5, out=want)
            self.refuse(ValueError, "out has shape", self.sf.box, there, 5, out=kind.put(np.zeros((24, 30), "u1")))
            self.refuse(TypeError, "complex64 samples on a device", self.sf.box, kind.put(image.astype("c8")), 5)
            self.refuse(TypeError, "on a device", self.sf.rect_sums, there, [(0, 0, 1, 1)])

    def test_plan(self):
        image, other = samples((40, 50), "u2"), samples((40, 50), "u2")
        for kind in self.kinds.values():
            plan = self.sf.Plan("box=5 variance=3", kind.put(image))
            self.assertEqual({step[3] for step in plan.steps}, {"cuda"})
            for each in (image, other):
                made = plan(kind.put(each))
                self.assertIs(made, plan.out)
                np.testing.assert_array_equal(kind.get(made), self.sf.filter(each, "box=5 variance=3"))
            self.refuse(ValueError, "the plan is for", plan, kind.put(samples((40, 51), "u2")))


class Pinned:
    """An array in memory of the host that CUDA has pinned, as torch describes its own."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 3, 0

    def __array__(self, dtype=None, copy=None):
        return self.array


class Exporter:
    """Nothing but DLPack."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **named):
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Host(Case):
    def test_dlpack_alone(self):
        """An object that has no other way to its samples, in all that takes arrays."""
        import satfilter
        rng = np.random.default_rng(1)
        for dtype in ("u1", "i4", "f4", "f8"):
            image = (rng.random((20, 30)) * 99).astype(dtype)
            for call in (lambda a: satfilter.box(a, 5), lambda a: satfilter.filter(a, "box=3 box=5"),
                         lambda a: satfilter.moments(a, 5), lambda a: satfilter.ndimage.uniform_filter(a, 5),
                         lambda a: satfilter.filters.threshold_local(a, 5), lambda a: satfilter.cv.blur(a, (5, 5)),
                         lambda a: satfilter.by(image, a)):
                np.testing.assert_array_equal(call(Exporter(image)), call(image))
        self.assertTrue((satfilter.read(satfilter.encode(Exporter(image), "npy")) == image).all())
        colours = Exporter(np.zeros((20, 30, 3), "u1"))
        self.refuse(ValueError, r"channel_axis=-1\) if the last axis counts channels", satfilter.box, colours, 3)
        self.assertEqual(satfilter.box(colours, 3, channel_axis=-1).shape, (20, 30, 3))

        class Refuses(Exporter):
            def __dlpack__(self, **named):
                raise BufferError("no")
        self.refuse(TypeError, "a Refuses that gives numpy no array: no", satfilter.box, Refuses(np.zeros((4, 5))), 3)

    def test_pinned(self):
        import satfilter
        image = samples((24, 31), "u1")
        np.testing.assert_array_equal(satfilter.box(Pinned(image), 5), satfilter.box(image, 5))


def with_fake_backend():
    """Runs the tests above once more in a process that has the tests' backend."""
    state = State.in_dll(ctypes.CDLL(FAKE), "fake_device_state")
    state.devices, state.room = 1, 1 << 30
    sys.modules["cupy"] = fake_cupy()
    unittest.main(argv=[__file__, "Devices"])


class FakeBackend(unittest.TestCase):
    def test_as_on_a_device(self):
        if not os.path.exists(FAKE):
            self.skipTest("fake_device.so is not built")
        environment = {**os.environ, "SATFILTER_CUDA": os.path.abspath(FAKE), "SATFILTER_TUNE": "off",
                       "SATFILTER_TESTS_FAKE": "1"}
        done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"Ran 4 tests.*\n*.*OK")


if __name__ == "__main__":
    with_fake_backend() if os.environ.get("SATFILTER_TESTS_FAKE") else unittest.main()
