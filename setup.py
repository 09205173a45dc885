"""Builds satfilter._core: with libsatfilter inside, which is compiled here, or against an installed one. Its table of
filters makes satfilter._functions.

    pip install .                            in a clone, a built tree or the unpacked sdist
    SATFILTER_BUILD=system pip install .     the libsatfilter that pkg-config finds
    SATFILTER_CONFIGURE="OPTION..."          configure's options; default --disable-cuda
    SATFILTER_FUNCTIONS=FILE                 _functions.py of another build, where this Python cannot load _core

The library is made in build/, from copies of the sources: the tree may be built already, for itself. The sdist carries
what autoreconf makes, so it asks for no Autotools.
"""
import filecmp
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
SYSTEM = os.environ.get("SATFILTER_BUILD") == "system"
SDIST = (ROOT / "PKG-INFO").exists()
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))  # has no abi3
# What configure and make want to see, and what the library is compiled from.
SOURCES = {"src": "*", "filters": "*", "cuda": "*", "m4": "*.m4", "tools": "*.inc", "samples": "*.inc", "docs": "*.inc",
           "plugins": "*.inc", "tests": "*.inc", ".": "*"}
ENDS = {".c", ".h", ".cu", ".cuh", ".hpp", ".inc", ".am", ".ac", ".m4", ".in", ".map"}
AUTOTOOLS = ("autoreconf", "automake", "libtoolize")
GENERATED = {"config.h.in", "aclocal.m4", "libtool.m4", "ltoptions.m4", "ltsugar.m4", "ltversion.m4", "lt~obsolete.m4"}
# What configure and make want of autoreconf's. A built tree has them too, but maybe older than its sources.
CARRIED = ("configure", "aclocal.m4", "config.h.in", "Makefile.in", "build-aux/*", "m4/libtool.m4", "m4/lt*.m4")


# Without what a make that calls this tells the makes below it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}


def run(*command, cwd=None):
    subprocess.run(command, cwd=cwd, check=True, env=ENVIRONMENT)


def output(*command, cwd=None):
    return shlex.split(subprocess.check_output(command, cwd=cwd, text=True, env=ENVIRONMENT))


def missing(*tools):
    names = [tool for tool in tools if not shutil.which(tool)]
    if names:
        sys.exit(f"satfilter: {', '.join(names)} missing; ./bootstrap --disable-cuda installs what the build needs, "
                 "or names it")


def sources():
    """Files of the tree, relative to it."""
    for folder, pattern in SOURCES.items():
        found = (ROOT / folder).glob(pattern) if folder == "." else (ROOT / folder).rglob(pattern)
        for path in sorted(found):
            generated = path.name in GENERATED or path.name == "Makefile.in" or path.name.startswith("config.")
            if path.suffix in ENDS and path.is_file() and not generated:
                yield path.relative_to(ROOT)
    if SDIST:
        yield from carried(ROOT)


def carried(tree):
    for pattern in CARRIED:
        yield from (path.relative_to(tree) for path in sorted(tree.glob(pattern)))


