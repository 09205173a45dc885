#!/usr/bin/env python3
"""Measures satfilter beside OpenCV and libvips on this machine.

    peers.py calls    [--build DIR] [--size N] [--repeat N] [--json FILE]
    peers.py commands [--build DIR] [--size WxH] [--repeat N] [--json FILE]

calls:    library calls in one process, in turn (opencv_calls.cpp).
commands: a 15 x 15 mean over an RGB PNG, PNG level 1, whole processes in turn:
          wall time, peak memory, and how many samples are wrong.

DIR is where satfilter was built. Prints a Markdown table. Exits with 77 where a
peer is missing, and says which.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
WINDOW = 15

# What the project asks of itself: (name, window or None for all) -> factor on 1 and 2 threads.
TARGETS = {
    "box u8": (2.0, 3.5),
    "box f32": (2.0, None),
    "variance u8 to f32": (None, 3.0),
    "integral u8 to u32": (1.0, 1.5),
    "integral u8 to u32, squares to u64": (None, 2.5),
}


def skip(reason):
    print(f"peers.py: skipped: {reason}", file=sys.stderr)
    sys.exit(77)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"peers.py: {command[0]}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def compile_peer(name, folder, *flags):
    """Builds tests/bench/NAME.cpp against the OpenCV modules it needs, no more."""
    compiler = os.environ.get("CXX", "c++")
    if not shutil.which(compiler):
        skip(f"no C++ compiler ({compiler})")
    if not shutil.which("pkg-config") or subprocess.run(
            ["pkg-config", "--exists", "opencv4"]).returncode:
        skip("OpenCV 4 for C++ is missing (Debian: libopencv-dev)")
    includes = run("pkg-config", "--cflags", "opencv4").split()
    binary = pathlib.Path(folder) / name
    run(compiler, "-O2", "-std=c++17", *includes, f"-I{TOP / 'src'}", str(HERE / f"{name}.cpp"),
        "-o", str(binary), *flags, "-lopencv_imgcodecs", "-lopencv_imgproc", "-lopencv_core")
    return binary


def library_folder(build):
    for folder in (build / ".libs", build):
        if list(folder.glob("libsatfilter.so*")):
            return folder
    skip(f"no libsatfilter in {build}; build it, or name its folder with --build")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def write_json(path, records):
    if not path:
        return
    program = pathlib.Path(sys.argv[0]).name
    document = {
        "program": program,
        "command": " ".join([program] + sys.argv[1:]),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "device": {"kind": "cpu", "name": processor(), "driver": f"Linux {platform.release()}",
                   "threads": os.cpu_count()},
        "records": records,
    }
    pathlib.Path(path).write_text(json.dumps(document, indent=1) + "\n")


def verdict(record, threads, target):
    """The ratio of the medians (of the least times), and what it should be."""
    ratio = record[f"x_peer_{threads}"]
    least = record["peer_ms_min"] / record[f"ms_{threads}_min"]
    text = f"{ratio:.2f} ({least:.2f})"
    return text if target is None else f"{text}, {'met' if ratio >= target else 'missed'}: {target:g}"


def calls(arguments):
    folder = library_folder(arguments.build)
    size = int(arguments.size or 4096)
    with tempfile.TemporaryDirectory() as temporary:
        binary = compile_peer("opencv_calls", temporary, f"-L{folder}", "-lsatfilter",
                              f"-Wl,-rpath,{folder}")
        records = json.loads(run(str(binary), str(size), str(arguments.repeat)))
    print(f"{size} x {size}, medians of {arguments.repeat}, in ms; x: the peer's time (1 thread) "
          "over ours, of the medians and (of the least times)\n")
    print("| work | window | OpenCV | 1 thread | x | 2 threads | x | copy, 1 thread | x copy |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for r in records:
        r["width"] = r["height"] = size
        r["x_peer_1"] = round(r["peer_ms"] / r["ms_1"], 3)
        r["x_peer_2"] = round(r["peer_ms"] / r["ms_2"], 3)
        one, two = TARGETS[r["name"]]
        print(f"| {r['name']} | {r['window'] or '-'} | {r['peer_ms']:.2f} | {r['ms_1']:.2f} "
              f"| {verdict(r, 1, one)} | {r['ms_2']:.2f} | {verdict(r, 2, two)} "
              f"| {r['copy_ms']:.2f} | {r['ms_1'] / r['copy_ms']:.2f} |")
    write_json(arguments.json, records)


def timed(command, environment):
    """Wall milliseconds and peak MiB of one process; this one is small, so that the peak that
    a process inherits over fork and exec (Linux counts it) stays below what it needs itself."""
    start = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = (time.monotonic() - start) * 1e3
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"peers.py: {command[0]} failed with {process.returncode}")
    return wall, usage.ru_maxrss / 1024


def commands(arguments):
    width, height = (arguments.size or "1920x1080").split("x")
    environment = dict(os.environ)
    satfilter = arguments.build / ".libs" / "satfilter"  # not libtool's wrapper script
    if satfilter.exists():
        environment["LD_LIBRARY_PATH"] = str(library_folder(arguments.build))
    elif (arguments.build / "satfilter").exists():
        satfilter = arguments.build / "satfilter"
    else:
        skip(f"no satfilter in {arguments.build}; build it, or name its folder with --build")
    if not shutil.which("vips"):
        skip("vips is missing (Debian: libvips-tools)")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        opencv = compile_peer("opencv_box", temporary)
        picture = str(folder / "in.png")
        mask = folder / "mask.mat"
        mask.write_text(f"{WINDOW} 1 {WINDOW} 0\n" + " ".join(["1"] * WINDOW) + "\n")
        run(str(opencv), "--make", width, height, picture)
        outputs = {name: str(folder / f"{name}.png") for name in "abcd"}
        programs = {
            "satfilter --box 15": (
                [str(satfilter), "-q", "--png-level", "1", "--box", str(WINDOW), picture,
                 outputs["a"]], outputs["a"]),
            "vips convsep, integer": (
                ["vips", "convsep", picture, outputs["b"] + "[compression=1]", str(mask),
                 "--precision", "integer"], outputs["b"]),
            "the same, PNG filter up": (  # vips' own default, none, makes it slower
                ["vips", "convsep", picture, outputs["c"] + "[compression=1,filter=up]", str(mask),
                 "--precision", "integer"], outputs["c"]),
            "C++ OpenCV": ([str(opencv), str(WINDOW), picture, outputs["d"]], outputs["d"]),
        }
        walls = {name: [] for name in programs}
        peaks = {name: [] for name in programs}
        for sample in range(-1, arguments.repeat):  # sample -1 warms up
            for name, (command, _) in programs.items():
                wall, peak = timed(command, environment)
                if sample >= 0:
                    walls[name].append(wall)
                    peaks[name].append(peak)
        print(f"{width} x {height} RGB PNG, {WINDOW} x {WINDOW}, level 1, whole processes, medians "
              f"of {arguments.repeat}\n")
        print("| command | wall ms | least | peak MiB | output KiB | wrong samples | off by |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        records = []
        for name, (_, output) in programs.items():
            wrong, most = run(str(opencv), "--errors", str(WINDOW), picture, output).split()
            samples = 3 * int(width) * int(height)
            record = {
                "name": name, "width": int(width), "height": int(height), "window": WINDOW,
                "ms": round(statistics.median(walls[name]), 2), "ms_min": round(min(walls[name]), 2),
                "peak_mib": round(max(peaks[name]), 1),
                "output_bytes": os.path.getsize(output),
                "wrong_samples": int(wrong), "off_by": int(most),
            }
            records.append(record)
            print(f"| {name} | {record['ms']:.1f} | {record['ms_min']:.1f} | {record['peak_mib']:.1f} "
                  f"| {record['output_bytes'] / 1024:.0f} | {int(wrong) / samples:.1%} | {most} |")
    write_json(arguments.json, records)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calls", "commands"])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path.cwd())
    parser.add_argument("--size")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    {"calls": calls, "commands": commands}[arguments.what](arguments)


if __name__ == "__main__":
    main()
