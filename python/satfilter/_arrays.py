"""Arrays into images: what is taken as it is, what is converted, and how."""
from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from . import _core, _devices, _types, _words
from ._devices import ALPHA, AUTO, NATIVE
from ._params import BORDER, FILE, border, possible, text
from ._types import give
from ._words import shown

_run = _core.run
U8, F64 = 0, 5
CODES: dict[Any, int] = {}
for _code, _name in enumerate(NATIVE[:-1]):
    for _key in (_name, np.dtype(_name), np.dtype(_name).type, np.dtype(_name).str[1:]):
        CODES[_key] = _code
CODES[float] = F64
_WINDOW, _MOVE = 0, 3  # satf_filter_kind
_FILTERS = {row[0]: row for row in _core.table()}
_COMPLEX = {"box", "sum", "template"}
_SCALED = {"linearize", "delinearize"}  # whose results have another scale, where they have another type


def code_of(dtype: Any) -> int:
    """The satf_type of a result that the library makes itself."""
    want = _words.dtype("dtype", dtype)
    code = CODES.get(want)
    if code is None:
        raise TypeError(f"{want} samples: here a result is {', '.join(NATIVE[:-2])} or {NATIVE[-2]}")
    return code


class Filter:
    """A chain of filters with their parameters, such as ``Filter("box=3 sauvola=31")``.

    Never changes; threads may share it. It is pickled by its text and its arrays. Filters are equal that do the same
    by the same parameters and arrays, however these were written.
    """

    __slots__ = ("capsule", "names", "arrays", "left_out", "_made_of", "_turned", "_leaving")

    def __init__(self, spec: str):
        if not isinstance(spec, str):
            raise TypeError(f"a {type(spec).__name__}: filters are text, such as 'box=15', or a Filter")
        self.capsule = _core.parse(spec)
        self.names = [re.split("[=,]", word)[0] for word in spec.split()]
        self.arrays: dict[str, np.ndarray] = {}
        self._made_of: tuple[str, dict[str, Any] | None] = (spec, None)
        self._keep_nothing()

    @classmethod
    def of(cls, name: str, **params: Any) -> Filter:
        """One filter by its name, with the parameters that its function has: ``Filter.of("box", size=15)``."""
        self = cls.__new__(cls)
        self.capsule = _core.create(name)
        self.names = [name]
        self.arrays = {}
        self._keep_nothing()
        given = {key: value for key, value in params.items() if value is not None}
        self._made_of = (name, given)
        for row in _FILTERS[name][4]:
            self._set(name, row, given.pop(_argument(name, row[0]), None))
        if given:
            raise TypeError(f"{name} has no parameter {', '.join(given)}")
        self._made_of = (name, {**params, **self.arrays})
        return self

    def _keep_nothing(self) -> None:
        self.left_out: tuple[Any, str, Any] = (None, "propagate", None)  # weights, nan_policy, nodata
        self._turned: Filter | None = None
        self._leaving: dict[Any, Filter] = {}

    def leaving_out(self, weights: Any = None, nan_policy: str = "propagate", nodata: Any = None) -> Filter:
        """A filter that does the same but for pixels that do not count: windows leave them out.

        weights: an array (H, W), or a path of a picture: 0 does not count, the type's largest integer, or 1 of floats
        and bools, counts wholly, others in proportion; less than 0 and NaN are 0. For integers of 8 and 16 bits they
        are rounded to the image's type, but not to 0, and more than 1 is 1. nan_policy: "omit", samples that are no
        number do not count; "propagate", they spread. nodata: samples of this number do not count.
        """
        if not isinstance(nan_policy, str) or nan_policy not in ("propagate", "omit"):
            raise ValueError(f"nan_policy={shown(nan_policy)}: 'propagate' or 'omit'")
        mine = self.left_out
        weights, nodata = (mine[0] if weights is None else weights), (mine[2] if nodata is None else nodata)
        key = (mine[1] if nan_policy == "propagate" else nan_policy,
               None if nodata is None else _words.number("nodata", nodata))
        if weights is mine[0] and key == mine[1:]:
            return self
        if weights is None and key in self._leaving:
            return self._leaving[key]
        made = _rebuilt(*self._made_of)
        _core.set_missing(made.capsule, key[0] == "omit", key[1])
        if isinstance(weights, (str, os.PathLike)):
            try:
                _core.read_weights(made.capsule, _words.path(weights))
            except OSError as error:
                raise error if os.path.exists(weights) else FileNotFoundError(str(error)) from None
        elif weights is not None:
            weights = real("weights", weights).copy()
            if weights.ndim != 2:
                raise ValueError(f"weights: of shape (H, W), not {weights.shape}")
            seen, full = _bytes(weights)
            _core.set_weights(made.capsule, seen, 0, 0, full)
        made.left_out = (weights, *key)
        if weights is None:
            keep(self._leaving, key, made)
        return made

    def _set(self, name: str, row: tuple[Any, ...], value: Any) -> None:
        """A parameter by its row of the table; None: the default."""
        param, kind, syntax, _, least, most, default, _, is_value = row
        argument = _argument(name, param)
        if value is None:
            value = default if is_value else None
            if value is None and is_value:
                raise TypeError(f"{name}: {argument} is missing")
        if value is None:
            return
        if kind == FILE:
            self._set_array(name, param, value)
            return
        if kind == BORDER:
            value = border(value)
        try:
            _core.set(self.capsule, param, text(kind, value))
        except (TypeError, ValueError, OverflowError) as error:
            refused = ValueError if isinstance(error, OverflowError) else type(error)
            raise refused(f"{argument}={shown(value)} of {name}: {possible(kind, syntax, least, most)}") from None

    def _set_array(self, name: str, param: str, value: Any) -> None:
        if name == "template":
            rows = _words.rects(value)
            rects = np.empty(len(rows), [("x", "i8"), ("y", "i8"), ("w", "i8"), ("h", "i8"), ("weight", "f8")])
            for field, column in zip(("y", "x", "h", "w", "weight"), rows.T):
                rects[field] = column
            _core.set_rects(self.capsule, rects)
        elif name == "permute":
            rows = _order(value)
            _core.set_order(self.capsule, rows)
        else:
            rows = real(_argument(name, param), value).copy()
            if rows.ndim == 3 and rows.shape[2] > 4 or rows.ndim not in (2, 3):
                raise ValueError(f"{param}: (H, W), or (H, W, C) of 1 to 4 channels, not of shape {rows.shape}")
            seen, full = _bytes(rows)
            _core.set_image(self.capsule, np.ascontiguousarray(seen), int(rows.ndim == 3), 0, full)
        self.arrays[_argument(name, param)] = rows

    def turned(self) -> Filter:
        """The filter of the transposed image."""
        if self._turned is None:
            spec = re.sub(r"=([\d.]+%?)x([\d.]+%?)", r"=\2x\1", self.spec)
            self._turned = Filter(re.sub(r"\bat=(-?\d+):(-?\d+)", r"at=\2:\1", spec)).leaving_out(*self.left_out)
        return self._turned

    @property
    def spec(self) -> str:
        """The text, as the command takes it; FILE stands for arrays."""
        return _core.text(self.capsule)

    @property
    def is_named(self) -> bool:
        """Whether it was made by its name, not by a text."""
        return self._made_of[1] is not None

    @property
    def title(self) -> str:
        """What messages call it: its text, or the function's name."""
        return self._made_of[0]

    def reach(self) -> tuple[int, int, int, int]:
        """Pixels above, to the left of, below and to the right of a pixel that its result depends on.

        2**63 - 1: as far as the image goes.
        """
        left, top, right, bottom = _core.reach(self.capsule)
        return top, left, bottom, right

    def all_of(self, kind: int) -> bool:
        return all(name in _FILTERS and _FILTERS[name][3] == kind for name in self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Filter):
            return NotImplemented
        if (self.spec, self._files(), self.arrays.keys()) != (other.spec, other._files(), other.arrays.keys()):
            return False
        weights, theirs = self.left_out[0], other.left_out[0]
        arrays = [isinstance(w, np.ndarray) for w in (weights, theirs)]
        if self.left_out[1:] != other.left_out[1:] or arrays[0] != arrays[1]:
            return False
        if not (_same(weights, theirs) if arrays[0] else weights == theirs):
            return False
        return all(_same(array, other.arrays[key]) for key, array in self.arrays.items())

    def _files(self) -> str | None:
        """What a text says whose files the library has read, and of which spec has no names."""
        text, params = self._made_of
        return text if params is None and "=FILE" in self.spec else None

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self):
        return _rebuilt, (*self._made_of, self.left_out)

    def __repr__(self) -> str:
        named = zip(("weights", "nan_policy", "nodata"), self.left_out)
        said = ", ".join(f"{name}={shown(value)}" for name, value in named
                         if value is not None and shown(value) != "'propagate'")
        return f"satfilter.Filter({self.spec!r})" + (f".leaving_out({said})" if said else "")


