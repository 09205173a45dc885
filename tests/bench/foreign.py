#!/usr/bin/env python3
"""Files of others, as satfilter and as other programs read them: the same samples, or why not.

    foreign.py [--satfilter COMMAND] FOLDER

Takes every TIFF, GIF and WebP in the folder and below, and fetches nothing. Prints how many pictures are the same as a
peer's, differ, or are refused, each sentence with examples. TIFFs: the first page, beside tifffile and Pillow. GIFs and
WebPs: up to 100 frames, as Pillow shows them; WebPs of one picture beside dwebp, too. Colours under a transparent pixel
of these are not compared, for Pillow keeps those of a GIF. It needs numpy, Pillow, tifffile, imagecodecs, and dwebp for
WebPs.
"""
import argparse
import collections
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
import tifffile
from PIL import Image, ImageCms

JPEG_TOLERANCE = 3  # decoders differ so much in colours: libtiff's YCbCr is of whole numbers
MOST_FRAMES = 100


def ours(command, path, work, *words):
    """The files that were written, and the sentence that refuses the picture."""
    for old in work.iterdir():
        old.unlink()
    run = subprocess.run([command, "-q", "-T", "1", "--flip", "h", "--flip", "h", *words[:-1], str(path),
                          str(work / words[-1])], capture_output=True, text=True, timeout=600, check=False)
    if run.returncode not in (0, 1, 3):
        raise SystemExit(f"{path}: status {run.returncode}: {run.stderr}")
    return sorted(work.iterdir()), run.stderr.strip().split("\n")[0].split(": ", 2)[-1]


# ------------------------------------------------------------------- TIFF
def lab_to_srgb(a, icc):
    """Codes of Lab, with alpha or without, as sRGB's by CIE 15 and IEC 61966-2-1; white is D50."""
    top = np.iinfo(a.dtype).max
    unit = (top + 1) / 256
    shift = 128 if icc else 0
    codes = a.astype("f8") if icc else a.view(a.dtype.str.replace("u", "i")).astype("f8")
    ab = codes[..., 1:3] / unit - shift
    y = (a[..., 0] * (100 / (65280 if icc and unit > 1 else top)) + 16) / 116
    f = np.stack([y + ab[..., 0] / 500, y, y - ab[..., 1] / 200], -1)
    xyz = np.where(f > 6 / 29, f ** 3, (f - 4 / 29) * 108 / 841) * [0.9642, 1, 0.8249]
    primaries = [[0.4360747, 0.3850649, 0.1430804], [0.2225045, 0.7168786, 0.0606169],
                 [0.0139322, 0.0971045, 0.7141733]]
    light = np.clip(xyz @ np.linalg.inv(primaries).T, 0, 1)
    colours = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.concatenate([(colours * top + 0.5).astype(a.dtype), a[..., 3:]], -1)


def ycbcr_to_rgb(a, tags):
    """By TIFF 6.0, section 21; for what tifffile leaves as it is, which shares no chroma."""
    def rationals(name, default):
        pairs = tags[name].value if name in tags else default
        return [n / d for n, d in zip(pairs[::2], pairs[1::2])]
    luma = rationals("YCbCrCoefficients", (299, 1000, 587, 1000, 114, 1000))
    r = rationals("ReferenceBlackWhite", (0, 1, 255, 1, 128, 1, 255, 1, 128, 1, 255, 1))
    y, cb, cr = ((a[..., i] - r[2 * i]) * (127 if i else 255) / (r[2 * i + 1] - r[2 * i])
                 for i in range(3))
    red, blue = y + cr * (2 - 2 * luma[0]), y + cb * (2 - 2 * luma[2])
    green = (y - luma[0] * red - luma[2] * blue) / luma[1]
    return np.clip(np.stack([red, green, blue], -1) + 0.5, 0, 255).astype("u1")


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
            table = page.colormap >> (8 if page.colormap.max() > 255 else 0)
            numbers, rest = (a, a[:0]) if a.ndim == 2 else (a[..., 0], a[..., 1:])
            colours = np.moveaxis(table.astype("u1"), 0, -1)[numbers]
            a = np.concatenate([colours, rest], -1) if rest.size else colours
        if name == "YCBCR" and page.compression in (1, 5, 8, 32773, 32946):
            a = ycbcr_to_rgb(a.astype("f8"), page.tags)
        if name in ("CIELAB", "ICCLAB"):
            a = lab_to_srgb(a, name == "ICCLAB")
        if name == "SEPARATED" and a.ndim == 3 and a.shape[2] >= 4:
            top = np.iinfo(a.dtype).max
            light = top - a[..., :4].astype("f8")
            colours = np.floor(light[..., :3] * light[..., 3:4] / top + 0.5).astype(a.dtype)
            a = np.concatenate([colours, a[..., 4:]], -1)
        if page.extrasamples and page.extrasamples[0] == 1:  # premultiplied
            top, alpha = np.iinfo(a.dtype).max, a[..., -1:].astype("f8")
            colours = np.where(alpha > 0, a[..., :-1] * float(top) / np.maximum(alpha, 1), 0)
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
        elif image.mode == "LAB":
            profiles = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
            image = ImageCms.profileToProfile(image, *profiles, outputMode="RGB")
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


