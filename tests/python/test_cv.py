"""satfilter.cv beside OpenCV."""
import itertools
import unittest

import numpy as np

import reference
import satfilter
from common import Case, optional
from satfilter import cv as ours

cv2 = optional("cv2")
BOTH = ours, cv2
RNG = np.random.default_rng(8)
GREY = RNG.integers(0, 256, (200, 300)).astype("u1")
COLOUR = RNG.integers(0, 256, (120, 90, 3)).astype("u1")
DEEP = RNG.integers(0, 65536, (120, 90)).astype("u2")
REAL = RNG.random((120, 90)).astype("f4")


@unittest.skipUnless(cv2, "cv2 is not installed")
class OpenCV(Case):
    def test_blur(self):
        for image in (GREY, COLOUR, DEEP, REAL):
            for size, anchor in (((3, 3), (-1, -1)), ((15, 15), (-1, -1)), ((4, 7), (-1, -1)), ((5, 3), (0, 2))):
                for border in (0, 1, 2, 4, 4 | 16):
                    self.alike(BOTH, lambda m: m.blur(image, size, anchor=anchor, borderType=border),
                               1e-6 if image is REAL else 1, (image.dtype, size, anchor, border))
        odd = cv2.blur(GREY, (15, 15))  # no ties: 225 is odd
        np.testing.assert_array_equal(ours.blur(GREY, (15, 15)), odd)
        np.testing.assert_array_equal(odd, reference.rounded_mean(GREY, 15, "mirror"))

    def test_box_filter(self):
        for image, depth, normalize in ((GREY, -1, True), (GREY, 5, True), (GREY, 4, False), (COLOUR, 5, False),
                                        (DEEP, 6, True), (GREY, -1, False)):
            self.alike(BOTH, lambda m: m.boxFilter(image, depth, (7, 5), normalize=normalize),
                       what=(image.dtype, depth, normalize), rtol=1e-6)
        for image, depth, normalize in ((GREY, -1, True), (GREY, 6, False), (REAL, -1, True), (DEEP, 6, True)):
            self.alike(BOTH, lambda m: m.sqrBoxFilter(image, depth, (7, 5), normalize=normalize), rtol=1e-5)

    def test_adaptive(self):
        """On levels: all differences, and values that are not 255; means of flat parts by both methods."""
        levels = np.repeat(np.repeat(np.array([[0, 255, 1], [254, 128, 0]], "u1"), 9, 0), 9, 1)
        differences = (-300, -256, -255.5, -255, -254, -1, 0, 0.5, 1, 2, 128, 254, 255, 255.5, 256, 300)
        for image, white, methods, sizes, cs in ((GREY, 200, (0,), (3, 15, 51), (2, -3.5, 7.2, 0)),
                                                 (levels, 17.5, (0, 1), (5,), differences)):
            for case in itertools.product(methods, (0, 1), sizes, cs):
                self.alike(BOTH, lambda m: m.adaptiveThreshold(image, white, *case), what=case)

    def test_adaptive_gaussian(self):
        page = cv2.blur(GREY, (9, 9))
        for size in (3, 5, 11, 35):
            want = cv2.adaptiveThreshold(page, 255, 1, 0, size, 2)
            made = ours.adaptiveThreshold(page, 255, 1, 0, size, 2)
            self.assertLess((made != want).mean(), 0.03, size)

    def test_gaussian(self):
        """Within two levels, as OpenCV's weights of integers are rounded; wider ones are gauss."""
        for image in (GREY, COLOUR, DEEP, REAL, DEEP.astype("i2")):
            for size, sigma, more in (((3, 3), 0, {}), ((5, 5), 0, {}), ((7, 3), 0, {}), ((0, 0), 1.3, {}),
                                      ((9, 9), 1.5, {}), ((11, 11), 0, {}), ((9, 5), 3, {}), ((5, 5), 10, {}),
                                      ((0, 0), 4, {"sigmaY": 1}), ((1, 7), 2, {}), ((1, 1), 0, {})):
                for border in (0, 1, 2, 4):
                    self.alike(BOTH, lambda m: m.GaussianBlur(image, size, sigma, borderType=border, **more),
                               2e-6 if image is REAL else 2 if image.itemsize == 1 else 3, (image.dtype, size, sigma))
        for sigma in (2, 5.5, 12):
            np.testing.assert_array_equal(ours.GaussianBlur(GREY, (0, 0), sigma, borderType=1),
                                          satfilter.gauss(GREY, sigma))
            self.alike(BOTH, lambda m: m.GaussianBlur(COLOUR, (0, 0), sigma), 5, sigma)
        for bad in (((4, 5), 1), ((0, 0), 0), ((-1, 3), 1), ((3, 3, 3), 1), ((0, 0), np.inf), ((0, 5), -1)):
            with self.assertRaises(ValueError, msg=str(bad)):
                ours.GaussianBlur(GREY, *bad)

    def test_one_channel(self):
        """(H, W, 1) counts as (H, W); an array for the result keeps its own axes."""
        image = GREY[..., None]
        for call in (lambda m, x: m.blur(x, (3, 5)), lambda m, x: m.boxFilter(x, 5, (3, 3)),
                     lambda m, x: m.sqrBoxFilter(x, 5, (3, 3)), lambda m, x: m.GaussianBlur(x, (3, 3), 0),
                     lambda m, x: m.integral(x), lambda m, x: m.integral2(x)[1],
                     lambda m, x: m.adaptiveThreshold(x, 255, 0, 0, 3, 2)):
            np.testing.assert_array_equal(self.alike(BOTH, lambda m: call(m, image), 2), call(ours, GREY))
        for out in (np.zeros_like(image), np.zeros_like(GREY)):
            for call in (lambda m, d: m.blur(image, (3, 5), d), lambda m, d: m.GaussianBlur(image, (3, 3), 0, d),
                         lambda m, d: m.adaptiveThreshold(image, 255, 0, 0, 3, 2, d)):
                self.assertIs(call(ours, out), out)
                np.testing.assert_array_equal(out, call(cv2, out.copy()))
        out = np.zeros_like(image)
        self.assertIs(ours.guidedFilter(image, image, 3, 99, out), out)
        np.testing.assert_array_equal(out[..., 0], ours.guidedFilter(GREY, GREY, 3, 99))

    def test_large_integers(self):
        """Of 32 bits: those that differ little go as 16 bits; the mean is the same for all."""
        rng = np.random.default_rng(1)
        for least, most in ((0, 256), (-5, 7), (-2**31, -2**31 + 65535), (2**31 - 65537, 2**31 - 1),
                            (-2**31, 2**31 - 1)):
            image = rng.integers(least, most, (40, 50), endpoint=True).astype("i4")
            image[0, :2] = least, most
            wide = reference.windows(image.astype("i8"), (3, 3), "mirror").sum((-2, -1))
            made = ours.boxFilter(image, -1, (3, 3))
            self.assertEqual(made.dtype, np.dtype("i4"))
            np.testing.assert_array_equal(made, (2 * wide + 9) // 18, str((least, most)))
            np.testing.assert_allclose(ours.boxFilter(image, 6, (3, 3)), wide / 9, 1e-15)
            np.testing.assert_array_equal(ours.boxFilter(image, 6, (3, 3), normalize=False), wide)

    def test_sums(self):
        """Exact, and saturated: also where 32 bits do not hold them."""
        white = np.full((40, 50), 255, "u1")
        for depth, dtype in ((4, "i4"), (2, "u2"), (3, "i2"), (0, "u1"), (6, "f8")):
            want = np.minimum(255 * 21 * 31, np.inf if dtype == "f8" else np.iinfo(dtype).max)
            made = ours.boxFilter(white, depth, (21, 31), normalize=False)
            self.assertEqual((made.dtype, made.min(), made.max()), (np.dtype(dtype), want, want))
        deep = np.full((40, 50), 65535, "u2")
        self.assertEqual(ours.boxFilter(deep, 4, (255, 255), normalize=False).max(), 2**31 - 1)
        self.assertEqual(ours.sqrBoxFilter(white, 6, (255, 255), normalize=False).max(), 255**4)

    def test_integral(self):
        for image in (GREY, COLOUR):
            self.alike(BOTH, lambda m: m.integral(image))
            for k in (0, 1):
                self.alike(BOTH, lambda m: m.integral2(image)[k])
        self.alike(BOTH, lambda m: m.integral(REAL), rtol=1e-12)
        self.alike(BOTH, lambda m: m.integral(GREY, sdepth=6))

    @unittest.skipUnless(hasattr(cv2, "ximgproc"), "this OpenCV has no ximgproc")
    def test_thresholds(self):
        page = cv2.blur(GREY, (9, 9)) // 2 + 60
        for method, k in ((0, -0.2), (1, 0.2), (2, 0.3)):
            for kind in (0, 1):
                want = cv2.ximgproc.niBlackThreshold(page, 255, kind, 15, k, binarizationMethod=method)
                made = ours.niBlackThreshold(page, 255, kind, 15, k, binarizationMethod=method)
                # OpenCV's thresholds are of single precision; samples are integers and often at them.
                self.assertLess((made != want).mean(), 0.002, (method, kind))

    @unittest.skipUnless(hasattr(cv2, "ximgproc"), "this OpenCV has no ximgproc")
    def test_guided(self):
        guide = cv2.blur(GREY, (5, 5))
        smooth = cv2.blur(COLOUR, (5, 5))
        both = ours, cv2.ximgproc
        for guide, source, eps in ((guide, GREY, 400.0), (guide, guide, 100.0), (COLOUR, COLOUR, 400.0),
                                   (smooth, COLOUR, 400.0), (smooth, COLOUR[..., 1].copy(), 400.0)):
            self.alike(both, lambda m: m.guidedFilter(guide, source, 4, eps), 1)
        green = COLOUR[..., 1].copy()  # eps is in the guide's unit
        want = ours.guidedFilter(smooth, green, 4, 400.0)
        self.assertLess(np.abs(ours.guidedFilter(smooth, green.astype("f4"), 4, 400.0) - want).max(), 0.51)

    def test_into(self):
        out = np.zeros_like(GREY)
        self.assertIs(ours.blur(GREY, (3, 3), out), out)
        np.testing.assert_array_equal(out, ours.blur(GREY, (3, 3)))
        out = np.zeros((201, 301), "i4")
        ours.integral(GREY, out)
        np.testing.assert_array_equal(out, cv2.integral(GREY))

    def test_refused(self):
        for call in (lambda: ours.adaptiveThreshold(GREY, 255, 2, 0, 3, 2),
                     lambda: ours.adaptiveThreshold(GREY, 255, 0, 2, 3, 2),
                     lambda: ours.adaptiveThreshold(GREY, 255, 0, 0, 4, 2),
                     lambda: ours.niBlackThreshold(GREY, 255, 0, 15, 0.2, None, 3),
                     lambda: ours.blur(GREY, (3, 3), borderType=9), lambda: ours.boxFilter(GREY, 9, (3, 3)),
                     lambda: ours.guidedFilter(COLOUR[..., :2], COLOUR, 3, 10)):
            self.assertRaises(ValueError, call)
        self.refuse(ValueError, "eps=0.01: 0.065 or more, for uint8 samples", ours.guidedFilter, GREY, GREY, 3, 0.01)
        self.assertRaises(TypeError, ours.adaptiveThreshold, DEEP, 255, 0, 0, 3, 2)
