"""Random shapes, strides, types and filters: views give what plain copies of them give."""
import unittest

import numpy as np

import satfilter

try:
    from hypothesis import given, settings, strategies as st
except ImportError:
    st = None

FILTERS = ["box=%d", "box=%dx4", "box=%d,at=1:0", "sum=%d", "variance=%d", "stddev=%d,border=mirror", "unsharp=%d",
           "sauvola=%d", "wolf=%d", "guided=%d", "box=%d,border=wrap", "box=%d,border=shrink", "normalize=%dx3",
           "integral", "flip=v", "transpose", "box=3 variance=%d"]
TYPES = ["u1", "u2", "f4", "f8", "i2", "i1", "?", "i4", "f2", ">u2", ">f8"]


@unittest.skipUnless(st, "hypothesis is not installed")
class Property(unittest.TestCase):
    def test_views(self):
        @st.composite
        def views(draw):
            shape = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(0, 2)))]
            shape += [draw(st.integers(3, 40)), draw(st.integers(3, 40))]
            steps = [draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in shape]
            base = [n * abs(s) + draw(st.integers(0, 3)) for n, s in zip(shape, steps)]
            rng = np.random.default_rng(draw(st.integers(0, 2**32)))
            array = (rng.random(base) * 250).astype(draw(st.sampled_from(TYPES)))
            cut = tuple(slice(None, n * s, s) if s > 0 else slice(n * -s - 1, None, s) for n, s in zip(shape, steps))
            view = array[cut][tuple(slice(0, n) for n in shape)]
            return view.swapaxes(-1, -2) if draw(st.booleans()) else view

        @settings(max_examples=500, deadline=None, database=None)
        @given(views(), st.sampled_from(FILTERS), st.integers(3, 30), st.booleans())
        def check(view, spec, size, into):
            spec = spec % size if "%" in spec else spec
            before = view.copy()
            if view.dtype.kind in "bi" and spec.startswith(("sauvola", "wolf")):  # which are refused
                return
            plain = satfilter.filter(np.array(view, order="C"), spec)
            made = satfilter.filter(view, spec)
            self.assertEqual(made.dtype, plain.dtype)
            np.testing.assert_array_equal(made, plain, spec)
            np.testing.assert_array_equal(view, before)
            each = [satfilter.filter(np.array(image, order="C"), spec) for image in
                    before.reshape((-1,) + view.shape[-2:])]
            np.testing.assert_array_equal(np.stack(each).reshape(plain.shape), plain, spec)
            if into:
                room = np.zeros([2 * n for n in plain.shape], plain.dtype)
                out = room[tuple(slice(None, None, -2) for _ in plain.shape)]
                self.assertIs(satfilter.filter(view, spec, out=out), out)
                np.testing.assert_array_equal(out, plain, spec)
                self.assertFalse(room[..., ::2].any())

        check()

    def test_channels(self):
        @settings(max_examples=200, deadline=None, database=None)
        @given(st.integers(1, 7), st.integers(0, 2), st.sampled_from(["u1", "u2", "f4", "i2", "?", "f2", "i4"]),
               st.sampled_from(["box=5", "variance=3x5", "guided=5", "integral", "transpose", "flip=h"]),
               st.integers(0, 99))
        def check(count, axis, dtype, spec, seed):
            planes = (np.random.default_rng(seed).random((count, 12, 17)) * 250).astype(dtype)
            image = np.moveaxis(planes, 0, axis)
            want = np.moveaxis(satfilter.filter(planes, spec), 0, axis)
            for seen in (image, np.ascontiguousarray(image)):
                made = satfilter.filter(seen, spec, channel_axis=axis)
                self.assertEqual(made.dtype, want.dtype)
                np.testing.assert_array_equal(made, want)
                out = np.empty(want.shape, want.dtype)
                self.assertIs(satfilter.filter(seen, spec, channel_axis=axis, out=out), out)
                np.testing.assert_array_equal(out, want)

        check()
