#!/usr/bin/env python3
"""Whether --device auto takes what is faster.

    auto.py SATFILTER [--repeat N] [--work FOLDER] [--json FILE] [CASE...]

Makes pictures from samples/ (python3 with cv2 and numpy) and runs every case with --device cpu,
cuda and auto in turn, N times and for four seconds at least. Every second turn goes backwards, so
that none always runs behind a process with CUDA. Prints the least time of each, that of auto over
the better of the other two, and what auto took. All outputs are compared. A case is named by a part
of its name.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import batch

BOX = ["--box", "31"]
CHAIN = ["--box", "255", "--unsharp", "127", "--guided", "101", "--box", "151", "--unsharp", "63"]
PICTURES = {  # name: files, different ones among them, width, height, suffix, bits
    "a PNG of 512 x 512": (1, 1, 512, 512, "png", 8),
    "a PNG of 1500 x 1000": (1, 1, 1500, 1000, "png", 8),
    "a JPEG of 3840 x 2160": (1, 1, 3840, 2160, "jpg", 8),
    "a PNG of 7000 x 5000, 16 bits": (1, 1, 7000, 5000, "png", 16),
    "a JPEG of 16000 x 16000": (1, 1, 16000, 16000, "jpg", 8),
    "a grey PNG of 16384 x 16384": (1, 1, 16384, 16384, "pgm", 8),
}
for NAME, SHAPE in batch.SETS.items():
    PICTURES[NAME] = SHAPE
DEVICES = ("cpu", "cuda", "auto")
LEAST_S = 4


def command(satfilter, device, filters, names, out):
    level = ["--png-level", "1"] if names[0].endswith(".png") else []
    return [satfilter, "-qf", "--json", *level, "--device", device, *filters, *names,
            "-o", f"{out}/"]


def run(satfilter, device, filters, names, out):
    """Seconds, and the files of each device by the command's report."""
    with open(f"{out}.json", "w+", encoding="utf-8") as report:
        seconds = batch.run(command(satfilter, device, filters, names, out), stdout=report)[0]
        report.seek(0)
        files = [json.loads(line) for line in report]
    took = {}
    for file in files[:-1]:  # the last is the summary
        name = file["device"]
        name += f":{file['device_number']}" if "device_number" in file else ""
        took[name] = took.get(name, 0) + 1
    return seconds, took, files[-1]["summary"]["stages"]


def measure(satfilter, name, filters, folder, names, repeat, devices=DEVICES):
    """For each device its least time, and what worked then."""
    best, turns, start = {}, 0, time.monotonic()
    while turns < repeat or time.monotonic() < start + LEAST_S:
        for device in devices[::-1] if turns % 2 else devices:
            found = run(satfilter, device, filters, names, folder / device)
            best[device] = min(best.get(device, found), found, key=lambda one: one[0])
        turns += 1
    if not all(batch.same(folder / devices[0], folder / device) for device in devices[1:]):
        sys.exit(f"{name}: the outputs differ")
    return {"case": name, "files": len(names), "turns": turns,
            **{f"{device}_s": found[0] for device, found in best.items()},
            "took": {device: found[1] for device, found in best.items()},
            "stages_ms": {device: found[2] for device, found in best.items()}}


def cards():
    """The names of the machine's CUDA devices."""
    listed = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                            stdout=subprocess.PIPE, text=True, check=True)
    return listed.stdout.split("\n")[:-1]


def grey(folder, width, height):
    """One picture of a channel, which batch.make() does not make."""
    import cv2
    path = folder / "in"
    path.mkdir()
    source = cv2.imread(str(batch.ROOT / "samples" / "scene.png"), cv2.IMREAD_GRAYSCALE)
    image = cv2.resize(source, (width, height), interpolation=cv2.INTER_CUBIC)
    cv2.imwrite(str(path / "0.png"), image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    return [str(path / "0.png")]


def main():
    parser = batch.parser_for(__doc__)
    parser.add_argument("case", nargs="*")
    options = parser.parse_intermixed_args()
    records = []
    for picture, (count, different, width, height, suffix, bits) in PICTURES.items():
        wanted = [(f"{title}: {picture}", filters) for title, filters in
                  (("box", BOX), ("chain", CHAIN))]
        wanted = [one for one in wanted
                  if not options.case or any(part in one[0] for part in options.case)]
        if not wanted:
            continue
        with tempfile.TemporaryDirectory(dir=options.work) as work:
            folder = pathlib.Path(work)
            names = (grey(folder, width, height) if suffix == "pgm" else
                     batch.make(folder / "in", count, different, width, height, suffix, bits))
            for name, filters in wanted:
                record = measure(options.satfilter, name, filters, folder, names,
                                 options.repeat)
                record["over_better"] = record["auto_s"] / min(record["cpu_s"], record["cuda_s"])
                records.append(record)
                print(f"{name}: cpu {record['cpu_s']:.3f} s, cuda {record['cuda_s']:.3f}, "
                      f"auto {record['auto_s']:.3f}, {record['over_better']:.2f} of the better "
                      f"in {record['turns']} turns; auto took {record['took']['auto']}",
                      flush=True)
                if options.json:  # what is measured stays if the rest is not
                    batch.write(records, options.json, cards())
    batch.write(records, options.json, cards())


if __name__ == "__main__":
    main()
