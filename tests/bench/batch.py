#!/usr/bin/env python3
"""Batches of files: on all threads, by each --device, and on two devices.

    batch.py threads SATFILTER [--threads 16] [--scale PERCENT] ...   beside as many processes of one thread, by xargs
    batch.py auto SATFILTER ...   by --device cpu, cuda and auto: whether auto takes what is faster
    batch.py two SATFILTER ...    on cuda:0, cuda:1 and both: what a second device is worth; refused without one

all: [--repeat N] [--work FOLDER] [--json FILE] [CASE...], a case being named by a part of its name. Makes its pictures
from samples/ (python3 with cv2 and numpy). All take turns, every second one backwards, so that none always runs behind
a process with CUDA; the least time of each counts. All outputs are compared.
"""
import json
import math
import pathlib
import shutil
import subprocess
import tempfile
import time

import measure

BOX = ["--box", "31"]
CHAIN = ["--box", "255", "--unsharp", "127", "--guided", "101", "--box", "151", "--unsharp", "63"]
SETS = {  # name: pictures, different ones among them, width, height, suffix, bits
    "200 JPEG of 1920 x 1080": (200, 20, 1920, 1080, "jpg", 8),
    "1000 PNG of 512 x 512": (1000, 20, 512, 512, "png", 8),
    "50 JPEG of 4000 x 3000": (50, 10, 4000, 3000, "jpg", 8),
    "20 PNG of 4000 x 3000, 16 bits": (20, 5, 4000, 3000, "png", 16),
}
PICTURES = {
    "threads": SETS,
    "auto": {
        "a PNG of 512 x 512": (1, 1, 512, 512, "png", 8),
        "a PNG of 1500 x 1000": (1, 1, 1500, 1000, "png", 8),
        "a JPEG of 3840 x 2160": (1, 1, 3840, 2160, "jpg", 8),
        "a PNG of 7000 x 5000, 16 bits": (1, 1, 7000, 5000, "png", 16),
        "a JPEG of 16000 x 16000": (1, 1, 16000, 16000, "jpg", 8),
        "a grey PNG of 16384 x 16384": (1, 1, 16384, 16384, "grey.png", 8), **SETS},
    "two": {
        "200 JPEG of 1920 x 1080": SETS["200 JPEG of 1920 x 1080"],
        "100 PPM of 4000 x 3000": (100, 4, 4000, 3000, "ppm", 8),  # whose codecs take no time
        "4 JPEG of 8192 x 8192, in bands": (4, 1, 8192, 8192, "jpg", 8),
        "4 PNG of 8192 x 8192, in bands": (4, 1, 8192, 8192, "png", 8)}}
# The last is judged by the better of the first two.
DEVICES = {"auto": ("cpu", "cuda", "auto"), "two": ("cuda:0", "cuda:1", "cuda:0,1", "cuda:all")}
LEAST_S = 4  # of turns by devices


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
    import cv2

    folder.mkdir()
    kind = cv2.IMREAD_GRAYSCALE if suffix.startswith("grey") else cv2.IMREAD_COLOR
    source = cv2.imread(str(measure.TOP / "samples" / "scene.png"), kind)
    names = []
    for number in range(count):
        name = folder / f"{number:04d}.{suffix}"
        if number < different:
            options = [cv2.IMWRITE_JPEG_QUALITY, 90] if suffix == "jpg" else []
            cv2.imwrite(str(name), picture(source, number, width, height, bits), options)
        else:
            shutil.copy(names[number % different], name)
        names.append(name)


def rounds(options, calls, least_s=0):
    """(what each returned at its quickest, turns)."""
    best, turns, start = {}, 0, time.monotonic()
    while turns < options.repeat or time.monotonic() < start + least_s:
        for name in list(calls)[::-1] if turns % 2 else calls:
            found = calls[name]()
            best[name] = min(best.get(name, found), found, key=lambda one: one[0])
        turns += 1
    return best, turns


def alike(case, folder, names):
    if not all(measure.same(folder / names[0], folder / name) for name in names[1:]):
        measure.fail(f"{case}: the outputs differ")


