"""satfilter.filters beside skimage."""
import unittest

import numpy as np

import satfilter
import satfilter.filters as ours

try:
    from skimage import filters, transform
except ImportError:
    filters = None

SHAPE = (70, 90)


def pictures():
    rng = np.random.default_rng(6)
    return [rng.integers(0, 256, SHAPE).astype("u1"), rng.integers(0, 65536, SHAPE).astype("u2"), rng.random(SHAPE),
            rng.random(SHAPE).astype("f4"), rng.random(SHAPE) > 0.5, rng.integers(-9999, 9999, SHAPE).astype("i2"),
            rng.integers(0, 2**31, SHAPE).astype("i4")]


@unittest.skipUnless(filters, "skimage is not installed")
class Skimage(unittest.TestCase):
    def near(self, made, want, image, what):
        self.assertEqual(made.dtype, want.dtype, what)
        self.assertEqual(made.shape, want.shape, what)
        # skimage takes the variance of floats for the mean square less the squared mean.
        off = 3e-4 if image.dtype == np.dtype("f4") else 1e-7
        self.assertLess(np.abs(made - want).max(), off * max(float(np.abs(want).max()), 1), what)

    def test_thresholds(self):
        for image in pictures():
            for window in (3, 15, 25, (5, 31)):
                for name, named in (("threshold_niblack", {}), ("threshold_niblack", {"k": -1.5}),
                                    ("threshold_sauvola", {}), ("threshold_sauvola", {"k": 0.3, "r": 77}),
                                    ("threshold_sauvola", {"k": 11})):
                    made = getattr(ours, name)(image, window, **named)
                    want = getattr(filters, name)(image, window, **named)
                    self.near(made, want, image, (name, image.dtype, window, named))

    def test_decisions(self):
        """Black and white is the same where skimage's threshold is not at the sample itself."""
        image = pictures()[0]
        limit = filters.threshold_sauvola(image, 15)
        clear = np.abs(image - limit) > 1e-6
        self.assertGreater(clear.mean(), 0.99)
        np.testing.assert_array_equal((image > ours.threshold_sauvola(image, 15))[clear], (image > limit)[clear])
        np.testing.assert_array_equal((satfilter.sauvola(image, 15, k=0.2, r=127.5, border="mirror") > 0)[clear],
                                      (image > limit)[clear])

    def test_otsu(self):
        """Of bytes: skimage's merits of levels are float32, which many levels of 16 bits share."""
        for seed in range(5):
            rng = np.random.default_rng(seed)
            image = rng.normal(np.where(rng.random(SHAPE) > 0.7, 180, 80), 25).clip(0, 255).astype("u1")
            level = filters.threshold_otsu(image)
            np.testing.assert_array_equal(satfilter.threshold(image, "otsu") > 0, image > level)
            np.testing.assert_array_equal(satfilter.threshold(image, "otsu", surface=True), level)

    def test_resize(self):
        """Integers are what the mean rounds to; (35, 30) is a half and a third, for downscale_local_mean."""
        for image in pictures()[:4] + [np.dstack(pictures()[:1] * 3)]:
            axis = 2 if image.ndim == 3 else None
            for size in ((35, 30), (31, 77), (70, 1), SHAPE, (1, 1)):
                made = satfilter.resize(image, size, channel_axis=axis)
                want = transform.resize_local_mean(image, size, channel_axis=axis, preserve_range=True)
                self.assertEqual((made.shape, made.dtype), (want.shape[:2] + image.shape[2:], image.dtype))
                room = 0.5 + 1e-6 if image.dtype.kind == "u" else 1e-5
                self.assertLess(np.abs(made - want).max(), room, (image.dtype, size))
        made = satfilter.resize(pictures()[2], (35, 30))
        np.testing.assert_array_equal(satfilter.resize(pictures()[2], "30x"), satfilter.resize(pictures()[2], (23, 30)))
        np.testing.assert_allclose(made, transform.downscale_local_mean(pictures()[2], (2, 3)), rtol=1e-14)

    def test_local(self):
        for image in pictures():
            for named in ({}, {"offset": 3}, {"mode": "constant", "cval": 2}, {"mode": "wrap"}):
                made = ours.threshold_local(image, 15, "mean", **named)
                self.near(made, filters.threshold_local(image, 15, "mean", **named), image, (image.dtype, named))
        with self.assertRaisesRegex(ValueError, "'mean' alone"):
            ours.threshold_local(pictures()[0], 15)

    def test_integral(self):
        for image in [*pictures(), pictures()[0].reshape(7, 10, 90), pictures()[1][0]]:
            made, want = ours.integral_image(image), transform.integral_image(image)
            self.assertEqual(made.dtype, want.dtype)
            np.testing.assert_allclose(made, want, 1e-12)
            if image.ndim == 2:
                for start, end in (([(0, 0), (3, 4), (10, 10)], [(5, 5), (69, 89), (10, 10)]), ((0, 2), (9, 9)),
                                   ([(-9, -9)], [(-1, -2)])):
                    np.testing.assert_allclose(ours.integrate(made, start, end),
                                               transform.integrate(want, start, end), 1e-9)
        for dtype in ("f4", "i4", "u8", "f8"):
            made = ours.integral_image(pictures()[0], dtype=dtype)
            np.testing.assert_array_equal(made, transform.integral_image(pictures()[0], dtype=dtype))
            self.assertEqual(made.dtype, np.dtype(dtype))

    def test_refused(self):
        image = pictures()[0]
        for window in (4, (3, 4), 0):
            with self.assertRaisesRegex(ValueError, "odd"):
                ours.threshold_sauvola(image, window)
        with self.assertRaisesRegex(ValueError, "two axes"):
            ours.threshold_niblack(image[None])
        with self.assertRaises(IndexError):
            ours.integrate(ours.integral_image(image), (3, 3), (2, 3))


if __name__ == "__main__":
    unittest.main()
