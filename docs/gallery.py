#!/usr/bin/env python3
"""Makes docs/gallery.md and its pictures.

    docs/gallery.py [--satfilter COMMAND] [--check]

The page is what `satfilter --list --json` says of its filters, under the headings of filters/all.h. The example of
each is run on a picture of samples/. --check runs nothing and says whether the page is out of date. Pictures need
Pillow, and the order of permute NumPy.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIDE = 220  # of a picture that is shown, in pixels

SCENE, PAGE = "samples/scene.png", "samples/page.png"
# What stands for the inputs that examples name.
SAMPLES = {"in.png": SCENE, "in.jpg": SCENE, "scan.png": PAGE, "sharpen.txt": "samples/sharpen.txt"}
# The part of it that is shown: left, top, right, bottom.
PARTS = {SCENE: (330, 190, 530, 390), PAGE: (330, 330, 550, 550)}
# What makes the other files of examples. A picture beside such a file is shown whole.
MADE = {
    "radii.pgm": "awk 'BEGIN { print \"P2 600 400 255\"; for (y = 0; y < 400; y++) for (x = 0; x < 600; x++) "
                 "print int((y < 270 ? 270 - y : y - 270) / 20) }' > radii.pgm",
    "light.png": "./satfilter --gauss 40 samples/page.png light.png",
    "order.npy": "python3 -c \"import numpy as n; "
                 "n.save('order.npy', n.arange(240000).reshape(4, 100, 4, 150).swapaxes(0, 2).ravel())\"",
}
PAGE = HERE / "gallery.md"

HEAD = """# Every filter on a picture

On the left the picture, or a part of it, on the right what the command makes of it. When to take which:
`./satfilter --help FILTER`, for pages [pages.md](pages.md); definitions: [filters.md](filters.md).
"""


def filters(satfilter):
    """The filters in their order, each with its heading or None: that of the filter in front of it."""
    listed = subprocess.run([satfilter, "--list", "--json"], capture_output=True, check=True)
    table = (HERE.parent / "filters" / "all.h").read_text(encoding="utf-8")
    headings = {name: heading for heading, name in re.findall(r'/\* (.*) \*/\n#include "(\w+)\.h"', table)}
    found = [{**one, "heading": headings.get(one["name"])} for one in json.loads(listed.stdout)["filters"]]
    for one in found:
        if not one["example"]:
            raise SystemExit(f"filters/{one['name']}.h: the filter has no .example")
    return found


def typed(one):
    """The commands of a filter's picture."""
    name, words = one["name"], one["example"].split()
    files = [word.partition(",")[0] for word in words]
    words = [word.replace(file, SAMPLES.get(file, file), 1) for word, file in zip(words, files)]
    words[0] = "./satfilter"
    if words[-1].endswith(".npy"):  # numbers: the range that occurs is shown
        words[-2:-2] = ["--range", "auto:1"]
    words[-1] = name + ".png"
    return [MADE[file] for file in files if file in MADE] + [" ".join(words)]


def gallery(all_filters):
    lines = [HEAD]
    for one in all_filters:
        name, text = one["name"], one["help"][0].upper() + one["help"][1:]
        commands = "\n".join(f"    {command}" for command in typed(one))
        lines.append(f"\n## {one['heading']}\n" if one["heading"] else "")
        lines.append(f"\n### {name}\n\n{text}.\n\n{commands}\n\n"
                     f"![{name}](images/gallery/{name}.jpg)\n")
    return "".join(lines)


def show(path, part):
    """The part of a picture in a square, in eight bits of whatever it is; all of it keeps its proportions."""
    from PIL import Image
    image = Image.open(path)
    if image.mode.startswith("I"):
        image = image.point(lambda v: v / 257).convert("L")
    image = image.convert("RGB")
    square = Image.new("RGB", (SIDE, SIDE), "white")
    if part:
        image = image.crop(part).resize((SIDE, SIDE), Image.LANCZOS)
    else:
        image.thumbnail((SIDE, SIDE), Image.LANCZOS)
    square.paste(image, ((SIDE - image.width) // 2, (SIDE - image.height) // 2))
    return square


def make_pair(one, work):
    """Input and output of the last command; what moves pixels, or changes the size, is shown whole."""
    from PIL import Image
    commands = typed(one)
    for command in commands:
        own = command.replace("python3", sys.executable, 1)
        run = subprocess.run(["bash", "-c", own], cwd=work, capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(f"{command}: {run.stderr}")
    before, after = commands[-1].split()[-2:]
    same = Image.open(work / before).size == Image.open(work / after).size
    part = PARTS[before] if same and len(commands) == 1 and one["kind"] not in ("move", "prefix") else None
    pair = Image.new("RGB", (2 * SIDE + 8, SIDE), "white")
    pair.paste(show(work / before, part), (0, 0))
    pair.paste(show(work / after, part), (SIDE + 8, 0))
    return pair


def make_sheet(pairs, path, columns=6):
    """All results, small, with their names below."""
    from PIL import Image, ImageDraw, ImageFont
    small, text = 150, 18
    rows = -(-len(pairs) // columns)
    sheet = Image.new("RGB", (columns * (small + 6) - 6, rows * (small + text + 6) - 6), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default()
    for i, (name, pair) in enumerate(pairs.items()):
        x, y = i % columns * (small + 6), i // columns * (small + text + 6)
        sheet.paste(pair.crop((SIDE + 8, 0, 2 * SIDE + 8, SIDE)).resize((small, small), Image.LANCZOS), (x, y))
        draw.text((x + 2, y + small + 3), name, fill="black", font=font)
    sheet.save(path, quality=80)


def make_pictures(all_filters, satfilter):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copytree(HERE.parent / "samples", work / "samples")
        (work / "satfilter").symlink_to(pathlib.Path(satfilter).resolve())
        pairs = {one["name"]: make_pair(one, work) for one in all_filters}
    for name, pair in pairs.items():
        pair.save(HERE / "images" / "gallery" / f"{name}.jpg", quality=80)
    make_sheet(pairs, HERE / "images" / "gallery.jpg")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--satfilter", default="./satfilter")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    all_filters = filters(arguments.satfilter)
    text = gallery(all_filters)
    old = ["gallery.md"] if PAGE.read_text(encoding="utf-8") != text else []
    pictures = [f"images/gallery/{one['name']}.jpg" for one in all_filters]
    old += [picture for picture in pictures if not (HERE / picture).exists()]
    if arguments.check:
        for what in old:
            print(f"docs/{what} is not what the filters say: run docs/gallery.py")
        return 1 if old else 0
    make_pictures(all_filters, arguments.satfilter)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
