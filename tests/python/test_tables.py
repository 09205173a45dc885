"""Sums, means and variances over rectangles, and moments, by definition."""
import numpy as np

import reference
import satfilter
from common import Case

RNG = np.random.default_rng(9)


def boxes(shape, count=50):
    """Rectangles inside."""
    rows, columns = (np.sort(RNG.integers(0, n + 1, (count, 2)), axis=1) for n in shape)
    made = np.stack([rows[:, 0], columns[:, 0], np.diff(rows)[:, 0], np.diff(columns)[:, 0]], axis=1)
    return made[(made[:, 2:] > 0).all(axis=1)]


class Tables(Case):
    def pictures(self):
        for dtype in ("u1", "u2", "i2", "i4", "f4", "f8", "?"):
            yield (RNG.random((30, 40)) * (1 if dtype == "?" else 250)).round().astype(dtype)

    def test_sums(self):
        for image in self.pictures():
            table, rects = satfilter.integral(image), boxes(image.shape)
            want = [image[y:y + h, x:x + w].sum(dtype=table.dtype) for y, x, h, w in rects]
            made = satfilter.rect_sums(table, rects)
            self.assertEqual(made.dtype, table.dtype)
            np.testing.assert_allclose(made, want, 1e-12)
            np.testing.assert_array_equal(satfilter.rect_sums(table, rects.reshape(-1, 1, 4))[:, 0], made)
            np.testing.assert_array_equal(satfilter.rect_sums(np.asfortranarray(table), rects), made)
            np.testing.assert_array_equal(satfilter.rect_sums(table, rects[0]), made[0])
            self.assertEqual(satfilter.rect_sums(table, np.empty((0, 4), int)).shape, (0,))

    def test_statistics(self):
        for image in self.pictures():
            table, squares = satfilter.integral(image), satfilter.integral(image, squared=True)
            rects = boxes(image.shape)
            mean, variance = satfilter.rect_stats(table, squares, rects)
            parts = [image[y:y + h, x:x + w].astype("f8") for y, x, h, w in rects]
            np.testing.assert_allclose(mean, [part.mean() for part in parts], 1e-13)
            np.testing.assert_allclose(variance, [part.var() for part in parts], 1e-9, 1e-9)
            if image.dtype.kind in "u":  # one division of exact numbers
                exact = [(p.size * int((p * p).sum()) - int(p.sum()) ** 2) / p.size**2 for p in parts]
                np.testing.assert_allclose(variance, exact, 1e-15)

    def test_channels(self):
        image = RNG.integers(0, 256, (30, 40, 3)).astype("u1")
        rects = boxes(image.shape[:2])
        table, squares = (satfilter.integral(image, squared=s, channel_axis=-1) for s in (False, True))
        sums, (mean, variance) = (satfilter.rect_sums(table, rects, channel_axis=-1),
                                  satfilter.rect_stats(table, squares, rects, channel_axis=2))
        for c in range(3):
            each = table[..., c], squares[..., c]
            np.testing.assert_array_equal(sums[:, c], satfilter.rect_sums(each[0], rects))
            np.testing.assert_array_equal(mean[:, c], satfilter.rect_stats(*each, rects)[0])
            np.testing.assert_array_equal(variance[:, c], satfilter.rect_stats(*each, rects)[1])
        np.testing.assert_array_equal(satfilter.rect_sums(np.moveaxis(table, -1, 0), rects, channel_axis=0), sums)

    def test_moments(self):
        for image in self.pictures():
            for border in ("clamp", "mirror"):
                mean, deviation = satfilter.moments(image, (3, 5), border=border)
                np.testing.assert_allclose(mean, reference.true_mean(image, (3, 5), border), 1e-13)
                want = reference.windows(image.astype("f8"), (3, 5), border).var((-2, -1))
                np.testing.assert_allclose(deviation**2, want, 1e-9, 1e-9)
                variance = satfilter.moments(image, (3, 5), border=border, deviation=False, dtype="f4")[1]
                self.assertEqual(variance.dtype, np.dtype("f4"))
                np.testing.assert_allclose(variance, want, 1e-5, 1e-5)

    def test_moments_of_views(self):
        """Stacks, channels, strides and borders: the bits of the two filters."""
        stack = RNG.integers(0, 256, (2, 3, 30, 40, 3)).astype("u2")
        for image, axis in ((stack, -1), (stack, 4), (stack[..., 0], 1), (stack[..., 0], None),
                            (stack[::-1, :, ::-1, ::2], -1), (stack[:, :, :, ::-1], -1),
                            (stack[0, 0, :, :, 1].T, None), (stack[:0], -1)):
            for border in ("reflect", 9, "valid"):
                named = {"border": border, "at": (0, 1), "channel_axis": axis}
                mean, deviation = satfilter.moments(image, (4, 5), **named)
                np.testing.assert_array_equal(mean, satfilter.box(image, (4, 5), dtype="f8", **named))
                np.testing.assert_array_equal(deviation, satfilter.stddev(image, (4, 5), **named))
        self.refuse(ValueError, "row", satfilter.moments, stack[:, :, :0, :, 0])
