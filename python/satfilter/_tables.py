"""Plans, sums over rectangles, and moments."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _devices, _types, _words
from ._arrays import ALPHA, AUTO, CODES, Filter, apply, code_of, filter_of, made, own_types, plain
from ._counting import called, is_plain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike


class Plan:
    """A filter for images like one of them: all is decided and all memory taken once.

    like: an array of integers or floats, of the shape and strides of those to come; its
    samples are not looked at. A call of the plan allocates nothing. One thread at a time runs it.
    """

    __slots__ = ("out", "_plan", "_like", "_on_device")
    _like: tuple[Any, ...]
    out: Any
    """What calls without out return, each time the same array."""

    def __init__(self, spec: str | Filter, like: np.ndarray, *, out: np.ndarray | None = None,
                 dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False):
        f = filter_of(spec)
        _words.channels("Plan", getattr(like, "shape", ()), channel_axis)
        self._on_device = _devices.has(like)
        if self._on_device:
            self._like = (tuple(like.shape), like.dtype, "those of like")
            flags = ALPHA if alpha else 0
            self._plan, self.out = _devices.plan(f, like, dtype, channel_axis is not None, flags, out)
            return
        if type(like) is not np.ndarray or like.dtype not in CODES:
            what = f"{like.dtype} samples" if type(like) is np.ndarray else f"a {type(like).__name__}"
            raise TypeError(f"{what}: a plan is for arrays of integers and floats; astype() makes them")
        alpha = _words.flag("alpha", alpha)
        if channel_axis is not None and _words.axis("channel_axis", channel_axis, like.ndim) != like.ndim - 1:
            raise ValueError("channel_axis: a plan's channels are on the last axis")
        layout = (int(channel_axis is not None), ALPHA if alpha else 0, 0.0)
        code = AUTO if dtype is None else code_of(dtype)
        self._like = (like.shape, like.dtype, like.strides)
        if out is None:
            out = _core.result(f.capsule, like, code, *layout)
        elif type(out) is not np.ndarray:
            raise TypeError(f"out is a {type(out).__name__}, not a numpy.ndarray")
        elif dtype is not None and _words.dtype("dtype", dtype) != out.dtype:
            raise ValueError(f"out has {out.dtype} samples, dtype is {np.dtype(dtype)}")
        self.out = out
        try:
            self._plan = _core.plan(f.capsule, like, self.out, *layout)
        except BufferError as error:
            raise ValueError(f"like or out of a plan: {error}") from None
        except ValueError as error:
            raise own_types(error, f, like) from None

    def __call__(self, image: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        out = self.out if out is None else out
        try:
            if self._on_device:
                return _devices.run_plan(self._plan, image, out)
            return _core.plan_run(self._plan, image, out)
        except (BufferError, ValueError) as error:
            raise self._unlike(image, error) from None

    def _unlike(self, image: Any, error: Exception) -> ValueError:
        """What is said of an image that is not like those of the plan, or else of its result."""
        shape, dtype, strides = self._like
        wanted = f"the plan is for {dtype} of shape {shape} and strides {strides}"
        given = tuple(getattr(image, "shape", shape)), getattr(image, "dtype", dtype)
        own = strides if self._on_device else getattr(image, "strides", strides)
        if (*given, own) == self._like:
            return ValueError(f"{error}; {wanted}")
        packed = given == (shape, dtype) and strides == np.empty(shape, dtype).strides
        hint = "; np.ascontiguousarray(image) makes one" * packed
        said = "" if self._on_device else f" and strides {own}"
        return ValueError(f"the image is {given[1]} of shape {given[0]}{said}; {wanted}{hint}")

    @property
    def bytes(self) -> int:
        """Of memory that it holds."""
        return _core.plan_info(self._plan)[0]

    @property
    def steps(self) -> list[tuple[str, str | None, str | None, str | None]]:
        """(filter, engine, algorithm, device) of each step."""
        return _core.plan_info(self._plan)[1]


def _rects(rects: ArrayLike) -> np.ndarray:
    """(row, column, height, width) as the library's x, y, w, h."""
    try:
        rows = np.asarray(rects)
    except ValueError:
        raise ValueError(f"rects={_words.shown(rects)}: rows of (row, column, height, width)") from None
    rows = _types.integers("rects", rows)
    if rows.shape[-1:] != (4,):
        raise ValueError(f"rectangles are rows of (row, column, height, width), not of shape {rows.shape}")
    return np.ascontiguousarray(rows[..., [1, 0, 3, 2]])