def by_threads(options, case, _, folder, names):
    """Beside processes of one thread that take all of their share at once, or a quarter."""
    words, threads = [options.satfilter, "-q", *BOX], options.threads
    shares = {math.ceil(len(names) / threads), math.ceil(len(names) / threads / 4)}
    calls = {"batch": lambda: measure.process(words + ["-T", str(threads), *names, "-o", str(folder / "batch")]),
             "one": lambda: measure.process(words + ["-T", "1", *names, "-o", str(folder / "one")])}
    for n in shares:
        peer = ["xargs", "-0", f"-P{threads}", f"-n{n}", *words, "-T", "1", "-o", str(folder / "peer")]
        calls[f"peer {n}"] = lambda peer=peer: measure.process(peer, names)
    best, _ = rounds(options, calls)
    alike(case, folder, ("batch", "peer", "one"))
    batch, one, peer = best["batch"], best["one"], min(best[f"peer {n}"] for n in shares)
    return {"set": case, "threads": threads, "files": len(names), "s": batch[0], "files_per_s": len(names) / batch[0],
            "peer_s": peer[0], "rate_over_peer": peer[0] / batch[0], "one_thread_s": one[0],
            "times_one_thread": one[0] / batch[0], "cpu_s": batch[1], "peer_cpu_s": peer[1], "peak_mib": batch[2],
            "one_thread_peak_mib": one[2]}


def by_device(options, device, filters, names, out):
    """Seconds, the files of each device by the command's report, and its stages."""
    level = ["--png-level", "1"] if names[0].endswith(".png") else []
    with open(f"{out}.json", "w+", encoding="utf-8") as report:
        seconds = measure.process([options.satfilter, "-qf", "--json", *level, "--device", device, *filters, *names,
                                   "-o", f"{out}/"], stdout=report)[0]
        report.seek(0)
        files = [json.loads(line) for line in report]
    took = {}
    for file in files[:-1]:  # the last is the summary
        name = file["device"]
        name += f":{file['device_number']}" if "device_number" in file else ""
        took[name] = took.get(name, 0) + 1
    return seconds, took, files[-1]["summary"]["stages"]


def by_devices(options, case, filters, folder, names):
    devices = DEVICES[options.what]
    best, turns = rounds(options, {device: lambda d=device: by_device(options, d, filters, names, folder / d)
                                   for device in devices}, LEAST_S)
    if "cpu" not in devices:  # integers: the same bits
        by_device(options, "cpu", filters, names, folder / "cpu")
    alike(case, folder, ("cpu", *devices))
    took = {device: found[1] for device, found in best.items()}
    if options.what == "two":  # each has done files, and by itself all of them
        for device in devices:
            if set(took[device]) != ({device} if device in devices[:2] else set(devices[:2])):
                measure.fail(f"{case}: --device {device} ran on {took[device]}")
    return {"case": case, "files": len(names), "turns": turns,
            **{f"{device}_s": found[0] for device, found in best.items()},
            "over_better": best[devices[-1]][0] / min(best[device][0] for device in devices[:2]), "took": took,
            "stages_ms": {device: found[2] for device, found in best.items()}}


def cards():
    """The names of the machine's CUDA devices."""
    listed = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                            stdout=subprocess.PIPE, text=True, check=True)
    return listed.stdout.split("\n")[:-1]


def main():
    parser = measure.parser_of(__doc__, repeat=3, work=None)
    parser.add_argument("what", choices=PICTURES)
    parser.add_argument("satfilter", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("case", nargs="*")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--scale", type=int, default=100, help="percent of the pictures")
    options = parser.parse_intermixed_args()
    alone = options.what == "threads"
    more = {} if alone else {"cards": cards()}
    if options.what == "two" and len(more["cards"]) != 2:
        measure.fail(f"this machine has {len(more['cards'])} CUDA devices, not 2")
    records = []
    for title, (count, different, *shape) in PICTURES[options.what].items():
        cases = [(title, BOX)] if alone else [(f"box: {title}", BOX), (f"chain: {title}", CHAIN)]
        cases = [one for one in cases if not options.case or any(part in one[0] for part in options.case)]
        with tempfile.TemporaryDirectory(dir=options.work) as work:
            folder = pathlib.Path(work)
            if cases:
                count = max(count * options.scale // 100, options.threads if alone else 1)
                measure.in_child(make, folder / "in", count, different, *shape)
                names = sorted(str(name) for name in (folder / "in").iterdir())
            for case, filters in cases:
                records.append((by_threads if alone else by_devices)(options, case, filters, folder, names))
                print("; ".join(f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}"
                                for key, value in records[-1].items() if key != "stages_ms"), flush=True)
                measure.write(options.json, records, **more)  # what is measured stays if the rest is not


if __name__ == "__main__":
    main()
