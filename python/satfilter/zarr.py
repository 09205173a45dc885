"""Filters and summed area tables from one large array to another, such as Zarr's, in little memory.

    import zarr
    from satfilter import zarr as sz
    source = zarr.open_array("slide.zarr", mode="r")
    target = zarr.create_array("blurred.zarr", shape=source.shape, chunks=(1000, 1000), dtype=source.dtype)
    sz.filter(source, target, "box=801")

Each task reads a block with what the filter reaches around it, filters it, and writes the block. So memory depends on
blocks, not on images. Integers have the same bits as those of the whole image; floats keep the library's bounds.

source and target: whatever has shape, dtype, and slices that can be read, and written: arrays of Zarr, datasets of
h5py, arrays and memmaps of numpy. map: what runs the tasks, called as the map of Python: that of a
concurrent.futures.ThreadPoolExecutor or ProcessPoolExecutor, of a multiprocessing.Pool, of a client of
dask.distributed, of mpi4py.futures. For other processes arrays must be picklable, as Zarr's in files are, or memmaps
of whole files; workers that share a machine need fewer threads each: ProcessPoolExecutor(8,
initializer=satfilter.set_threads, initargs=(2,)).
"""
from __future__ import annotations

import itertools
import mmap
import os
from functools import partial
from typing import Any, Callable, Iterable, Iterator

import numpy as np

from . import _functions
from ._arrays import Filter
from ._blocks import Axis, Blocks, table_types
from ._types import give
from ._words import pair

__all__ = ["integral"]  # `import *` leaves Python's own filter() alone
# Sides of blocks, at least: so that calls cost little, and what is read besides at most half as much again.
_SIDE, _PER_REACH = 2000, 4


def filter(source: Any, target: Any, spec: str | Filter, *, chunks: tuple[int, int] | None = None,
           channel_axis: int | None = None, alpha: bool = False, map: Callable[..., Iterable[Any]] = map) -> None:
    """satfilter.filter() of source, (..., H, W) or with channels on channel_axis, into target.

    target has the result's shape; results that its type does not have are converted as by out= of
    satfilter.filter(). chunks: rows and columns of a block, multiples of target's chunks (shards), so that no two
    tasks write the same one; None: at least 2000, and four times what the filter reaches. A task holds a block with
    its surroundings, its result, and what the library takes.

    Filters that depend on the whole image (wolf, threshold=otsu, varbox, guided and by with an image, border=wrap
    beside other borders) need chunks as large as images; those that only move pixels are refused, and integral has
    a function of its own.
    """
    _check(source=source, target=target)
    blocks = Blocks(spec, source.shape, source.dtype, target.dtype, channel_axis, alpha)
    if tuple(target.shape) != blocks.shape:
        raise ValueError(f"target has shape {tuple(target.shape)}, the result {blocks.shape}")
    grid = _grid(target, blocks, chunks)
    if _cut(blocks, grid) and _same(source, target):
        raise ValueError("target is the source: blocks would read what others have written")
    for _ in _results(map, partial(_filter, _Sent(source), _Sent(target), blocks), grid):
        pass


def integral(source: Any, target: Any, *, squared: bool = False, chunks: tuple[int, int] | None = None,
             channel_axis: int | None = None, map: Callable[..., Iterable[Any]] = map) -> None:
    """satfilter.integral() of source, (..., H, W) or with channels on channel_axis, into target of source's shape.

    Integers are exact in a target of 64 bits, and saturate in others. The source is read twice: first for what each
    block adds to those below and to the right of it. See filter().
    """
    _check(source=source, target=target)
    blocks = Blocks("box=1", source.shape, source.dtype, None, channel_axis)
    wide, want = table_types(source.shape, source.dtype, squared, target.dtype)
    if tuple(target.shape) != blocks.shape:
        raise ValueError(f"target has shape {tuple(target.shape)}, the result {blocks.shape}")
    grid = _grid(target, blocks, chunks)
    table = partial(_table, _Sent(source), blocks, squared, wide)
    ends = _results(map, partial(_ends, table), grid)
    for _ in _results(map, partial(_write_table, table, _Sent(target), want), list(_carried(blocks, grid, ends))):
        pass


# ------------------------------------------------------------------------------------------ blocks


def _check(**arrays: Any) -> None:
    for name, array in arrays.items():
        if not all(hasattr(array, part) for part in ("shape", "dtype", "__getitem__")):
            raise TypeError(f"{name} is a {type(array).__name__}, not an array: zarr.open_array(path) opens one")


def _grid(target: Any, blocks: Blocks, chunks: tuple[int, int] | None) -> list[tuple[slice, ...]]:
    """Parts of the result."""
    chunks = None if chunks is None else pair("chunks", chunks)
    units = getattr(target, "shards", None) or getattr(target, "chunks", None) or (1,) * len(blocks.shape)
    sides = list(units)
    if blocks.channel is not None and not blocks.dropped:
        sides[blocks.channel] = blocks.shape[blocks.channel]
    for k, axis in enumerate(blocks):
        index = blocks.made_index(axis)
        side = max(_SIDE, _PER_REACH * min(axis.size, axis.before + axis.after)) if chunks is None else chunks[k]
        if chunks is None:
            side += -side % units[index]
        elif side < 1 or side % units[index] and side < blocks.shape[index]:
            raise ValueError(f"chunks={tuple(chunks)}: they must be multiples of the target's, {tuple(units)}, "
                             "so that no two tasks write the same one")
        if side < blocks.shape[index]:
            blocks.whole(axis, f"chunks={tuple(axis.size for axis in blocks)}")
        sides[index] = side
    cuts = [[slice(i, min(i + side, size)) for i in range(0, size, side)] for side, size in zip(sides, blocks.shape)]
    return list(itertools.product(*cuts))