def _order(value: Any) -> np.ndarray:
    return _types.integers("order", plain(value)).ravel()


def _bytes(array: np.ndarray) -> tuple[np.ndarray, float]:
    """Samples that the library takes, and their full scale: bools are bytes of a full scale of 1."""
    return (array.view("u1"), 1.0) if array.dtype.kind == "b" else (array, 0.0)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    """The same samples, bit by bit."""
    return a is b or a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def _rebuilt(name: str, params: dict[str, Any] | None, left_out: tuple[Any, str, Any] | None = None) -> Filter:
    made = Filter(name) if params is None else Filter.of(name, **params)
    return made.leaving_out(*left_out) if left_out else made


def _argument(name: str, param: str) -> str:
    """What Python calls a filter's parameter: arrays take the place of files."""
    return {("template", "file"): "rects", ("permute", "file"): "order", ("by", "image"): "other"}.get(
        (name, param), param)


_made: dict[Any, Filter] = {}


def make(key: tuple, **params: Any) -> Filter:
    """The filter key[0] with these parameters, kept for the next call under that key."""
    f = Filter.of(key[0], **params)
    keep(_made, key, f)
    return f


def made(name: str, **params: Any) -> Filter:
    """The same for all others: names are in the key, so that it is none of a function's."""
    key = (name, *params.items())
    try:
        return _made[key]
    except (KeyError, TypeError):
        return make(key, **params)


