"""The package is built from its sdist, by its own library and by an installed one, and rebuilt where it is stale."""
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from importlib import metadata
from pathlib import Path
from unittest import mock

ROOT = Path(os.environ.get("top_srcdir", Path(__file__).resolve().parents[2])).resolve()
BUILD = Path(os.environ.get("top_builddir", ROOT)).resolve()
USE = """
import numpy, satfilter
image = numpy.arange(600, dtype="u1").reshape(20, 30)
assert satfilter.box(image, 3)[5, 5] == image[5, 5]
assert (satfilter.read(satfilter.encode(image, "png")) == image).all()
print(satfilter._core.table()[0][1])
"""


def missing():
    for name, least in (("pip", 1), ("setuptools", 77)):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            return f"{name} is not installed"
        if int(version.split(".")[0]) < least:
            return f"{name} {version} is older than {least}"
    for tool in ("autoreconf", "libtoolize", "make", "pkg-config"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    return None


class Packaging(unittest.TestCase):
    def run_(self, *command, cwd=None, **env):
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True,
                              env={**os.environ, "PIP_NO_INDEX": "1", **env})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def wheel(self, tree, **env):
        """Builds one and unpacks it; its names and what the installed package says of box."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            self.run_(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder,
                      str(tree), **env)
            [path] = Path(folder).glob("*.whl")
            self.assertIn("-cp311-abi3-linux_", path.name)
            site = Path(folder, "site")
            with zipfile.ZipFile(path) as archive:
                archive.extractall(site)
                names = set(archive.namelist())
            self.metadata(site)
            needs = self.run_("ldd", str(site / "satfilter/_core.abi3.so"))
            self.assertIn("libsatfilter.so" if env else "libpng", needs)
            return names, self.run_(sys.executable, "-c", USE, PYTHONPATH=f"{site}:{os.environ['PYTHONPATH']}",
                                    LD_LIBRARY_PATH=str(BUILD / ".libs"))

    def metadata(self, site):
        """It says what an index shows, and what pip installs besides for satfilter[NAME]: the package that a module of
        that name imports."""
        [info] = Path(site).glob("satfilter-*.dist-info")
        said = metadata.PathDistribution(info).metadata
        for field in ("Name", "Version", "Summary", "Author", "License-Expression", "License-File", "Keywords",
                      "Classifier", "Requires-Python", "Requires-Dist", "Description-Content-Type"):
            self.assertTrue(said[field], field)
        self.assertTrue(said.get_payload().startswith("# satfilter"))
        wanted = [line.replace("'", '"') for line in said.get_all("Requires-Dist")]
        for name in ("dask", "zarr", "ocrmypdf"):
            self.assertTrue([r for r in wanted if r.startswith(name) and f'extra == "{name}"' in r], wanted)

    def test_sdist(self):
        reason = missing()
        if reason:
            self.skipTest(reason)
        self.work = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.work)
        tree = Path(self.work, "tree")
        shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(
            ".git", "build", "*.o", "*.lo", "*.la", "*.so*", "run_*[!.][!.]"))
        for folder in (tree, *(path for path in tree.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
        for name in ("tests/run_x", "tests/x.o", "src/x.lo", "x.la", "python/satfilter/_core.abi3.so"):
            (tree / name).write_text("not a source")
        (tree / "configure").write_text("echo this is of another time; exit 1")
        source, names = self.sdist(tree)
        for product in ("*.o", "*.lo", "*.la", "*.so", "test_x", "config.h"):
            self.assertFalse(list(source.rglob(product)), product)
        with self.without_autotools():
            self.assertEqual(self.sdist(source)[1], names, "the sdist of an sdist is another")
            self.builds(source)

    def sdist(self, tree):
        """Makes one and unpacks it; its folder and its names."""
        folder = tempfile.mkdtemp(dir=self.work)
        self.run_(sys.executable, "setup.py", "-q", "sdist", "-d", folder, cwd=tree)
        [path] = Path(folder).glob("*.tar.gz")
        self.assertLess(path.stat().st_size, 2_500_000)
        with tarfile.open(path) as archive:
            archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
            return Path(folder, path.name.removesuffix(".tar.gz")), sorted(archive.getnames())

    def without_autotools(self):
        folder = Path(tempfile.mkdtemp(dir=self.work))
        for name in ("autoreconf", "aclocal", "autoconf", "autoheader", "automake", "libtoolize"):
            (folder / name).write_text("#!/bin/sh\nexit 1\n")
            (folder / name).chmod(0o755)
        return mock.patch.dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")

    def builds(self, source):
        # What a build of the tree for itself leaves behind: none of it may be used.
        for name in ("config.h", "Makefile", "config.status", "src/config.h", "src/base/libcore_la-memory.lo"):
            (source / name).write_text("#error this is of another build\n")
        names, said = self.wheel(source)
        self.assertIn("satfilter/py.typed", names)
        self.assertIn("satfilter/_core.pyi", names)
        self.assertFalse([n for n in names if n.endswith((".c", ".h")) or n.startswith(("tools", "tests"))])
        self.assertTrue(any(n.endswith("licenses/LICENSE") for n in names))
        self.assertIn("mean over a window", said)
        formats = {n for n in names if "libsatfilter-" in n}

        box = source / "filters" / "box.h"
        box.write_text(box.read_text().replace("mean over a window", "mean of a window"))
        self.assertIn("mean of a window", self.wheel(source)[1], "the library is stale")

        pc = Path(self.work, "pc")
        pc.mkdir()
        (pc / "satfilter.pc").write_text(f"Name: satfilter\nDescription: x\nVersion: 0\n"
                                         f"Libs: -L{BUILD}/.libs -lsatfilter\nCflags: -I{ROOT}/src\n")
        names, said = self.wheel(source, SATFILTER_BUILD="system", PKG_CONFIG_PATH=str(pc))
        self.assertIn("mean over a window", said, "the package has its own library still")
        self.assertFalse(formats & names)
        names, said = self.wheel(source)
        self.assertIn("mean of a window", said, "the package has the system's library still")
        self.assertEqual(formats, {n for n in names if "libsatfilter-" in n})
