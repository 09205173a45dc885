"""Pictures, their files, and what files say about them."""
from __future__ import annotations

import io
import os
import warnings
from typing import Any

import numpy as np

from . import _core
from ._arrays import AUTO, CODES, NATIVE, Filter, code_of, filter_of, plain
from ._words import flag, integer, number, pair, path, say, word

_ICC, _EXIF, _XMP = range(3)  # satf_metadata_kind


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

    Image(array) is around the array's memory, or around a copy if pixels do not lie row by row, from left to right
    with channels side by side, or if samples are bool or of another order of bytes. array is its memory: (H, W), or
    (H, W, C) of 1 to 4 channels. What is changed in it is written. alpha: the last channel is straight alpha; None:
    of 2 and 4 channels it is.
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

    def filter(self, spec: str | Filter, *, dtype: Any = None, weights: Any = None, nan_policy: str = "propagate",
               nodata: float | None = None) -> Image:
        """Another picture, filtered, with the colour profile, EXIF and so on of this one."""
        code = AUTO if dtype is None else code_of(dtype)
        f = filter_of(spec).leaving_out(weights, nan_policy, nodata)
        return Image._of(_core.image_filter(f.capsule, self._capsule, code))

    def __repr__(self) -> str:
        return f"<satfilter.Image {self.array.shape} {self.array.dtype}>"


def _name(file: Any) -> str:
    name = getattr(file, "name", None)
    return name if isinstance(name, str) and name else f"<{type(file).__name__}>"


def _seek(file: Any) -> Any:
    """seek() as in io; None where there is none, or where what is written is appended wherever the place is."""
    fixed = hasattr(file, "seekable") and not file.seekable() or "a" in str(getattr(file, "mode", ""))
    if fixed or not hasattr(file, "seek"):
        return None

    def seek(offset: int, whence: int) -> int:
        at = file.seek(offset, whence)
        return file.tell() if at is None else at

    return seek


def _bytes(data: Any) -> Any:
    try:
        return memoryview(data)
    except TypeError:
        raise TypeError(f"source is a {type(data).__name__}; give one path, an object with read(), or a bytes-like "
                        "object" + "; loop over several" * isinstance(data, (list, tuple))) from None


def _input(source: Any) -> Any:
    """What the core reads: a path, or an object's methods."""
    if isinstance(source, (str, os.PathLike)):
        return path(source)
    if not hasattr(source, "read"):
        source = io.BytesIO(_bytes(source))
    return _name(source), source.read, _seek(source)


def _output(target: Any, format: str | None) -> tuple[Any, str | None]:
    """What the core writes, and its format if it is named."""
    format = word("format", format)
    if isinstance(target, (str, os.PathLike)):
        return path(target), format
    if not hasattr(target, "write"):
        raise TypeError(f"target is a {type(target).__name__}; give one path, or an object with write()"
                        + "; loop over several" * isinstance(target, (list, tuple)))
    name = _name(target)
    format = format or os.path.splitext(name)[1][1:]
    if not format:
        raise ValueError(f"{name} has no suffix to go by: format= names a format")

    def write_raw(data: bytes) -> int:
        taken = target.write(data)
        if taken is None:
            raise BlockingIOError(f"{name} takes no bytes now: files have to wait until they can")
        return taken

    return (name, write_raw if isinstance(target, io.RawIOBase) else target.write, _seek(target)), format


def read_image(source: Any, *, formats: str | None = None) -> Image:
    """The picture in a file: a path, the file's bytes, or an object with read(), and seek() where it can.

    formats names those that may be read, "png,jpeg", or "all"; None: those whose decoders are fit for files
    of strangers. An object is read from where it is, and perhaps further than the picture goes.
    """
    formats = word("formats", formats)
    if isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
        return Image._of(_core.image_read(_input(source), formats))
    return Image._of(_core.image_decode(_bytes(source), formats))


def read(source: Any, *, formats: str | None = None) -> np.ndarray:
    """The samples of a picture, (H, W) or (H, W, C), as its file has them. See read_image()."""
    return read_image(source, formats=formats).array


def probe(path: Any, *, formats: str | None = None) -> dict[str, Any]:
    """What a file says before its pixels are decoded: shape, dtype, alpha, full, format, pages, range and so on.

    See read_image().
    """
    said = _core.probe(_input(path), word("formats", formats))
    height, width, channels = said.pop("height"), said.pop("width"), said.pop("channels")
    lo, hi, known = said.pop("lo"), said.pop("hi"), said.pop("has_range")
    return {"shape": (height, width) if channels == 1 else (height, width, channels),
            "dtype": np.dtype(NATIVE[said.pop("type")]), **said, "range": (lo, hi) if known else None}


