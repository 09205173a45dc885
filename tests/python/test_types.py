"""Every type of samples by every kind of filter: values, types, and what is refused."""
import numpy as np

import reference
import satfilter
from common import FLOATS, LARGE, REAL, SIGNED, UNSIGNED, Case, picture, saturated
from satfilter import _core


class Types(Case):
    def test_box(self):
        for dtype in UNSIGNED + SIGNED + LARGE:
            image = picture(dtype)
            for size in (1, 4, (3, 6)):
                want = reference.rounded_mean(image, size)
                self.same(satfilter.box(image, size), want, dtype, (dtype, size))
                mean = reference.true_mean(image, size)
                self.same(satfilter.box(image, size, dtype="f8"), mean, "f8", (dtype, size),
                          0 if dtype in UNSIGNED else 1e-15)
        for dtype, tolerance in (("f2", 2**-11), ("f4", 2**-24), ("f8", 1e-14), ("c8", 2**-23), ("c16", 1e-14)):
            image = picture(dtype)
            self.same(satfilter.box(image, 5), reference.true_mean(image, 5), dtype, dtype, tolerance)
        image = picture("?")
        self.same(satfilter.box(image, 5), reference.true_mean(image, 5), "f8", "bool")

    def test_shifted(self):
        """unsharp of signed samples: that of unsigned ones, a constant lower."""
        for dtype, unsigned in zip(SIGNED, UNSIGNED):
            image = picture(dtype)
            sign = np.array(1 << (image.itemsize * 8 - 1), unsigned)
            want = (satfilter.unsharp(image.view(unsigned) ^ sign, 5) ^ sign).view(dtype)
            self.same(satfilter.unsharp(image, 5), want, dtype, dtype)

    def test_like_the_image(self):
        for dtype in ["f2", "i4", "u4"] + FLOATS + SIGNED:
            for name in ("unsharp", "guided"):
                self.assertEqual(getattr(satfilter, name)(picture(dtype), 5).dtype, np.dtype(dtype), (name, dtype))
        for name in ("unsharp", "guided"):
            self.assertEqual(getattr(satfilter, name)(picture("?"), 5).dtype, np.dtype("f8"), name)
        image = picture("i4")
        mean = reference.true_mean(image, 5)
        want = 2 * image.astype("f8") - mean
        self.same(satfilter.unsharp(image, 5), saturated(want, "i4"), "i4", "unsharp")

    def test_guides(self):
        """Of every type: what float64 makes of both, with the full scale of the type."""
        for dtype in ["u4", "i4", "f2", "?"] + SIGNED:
            image, guide = picture(dtype), picture(dtype, seed=2)
            full = 1 if image.dtype.kind in "fb" else np.iinfo(dtype).max
            made = satfilter.guided(image, 5, guide=guide, eps=0.01)
            want = satfilter.guided(image.astype("f8"), 5, guide=guide.astype("f8"), eps=0.01 * min(full**2, 1e7))
            if full**2 > 1e7:  # eps cannot be that large: samples of a full scale of 1
                want = satfilter.guided(image / full, 5, guide=guide / full, eps=0.01) * full
            if dtype in SIGNED:
                want = saturated(want, dtype)
            self.same(made, want, "f8" if dtype == "?" else dtype, dtype, {"f2": 2**-10, "?": 1e-5}.get(dtype, 1e-9))
        for image, guide in (("i2", "i4"), ("u1", "f8"), ("u4", "u2")):
            with self.assertRaisesRegex(ValueError, "second image", msg=(image, guide)):
                satfilter.guided(picture(image), 5, guide=picture(guide))
        for image, guide in (("u1", "i1"), ("u2", "?"), ("f4", "f8")):
            f = satfilter.Filter.of("guided", size=5, guide=picture(guide), colour=True)
            for call in (lambda: satfilter.filter(picture(image), f), lambda: satfilter.Plan(f, picture(image)),
                         lambda: satfilter.filter(picture(image), f, dtype="f8")):
                with self.assertRaisesRegex(ValueError, f"second image is .* of {np.dtype(guide)};",
                                            msg=(image, guide)):
                    call()

    def test_guides_of_other_types(self):
        """RGB guides of colour, and maps: of every type for images of every type."""
        for dtype in REAL + ["?"]:
            image = picture(dtype)
            low = image.astype("f8") if image.itemsize == 8 else image if image.dtype.kind in "fb" else image // 2
            for other in REAL + ["?"]:
                if dtype != other or dtype not in SIGNED:
                    small = np.random.default_rng(3).integers(0, 5, (21, 30)).astype(other)
                    want = satfilter.varbox(image, small.astype("f8"))
                    self.same(satfilter.varbox(image, small), want, want.dtype, (dtype, other))
                guide = picture(other, (21, 30, 3), 2)
                full = float(np.iinfo(guide.dtype).max) if guide.dtype.kind in "iu" else 1
                made = satfilter.guided(low, 5, guide=guide, colour=True)
                want = satfilter.guided(low, 5, guide=guide / full, colour=True)
                off, most = (np.abs(a.astype("f8")).max() for a in (made.astype("f8") - want, want))
                self.assertLessEqual(off, (1e-5 if dtype == "?" else 1e-9) * most + (low.dtype.kind in "iu"),
                                     (dtype, other))

    def test_scales(self):
        """White is white: of raw frames of one type full= is for both, other_full and guide_full for the other."""
        raw, dark = picture("u2") & 4095, picture("u2", seed=2) & 255
        less = raw.astype("i8") - dark
        for named in ({}, {"full": 4095}, {"full": 4095, "other_full": 4095}, {"full": 255, "other_full": 255}):
            want = less.clip(0, named.get("full", 65535)).astype("u2")
            self.same(satfilter.by(raw, dark, op="sub", **named), want, "u2", named)
        want = np.floor(raw + dark * (65535 / 4095) + 0.5).clip(0, 65535).astype("u2")
        self.same(satfilter.by(raw, dark, other_full=4095), want, "u2", "other_full")
        tiny = (dark / 255).astype("f4")
        self.same(satfilter.by(raw, tiny, full=4095, other_full=1, dtype="f8"), raw + tiny.astype("f8") * 4095,
                  "f8", "floats", 1e-15)
        want = satfilter.guided(raw / 4095, 5, guide=dark / 4095, eps=0.02)
        for dtype in ("u2", "f8", "i2", "u4", "i4"):
            named = {"full": 4095} if dtype in ("u2", "f8") else {"full": 4095, "guide_full": 4095}
            made = satfilter.guided(raw.astype(dtype), 5, guide=dark.astype(dtype), eps=0.02, **named)
            self.assertLess(np.abs(made / 4095 - want).max(), 0.6 / 4095, dtype)
            named = {"full": 4095, "guide_full": 255}
            made = satfilter.guided(raw.astype(dtype), 5, guide=dark.astype(dtype), eps=0.02, **named)
            other = satfilter.guided(raw / 4095, 5, guide=dark / 255, eps=0.02)
            self.assertLess(np.abs(made / 4095 - other).max(), 0.6 / 4095, dtype)

    def test_otsu(self):
        """Of signed integers as of unsigned ones; of floats the upper edge of a bin of 256."""
        for dtype, unsigned in (("i1", "u1"), ("i2", "u2")):
            image, sign = picture(dtype), 1 << 8 * np.dtype(dtype).itemsize - 1
            raised = image.view(unsigned) ^ np.dtype(unsigned).type(sign)
            self.same(satfilter.threshold(image, "otsu"), satfilter.threshold(raised, "otsu"), "u1", dtype)
            level = satfilter.threshold(raised, "otsu", surface=True) - sign
            self.same(satfilter.threshold(image, "otsu", surface=True), level, "f8", dtype)
        for dtype in ("f2", "f4", "f8"):
            image = np.where(picture("?"), picture(dtype), picture(dtype, seed=2) * 3 - 900).astype(dtype)
            image[3, 4], image[5, 6] = np.nan, np.inf
            level = satfilter.threshold(image, "otsu", surface=True, dtype="f8")[0, 0]
            self.same(satfilter.threshold(image, "otsu"), np.where(image > level, 255, 0).astype("u1"), "u1", dtype)
            seen = image[np.isfinite(image)].astype("f8")
            counts, edges = np.histogram(seen, 256)
            below, sums = counts.cumsum()[:-1], (counts * np.arange(256)).cumsum()
            with np.errstate(invalid="ignore", divide="ignore"):
                merits = (sums[-1] / seen.size * below - sums[:-1]) ** 2 / (below * (seen.size - below))
            self.assertAlmostEqual(level, edges[1 + np.nanargmax(merits)], delta=1e-9 * np.ptp(seen), msg=dtype)

    def test_levels(self):
        """Of floats any number; of integers the message says which."""
        image = picture("f8") * 1000
        self.same(satfilter.threshold(image, 1e5), np.where(image > 1e5, 255, 0).astype("u1"), "u1", "level")
        self.assertTrue((satfilter.threshold(-image, -1e9) == 255).all())
        with self.assertRaisesRegex(ValueError, "level = 300 of threshold: 0 to 255 are possible for uint8 samples"):
            satfilter.threshold(picture("u1"), 300)

    def test_variance(self):
        for dtype in UNSIGNED + SIGNED:
            want = reference.variance(picture(dtype), (4, 5))
            self.same(satfilter.variance(picture(dtype), (4, 5)), want, "f8", dtype, 1e-15)
            self.same(satfilter.stddev(picture(dtype), (4, 5)), np.sqrt(want), "f8", dtype, 1e-15)
        for dtype in LARGE + FLOATS:
            want = reference.variance(picture(dtype), (4, 5))
            self.same(satfilter.variance(picture(dtype), (4, 5)), want, "f8", dtype, 1e-12)
        self.same(satfilter.variance(picture("?"), 5), reference.variance(picture("?"), 5), "f8", "bool", 1e-15)
        self.same(satfilter.variance(picture("f2"), 5), reference.variance(picture("f2"), 5), "f8", "f2", 1e-6)

    def test_template(self):
        rects = [(-1, -2, 3, 4, 2.0), (0, 0, 2, 1, -1.5)]
        for dtype in REAL + ["?"]:
            image = picture(dtype)
            wide = image.astype("f8")
            want = (2 * reference.windows(wide, (3, 4)).sum((-2, -1))
                    - 1.5 * reference.windows(wide, (2, 1), at=(1, 0)).sum((-2, -1)))
            self.same(satfilter.template(image, rects), want, "f8", dtype, 1e-6)
        image = picture("c16")
        want = satfilter.template(image.real.copy(), rects) + 1j * satfilter.template(image.imag.copy(), rects)
        self.same(satfilter.template(image, rects), want, "c16", "complex", 1e-14)

    def test_sum(self):
        types = {"u1": "u4", "u2": "u4", "i1": "i4", "i2": "i4", "u4": "u8", "i4": "i8", "u8": "u8", "i8": "i8",
                 "?": "u4"}
        for dtype, result in types.items():
            self.same(satfilter.sum(picture(dtype), (4, 5)), reference.sums(picture(dtype), (4, 5)), result, dtype)
        self.same(satfilter.sum(picture("u2"), 300), reference.sums(picture("u2"), 300), "u8", "more than 2**32")
        for dtype, result in {"f2": "f8", "f4": "f8", "f8": "f8", "c8": "c8", "c16": "c16"}.items():
            want = reference.sums(picture(dtype), (4, 5))
            self.same(satfilter.sum(picture(dtype), (4, 5)), want, result, dtype, 1e-6)

    def test_sauvola(self):
        for dtype in UNSIGNED + ["f2", "u4"] + FLOATS:
            image = picture(dtype)
            r = 128 if image.dtype.kind == "f" else 128 * (2 ** (8 * image.itemsize) - 1) / 255
            limit = reference.threshold(image, 7, 0.34, r)
            clear = np.abs(image - limit) > 1e-9 * np.abs(limit)
            made = satfilter.sauvola(image, 7)
            self.same(made * clear, np.where(image > limit, 255, 0) * clear, "u1", dtype)
            surface = satfilter.sauvola(image, 7, surface=True)
            self.same(surface, limit, "f8", dtype, 1e-6)
        for dtype in SIGNED:
            self.refuse(TypeError, f"and {np.dtype(dtype)} samples may be less: add an offset", satfilter.sauvola,
                        picture(dtype), 7)

    def test_integral(self):
        types = {"u1": "u4", "u2": "u4", "?": "u4", "u4": "u8", "u8": "u8", "i1": "i4", "i2": "i4", "i4": "i8",
                 "i8": "i8", "f2": "f8", "f4": "f8", "f8": "f8"}
        squares = {**types, "u2": "u8", "i1": "u4", "i2": "u8", "i4": "u8", "i8": "u8"}
        for dtype in types:
            image = picture(dtype) // 2**18 if np.dtype(dtype).itemsize > 2 and dtype in LARGE else picture(dtype)
            wide = image.astype("f8" if image.dtype.kind == "f" else "i8")
            tolerance = 1e-6 if image.dtype.kind == "f" else 0
            for squared, kind in ((False, types[dtype]), (True, squares[dtype])):
                if squared and image.itemsize == 8 and image.dtype.kind in "iu":
                    self.refuse(TypeError, f"integral of {image.dtype} samples: sums of 630 of them",
                                satfilter.integral, image, squared=True)
                    continue
                want = (wide * wide if squared else wide).cumsum(0).cumsum(1)
                made = satfilter.integral(image, squared=squared)
                self.same(made, want, kind, dtype, tolerance)
                padded = satfilter.integral(image, squared=squared, zeros=True)
                self.assertFalse(padded[0].any() or padded[:, 0].any())
                self.same(padded[1:, 1:], made, kind, dtype)

    def test_moves(self):
        for dtype in REAL + ["?", "c8", "c16"]:
            image = picture(dtype)
            self.same(satfilter.transpose(image), image.T, dtype, dtype)
            self.same(satfilter.flip(image, "v"), image[::-1], dtype, dtype)
            self.same(satfilter.rotate(image), np.rot90(image, -1), dtype, dtype)
            order = np.random.default_rng(3).permutation(image.size)
            self.same(satfilter.permute(image, order), image.ravel()[order].reshape(image.shape), dtype, dtype)

    def test_by(self):
        for dtype in UNSIGNED + SIGNED + LARGE + FLOATS:
            image = picture(dtype) // 3
            other = (np.arange(image.size) % 7).astype(dtype).reshape(image.shape)
            made = satfilter.by(image.astype("f8"), other, op="add")
            self.same(made, image.astype("f8") + other.astype("f8"), "f8", dtype)

    def test_results(self):
        """dtype and out take other types: integers halves up and saturated, floats unrounded."""
        for source in ("u2", "i1", "i4", "f2", "f8", "?"):
            image = picture(source)
            mean = reference.true_mean(image, 4)
            for dtype in REAL:
                is_float = np.dtype(dtype).kind == "f"
                out = np.empty(image.shape, dtype)
                with np.errstate(over="ignore"):
                    want, made = mean.astype(dtype), satfilter.box(image, 4, dtype=dtype)
                    self.assertIs(satfilter.box(image, 4, out=out), out)
                for one in (made, out):
                    self.same(one, want if is_float else saturated(mean, dtype), dtype, (source, dtype),
                              1e-6 if is_float and source != "u2" else 0)

    def test_halves(self):
        """The half below one half, and odd numbers that half cannot be added to."""
        samples = np.array([[0.49999999999999994, -0.5, 2.5, 2.0**52 + 1, 2.0**63, -2.0**63]])
        made = satfilter.box(samples, 1, dtype="i8")
        self.assertEqual(made.tolist(), [[0, 0, 3, 2**52 + 1, 2**63 - 1, -2**63]])

    def test_overlaps(self):
        for dtype in ("u1", "u2", "i2", "i4", "f2", "f8", "c8"):
            image = picture(dtype, (4, 21, 30))
            want = satfilter.box(image, 5)
            for part in (0, 1):  # the image itself; the next image
                room = np.concatenate([image, image[:1]])
                out = room[part:part + 4]
                self.assertIs(satfilter.box(room[:4], 5, out=out), out)
                np.testing.assert_array_equal(out, want, str((dtype, part)))

    def test_large(self):
        """Integers of 32 and 64 bits: exact up to 2^53 by the samples that occur, refused above."""
        rng = np.random.default_rng(4)
        for dtype in LARGE:
            info = np.iinfo(dtype)
            low, high = max(info.min, -2**48), min(info.max, 2**48)
            for least, most in ((0, 65535), (7, 60000), (low, low + 65536), (high - 65536, high), (low, high)):
                image = rng.integers(least, most, (2, 21, 30), dtype, endpoint=True)
                want = reference.rounded_mean(image, (3, 4))
                self.same(satfilter.box(image, (3, 4)), want, dtype, (dtype, least))
                out = np.zeros(image.shape, dtype)
                self.assertIs(satfilter.box(image, (3, 4), out=out), out)
                self.same(out, want, dtype, (dtype, least))
                self.same(satfilter.variance(image, 5), reference.variance(image, 5), "f8", (dtype, least), 1e-12)
                self.same(satfilter.box(image, 5, dtype="f8"), reference.true_mean(image, 5), "f8", (dtype, least),
                          1e-15)
            self.same(satfilter.box(image, 3, border=300), reference.rounded_mean(image, 3, 300), dtype, dtype)
            if image.itemsize == 8:
                image[1, 2, 3] = info.max
                for call in (satfilter.box, satfilter.sum):
                    self.refuse(TypeError, f"of {image.dtype} samples: sums of 9 of them, of up to 9?1?[0-9]{{15,}}, "
                                r"pass 2\^53", call, image, 3)
                self.refuse(TypeError, r"astype\('float64'\) rounds them", satfilter.unsharp, image // 2**20, 3)

    def test_memmaps(self):
        """Files take results of every way there is to them."""
        folder = self.folder()
        for dtype in ("u1", "i2", "i4", "f2"):
            image = picture(dtype, (21, 30, 3))
            out = np.memmap(folder / dtype, dtype, "w+", shape=image.shape)
            self.assertIs(satfilter.box(image, 5, channel_axis=-1, out=out), out)
            want = satfilter.box(image, 5, channel_axis=-1)
            np.testing.assert_array_equal(np.memmap(folder / dtype, dtype, "r", shape=image.shape), want)

    def test_refused(self):
        for name in (row[0] for row in _core.table() if {"size", "surface"} <= {p[0] for p in row[4]}):
            for dtype in ("?", "c8", "c16"):
                with self.assertRaisesRegex(TypeError, "samples", msg=(name, dtype)):
                    getattr(satfilter, name)(picture(dtype), 5)
        for name in ("variance", "stddev", "unsharp", "guided", "normalize"):
            with self.assertRaisesRegex(TypeError, "box, sum and template", msg=name):
                getattr(satfilter, name)(picture("c16"), 5)
        self.refuse(TypeError, "box, sum and template", satfilter.integral, picture("c8"))
        for dtype in ("?", "M8[s]", "O", "g", "c16"):
            with self.assertRaises(TypeError, msg=dtype):
                satfilter.box(picture("u1"), 3, dtype=dtype)
        self.assertRaises(TypeError, satfilter.box, picture("c16"), 3, dtype="f8")

    def test_not_finite(self):
        for bad in (np.nan, np.inf):
            image = picture("f8", (40, 50))
            image[20, 30] = bad
            self.assertEqual(np.count_nonzero(~np.isfinite(satfilter.box(image, 7))), 49)

    def test_borders(self):
        for dtype in ("u1", "i2", "i4", "f8"):
            image = picture(dtype)
            for border in ("clamp", "mirror", "reflect", "wrap", 7):
                for at in ((0, 0), (1, -2)):
                    made = satfilter.box(image, (4, 5), border=border, at=at)
                    mean = reference.true_mean if dtype == "f8" else reference.rounded_mean
                    self.same(made, mean(image, (4, 5), border, at), dtype, (dtype, border, at),
                              1e-14 * (dtype == "f8"))
        for dtype in ("u1", "i4"):
            image = picture(dtype)
            for size in (3, (3, 5)):
                want = reference.rounded_mean(image, size)
                want = want[1:-1, 1:-1] if size == 3 else want[1:-1, 2:-2]
                self.same(satfilter.box(image, size, border="valid"), want, dtype, "valid")
            inside = reference.sums(np.ones_like(image), 5, 0)
            want = np.floor(reference.sums(image, 5, 0) / inside + 0.5)
            self.same(satfilter.box(image, 5, border="shrink"), want, dtype, "shrink")
