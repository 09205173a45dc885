"""Arrays are filtered where they lie: numpy's allocations say what was copied."""
import tracemalloc
import unittest

import numpy as np

import satfilter
from satfilter import _core, ndimage

SIDE = 1024
SMALL = 1 << 16  # bytes of Python's own objects


def peak(call):
    call()  # filters are made, plans are kept
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class ZeroCopy(unittest.TestCase):
    def setUp(self):
        self.big = np.random.default_rng(1).integers(0, 256, (2 * SIDE, 2 * SIDE), dtype="u1")

    def free(self, image, **named):
        """No memory for the image, nor for a result that has a place."""
        for spec in ("box=5", "variance=5"):
            out = satfilter.filter(image, spec, **named)
            self.assertLess(peak(lambda: satfilter.filter(image, spec, out=out, **named)), SMALL, spec)
            new = peak(lambda: satfilter.filter(image, spec, **named))
            self.assertLess(abs(new - out.nbytes), SMALL, spec)

    def test_layouts(self):
        big = self.big
        for image in (big, big[3:900, 5:1000], big[::-1], big[::2], big[:, ::3], big[::-2, 1::2],
                      big.reshape(4, SIDE, SIDE), big.reshape(2, 2, SIDE, SIDE)[:, ::-1],
                      big.reshape(4, SIDE, SIDE)[::-2]):
            self.free(image)
        for dtype in ("u2", "f4", "f8"):
            self.free(big[:SIDE].astype(dtype))

    def test_unaligned(self):
        """Doubles at odd addresses, in columns and in channels take the same results as new arrays."""
        image = self.big[:61, :73]
        for spec in ("sauvola=9,surface", "stddev=9", "normalize=9", "box=9"):
            want = satfilter.filter(image, spec, dtype="f8")
            memory = np.zeros(want.nbytes + 64, "u1")
            for offset in (0, 1, 4, 8):
                out = memory[offset:offset + want.nbytes].view("f8").reshape(want.shape)
                out[...] = np.nan
                satfilter.filter(image, spec, out=out)
                np.testing.assert_array_equal(out, want, f"{spec} {offset}")
            wide = np.full((61, 73, 3), np.nan)
            satfilter.filter(image, spec, out=wide[..., 1])
            np.testing.assert_array_equal(wide[..., 1], want)
            self.assertTrue(np.isnan(wide[..., ::2]).all())

    def test_axes_of_one(self):
        """Their strides mean nothing."""
        line = self.big.ravel()[: 1 << 18]
        for shape, strides in (((1, line.size), (0, 1)), ((1, line.size), (3, 1)), ((line.size, 1), (1, 0)),
                               ((line.size // 2, 1), (2, -5)), ((1, line.size // 3), (-7, 3))):
            self.free(np.lib.stride_tricks.as_strided(line, shape, strides))

    def test_channels(self):
        self.free(self.big.reshape(SIDE, SIDE, 4), channel_axis=-1)
        self.free(self.big.reshape(SIDE, SIDE, 4)[..., 1])
        self.free(self.big.reshape(SIDE, SIDE, 4)[..., :3], channel_axis=2)
        self.free(self.big.reshape(4, SIDE, SIDE), channel_axis=0)
        self.free(self.big.reshape(8, SIDE // 2, SIDE), channel_axis=0)

    def test_columns_first(self):
        image = np.asfortranarray(self.big)
        out = np.empty_like(image)
        self.assertTrue(out.flags.f_contiguous)
        self.assertLess(peak(lambda: satfilter.box(image, (5, 9), out=out)), SMALL)
        np.testing.assert_array_equal(out, satfilter.box(self.big, (5, 9)))

    def test_one_copy(self):
        size = SIDE * SIDE
        image, out = self.big[:SIDE, :SIDE], np.empty((SIDE, SIDE), "u1")
        strange = [image[:, ::-1], np.broadcast_to(image[0], (SIDE, SIDE)), out]
        for seen in strange:
            self.assertLess(abs(peak(lambda: satfilter.box(seen, 5, out=out)) - size), SMALL)
        swapped = image.astype(">u2")
        room = np.empty((SIDE, SIDE), "u2")
        self.assertLess(abs(peak(lambda: satfilter.box(swapped, 5, out=room)) - 2 * size), SMALL)

    def test_inputs_stay(self):
        before = self.big.copy()
        self.big.flags.writeable = False
        for spec in ("box=5", "sauvola=9", "guided=5", "integral", "flip=h"):
            satfilter.filter(self.big, spec)
        ndimage.uniform_filter(self.big, 5)
        self.big.flags.writeable = True
        np.testing.assert_array_equal(self.big, before)

    def test_names(self):
        image, out = self.big, np.empty_like(self.big)
        self.assertLess(peak(lambda: ndimage.uniform_filter(image, 5, out)), SMALL)
        self.assertLess(peak(lambda: ndimage.uniform_filter(image, (5, 4), out, mode="wrap")), SMALL)
        plan = satfilter.Plan("box=5", image)
        self.assertLess(peak(lambda: plan(image)), SMALL)
        self.assertIs(plan(image), plan.out)
        self.assertIs(plan(image, out), out)

    def test_stacks(self):
        """Each image once, whatever the axes in front."""
        stack = self.big.reshape(2, 2, SIDE, SIDE)
        for seen in (stack, stack[::-1], stack[:, ::-1], stack.swapaxes(0, 1), stack[:, None], stack[:, :1], stack[:1]):
            before = _core.calls()
            made = satfilter.box(seen, 3)
            self.assertEqual(_core.calls() - before, seen.size // SIDE**2)
            each = [satfilter.box(image, 3) for image in seen.reshape(-1, SIDE, SIDE)]
            np.testing.assert_array_equal(made, np.reshape(each, seen.shape))
            room = np.zeros((seen.shape[0], seen.shape[1] + 1, *seen.shape[2:]), "u1")
            self.assertIs(satfilter.box(seen, 3, out=room[:, :-1]).base, room)
            np.testing.assert_array_equal(room[:, :-1], made)
            self.assertFalse(room[:, -1].any())

    def test_pictures(self):
        """An array that was read is the library's memory, which it keeps."""
        data = satfilter.encode(self.big[:SIDE, :SIDE], "png")
        self.assertLess(peak(lambda: satfilter.read(data)), SMALL)
        array = satfilter.read(data)
        part = array[5:9, 7:20]
        del array
        np.testing.assert_array_equal(part, self.big[5:9, 7:20])
