"""satfilter.filters beside skimage."""
import unittest

import numpy as np

import satfilter
import satfilter.filters as ours
from common import Case, optional

filters, transform = optional("skimage.filters"), optional("skimage.transform")
SHAPE = (70, 90)


def pictures():
    rng = np.random.default_rng(6)
    return [rng.integers(0, 256, SHAPE).astype("u1"), rng.integers(0, 65536, SHAPE).astype("u2"), rng.random(SHAPE),
            rng.random(SHAPE).astype("f4"), rng.random(SHAPE) > 0.5, rng.integers(-9999, 9999, SHAPE).astype("i2"),
            rng.integers(0, 2**31, SHAPE).astype("i4")]


@unittest.skipUnless(filters, "skimage is not installed")
class Skimage(Case):
    def near(self, image, name, *given, **named):
        """Both modules' function of the image."""
        # skimage takes the variance of floats for the mean square less the squared mean.
        off = 3e-4 if image.dtype == np.dtype("f4") else 1e-7
        most = np.abs(getattr(filters, name)(image, *given, **named)).max()
        self.alike((ours, filters), lambda m: getattr(m, name)(image, *given, **named), off * max(float(most), 1),
                   (name, image.shape, image.dtype, given, named))

    def test_thresholds(self):
        for image in pictures():
            for window in (3, 15, 25, (5, 31)):
                for name, named in (("threshold_niblack", {}), ("threshold_niblack", {"k": -1.5}),
                                    ("threshold_sauvola", {}), ("threshold_sauvola", {"k": 0.3, "r": 77}),
                                    ("threshold_sauvola", {"k": 11})):
                    self.near(image, name, window, **named)

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

    def test_otsu_threshold(self):
        rng = np.random.default_rng(5)
        two = np.where(rng.random(SHAPE) > 0.7, 180, 80) + rng.normal(0, 20, SHAPE)
        for dtype in ("u1", "i1", "u2", "i2", "i4", "i8", "f4", "f8"):
            image = (two - (120 if dtype == "i1" else 0)).clip(-128, 255).astype(dtype)
            made, want = ours.threshold_otsu(image), filters.threshold_otsu(image)
            self.assertEqual((made, np.asarray(made).dtype), (want, np.asarray(want).dtype), dtype)
        image = two.clip(0, 255).astype("u1")
        self.assertEqual(ours.threshold_otsu(image), int(satfilter.threshold(image, "otsu", surface=True)[0, 0]))
        counts = np.bincount(image.ravel(), minlength=256)
        for hist in (counts, (counts, np.arange(256) / 255), [counts, np.arange(256)]):
            self.assertEqual(ours.threshold_otsu(hist=hist), filters.threshold_otsu(hist=hist))
        self.assertEqual(ours.threshold_otsu(two, 32), filters.threshold_otsu(two, 32))
        self.assertEqual(ours.threshold_otsu(np.array([0, 2**40, 2**40 + 1])), 0)  # not a count for each level
        self.assertEqual(ours.threshold_otsu(np.full((3, 3), 7, "u2")), 7)
        with self.assertWarnsRegex(UserWarning, "grayscale"):
            ours.threshold_otsu(np.dstack([image] * 3))
        for bad in ({}, {"hist": []}, {"hist": np.zeros(4)}, {"hist": (counts, [1, 2])}):
            with self.assertRaises(ValueError, msg=str(bad)):
                ours.threshold_otsu(**bad)

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
                self.near(image, "threshold_local", 15, "mean", **named)
        for image in pictures():
            for block in (3, 5, (3, 9), (1, 11)):  # of Gaussians that have scipy's bits
                self.near(image, "threshold_local", block)
                if image.dtype != np.dtype("f4"):  # so flat paper is decided alike
                    self.alike((ours, filters), lambda m: m.threshold_local(image, block))
            self.near(image, "threshold_local", 15, param=1.2, offset=2, mode="nearest")
        with self.assertRaisesRegex(ValueError, "method='median': 'gaussian' or 'mean'"):
            ours.threshold_local(pictures()[0], 15, "median")

    def test_wide_gaussians(self):
        """Made of boxes above a deviation of 6: decisions are the same but near the threshold."""
        y, x = np.mgrid[:200, :300]
        rng = np.random.default_rng(4)
        page = (150 + 60 * np.sin(x / 40) * np.cos(y / 60) - 90 * (rng.random(x.shape) < 0.1)).astype("u1")
        for block, off, otherwise in ((15, 0.1, 0.001), (35, 0.1, 0.001), (101, 2.5, 0.02)):
            made, want = ours.threshold_local(page, block), filters.threshold_local(page, block)
            self.assertEqual(made.dtype, want.dtype)
            self.assertLess(np.abs(made - want).max(), off, block)
            self.assertLess(((page > made) != (page > want)).mean(), otherwise, block)
            self.assertGreater(np.abs(made - want).max(), 0.01 if block == 101 else 0, block)

    def test_axes(self):
        """Windows extend along all axes, also of colours; one axis will do."""
        rng = np.random.default_rng(9)
        for shape in ((40, 50, 3), (12, 13, 14), (4, 5, 6, 7), (60,), (1, 9), (9, 30, 2)):
            for image in ((rng.random(shape) * 255).astype("u1"), rng.random(shape), rng.random(shape).astype("f4"),
                          rng.integers(-500, 500, shape)):
                n = image.ndim
                for window in (3, 15, (3, 1, 5, 7)[:n], (1,) * (n - 1) + (5,), (5,) + (1,) * (n - 1)):
                    for name in ("threshold_niblack", "threshold_sauvola"):
                        self.near(image, name, window)
                for method in ("mean", "gaussian"):
                    self.near(image, "threshold_local", 5, method)

    def test_no_cancellation(self):
        """The deviation of a volume far from zero is that of its samples."""
        image = np.random.default_rng(2).random((9, 10, 11))
        far = ours.threshold_niblack(image + 2.0**30, 5, k=-1) - 2.0**30
        self.assertLess(np.abs(far - ours.threshold_niblack(image, 5, k=-1)).max(), 1e-6)

    def test_gaussian(self):
        for image in pictures() + [np.dstack(pictures()[:1] * 3), pictures()[0].astype("i1"), np.zeros((0, 4), "u1")]:
            for named in ({}, {"sigma": (1.5, 0.4), "channel_axis": 2}, {"sigma": 0.7, "preserve_range": True},
                          {"mode": "constant", "cval": 0.3}, {"sigma": 1, "truncate": 2}, {"channel_axis": -1}):
                if "channel_axis" in named and image.ndim == 2:
                    continue
                self.alike((ours, filters), lambda m: m.gaussian(image, **named), 1e-7, (image.dtype, named),
                           1e-6 if image.dtype == np.dtype("f4") else 1e-11)
        out = np.zeros(SHAPE)
        self.assertIs(ours.gaussian(pictures()[0], 3, out=out), out)
        np.testing.assert_allclose(out, satfilter.gauss(pictures()[0].astype("f8"), 3) / 255, 1e-12)
        for bad in ({"sigma": -1}, {"out": np.zeros(SHAPE, "u1")}):
            self.assertRaises(ValueError, ours.gaussian, pictures()[0], **bad)

    def test_empty(self):
        """As skimage: the same shape, or the same kind of exception."""
        for shape in ((0,), (0, 5), (5, 0), (0, 0), (0, 5, 5), (5, 0, 5), (5, 5, 0)):
            image = np.zeros(shape, "u1")
            for name, *given in (("threshold_niblack", 3), ("threshold_sauvola", 3), ("threshold_local", 3),
                                 ("threshold_local", 3, "mean"), ("gaussian", 2), ("threshold_otsu",),
                                 ("integral_image",)):
                module = transform if name == "integral_image" else filters
                try:
                    want = getattr(module, name)(image, *given)
                except Exception as error:
                    with self.assertRaises(type(error), msg=(shape, name)):
                        getattr(ours, name)(image, *given)
                    continue
                made = getattr(ours, name)(image, *given)
                self.assertEqual((made.shape, made.dtype), (want.shape, want.dtype), (shape, name))

    def test_integral(self):
        for image in [*pictures(), pictures()[0].reshape(7, 10, 90), pictures()[1][0]]:
            made = self.alike((ours, transform), lambda m: m.integral_image(image), rtol=1e-12)
            if image.ndim == 2:
                for start, end in (([(0, 0), (3, 4), (10, 10)], [(5, 5), (69, 89), (10, 10)]), ((0, 2), (9, 9)),
                                   ([(-9, -9)], [(-1, -2)])):
                    np.testing.assert_allclose(ours.integrate(made, start, end),
                                               transform.integrate(made, start, end), 1e-9)
        for dtype in ("f4", "i4", "u8", "f8"):
            made = self.alike((ours, transform), lambda m: m.integral_image(pictures()[0], dtype=dtype))
            self.assertEqual(made.dtype, np.dtype(dtype))

    def test_refused(self):
        image = pictures()[0]
        for window in (4, (3, 4), 0):
            self.refuse(ValueError, "odd", ours.threshold_sauvola, image, window)
        for window in ((3,), (3, 3, 3)):
            self.assertRaises(ValueError, ours.threshold_niblack, image, window)
        self.assertRaises(IndexError, ours.integrate, ours.integral_image(image), (3, 3), (2, 3))
