"""What the scripts beside measure with: processes and calls in turn, pictures, tables, records."""
import argparse
import datetime
import filecmp
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv[0]).name


def parser_of(text, **defaults):
    """The arguments that most scripts have: --build, --repeat, --work and --json, as far as defaults name them."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    options = {"build": (lambda path: pathlib.Path(path).resolve(), "where satfilter was built"),
               "repeat": (int, "turns"), "work": (str, "a folder for pictures, such as /dev/shm"),
               "json": (str, "a file for the records")}
    for name, default in {"json": None, **defaults}.items():
        kind, says = options[name]
        parser.add_argument("--" + name, type=kind, default=default, help=says)
    return parser


def fail(text, status=1):
    print(f"{PROGRAM}: {text}", file=sys.stderr)
    sys.exit(status)


def skip(text):
    fail("skipped: " + text, 77)


def run(*command, **options):
    """What it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        fail(f"{command[0]}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def program_of(build):
    """(the command of a build, the environment in which it finds its library); not libtool's wrapper script."""
    if (build / ".libs" / "satfilter").exists():
        return str(build / ".libs" / "satfilter"), {**os.environ, "LD_LIBRARY_PATH": str(build / ".libs")}
    if not (build / "satfilter").exists():
        skip(f"no satfilter in {build}; build it, or name its folder with --build")
    return str(build / "satfilter"), dict(os.environ)


def process(command, names=None, cores=None, **options):
    """(seconds by the clock, those of processors, peak MiB) of one process on so many cores. names are lines of its
    input that end in 0. The peak that a child inherits over fork and exec counts, so this process stays small."""
    mine = sorted(os.sched_getaffinity(0))[:cores]
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.PIPE if names else subprocess.DEVNULL,
                             preexec_fn=lambda: os.sched_setaffinity(0, mine), **options)
    if names:
        child.stdin.write("\0".join(names).encode())
        child.stdin.close()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        fail(f"{' '.join(command[:8])} ...: status {child.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def in_turn(calls, repeat):
    """{name: what its calls returned}; they take turns, so that whatever else the machine does meets all."""
    found = {name: [] for name in calls}
    for _ in range(repeat):
        for name, call in calls.items():
            found[name].append(call())
    return found


def timer(call, clock=time.perf_counter):
    """A function that returns the ms of one call."""
    def timed():
        start = clock()
        call()
        return 1e3 * (clock() - start)
    return timed


def repeated(call, calls):
    """A function that returns the ms of one of so many calls."""
    def block():
        for _ in range(calls):
            call()
    timed = timer(block)
    return lambda: timed() / calls


def medians(found):
    return {name: statistics.median(values) for name, values in found.items()}


def in_child(call, *arguments):
    """In a process of its own: numpy and pictures do not count in the peaks of this one's children."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            call(*arguments)
            code = 0
        except Exception:  # whatever it is
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1]:
        fail("the pictures could not be made")


def same(a, b):
    """Whether two folders hold the same files."""
    return sorted(os.listdir(a)) == sorted(os.listdir(b)) and all(
        filecmp.cmp(a / name, b / name, shallow=False) for name in os.listdir(a))


def compile_cpp(name, folder):
    """Builds NAME.cpp against OpenCV."""
    compiler = os.environ.get("CXX", "c++")
    if not shutil.which(compiler):
        skip(f"no C++ compiler ({compiler})")
    if not shutil.which("pkg-config") or subprocess.run(["pkg-config", "--exists", "opencv4"], check=False).returncode:
        skip("OpenCV 4 for C++ is missing (Debian: libopencv-dev)")
    binary = str(pathlib.Path(folder) / name)
    run(compiler, "-O2", "-std=c++17", *run("pkg-config", "--cflags", "opencv4").split(),
        str(TOP / "tests" / "bench" / f"{name}.cpp"), "-o", binary, "-lopencv_imgcodecs", "-lopencv_imgproc",
        "-lopencv_core")
    return binary


def table(head, rows):
    """Prints Markdown: texts on the left, numbers on the right."""
    numbers = [not isinstance(cell, str) or cell[:1].isdigit() for cell in rows[0]]
    lines = [head, ["--:" if number else "---" for number in numbers], *rows]
    print("\n".join("|" + "|".join(f" {cell} " for cell in line) + "|" for line in lines), flush=True)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def write(path, records, device=None, **more):
    """The records with the command and the machine, if there is a path."""
    if not path:
        return
    here = {"kind": "cpu", "name": processor(), "driver": f"Linux {platform.release()}", "threads": os.cpu_count()}
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    document = {"program": PROGRAM, "version": "1", "command": " ".join([PROGRAM, *sys.argv[1:]]), "date": now,
                "device": device or here, **more, "records": records}
    pathlib.Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def fill(page, tables):
    """Writes tables into a page, each between its `<!-- NAME -->` and `<!-- end -->`."""
    text = (TOP / page).read_text(encoding="utf-8")
    for name, made in tables.items():
        text = re.sub(f"(<!-- {name} -->\\n).*?(<!-- end -->)", lambda m, made=made: f"{m[1]}{made}\n{m[2]}", text,
                      flags=re.DOTALL)
    (TOP / page).write_text(text, encoding="utf-8")


def folder_for(work=None):
    """A temporary folder, in memory if there is such a place and nobody names another."""
    if not work and os.path.isdir("/dev/shm") and "TMPDIR" not in os.environ:
        work = "/dev/shm"
    return tempfile.TemporaryDirectory(dir=work)
