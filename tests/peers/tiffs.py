#!/usr/bin/env python3
"""TIFFs of others, read by satfilter, tifffile and Pillow: sample by sample the same, or why not.

    tiffs.py [--satfilter COMMAND] FOLDER

Takes every TIFF in the folder and below, its first page, and fetches nothing. Prints how many are
the same as a peer's, differ, and are refused, each sentence with an example. It needs numpy, Pillow,
tifffile and imagecodecs.
"""
import argparse
import collections
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
import tifffile
from PIL import Image

JPEG_TOLERANCE = 3  # decoders differ so much in colours: libtiff's YCbCr is of whole numbers


def ours(command, path, work):
    """The picture's samples and None, or None and the sentence that refuses it."""
    out = work / "out.npy"
    out.unlink(missing_ok=True)
    words = [command, "-q", "-T", "1", "--flip", "h", "--flip", "h", str(path), str(out)]
    run = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if run.returncode == 0:
        return np.load(out), None
    if run.returncode != 1:
        raise SystemExit(f"{path}: status {run.returncode}: {run.stderr}")
    return None, run.stderr.strip().split(": ", 2)[-1]


def by_tifffile(path):
    """Samples as the file has them, made what TIFF 6.0 says of their colours."""
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        a = page.asarray()
        if page.planarconfig == 2 and a.ndim == 3:
            a = np.moveaxis(a, 0, -1)
        name = page.photometric.name if page.photometric is not None else "MINISBLACK"
        if a.dtype == bool or page.bitspersample == 1:
            a = a.astype("u1") * 255
        elif a.dtype == "u1" and page.bitspersample < 8 and name != "PALETTE":
            top = 2 ** page.bitspersample - 1
            a = ((a.astype("f8") * 255 / top) + 0.5).astype("u1")
        if name == "MINISWHITE":
            top = 2 ** max(page.bitspersample, 8) - 1
            a = (top - a.astype("u8")).astype(a.dtype)
        if name == "PALETTE":
            colours = page.colormap
            a = np.moveaxis((colours >> (8 if colours.max() > 255 else 0)).astype("u1"), 0, -1)[a]
        if name == "SEPARATED" and a.ndim == 3 and a.shape[2] >= 4:
            top = np.iinfo(a.dtype).max
            light = top - a[..., :4].astype("f8")
            colours = np.floor(light[..., :3] * light[..., 3:4] / top + 0.5).astype(a.dtype)
            a = np.concatenate([colours, a[..., 4:]], -1)
        if page.extrasamples and page.extrasamples[0] == 1:  # premultiplied
            top, alpha = np.iinfo(a.dtype).max, a[..., -1:].astype("f8")
            colours = np.where(alpha > 0, a[..., :-1] * top / np.maximum(alpha, 1), 0)
            a = np.concatenate([np.minimum(colours + 0.5, top).astype(a.dtype), a[..., -1:]], -1)
    return a


def by_pillow(path):
    """Pillow turns pictures as their orientation says; ours lie as they are stored."""
    with Image.open(path) as image:
        if image.getexif().get(274, 1) != 1:
            raise ValueError("turned")
        image.load()
        if image.mode in ("1", "L;2", "L;4"):
            image = image.convert("L")
        elif image.mode in ("P", "CMYK", "YCbCr"):
            image = image.convert("RGB")
        return np.asarray(image)


def peers(path):
    found = {}
    for name, read in (("tifffile", by_tifffile), ("Pillow", by_pillow)):
        try:
            found[name] = read(path)
        except Exception:  # whatever it is: this peer does not read it
            pass
    return found


def same(a, b):
    if a.ndim == 3 and a.shape[2] == 1:
        a = a[..., 0]
    if b.ndim == 3 and b.shape[2] == 1:
        b = b[..., 0]
    if a.ndim == 3 and b.ndim == 3 and a.shape[2] > b.shape[2]:
        a = a[..., :b.shape[2]]  # extra samples, which ours drops with a note
    if a.shape != b.shape:
        return False
    d = np.abs(a.astype("f8") - b.astype("f8"))
    return not np.nanmax(d, initial=0) > JPEG_TOLERANCE


def judge(command, path, work):
    """(what happened, detail)"""
    picture, sentence = ours(command, path, work)
    found = peers(path)
    if picture is None:
        return f"refused, {len(found)} peers read it", sentence
    if any(same(a, picture) for a in found.values()):
        return "the same", ""
    return ("differs", ", ".join(found)) if found else ("read, no peer reads it", "")


def is_tiff(path):
    with open(path, "rb") as file:
        head = file.read(4)
    return head in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--satfilter", default="./satfilter")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None
    kinds, examples = collections.Counter(), {}
    with tempfile.TemporaryDirectory() as work:
        for path in sorted(p for p in args.folder.rglob("*") if p.is_file() and is_tiff(p)):
            what = judge(args.satfilter, path, pathlib.Path(work))
            kinds[what] += 1
            examples.setdefault(what, path)
    totals = collections.Counter()
    for (what, _), n in kinds.items():
        totals[what] += n
    for what, n in totals.most_common():
        print(f"{n:5} {what}")
        for (other, detail), count in kinds.most_common():
            if other == what and detail:
                print(f"      {count:5} {detail}: {examples[other, detail]}")


if __name__ == "__main__":
    main()
