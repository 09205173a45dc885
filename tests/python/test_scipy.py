"""satfilter.ndimage beside scipy, and under scipy's own tests."""
import importlib.util
import itertools
import subprocess
import sys
import unittest
import warnings

import numpy as np

import reference
import satfilter.ndimage as ours

try:
    from scipy import ndimage as theirs
except ImportError:
    theirs = None

MODES = ["reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant"]


def whole_mean(image, size, mode, origin=0, cval=0, axes=None):
    """The mean of integers by definition, halves up: scipy extends the lines, sums are whole numbers."""
    axes = range(image.ndim) if axes is None else axes
    total, outside, count = image.astype("f8"), float(cval), 1
    for axis, s, o in zip(axes, np.broadcast_to(size, len(axes)), np.broadcast_to(origin, len(axes))):
        total = theirs.correlate1d(total, np.ones(s), axis=axis, mode=mode, cval=outside, origin=int(o))
        outside, count = outside * s, count * int(s)
    return np.floor_divide(2 * total.astype("i8") + count, 2 * count)


@unittest.skipUnless(theirs, "scipy is not installed")
class Scipy(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(7)

    def test_own_tests(self):
        """All of scipy's tests of filters; of integers one relies on their being cut, not rounded."""
        for module in ("pytest", "hypothesis"):
            if not importlib.util.find_spec(module):
                self.skipTest(f"{module} is not installed")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "scipy_patched", "-p", "no:cacheprovider", "-W", "ignore",
             "--pyargs", "scipy.ndimage.tests.test_filters", "-k", "not test_uniform_filter1d_roundoff_errors"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])
        self.assertGreater(int(done.stdout.strip().splitlines()[-1].split(" passed")[0].split()[-1]), 500)

    def test_round_off(self):
        """What the test that is left out is about."""
        line = np.repeat([0.0, 1, 0], [9, 9, 9])
        for size in range(3, 10):
            self.assertEqual((ours.uniform_filter1d(line, size) == 1).sum(), 10 - size)

    def test_floats(self):
        for mode, shape in itertools.product(MODES, [(23, 31), (1, 9), (9, 1), (2, 2), (40, 7)]):
            image = self.rng.standard_normal(shape)
            for size, origin in itertools.product((1, 2, 3, 4, 15, 16, (5, 2), (1, 6), (40, 3)), (0, -1, 1)):
                if all(0 <= s // 2 + origin < s for s in np.broadcast_to(size, 2)):
                    want = theirs.uniform_filter(image, size, mode=mode, cval=1.5, origin=origin)
                    made = ours.uniform_filter(image, size, mode=mode, cval=1.5, origin=origin)
                    self.assertLess(np.abs(made - want).max(), 1e-13, (mode, shape, size, origin))

    def test_integers(self):
        for mode, dtype in itertools.product(MODES, "u1 i1 u2 i2 u4 i4 u8 i8".split()):
            info = np.iinfo(dtype)
            image = self.rng.integers(max(info.min, -2**40), min(info.max, 2**40), (20, 27), dtype=dtype, endpoint=True)
            for size, cval in itertools.product((3, 4, (5, 2), 15), (0, 3)):
                made = ours.uniform_filter(image, size, mode=mode, cval=cval)
                self.assertEqual(made.dtype, image.dtype)
                np.testing.assert_array_equal(made, whole_mean(image, size, mode, cval=cval), str((mode, dtype, size)))

    def test_axes(self):
        shapes = [(6, 7, 8), (3, 4, 5, 6), (11,), (2, 3, 4, 5, 2)]
        for shape, dtype in itertools.product(shapes, ("f8", "u1", "f4", "i4")):
            image = (self.rng.standard_normal(shape) * 50 + 100).astype(dtype)
            n = len(shape)
            chosen = [None, *(c for k in (1, 2, 3) for c in itertools.permutations(range(n), k))][:30]
            for axes in chosen:
                k = n if axes is None else len(axes)
                for size, mode in itertools.product((3, tuple(range(2, 2 + k))),
                                                    ("reflect", tuple(MODES[i % 5] for i in range(k)))):
                    what = str((shape, dtype, axes, size, mode))
                    want = theirs.uniform_filter(image.astype("f8"), size, mode=mode, axes=axes)
                    made = ours.uniform_filter(image, size, mode=mode, axes=axes, output="f8")
                    np.testing.assert_allclose(made, want, 1e-12, 1e-12, err_msg=what)
                    if dtype == "u1" and mode == "reflect":
                        sizes = size if np.ndim(size) else [size] * k
                        np.testing.assert_array_equal(ours.uniform_filter(image, size, mode=mode, axes=axes),
                                                      whole_mean(image, sizes, mode, axes=axes or range(n)), what)

    def test_one_axis(self):
        image = self.rng.integers(0, 256, (12, 13, 14)).astype("u1")
        for axis, size, origin in itertools.product((-1, 0, 1, 2), (1, 2, 5, 30), (0, -1)):
            if 0 <= size // 2 + origin < size:
                want = theirs.uniform_filter1d(image.astype("f8"), size, axis=axis, mode="mirror", origin=origin)
                made = ours.uniform_filter1d(image, size, axis=axis, mode="mirror", origin=origin, output=float)
                np.testing.assert_allclose(made, want, 1e-12)

    def test_constants(self):
        """Those that are no samples of the image's type."""
        image = self.rng.integers(0, 256, (9, 9)).astype("u1")
        for cval in (0.5, -3, 300, 1e5):
            want = theirs.uniform_filter(image.astype("f8"), 3, mode="constant", cval=cval)
            made = ours.uniform_filter(image, 3, mode="constant", cval=cval, output="f8")
            np.testing.assert_allclose(made, want, 1e-12)
        made = ours.uniform_filter(image, 3, mode="constant", cval=300)
        np.testing.assert_array_equal(made, np.minimum(whole_mean(image, 3, "constant", cval=300), 255))

    def test_outputs(self):
        image = self.rng.integers(0, 256, (30, 40)).astype("u1")
        base = ours.uniform_filter(image, 5)
        np.testing.assert_array_equal(base, reference.rounded_mean(image, 5, "reflect"))
        room = np.zeros((60, 80), "u1")
        self.assertIs(ours.uniform_filter(image, 5, output=room[::2, ::-2]) is None, False)
        np.testing.assert_array_equal(room[::2, ::-2], base)
        self.assertFalse(room[1::2].any())
        for dtype in ("i4", "i2", np.uint16, float, "f4", np.dtype("f2")):
            self.assertEqual(ours.uniform_filter(image, 5, output=dtype).dtype, np.dtype(dtype))
        same = image.copy()
        self.assertIs(ours.uniform_filter(same, 5, output=same), same)
        np.testing.assert_array_equal(same, base)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.assertEqual(ours.uniform_filter(image * 1j, 3, output="c8").dtype, np.dtype("c8"))
            self.assertEqual(ours.uniform_filter(image * 1j, 3, output=np.float32).dtype, np.dtype("c8"))
        self.assertEqual(len(said), 1)

    def test_others(self):
        image = self.rng.standard_normal((15, 16)) + 1j * self.rng.standard_normal((15, 16))
        for named in ({}, {"mode": "constant", "cval": 2 - 1j}):
            np.testing.assert_allclose(ours.uniform_filter(image, 4, **named), theirs.uniform_filter(image, 4, **named))
        image = self.rng.random((15, 16)) < 0.5
        np.testing.assert_allclose(ours.uniform_filter(image, 3), reference.true_mean(image, 3, "reflect"), 1e-15)
        self.assertEqual(ours.uniform_filter(image.astype("f2"), 3).dtype, np.dtype("f2"))
        image = self.rng.standard_normal((50, 60))
        image[20, 30] = np.nan
        self.assertEqual(np.isnan(ours.uniform_filter(image, 7)).sum(), 49)
        self.assertEqual(ours.uniform_filter(np.float64(3)), 3)
        self.assertEqual(ours.uniform_filter([2, 8, 0, 4, 1, 9, 9, 0]).tolist(), [4, 3, 4, 2, 5, 6, 6, 3])

    def test_refused_alike(self):
        image = np.zeros((4, 5))
        for bad in ({"mode": "foo"}, {"origin": 2}, {"size": (3, 3, 3)}, {"axes": (2,)}, {"axes": (0, 0)},
                    {"output": np.zeros((4, 4))}, {"output": "?"}, {"size": 3, "axes": (0, 1), "mode": ["wrap"]}):
            for module in (theirs, ours):
                with self.assertRaises((RuntimeError, ValueError), msg=bad) as raised:
                    module.uniform_filter(image, **bad)
                if module is theirs:
                    expected = type(raised.exception)
            self.assertIs(type(raised.exception), expected, bad)
        for module in (theirs, ours):
            with self.assertRaisesRegex(RuntimeError, "incorrect filter size"):
                module.uniform_filter1d(image, 0)

    def test_strides(self):
        image = self.rng.integers(0, 65536, (60, 70)).astype("u2")
        for seen in (image[::2], image[::-1], image[:, ::3], image[:, ::-1], image.T, image.T[::-1, ::-2],
                     image[3:40, 5:60], np.broadcast_to(image[0], (5, 70)), image.astype(">u2"),
                     np.asfortranarray(image)):
            for size in (5, (5, 4)):
                np.testing.assert_array_equal(ours.uniform_filter(seen, size),
                                              ours.uniform_filter(np.ascontiguousarray(seen), size))


if __name__ == "__main__":
    unittest.main()