def keep(cache: dict, key: Any, value: Any) -> None:
    if len(cache) >= 256:
        cache.clear()
    try:
        cache[key] = value
    except TypeError:  # lists as sizes
        pass


_specs: dict[Any, Filter] = {}


def filter_of(spec: str | Filter) -> Filter:
    if isinstance(spec, Filter):
        return spec
    made = _specs.get(spec) if isinstance(spec, str) else None
    if made is None:
        made = Filter(spec)
        keep(_specs, spec, made)
    return made


# ---------------------------------------------------------------------------------- the quick way


def apply(f: Filter, image: Any, out: Any = None, dtype: Any = None, channel_axis: int | None = None,
          alpha: bool = False) -> np.ndarray:
    """The filter applied to each image: as they are, or by a conversion that changes no result."""
    try:
        if dtype is None and channel_axis is None and alpha is False:
            return _run(f.capsule, image, out, AUTO, 0, 0, 0.0)
        if dtype is None and type(channel_axis) is int and channel_axis == -1 and type(alpha) is bool:
            return _run(f.capsule, image, out, AUTO, 1, ALPHA if alpha else 0, 0.0)
    except (BufferError, TypeError):
        pass
    except ValueError as error:
        raise own_types(error, f, image) from None
    return _convert(f, image, out, dtype, channel_axis, alpha)


def own_types(error: Exception, f: Filter, image: np.ndarray) -> Exception:
    """The exception with the types of the caller's arrays. A chain's may be about the result of one of its filters."""
    seen = image.dtype if len(f.names) == 1 else None
    return type(error)(_types.named(str(error), seen, next((array.dtype for array in f.arrays.values()), None)))


# ------------------------------------------------------------------------------------- all others


