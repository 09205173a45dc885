#!/usr/bin/env python3
"""GIFs and WebPs of others, frame by frame as satfilter and as Pillow show them; WebPs of one
picture beside dwebp, too.

    animations.py [--satfilter COMMAND] FOLDER

Takes every such file in the folder and below, up to 100 frames of each, and fetches nothing. Prints
how many frames are the same, differ, or are refused, with an example of each. It needs numpy,
Pillow, and dwebp for WebPs. Colours under a transparent pixel are not compared, for Pillow keeps
those of a GIF.
"""
import argparse
import collections
import pathlib
import subprocess
import tempfile

import numpy as np
from PIL import Image

MOST_FRAMES = 100


def rgba(image):
    return np.asarray(image.convert("RGBA"))


def ours(command, path, work):
    """Page numbers, from 1 on, with their pixels; and what was said."""
    for old in work.iterdir():
        old.unlink()
    words = [command, "-q", "-T", "1", "--png-level", "1", "--flip", "h", "--flip", "h", "--page",
             "all", str(path), str(work / "o.png")]
    run = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    if run.returncode not in (0, 1, 3):
        raise SystemExit(f"{path}: status {run.returncode}: {run.stderr}")
    found = {}
    for name in work.iterdir():
        number = int(name.stem.split("-")[1]) if "-" in name.stem else 1
        if number <= MOST_FRAMES:
            found[number] = rgba(Image.open(name))
    return found, run.stderr.strip().split("\n")[0].split(": ", 2)[-1]


def by_pillow(path):
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


def same(a, b):
    if a.shape != b.shape or (a[..., 3] != b[..., 3]).any():
        return False
    return not (a != b)[a[..., 3] > 0].any()


def compare(a, b):
    if a.shape != b.shape:
        return "Pillow's screen has another size"  # it grows with frames that reach beyond
    return "the same as Pillow's" if same(a, b) else "differs"


def judge(command, path, work):
    """For each frame (what happened, detail)."""
    mine, sentence = ours(command, path, work)
    peer = by_pillow(path)
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
            yield ("the same as dwebp's" if same(mine[1], other) else "differs from dwebp's"), ""


def is_meant(path):
    with open(path, "rb") as file:
        head = file.read(12)
    return head[:6] in (b"GIF87a", b"GIF89a") or (head[:4] == b"RIFF" and head[8:] == b"WEBP")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--satfilter", default="./satfilter")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = 1 << 25  # it refuses twice as many
    kinds, examples = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as work:
        for path in sorted(p for p in args.folder.rglob("*") if p.is_file() and is_meant(p)):
            for what in judge(args.satfilter, path, pathlib.Path(work)):
                kinds[what] += 1
                if path not in examples[what] and len(examples[what]) < 8:
                    examples[what].append(path)
    for (what, detail), n in kinds.most_common():
        print(f"{n:6} {what}{': ' if detail else ''}{detail}: {' '.join(map(str, examples[what, detail]))}")


if __name__ == "__main__":
    main()
