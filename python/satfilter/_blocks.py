"""Filters block by block: what of an image a part of the result depends on. For dask.py and zarr.py."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import _FILTERS, _MOVE, CODES, NATIVE, Filter, apply, filter_of, make

_ALL = 2**63 - 1  # a reach as far as the image goes
_TABLE = 2  # satf_filter_kind
_WRAP = "border=wrap"


class Axis(NamedTuple):
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
        self.filter = f = filter_of(spec)
        kinds = {name: _FILTERS[name][3] for name in f.names if name in _FILTERS}
        for name, kind in kinds.items():
            if kind in (_MOVE, _TABLE):
                raise ValueError(f"{name} is no filter for blocks: " + (
                    "integral() of this module makes tables" if kind == _TABLE else
                    "indexing and transpose() turn arrays"))
        self.arguments = (None if want is None else np.dtype(want).newbyteorder("="), channel_axis, alpha)
        axes = list(range(len(shape)))
        if channel_axis is not None:
            if not -len(shape) <= channel_axis < len(shape):
                raise ValueError(f"channel_axis {channel_axis}: the array has {len(shape)} axes")
            axes.remove(channel_axis % len(shape))
        if len(axes) < 2:
            raise ValueError(f"an array of shape {tuple(shape)} has too few axes for images")
        self.rows, self.columns = _axes(f, shape, axes[-2:])
        # Of one image, as small as can be: its type, and whether colours become grey.
        tiny = [1] * len(shape)
        pictured = bool(f.arrays) or "by" in f.names  # which has the image's size
        for axis in self:
            tiny[axis.index] = axis.size if pictured and _ALL in (axis.before, axis.after) else axis.lost + 1
        if channel_axis is not None:
            tiny[channel_axis] = shape[channel_axis]
        made = self.apply(np.zeros(tiny, dtype))
        self.dtype = made.dtype
        self.channel = None if channel_axis is None else channel_axis % len(shape)
        self.dropped = made.ndim < len(shape)
        size = list(shape)
        for axis in self:
            size[axis.index] -= axis.lost
            if size[axis.index] < 1:
                raise ValueError(f"{f.spec}: an image of shape {tuple(shape)} is smaller than the window")
        if self.dropped:
            del size[self.channel]
        elif self.channel is not None:
            size[self.channel] = made.shape[self.channel]
        self.shape = tuple(size)

    def __iter__(self):
        return iter((self.rows, self.columns))

    def apply(self, block: np.ndarray) -> np.ndarray:
        return apply(self.filter, block, None, *self.arguments)

    def whole(self, axis: Axis, remedy: str) -> None:
        """Refuses an axis that is cut into blocks though each pixel depends on all of it."""
        if _ALL in (axis.before, axis.after):
            mixed = _WRAP in self.filter.spec and len(self.filter.names) > 1
            raise ValueError(f"{self.filter.spec}: " + (
                "border=wrap beside another border goes by blocks only filter after filter" if mixed else
                f"each pixel depends on the whole image, which has to be one block: {remedy}"))


def _axes(f: Filter, shape: tuple[int, ...], axes: list[int]) -> list[Axis]:
    text, params = f._made_of
    parts = [f] if params is not None else [Filter(word) for word in text.split()]
    lost = [sum(part.reach()[side] for part in parts if "border=valid" in part.spec) for side in range(4)]
    reach = f.reach()
    wraps = any(_WRAP in part.spec for part in parts)
    if wraps and all(_WRAP in part.spec or not any(part.reach()) for part in parts):
        # On a periodic image windows are bounded as on others.
        bounded = [_unwrapped(part).reach() for part in parts]
        reach = tuple(min(_ALL, sum(sides)) for sides in zip(*bounded))
    return [Axis(index, shape[index], reach[k], reach[k + 2], lost[k], lost[k] + lost[k + 2], wraps)
            for k, index in enumerate(axes)]


def _unwrapped(f: Filter) -> Filter:
    text, params = f._made_of
    if params is None:
        return Filter(text.replace(_WRAP, "border=clamp"))
    return Filter.of(text, **{**params, "border": "clamp"}) if "border" in params else f


def table_types(shape: tuple[int, ...], dtype: Any, squared: bool, want: Any = None) -> tuple[np.dtype, np.dtype]:
    """Of sums over blocks, which wrap around at 2**64 if they are integers, and of the result: see integral()."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "biuf":
        raise TypeError(f"{dtype} samples: integral() takes integers, floats and bool")
    wide = np.dtype({"f": "f8", "i": "i8"}.get(dtype.kind, "u8"))
    if want is not None:
        return wide, np.dtype(want).newbyteorder("=")
    if dtype.kind == "f":
        return wide, np.dtype("f4" if dtype.itemsize == 2 else "f8")
    if dtype.kind == "i" or dtype.itemsize > 2:
        return wide, wide
    f = make(("integral", squared, False), squared=squared, zeros=False)
    full = 1.0 if dtype.kind == "b" else 0.0
    code = CODES[np.dtype(f"u{dtype.itemsize}")]
    return wide, np.dtype(NATIVE[_core.made(f.capsule, *shape[-2:], 1, code, 0, full)[3]])
