"""The examples of docs/python-large.md do what they show; those of a program that is missing are skipped."""
import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("top_srcdir", Path(__file__).resolve().parents[2])).resolve()
COMMAND = Path(os.environ.get("top_builddir", ROOT)).resolve() / "satfilter"


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        page = (ROOT / "docs" / "python-large.md").read_text()
        self.sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", page, re.M))

    def check(self, heading, module, least):
        if not importlib.util.find_spec(module):
            self.skipTest(f"{module} is not installed")
        text = "\n".join("" if line.startswith("```") else line for line in self.sections[heading].splitlines())
        examples = doctest.DocTestParser().get_doctest(text, {}, heading, "docs/python-large.md", 0)
        self.assertGreater(len(examples.examples), least)
        said = []
        failed = doctest.DocTestRunner(verbose=False).run(examples, out=said.append).failed
        self.assertEqual(failed, 0, "".join(said))

    def test_dask(self):
        self.check("Dask", "dask", 10)

    def test_arrays(self):
        self.check("From array to array", "zarr", 15)
        if COMMAND.exists():
            words = re.search(r"`satfilter (--box .*)`", self.sections["From array to array"])[1].split()
            words[-1] = "command.npy"
            subprocess.run([COMMAND, "-q", *words], check=True)
            self.assertEqual(Path("command.npy").read_bytes(), Path("blurred.npy").read_bytes())

    def test_ocrmypdf(self):
        for program in ("tesseract", "gs"):
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed")
        if not importlib.util.find_spec("ocrmypdf"):
            self.skipTest("ocrmypdf is not installed")
        shutil.copytree(ROOT / "samples", "samples", ignore=lambda _, names: set(names) - {"scan.tif"})
        commands = re.findall(r"^    (ocrmypdf .*)", self.sections["Pages for OCRmyPDF"], re.M)
        self.assertEqual(len(commands), 2)
        for command in commands:
            subprocess.run(f"{sys.executable} -m {command}", shell=True, check=True, capture_output=True)
            self.assertTrue(Path(command.split()[-1]).read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main()
