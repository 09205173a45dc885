"""Filters block by block: what of an image a part of the result depends on. For dask.py and zarr.py."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core, _types, _words
from ._arrays import _FILTERS, _MOVE, CODES, NATIVE, Filter, apply, filter_of, make

_ALL = 2**63 - 1  # a reach as far as the image goes
_TABLE, _CELLS = 2, 4  # satf_filter_kind
_WRAP = "border=wrap"


@dataclass(frozen=True)
class Axis:
    """Rows or columns of an image. A pixel i of the result depends on first + i - before ... first + i + after."""

    index: int  # of the array's axes
    size: int
    before: int
    after: int
    first: int  # border valid: the pixel that pixel 0 of the result stands for
    lost: int  # border valid: how much shorter the result is
    wraps: bool


class Blocks:
    """A filter for the blocks of one array: its rows and columns, and what the result is."""

    def __init__(self, spec: str | Filter, shape: tuple[int, ...], dtype: Any, want: Any = None,
                 channel_axis: int | None = None, alpha: bool = False):
        self.filter = filter_of(spec)
        _check_names(self.filter)
        self.arguments = (None if want is None else _words.dtype("dtype", want).newbyteorder("="), channel_axis, alpha)
        self.channel = None
        if channel_axis is not None:
            self.channel = _words.axis("channel_axis", channel_axis, len(shape))
        _words.channels("filter", shape, channel_axis)
        axes = [axis for axis in range(len(shape)) if axis != self.channel][-2:]
        if len(axes) < 2:
            raise ValueError(f"an array of shape {tuple(shape)} has too few axes for images")
        self.rows, self.columns = _axes(self.filter, shape, axes, 1 if self.channel is None else shape[self.channel])
        made = self._one_small_image(shape, dtype)
        self.dtype = made.dtype
        self.dropped = made.ndim < len(shape)  # colours become grey
        if self.channel is not None and not self.dropped and made.shape[self.channel] != shape[self.channel]:
            raise ValueError(f"{self.filter.title}: blocks keep their channels, and grey and alpha are fewer than "
                             "colours and alpha; filter the colours alone")
        size = list(shape)
        for axis in self:
            size[axis.index] -= axis.lost
        self.shape = tuple(n for k, n in enumerate(size) if not (self.dropped and k == self.channel))

    def _one_small_image(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        small = [1] * len(shape)
        for axis in self:
            small[axis.index] = axis.size if _has_image(self.filter) else axis.lost + 1
        if self.channel is not None:
            small[self.channel] = shape[self.channel]
        return self.apply(np.zeros(small, dtype))

    def __iter__(self):
        return iter((self.rows, self.columns))

    def made_index(self, axis: Axis) -> int:
        """Of the result's axes."""
        return axis.index - (self.dropped and self.channel is not None and self.channel < axis.index)

    def apply(self, block: np.ndarray) -> np.ndarray:
        return apply(self.filter, block, None, *self.arguments)

    def whole(self, axis: Axis, remedy: str) -> None:
        """Refuses an axis that is cut into blocks though each pixel depends on all of it."""
        if _ALL in (axis.before, axis.after):
            mixed = _WRAP in self.filter.spec and len(self.filter.names) > 1
            raise ValueError(f"{self.filter.title}: " + (
                "border=wrap beside another border goes by blocks only filter after filter" if mixed else
                f"each pixel depends on the whole image, which has to be one block: {remedy}"))


def _check_names(f: Filter) -> None:
    for name in f.names:
        kind = _FILTERS[name][3] if name in _FILTERS else None
        if kind in (_MOVE, _TABLE, _CELLS):
            raise ValueError(f"{name} is no filter for blocks: " + (
                "integral() of this module makes tables" if kind == _TABLE else
                "its result has fewer pixels than the image" if kind == _CELLS else
                "indexing and transpose() cut and turn arrays"))


def _has_image(f: Filter) -> bool:
    """It keeps an image, of the size of those that it is for."""
    return bool({"by", "varbox"} & set(f.names)) or ",guide=" in f.spec


def _axes(f: Filter, shape: tuple[int, ...], axes: list[int], channels: int) -> list[Axis]:
    text, params = f._made_of
    parts = [f] if params is not None else [Filter(word) for word in text.split()]
    first = [sum(part.reach()[side] for part in parts if "border=valid" in part.spec) for side in (0, 1)]
    height, width = (shape[axis] for axis in axes)
    lost = (0, 0)
    if "border=valid" in f.spec:
        made = _core.made(f.capsule, height, width, min(channels, 4), CODES[float], 0, 0.0)
        lost = (height - made[0], width - made[1])
    reach = f.reach()
    wraps = any(_WRAP in part.spec for part in parts)
    if wraps and all(_WRAP in part.spec or not any(part.reach()) for part in parts):
        # On a periodic image windows are bounded as on others.
        bounded = [_unwrapped(part).reach() for part in parts]
        top, left, bottom, right = (min(_ALL, sum(sides)) for sides in zip(*bounded))
        reach = (top, left, bottom, right)
    return [Axis(axis, shape[axis], reach[k], reach[k + 2], min(first[k], lost[k]), lost[k], wraps)
            for k, axis in enumerate(axes)]


def _unwrapped(f: Filter) -> Filter:
    text, params = f._made_of
    if params is None:
        return Filter(text.replace(_WRAP, "border=clamp"))
    return Filter.of(text, **{**params, "border": "clamp"}) if "border" in params else f


def table_types(shape: tuple[int, ...], dtype: Any, squared: bool, want: Any = None) -> tuple[np.dtype, np.dtype]:
    """Of sums over blocks, which wrap around at 2**64 if they are integers, and of the result: see integral()."""
    dtype = np.dtype(dtype)
    if not _types.is_number(dtype):
        raise TypeError(_types.why_not(dtype))
    if dtype.kind == "c":
        raise TypeError(f"{dtype} samples: integral() takes integers, floats and bool")
    wide = np.dtype("f8" if dtype.kind == "f" else "i8" if dtype.kind == "i" and not squared else "u8")
    if want is not None:
        return wide, _types.result(_words.dtype("dtype", want).newbyteorder("="), dtype)
    if dtype.kind == "f" or dtype.itemsize > 2:
        return wide, wide
    f = make(("integral", squared, False), squared=squared, zeros=False)
    full = 1.0 if dtype.kind == "b" else 0.0
    code = CODES[np.dtype("u1") if dtype.kind == "b" else dtype]
    return wide, np.dtype(NATIVE[_core.made(f.capsule, shape[-2], shape[-1], 1, code, 0, full)[3]])