def plain(image: Any) -> np.ndarray:
    """An array of class numpy.ndarray in the machine's order of bytes."""
    if isinstance(image, np.ma.MaskedArray):
        raise TypeError("a masked array: image.filled(value) makes an array that can be filtered")
    if type(image).__module__.partition(".")[0] in ("pandas", "polars"):
        raise TypeError(f"a {type(image).__name__}: its to_numpy() makes an array that can be filtered")
    if _devices.has(image):
        raise TypeError("an array on a device: copy it to the host first, as .cpu() or .get() do")
    try:
        array = np.asarray(_devices.from_dlpack(image))
    except ValueError:
        raise ValueError(f"{shown(image)} is no array: its rows differ") from None
    if isinstance(image, (str, bytes)) or array.dtype == object and array.ndim == 0:
        raise TypeError(f"a {type(image).__name__} is no array; satfilter.read() makes one of a picture's file")
    if not _types.is_number(array.dtype):
        raise TypeError(_types.why_not(array.dtype))
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def real(name: str, value: Any) -> np.ndarray:
    """The same of an argument that is not complex."""
    array = plain(value)
    if array.dtype.kind == "c":
        raise TypeError(f"{name}: {array.dtype} samples; real ones, as abs() makes them, are possible")
    return array


def _wanted(f: Filter, out: Any, dtype: Any, of: np.dtype) -> np.dtype | None:
    """The type of the result that is asked for."""
    want = None if dtype is None else _words.dtype("dtype", dtype)
    if out is not None:
        if type(out) is not np.ndarray:
            raise TypeError(f"out is a {type(out).__name__}, not a numpy.ndarray")
        if want is not None and want != out.dtype:
            raise ValueError(f"out has {out.dtype} samples, dtype is {want}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        want = out.dtype
    if want == of and f.all_of(_MOVE):
        return want
    return want if want is None else _types.result(want, of)


def _convert(f, image, out, dtype, channel_axis, alpha):
    if _devices.has(image):
        return _devices.apply(f, image, out, dtype, channel_axis, alpha)
    if _devices.is_tensor(image):
        made = apply(f, _devices.to_numpy(image), None if out is None else _devices.to_numpy(out),
                     _devices.name_of(dtype), channel_axis, alpha)
        return _devices.to_tensor(made) if out is None else out
    if isinstance(out, np.memmap):
        apply(f, image, np.asarray(out), dtype, channel_axis, alpha)
        return out
    image = plain(image)
    want, alpha = _wanted(f, out, dtype, image.dtype), _words.flag("alpha", alpha)
    if channel_axis is None:
        if alpha:
            raise ValueError("alpha is the last of several channels: channel_axis says which axis counts them")
        return _typed(f, image, out, want, 0, 0)
    axis = _words.axis("channel_axis", channel_axis, image.ndim)
    keeps = out is not None and out.ndim == image.ndim
    result = _typed(f, np.moveaxis(image, axis, -1), np.moveaxis(out, axis, -1) if keeps else out, want, 1,
                    ALPHA if alpha else 0)
    if out is not None:
        return out
    return np.moveaxis(result, -1, axis) if result.ndim == image.ndim else result


def _typed(f, image, out, want, channels, flags):
    """Samples of every type, the channels last."""
    try:
        if f.all_of(_MOVE) and image.dtype not in CODES:
            return _moved(f, image, out, want, channels, flags)
        if image.dtype.kind == "c":
            return _complex(f, image, out, want, channels, flags)
        if image.dtype.kind == "b":
            return _bools(f, image, out, want, channels, flags)
        return _numbers(f, image, out, want, channels, flags)
    except (TypeError, ValueError) as error:
        raise own_types(error, f, image) from None


def _numbers(f, image, out, want, channels, flags):
    """Sums of large integers are refused if they may be inexact: where white plays no part, by samples that occur."""
    try:
        return _placed(f, image, out, want, channels, flags, 0.0)
    except TypeError:
        if image.dtype.kind not in "iu" or image.itemsize < 4 or not image.size or any(
                row[0] == "full" for name in f.names for row in _FILTERS[name][4]):
            raise
    full = max(int(image.max()), -1 - int(image.min()), 1)
    full = max([full, *(abs(float(constant)) for constant in re.findall(r"=constant:([^,\s]+)", f.spec))])
    return _placed(f, image, out, want, channels, flags, float(full))


def _bools(f, image, out, want, channels, flags):
    """Results like the image are shares."""
    shape = image.shape[-3:] if channels else (*image.shape[-2:], 1)
    if len(shape) == 3 and 0 not in shape:  # others the library refuses
        height, width, depth = shape
        made = [_core.made(f.capsule, height, width, min(depth, 4), code, 0, 0.0)[3] for code in (U8, F64)]
        if made == [U8, U8]:
            raise TypeError(f"{f.title} makes black and white, and bool samples are that already")
        want = want or (np.dtype("f8") if made[0] == U8 else None)
    scaled = bool(_SCALED & set(f.names))
    return _placed(f, image.astype("f8") if scaled else image.view("u1"), out, want, channels, flags, 1.0)


def _complex(f, image, out, want, channels, flags):
    """Real and imaginary parts are two channels."""
    if channels or not set(f.names) <= _COMPLEX:
        raise TypeError(f"{image.dtype} samples: box, sum and template take them, without channels")
    parts = np.ascontiguousarray(image).view(f"f{image.dtype.itemsize // 2}").reshape(image.shape + (2,))
    made = _placed(f, parts, None, np.dtype("f8"), 1, 0, 0.0)
    return give(made.view("c16")[..., 0], out, want or image.dtype)


def _moved(f, image, out, want, channels, flags):
    """Bools and complex samples as integers of their size."""
    t = image.dtype
    if t == np.dtype("c16"):
        if channels:
            raise TypeError("complex128 samples are moved without channels")
        parts = np.ascontiguousarray(image).view("u8").reshape(image.shape + (2,))
        return give(_placed(f, parts, None, None, 1, 0, 0.0).view(t)[..., 0], out, want or t)
    seen = np.dtype(f"u{t.itemsize}")
    if out is not None and out.dtype == t:
        _placed(f, image.view(seen), out.view(seen), seen, channels, flags, 0.0)
        return out
    return give(_placed(f, image.view(seen), None, None, channels, flags, 0.0).view(t), out, want or t)


# ----------------------------------------------------------------------------------------- strides


def _placed(f, image, out, want, channels, flags, full):
    """Samples that the library takes, at any strides."""
    code = AUTO if want is None or out is not None else CODES[want]
    if channels and (image.shape[-1] > 4 or image.strides[-1] != image.itemsize and image.shape[-1] > 1):
        if not flags and not f.arrays and not _core.knows_colours(f.capsule):
            made = _placed(f, np.moveaxis(image, -1, 0), None if out is None else np.moveaxis(out, -1, 0), want,
                           0, 0, full)
            return np.moveaxis(made, 0, -1) if out is None else out
        if image.shape[-1] > 4:
            raise ValueError(f"{image.shape[-1]} channels: {f.title} takes 1 to 4")
    if _columns_first(f, image, channels):
        turned = _run_or_copy(f.turned(), image.swapaxes(-1, -2), None if out is None else out.swapaxes(-1, -2),
                              code, 0, flags, full)
        return turned.swapaxes(-1, -2) if out is None else out
    return _run_or_copy(f, image, out, code, channels, flags, full)


def _columns_first(f, image, channels):
    """Integers whose columns lie together go as the transposed image. Floats would differ in their last bits."""
    narrow = image.dtype.kind in "iu" and image.itemsize <= 2
    if channels or image.ndim < 2 or not narrow or min(image.shape[-2:]) <= 1 or f.arrays or f.left_out[0] is not None:
        return False
    return abs(image.strides[-1]) > abs(image.strides[-2]) > 0 and f.all_of(_WINDOW)


def _run_or_copy(f, image, out, code, channels, flags, full):
    """Copies the image, or the result where out overlaps the image or cannot be written to as it lies."""
    try:
        return _run(f.capsule, image, out, code, channels, flags, full)
    except BufferError:
        pass
    image = np.ascontiguousarray(image)
    try:
        return _run(f.capsule, image, out, code, channels, flags, full)
    except BufferError:
        if out is None:
            raise
    made = _run(f.capsule, image, None, CODES[out.dtype], channels, flags, full)
    return give(made, out, None)
