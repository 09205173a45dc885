"""Pixels that do not count: weights, NaN, nodata and masked arrays, beside numpy's own means of these."""
import pickle
import unittest
import warnings

import numpy as np

import reference
import satfilter
from common import REAL, Case, picture

RNG = np.random.default_rng(5)
SHAPE = (21, 30)
HOLES = RNG.random(SHAPE) < 0.3
HOLES[5:14, 7:19] = True  # windows that see nothing


def seen(image, size=5):
    """The window around each pixel, by the border that makes windows smaller: NaN outside."""
    return reference.windows(image.astype("f8"), size, np.nan)


def holed(image):
    return np.where(HOLES, np.nan, image.astype("f8"))


def quiet(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return function(*args)


def mean(image, size=5):
    return quiet(np.nanmean, seen(holed(image), size), (-2, -1))


class Counting(Case):
    def near(self, made, want, far=1e-12, what=""):
        np.testing.assert_allclose(made.astype("f8"), want, far, far * np.nanmax(np.abs(want)), err_msg=str(what))

    def test_nan(self):
        for dtype, far in (("f2", 2**-10), ("f4", 1e-6), ("f8", 1e-12)):
            image = np.where(HOLES, np.nan, picture(dtype)).astype(dtype)
            windows, named = seen(image), {"border": "shrink", "nan_policy": "omit"}
            self.near(satfilter.box(image, 5, **named), quiet(np.nanmean, windows, (-2, -1)), far, dtype)
            self.near(satfilter.stddev(image, 5, **named), quiet(np.nanstd, windows, (-2, -1)), max(far, 1e-7), dtype)
            self.near(satfilter.sum(image, 5, **named), np.nansum(windows, (-2, -1)), max(far, 1e-9), dtype)
            made = satfilter.sauvola(image, 5, surface=True, **named)
            self.assertEqual(np.isnan(made).tolist(), HOLES.tolist())  # it looks at the pixel itself
            spread = satfilter.box(image, 5, border="shrink")
            self.assertEqual(np.isnan(spread).tolist(), quiet(np.isnan, windows).any((-2, -1), where=reference.windows(
                np.ones(SHAPE), 5, 0) > 0).tolist(), dtype)

    def test_nodata(self):
        for dtype in REAL:
            t = np.dtype(dtype)
            empty = -9999 if t.kind == "f" else 99
            image = picture(dtype) if t.itemsize < 4 or t.kind == "f" else picture(dtype) // 2**10
            image[image == empty] += 1
            image[HOLES] = empty
            made, want = satfilter.box(image, 5, border="shrink", nodata=empty), mean(image)
            nothing = np.isnan(want)
            self.assertTrue((made[nothing] == t.type(empty)).all(), dtype)
            if t.kind == "f":
                self.near(made[~nothing], want[~nothing], {"f2": 2**-10, "f4": 1e-6}.get(dtype, 1e-12), dtype)
            else:
                np.testing.assert_array_equal(made[~nothing], np.floor(want[~nothing] + 0.5).astype(t), dtype)
        both = np.where(HOLES, np.nan, picture("f8"))
        both[0, :9] = -1
        made = satfilter.box(both, 5, border="shrink", nan_policy="omit", nodata=-1)
        want = quiet(np.nanmean, seen(np.where(both == -1, np.nan, both)), (-2, -1))
        self.near(made, np.where(np.isnan(want), -1, want))

    def test_weights(self):
        image, weights = picture("f8", (2, *SHAPE)), RNG.random((2, *SHAPE)) * ~HOLES

        def average(image, weights):
            windows, by = seen(image), seen(weights)
            with np.errstate(invalid="ignore"):
                return np.nansum(windows * by, (-2, -1)) / np.nansum(by, (-2, -1))
        want = [average(image[0], weights[0]), average(image[1], weights[1])]
        named = {"border": "shrink"}
        self.near(satfilter.box(image, 5, weights=weights, **named), want)
        self.near(satfilter.box(image, 5, weights=weights[0], **named), [want[0], average(image[1], weights[0])])
        self.near(satfilter.filter(image[0], "box=5,border=shrink", weights=weights[0]), want[0])
        out = np.zeros((2, *SHAPE), "f4")
        self.assertIs(satfilter.box(image, 5, weights=weights, out=out, **named), out)
        self.near(out, want, 1e-6)
        colours = np.stack([image[0], image[1], image[0] + 3], -1)
        made = satfilter.box(colours, 5, weights=weights[0], channel_axis=-1, **named)
        self.near(made, satfilter.box(colours, 5, weights=weights[:1][0].astype("f8"), channel_axis=-1, **named))
        self.near(made[..., 0], want[0])
        made = satfilter.box(np.moveaxis(np.stack([colours] * 2), -1, 0), 5, weights=weights, channel_axis=0, **named)
        self.near(made[0, 0], want[0])
        for kind, whole in (("?", 1), ("u1", 255), ("u2", 65535), ("f4", 1)):  # none or whole
            self.near(satfilter.box(image[0], 5, weights=(~HOLES * whole).astype(kind), **named), mean(image[0]), 1e-12,
                      kind)
        ones, twos, less = np.ones(SHAPE), np.full(SHAPE, 2.0), np.where(HOLES, -5.0, 1.0)
        twos[::2] = 1
        for kind in ("u1", "i2", "i4", "f4", "f8"):  # more than 1 is 1 of 8 and 16 bits; less than 0 and NaN are 0
            made, narrow = satfilter.box(picture(kind), 5, weights=twos), kind in ("u1", "i2")
            self.assertEqual((made == satfilter.box(picture(kind), 5, weights=ones)).all(), narrow, kind)
            for weights in (less, np.where(HOLES, np.nan, 1)):
                self.same(satfilter.box(picture(kind), 5, weights=weights),
                          satfilter.box(picture(kind), 5, weights=~HOLES))
        self.same(satfilter.box(picture("u1"), 5, weights=twos / 1000), satfilter.box(picture("u1"), 5))  # all 1 / 255
        order = np.asfortranarray(picture("u2"))
        self.same(satfilter.box(order, (3, 5), weights=~HOLES), satfilter.box(order.copy("C"), (3, 5), weights=~HOLES))

    def test_masked(self):
        for dtype in REAL:
            image = picture(dtype) if np.dtype(dtype).itemsize < 4 else (picture(dtype) // 2**10).astype(dtype)
            masked = np.ma.array(image, mask=HOLES)
            made, want = satfilter.box(masked, 5, border="shrink"), mean(image)
            self.assertIs(type(made), np.ma.MaskedArray)
            self.assertEqual(made.dtype, image.dtype)
            self.assertEqual(made.mask.tolist(), np.isnan(want).tolist(), dtype)
            far = {"f2": 2**-10, "f4": 1e-6, "f8": 1e-12}.get(dtype)
            if far:
                self.near(made.data[~made.mask], want[~made.mask], far, dtype)
            else:
                np.testing.assert_array_equal(made.compressed(), np.floor(want[~made.mask] + 0.5).astype(dtype))
        for name in ("box", "stddev", "sum"):  # what is masked is not looked at
            bad = getattr(satfilter, name)(np.ma.masked_invalid(holed(picture("f8"))), 5, border="shrink")
            made = getattr(satfilter, name)(np.ma.array(picture("f8"), mask=HOLES), 5, border="shrink")
            self.assertEqual(bad.mask.tolist(), made.mask.tolist())
            np.testing.assert_array_equal(bad.compressed(), made.compressed())
        image = picture("i2")
        masked = np.ma.array(image, mask=HOLES)
        total = satfilter.sum(masked, 5, border="shrink")
        self.assertEqual(total.mask.tolist(), np.isnan(mean(image)).tolist())
        np.testing.assert_array_equal(total.compressed(), np.nansum(seen(holed(image)), (-2, -1))[~total.mask])
        self.assertEqual(satfilter.unsharp(masked, 5).mask.tolist(), HOLES.tolist())  # it looks at the pixel itself
        turned = satfilter.transpose(masked)
        self.assertEqual((turned.mask.tolist(), turned.data.tolist()), (HOLES.T.tolist(), image.T.tolist()))
        page = satfilter.sauvola(np.ma.array(picture("u1"), mask=HOLES), 5)
        self.assertEqual((page.dtype, page.mask.tolist()), (np.dtype("u1"), HOLES.tolist()))

    def alike(self, made, want, what):
        self.assertEqual((made.dtype, np.ma.getmaskarray(made).tolist()), (want.dtype, want.mask.tolist()), what)
        np.testing.assert_array_equal(made.compressed(), want.compressed(), what)

    def test_masked_chains(self):
        """Pixels that are moved keep their mask, and the mask has the result's shape."""
        window = "box=5,border=shrink"
        for dtype in REAL:
            image = picture(dtype) if np.dtype(dtype).itemsize < 4 else (picture(dtype) // 2**10).astype(dtype)
            masked = np.ma.array(image, mask=HOLES)
            box = satfilter.box(masked, 5, border="shrink")
            for words, moved in (("rotate=90", lambda a: np.rot90(a, -1)), ("transpose", np.transpose),
                                 ("flip=v", np.flipud), ("crop=9x8+3+2", lambda a: a[2:10, 3:12])):
                of = np.ma.array(moved(image), mask=moved(HOLES))
                self.alike(satfilter.filter(masked, f"{words} {window}"), satfilter.filter(of, window), words)
                want = np.ma.array(moved(box.data), mask=moved(box.mask))
                self.alike(satfilter.filter(masked, f"{window} {words}"), want, words)
                weights = ~HOLES * 1.0
                self.same(satfilter.filter(image, f"{words} {window}", weights=weights),
                          satfilter.filter(moved(image), window, weights=moved(weights)))
        image = picture("f8")
        cells, counts = (a.reshape(7, 3, 15, 2).swapaxes(1, 2).reshape(7, 15, 6) for a in (holed(image), ~HOLES))
        with np.errstate(invalid="ignore"):
            means, by = quiet(np.nanmean, cells, -1), counts.mean(-1)
            windows, shares = seen(means, 3), seen(by, 3)
            want = np.nansum(windows * shares, (-2, -1)) / np.nansum(shares, (-2, -1))
        made = satfilter.filter(np.ma.array(image, mask=HOLES), "resize=15x7! box=3,border=shrink")
        self.assertEqual(made.mask.tolist(), np.isnan(want).tolist())
        self.near(made.compressed(), want[~made.mask])
        far = np.ma.array(picture("u1", (90, 90)), mask=True)
        far[7, 8] = 3  # one of 900 weighs little, but not nothing
        made = satfilter.filter(far, "resize=3x3! rotate=180 box=1")
        self.assertEqual((made.compressed().tolist(), made[2, 2]), ([3], 3))

    def test_masked_filters(self):
        """The weights that a filter keeps count where nothing is masked."""
        masked, weights = np.ma.array(picture("f8"), mask=HOLES), RNG.random(SHAPE)
        for words in ("box=5", "rotate=90 box=5 flip=h"):
            self.alike(satfilter.filter(masked, satfilter.Filter(words).leaving_out(weights)),
                       satfilter.filter(masked, words, weights=weights), words)

    def test_masked_grey(self):
        image = picture("u1", (*SHAPE, 3))
        mask = np.zeros(image.shape, bool)
        mask[..., 2] = HOLES
        for words in ("grey", "grey flip=h flip=h", "flip=h grey flip=h", "sauvola=5 rotate=180 rotate=180"):
            made = satfilter.filter(np.ma.array(image, mask=mask), words, channel_axis=-1)
            self.assertEqual(made.mask.reshape(SHAPE).tolist(), HOLES.tolist(), words)

    def test_masked_colours(self):
        image = picture("u1", (2, *SHAPE, 3))
        mask = np.zeros(image.shape, bool)
        mask[..., 1] = HOLES  # one channel masks the pixel
        made = satfilter.box(np.ma.array(image, mask=mask), 5, border="shrink", channel_axis=-1)
        for n in range(2):
            for c in range(3):
                want = mean(image[n, ..., c])
                self.assertEqual(made.mask[n, ..., c].tolist(), np.isnan(want).tolist())
                np.testing.assert_array_equal(made[n, ..., c].compressed(), np.floor(want[~np.isnan(want)] + 0.5))
        alpha = np.ma.array(image[0], mask=mask[0])
        self.assertEqual(satfilter.box(alpha, 5, border="shrink", channel_axis=-1, alpha=True).mask[..., 0].tolist(),
                         made.mask[0, ..., 0].tolist())
        self.assertEqual(satfilter.grey(alpha, channel_axis=-1).mask.tolist(), HOLES.tolist())

    def test_scipy(self):
        """Of masked arrays the mean of what is not masked, over any axes."""
        for dtype in ("u1", "i2", "i4", "f8", "c16"):
            image = picture(dtype, (4, *SHAPE))
            mask = np.stack([HOLES, ~HOLES, HOLES | ~HOLES, HOLES])
            made = satfilter.ndimage.uniform_filter(np.ma.array(image, mask=mask), (3, 5, 5), mode="nearest")
            padded = np.pad(np.where(mask, np.nan, image), [(1, 1), (2, 2), (2, 2)], "edge")
            windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 5, 5))
            want = quiet(np.nanmean, windows, (-3, -2, -1))
            self.assertEqual((made.dtype, made.mask.tolist()), (image.dtype, np.isnan(want).tolist()), dtype)
            if image.dtype.kind in "iu":
                np.testing.assert_array_equal(made.compressed(), np.floor(want[~made.mask] + 0.5).astype(dtype), dtype)
            else:
                np.testing.assert_allclose(made.compressed(), want[~made.mask], 1e-12)
        line = np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[False, True, True, True])
        made = satfilter.ndimage.uniform_filter1d(line, 3, mode="constant", cval=7.0)
        self.assertEqual((made.tolist(), made.mask.tolist()), ([4.0, 1.0, None, 7.0], [False, False, True, False]))

    def test_filters(self):
        """One that leaves out pixels keeps these for every call, pickled or not."""
        image = np.where(HOLES, np.nan, picture("f8"))
        want = satfilter.box(image, 5, nan_policy="omit", weights=picture("u1"))
        for f in (satfilter.Filter("box=5"), satfilter.Filter.of("box", size=5)):
            omits = f.leaving_out(picture("u1"), "omit")
            self.assertNotEqual(f, omits)
            again = pickle.loads(pickle.dumps(omits))
            self.assertEqual(again, omits)
            np.testing.assert_array_equal(satfilter.filter(image, again), want)
            np.testing.assert_array_equal(satfilter.Plan(omits, image)(image), want)
            self.assertTrue(np.isnan(satfilter.filter(image, f)).sum() > HOLES.sum())
        path = self.folder() / "weights.png"
        satfilter.write(path, picture("u1"))
        self.same(satfilter.box(image, 5, nan_policy="omit", weights=path), want)
        mean, deviation = satfilter.moments(image, 5, border="shrink", nan_policy="omit")
        self.near(mean, quiet(np.nanmean, seen(image), (-2, -1)))
        self.near(deviation, quiet(np.nanstd, seen(image), (-2, -1)), 1e-7)

    def test_files(self):
        place, image = self.folder(), picture("u1")
        satfilter.write(place / "a.png", image)
        image[image == 0] = 1
        image[HOLES] = 0
        satfilter.write(place / "a.png", image)
        satfilter.filter_file("box=5", place / "a.png", place / "b.png", nodata=0)
        self.same(satfilter.read(place / "b.png"), satfilter.box(image, 5, nodata=0))
        satfilter.filter_file("box=5", place / "a.png", place / "b.png", weights=~HOLES)
        self.same(satfilter.read(place / "b.png"), satfilter.box(image, 5, weights=~HOLES))
        self.same(satfilter.Image(image).filter("box=5", nodata=0).array, satfilter.box(image, 5, nodata=0))

    def test_refused(self):
        self.refuse(TypeError, "a MaskedArray: a plan is for", satfilter.Plan, "box=3", np.ma.array(picture("i2")))
        self.refuse(TypeError, r"integers, too; take astype\('float64'\)$", satfilter.sum, picture("i2"), 3,
                    weights=picture("f4"))
        self.assertEqual(repr(satfilter.Filter("box=3").leaving_out(nan_policy="omit", nodata=7)),
                         "satfilter.Filter('box=3').leaving_out(nan_policy='omit', nodata=7.0)")
        image = picture("f8")
        self.refuse(ValueError, "nan_policy='raise': 'propagate' or 'omit'", satfilter.box, image, nan_policy="raise")
        self.refuse(TypeError, "nodata='x': a number", satfilter.box, image, nodata="x")
        self.refuse(ValueError, r"the weights are \(20, 30\)", satfilter.box, image, weights=np.ones((20, 30)))
        self.refuse(ValueError, r"weights: of shape \(H, W\), not \(30,\)", satfilter.box, image, weights=np.ones(30))
        self.refuse(ValueError, r"weights: of shape \(H, W\) or \(2, H, W\), not",
                    satfilter.box, picture("f8", (2, *SHAPE)),
                    weights=np.ones((3, *SHAPE)))
        self.refuse(TypeError, "weights: complex64 samples", satfilter.box, image, weights=image.astype("c8"))
        self.refuse(TypeError, "nan_policy", satfilter.transpose, image, nan_policy="omit")
        self.refuse((TypeError, satfilter.Error), "guided cannot leave out pixels", satfilter.guided,
                    np.ma.array(image, mask=HOLES))


if __name__ == "__main__":
    unittest.main()
