#!/usr/bin/env python3
"""What a second CUDA device is worth to a batch.

    devices.py SATFILTER [--repeat N] [--work FOLDER] [--json FILE] [CASE...]

Runs the box and the chain of auto.py with --device cuda:0, cuda:1, cuda:0,1 and cuda:all in turn,
every second turn backwards. Prints the least time of each, that of cuda:all over that of the faster
device alone, and how many files each device did. All outputs are compared, those of the CPU too:
the pictures are of integers. A machine of fewer than two devices is refused, and so is a run of
cuda:all that leaves one without work. A case is named by a part of its name.
"""
import pathlib
import sys
import tempfile

import auto
import batch

PICTURES = {  # as in batch.py
    "200 JPEG of 1920 x 1080": batch.SETS["200 JPEG of 1920 x 1080"],
    "100 PPM of 4000 x 3000": (100, 4, 4000, 3000, "ppm", 8),  # whose codecs take no time
    "4 JPEG of 8192 x 8192, in bands": (4, 1, 8192, 8192, "jpg", 8),
    "4 PNG of 8192 x 8192, in bands": (4, 1, 8192, 8192, "png", 8),
}
ONE = ("cuda:0", "cuda:1")
BOTH = ("cuda:0,1", "cuda:all")


def check(record):
    """Each device has done files, and by itself all of them."""
    for device in ONE:
        if record["took"][device] != {device: record["files"]}:
            sys.exit(f"{record['case']}: --device {device} ran on {record['took'][device]}")
    for devices in BOTH:
        if set(record["took"][devices]) != set(ONE):
            sys.exit(f"{record['case']}: --device {devices} ran on {record['took'][devices]}")


def main():
    parser = batch.parser_for(__doc__)
    parser.add_argument("case", nargs="*")
    options = parser.parse_intermixed_args()
    cards = auto.cards()
    if len(cards) != len(ONE):
        sys.exit(f"this machine has {len(cards)} CUDA devices, not {len(ONE)}")
    records = []
    for picture, shape in PICTURES.items():
        with tempfile.TemporaryDirectory(dir=options.work) as work:
            folder = pathlib.Path(work)
            names = []
            for title, filters in (("box", auto.BOX), ("chain", auto.CHAIN)):
                name = f"{title}: {picture}"
                if options.case and not any(part in name for part in options.case):
                    continue
                names = names or batch.make(folder / "in", *shape)
                auto.run(options.satfilter, "cpu", filters, names, folder / "cpu")
                record = auto.measure(options.satfilter, name, filters, folder, names,
                                      options.repeat, (*ONE, *BOTH))
                if not batch.same(folder / "cpu", folder / "cuda:0"):
                    sys.exit(f"{name}: the CPU's outputs differ")
                check(record)
                one = min(record[f"{device}_s"] for device in ONE)
                record["over_one"] = record["cuda:all_s"] / one
                records.append(record)
                print(f"{name}: " + ", ".join(f"{device} {record[f'{device}_s']:.3f} s"
                                              for device in (*ONE, *BOTH)) +
                      f"; cuda:all takes {record['over_one']:.2f} of one, "
                      f"{record['took']['cuda:all']}", flush=True)
                if options.json:  # what is measured stays if the rest is not
                    batch.write(records, options.json, cards)
    batch.write(records, options.json, cards)


if __name__ == "__main__":
    main()
