"""Functions have the parameters and the documentation of the library's table."""
import builtins
import importlib.util
import inspect
import os
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

import satfilter
import satfilter.cv
import satfilter.filters
import satfilter.ndimage
import satfilter.zarr
from common import Case, picture
from satfilter import _core, _params



class Functions(Case):
    image = picture("u1", (40, 50))

    def test_signatures(self):
        for name, _, detail, _, params in _core.table():
            function = getattr(satfilter, name)
            named = inspect.signature(function).parameters
            with self.subTest(name):
                self.assertEqual(name in satfilter.__all__, name != "sum")
                self.assertEqual(list(named)[0], "image")
                self.assertGreaterEqual(set(named), {"image", "out", "dtype", "channel_axis"})
                files = {"file", "image"}
                self.assertGreaterEqual(set(named), {p[0] for p in params} - files)
                self.assertIn(" ".join(detail.split())[:60], " ".join(function.__doc__.split()))
                for heading in ("Parameters", "Returns"):
                    self.assertIn(heading, function.__doc__)

    def test_samples(self):
        """Images have the types that the documentation names."""
        needed = {"template": {"rects": [(0, 0, 1, 1, 1)]}, "permute": {"order": np.arange(2000)},
                  "by": {"other": self.image}, "crop": {"part": (5, 6)}, "varbox": {"map": self.image}}
        for name in satfilter.list_filters():
            function = getattr(satfilter, name)
            said = function.__doc__.split("Leading axes count images. ")[1].splitlines()[0]
            for kind in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "?"):
                wants = ("bool" in said if kind == "?" else kind[0] == "f" or
                         not ("a sign" in said and kind[0] == "i" or "32 bits" in said and kind[1] == "8"))
                with self.subTest(f"{name} of {kind}: {said}"):
                    try:
                        function((self.image // 3).astype(kind), **needed.get(name, {}))
                    except TypeError:
                        self.assertFalse(wants)
                    else:
                        self.assertTrue(wants)

    def test_defaults(self):
        """Defaults of the signature are those of the library."""
        for name, _, _, _, params in _core.table():
            if any(p[6] is None and p[8] for p in params):  # which has to be given
                continue
            value = next((p[6] for p in params if p[8]), None)
            spec = name if value is None else f"{name}={value}"
            with self.subTest(spec):
                np.testing.assert_array_equal(getattr(satfilter, name)(self.image), satfilter.filter(self.image, spec))

    def test_every_parameter_arrives(self):
        for spec, call in {
            "box=9x5,at=-2:1,border=wrap": lambda: satfilter.box(self.image, (5, 9), at=(1, -2), border="wrap"),
            "box=9,border=constant:3": lambda: satfilter.box(self.image, 9, border=3),
            "sauvola=15,k=0.2,r=100,invert": lambda: satfilter.sauvola(self.image, 15, k=0.2, r=100, invert=True),
            "unsharp=7,amount=2.5,threshold=4,full=200":
                lambda: satfilter.unsharp(self.image, 7, amount=2.5, threshold=4, full=200),
            "guided=7,eps=0.000001,amount=0.5": lambda: satfilter.guided(self.image, 7, eps=1e-6, amount=0.5),
            "rotate=270": lambda: satfilter.rotate(self.image, 270),
            "crop=7x9": lambda: satfilter.crop(self.image, (9, 7)),
            "crop=7x9+5+2": lambda: satfilter.crop(self.image, (2, 5, 9, 7)),
            "resize=20x10!": lambda: satfilter.resize(self.image, (10, 20)),
            "guided=7,noise=18": lambda: satfilter.guided(self.image, 7, noise=18),
            "flip=v": lambda: satfilter.flip(self.image, "v"),
            "integral,squared,zeros": lambda: satfilter.integral(self.image, squared=True, zeros=True),
        }.items():
            with self.subTest(spec):
                np.testing.assert_array_equal(call(), satfilter.filter(self.image, spec))

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_types(self):
        command = [sys.executable, "-m", "mypy", "--python-version", "3.12", "--cache-dir", os.devnull,
                   "--disable-error-code", "import-not-found", Path(satfilter.__file__).parent]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_kept_filters(self):
        """The number of OpenCV's border is no constant."""
        for border in (1, 2, 3, 4):
            satfilter.cv.blur(self.image, (5, 5), borderType=border)
            want = satfilter.filter(self.image, f"box=5,border=constant:{border}")
            np.testing.assert_array_equal(satfilter.box(self.image, (5, 5), border=border), want)

    def test_borders(self):
        """Words of numpy, scipy, OpenCV and torch that mean one thing; each is checked beside numpy's own padding."""
        image = np.random.default_rng(5).integers(0, 256, (12, 15)).astype("u1")
        words = {"clamp nearest edge replicate": "edge", "reflect symmetric grid-mirror": "symmetric",
                 "mirror reflect_101 reflect101": "reflect", "wrap grid-wrap circular periodic tile": "wrap",
                 "constant grid-constant zero zeros": "constant"}
        self.assertEqual(set(_params._BORDERS) - set(" ".join(words).split()), set())
        for names, pad in words.items():
            padded = np.pad(image, 3, mode=pad)
            want = satfilter.box(padded, 7)[3:-3, 3:-3]
            for name in names.split():
                np.testing.assert_array_equal(satfilter.box(image, 7, border=name), want, name)
                np.testing.assert_array_equal(satfilter.Filter.of("box", size=7, border=name).spec,
                                              satfilter.Filter.of("box", size=7, border=names.split()[0] if pad !=
                                                                  "constant" else 0).spec)
                mean, _ = satfilter.moments(image, 7, border=name)
                np.testing.assert_array_equal(np.floor(mean + 0.5), want, name)
        for name, both in (("repeat", "'clamp' .*'wrap'"), ("extend", "'clamp' .*'reflect'"),
                           ("reflection", "'reflect' .*'mirror'")):
            self.refuse(ValueError, f"border='{name}' has two meanings: {both}", satfilter.box, image, 7, border=name)

    def test_modules(self):
        """Modules come when they are named; what dir() lists can be had, and is meant for programs."""
        code = """
import sys, satfilter
for name in ("cv", "ndimage", "filters"):
    assert "satfilter." + name not in sys.modules, name
    assert name in dir(satfilter), name
    module = getattr(satfilter, name)
    assert module is sys.modules["satfilter." + name], name
    assert sorted(dir(module)) == sorted(module.__all__), name
sys.modules["dask"] = None
try:
    satfilter.dask
except AttributeError as error:
    assert "satfilter.dask: " in str(error) and "dask" in str(error), error
else:
    raise SystemExit("dask is missing, and satfilter.dask there")
del sys.modules["dask"]
for name in dir(satfilter):
    assert not name.startswith("_") or name == "__version__", name
    assert hasattr(satfilter, name), name
assert set(satfilter.__all__) | {"filter", "sum"} <= set(dir(satfilter))
assert not {"Any", "TYPE_CHECKING", "annotations", "importlib"} & set(dir(satfilter))
assert not hasattr(satfilter, "nothing")
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_names(self):
        self.assertEqual(satfilter.list_filters(), [row[0] for row in _core.table()])
        for name in satfilter.__all__:
            self.assertTrue(hasattr(satfilter, name), name)
        self.assertTrue(issubclass(satfilter.Error, Exception))

    def test_builtins(self):
        """`import *` hides none of Python's own functions."""
        for module in (satfilter, satfilter.cv, satfilter.filters, satfilter.ndimage, satfilter.zarr):
            names = {}
            exec(f"from {module.__name__} import *", names)
            self.assertFalse((set(dir(builtins)) & set(names)) - {"__builtins__", "__name__", "__doc__"}, module)
            self.assertIn("box" if module is satfilter else module.__all__[0], names)
