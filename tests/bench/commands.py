#!/usr/bin/env python3
"""Whole commands from PNG to PNG through a mean over a window, beside libvips and OpenCV.

    commands.py box [--size 1920x1080 ...] [--levels 1] [--cores N]   RGB, as a photograph mixes flat and fine
    commands.py png [--size ...] [--levels 1 6] [--cores N ...]       the same, and how writing scales: PPM to PNG
    commands.py large [--size 32768x16384] [--window 15] [--keep FILE]   grey: waves under noise of two bits

all: [--build DIR] [--repeat N] [--work FOLDER] [--json FILE]. Programs take turns, each on as many cores as it has
threads. Prints wall and processor time (medians; ms_min in records is the least), peak memory, size, and how many
samples are not the exact mean, rounded to nearest, which large leaves out. It needs vips, numpy and cv2, box a C++
compiler with OpenCV 4 as well; exits with 77 if one is missing. 65536 x 65536 takes 1.5 GB.
"""
import os
import shutil
import statistics
import struct
import zlib

import measure


def mixed(picture, width, height):
    """Octaves of noise, coarse ones strong, and a grain of two grey levels; a PPM beside it."""
    import cv2
    import numpy as np

    random = np.random.default_rng(1)
    image = np.full((height, width, 3), 128, np.float32)
    for cell in (2 ** k for k in range(9, 0, -1)):
        octave = random.normal(0, 2 * cell ** 0.5, (height // cell + 2, width // cell + 2, 3)).astype(np.float32)
        image += cv2.resize(octave, (width, height), interpolation=cv2.INTER_CUBIC)
    for y in range(0, height, 256):
        part = image[y:y + 256]
        part += random.normal(0, 2, part.shape).astype(np.float32)
    image = np.clip(image, 0, 255).astype(np.uint8)
    cv2.imwrite(picture, image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    cv2.imwrite(picture.replace(".png", ".ppm"), image)


def waves(picture, width, height):
    """By rows, so that it packs to a third."""
    import numpy as np

    noise = np.random.default_rng(1).integers(0, 4, size=(64, width), dtype=np.uint8)
    across = (80 * np.sin(np.arange(width) / 700)).astype(int)
    packer = zlib.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_RLE)
    above = np.zeros((1, width), np.uint8)
    with open(picture, "wb") as file:

        def chunk(name, data):
            file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))

        file.write(b"\x89PNG\r\n\x1a\n")
        chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        for y in range(0, height, 64):
            down = (40 * np.cos(np.arange(y, min(y + 64, height)) / 900)).astype(int)
            rows = (across + down[:, None] + 128).astype(np.uint8)
            rows += np.roll(noise[:len(rows)], y, axis=1)
            up = rows - np.vstack([above, rows[:-1]])
            above = rows[-1:]
            packed = packer.compress(np.insert(up, 0, 2, axis=1).tobytes())
            if packed:
                chunk(b"IDAT", packed)
        chunk(b"IDAT", packer.flush())
        chunk(b"IEND", b"")


