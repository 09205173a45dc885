#!/usr/bin/env python3
"""What others read in TIFFs that satfilter has written: stacks by tifffile, EXIF by exiftool.

    tiff_tags.py COMMAND

Needs tifffile and exiftool. Prints what differs from the file that it was made of; status 1 then.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import tifffile

COMMAND = sys.argv[1]
PIXELS = np.random.default_rng(1).integers(0, 65535, (2, 3, 4, 24, 32), dtype="u2")
differences = []


def check(what, got, want):
    if got != want:
        differences.append(what)
        print(f"{what}: {got!r} instead of {want!r}")


def run(*words):
    subprocess.run([COMMAND, "-q", "-f", *map(str, words)], check=True)


def described(path):
    """Kind, axes, shape and samples of a stack, and what its description says."""
    with tifffile.TiffFile(path) as file:
        s = file.series[0]
        return s.kind, s.axes, s.shape, s.dtype.name, file.ome_metadata or file.imagej_metadata


def ome(work):
    path, out = work / "a.ome.tif", work / "b.ome.tif"
    tifffile.imwrite(path, PIXELS, ome=True, metadata={
        "axes": "TZCYX", "PhysicalSizeX": 0.25, "PhysicalSizeY": 0.5, "Channel": {"Name": list("abcd")}})
    was = described(path)
    run("--box", 3, path, out)
    check("OME, box", described(out), was)
    for name, word in (("u8", "uint8"), ("f32", "float"), ("f64", "double")):
        run("--box", 3, "--type", name, path, out)
        check(f"OME as {name}", described(out)[:2] + described(out)[4:],
              was[:2] + (was[4].replace('"uint16"', f'"{word}"'),))
        check(f"OME as {name}, its samples", described(out)[3], {"u8": "uint8"}.get(name, "float" + name[1:]))
    run("--rotate", 90, path, out)
    kind, axes, shape, _, text = described(out)
    check("OME, turned", (kind, axes, shape), ("ome", "TZCYX", (2, 3, 4, 32, 24)))
    check("OME's sides, turned", sorted(re.findall(r' ((?:Physical)?Size[XY]="[^"]*")', text)),
          ['PhysicalSizeX="0.5"', 'PhysicalSizeY="0.25"', 'SizeX="24"', 'SizeY="32"'])
    run("--box", 3, "--page", 1, path, out)
    check("OME, a page", described(out)[:3], ("uniform", "YX", (24, 32)))


def stacks(work):
    path, out = work / "a.tif", work / "b.tif"
    for order in "<>":
        tifffile.imwrite(path, PIXELS[0], imagej=True, byteorder=order, metadata={
            "axes": "ZCYX", "Info": "h\u00e9llo", "Labels": [f"l{i}" for i in range(12)],
            "Ranges": [0.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]})
        run("--box", 3, path, out)
        check(f"ImageJ {order}", described(out), described(path))
    tifffile.imwrite(path, PIXELS, photometric="minisblack", metadata={"axes": "TZCYX"})
    run("--box", 3, path, out)
    check("tifffile's own", described(out), described(path))


def geo(work):
    path, out = work / "a.tif", work / "b.tif"
    tags = {33550: ("d", 3, (1.5, 2.5, 0.0)), 33922: ("d", 6, (0.0, 0.0, 0.0, 100.25, 200.5, 0.0)),
            34735: ("H", 8, (1, 1, 0, 1, 1024, 0, 1, 1)), 34737: ("s", 0, "WGS 84|"), 42113: ("s", 0, "9")}
    for order in "<>":
        for big in (False, True):
            tifffile.imwrite(path, PIXELS[0, 0, 0], byteorder=order, bigtiff=big,
                             extratags=[(tag, *value, True) for tag, value in tags.items()])
            run("--box", 3, path, out)
            with tifffile.TiffFile(out) as file, tifffile.TiffFile(path) as was:
                for tag in tags:
                    check(f"tag {tag}, {order}", file.pages[0].tags[tag].value, was.pages[0].tags[tag].value)


def numbers(work):
    """Pages that have numbers are counted anew, one alone has none."""
    path, out = work / "a.tif", work / "b.tif"
    with tifffile.TiffWriter(path) as file:
        for page in range(4):
            number = [(297, "H", 2, (page + 10, 99), True)] if page != 1 else []
            file.write(PIXELS[0, 0, page], metadata=None, extratags=[*number, (285, "s", 0, f"p{page}", True)])
    for words, wanted, want in (([], range(4), [(0, 4), None, (2, 4), (3, 4)]),
                                (["--page", "2-3"], (1, 2), [None, (1, 2)]), (["--page", "3"], (2,), [None])):
        run("--box", 3, *words, path, out)
        with tifffile.TiffFile(out) as file:
            check(f"numbers of pages {words}", [page.tags.valueof(297) for page in file.pages], want)
            names = [page.tags.valueof(285) for page in file.pages]
            check(f"names of pages {words}", names, [f"p{page}" for page in wanted])


def colours(work):
    """Samples side by side are channels of one page, and so they stay."""
    path, out = work / "a.ome.tif", work / "b.ome.tif"
    rgb = np.moveaxis(PIXELS[:, :, :3], 2, -1)
    tifffile.imwrite(path, rgb, ome=True, photometric="rgb", metadata={"axes": "TZYXS"})
    run("--box", 3, path, out)
    check("OME of colours", described(out), described(path))
    tifffile.imwrite(path, PIXELS[0], ome=True, metadata={"axes": "ZCYX"})
    run("--sauvola", 5, path, out)
    check("OME, black and white", described(out)[:4], ("ome", "ZCYX", (3, 4, 24, 32), "bool"))


def exif_of(path):
    lines = subprocess.run(["exiftool", "-G1", "-s", "-n", "-a", "-ExifIFD:all", "-GPS:all", "-InteropIFD:all",
                            "-IFD0:all", path], capture_output=True, text=True, check=True).stdout.splitlines()
    mine = re.compile(r"\[(ExifIFD|GPS|InteropIFD)\]|"
                      r"\[IFD0\] *(Make|Model|Artist|Copyright|ModifyDate|ImageDesc|[XY]Res)")
    return sorted(line for line in lines if mine.match(line))


def exif(work):
    paths = [work / name for name in ("a.jpg", "b.tif", "c.jpg", "d.png", "e.tif")]
    source = work / "a.pgm"
    source.write_bytes(b"P5 32 24 255\n" + bytes(32 * 24))
    run("--box", 3, source, paths[0])
    for order in ("II", "MM"):
        subprocess.run(["exiftool", "-q", "-overwrite_original", "-all=", paths[0]], check=True)
        subprocess.run([
            "exiftool", "-q", "-n", "-overwrite_original", f"-exifbyteorder={order}", "-Make=M", "-Model=a model",
            "-Artist=A", "-Copyright=C", "-ModifyDate=2020:01:02 03:04:05", "-DateTimeOriginal=2020:01:02 03:04:05",
            "-ImageDescription=a lake", "-ExposureTime=0.004", "-FNumber=2.8", "-ISO=400", "-ExifImageWidth=32",
            "-ExifImageHeight=24", "-UserComment=hello", "-LensModel=a lens", "-GPSLatitude=47.5",
            "-GPSLatitudeRef=N", "-GPSLongitude=8.25", "-GPSLongitudeRef=E", "-InteropIndex=R98",
            "-XResolution=300", "-YResolution=200", "-ResolutionUnit=2", paths[0]], check=True)
        was = exif_of(paths[0])
        check("EXIF is there", len(was) > 20, True)
        for a, b in zip(paths, paths[1:]):
            run("--box", 3, a, b)
            check(f"{order}: {a.name} to {b.name}", exif_of(b), was)
        said = subprocess.run(["tiffinfo", paths[1]], capture_output=True, text=True, check=True).stderr
        check("tiffinfo", [line for line in said.splitlines() if "40965" not in line], [])  # which it does not know


with tempfile.TemporaryDirectory() as folder:
    for part in (ome, stacks, geo, numbers, colours, exif):
        part(pathlib.Path(folder))
print(f"{len(differences)} differences")
sys.exit(bool(differences))
