#!/usr/bin/env python3
"""How a batch of satfilter fares against as many processes of one thread each.

    batch.py SATFILTER THREADS [--repeat N] [--scale PERCENT] [--work FOLDER] [--json FILE]

Makes its pictures from samples/ (python3 with cv2 and numpy), filters each set by
`satfilter --box 31 -T THREADS FILES -o DIR`, and by xargs with THREADS processes at a time of
`satfilter --box 31 -T 1`, in turn, and prints the least time of each. All outputs are compared.
"""
import argparse
import filecmp
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETS = {  # name: pictures, different ones among them, width, height, suffix, bits
    "200 JPEG of 1920 x 1080": (200, 20, 1920, 1080, "jpg", 8),
    "1000 PNG of 512 x 512": (1000, 20, 512, 512, "png", 8),
    "50 JPEG of 4000 x 3000": (50, 10, 4000, 3000, "jpg", 8),
    "20 PNG of 4000 x 3000, 16 bits": (20, 5, 4000, 3000, "png", 16),
}


def picture(source, number, width, height, bits):
    """A part of the source, moved and enlarged, with the grain of a camera."""
    import cv2
    import numpy

    random = numpy.random.default_rng(number)
    tall, wide = source.shape[:2]
    part_w = wide * 3 // 4
    part_h = min(tall, part_w * height // width)
    x, y = random.integers(wide - part_w + 1), random.integers(tall - part_h + 1)
    part = source[y:y + part_h, x:x + part_w]
    image = cv2.resize(part, (width, height), interpolation=cv2.INTER_CUBIC).astype(numpy.float32)
    image += random.normal(0, 3, image.shape).astype(numpy.float32)
    top = 2 ** bits - 1
    return numpy.clip(image * (top / 255), 0, top).astype(numpy.uint16 if bits > 8 else numpy.uint8)


def make(folder, count, different, width, height, suffix, bits):
    """In a process of its own: the peak of one that is started counts the memory of its parent."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            make_here(folder, count, different, width, height, suffix, bits)
            code = 0
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1]:
        sys.exit("the pictures could not be made")
    return sorted(str(name) for name in folder.iterdir())


def make_here(folder, count, different, width, height, suffix, bits):
    import cv2

    folder.mkdir()
    source = cv2.imread(str(ROOT / "samples" / "scene.png"), cv2.IMREAD_COLOR)
    names = []
    for number in range(count):
        name = folder / f"{number:04d}.{suffix}"
        if number < different:
            options = [cv2.IMWRITE_JPEG_QUALITY, 90] if suffix == "jpg" else []
            cv2.imwrite(str(name), picture(source, number, width, height, bits), options)
        else:
            shutil.copy(names[number % different], name)
        names.append(name)


def run(command, names=None, stdout=None):
    """Seconds by the clock, those of processors, and the largest memory of a process, in MiB."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.PIPE if names else subprocess.DEVNULL,
                             stdout=stdout)
    if names:
        child.stdin.write("\0".join(names).encode())
        child.stdin.close()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    if status:
        sys.exit(f"{' '.join(command[:8])} ...: status {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def same(a, b):
    return sorted(os.listdir(a)) == sorted(os.listdir(b)) and all(
        filecmp.cmp(a / name, b / name, shallow=False) for name in os.listdir(a))


def measure(options, name, folder, names):
    filter_by = [options.satfilter, "-q", "--box", "31"]
    batch = filter_by + ["-T", str(options.threads)] + names + ["-o", str(folder / "batch")]
    each = {math.ceil(len(names) / options.threads), math.ceil(len(names) / options.threads / 4)}
    best = {}

    def keep(key, result):
        best[key] = min(best.get(key, result), result)

    for _ in range(options.repeat):
        keep("batch", run(batch))
        for n in each:
            keep("peer", run(["xargs", "-0", f"-P{options.threads}", f"-n{n}"] + filter_by +
                             ["-T", "1", "-o", str(folder / "peer")], names))
        keep("one", run(filter_by + ["-T", "1"] + names + ["-o", str(folder / "one")]))
    if not same(folder / "batch", folder / "peer") or not same(folder / "batch", folder / "one"):
        sys.exit(f"{name}: the outputs differ")
    return {"set": name, "threads": options.threads, "files": len(names),
            "s": best["batch"][0], "files_per_s": len(names) / best["batch"][0],
            "peer_s": best["peer"][0], "rate_over_peer": best["peer"][0] / best["batch"][0],
            "one_thread_s": best["one"][0], "times_one_thread": best["one"][0] / best["batch"][0],
            "cpu_s": best["batch"][1], "peer_cpu_s": best["peer"][1],
            "peak_mib": best["batch"][2], "one_thread_peak_mib": best["one"][2]}


def parser_for(description):
    """The arguments of every script that measures whole commands."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("satfilter", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--work", help="a folder for pictures, such as /dev/shm")
    parser.add_argument("--json", help="a file for the records")
    return parser


def write(records, path, cards=()):
    """To the file, or to standard output; with the names of the CUDA devices that took part."""
    document = {"command": " ".join(sys.argv), "cores": os.cpu_count(),
                **({"cards": cards} if cards else {}), "records": records}
    text = json.dumps(document, indent=1)
    if path:
        pathlib.Path(path).write_text(text + "\n")
    else:
        print(text)


def main():
    parser = parser_for(__doc__)
    parser.add_argument("threads", type=int)
    parser.add_argument("--scale", type=int, default=100, help="percent of the pictures")
    options = parser.parse_args()
    records = []
    for name, (count, different, *shape) in SETS.items():
        with tempfile.TemporaryDirectory(dir=options.work) as work:
            folder = pathlib.Path(work)
            count = max(count * options.scale // 100, options.threads)
            names = make(folder / "in", count, different, *shape)
            record = measure(options, name, folder, names)
        records.append(record)
        print(f"{name}: {record['s']:.2f} s, {record['files_per_s']:.1f} a second, "
              f"{record['rate_over_peer']:.3f} of the rate of {options.threads} processes, "
              f"{record['times_one_thread']:.2f} times one thread, "
              f"processors {record['cpu_s']:.2f} s to {record['peer_cpu_s']:.2f}, "
              f"peak {record['peak_mib']:.0f} MiB (one thread {record['one_thread_peak_mib']:.0f})",
              flush=True)
    write(records, options.json)


if __name__ == "__main__":
    main()
