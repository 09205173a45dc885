"""Arrays into images: what is taken as it is, what is converted, and how."""
from __future__ import annotations

import re
from typing import Any, Callable

import numpy as np

from . import _core, _devices, _types, _words
from ._devices import ALPHA, AUTO, NATIVE
from ._params import BORDER, FILE, border, possible, text
from ._types import full_scale, give
from ._words import shown

_run = _core.run
U8, F64 = 0, 5
CODES: dict[Any, int] = {}
for _code, _name in enumerate(NATIVE):
    for _key in (_name, np.dtype(_name), np.dtype(_name).type, np.dtype(_name).str[1:]):
        CODES[_key] = _code
CODES[float] = F64
_SAMPLES = {np.dtype(t) for t in ("u1", "u2", "f4", "f8")}  # that every filter takes
_WINDOW, _MOVE = 0, 3  # satf_filter_kind
_FILTERS = {row[0]: row for row in _core.table()}
# What adds the same number to each sample adds it to each result, or leaves it alone.
_SHIFTED = {"box", "unsharp", "guided", "resize", "pixelate", "grey"}
_UNSHIFTED = {"variance", "stddev"}
_NARROWED = {"box", *_UNSHIFTED}  # that do not know what white is
_SCALED = {"linearize", "delinearize"}  # whose results have another scale, where they have another type
_COMPLEX = {"box", "sum", "template"}


def code_of(dtype: Any) -> int:
    """The satf_type of a result that the library makes itself."""
    want = _words.dtype("dtype", dtype)
    code = CODES.get(want)
    if code is None:
        raise TypeError(f"{want} samples: here a result is {', '.join(NATIVE[:-1])} or {NATIVE[-1]}")
    return code


class Filter:
    """A chain of filters with their parameters, such as ``Filter("box=3 sauvola=31")``.

    Never changes; threads may share it. It is pickled by its text and its arrays. Filters are equal that do the same
    by the same parameters and arrays, however these were written.
    """

    __slots__ = ("capsule", "names", "arrays", "only", "_made_of", "_turned")

    def __init__(self, spec: str):
        if not isinstance(spec, str):
            raise TypeError(f"a {type(spec).__name__}: filters are text, such as 'box=15', or a Filter")
        self.capsule = _core.parse(spec)
        self.names = [re.split("[=,]", word)[0] for word in spec.split()]
        self.arrays: dict[str, np.ndarray] = {}
        self.only: np.dtype | None = None
        self._made_of: tuple[str, dict[str, Any] | None] = (spec, None)
        self._turned: Filter | None = None

    @classmethod
    def of(cls, name: str, **params: Any) -> Filter:
        """One filter by its name, with the parameters that its function has: ``Filter.of("box", size=15)``."""
        self = cls.__new__(cls)
        self.capsule = _core.create(name)
        self.names = [name]
        self.arrays = {}
        self.only = None
        self._turned = None
        given = {key: value for key, value in params.items() if value is not None}
        self._made_of = (name, given)
        for row in _FILTERS[name][4]:
            self._set(name, row, given.pop(_argument(name, row[0]), None))
        if given:
            raise TypeError(f"{name} has no parameter {', '.join(given)}")
        guide = self.arrays.get("guide")
        if guide is not None and not (",colour" in self.spec and guide.shape[2:] == (3,)):
            self.only = guide.dtype  # other images of their own may have any type
        self._made_of = (name, {**params, **self.arrays})
        return self

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
            self._set_image(rows, 0.0 if rows.dtype in _SAMPLES else full_scale(rows.dtype))
        self.arrays[_argument(name, param)] = rows

    def _set_image(self, rows: np.ndarray, full: float) -> None:
        aux = rows if rows.dtype in _SAMPLES else rows.astype("f8")
        _core.set_image(self.capsule, np.ascontiguousarray(aux), int(rows.ndim == 3), 0, full)

    def check(self, of: np.dtype) -> None:
        """Refuses images of that type, as the library does, which sees a converted guide."""
        if self.only is not None and self.only != of:
            raise ValueError(f"guide has {self.only} samples, the image {of}; a guide has the image's type, unless RGB "
                             "with colour=True")

    def like(self, of: np.dtype, convert: Callable[[np.ndarray], np.ndarray]) -> Filter:
        """The filter for images of that type that are converted so, as its own image is, if of that type."""
        if not self.arrays or self.names[0] in ("template", "permute"):
            return self
        name, params = self._made_of
        ((key, array),) = self.arrays.items()
        array, full = (convert(array), _said(of, self)) if array.dtype == of else (array, full_scale(array.dtype))
        made = Filter.of(name, **{**(params or {}), key: array})
        made._set_image(array, full)
        return made

    def turned(self) -> Filter:
        """The filter of the transposed image."""
        if self._turned is None:
            spec = re.sub(r"=([\d.]+%?)x([\d.]+%?)", r"=\2x\1", self.spec)
            self._turned = Filter(re.sub(r"\bat=(-?\d+):(-?\d+)", r"at=\2:\1", spec))
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
        return all(_same(array, other.arrays[key]) for key, array in self.arrays.items())

    def _files(self) -> str | None:
        """What a text says whose files the library has read, and of which spec has no names."""
        text, params = self._made_of
        return text if params is None and "=FILE" in self.spec else None

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self):
        name, params = self._made_of
        return (Filter, (name,)) if params is None else (_rebuilt, (name, params))

    def __repr__(self) -> str:
        return f"satfilter.Filter({self.spec!r})"