def errors(picture, output, window, found):
    """Writes into a file how many samples of the output are not the exact mean, and by how much at most."""
    import cv2
    import numpy as np

    image, got = (cv2.imread(name, cv2.IMREAD_UNCHANGED) for name in (picture, output))
    before = window // 2
    wide = cv2.copyMakeBorder(image, *[before, window - 1 - before] * 2, cv2.BORDER_REPLICATE)
    table = cv2.integral(wide, sdepth=cv2.CV_64F)
    sums = table[window:, window:] - table[:-window, window:] - table[window:, :-window] + table[:-window, :-window]
    off = np.abs((2 * sums + window ** 2) // (2 * window ** 2) - got)
    with open(found, "w", encoding="ascii") as file:
        file.write(f"{np.count_nonzero(off)} {int(off.max())}")


def programs(o, folder, picture, level, cores, opencv):
    """{name: (command, output)}."""
    mask, window = os.path.join(folder, "mask.mat"), o.window
    with open(mask, "w", encoding="ascii") as file:
        file.write(f"{window} 1 {window} 0\n" + "1 " * window + "\n")
    outputs = {name: os.path.join(folder, name + ".png") for name in ("ours", "none", "up", "all", "opencv", "writing")}
    made = {"satfilter": ([o.satfilter, "-q", "-T", str(cores), "--max-pixels", "8G", "--png-level", str(level),
                           "--box", str(window), picture, outputs["ours"]], outputs["ours"])}
    # vips' default at level 1, none, makes it slower than up; at 6 all packs as well as ours.
    for name in ("none",) if o.what == "large" else ("none", "up") if level == 1 else ("all",):
        target = f"{outputs[name]}[compression={level},filter={name}]"
        made[f"vips convsep, {name}"] = (["vips", "convsep", picture, target, mask, "--precision", "integer"],
                                         outputs[name])
    if opencv:
        made["C++ OpenCV"] = ([opencv, str(window), picture, outputs["opencv"]], outputs["opencv"])
    if o.what == "png":
        made["writing"] = ([o.satfilter, "-q", "-T", str(cores), "--png-level", str(level), "--flip", "h",
                            picture.replace(".png", ".ppm"), outputs["writing"]], outputs["writing"])
    return made


def measured(o, folder, picture, size, level, cores, opencv):
    """A record for each program."""
    made = programs(o, folder, picture, level, cores, opencv)
    environment = dict(o.environment, VIPS_CONCURRENCY=str(cores))
    found = measure.in_turn({name: lambda c=command: measure.process(c, cores=cores, env=environment)
                             for name, (command, _) in made.items()}, o.repeat)
    for name, runs in found.items():
        walls, busy, peaks = zip(*runs)
        output = made[name][1]
        record = {"size": size, "window": o.window, "cores": cores, "level": level, "name": name,
                  "ms": round(1e3 * statistics.median(walls), 2), "ms_min": round(1e3 * min(walls), 2),
                  "cpu_ms": round(1e3 * statistics.median(busy), 2), "peak_mib": round(max(peaks), 1),
                  "output_bytes": os.path.getsize(output)}
        if o.what == "box":
            measure.process(made[name][0], env=environment)  # another may have the same output
            measure.in_child(errors, picture, output, o.window, os.path.join(folder, "errors"))
            with open(os.path.join(folder, "errors"), encoding="ascii") as file:
                record["wrong_samples"], record["off_by"] = map(int, file.read().split())
        yield record


def main():
    parser = measure.parser_of(__doc__, build=".", repeat=7, work=None)
    there = len(os.sched_getaffinity(0))
    parser.add_argument("what", choices=["box", "png", "large"])
    parser.add_argument("--size", nargs="+")
    parser.add_argument("--window", type=int, default=15)
    parser.add_argument("--levels", nargs="+", type=int)
    parser.add_argument("--cores", nargs="+", type=int)
    parser.add_argument("--keep", help="make the large picture here, or take it from here")
    o = parser.parse_args()
    o.satfilter, o.environment = measure.program_of(o.build)
    if not shutil.which("vips"):
        measure.skip("vips is missing (Debian: libvips-tools)")
    scales = [n for n in (1, 2, 4, 8, 16, 32) if n <= there]
    sizes = {"box": ["1920x1080"], "png": ["1920x1080", "8192x8192"], "large": ["32768x16384"]}[o.what]
    records = []
    for size in o.size or sizes:
        with measure.folder_for(o.work) as folder:
            picture = o.keep or os.path.join(folder, "in.png")
            if not os.path.exists(picture):
                measure.in_child(waves if o.what == "large" else mixed, picture, *map(int, size.split("x")))
            opencv = measure.compile_cpp("opencv_box", folder) if o.what == "box" else None
            for cores in o.cores or (scales if o.what == "png" else [there]):
                for level in o.levels or ([1, 6] if o.what == "png" else [1]):
                    records += measured(o, folder, picture, size, level, cores, opencv)
    print(f"PNG to PNG, {o.window} x {o.window}, medians of {o.repeat}\n")
    head = list(records[0])
    measure.table(head, [list(record.values()) for record in records])
    measure.write(o.json, records)


if __name__ == "__main__":
    main()
