#!/usr/bin/env python3
"""Makes docs/gallery.md and its pictures: every filter on a real picture.

    docs/gallery.py [--satfilter COMMAND] FOLDER

FOLDER holds the photographs, those of scikit-image's data folder: astronaut.png, chelsea.png,
coffee.png, hubble_deep_field.jpg and page.png. The filters are those of --list; one that has no
picture here ends the script. It needs Pillow.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image, ImageChops, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).resolve().parent
SIDE = 220  # of a picture that is shown, in pixels

# Parts of the photographs, left, top, width, height, that are shown.
PARTS = {
    "cat": ("chelsea.png", (110, 30, 220, 220)),
    "cup": ("coffee.png", (150, 60, 330, 330)),
    "face": ("astronaut.png", (130, 30, 220, 220)),
    "stars": ("hubble_deep_field.jpg", (300, 250, 300, 300)),
    "page": ("page.png", (0, 10, 180, 180)),
}

# The filter: the part, the words of the command, and what to take it for.
SHOWN = {
    "box": ("cat", "--box 9", "The mean: the fastest blur."),
    "gauss": ("cat", "--gauss 4", "Blur without the edges of a box."),
    "dog": ("stars", "--dog 2 --range -20:40", "Edges, and blobs of one size, to be found and counted."),
    "variance": ("face", "--variance 5 --range auto:1",
                 "Where something happens, as plain numbers: edges, texture, focus."),
    "stddev": ("face", "--stddev 5 --range auto:1", "The same in units of brightness."),
    "sum": ("stars", "--sum 9 --range auto:1", "The light of a neighbourhood, for measurements."),
    "sauvola": ("page", "--sauvola 31", "A printed page under any light."),
    "wolf": ("page", "--wolf 31", "A page whose text is faint."),
    "adaptive": ("page", "--adaptive 25,offset=12",
                 "A page without thinking about it; a larger offset against stains."),
    "bradley": ("page", "--bradley 45,percent=20", "A page whose light varies by factors."),
    "niblack": ("page", "--niblack 25", "Research alone: blank paper turns into noise."),
    "nick": ("page", "--nick 31", "A page where Sauvola loses thin strokes."),
    "threshold": ("page", "--threshold otsu", "A page, or anything on a background, that is lit evenly."),
    "unsharp": ("cat", "--unsharp 7,amount=1.5", "Crisper: away from the mean."),
    "highpass": ("cat", "--highpass 15", "The detail alone, around grey."),
    "flatten": ("page", "--flatten 61,target=230", "Even light, still in shades of grey."),
    "normalize": ("face", "--normalize 25 --range -3:3", "Contrast evened out, for comparing and recognising."),
    "guided": ("face", "--guided 13,eps=0.01", "Smooth skin and noise, sharp edges."),
    "kuwahara": ("cat", "--kuwahara 7", "Painted: flat strokes and sharp edges."),
    "varbox": ("cup", "--varbox {radii}", "Depth of field: a window for each pixel, here larger towards the edges."),
    "resize": ("face", "--resize 33%", "Smaller pictures; each pixel is the exact mean of what it covers."),
    "pixelate": ("face", "--pixelate 20 --region 60,40,100x120",
                 "What must not be seen: faces and number plates."),
    "by": ("cup", "--by {flat},op=div,scale=auto",
           "A flat field or a dark frame taken out; here the light that fell off to the corners."),
    "real": ("cat", "--real --box 15 --box 15 --box 15", "Several means in a row, rounded once, at the end."),
    "template": ("cat", "--template {samples}/sharpen.txt --range 0:255 --type u8",
                 "Any sums of rectangles, from a file."),
    "integral": ("cup", "--integral --range auto", "The summed area table itself."),
    "transpose": ("cup", "--transpose", "Rows become columns."),
    "rotate": ("cup", "--rotate 90", "Quarter turns without loss."),
    "flip": ("cup", "--flip h", "A mirror image."),
    "permute": ("cup", "--permute {order}", "Pixels in any order, here shuffled in blocks of a quarter."),
}

HEAD = """# Every filter on a picture

On the left the picture, on the right what the command makes of it. `./satfilter --help FILTER` says more of each,
[docs/filters.md](filters.md) how it is defined, [docs/pages.md](pages.md) which one suits which page.