def _cut(blocks: Blocks, grid: list[tuple[slice, ...]]) -> bool:
    """Whether blocks depend on others."""
    first, last = ([where[blocks.made_index(axis)] for axis in blocks] for where in (grid[0], grid[-1]))
    return any(axis.before + axis.after and a != b for axis, a, b in zip(blocks, first, last))


def _same(source: Any, target: Any) -> bool:
    if _is_mapped(source) and _is_mapped(target) and os.path.samefile(source.filename, target.filename):
        return source.offset == target.offset
    if isinstance(source, np.ndarray) and isinstance(target, np.ndarray):
        return np.shares_memory(source, target)
    return type(source) is type(target) and (source == target) is True  # arrays of one place, for Zarr and h5py


def _filter(source: _Sent, target: _Sent, blocks: Blocks, where: tuple[slice, ...]) -> None:
    cut, part = list(where), list(where)
    if blocks.dropped and blocks.channel is not None:
        cut.insert(blocks.channel, slice(None))
    pieces = []
    for axis in blocks:
        index = blocks.made_index(axis)
        ranges, skip = _around(axis, where[index])
        pieces.append((axis.index, ranges))
        part[index] = slice(skip, skip + where[index].stop - where[index].start)
    made = blocks.apply(_read(source.array, cut, pieces))
    inner = {blocks.made_index(axis) for axis in blocks}
    target.array[where] = made[tuple(cut if k in inner else slice(None) for k, cut in enumerate(part))]


def _around(axis: Axis, part: slice) -> tuple[list[slice], int]:
    """What the part depends on, and where it lies in what the filter makes of that."""
    if part == slice(0, axis.size - axis.lost):
        return [slice(0, axis.size)], 0
    start, stop = part.start + axis.first - axis.before, part.stop + axis.first + axis.after
    skip = part.start - start
    if not axis.wraps:
        start, stop = max(0, start), min(axis.size, stop)
        return [slice(start, stop)], part.start - start
    ranges = []
    while start < stop:
        first = start % axis.size
        ranges.append(slice(first, min(axis.size, first + stop - start)))
        start += ranges[-1].stop - first
    return ranges, skip


def _read(array: Any, cut: list[slice], pieces: list[tuple[int, list[slice]]]) -> np.ndarray:
    """The part of an array, put together of ranges of its rows and columns."""
    if not pieces:
        return np.asarray(array[tuple(cut)])
    (index, ranges), *others = pieces
    read = [_read(array, [*cut[:index], one, *cut[index + 1:]], others) for one in ranges]
    return read[0] if len(read) == 1 else np.concatenate(read, axis=index)


# ------------------------------------------------------------------------------------------ tables


def _table(source: _Sent, blocks: Blocks, squared: bool, wide: np.dtype, where: tuple[slice, ...]) -> np.ndarray:
    block = np.asarray(source.array[where])
    return _functions.integral(block, squared=squared, dtype=wide, channel_axis=blocks.channel)


def _ends(table: partial[np.ndarray], where: tuple[slice, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The last row and the last column of a block's table."""
    made, blocks = table(where), table.args[1]
    return np.take(made, [-1], axis=blocks.rows.index), np.take(made, [-1], axis=blocks.columns.index)


def _carried(blocks: Blocks, grid: list[tuple[slice, ...]], ends: Iterable[tuple[np.ndarray, np.ndarray]]
             ) -> Iterator[tuple[tuple[slice, ...], Any, Any]]:
    """With each block what those above it add, a row, and those to the left of it, a column."""
    above: dict[int, Any] = {}  # by the first column
    left: Any = 0
    for where, (bottom, right) in zip(grid, ends):
        y, x = where[blocks.rows.index].start, where[blocks.columns.index].start
        over, left = above.get(x, 0) if y else 0, left if x else 0
        yield where, over, left
        above[x] = bottom + over
        left = left + right + (np.take(over, [-1], axis=blocks.columns.index) if y else 0)


def _write_table(table: partial[np.ndarray], target: _Sent, want: np.dtype, job: tuple) -> None:
    where, above, left = job
    made = table(where)
    made += above
    made += left
    target.array[where] = give(made, None, want)


# ------------------------------------------------------------------------------------------- tasks


def _is_mapped(array: Any) -> bool:
    """Whether it is a memmap as it was opened, not a part of one."""
    return isinstance(array, np.memmap) and isinstance(array.base, mmap.mmap) and array.filename is not None


class _Sent:
    """An array that tasks in other processes read or write."""

    def __init__(self, array: Any):
        self.array = array

    def __reduce__(self):
        array = self.array
        if _is_mapped(array) and array.mode != "c":
            order = "C" if array.flags.c_contiguous else "F"
            mode = "r" if array.mode == "r" else "r+"
            return _mapped, (array.filename, array.dtype, mode, array.offset, array.shape, order)
        store = type(getattr(array, "store", None))
        if isinstance(array, np.ndarray) or any(c.__name__ == "MemoryStore" for c in store.__mro__):
            raise TypeError("other processes do not see an array in memory: threads do, and a numpy.memmap of a whole "
                            "file or an array of Zarr in files serves both")
        return _Sent, (array,)


def _mapped(*arguments: Any) -> _Sent:
    return _Sent(np.memmap(*arguments))


def _results(map: Callable[..., Iterable[Any]], task: Callable[..., Any], jobs: list[Any]) -> Iterator[Any]:
    """What the tasks return; maps of some executors return futures."""
    for made in map(task, jobs):
        yield made.result() if hasattr(made, "result") else made