def _table(table: ArrayLike, channel_axis: int | None) -> np.ndarray:
    """A summed area table as the library takes it: signed sums are unsigned ones of the same bits."""
    array = plain(table)
    if channel_axis is not None:
        array = np.moveaxis(array, _words.axis("channel_axis", channel_axis, array.ndim), -1)
    if array.ndim != 2 + (channel_axis is not None):
        raise ValueError(f"a table of {array.ndim} axes: (H, W), or channel_axis says which axis counts channels")
    if channel_axis is not None and array.shape[-1] > 4:
        raise ValueError(f"a table of {array.shape[-1]} channels: 1 to 4 are possible")
    if array.dtype.kind not in "iuf" or array.itemsize < 4:
        raise TypeError(f"a table of {array.dtype}: integral() makes some of 32 and 64 bits")
    size, tail = array.itemsize, array.strides[-1 - (channel_axis is not None):]
    packed = (size,) if channel_axis is None else (size * array.shape[-1], size)
    if tail != packed:
        array = np.ascontiguousarray(array)
    return array.view(f"u{size}") if array.dtype.kind == "i" else array


def rect_sums(table: ArrayLike, rects: ArrayLike, *, channel_axis: int | None = None) -> np.ndarray:
    """Sums over rectangles of the image whose summed area table is given.

    Parameters
    ----------
    table : array of shape (H, W), or with channels on channel_axis: what integral() makes without zeros
    rects : integers of shape (..., 4): rows of (row, column, height, width), inside the image

    Returns
    -------
    An array of shape (...), or (..., C), of the table's type. Integers are exact while the sum itself fits.
    """
    seen, boxes = _table(table, channel_axis), _rects(rects)
    sums = np.empty(boxes.shape[:-1] + seen.shape[2:], np.asarray(table).dtype)
    if sums.size:
        _core.rect_sums(seen, boxes, sums, seen.ndim - 2)
    return sums


def rect_stats(table: ArrayLike, squares: ArrayLike, rects: ArrayLike, *,
               channel_axis: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance over rectangles, by the tables of the samples and of their squares.

    See rect_sums(). The population variance, never negative; both in float64, of integers each one division of
    exact sums.
    """
    seen, squared, boxes = _table(table, channel_axis), _table(squares, channel_axis), _rects(rects)
    mean, variance = (np.empty(boxes.shape[:-1] + seen.shape[2:]) for _ in range(2))
    if mean.size:
        _core.rect_stats(seen, squared, boxes, mean, variance, seen.ndim - 2)
    return mean, variance


def moments(image: ArrayLike, size: Any = 3, *, at: tuple[int, int] = (0, 0), border: str | float = "clamp",
            deviation: bool = True, dtype: DTypeLike = np.float64, channel_axis: int | None = None,
            weights: ArrayLike | None = None, nan_policy: str = "propagate",
            nodata: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation over a window around each pixel; with deviation=False, mean and variance.

    Parameters are those of box(). Both results are of dtype, unrounded. Mean and deviation come from one pass.
    """
    if isinstance(image, np.ma.MaskedArray) or not is_plain(weights, nan_policy, nodata):
        mean, second = (called(made(name, size=size, at=at, border=border), image, None, dtype, channel_axis, False,
                               weights, nan_policy, nodata) for name in ("box", "stddev" if deviation else "variance"))
        return mean, second
    seen: Any = image if hasattr(image, "shape") else plain(image)
    _words.channels("moments", seen.shape, channel_axis)
    return moments_of(seen, size, at, border, deviation, dtype, channel_axis)


def moments_of(image: Any, size: Any, at: Any = (0, 0), border: Any = "clamp", deviation: bool = True,
               dtype: Any = np.float64, channel_axis: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """moments(), also of images with few columns."""
    want = _words.dtype("dtype", dtype)
    last = channel_axis is not None and _words.axis("channel_axis", channel_axis, np.ndim(image)) == np.ndim(image) - 1
    if (_words.flag("deviation", deviation) and not (isinstance(border, str) and border == "valid")
            and want in (np.float32, np.float64) and type(image) is np.ndarray and image.dtype in CODES
            and (channel_axis is None or last)):
        f = filter_of(made("box", size=size, at=at, border=border).spec.replace("box", "moments", 1))
        results = np.empty(image.shape, want), np.empty(image.shape, want)
        try:
            _core.moments(f.capsule, image, *results, int(channel_axis is not None))
            return results
        except (BufferError, TypeError):  # strides that have to be copied, large integers
            pass
    mean, second = (apply(made(name, size=size, at=at, border=border), image, None, want, channel_axis)
                    for name in ("box", "stddev" if deviation else "variance"))
    return mean, second
