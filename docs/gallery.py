#!/usr/bin/env python3
"""Makes docs/gallery.md and its pictures: every filter on a picture of samples/.

    docs/gallery.py [--satfilter COMMAND]

Each command is run as the page prints it. The filters are those of --list; one that has no picture
here ends the script. It needs Pillow, and NumPy for the order of permute.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).resolve().parent
SIDE = 220  # of a picture that is shown, in pixels

SCENE, PAGE = "samples/scene.png", "samples/page.png"
# Parts that are shown: left, top, width, height.
HOUSE, SHADOW, LAKE = (330, 190, 200, 200), (330, 330, 220, 220), (60, 90, 240, 240)

RADII = ("awk 'BEGIN { print \"P2 600 400 255\"; for (y = 0; y < 400; y++) for (x = 0; x < 600; x++) "
         "print int((y < 270 ? 270 - y : y - 270) / 20) }' > radii.pgm")
LIGHT = "./satfilter --gauss 40 samples/page.png light.png"
ORDER = ("python3 -c \"import numpy as n; "
         "n.save('order.npy', n.arange(240000).reshape(4, 100, 4, 150).swapaxes(0, 2).ravel())\"")

# The purposes, and for each its filters: what to take them for, the words between ./satfilter and
# the output, what is shown of input and output (None: all of it), what comes first.
PURPOSES = {
    "Blur and smooth": {
        "box": ("The mean: the fastest blur.", f"--box 9 {SCENE}", HOUSE),
        "gauss": ("Blur without the edges of a box.", f"--gauss 4 {SCENE}", HOUSE),
        "guided": ("Noise and fine texture go, edges stay. `noise` is its deviation in levels of 255.",
                   f"--guided 9,noise=18,colour {SCENE}", LAKE),
        "kuwahara": ("Like a painting: flat strokes and sharp edges.", f"--kuwahara 5 {SCENE}", HOUSE),
        "varbox": ("Depth of field: each pixel has a radius of its own, here larger away from the shore.",
                   f"--varbox radii.pgm {SCENE}", None, RADII),
    },
    "Sharpen, and find detail": {
        "unsharp": ("Crisper: away from the mean.", f"--unsharp 7,amount=1.5 {SCENE}", HOUSE),
        "template": ("Any sum of rectangles, from a file: here one that sharpens.",
                     f"--template samples/sharpen.txt --range 0:255 --type u8 {SCENE}", HOUSE),
        "highpass": ("The detail alone, around grey.", f"--highpass 15 {SCENE}", HOUSE),
        "dog": ("Edges, and blobs of one size, to be found and counted.", f"--dog 2 --range -30:30 {SCENE}", HOUSE),
    },
    "Pages in black and white": {
        "wolf": ("The first to try on a page: it follows the light, and keeps faint ink.", f"--wolf 21 {PAGE}", SHADOW),
        "sauvola": ("A printed page; blank parts stay clean.", f"--sauvola 31 {PAGE}", SHADOW),
        "nick": ("A page on which Sauvola loses thin strokes.", f"--nick 31 {PAGE}", SHADOW),
        "adaptive": ("Darker than the mean around it by so many levels; a larger offset against stains.",
                     f"--adaptive 25,offset=12 {PAGE}", SHADOW),
        "bradley": ("Darker than the mean by so many percent: light that varies by factors.",
                    f"--bradley 45,percent=20 {PAGE}", SHADOW),
        "niblack": ("For research: blank paper turns into noise.", f"--niblack 25 {PAGE}", SHADOW),
        "threshold": ("Even light alone: one level for the page, here by Otsu's method. In this shadow it fails.",
                      f"--threshold otsu {PAGE}", SHADOW),
    },
    "Even light and contrast": {
        "flatten": ("Even light, still in shades of grey.", f"--flatten 61,target=230 {PAGE}", None),
        "by": ("A picture by another: a flat field, a dark frame or a difference. Here a page by the light on it.",
               f"--by light.png,op=div,scale=auto {PAGE}", None, LIGHT),
        "normalize": ("Contrast evened out, for comparing and recognising.",
                      f"--normalize 25 --range -3:3 {SCENE}", LAKE),
    },
    "Measure": {
        "stddev": ("Where something happens, in levels: texture, edges, focus.",
                   f"--stddev 7 --range auto:1 {SCENE}", LAKE),
        "variance": ("Its square, as plain numbers.", f"--variance 7 --range auto:1 {SCENE}", LAKE),
        "sum": ("What lies in a window, all together.", f"--sum 9 --range auto {SCENE}", LAKE),
        "integral": ("The summed area table itself.", f"--integral --range auto {SCENE}", None),
    },
    "Size, place and colour": {
        "resize": ("Smaller: each pixel is the exact mean of what it covers.", f"--resize 25% {SCENE}", None),
        "crop": ("A part of it.", f"--crop 200x200+330+190 {SCENE}", None),
        "pixelate": ("Hide what must not be seen.", f"--pixelate 20 --region 410,280,90x70 {SCENE}", HOUSE),
        "grey": ("Grey, by the weights of brightness.", f"--grey {SCENE}", HOUSE),
        "rotate": ("Quarter turns.", f"--rotate 90 {SCENE}", None),
        "flip": ("A mirror image.", f"--flip h {SCENE}", None),
        "transpose": ("Rows become columns.", f"--transpose {SCENE}", None),
        "permute": ("Pixels in any order, here in blocks.", f"--permute order.npy {SCENE}", None, ORDER),
    },
}

# Not seen in a picture.
UNSEEN = ["real"]

HEAD = """# Every filter on a picture

