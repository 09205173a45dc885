"""Filters and summed area tables of Dask arrays: lazy, by blocks, with the results of whole images.

    import dask.array as da
    from satfilter import dask as sd
    blurred = sd.filter(da.from_zarr("slide.zarr"), "box=801")

Integers have the same bits as those of the whole image in one block; floats keep the library's bounds, and differ
in their last bits. A worker's threads share the cores with those of the library: where Dask runs as many tasks as
there are cores, satfilter.set_threads(1) in each worker is best. satfilter.zarr needs less memory from Zarr to Zarr.
"""
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Iterable

import dask.array as da
import numpy as np

from . import _functions, _words, ndimage
from ._arrays import Filter
from ._blocks import Axis, Blocks, table_types
from ._types import give

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = ["integral", "uniform_filter"]  # `import *` leaves Python's own filter() alone


def filter(x: da.Array, spec: str | Filter, *, dtype: DTypeLike | None = None, channel_axis: int | None = None,
           alpha: bool = False) -> da.Array:
    """satfilter.filter() of an array (..., H, W), or with channels on channel_axis: each image filtered.

    Every border is the image's: blocks read their neighbours as far as the filter reaches. Blocks with fewer rows
    or columns than that are merged (rechunked) first, and so are channels. Filters that depend on the whole image
    (wolf, threshold=otsu, varbox, guided and by with an image, border=wrap beside other borders) need images of one
    block each; those that only move pixels are refused, and integral has a function of its own.

    >>> filter(da.ones((4, 900, 900), chunks=(1, 300, 300), dtype="u1"), "box=15").chunks
    ((1, 1, 1, 1), (300, 300, 300), (300, 300, 300))
    """
    _check(x)
    blocks = Blocks(spec, x.shape, x.dtype, dtype, channel_axis, alpha)
    for axis in blocks:
        if x.numblocks[axis.index] > 1:
            blocks.whole(axis, f"x.rechunk({{{blocks.rows.index}: -1, {blocks.columns.index}: -1}})")
    if blocks.channel is not None:
        x = x.rechunk({blocks.channel: -1})
    made = _overlap(x, partial(_part, blocks), blocks, blocks.dtype, blocks.channel if blocks.dropped else None)
    for axis in blocks:
        if axis.lost:
            inner = slice(axis.first, axis.first + axis.size - axis.lost)
            made = made[(slice(None),) * blocks.made_index(axis) + (inner,)]
    return made


def _check(x: Any) -> None:
    if not isinstance(x, da.Array):
        raise TypeError(f"a {type(x).__name__}, not an array of Dask: dask.array.from_array() makes one")
    if np.isnan(x.shape).any():
        raise ValueError("blocks of unknown size: compute_chunk_sizes() of the array finds it")


def _overlap(x: da.Array, part: Callable[[np.ndarray], np.ndarray], axes: Iterable[Axis], dtype: Any,
             dropped: int | None = None) -> da.Array:
    """part of each block with what the axes say around it. In axes of one block the image's border is at work."""
    depth: dict[int, Any] = {}
    boundary = {}
    for axis in axes:
        most = max(axis.before, axis.after)
        if x.numblocks[axis.index] > 1 and most >= axis.size:
            x = x.rechunk({axis.index: -1})
        boundary[axis.index] = "periodic" if axis.wraps else "none"
        depth[axis.index] = most if axis.wraps else (axis.before, axis.after)
        if x.numblocks[axis.index] == 1:
            depth[axis.index] = 0
    return da.map_overlap(part, x, depth=depth, boundary=boundary, dtype=dtype,
                          drop_axis=None if dropped is None else [dropped],
                          meta=np.empty((0,) * (x.ndim - (dropped is not None)), dtype))


def _part(blocks: Blocks, block: np.ndarray) -> np.ndarray:
    """The filtered block, of the block's size: what border valid leaves out is filled."""
    made = blocks.apply(block)
    pad = [(0, 0)] * made.ndim
    for axis in blocks:
        pad[blocks.made_index(axis)] = (axis.first, axis.lost - axis.first)
    return np.pad(made, pad) if any(map(any, pad)) else made


