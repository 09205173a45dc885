"""satfilter.cv beside OpenCV."""
import unittest

import numpy as np

import reference
from satfilter import cv as ours

try:
    import cv2
except ImportError:
    cv2 = None

RNG = np.random.default_rng(8)
GREY = RNG.integers(0, 256, (200, 300)).astype("u1")
COLOUR = RNG.integers(0, 256, (120, 90, 3)).astype("u1")
DEEP = RNG.integers(0, 65536, (120, 90)).astype("u2")
REAL = RNG.random((120, 90)).astype("f4")


@unittest.skipUnless(cv2, "cv2 is not installed")
class OpenCV(unittest.TestCase):
    def test_blur(self):
        for image in (GREY, COLOUR, DEEP, REAL):
            for size, anchor in (((3, 3), (-1, -1)), ((15, 15), (-1, -1)), ((4, 7), (-1, -1)), ((5, 3), (0, 2))):
                for border in (0, 1, 2, 4, 4 | 16):
                    want = cv2.blur(image, size, anchor=anchor, borderType=border)
                    made = ours.blur(image, size, anchor=anchor, borderType=border)
                    self.assertEqual(made.dtype, want.dtype)
                    limit = 1e-6 if image is REAL else 1
                    off = np.abs(made.astype("f8") - want)
                    self.assertLessEqual(off.max(), limit, (image.dtype, size, anchor, border))
        odd = cv2.blur(GREY, (15, 15))  # no ties: 225 is odd
        np.testing.assert_array_equal(ours.blur(GREY, (15, 15)), odd)
        np.testing.assert_array_equal(odd, reference.rounded_mean(GREY, 15, "mirror"))

    def test_box_filter(self):
        for image, depth, normalize in ((GREY, -1, True), (GREY, 5, True), (GREY, 4, False), (COLOUR, 5, False),
                                        (DEEP, 6, True), (GREY, -1, False)):
            want = cv2.boxFilter(image, depth, (7, 5), normalize=normalize)
            made = ours.boxFilter(image, depth, (7, 5), normalize=normalize)
            self.assertEqual(made.dtype, want.dtype)
            np.testing.assert_allclose(made, want, 1e-6, err_msg=str((image.dtype, depth, normalize)))
        for image, depth, normalize in ((GREY, -1, True), (GREY, 6, False), (REAL, -1, True), (DEEP, 6, True)):
            want = cv2.sqrBoxFilter(image, depth, (7, 5), normalize=normalize)
            made = ours.sqrBoxFilter(image, depth, (7, 5), normalize=normalize)
            self.assertEqual(made.dtype, want.dtype)
            np.testing.assert_allclose(made, want, 1e-5)

    def test_adaptive(self):
        for kind in (0, 1):
            for c in (2, -3.5, 7.2, 0):
                for size in (3, 15, 51):
                    want = cv2.adaptiveThreshold(GREY, 200, 0, kind, size, c)
                    np.testing.assert_array_equal(ours.adaptiveThreshold(GREY, 200, 0, kind, size, c), want)

    def test_integral(self):
        for image in (GREY, COLOUR):
            np.testing.assert_array_equal(ours.integral(image), cv2.integral(image))
            self.assertEqual(ours.integral(image).dtype, np.dtype("i4"))
            for made, want in zip(ours.integral2(image), cv2.integral2(image)):
                np.testing.assert_array_equal(made, want)
                self.assertEqual(made.dtype, want.dtype)
        np.testing.assert_allclose(ours.integral(REAL), cv2.integral(REAL), 1e-12)
        np.testing.assert_array_equal(ours.integral(GREY, sdepth=6), cv2.integral(GREY, sdepth=cv2.CV_64F))

    def test_thresholds(self):
        if not hasattr(cv2, "ximgproc"):
            self.skipTest("this OpenCV has no ximgproc")
        page = cv2.blur(GREY, (9, 9)) // 2 + 60
        for method, k in ((0, -0.2), (1, 0.2), (2, 0.3)):
            for kind in (0, 1):
                want = cv2.ximgproc.niBlackThreshold(page, 255, kind, 15, k, binarizationMethod=method)
                made = ours.niBlackThreshold(page, 255, kind, 15, k, binarizationMethod=method)
                # OpenCV's thresholds are of single precision; samples are integers and often at them.
                self.assertLess((made != want).mean(), 0.002, (method, kind))

    def test_guided(self):
        if not hasattr(cv2, "ximgproc"):
            self.skipTest("this OpenCV has no ximgproc")
        guide = cv2.blur(GREY, (5, 5))
        for source, eps in ((GREY, 400.0), (guide, 100.0)):
            want = cv2.ximgproc.guidedFilter(guide, source, 4, eps)
            made = ours.guidedFilter(guide, source, 4, eps)
            self.assertLessEqual(np.abs(made.astype("f8") - want).max(), 1)
        smooth = cv2.blur(COLOUR, (5, 5))
        for guide, source in ((COLOUR, COLOUR), (smooth, COLOUR), (smooth, COLOUR[..., 1].copy())):
            want = cv2.ximgproc.guidedFilter(guide, source, 4, 400.0)
            made = ours.guidedFilter(guide, source, 4, 400.0)
            self.assertLessEqual(np.abs(made.astype("f8") - want).max(), 1)
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
        for call in (lambda: ours.adaptiveThreshold(GREY, 255, 1, 0, 3, 2),
                     lambda: ours.adaptiveThreshold(GREY, 255, 0, 2, 3, 2),
                     lambda: ours.adaptiveThreshold(GREY, 255, 0, 0, 4, 2),
                     lambda: ours.niBlackThreshold(GREY, 255, 0, 15, 0.2, None, 3),
                     lambda: ours.blur(GREY, (3, 3), borderType=9), lambda: ours.boxFilter(GREY, 9, (3, 3)),
                     lambda: ours.guidedFilter(COLOUR[..., :2], COLOUR, 3, 10)):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaisesRegex(ValueError, "eps=0.01: 0.065 or more, for uint8 samples"):
            ours.guidedFilter(GREY, GREY, 3, 0.01)
        with self.assertRaises(TypeError):
            ours.adaptiveThreshold(DEEP, 255, 0, 0, 3, 2)


if __name__ == "__main__":
    unittest.main()
