#!/usr/bin/env python3
"""Whether --device auto takes what is faster.

    auto.py SATFILTER [--repeat N] [--work FOLDER] [--json FILE] [CASE...]

Makes pictures from samples/ (python3 with cv2 and numpy) and runs every case with --device cpu,
cuda and auto in turn. Prints the least time of each, and that of auto over the better of the other
two. All outputs are compared. A case is named by a part of its name.
"""
import pathlib
import sys
import tempfile

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


def measure(satfilter, name, filters, folder, names, repeat):
    best = {}
    for _ in range(repeat):
        for device in DEVICES:
            out = folder / device
            command = [satfilter, "-qf", "--png-level", "1"] if ".png" in names[0] else [satfilter, "-qf"]
            command += ["--device", device] + filters + names + ["-o", f"{out}/"]
            seconds = batch.run(command)[0]
            best[device] = min(best.get(device, seconds), seconds)
    if not all(batch.same(folder / "cpu", folder / device) for device in DEVICES[1:]):
        sys.exit(f"{name}: the outputs differ")
    return {"case": name, "files": len(names), **{f"{key}_s": best[key] for key in DEVICES},
            "over_better": best["auto"] / min(best["cpu"], best["cuda"])}


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
                records.append(record)
                print(f"{name}: cpu {record['cpu_s']:.3f} s, cuda {record['cuda_s']:.3f}, "
                      f"auto {record['auto_s']:.3f}, {record['over_better']:.2f} of the better",
                      flush=True)
    batch.write(records, options.json)


if __name__ == "__main__":
    main()
