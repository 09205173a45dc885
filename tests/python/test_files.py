"""Files are the command's, byte for byte; pictures keep what their files say."""
import contextlib
import gzip
import io
import itertools
import os
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import unittest
import warnings
from concurrent import futures

import numpy as np

import satfilter
from common import COMMAND, ROOT, Case

SCENE = ROOT / "samples" / "scene.png"
EXIF = b"MM\0*\0\0\0\x08\0\x01\x01\x31\0\x02\0\0\0\x0b\0\0\0\x1a\0\0\0\0satfilter!\0"
PROFILE = (b"\0\0\0\xc8\0\0\0\0\2\0\0\0mntrGRAYXYZ ".ljust(36, b"\0") + b"acsp".ljust(32, b"\0")
           + b"\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d".ljust(64, b"\0") + np.random.default_rng(6).bytes(68))


def growth(before, code):
    """MiB that the code takes at its peak, in a process of its own."""
    text = ("import re, numpy as np, satfilter\n"
            "def peak():\n"
            "    return int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1024\n"
            f"{before}\nsatfilter.box(np.zeros((9, 9), 'u1'), 3)\nfirst = peak()\n{code}\nprint(peak() - first)\n")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return float(done.stdout)


class Files(Case):
    def setUp(self):
        self.place = self.folder()

    def test_the_commands_bytes(self):
        for spec, options, named, suffix in (
                ("box=15", [], {}, "png"), ("sauvola=31", [], {}, "png"), ("variance=7,border=mirror", [], {}, "npy"),
                ("box=5 stddev=7", ["--range", "auto"], {"range": "auto"}, "png"),
                ("stddev=7", ["--range", "2:60"], {"range": (2, 60)}, "png"), ("box=5", [], {"quality": 70}, "jpg"),
                ("transpose", [], {"png_level": 6}, "png"),
                ("resize=50%", ["--linear"], {"linear": True}, "png"), ("box=3", [], {"format": "pnm"}, "img")):
            with self.subTest(spec=spec, named=named):
                mine, theirs = self.place / f"mine.{suffix}", self.place / f"theirs.{suffix}"
                satfilter.filter_file(spec, SCENE, mine, **named)
                for option, value in named.items():
                    if option not in ("range", "linear"):
                        options = [*options, "--" + option.replace("_", "-"), str(value)]
                filters = [word for name in spec.split() for word in ("--" + name).split("=", 1)]
                subprocess.run([COMMAND, "-q", "-f", *options, *filters, SCENE, theirs], check=True)
                self.assertEqual(mine.read_bytes(), theirs.read_bytes())

    def test_pictures(self):
        rng = np.random.default_rng(4)
        for suffix, dtype, channels in (("png", "u1", 1), ("png", "u2", 3), ("png", "u1", 4), ("pgm", "u2", 1),
                                        ("pfm", "f4", 3), ("npy", "f8", 1), ("npy", "u4", 2), ("pam", "u1", 2)):
            with self.subTest(suffix=suffix, dtype=dtype, channels=channels):
                shape = (12, 17) if channels == 1 else (12, 17, channels)
                image = (rng.random(shape) * 250).astype(dtype)
                path = self.place / f"x.{suffix}"
                satfilter.write(path, image[::-1])
                made = satfilter.read(path)
                self.assertEqual(made.dtype, image.dtype)
                np.testing.assert_array_equal(made, image[::-1])
                said = satfilter.probe(str(path))
                self.assertEqual((said["shape"], said["dtype"]), (image.shape, image.dtype))
                data = satfilter.encode(image[::-1], suffix)
                self.assertEqual(data, path.read_bytes())
                for source in (data, bytearray(data), memoryview(data), str(path), os.fsencode(path).decode()):
                    np.testing.assert_array_equal(satfilter.read(source), made)
                made[0] = 0  # it is the caller's
        satfilter.write(self.place / "bool.png", rng.random((5, 6)) > 0.5)
        self.assertEqual(set(np.unique(satfilter.read(self.place / "bool.png"))), {0, 255})

    def test_layouts(self):
        image = np.random.default_rng(4).integers(0, 256, (3, 12, 17)).astype("u1")
        planar = np.moveaxis(image, 0, -1)
        for seen in (planar, planar[:, ::-1], planar[::2, ::3], np.asfortranarray(planar), planar[..., 0]):
            np.testing.assert_array_equal(satfilter.read(satfilter.encode(seen, "png")), seen)

    def test_metadata(self):
        """An Image carries it through a filter to the next file, as the command does."""
        phone = self.place / "in.jpg"
        subprocess.run([COMMAND, "-q", "--box", "1", SCENE, phone], check=True)
        data = phone.read_bytes()
        exif = b"Exif\0\0" + EXIF
        phone.write_bytes(data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:])
        picture = satfilter.read_image(phone)
        self.assertFalse(picture.alpha)
        satfilter.write(self.place / "out.jpg", picture.filter("box=3"))
        subprocess.run([COMMAND, "-q", "--box", "3", phone, self.place / "want.jpg"], check=True)
        made = (self.place / "out.jpg").read_bytes()
        self.assertIn(b"satfilter!", made)
        self.assertEqual(made, (self.place / "want.jpg").read_bytes())
        with self.assertRaisesRegex(TypeError, "complex64 samples: here a result is"):
            satfilter.read_image(phone).filter("variance=3", dtype="c8")
        self.assertEqual(satfilter.read_image(phone).filter("variance=3", dtype="f4").array.dtype, np.dtype("f4"))

    def test_changes_are_written(self):
        picture = satfilter.read_image(SCENE)
        picture.array[:9] = 7
        satfilter.write(self.place / "x.png", picture)
        np.testing.assert_array_equal(satfilter.read(self.place / "x.png"), picture.array)

    def test_around_an_array(self):
        """An Image, and what write() makes of an array, is the array's memory."""
        big = np.random.default_rng(4).integers(0, 256, (1024, 1024, 2)).astype("u1")
        for array, span in ((big, (0, 255)), (big[::-1, ::2], (0, 255)), (big[..., 1], (0, 255)),
                            (big[..., :1], (0, 255)), (big.view("u2")[..., 0], (0, 65535)),
                            (np.zeros((1, 9), "f4"), None)):
            picture = satfilter.Image(array)
            self.assertIs(picture.array, array)
            self.assertEqual((picture.alpha, picture.range), (array.shape[2:] == (2,), span))
            array[0, 0] += 7
            np.testing.assert_array_equal(satfilter.read(satfilter.encode(picture, "npy")).reshape(array.shape), array)
            np.testing.assert_array_equal(picture.filter("flip=v").array.reshape(array.shape), array[::-1])
        self.assertEqual(satfilter.Image(big, alpha=False).alpha, False)
        for array in (big[:, ::-1], np.asfortranarray(big[..., 0]), big > 9):  # copies
            picture = satfilter.Image(array)
            np.testing.assert_array_equal(satfilter.read(satfilter.encode(picture, "pam")), picture.array)
        for wrong in (np.zeros((3, 3), "c8"), np.zeros((3, 3), complex)):
            self.assertRaises(TypeError, satfilter.Image, wrong)
        for wrong in (np.zeros(9), np.zeros((2, 2, 5)), np.zeros((0, 3), "u1")):
            self.assertRaises(ValueError, satfilter.Image, wrong)

    def test_written_without_a_copy(self):
        self.assertLess(growth("array = np.full((8192, 16384), 9, 'u1')[::-1, ::2]",
                                    f"satfilter.write({str(self.place / 'x.pgm')!r}, array)"), 24)

    def test_blocks_of_metadata(self):
        picture = satfilter.Image(np.zeros((3, 4), "u1"))
        self.assertEqual((picture.icc, picture.exif, picture.xmp), (None, None, None))
        picture.exif, picture.xmp = b"Exif\0\0" + EXIF, bytearray(b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
        for seen in (picture, satfilter.read_image(satfilter.encode(picture, "png")), picture.filter("box=3")):
            self.assertEqual((seen.exif, seen.xmp), (EXIF, b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"))
        with self.assertRaisesRegex(ValueError, "EXIF"):
            picture.exif = b"nothing"
        self.assertEqual(picture.exif, EXIF)
        picture.exif = None
        self.assertIsNone(picture.exif)
        self.assertNotIn(b"satfilter!", satfilter.encode(picture, "png"))
        picture.icc = PROFILE
        self.assertEqual(satfilter.read_image(satfilter.encode(picture, "png")).icc, PROFILE)
        with self.assertRaises(ValueError):
            picture.icc = PROFILE[:100]
        with self.assertRaises(TypeError):
            picture.icc = 7

    def test_range(self):
        ramp = np.linspace(0, 1, 256).reshape(16, 16)
        made = satfilter.read(satfilter.encode(ramp, "png", range=(0, 1)))
        np.testing.assert_array_equal(made.ravel(), np.arange(256) * (257 if made.dtype == np.dtype("u2") else 1))
        made = satfilter.read(satfilter.encode(ramp / 4 + 3, "png", range="auto"))
        self.assertEqual((made.min(), made.max()), (0, np.iinfo(made.dtype).max))

    def test_notes(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            satfilter.filter_file("box=3", SCENE, self.place / "x.png")
        self.assertEqual(said, [])

    def test_mask(self):
        """An array, an Image and a path give the blend of numpy."""
        scene, full = satfilter.read(SCENE), satfilter.box(satfilter.read(SCENE), 9, channel_axis=-1)
        mask = np.random.default_rng(5).integers(0, 256, scene.shape[:2]).astype("u1")
        m, path = mask[:, :, None].astype("u4"), self.place / "mask.png"
        satfilter.write(path, mask)
        wide = (2 * (full * m + scene * (255 - m)) + 255) // 510
        reals = (mask / 255).astype("f4")
        half = np.arange(scene.shape[1]) % 2 == np.zeros((scene.shape[0], 1))
        for given, want in ((mask, wide), (satfilter.Image(mask), wide), (path, wide), (str(path), wide),
                            (io.BytesIO(path.read_bytes()), wide), (mask[::-1][::-1], wide),
                            (np.stack([mask] * 3, 2), wide), (reals, wide),
                            (half, np.where(half[..., None], full, scene))):
            with self.subTest(given=type(given)):
                made = self.place / "made.png"
                satfilter.filter_file("box=9", SCENE, made, mask=given)
                np.testing.assert_array_equal(satfilter.read(made), want)
        sides = r"the mask has \(4, 5\) pixels, and the picture \(400, 600\)"
        for error, words, given in ((ValueError, sides, np.zeros((4, 5), "u1")),
                                    (FileNotFoundError, "none.png", self.place / "none.png")):
            with self.assertRaisesRegex(error, words):
                satfilter.filter_file("box=9", SCENE, self.place / "no.png", mask=given)

    def test_formats(self):
        """Those of strangers are read where the caller says so."""
        image = np.arange(60, dtype="u1").reshape(6, 10)
        bmp = (b"BM" + (54 + 1024 + 72).to_bytes(4, "little") + bytes(4) + (1078).to_bytes(4, "little")
               + (40).to_bytes(4, "little") + (10).to_bytes(4, "little") + (6).to_bytes(4, "little")
               + b"\1\0\x08\0" + bytes(24) + b"".join(bytes([i, i, i, 0]) for i in range(256))
               + b"".join(row.tobytes() + bytes(2) for row in image[::-1]))
        self.refuse(satfilter.Error, "formats", satfilter.read, bmp)
        for formats in ("all", "png,bmp"):
            made = satfilter.read(bmp, formats=formats)
            np.testing.assert_array_equal(made if made.ndim == 2 else made[..., 0], image)
        self.refuse(satfilter.Error, "formats", satfilter.read, bmp)


class Pipe:
    """The least of a file object: a few bytes at a time, and no way back."""

    def __init__(self, data=b""):
        self.data = io.BytesIO(data)

    def read(self, n):
        return self.data.read(min(n, 1000))

    def write(self, data):
        return self.data.write(data[:1000])

    def getvalue(self):
        return self.data.getvalue()


class Fails(io.BytesIO):
    """One of its methods raises at a call of it, the error that it has, or returns what it should not."""

    def __init__(self, data, method, call, error=None, returns=None):
        super().__init__(data)
        self.method, self.call, self.error, self.returns = method, call, error, returns

    def _do(self, method, *args):
        self.call -= method == self.method
        if method == self.method and self.call == 0:
            if self.error:
                raise self.error
            return self.returns
        return getattr(super(), method)(*args)

    def read(self, n):
        return self._do("read", n)

    def write(self, data):
        return self._do("write", data)

    def seek(self, offset, whence=0):
        return self._do("seek", offset, whence)


class Objects(Case):
    """File objects in place of paths."""

    def setUp(self):
        self.image = np.random.default_rng(5).integers(0, 256, (700, 900, 3)).astype("u1")

    def sources(self, data):
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            for buffering in (-1, 0):
                with open(file.name, "rb", buffering) as opened:
                    yield opened
        yield io.BytesIO(data)
        yield Pipe(data)
        yield gzip.open(io.BytesIO(gzip.compress(data, 1)))
        ends = socket.socketpair()

        def send():
            with ends[0], contextlib.suppress(OSError):  # of those who have read enough
                ends[0].sendall(data)

        sender = threading.Thread(target=send)
        sender.start()
        with ends[1], ends[1].makefile("rb") as file:
            yield file
        sender.join()
        behind = io.BytesIO(b"another" + data)
        behind.seek(7)
        yield behind

    def test_the_bytes(self):
        image = self.image[:200]
        for suffix in ("png", "jpg", "ppm", "npy", "tif"):
            data = satfilter.encode(image, suffix)
            want, said = satfilter.read(data, formats="all"), satfilter.probe(data, formats="all")
            self.assertEqual((said["shape"], said["dtype"]), (want.shape, want.dtype))
            for source in self.sources(data):
                with self.subTest(suffix=suffix, source=source):
                    np.testing.assert_array_equal(satfilter.read(source, formats="all"), want)
            for source in self.sources(data):
                self.assertEqual(satfilter.probe(source, formats="all"), said)
                target = Pipe()
                satfilter.write(target, image, format=suffix)
                self.assertEqual(target.getvalue(), data)
            filtered = satfilter.encode(satfilter.box(want, 9, channel_axis=-1), "ppm")
            for source, target in zip(itertools.chain(self.sources(data), [data]), itertools.cycle((io.BytesIO, Pipe))):
                made = target()
                satfilter.filter_file("box=9", source, made, format="ppm", formats="all")
                self.assertEqual(made.getvalue(), filtered)

    def test_targets(self):
        data = satfilter.encode(self.image, "tif")
        path = self.folder() / "x.tif"
        for mode, buffering in (("wb", -1), ("wb", 0), ("ab", -1), ("r+b", 0)):
            path.write_bytes(b"before")
            with open(path, mode, buffering) as file:
                file.seek(0, os.SEEK_END)
                at = file.tell()
                satfilter.write(file, self.image)  # by the suffix of its name
            self.assertEqual(path.read_bytes(), b"before"[:at] + data)
        parts = []

        class Nothing:  # is what its write() returns
            write = parts.append

        satfilter.write(Nothing(), self.image, format="tif")
        self.assertEqual(b"".join(parts), data)

    def raises(self, error, call, *args):
        """That very error, from where it was raised."""
        try:
            call(*args)
        except OSError as caught:
            self.assertIs(caught, error)
            self.assertEqual(traceback.extract_tb(caught.__traceback__)[-1].name, "_do")
        else:
            self.fail("nothing was raised")

    def test_what_methods_raise(self):
        error = OSError("of the object's own")
        data = satfilter.encode(self.image, "ppm")
        for method, calls in (("read", (1, 2)), ("seek", (1, 2, 3))):
            for call in calls:
                for use in (satfilter.read, satfilter.probe,
                            lambda source: satfilter.filter_file("box=9", source, io.BytesIO(), format="png")):
                    source = Fails(data, method, call, error)
                    if use is satfilter.probe and call > 1:
                        continue
                    with self.subTest(method=method, call=call, use=use):
                        self.raises(error, use, source)
        for suffix, method, calls in (("png", "write", (1, 2)), ("tif", "seek", (1,))):
            for call in calls:
                for use in (lambda target: satfilter.write(target, self.image, format=suffix),
                            lambda target: satfilter.filter_file("box=9", data, target, format=suffix)):
                    self.raises(error, use, Fails(b"", method, call, error))
        np.testing.assert_array_equal(satfilter.read(io.BytesIO(data)), self.image)

    def test_wrong_methods(self):
        data = satfilter.encode(self.image, "ppm")
        for error, text, method, returns in (
                (ValueError, r"^read\(\d+\) returned 9000000 bytes$", "read", bytes(9000000)),
                (TypeError, "^read.. returned <class 'str'>, not bytes$", "read", "text"),
                (TypeError, "^read.. returned <class 'NoneType'>, not bytes$", "read", None),
                (TypeError, "^seek.. returned <class 'str'>, not a number$", "seek", "here"),
                (ValueError, "^seek.. returned -3$", "seek", -3)):
            for use in (satfilter.read,
                        lambda source: satfilter.filter_file("box=9", source, io.BytesIO(), format="ppm")):
                self.refuse(error, text, use, Fails(data, method, 1, returns=returns))
        for error, text, returns in ((ValueError, r"^write\(\) of \d+ bytes returned 0$", 0),
                                     (ValueError, r"^write\(\) of \d+ bytes returned 9000000$", 9000000),
                                     (ValueError, "^write.. returned -1$", -1),
                                     (TypeError, "^write.. returned <class 'bytes'>, not a number$", b"")):
            self.refuse(error, text, satfilter.write, Fails(b"", "write", 1, returns=returns), self.image, format="ppm")

    def test_refused(self):
        both = io.BytesIO(satfilter.encode(self.image, "png"))
        for error, text, call in (
                (ValueError, "one object", lambda: satfilter.filter_file("box=3", both, both, format="png")),
                (ValueError, "^<BytesIO> has no suffix", lambda: satfilter.write(io.BytesIO(), self.image)),
                (ValueError, "^<BytesIO> has no suffix", lambda: satfilter.filter_file("box=3", both, io.BytesIO())),
                (ValueError, "^<BytesIO>: ", lambda: satfilter.read(io.BytesIO(b"nothing at all"))),
                (ValueError, "closed", lambda: satfilter.read(closed)),
                (FileNotFoundError, "none.png",
                 lambda: satfilter.filter_file("box=3", "none.png", io.BytesIO(), format="png")),
                (FileNotFoundError, "none", lambda: satfilter.filter_file("box=3", both, "none/x.png")),
                (TypeError, "bytes-like", lambda: satfilter.probe(7)),
                (TypeError, "int", lambda: satfilter.write(7, self.image)),
                (BlockingIOError, "takes no bytes now", lambda: satfilter.write(full, self.image, format="ppm"))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                closed = io.BytesIO()
                closed.close()
                ends = os.pipe()
                os.set_blocking(ends[1], False)
                with open(ends[0], "rb"), open(ends[1], "wb", buffering=0) as full:
                    call()

    def test_an_image_that_is_written(self):
        """Its metadata stay as they are meanwhile."""
        picture = satfilter.Image(self.image)

        class Sets(Pipe):
            def write(self, data):
                with futures.ThreadPoolExecutor(1) as pool:
                    pool.submit(setattr, picture, "exif", EXIF).result()
                return super().write(data)

        self.refuse(RuntimeError, "set its metadata later", satfilter.write, Sets(), picture, format="png")
        picture.exif = EXIF

    def test_threads(self):
        """Methods are called with Python's lock, from whichever thread."""
        data = satfilter.encode(self.image, "png")
        want = satfilter.encode(satfilter.box(self.image, 5, channel_axis=-1), "png")

        def work(_):
            target = Pipe()
            satfilter.filter_file("box=5", Pipe(data), target, format="png")
            return target.getvalue() == want

        with futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(set(pool.map(work, range(32))), {True})

    def test_memory(self):
        """64 megapixels go by in the memory of a few rows."""
        self.assertLess(growth("""
class Rows:
    at, head = 0, b"P5 8192 8192 255\\n"
    def read(self, n):
        row, self.at = self.head or np.full(8192, self.at % 251, "u1").tobytes(), self.at + (not self.head)
        self.head = b""
        return row if self.at <= 8192 else b""
class Counts:
    bytes = 0
    def write(self, data):
        self.bytes += len(data)
        return len(data)
target = Counts()""", """
satfilter.filter_file("box=15", Rows(), target, format="pgm")
assert target.bytes == 8192 * 8192 + 17, target.bytes"""), 24)
