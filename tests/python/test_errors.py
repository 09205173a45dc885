"""What is refused, and in which words."""
import re
from pathlib import Path

import numpy as np

import satfilter
from common import Case

IMAGE = np.arange(600, dtype="u1").reshape(20, 30)


class Errors(Case):
    def test_parameters(self):
        self.refuse(ValueError, "size=0 of box", satfilter.box, IMAGE, 0)
        self.refuse(ValueError, "15.5", satfilter.box, IMAGE, 15.5)
        self.refuse(ValueError, r"\(rows, columns\)", satfilter.box, IMAGE, (1, 2, 3))
        self.refuse(ValueError, "nowhere", satfilter.box, IMAGE, 3, border="nowhere")
        self.refuse(ValueError, "border=300", satfilter.box, IMAGE, 3, border=300)
        self.refuse(ValueError, "k", satfilter.sauvola, IMAGE, 3, k=11)
        self.refuse(ValueError, "boxx", satfilter.filter, IMAGE, "boxx=3")
        self.refuse(ValueError, "90, 180, 270", satfilter.rotate, IMAGE, 45)
        self.refuse(TypeError, "", satfilter.box, IMAGE, 3, "clamp")
        self.refuse(TypeError, "no parameter", satfilter.Filter.of, "box", sighs=3)
        self.refuse(TypeError, "rects is missing", satfilter.Filter.of, "template")
        self.refuse(ValueError, "boxx", satfilter.Filter.of, "boxx")
        self.refuse(ValueError, r"'\\n ' names no filter", satfilter.filter, IMAGE, "\n ")
        self.refuse(ValueError, r"'\\u202ebox\\x1bé'", satfilter.filter, IMAGE, "\u202ebox\x1bé")
        for spec in (None, 3, ["box=3"], b"box=3", IMAGE):
            self.refuse(TypeError, f"a {type(spec).__name__}: filters are text", satfilter.filter, IMAGE, spec)
        for call in (lambda: satfilter.box(IMAGE, 15.0), lambda: satfilter.box(IMAGE, [3, 5]),
                     lambda: satfilter.box(IMAGE, np.int64(3)), lambda: satfilter.box(IMAGE, np.array([3, 5]))):
            self.assertEqual(call().shape, IMAGE.shape)

        self.refuse(ValueError, rf"\b{satfilter.list_filters()[-1]}$", satfilter.filter, IMAGE, "sharpen")
        self.refuse(TypeError, "^sauvola makes black and white, and bool samples are", satfilter.sauvola, IMAGE > 9)

    def test_shapes(self):
        for shape in ((0, 5), (5, 0), (3, 0, 5)):
            self.refuse(ValueError, "at least one row", satfilter.box, np.zeros(shape, "u1"), 3)
            self.refuse(ValueError, "at least one row", satfilter.box, np.zeros(shape, "i4"), 3)
        self.refuse(ValueError, r"this array has 1 axis; image\[None\] makes it a row", satfilter.box, np.zeros(5), 3)
        self.refuse(ValueError, "this array has", satfilter.box, np.zeros(5, "f8"), 3)
        self.refuse(ValueError, "this array has", satfilter.box, 7, 3)
        self.refuse(ValueError, "this array has", satfilter.box, IMAGE, 3, channel_axis=-1)
        self.refuse(ValueError, "channel_axis=3", satfilter.box, IMAGE, 3, channel_axis=3)
        self.refuse(ValueError, "channel_axis", satfilter.box, IMAGE, 3, alpha=True)
        for axis in (1.0, (1,), "1"):
            self.refuse(TypeError, "as an integer", satfilter.box, IMAGE, 3, channel_axis=axis)
        self.refuse(ValueError, "7 channels: sauvola", satfilter.sauvola, np.zeros((9, 9, 7), "u1"), 3, channel_axis=-1)
        self.refuse(ValueError, r"\(19, 30\)", satfilter.guided, IMAGE, 3, guide=IMAGE[1:])
        self.refuse(ValueError, "", satfilter.permute, IMAGE, [0, 1])
        for shape in ((0, 20, 30), (2, 0, 20, 30)):
            for dtype in ("u1", "i4", "f2"):
                self.assertEqual(satfilter.box(np.zeros(shape, dtype), 3).shape, shape)

    def test_channels(self):
        """Colours without channel_axis are refused, with both calls that may be meant; what can be a stack is not."""
        for shape in ((20, 30, 3), (20, 30, 2), (20, 30, 1), (5, 5, 4), (2, 20, 30, 3)):
            colours = np.zeros(shape, "u1")
            for call, name in ((lambda: satfilter.box(colours, 3), "box"), (lambda: satfilter.wolf(colours), "wolf"),
                               (lambda: satfilter.filter(colours, "box=3"), "filter"),
                               (lambda: satfilter.rotate(colours, 90), "rotate"),
                               (lambda: satfilter.box(colours.tolist(), 3), "box"),
                               (lambda: satfilter.moments(colours, 3), "moments"),
                               (lambda: satfilter.Plan("box=3", colours), "Plan"),
                               (lambda: satfilter.zarr.filter(colours, colours.copy(), "box=3"), "filter")):
                said = (f"an image of shape {shape}: {name}(image, ..., channel_axis=-1) if the last axis counts "
                        f"channels, {name}(image[..., None], ..., channel_axis=-1) if it counts columns")
                self.refuse(ValueError, re.escape(said), call)
        for shape in ((20, 3), (4, 20, 30), (4, 30, 3), (30, 4, 4), (20, 30, 5)):
            satfilter.box(np.zeros(shape, "u1"), 3)
        image = np.random.default_rng(3).integers(0, 256, (20, 30, 3)).astype("u1")
        planes = np.stack([satfilter.box(image[..., c], 3) for c in range(3)], axis=-1)
        np.testing.assert_array_equal(satfilter.box(image, 3, channel_axis=-1), planes)
        stack = np.stack([satfilter.box(one, 3) for one in image])
        np.testing.assert_array_equal(satfilter.box(image[..., None], 3, channel_axis=-1)[..., 0], stack)

    def test_out(self):
        self.refuse(ValueError, r"out has shape \(20, 29\), the result \(20, 30\)", satfilter.box, IMAGE, 3,
                    out=np.zeros((20, 29), "u1"))
        self.refuse(ValueError, "shape", satfilter.box, IMAGE.astype("i4"), 3, out=np.zeros((20, 29), "i4"))
        self.refuse(TypeError, "out is a list", satfilter.box, IMAGE, 3, out=[1])
        still = np.zeros((20, 30), "u1")
        still.flags.writeable = False
        for image in (IMAGE, IMAGE[:, ::-1], IMAGE.astype("i4")):
            self.refuse(ValueError, "out is read-only", satfilter.box, image, 3, out=still)
        self.refuse(ValueError, "out is read-only", satfilter.Plan("box=3", IMAGE), IMAGE, still)
        self.refuse(TypeError, "not datetime64", satfilter.box, IMAGE, 3, out=np.zeros((20, 30), "M8[s]"))
        self.refuse(ValueError, "out has uint8 samples, dtype is float64", satfilter.box, IMAGE, 3,
                    out=np.zeros((20, 30), "u1"), dtype="f8")

    def test_classes(self):
        self.refuse(TypeError, "filled", satfilter.rect_sums, np.ma.masked_array(IMAGE, IMAGE > 9), [(0, 0, 1, 1)])

        class Frame:  # as pandas has it
            __module__ = "pandas.core.frame"

            def __array__(self, dtype=None, copy=None):
                return IMAGE

        class Tensor:
            def __dlpack_device__(self):
                return (2, 0)

        self.refuse(TypeError, "to_numpy", satfilter.box, Frame(), 3)
        for image in (None, "x.png", b"x.png", Path("x.png"), object()):
            self.refuse(TypeError, f"a {type(image).__name__} is no array", satfilter.box, image, 3)
        self.refuse(TypeError, "device", satfilter.box, Tensor(), 3)
        matrix = np.asmatrix(IMAGE)
        self.assertIs(type(satfilter.box(matrix, 3)), np.ndarray)
        self.assertIs(type(satfilter.box(IMAGE.tolist(), 3)), np.ndarray)
        self.assertEqual(satfilter.box(memoryview(IMAGE), 3).dtype, IMAGE.dtype)

    def test_files(self):
        path = self.folder() / "x.png"
        self.refuse(FileNotFoundError, "x.png", satfilter.read, path)
        self.refuse(FileNotFoundError, "x.png", satfilter.probe, path)
        self.refuse(FileNotFoundError, "x.png", satfilter.box, IMAGE, 3, weights=path)
        self.refuse(TypeError, "^source is a list; give one path, .*; loop over several$", satfilter.read, [path])
        self.refuse(TypeError, "^target is a list; give one path, .*; loop over several$", satfilter.filter_file,
                    "box=3", path, [path])
        self.refuse(FileNotFoundError, "x.png", satfilter.filter_file, "box=3", path, path)
        self.refuse(OSError, "x.png", satfilter.write, path.parent / "none" / "x.png", IMAGE)
        path.write_bytes(b"\x89PNG\r\n\x1a\nnothing")
        self.refuse(ValueError, "x.png", satfilter.read, path)
        self.refuse(ValueError, "", satfilter.read, b"nothing at all")
        self.refuse(TypeError, "complex64", satfilter.write, "x.png", IMAGE.astype("c8"))
        self.refuse(ValueError, r"\(9,\)", satfilter.write, "x.png", np.zeros(9, "u1"))
        self.refuse(ValueError, "nonsense", satfilter.encode, IMAGE, "nonsense")
        self.refuse(ValueError, "quality", satfilter.encode, IMAGE, "jpeg", quality=101)

    def test_settings(self):
        for threads in (-1, 1025, 10**30):
            self.refuse(ValueError, "1 to 1024", satfilter.set_threads, threads)
        old = satfilter.set_threads(3)
        self.assertEqual(satfilter.set_threads(old), 3)

    def test_tables(self):
        table = satfilter.integral(IMAGE)
        self.refuse(ValueError, r"\(row, column, height, width\)", satfilter.rect_sums, table, [1, 2, 3])
        self.refuse(ValueError, "", satfilter.rect_sums, table, [(0, 0, 21, 1)])
        self.refuse(ValueError, "", satfilter.rect_sums, table, [(0, 0, 0, 1)])
        self.refuse(TypeError, "integers, not float64", satfilter.rect_sums, table, [(0.5, 0, 1, 1)])

    def test_plans(self):
        plan = satfilter.Plan("box=3", IMAGE)
        for other in (IMAGE[1:], IMAGE.astype("u2"), IMAGE[:, ::-1], np.asfortranarray(IMAGE)):
            self.refuse(ValueError, rf"the image is {other.dtype} of shape \({len(other)}, 30\) and strides .*; the "
                        "plan is for uint8", plan, other)
        hint = r"np.ascontiguousarray\(image\) makes one$"
        self.refuse(ValueError, hint, plan, IMAGE[:, ::-1])
        self.refuse(ValueError, "the image is", plan, IMAGE[1:], np.zeros((3, 3), "u1"))
        self.refuse(ValueError, r"out has shape \(3, 3\), the result \(20, 30\)", plan, IMAGE, np.zeros((3, 3), "u1"))
        for image in (IMAGE[1:], IMAGE.astype("u2")):
            with self.assertRaises(ValueError) as caught:
                plan(image)
            self.assertNotRegex(str(caught.exception), hint)
        self.refuse(TypeError, "integers and floats", satfilter.Plan, "box=3", IMAGE.astype("c8"))
        self.refuse(ValueError, "last axis", satfilter.Plan, "box=3", np.zeros((3, 9, 9), "u1"), channel_axis=0)
        self.refuse(ValueError, "axes", satfilter.Plan, "box=3", np.zeros((), "u1"), channel_axis=-1)
        self.refuse(TypeError, "complex64 samples: here a result is", satfilter.Plan, "box=3", IMAGE, dtype="c8")
        self.refuse(TypeError, "out is a list", satfilter.Plan, "box=3", IMAGE, out=[1])
        self.refuse(TypeError, "filters are text", satfilter.Filter, None)
        self.refuse(TypeError, "filters are text", satfilter.filter, IMAGE, ["box=3"])