"""

FOOT = """
The photographs are parts of those that scikit-image comes with: the astronaut and the Hubble deep field are NASA's
(public domain), Chelsea, the coffee and the page are CC0 by their authors. `docs/gallery.py FOLDER` makes this page and
its pictures anew from that folder.
"""


def filters(command):
    listed = subprocess.run([command, "--list", "--json"], capture_output=True, check=True)
    return [f["name"] for f in json.loads(listed.stdout)["filters"]]


def write_order(path):
    """An order of SIDE x SIDE pixels that shuffles blocks of a quarter of the side."""
    block, n = SIDE // 4, 4
    blocks = [(i * 7 + 3) % (n * n) for i in range(n * n)]
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00")
        head = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({SIDE}, {SIDE}), }}"
        head += " " * (-(len(head) + 11) % 64) + "\n"
        file.write(len(head).to_bytes(2, "little") + head.encode())
        for y in range(SIDE):
            for x in range(SIDE):
                to = blocks[y // block * n + x // block]
                place = (to // n * block + y % block) * SIDE + to % n * block + x % block
                file.write(place.to_bytes(4, "little"))


def darken(image):
    """(the picture under a lamp, the light of the lamp): less towards the corners."""
    light = Image.new("L", image.size)
    middle = SIDE / 2
    light.putdata([int(240 - 130 * ((x - middle) ** 2 + (y - middle) ** 2) / middle ** 2 / 2 * 1.2)
                   for y in range(SIDE) for x in range(SIDE)])
    return ImageChops.multiply(image, light.convert("RGB")), light


def write_radii(path):
    """0 in the middle, and up to 12 in the corners."""
    radii, middle = Image.new("L", (SIDE, SIDE)), SIDE / 2
    radii.putdata([int(12 * ((x - middle) ** 2 + (y - middle) ** 2) / (2 * middle ** 2))
                   for y in range(SIDE) for x in range(SIDE)])
    radii.save(path)


def part(folder, name):
    file, (x, y, w, h) = PARTS[name]
    image = Image.open(folder / file).crop((x, y, x + w, y + h))
    return image.resize((SIDE, SIDE), Image.LANCZOS)


def show(image):
    """Eight bits of whatever it is."""
    if image.mode.startswith("I"):
        image = image.point(lambda v: v / 257).convert("L")
    return image.convert("RGB")


def make_pair(command, before, words, work):
    before.save(work / "in.png")
    run = subprocess.run([command, "-f", *words, work / "in.png", work / "out.png"], capture_output=True, text=True,
                         check=False)
    if run.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {run.stderr}")
    pair = Image.new("RGB", (2 * SIDE + 8, SIDE), "white")
    pair.paste(show(before), (0, 0))
    pair.paste(show(Image.open(work / "out.png")), (SIDE + 8, 0))
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--satfilter", default="./satfilter")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    images = HERE / "images" / "gallery"
    images.mkdir(exist_ok=True)
    names = filters(arguments.satfilter)
    lacking = [name for name in names if name not in SHOWN]
    if lacking:
        raise SystemExit(f"no picture of {', '.join(lacking)}")
    lines, pairs = [], []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        write_order(work / "order.npy")
        write_radii(work / "radii.png")
        for name in names:
            of, spec, purpose = SHOWN[name]
            places = {"samples": HERE.parent / "samples", "order": work / "order.npy", "flat": work / "flat.png",
                      "radii": work / "radii.png"}
            before = part(arguments.folder, of)
            if name == "by":
                before, flat = darken(before)
                flat.save(places["flat"])
            pair = make_pair(arguments.satfilter, before, spec.format(**places).split(), work)
            pair.save(images / f"{name}.jpg", quality=80)
            pairs.append((name, pair))
            written = spec.format(samples="samples", order="order.npy", flat="flat.png", radii="radii.png")
            lines.append(f"## {name}\n\n{purpose}\n\n    ./satfilter {written} in.png out.png\n\n"
                         f"![{name}: before and after](images/gallery/{name}.jpg)\n")
    make_sheet(pairs, HERE / "images" / "gallery.jpg")
    (HERE / "gallery.md").write_text(HEAD + "\n".join(lines) + FOOT, encoding="utf-8")
    print(f"{len(names)} filters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
