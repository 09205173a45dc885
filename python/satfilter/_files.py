"""Pictures, their files, and what files say about them."""
from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from . import _core
from ._arrays import NATIVE, CODES, Filter, filter_of, plain

_AUTO = -1
_ICC, _EXIF, _XMP = range(3)  # satf_metadata_kind
_PICTURES = {np.dtype(t) for t in ("u1", "u2", "u4", "u8", "f4", "f8")}


class _Pixels:
    """The memory of a picture that was read: arrays keep it alive."""

    def __init__(self, capsule: Any):
        self._capsule = capsule
        address, stride, height, width, channels, code, _, _ = _core.image_view(capsule)
        samples = np.dtype(NATIVE[code])
        axes = 3 if channels > 1 else 2
        self.__array_interface__ = {"shape": (height, width, channels)[:axes], "typestr": samples.str, "version": 3,
                                    "strides": (stride, samples.itemsize * channels, samples.itemsize)[:axes],
                                    "data": (address, False)}


class Image:
    """A picture: its samples, and what its file said about them.

    Image(array) is around the array's memory; a copy is made as filters make one, and of samples of bool. array
    is its memory: (H, W), or (H, W, C) of 1 to 4 channels. What is changed in it is written. alpha: the last
    channel is straight alpha; None: of 2 and 4 channels it is.
    """

    __slots__ = ("_capsule", "array", "alpha", "full")

    def __init__(self, array: Any, *, alpha: bool | None = None):
        self._keep(*_wrap(array, alpha))

    @classmethod
    def _of(cls, capsule: Any) -> Image:
        image = cls.__new__(cls)
        image._keep(capsule, np.asarray(_Pixels(capsule)))
        return image

    def _keep(self, capsule: Any, array: np.ndarray) -> None:
        flags, full = _core.image_view(capsule)[-2:]
        self._capsule = capsule
        self.array: np.ndarray = array
        self.alpha: bool = bool(flags)
        self.full: float = full  # the sample that is white; 0: the type's largest, 1 of floats

    @property
    def range(self) -> tuple[float, float] | None:
        """The samples that are black and white, as far as they are known."""
        return _core.image_range(self._capsule)

    @property
    def icc(self) -> bytes | None:
        """The colour profile; this, exif and xmp may be set, None takes them away."""
        return _core.image_metadata(self._capsule, _ICC)

    @icc.setter
    def icc(self, data: Any) -> None:
        _core.image_set_metadata(self._capsule, _ICC, data)

    @property
    def exif(self) -> bytes | None:
        """EXIF as a TIFF file, which begins with II or MM."""
        return _core.image_metadata(self._capsule, _EXIF)

    @exif.setter
    def exif(self, data: Any) -> None:
        _core.image_set_metadata(self._capsule, _EXIF, data)

    @property
    def xmp(self) -> bytes | None:
        """XMP's packet, XML."""
        return _core.image_metadata(self._capsule, _XMP)

    @xmp.setter
    def xmp(self, data: Any) -> None:
        _core.image_set_metadata(self._capsule, _XMP, data)

    def filter(self, spec: str | Filter, *, dtype: Any = None) -> Image:
        """Another picture, filtered, with the colour profile, EXIF and so on of this one."""
        code = _AUTO if dtype is None else CODES[np.dtype(dtype)]
        return Image._of(_core.image_filter(filter_of(spec).capsule, self._capsule, code))

    def __repr__(self) -> str:
        return f"<satfilter.Image {self.array.shape} {self.array.dtype}>"


def read_image(source: Any, *, formats: str | None = None) -> Image:
    """The picture in a file: a path, or the file's bytes.

    formats names those that may be read, "png,jpeg", or "all"; None: those whose decoders are fit for files
    of strangers.
    """
    if isinstance(source, (str, os.PathLike)):
        return Image._of(_core.image_read(source, formats))
    return Image._of(_core.image_decode(source, formats))


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


def _wrap(image: Any, alpha: bool | None) -> tuple[Any, np.ndarray]:
    """A capsule around the array, or around the copy that is needed; and which."""
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
        return _core.image_wrap(array, channels, int(alpha)), array
    except BufferError:
        array = np.ascontiguousarray(array)
        return _core.image_wrap(array, channels, int(alpha)), array


def _image_of(image: Any, alpha: bool | None) -> Any:
    return image._capsule if isinstance(image, Image) else _wrap(image, alpha)[0]


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