def copy_sources(work):
    """Brings the copies up to date; whether configure has to run. Files that are the same keep their times."""
    kept, configure = set(), not (work / "Makefile").exists()
    for name in sources():
        source, copy = ROOT / name, work / name
        kept.add(copy)
        if not copy.exists() or not filecmp.cmp(source, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
            configure = configure or name.suffix in (".ac", ".am", ".inc", ".m4", ".in")
    for old in (work / "src").rglob("*.[ch]"), (work / "filters").rglob("*.h"):
        for path in old:
            if path not in kept:
                path.unlink()
                shutil.rmtree(work / ".libs", ignore_errors=True)
    return configure


class SourceArchive(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        if SDIST:
            for name in carried(ROOT):
                self.mkpath(str(Path(base_dir, name).parent))
                self.copy_file(str(ROOT / name), str(Path(base_dir, name)))
            return
        missing(*AUTOTOOLS)
        run("autoreconf", "-fi", cwd=base_dir)
        shutil.rmtree(Path(base_dir, "autom4te.cache"))


class BuildAll(build):
    """build/lib* may have files of another time or another kind of build."""

    def run(self):
        for folder in (self.build_purelib, self.build_platlib):
            shutil.rmtree(folder, ignore_errors=True)
        super().run()


class BuildCore(build_ext):
    def finalize_options(self):
        super().finalize_options()
        self.force = True  # setuptools looks at no header and no library

    def build_extension(self, ext):
        include = sysconfig.get_path("include")
        if not Path(include, "Python.h").exists():
            sys.exit(f"satfilter: {include}/Python.h is missing (Debian: apt install python3-dev)")
        self.formats = []
        self.use_system(ext) if SYSTEM else self.use_own(ext)
        super().build_extension(ext)
        beside = Path(self.get_ext_fullpath(ext.name)).parent
        for path in self.formats:  # the library looks for them beside itself
            shutil.copy(path, beside / path.name)
        if made := os.environ.get("SATFILTER_FUNCTIONS"):
            shutil.copy(made, beside / "_functions.py")
            return
        folders = [flag[2:] for flag in ext.extra_link_args if flag.startswith("-L")]  # of a library found there
        ENVIRONMENT["LD_LIBRARY_PATH"] = ":".join(folders + [os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(":")
        run(sys.executable, ROOT / "python" / "tools" / "make_functions.py", beside)

    def copy_extensions_to_source(self):  # of an editable installation
        super().copy_extensions_to_source()
        made = Path(self.get_ext_fullpath(self.extensions[0].name))
        for path in Path(self.build_lib, "satfilter").glob("_functions.py"):
            shutil.copy(path, made.parent)

    def use_system(self, ext):
        missing("pkg-config")
        if subprocess.run(["pkg-config", "--exists", "satfilter"]).returncode:
            sys.exit("satfilter: pkg-config finds no satfilter.pc; PKG_CONFIG_PATH may name its folder")
        flags = output("pkg-config", "--cflags", "--libs", "satfilter")
        ext.extra_compile_args += [flag for flag in flags if flag.startswith("-I")]
        ext.extra_link_args += [flag for flag in flags if not flag.startswith("-I")]

    def use_own(self, ext):
        missing(*(() if SDIST else AUTOTOOLS), "make", "pkg-config", "cc")
        work = Path(self.build_temp).resolve() / "library"
        # configure's own level, without -g.
        options = ["CFLAGS=" + os.environ.get("CFLAGS", "-O3"),
                   *shlex.split(os.environ.get("SATFILTER_CONFIGURE", "--disable-cuda"))]
        said = work / "options"
        if not said.exists() or said.read_text() != repr(options):
            shutil.rmtree(work, ignore_errors=True)  # make does not see other options of the compiler
        work.mkdir(parents=True, exist_ok=True)
        if copy_sources(work) or not said.exists():
            if not SDIST:
                run("autoreconf", "-fi", cwd=work)
            run("./configure", "--quiet", *options, cwd=work)
            said.write_text(repr(options))
        names = output("make", "-s", "--eval", "say:;@echo $(pkglib_LTLIBRARIES)", "say", cwd=work)
        names = [name for name in names if name != "libsatfilter-study-cuda.la"]
        run("make", "-s", f"-j{len(os.sched_getaffinity(0))}", "libcore.la", *names, cwd=work)
        self.formats = [work / ".libs" / name.replace(".la", ".so.0") for name in names]
        ext.include_dirs.append(str(work / "src"))
        ext.extra_objects.append(str(work / ".libs" / "libcore.a"))
        ext.extra_link_args += output("make", "-s", "--eval", "say:;@echo $(core_libs) $(LIBS)", "say", cwd=work)
        ext.extra_link_args += ["-Wl,--exclude-libs,ALL", "-Wl,-s"]


def version():
    return re.search(r"AC_INIT\(\[satfilter\], \[([^]]*)\]", (ROOT / "configure.ac").read_text())[1]


(ROOT / "build").mkdir(exist_ok=True)
(ROOT / "build" / "satfilter.egg-info" / "SOURCES.txt").unlink(missing_ok=True)  # else the sdist has what it names
core = Extension(
    "satfilter._core",
    sorted(f"python/satfilter/{path.name}" for path in (ROOT / "python" / "satfilter").glob("_core*.c")),
    depends=["python/satfilter/_core.h"],
    define_macros=[] if FREE_THREADED else [("Py_LIMITED_API", "0x030b0000")],
    extra_compile_args=["-std=gnu11"],
    py_limited_api=not FREE_THREADED,
)
setup(
    version=version(),
    ext_modules=[core],
    cmdclass={"sdist": SourceArchive, "build": BuildAll, "build_ext": BuildCore},
    options={"bdist_wheel": {} if FREE_THREADED else {"py_limited_api": "cp311"}, "egg_info": {"egg_base": "build"}},
)