def _order(value: Any) -> np.ndarray:
    return _types.integers("order", plain(value)).ravel()


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    """The same samples, bit by bit."""
    return a is b or a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def _rebuilt(name: str, params: dict[str, Any]) -> Filter:
    return Filter.of(name, **params)


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


def called(f: Filter, image: Any, out: Any, dtype: Any, channel_axis: int | None, alpha: bool) -> np.ndarray:
    """apply(), by functions that people call."""
    if not hasattr(image, "shape"):
        image = plain(image)
    _words.channels(f.title if f.is_named else "filter", image.shape, channel_axis)
    return apply(f, image, out, dtype, channel_axis, alpha)


def apply(f: Filter, image: Any, out: Any = None, dtype: Any = None, channel_axis: int | None = None,
          alpha: bool = False) -> np.ndarray:
    """The filter applied to each image: as they are, or by a conversion that changes no result."""
    quick = dtype is None and f.only is None
    try:
        if quick and channel_axis is None and alpha is False:
            return _run(f.capsule, image, out, AUTO, 0, 0, 0.0)
        if quick and type(channel_axis) is int and channel_axis == -1 and type(alpha) is bool:
            return _run(f.capsule, image, out, AUTO, 1, ALPHA if alpha else 0, 0.0)
    except (BufferError, TypeError):
        pass
    except ValueError as error:
        raise own_types(error, f, image) from None
    return _convert(f, image, out, dtype, channel_axis, alpha)


def own_types(error: Exception, f: Filter, image: np.ndarray) -> Exception:
    """The exception with the types of the caller's arrays. A chain's may be about the result of one of its filters."""
    seen = image.dtype if len(f.names) == 1 and image.dtype not in _SAMPLES else None
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


def _kind(f, image, channels):
    """What the filter makes of samples: "same", "real" numbers, "sum"s or "bilevel"."""
    shape = image.shape[-3:] if channels else image.shape[-2:] + (1,)
    if len(shape) < 3 or 0 in shape:
        return "same"  # which the library refuses
    height, width, depth = shape
    depth = min(depth, 4)
    floats = _core.made(f.capsule, height, width, depth, F64, 0, 0.0)[3]
    if floats == U8:
        return "bilevel"
    integers = _core.made(f.capsule, height, width, depth, U8, 0, 0.0)[3]
    return "same" if integers == U8 else "real" if _SCALED & set(f.names) or integers == F64 else "sum"


def _typed(f, image, out, want, channels, flags):
    """Samples of every type, the channels last."""
    f.check(image.dtype)
    try:
        return _by_type(f, image, out, want, channels, flags)
    except (TypeError, ValueError) as error:
        raise own_types(error, f, image) from None


def _by_type(f, image, out, want, channels, flags):
    t = image.dtype
    if f.all_of(_MOVE):
        return _moved(f, image, out, want, channels, flags)
    if t in _SAMPLES:
        if want is None or want in CODES:
            return _placed(f, image, out, want, channels, flags, 0.0)
        return give(_placed(f, image, None, np.dtype("f8"), channels, flags, 0.0), out, want)
    if flags and t.kind != "f":
        raise TypeError(f"{t} samples with alpha: uint8, uint16 and floats can be filtered")
    return _BY_KIND[t.kind](f, image, out, want, channels, flags)


def _halves(f, image, out, want, channels, flags):
    """float16: by float32, and rounded once."""
    wider = f.like(image.dtype, lambda a: a.astype("f4"))
    kind = _kind(wider, image, channels)
    want = want or {"same": np.dtype("f2"), "bilevel": np.dtype("u1")}.get(kind, np.dtype("f4"))
    if want in CODES:
        return _placed(wider, image.astype("f4"), out, want, channels, flags, 0.0)
    return give(_placed(wider, image.astype("f4"), None, np.dtype("f8"), channels, flags, 0.0), out, want)


def _bools(f, image, out, want, channels, flags):
    """0 and 1 of a full scale of 1."""
    wide = bool(f.arrays or _SCALED & set(f.names))
    seen, samples = f.like(image.dtype, lambda a: a.astype("f8")), "f8" if wide else "u1"
    kind = _kind(seen, image, channels)
    if kind == "bilevel":
        raise TypeError(f"bool samples are black and white already: {f.title}")
    image = image.astype(samples) if wide else image.view(samples)
    want = want or (np.dtype("f8") if kind == "same" else None)
    if want is None or want in CODES:
        return _placed(seen, image, out, want, channels, flags, 1.0)
    return give(_placed(seen, image, None, np.dtype("f8"), channels, flags, 1.0), out, want)


