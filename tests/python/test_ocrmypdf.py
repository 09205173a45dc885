"""The plugin of OCRmyPDF: words of uneven pages, before and after. Skipped where programs are missing."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

try:
    import ocrmypdf
    import pikepdf
    from PIL import Image, ImageDraw, ImageFont
except ImportError:
    ocrmypdf = None

WORDS = """the quiet river carries yellow leaves under seven wooden bridges while old farmers bring fresh bread
from distant villages and children count white horses along the narrow road toward market before winter evening
falls over green hills where nobody hears music except travellers who rest beside warm stone walls""".split()
DPI = 200


def setUpModule():
    missing = [] if ocrmypdf else ["ocrmypdf"]
    missing += [name for name in ("tesseract", "gs") if not shutil.which(name)]
    if missing:
        raise unittest.SkipTest(f"{missing[0]} is not installed (Debian: tesseract-ocr, ghostscript)")


def page(width=1000, height=700):
    """Dark text whose paper is darker on the right than the ink on the left."""
    sheet = Image.new("L", (width, height), 255)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(30)
    for line in range(0, len(WORDS), 5):
        draw.text((40, 40 + 12 * line), " ".join(WORDS[line:line + 5]), 0, font)
    light = np.linspace(1, 0.1, width) ** 2
    paper = 20 + 0.85 * np.asarray(sheet) * light + 60 * light
    noise = np.random.default_rng(1).normal(0, 1.5, paper.shape)
    return Image.fromarray((paper + noise).clip(0, 255).astype("u1"))


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.pages = [page(), page(1100, 760)]
        cls.pages[0].save(cls.folder / "in.pdf", resolution=DPI, save_all=True, append_images=cls.pages[1:])

    def run_it(self, *options, source="in.pdf"):
        return subprocess.run([sys.executable, "-m", "ocrmypdf", "-q", "--output-type", "pdf", "-O0", "--sidecar",
                               "out.txt", "--plugin", "satfilter.ocrmypdf", *options, source, "out.pdf"],
                              cwd=self.folder, capture_output=True, text=True)

    def read(self, *options):
        """The share of the words that are read, and the output's pictures."""
        done = self.run_it(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "out.txt").read_text().split()
        right = sum(min(text.count(word), 2 * WORDS.count(word)) for word in set(WORDS))
        return right / (2 * len(WORDS)), self.pictures("out.pdf")

    def pictures(self, name):
        with pikepdf.open(self.folder / name) as pdf:
            parts = [part for page in pdf.pages for part in page.Resources.XObject.values()]
            return [pikepdf.PdfImage(part).as_pil_image() for part in parts if part.Subtype == "/Image"]

    def test_words(self):
        before, _ = self.read()
        after, pictures = self.read("--satfilter", "wolf=0.14in")
        self.assertLess(before, 0.85)
        self.assertGreater(after, 0.95)
        for old, new in zip(self.pictures("in.pdf"), pictures, strict=True):
            np.testing.assert_array_equal(np.asarray(old), np.asarray(new))

    def test_pages(self):
        right, pictures = self.read("--force-ocr", "--satfilter", "wolf=0.14in", "--satfilter-pages")
        self.assertGreater(right, 0.95)
        for old, new in zip(self.pages, pictures, strict=True):
            self.assertEqual(old.size, new.size)
            self.assertEqual(set(np.unique(np.asarray(new.convert("L")))), {0, 255})
        _, pictures = self.read("--force-ocr", "--satfilter", "wolf=0.14in")
        self.assertGreater(len(np.unique(np.asarray(pictures[0].convert("L")))), 100)

    def test_refused(self):
        for spec, text in (("wolff=3", "wolff"), ("wolf=0.14inches", "0.14inches"), ("rotate=90", "size"),
                           ("box=9,border=valid", "size"), ("stddev=5", "not pictures"), ("by=none.png", "none.png")):
            done = self.run_it("--satfilter", spec)
            self.assertNotEqual(done.returncode, 0, spec)
            said = done.stderr.strip()
            self.assertIn(f"--satfilter {spec}: ", said)
            self.assertIn(text, said)
            self.assertNotIn("Traceback", said)
            self.assertEqual(len(said.split("--satfilter")), 2, said)
        self.assertIn("--satfilter SPEC", self.run_it("--satfilter-pages").stderr)