def uniform_filter(input: da.Array, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0, *, axes: Any = None) -> da.Array:
    """satfilter.ndimage.uniform_filter(), along any axes; output is a type or None. See filter()."""
    if output is not None and not isinstance(output, (type, np.dtype, str)):
        raise TypeError("output is a type: arrays of Dask do not change")
    _check(input)
    part = partial(ndimage.uniform_filter, size=size, output=output, mode=mode, cval=cval, origin=origin, axes=axes)
    made = part(np.zeros((1,) * input.ndim, input.dtype))
    axes = ndimage._axes(axes, input.ndim)
    sizes, origins, modes = (ndimage._each(value, len(axes)) for value in (size, origin, mode))
    reaches = []
    for axis, n, at, border in map(ndimage._window, axes, sizes, origins, modes):
        before = n // 2 - at if n > 1 else 0
        after = max(n, 1) - 1 - before
        if border in ("mirror", "reflect"):
            before = after = max(before, after)
        reaches.append(Axis(axis, input.shape[axis], before, after, 0, 0, border == "wrap"))
    return _overlap(input, part, reaches, made.dtype)


def integral(x: da.Array, *, squared: bool = False, dtype: DTypeLike | None = None,
             channel_axis: int | None = None) -> da.Array:
    """satfilter.integral() of an array (..., H, W), or with channels on channel_axis, of any blocks.

    Each block's own table, plus what the blocks above and to the left of it add. Integers are exact. Tables of blocks
    are made twice rather than kept, so that what waits for the sums of others are the blocks of x.
    """
    _check(x)
    if channel_axis is not None:
        channel_axis = _words.axis("channel_axis", channel_axis, x.ndim)
        made = integral(da.moveaxis(x, channel_axis, 0), squared=squared, dtype=dtype)
        return da.moveaxis(made, 0, channel_axis)
    wide, want = table_types(x.shape, x.dtype, squared, dtype)
    rows, columns = x.ndim - 2, x.ndim - 1
    table = partial(_functions.integral, squared=squared, dtype=wide)
    ends = da.map_blocks(partial(_ends, table), x, chunks=tuple((1,) * n for n in x.numblocks), dtype=object,
                         meta=_meta(x, object))
    bottom, right = (da.map_blocks(partial(_end, k), ends, dtype=wide, meta=_meta(x, wide),
                                   chunks=tuple((1,) * len(c) if a == axis else c for a, c in enumerate(x.chunks)))
                     for k, axis in enumerate((rows, columns)))
    above = _before(bottom, rows)
    right = da.map_blocks(_corner, right, above, dtype=wide, meta=_meta(x, wide))
    return da.map_blocks(partial(_carried, table, want), x, above, _before(right, columns), chunks=x.chunks, dtype=want,
                         meta=_meta(x, want))


def _ends(table: Callable[[np.ndarray], np.ndarray], block: np.ndarray) -> np.ndarray:
    """The last row and the last column of a block's table, as one sample: the table is not kept for them."""
    made = np.empty((1,) * block.ndim, object)
    whole = table(block)
    made[(0,) * block.ndim] = whole[..., -1:, :].copy(), whole[..., -1:].copy()
    return made


def _end(k: int, ends: np.ndarray) -> np.ndarray:
    return ends.item()[k]


def _before(ends: da.Array, axis: int) -> da.Array:
    """What the blocks before each one along the axis add up to."""
    sums = da.cumsum(ends, axis=axis, dtype=ends.dtype)
    first, others = [(slice(None),) * axis + (cut,) for cut in (slice(0, 1), slice(0, -1))]
    return da.concatenate([da.zeros_like(sums[first]), sums[others]], axis=axis)


def _corner(right: np.ndarray, above: np.ndarray) -> np.ndarray:
    return right + above[..., -1:]


def _carried(table: Callable[[np.ndarray], np.ndarray], want: np.dtype, block: np.ndarray, above: np.ndarray,
             left: np.ndarray) -> np.ndarray:
    made = table(block)
    made += above
    made += left
    return give(made, None, want)


def _meta(x: da.Array, dtype: Any) -> np.ndarray:
    return np.empty((0,) * x.ndim, dtype)