def _integers(f, image, out, want, channels, flags):
    """Signed integers, and those of 32 and 64 bits: as unsigned ones where nothing changes, else by float64."""
    t = image.dtype
    if f.names == ["integral"]:
        return give(_integral(f, image, channels), out, want)
    unsigned, otsu = np.dtype(f"u{t.itemsize}"), f.spec.startswith("threshold=otsu")
    absolute = not otsu and re.search("border=constant|full=", f.spec)
    if t.itemsize <= 2 and len(f.names) == 1 and not absolute:
        sign = unsigned.type(1 << (8 * t.itemsize - 1))
        shifted, seen = f.like(t, lambda a: a.view(unsigned) ^ sign), image.view(unsigned) ^ sign
        if otsu:  # a surface is of samples
            made = _placed(shifted, seen, None, None, channels, flags, 0.0)
            return give(made - float(sign) if ",surface" in f.spec else made, out, want)
        if f.names[0] in _UNSHIFTED and (want is None or want in CODES):
            return _placed(shifted, seen, out, want, channels, flags, 0.0)
        if f.names[0] in _SHIFTED and (want is None or want == t):
            made = _placed(shifted, seen, None, None, channels, flags, 0.0)
            made ^= sign
            return give(made.view(t), out, t)
    if t.itemsize > 2 and len(f.names) == 1 and f.names[0] in _NARROWED and not absolute and image.size:
        made = _few_levels(f, image, want, channels)
        if made is not None:
            return give(made, out, want or made.dtype)
    if f.names == ["box"]:
        return give(_mean(f, image, channels), out, want or t)
    wider = f.like(t, lambda a: a.astype("f8"))
    kind = _kind(wider, image, channels)
    if kind == "bilevel" and t.itemsize > 2:
        raise TypeError(f"{t} samples: black and white is made of integers of 8 and 16 bits and of floats; "
                        "astype('float64') makes them")
    if want is None:
        want = {"same": t, "sum": np.dtype("i8" if t.kind == "i" else "u8"), "bilevel": np.dtype("u1")}.get(kind)
    to = np.dtype("f8") if kind != "bilevel" else None
    return give(_placed(wider, image.astype("f8"), None, to, channels, flags, _said(t, f)), out, want)


def _few_levels(f, image, want, channels):
    """Large integers that differ little, by those of 16 bits, to which the smallest is added again; None of others."""
    least, most = int(image.min()), int(image.max())
    least = 0 if least > 0 and most < 1 << 16 else least
    t = image.dtype
    if most - least >= 1 << 16:
        return None
    if f.names[0] in _UNSHIFTED:
        return _placed(f, np.subtract(image, least, dtype=t).astype("u2"), None, np.dtype("f8"), channels, 0, 0.0)
    if want is not None and want != t:
        if least != 0:  # the sum would be rounded twice
            return None
        return _placed(f, image.astype("u2"), None, want if want in CODES else np.dtype("f8"), channels, 0, 0.0)
    made = _placed(f, np.subtract(image, least, dtype=t).astype("u2"), None, None, channels, 0, 0.0).astype(t)
    made += t.type(least)
    return made


def _said(t: np.dtype, f: Filter) -> float:
    """The full scale of samples that are converted; 0: f says it, also of its own image."""
    return 0.0 if t.kind not in "iu" or ",full=" in f.spec else full_scale(t)


def _mean(f, image, channels):
    """Exact sums, divided once: the library multiplies those of floats by a reciprocal."""
    sums = filter_of(f.spec.replace("box", "sum", 1))
    total = _placed(sums, image.astype("f8"), None, None, channels, 0, 0.0)
    if "border=shrink" in f.spec:
        total /= _placed(sums, np.ones(image.shape, "f8"), None, None, channels, 0, 0.0)
    else:
        width, height = re.fullmatch(r"box=(\d+)(?:x(\d+))?.*", f.spec).groups()
        total /= int(width) * int(height or width)
    return total


def _complex(f, image, out, want, channels, flags):
    """Real and imaginary parts are two channels."""
    if channels or not set(f.names) <= _COMPLEX:
        raise TypeError(f"{image.dtype} samples: box, sum and template take them, without channels")
    parts = np.ascontiguousarray(image).view(f"f{image.dtype.itemsize // 2}").reshape(image.shape + (2,))
    made = _placed(f, parts, None, np.dtype("f8"), 1, 0, 0.0)
    return give(made.view("c16")[..., 0], out, want or image.dtype)


_BY_KIND = {"f": _halves, "b": _bools, "i": _integers, "u": _integers, "c": _complex}


def _moved(f, image, out, want, channels, flags):
    """Moves take samples of any type as integers of their size."""
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


def _integral(f, image, channels):
    """By numpy, modulo 2**64."""
    table = image.astype("u8" if image.dtype.kind == "u" else "i8")
    if "squared" in f.spec:
        table *= table
    y, x = image.ndim - 2 - channels, image.ndim - 1 - channels
    np.cumsum(table, axis=y, out=table)
    np.cumsum(table, axis=x, out=table)
    if "zeros" in f.spec:
        table = np.pad(table, [(int(axis in (y, x)), 0) for axis in range(image.ndim)])
    return table


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
    if channels or image.ndim < 2 or image.dtype.kind != "u" or min(image.shape[-2:]) <= 1 or f.arrays:
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