On the left the picture, or a part of it, on the right what the command makes of it.
`./satfilter --help FILTER` says more of each, [filters.md](filters.md) how it is defined,
[pages.md](pages.md) which one suits which page.
"""

FOOT = """
`docs/gallery.py` makes this page and its pictures anew.
`--real`, which keeps the numbers between two filters unrounded, shows nothing by itself.
"""


def filters(command):
    listed = subprocess.run([command, "--list", "--json"], capture_output=True, check=True)
    return [f["name"] for f in json.loads(listed.stdout)["filters"]]


def show(path, part):
    """The part of a picture in a square, in eight bits of whatever it is; all of it keeps its proportions."""
    image = Image.open(path)
    if image.mode.startswith("I"):
        image = image.point(lambda v: v / 257).convert("L")
    image = image.convert("RGB")
    square = Image.new("RGB", (SIDE, SIDE), "white")
    if part:
        x, y, w, h = part
        image = image.crop((x, y, x + w, y + h)).resize((SIDE, SIDE), Image.LANCZOS)
    else:
        image.thumbnail((SIDE, SIDE), Image.LANCZOS)
    square.paste(image, ((SIDE - image.width) // 2, (SIDE - image.height) // 2))
    return square


def make_pair(commands, part, work):
    """Runs the commands, the last of which ends with input and output."""
    for command in commands:
        run = subprocess.run(["bash", "-c", command], cwd=work, capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(f"{command}: {run.stderr}")
    before, after = (work / name for name in commands[-1].split()[-2:])
    pair = Image.new("RGB", (2 * SIDE + 8, SIDE), "white")
    pair.paste(show(before, part), (0, 0))
    pair.paste(show(after, part), (SIDE + 8, 0))
    return pair


def make_sheet(pairs, path, columns=6):
    """All results, small, with their names below."""
    small, text = 150, 18
    rows = -(-len(pairs) // columns)
    sheet = Image.new("RGB", (columns * (small + 6) - 6, rows * (small + text + 6) - 6), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default()
    for i, (name, pair) in enumerate(pairs):
        x, y = i % columns * (small + 6), i // columns * (small + text + 6)
        sheet.paste(pair.crop((SIDE + 8, 0, 2 * SIDE + 8, SIDE)).resize((small, small), Image.LANCZOS), (x, y))
        draw.text((x + 2, y + small + 3), name, fill="black", font=font)
    sheet.save(path, quality=80)


def make_page(work, images):
    lines, pairs = [HEAD], []
    for purpose, shown in PURPOSES.items():
        lines.append(f"\n## {purpose}\n")
        for name, (use, words, part, *first) in shown.items():
            commands = [*first, f"./satfilter {words} {name}.png"]
            pair = make_pair(commands, part, work)
            pair.save(images / f"{name}.jpg", quality=80)
            pairs.append((name, pair))
            typed = "\n".join(f"    {command}" for command in commands)
            picture = f"![{name}: before and after](images/gallery/{name}.jpg)"
            lines.append(f"\n### {name}\n\n{use}\n\n{typed}\n\n{picture}\n")
    make_sheet(pairs, HERE / "images" / "gallery.jpg")
    (HERE / "gallery.md").write_text("".join(lines) + FOOT, encoding="utf-8")
    return pairs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--satfilter", default="./satfilter")
    arguments = parser.parse_args()
    images = HERE / "images" / "gallery"
    images.mkdir(exist_ok=True)
    shown = [name for group in PURPOSES.values() for name in group] + UNSEEN
    odd = set(filters(arguments.satfilter)) ^ set(shown)
    if odd:
        raise SystemExit(f"a filter without a picture, or a picture without a filter: {', '.join(sorted(odd))}")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copytree(HERE.parent / "samples", work / "samples")
        (work / "satfilter").symlink_to(pathlib.Path(arguments.satfilter).resolve())
        print(f"{len(make_page(work, images))} filters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
