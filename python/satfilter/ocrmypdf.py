"""A plugin of OCRmyPDF: pages are filtered before they are read.

    ocrmypdf --plugin satfilter.ocrmypdf --satfilter wolf=0.14in in.pdf out.pdf

--satfilter SPEC takes filters as satfilter.filter() does, "box=3 sauvola=0.14in"; lengths become pixels by each page's
resolution. The pages look as before. With --satfilter-pages they look as they were read, where OCRmyPDF makes images
of pages: with --force-ocr, --deskew, --clean-final or --remove-background.
"""
from __future__ import annotations

import io
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Generator

import numpy as np
from ocrmypdf import hookimpl
from ocrmypdf.exceptions import BadArgsError
from PIL import Image

import satfilter


@hookimpl
def add_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("satfilter", "Filters in front of OCR")
    group.add_argument("--satfilter", metavar="SPEC",
                       help="filters for what OCR reads, such as wolf=0.14in or 'box=3 sauvola=41'")
    group.add_argument("--satfilter-pages", action="store_true",
                       help="the pages of the output are filtered, too, where their images are made anew")


@hookimpl
def check_options(options: Any) -> None:
    """One sentence before the first page instead of one for each."""
    spec = _spec(options)
    if spec is None:
        if getattr(options, "satfilter_pages", False):
            raise BadArgsError("--satfilter-pages: --satfilter SPEC says which filters")
        return
    white = Image.new("L", (600, 600), 255)
    white.info["dpi"] = (300, 300)
    _filter(_decoded(white), spec)


@hookimpl(wrapper=True)
def filter_ocr_image(page: Any, image: Image.Image) -> Generator[None, Image.Image, Image.Image]:
    """After those of others: tesseract's makes images smaller that are too large for it."""
    image = yield
    spec = _spec(page.options)
    if spec is None:
        return image
    made = Image.fromarray(_filter(_decoded(image), spec).array)
    if _is_bilevel(made):
        made = made.convert("1", dither=Image.Dither.NONE)
    made.info["dpi"] = image.info["dpi"]
    return made


@hookimpl
def filter_page_image(page: Any, image_filename: Path) -> Path | None:
    spec = _spec(page.options)
    if spec is None or not page.options.satfilter_pages:
        return None
    made = _filter(satfilter.read_image(image_filename), spec)
    kept = ".png" if _is_bilevel(made.array) else image_filename.suffix
    path = image_filename.with_name(image_filename.stem + "_satfilter" + kept)
    satfilter.write(path, made)
    return path


def _spec(options: Any) -> str | None:
    return getattr(options, "satfilter", None)


def _decoded(image: Image.Image) -> satfilter.Image:
    """The picture with its resolution, by which the library resolves lengths."""
    if image.mode not in ("L", "RGB"):
        image = image.convert("L" if image.mode in ("1", "I", "I;16", "LA") else "RGB")
    file = io.BytesIO()
    image.save(file, "png", dpi=image.info["dpi"], compress_level=1)
    return satfilter.read_image(file.getvalue(), formats="png")


def _filter(image: satfilter.Image, spec: str) -> satfilter.Image:
    try:
        made = image.filter(spec)
    except (ValueError, TypeError, OSError, satfilter.Error) as error:
        raise BadArgsError(f"--satfilter {spec}: {error}") from None
    if made.array.shape[:2] != image.array.shape[:2]:
        raise BadArgsError(f"--satfilter {spec}: pages would not keep their size, and text its place")
    if made.array.dtype != image.array.dtype:
        raise BadArgsError(f"--satfilter {spec}: makes {made.array.dtype} numbers of pages, not pictures")
    return made


def _is_bilevel(image: Any) -> bool:
    return bool(np.isin(image, (0, 255)).all())
