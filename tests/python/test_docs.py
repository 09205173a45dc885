"""The examples of docs/python.md and docs/python-large.md do what they show; those of a program that is missing are
skipped."""
import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from common import COMMAND, ROOT, Case


class Docs(Case):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder())
        page = (ROOT / "docs" / "python-large.md").read_text()
        self.sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", page, re.M))

    def check(self, page, least, options=0):
        text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
        examples = doctest.DocTestParser().get_doctest(text, {}, "the page", "docs", 0)
        self.assertGreater(len(examples.examples), least)
        said = []
        failed = doctest.DocTestRunner(verbose=False, optionflags=options).run(examples, out=said.append).failed
        self.assertEqual(failed, 0, "".join(said))

    def check_section(self, heading, module, least):
        if not importlib.util.find_spec(module):
            self.skipTest(f"{module} is not installed")
        self.check(self.sections[heading], least)

    def test_examples(self):
        shutil.copy(ROOT / "samples" / "scene.png", ".")
        self.check((ROOT / "docs" / "python.md").read_text(), 30, doctest.NORMALIZE_WHITESPACE)

    def test_dask(self):
        self.check_section("Dask", "dask", 10)

    def test_arrays(self):
        self.check_section("From array to array", "zarr", 15)
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
