"""Files are the command's, byte for byte; pictures keep what their files say."""
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import satfilter

ROOT = Path(os.environ.get("top_srcdir", Path(__file__).resolve().parents[2])).resolve()
COMMAND = Path(os.environ.get("top_builddir", ROOT)).resolve() / "satfilter"
SCENE = ROOT / "samples" / "scene.png"
EXIF = b"MM\0*\0\0\0\x08\0\x01\x01\x31\0\x02\0\0\0\x0b\0\0\0\x1a\0\0\0\0satfilter!\0"
PROFILE = (b"\0\0\0\xc8\0\0\0\0\2\0\0\0mntrGRAYXYZ ".ljust(36, b"\0") + b"acsp".ljust(32, b"\0")
           + b"\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d".ljust(64, b"\0") + np.random.default_rng(6).bytes(68))


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def growth(self, before, code):
        """MiB that the code takes at its peak, in a process of its own."""
        text = ("import re, numpy as np, satfilter\n"
                "def peak():\n"
                "    return int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1024\n"
                f"{before}\nsatfilter.box(np.zeros((9, 9), 'u1'), 3)\nfirst = peak()\n{code}\nprint(peak() - first)\n")
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return float(done.stdout)

    def test_the_commands_bytes(self):
        for spec, options, named, suffix in (
                ("box=15", [], {}, "png"), ("sauvola=31", [], {}, "png"), ("variance=7,border=mirror", [], {}, "npy"),
                ("box=5 stddev=7", ["--range", "auto"], {"range": "auto"}, "png"),
                ("stddev=7", ["--range", "2:60"], {"range": (2, 60)}, "png"), ("box=5", [], {"quality": 70}, "jpg"),
                ("transpose", [], {"png_level": 6}, "png"), ("box=3", [], {"format": "pnm"}, "img")):
            with self.subTest(spec=spec, named=named):
                mine, theirs = self.folder / f"mine.{suffix}", self.folder / f"theirs.{suffix}"
                satfilter.filter_file(spec, SCENE, mine, **named)
                for option, value in named.items():
                    if option != "range":
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
                path = self.folder / f"x.{suffix}"
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
        satfilter.write(self.folder / "bool.png", rng.random((5, 6)) > 0.5)
        self.assertEqual(set(np.unique(satfilter.read(self.folder / "bool.png"))), {0, 255})

    def test_layouts(self):
        image = np.random.default_rng(4).integers(0, 256, (3, 12, 17)).astype("u1")
        planar = np.moveaxis(image, 0, -1)
        for seen in (planar, planar[:, ::-1], planar[::2, ::3], np.asfortranarray(planar), planar[..., 0]):
            np.testing.assert_array_equal(satfilter.read(satfilter.encode(seen, "png")), seen)

    def test_metadata(self):
        """An Image carries it through a filter to the next file, as the command does."""
        phone = self.folder / "in.jpg"
        subprocess.run([COMMAND, "-q", "--box", "1", SCENE, phone], check=True)
        data = phone.read_bytes()
        exif = b"Exif\0\0" + EXIF
        phone.write_bytes(data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:])
        picture = satfilter.read_image(phone)
        self.assertFalse(picture.alpha)
        satfilter.write(self.folder / "out.jpg", picture.filter("box=3"))
        subprocess.run([COMMAND, "-q", "--box", "3", phone, self.folder / "want.jpg"], check=True)
        made = (self.folder / "out.jpg").read_bytes()
        self.assertIn(b"satfilter!", made)
        self.assertEqual(made, (self.folder / "want.jpg").read_bytes())
        self.assertEqual(satfilter.read_image(phone).filter("variance=3", dtype="f4").array.dtype, np.dtype("f4"))

    def test_changes_are_written(self):
        picture = satfilter.read_image(SCENE)
        picture.array[:9] = 7
        satfilter.write(self.folder / "x.png", picture)
        np.testing.assert_array_equal(satfilter.read(self.folder / "x.png"), picture.array)

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
        for wrong in (np.zeros((3, 3), "i4"), np.zeros((3, 3), complex)):
            self.assertRaises(TypeError, satfilter.Image, wrong)
        for wrong in (np.zeros(9), np.zeros((2, 2, 5)), np.zeros((0, 3), "u1")):
            self.assertRaises(ValueError, satfilter.Image, wrong)

    def test_written_without_a_copy(self):
        self.assertLess(self.growth("array = np.full((8192, 16384), 9, 'u1')[::-1, ::2]",
                                    f"satfilter.write({str(self.folder / 'x.pgm')!r}, array)"), 24)

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
            satfilter.filter_file("box=3", SCENE, self.folder / "x.png")
        self.assertEqual(said, [])

    def test_formats(self):
        """Those of strangers are read where the caller says so."""
        image = np.arange(60, dtype="u1").reshape(6, 10)
        bmp = (b"BM" + (54 + 1024 + 72).to_bytes(4, "little") + bytes(4) + (1078).to_bytes(4, "little")
               + (40).to_bytes(4, "little") + (10).to_bytes(4, "little") + (6).to_bytes(4, "little")
               + b"\1\0\x08\0" + bytes(24) + b"".join(bytes([i, i, i, 0]) for i in range(256))
               + b"".join(row.tobytes() + bytes(2) for row in image[::-1]))
        with self.assertRaisesRegex(satfilter.Error, "formats"):
            satfilter.read(bmp)
        for formats in ("all", "png,bmp"):
            made = satfilter.read(bmp, formats=formats)
            np.testing.assert_array_equal(made if made.ndim == 2 else made[..., 0], image)
        with self.assertRaisesRegex(satfilter.Error, "formats"):
            satfilter.read(bmp)


if __name__ == "__main__":
    unittest.main()
