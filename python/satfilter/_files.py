"""Pictures, their files, and what files say about them."""
from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from . import _core
from ._arrays import NATIVE, CODES, Filter, filter_of, plain

_AUTO = -1
_PICTURES = {np.dtype(t) for t in ("u1", "u2", "u4", "u8", "f4", "f8")}


class _Pixels:
    """The memory of a picture: arrays keep it alive."""

    def __init__(self, image: Any):
        self._image = image
        address, stride, height, width, channels, code, self.flags, self.full = _core.image_view(image)
        samples = np.dtype(NATIVE[code])
        axes = 3 if channels > 1 else 2
        self.__array_interface__ = {"shape": (height, width, channels)[:axes], "typestr": samples.str, "version": 3,
                                    "strides": (stride, samples.itemsize * channels, samples.itemsize)[:axes],
                                    "data": (address, False)}


class Image:
    """A picture that was read: its samples, and what its file said about them.

    array is its memory: (H, W), or (H, W, C) of 2 to 4 channels. What is changed in it is written.
    """

    __slots__ = ("_image", "array", "alpha", "full")

    def __init__(self, image: Any):
        pixels = _Pixels(image)
        self._image = image
        self.array: np.ndarray = np.asarray(pixels)
        self.alpha: bool = bool(pixels.flags)  # the last channel is straight alpha
        self.full: float = pixels.full  # the sample that is white; 0: the type's largest, 1 of floats

    def filter(self, spec: str | Filter, *, dtype: Any = None) -> Image:
        """Another picture, filtered, with the colour profile, EXIF and so on of this one."""
        code = _AUTO if dtype is None else CODES[np.dtype(dtype)]
        return Image(_core.image_filter(filter_of(spec).capsule, self._image, code))

    def __repr__(self) -> str:
        return f"<satfilter.Image {self.array.shape} {self.array.dtype}>"


def read_image(source: Any, *, formats: str | None = None) -> Image:
    """The picture in a file: a path, or the file's bytes.

    formats names those that may be read, "png,jpeg", or "all"; None: those whose decoders are fit for files
    of strangers.
    """
    if isinstance(source, (str, os.PathLike)):
        return Image(_core.image_read(source, formats))
    return Image(_core.image_decode(source, formats))


def read(source: Any, *, formats: str | None = None) -> np.ndarray:
    """The samples of a picture, (H, W) or (H, W, C), as its file has them. See read_image()."""
    return read_image(source, formats=formats).array


def probe(path: Any, *, formats: str | None = None) -> dict[str, Any]:
    """What a file says before its pixels are decoded: shape, dtype, alpha, full, format, pages, range and so on."""
    said = _core.probe(path, formats)
    height, width, channels = said.pop("height"), said.pop("width"), said.pop("channels")
    lo, hi, known = said.pop("lo"), said.pop("hi"), said.pop("has_range")
    return {"shape": (height, width) if channels == 1 else (height, width, channels),
            "dtype": np.dtype(NATIVE[said.pop("type")]), **said, "range": (lo, hi) if known else None}


def _image_of(image: Any, alpha: bool | None) -> Any:
    if isinstance(image, Image):
        return image._image
    array = plain(image)
    if array.dtype.kind == "b":
        array = array.view("u1") * np.uint8(255)
    if array.dtype not in _PICTURES:
        raise TypeError(f"{array.dtype} samples: files hold uint8 to uint64, float32 and float64")
    if array.ndim not in (2, 3) or array.ndim == 3 and not 1 <= array.shape[2] <= 4:
        raise ValueError(f"a picture is (H, W), or (H, W, C) of 1 to 4 channels, not {array.shape}")
    channels = array.ndim - 2
    if alpha is None:
        alpha = channels == 1 and array.shape[2] in (2, 4)
    try:
        return _core.image_of(array, channels, int(alpha))
    except BufferError:
        return _core.image_of(np.ascontiguousarray(array), channels, int(alpha))


def _range(span: Any) -> Any:
    return span if span is None or isinstance(span, str) and span == "auto" else (float(span[0]), float(span[1]))


def write(path: Any, image: Any, *, alpha: bool | None = None, quality: int = 0, png_level: int = 1,
          format: str | None = None, range: Any = None) -> None:
    """Writes a picture, whole or not at all: an array (H, W) or (H, W, C), or an Image with its metadata.

    alpha: the last channel is; None: of 2 and 4 channels it is. range: (black, white), or "auto" for those
    that occur; without it integers are written as they are.
    """
    _core.image_write(_image_of(image, alpha), path, (quality, png_level, format, _range(range)))


def encode(image: Any, format: str, *, alpha: bool | None = None, quality: int = 0, png_level: int = 1,
           range: Any = None) -> bytes:
    """The bytes of a file of that format ("png"). See write()."""
    return _core.image_encode(_image_of(image, alpha), (quality, png_level, format, _range(range)))


def filter_file(spec: str | Filter, source: Any, target: Any, *, quality: int = 0, png_level: int = 1,
                format: str | None = None, range: Any = None, formats: str | None = None) -> None:
    """Filters a file into a file, as the command does: by rows where it can, so in little memory.

    What a user should know of a file that went well, such as pictures that were left out, is a warning.
    """
    writer = (quality, png_level, format, _range(range))
    for note in _core.filter_file(filter_of(spec).capsule, source, target, writer, formats):
        warnings.warn(note, stacklevel=2)