def same_samples(a, b):
    if a.ndim == 3 and a.shape[2] == 1:
        a = a[..., 0]
    if b.ndim == 3 and b.shape[2] == 1:
        b = b[..., 0]
    if a.ndim == 3 and b.ndim == 2:
        a = a[..., 0]  # extra samples, which ours drops with a note
    if a.ndim == 3 and b.ndim == 3 and a.shape[2] > b.shape[2]:
        a = a[..., :b.shape[2]]  # extra samples, which ours drops with a note
    if a.shape != b.shape:
        return False
    d = np.abs(a.astype("f8") - b.astype("f8"))
    return not np.nanmax(d, initial=0) > JPEG_TOLERANCE


def judge_tiff(command, path, work):
    """Yields (what happened, detail)."""
    made, sentence = ours(command, path, work, "--page", "1", "out.npy")
    found = peers(path)
    if not made:
        yield f"refused, {len(found)} peers read it", sentence
    elif any(same_samples(a, np.load(made[0])) for a in found.values()):
        yield "the same", ""
    else:
        yield ("differs", ", ".join(found)) if found else ("read, no peer reads it", "")


# ---------------------------------------------------------------- GIF, WebP
def rgba(image):
    return np.asarray(image.convert("RGBA"))


def frames_of(path):
    """The frames up to the first that Pillow cannot read."""
    found = {}
    try:
        with Image.open(path) as image:
            for k in range(min(getattr(image, "n_frames", 1), MOST_FRAMES)):
                image.seek(k)
                found[k + 1] = rgba(image)
    except Exception:  # whatever it is: it reads no more
        pass
    return found


def by_dwebp(path, work):
    out = work / "peer.pam"
    run = subprocess.run(["dwebp", "-quiet", "-pam", str(path), "-o", str(out)],
                         capture_output=True, check=False)
    if run.returncode != 0:
        return None
    data = out.read_bytes()
    head, pixels = data.split(b"ENDHDR\n", 1)
    sizes = dict(line.split()[:2] for line in head.decode().split("\n") if " " in line)
    return np.frombuffer(pixels, "u1").reshape(int(sizes["HEIGHT"]), int(sizes["WIDTH"]), 4)


def same_frame(a, b):
    if a.shape != b.shape or (a[..., 3] != b[..., 3]).any():
        return False
    return not (a != b)[a[..., 3] > 0].any()


def compare(a, b):
    if a.shape != b.shape:
        return "Pillow's screen has another size"  # it grows with frames that reach beyond
    return "the same as Pillow's" if same_frame(a, b) else "differs"


def judge_frames(command, path, work):
    """For each frame (what happened, detail)."""
    made, sentence = ours(command, path, work, "--png-level", "1", "--page", "all", "o.png")
    numbers = [int(name.stem.split("-")[1]) if "-" in name.stem else 1 for name in made]
    mine = {number: rgba(Image.open(name)) for number, name in zip(numbers, made) if number <= MOST_FRAMES}
    peer = frames_of(path)
    for number in sorted(set(mine) | set(peer)):
        if number not in mine:
            yield "refused, Pillow reads it", sentence
        elif number not in peer:
            yield "read, Pillow does not", ""
        else:
            yield compare(mine[number], peer[number]), ""
    if not mine and not peer:
        yield "refused by both", sentence
    if path.read_bytes()[:4] == b"RIFF" and len(mine) == 1:
        other = by_dwebp(path, work)
        if other is not None:
            yield ("the same as dwebp's" if same_frame(mine[1], other) else "differs from dwebp's"), ""


# -------------------------------------------------------------------- files
def judge_of(path):
    """What judges the file; None if it is none of these."""
    with open(path, "rb") as file:
        head = file.read(12)
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return judge_tiff
    if head[:6] in (b"GIF87a", b"GIF89a") or (head[:4] == b"RIFF" and head[8:] == b"WEBP"):
        return judge_frames
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--satfilter", default="./satfilter")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    kinds, examples = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as work:
        for path in sorted(p for p in args.folder.rglob("*") if p.is_file() and judge_of(p)):
            judge = judge_of(path)
            Image.MAX_IMAGE_PIXELS = None if judge is judge_tiff else 1 << 25  # it refuses twice as many
            for what in judge(args.satfilter, path, pathlib.Path(work)):
                what = judge.__name__.split("_")[1], *what
                kinds[what] += 1
                if path not in examples[what] and len(examples[what]) < 8:
                    examples[what].append(path)
    for what, n in kinds.most_common():
        print(f"{n:6} {': '.join(filter(None, what))}: {' '.join(map(str, examples[what]))}")


if __name__ == "__main__":
    main()
