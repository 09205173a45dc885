"""What holds for all that works by blocks: the results of whole images."""
import itertools

import numpy as np

import satfilter
from common import BORDERS, picture


class Blocks:
    """filter(image, spec, chunks, dtype=None, **options) and table(image, chunks, dtype=None, **options) work by blocks
    of so many rows and columns, of which chunks has some of 60 x 71."""

    def check(self, image, spec, chunks, tolerance=0.0, dtype=None, **options):
        want = satfilter.filter(image, spec, dtype=dtype, **options)
        self.same(self.filter(image, spec, chunks, dtype, **options), want,
                  what=f"{image.dtype} {spec} {chunks} {options}", tolerance=tolerance)

    def check_table(self, image, chunks, dtype=None, **options):
        want = satfilter.integral(image, dtype=dtype, **options)
        self.same(self.table(image, chunks, dtype, **options), want, what=f"{image.dtype} {chunks} {options}",
                  tolerance={"f4": 1e-6, "f8": 1e-13}.get(want.dtype.str[1:], 0))

    def test_borders(self):
        """Windows with and without a middle, off the pixel, up to larger than blocks and than the image."""
        image = picture("u1", (60, 71))
        windows = ("box=9", "box=4x7,at=1:-2", "box=1x15", "box=33", "box=6,at=-2:3", "unsharp=5", "guided=7",
                   "sauvola=15", "stddev=8x3", "normalize=9,full=200", "box=3 box=4x5,at=0:1")
        for words, border, chunks in itertools.product(windows, BORDERS, self.chunks):
            self.check(image, " ".join(f"{word},border={border}" for word in words.split()), chunks)
        for border, chunks in itertools.product(BORDERS[:-1], self.chunks):
            self.check(image, f"box=201x173,border={border}", chunks)
        for border in BORDERS[:-1]:
            self.check(image[:9, :9], f"box=4x7,at=1:-2,border={border}", (1, 1))
        for spec in ("box=9,border=valid box=7,border=mirror sum=4", "box=3,border=reflect sum=4x6,border=valid",
                     "box=9,border=constant:9 stddev=5", "real box=9,border=wrap sauvola=6,border=wrap"):
            for chunks in self.chunks:
                self.check(picture("u2", (60, 71)), spec, chunks)

    def test_types(self):
        rects = [(-1, -7, 3, 4, 2), (0, 0, 2, 9, -1)]
        for dtype in ("?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c16", ">u2"):
            image = picture(dtype.lstrip(">"), (40, 50)).astype(dtype)
            for spec in ("box=7,border=mirror", "sum=5,border=mirror", satfilter.Filter.of("template", rects=rects)):
                rounds = image.dtype.kind in "bfc" or isinstance(spec, satfilter.Filter)
                self.check(image, spec, (17, 11), 2**-20 if rounds else 0)
        for dtype in ("f8", "i2", "f4"):
            self.check(picture("u1", (40, 50)), "box=6", (13, 50), dtype=dtype)

    def test_axes(self):
        stack = picture("u1", (2, 3, 30, 40))
        self.check(stack, "box=9,border=valid", (11, 13))
        self.check(stack, "wolf=9", (30, 40))
        self.check_table(stack, (7, 13))
        for axis, shape in ((-1, (40, 30, 3)), (0, (3, 40, 30)), (1, (40, 3, 30))):
            image = picture("u2", shape)
            for spec in ("box=9", "sauvola=9", "unsharp=5,luma", "sauvola=9,border=valid", "sauvola=4,border=wrap"):
                self.check(image, spec, (11, 13), channel_axis=axis)
            self.check_table(image, (11, 13), channel_axis=axis)
        self.check(picture("u1", (40, 30, 4)), "box=7", (11, 13), channel_axis=-1, alpha=True)

    def test_tables(self):
        """Sums that do not fit saturate at the end alone: the type is the whole image's."""
        for dtype in ("?", "u1", "i1", "u2", "i2", "u4", "i4", "i8", "u8", "f2", "f4", "f8"):
            for squared, chunks in itertools.product((False, True), self.chunks):
                image = picture(dtype, (2, 60, 71))
                if image.dtype.kind in "iu" and image.itemsize > 2:  # sums below 2**53
                    image //= 2 ** (18 if image.itemsize == 4 else 30)
                self.check_table(image, chunks, squared=squared)
        for dtype in (None, "u4", "i4", "u8", "f4"):
            self.check_table(np.full((300, 300), 60000, "u2"), (100, 100), dtype)
