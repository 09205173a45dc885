"""What the tests share: places, modules that may be missing, pictures, and how results are compared."""
import importlib
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(os.environ.get("top_srcdir", Path(__file__).resolve().parents[2])).resolve()
COMMAND = Path(os.environ.get("top_builddir", ROOT)).resolve() / "satfilter"
UNSIGNED, SIGNED = ["u1", "u2"], ["i1", "i2"]
LARGE = ["u4", "i4", "u8", "i8"]
FLOATS = ["f4", "f8"]
REAL = UNSIGNED + SIGNED + LARGE + ["f2"] + FLOATS
BORDERS = ("clamp", "mirror", "reflect", "wrap", "constant:7", "shrink", "valid")


def optional(name):
    """The module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def picture(dtype, shape=(21, 30), seed=1):
    rng, t = np.random.default_rng(seed), np.dtype(dtype)
    if t.kind == "b":
        return rng.random(shape) < 0.4
    if t.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(t)
    if t.kind == "f":
        return (rng.standard_normal(shape) * 50 + 100).astype(t)
    info = np.iinfo(t)
    return rng.integers(max(info.min, -2**44), min(info.max, 2**44), shape, dtype=t, endpoint=True)


def saturated(values, dtype):
    """Numbers as integers of that type: halves up."""
    info = np.iinfo(dtype)
    return np.floor(values + 0.5).clip(info.min, info.max).astype(dtype)


class Case(unittest.TestCase):
    def folder(self):
        return Path(self.enterContext(tempfile.TemporaryDirectory()))

    def same(self, made, want, dtype=None, what="", tolerance=0.0):
        """Of one type and shape, and of the same samples; or no further off than that part of the greatest."""
        self.assertEqual((made.dtype, made.shape), (np.dtype(dtype or want.dtype), want.shape), what)
        if tolerance:
            with np.errstate(invalid="ignore"):
                off = np.where(made == want, 0, np.abs(made.astype("c16") - want)).max(initial=0)
            self.assertLessEqual(off, tolerance * np.abs(want[np.isfinite(want)]).max(initial=0), what)
        else:
            np.testing.assert_array_equal(made, want, str(what))

    def alike(self, modules, call, far=0.0, what="", rtol=0.0):
        """What call(module) makes of both modules, of which it returns the first one's: of one type and shape, and no
        further apart."""
        made, want = map(call, modules)
        self.assertEqual((made.dtype, made.shape), (want.dtype, want.shape), what)
        np.testing.assert_allclose(made.astype("f8"), want.astype("f8"), rtol, far, err_msg=str(what))
        return made

    def refuse(self, error, text, call, *args, **named):
        with self.assertRaisesRegex(error, text):
            call(*args, **named)
