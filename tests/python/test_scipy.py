"""satfilter.ndimage beside scipy, and under scipy's own tests."""
import importlib.util
import itertools
import subprocess
import sys
import unittest
import warnings

import numpy as np

import reference
import satfilter
import satfilter.ndimage as ours
from common import Case, optional, picture, saturated
from satfilter import _core

theirs = optional("scipy.ndimage")
BOTH = ours, theirs
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
class Scipy(Case):
    def setUp(self):
        self.rng = np.random.default_rng(7)

    def test_own_tests(self):
        """All of scipy's tests of filters but three: of integers that are cut, not rounded; of how far a Gaussian goes
        that is made of boxes; and of float16's being refused."""
        for module in ("pytest", "hypothesis"):
            if not importlib.util.find_spec(module):
                self.skipTest(f"{module} is not installed")
        left_out = ("test_uniform_filter1d_roundoff_errors", "test_gaussian_truncate", "test_gaussian_filter_float16")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "scipy_patched", "-p", "no:cacheprovider", "-W", "ignore",
             "--pyargs", "scipy.ndimage.tests.test_filters", "-k", " and ".join(f"not {name}" for name in left_out)],
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
                    self.alike(BOTH, lambda m: m.uniform_filter(image, size, mode=mode, cval=1.5, origin=origin),
                               1e-13, (mode, shape, size, origin))

    def test_integers(self):
        for mode, dtype in itertools.product(MODES, "u1 i1 u2 i2 u4 i4 u8 i8".split()):
            image = picture(dtype, (20, 27)) // (1 if np.dtype(dtype).itemsize < 8 else 16)
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
                self.alike(BOTH, lambda m: m.uniform_filter1d(image, size, axis=axis, mode="mirror", origin=origin,
                                                              output=float), rtol=1e-12)

    def test_constants(self):
        """Those that are no samples of the image's type."""
        image = self.rng.integers(0, 256, (9, 9)).astype("u1")
        for cval in (0.5, -3, 300, 1e5):
            self.alike(BOTH, lambda m: m.uniform_filter(image, 3, mode="constant", cval=cval, output="f8"), rtol=1e-12)
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
            self.refuse(RuntimeError, "incorrect filter size", module.uniform_filter1d, image, 0)

    def test_gaussian(self):
        """Narrow ones and those along one axis are scipy's. Of wider ones no weight is off by more than 0.04 % of the
        largest one, and of boxes, above 6, by 4 %."""
        for dtype, mode in itertools.product(("f8", "f4", "u1", "i4", "?"), MODES):
            image = (self.rng.random((23, 31)) * 200).astype(dtype)
            for sigma, more in ((0.25, {}), (1 / 3, {}), (1.9, {}), ((0, 5), {}), ((3, 2.5), {}), (4, {"axes": 0}),
                                (3, {"truncate": 2}), (3, {"radius": 4}), ((1, 2), {"axes": (1, 0)}), (-1, {})):
                self.alike(BOTH, lambda m: m.gaussian_filter(image, sigma, mode=mode, cval=1.5, output="f8", **more),
                           1e-12, (dtype, mode, sigma, more), 1e-12)
        for sigma, most in ((2, 1e-15), (3.3, 4e-4), (5.75, 1e-15), (6, 1e-15), (8, 0.04), (20, 0.04)):
            side = 2 * int(4 * sigma + 8) + 1
            point = np.zeros((side, side))
            point[side // 2, side // 2] = 1
            made, want = ours.gaussian_filter(point, sigma).sum(0), theirs.gaussian_filter(point, sigma).sum(0)
            self.assertLess(np.abs(made - want).max(), most * max(want.max(), 1), sigma)
            if most > 1e-3:
                self.assertGreater(np.abs(made - want).max(), 0.001 * want.max(), "gauss is at work")

    def test_gaussian_shapes(self):
        """Any axes, types, outputs and layouts; of colours each channel by itself."""
        for shape in ((14, 15, 16), (14, 15, 3), (40,), (3, 4, 5, 6), (9, 700), (2, 7, 600), (6, 300, 2), (1100, 2),
                      (1, 1)):
            for dtype, mode in itertools.product(("f8", "u1", "u2", "f4"), ("reflect", "constant", "wrap")):
                image = (self.rng.random(shape) * 99).astype(dtype)
                self.alike(BOTH, lambda m: m.gaussian_filter(image, 1.3, mode=mode, cval=7, output="f8"), 1e-12,
                           (shape, dtype, mode), 1e-12)
                want = theirs.gaussian_filter(image * 3 - 20.0, 1.3, mode=mode, cval=7)
                for output in ("u1", "u2", "i1"):
                    made = ours.gaussian_filter(image * 3 - 20.0, 1.3, mode=mode, cval=7, output=output)
                    np.testing.assert_array_equal(made, saturated(want, output))
        image = self.rng.standard_normal((3, 20, 700))
        for axes in itertools.permutations(range(3)):
            for sigma in ((1, 0.6, 1.5), (2, 0.7, 2), (0, 1, 3)):
                self.alike(BOTH, lambda m: m.gaussian_filter(image, sigma, axes=axes, truncate=2.5), 1e-12, rtol=1e-12)
        bad = np.full((5, 600), np.nan)
        self.assertFalse(ours.gaussian_filter(bad, 1, output="u1").any())
        bad[:, 300:] = np.inf
        self.assertTrue((ours.gaussian_filter(bad, 1, output="u2")[:, 310:] == 65535).all())
        image = (self.rng.random((50, 60, 3)) * 255).astype("u1")
        made = ours.gaussian_filter(image, (3, 3, 0), mode="mirror")
        for c in range(3):
            one = np.ascontiguousarray(image[..., c])
            np.testing.assert_array_equal(made[..., c], satfilter.gauss(one, 3, border="mirror"))
        image = self.rng.integers(-99, 99, (30, 40)).astype("i2")
        for sigma in (1, 3):
            real = ours.gaussian_filter(image, sigma, output="f8")
            np.testing.assert_allclose(real, ours.gaussian_filter(image.astype("f8"), sigma), 1e-12, 1e-12)
            np.testing.assert_array_equal(ours.gaussian_filter(image, sigma), np.floor(real + 0.5))
            for seen in (image[::2], image[:, ::-1], image.T, image.astype(">i2")):
                np.testing.assert_array_equal(ours.gaussian_filter(seen, sigma),
                                              ours.gaussian_filter(np.ascontiguousarray(seen), sigma))
            same = image.copy()
            self.assertIs(ours.gaussian_filter(same, sigma, output=same), same)
            np.testing.assert_array_equal(same, np.floor(real + 0.5))
            turned = image - 1j * image
            np.testing.assert_allclose(ours.gaussian_filter(turned, sigma), real - 1j * real, 1e-12, 1e-12)
        self.assertEqual(ours.gaussian_filter(np.zeros((0, 4)), 2).shape, (0, 4))
        for bad, error in (({"sigma": 1, "order": 1}, ValueError), ({"sigma": (1, 2, 3)}, RuntimeError),
                           ({"sigma": np.inf}, ValueError), ({"sigma": 1, "mode": "edge"}, RuntimeError),
                           ({"sigma": 1, "radius": -1}, ValueError), ({"sigma": "x"}, TypeError)):
            with self.assertRaises(error, msg=str(bad)):
                ours.gaussian_filter(image, **bad)

    def test_weights(self):
        """The extension's own check of what it is given: memory too small, places outside."""
        image, out, weights = np.zeros((4, 6)), np.zeros((4, 6)), np.array([0.5, 0.25])
        places = {6: np.pad(np.arange(6), 1, mode="edge"), 4: np.pad(np.arange(4), 1, mode="edge")}
        good = {1: (image, 5, 4, 6, 1, places[6], weights, 0.0, out, 5),
                0: (image, 5, 4, 6, 0, places[4], weights, 0.0, out, 5)}
        for step, args in good.items():
            self.assertIsNone(_core.weigh(*args))
            for index, value in ((0, image[:3].copy()), (1, 2), (1, 4), (2, 5), (2, 0), (3, 7), (4, -1), (4, 4),
                                 (5, args[5][:-1].copy()), (5, args[5] + 1), (5, args[5] - 2), (6, np.zeros(0)),
                                 (8, out[:3].copy()), (9, 2), (9, 4)):
                with self.assertRaises(ValueError, msg=(step, index)):
                    _core.weigh(*args[:index], value, *args[index + 1:])

    def test_strides(self):
        image = self.rng.integers(0, 65536, (60, 70)).astype("u2")
        for seen in (image[::2], image[::-1], image[:, ::3], image[:, ::-1], image.T, image.T[::-1, ::-2],
                     image[3:40, 5:60], np.broadcast_to(image[0], (5, 70)), image.astype(">u2"),
                     np.asfortranarray(image)):
            for size in (5, (5, 4)):
                np.testing.assert_array_equal(ours.uniform_filter(seen, size),
                                              ours.uniform_filter(np.ascontiguousarray(seen), size))