def _wrap(image: Any, alpha: bool | None) -> tuple[Any, np.ndarray]:
    """A capsule around the array, or around the copy that is needed; and which."""
    array = plain(image)
    if array.dtype.kind == "b":
        array = array.view("u1") * np.uint8(255)
    if array.dtype not in CODES:
        raise TypeError(f"{array.dtype} samples: pictures have integers or floats")
    if array.ndim not in (2, 3) or array.ndim == 3 and not 1 <= array.shape[2] <= 4:
        raise ValueError(f"a picture is (H, W), or (H, W, C) of 1 to 4 channels, not {array.shape}")
    channels = array.ndim - 2
    if alpha is not None:
        alpha = flag("alpha", alpha)
    else:
        alpha = channels == 1 and array.shape[2] in (2, 4)
    try:
        return _core.image_wrap(array, channels, int(alpha)), array
    except BufferError:
        array = np.ascontiguousarray(array)
        return _core.image_wrap(array, channels, int(alpha)), array


def _image_of(image: Any, alpha: bool | None) -> Any:
    return image._capsule if isinstance(image, Image) else _wrap(image, alpha)[0]


def _writer(quality: Any, png_level: Any, format: str | None, span: Any) -> tuple[Any, ...]:
    """What the core is told of a file that it writes."""
    if span is not None and not (isinstance(span, str) and span == "auto"):
        span = pair("range", span, read=number)
    return integer("quality", quality), integer("png_level", png_level), format, span


def write(path: Any, image: Any, *, alpha: bool | None = None, quality: int = 0, png_level: int = 1,
          format: str | None = None, range: Any = None) -> None:
    """Writes a picture: an array (H, W) or (H, W, C), or an Image with its metadata.

    path: its file appears whole or not at all; or an object with write(), and seek() where it can, which is
    written from where it is, and wants format="png" if its name has no suffix.
    alpha: the last channel is; None: of 2 and 4 channels it is. range: (black, white), or "auto" for those
    that occur; without it integers of 8 and 16 bits without a sign are written as they are; of others the type's
    whole range is mapped to black ... white, so take range=, astype or .npy.
    """
    file, format = _output(path, format)
    _core.image_write(_image_of(image, alpha), file, _writer(quality, png_level, format, range))


def encode(image: Any, format: str, *, alpha: bool | None = None, quality: int = 0, png_level: int = 1,
           range: Any = None) -> bytes:
    """The bytes of a file of that format ("png"). See write()."""
    writer = _writer(quality, png_level, word("format", format), range)
    return _core.image_encode(_image_of(image, alpha), writer)


def filter_file(spec: str | Filter, source: Any, target: Any, *, quality: int = 0, png_level: int = 1,
                format: str | None = None, range: Any = None, formats: str | None = None,
                mask: Any = None, linear: bool = False, weights: Any = None, nan_policy: str = "propagate",
                nodata: float | None = None) -> None:
    """Filters a file into a file, as the command does: by rows where it can, so in little memory.

    source and target: see read_image() and write(). mask: an array (H, W) or (H, W, C), an Image, or a path: the
    filter works where it is white, pixels stay where it is black, and grey blends. linear: mixes light, not samples,
    by the curve that the file's colour profile or gAMA says; else sRGB's. weights, an array or a path,
    nan_policy and nodata: see Filter.leaving_out(). What a user should know of a file that went well, such as
    pictures that were left out, is a warning.
    """
    file, format = _output(target, format)
    if source is target and isinstance(file, tuple):
        raise ValueError("the source and the target are one object: its place cannot be in two files")
    writer = _writer(quality, png_level, format, range)
    if isinstance(mask, (str, os.PathLike)) or hasattr(mask, "read"):
        mask = read_image(mask, formats=formats)
    blend = None if mask is None else _image_of(mask, None)
    formats = word("formats", formats)
    f = filter_of(spec).leaving_out(weights, nan_policy, nodata)
    for note in _core.filter_file(f.capsule, _input(source), file, writer, formats, blend, flag("linear", linear)):
        warnings.warn(say(note), stacklevel=2)
