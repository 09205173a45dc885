"""scipy.ndimage's uniform_filter and uniform_filter1d, with its arguments.

    from satfilter.ndimage import uniform_filter

Results are scipy's but where these are not the mean. Integers are rounded once, to nearest, halves up; scipy
truncates after each axis. Floats are summed in double and rounded once. A NaN or an infinity stays in the windows
that hold it. Of bool samples the result is the share of True, in float64. float16 is taken. border="constant" wants a
finite cval.
"""
from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _core, _types, _words

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["uniform_filter", "uniform_filter1d"]

_BORDERS = {"reflect": "reflect", "grid-mirror": "reflect", "mirror": "mirror", "nearest": "clamp", "wrap": "wrap",
            "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant"}
_quick: dict[Any, _arrays.Filter] = {}  # by size and mode: of images without an origin
_run = _core.run


def uniform_filter(input: ArrayLike, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0, *, axes: Any = None) -> np.ndarray:
    """The mean over size samples along each axis, or along axes.

    Parameters
    ----------
    input : array of any shape, of integers, floats, bool or complex samples
    size : int, or one for each of the axes; below 2: nothing happens along it
    output : array that takes the result, or its type; it may be the input
    mode : reflect, mirror, nearest, wrap, constant or grid-*, or one for each of the axes
    cval : what lies outside under constant
    origin : int, or one for each of the axes: how far the window lies to the left of the sample
    axes : int or several; None: all

    Returns
    -------
    An array of the input's shape: output, or a new one, of the input's type (of bool, float64).

    Raises
    ------
    RuntimeError, ValueError : as scipy has them
    """
    if axes is None and type(input) is np.ndarray and input.ndim == 2 and not isinstance(output, (type, str)):
        try:
            if origin == 0:
                return _run(_quick[size, mode].capsule, input, output, -1, 0, 0, 0.0)
        except (KeyError, TypeError, ValueError, BufferError):
            pass
    image = _arrays.plain(input)
    out, want = _output(output, image)
    axes = _axes(axes, image.ndim)
    sizes, origins, modes = (_each(value, len(axes)) for value in (size, origin, mode))
    sizes = [_number("size", value) for value in sizes]
    work = [_window(*row) for row in zip(axes, sizes, origins, modes) if row[1] > 1]
    if len(work) == 2 and work[0][3] == work[1][3] and not any(origins) and axes == (0, 1) and image.ndim == 2:
        _remember(size, mode, work)
    return _filtered(image, work, _constant(cval), out, want)


def uniform_filter1d(input: ArrayLike, size: int, axis: int = -1, output: Any = None, mode: str = "reflect",
                     cval: Any = 0.0, origin: int = 0) -> np.ndarray:
    """The mean over size samples along one axis. See uniform_filter()."""
    image = _arrays.plain(input)
    axis = _axes((axis,), image.ndim)[0]
    size = _number("size", size)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    out, want = _output(output, image)
    return _filtered(image, [_window(axis, size, origin, mode)], _constant(cval), out, want)


def _remember(size, mode, work):
    border = work[0][3]
    if border != "constant":
        made = _box("box", work[0][1], work[1][1], 0, 0, border)
        try:
            _arrays.keep(_quick, (size, mode), made)
        except TypeError:
            pass


def _box(name, h, w, y, x, border):
    return _arrays.made(name, size=(h, w), at=(y, x), border=border)


# ----------------------------------------------------------------------- arguments, as scipy takes them


def _axes(axes, ndim):
    if axes is None:
        return tuple(range(ndim))
    try:
        axes = tuple(operator.index(a) for a in axes) if isinstance(axes, Iterable) else (operator.index(axes),)
    except TypeError:
        raise TypeError(f"axes={_words.shown(axes)} cannot be interpreted as an integer, or several") from None
    for axis in axes:
        if not -ndim <= axis < ndim:
            raise ValueError(f"specified axis: {axis} is out of range")
    axes = tuple(axis % ndim for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("axes must be unique")
    return axes


def _each(value, count):
    if isinstance(value, str) or not np.iterable(value):
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def _constant(cval):
    return cval if isinstance(cval, complex) else _words.number("cval", cval)


def _window(axis, size, origin, mode):
    """(axis, size, how far the window lies to the right, the library's border)"""
    size, origin = _number("size", size), _number("origin", origin)
    if not 0 <= size // 2 + origin < size:
        raise ValueError("invalid origin")
    if not isinstance(mode, str) or mode not in _BORDERS:
        raise RuntimeError("boundary mode not supported")
    return axis, size, -origin, _BORDERS[mode]


def _number(name, value):
    """As scipy takes it: what is behind the point is cut off."""
    return int(value) if _words.number(name, value).is_integer() else _words.integer(name, np.trunc(value))


def _output(output, image):
    """The array that takes the result, if there is one, and the result's type."""
    complex_ = image.dtype.kind == "c"
    if output is None:
        return None, np.dtype("f8") if image.dtype.kind == "b" else image.dtype
    if isinstance(output, (type, np.dtype, str)):
        want = _words.dtype("output", output)
        if isinstance(output, str) and want.kind not in "iufc":
            raise RuntimeError("output must have numeric dtype")
        if complex_ and want.kind != "c":
            if isinstance(output, str):
                raise RuntimeError("output must have complex dtype")
            warnings.warn("promoting specified output dtype to complex", stacklevel=3)
            want = np.promote_types(want, np.complex64)
        return None, _types.result(want)
    out = output if isinstance(output, np.ndarray) else _arrays.plain(output)
    if out.shape != image.shape:
        raise RuntimeError("output shape not correct")
    if complex_ and out.dtype.kind != "c":
        raise RuntimeError("output must have complex dtype")
    return out, _types.result(out.dtype)


# -------------------------------------------------------------------------------------- the filters


def _filtered(image, work, cval, out, want):
    if image.size == 0 or not work:
        return _types.give(image, np.empty(image.shape, want) if out is None else out, want)
    if image.dtype.kind == "c":
        return _parts(image, work, complex(cval), out, want)
    if want.kind == "c":  # complex results of real samples
        made = _filtered(image, work, cval, None, np.dtype(f"f{want.itemsize // 2}"))
        return _types.give(made, out, want)
    if isinstance(cval, complex):
        cval = cval.real
    groups = _groups(work)
    if len(groups) == 1:
        return _pass("box", image, groups[0], float(cval), out, want)
    if image.dtype.kind == "f":
        for group in groups[:-1]:
            image = _pass("box", image, group, float(cval), None, np.dtype("f8"))
        return _pass("box", image, groups[-1], float(cval), out, want)
    return _whole_numbers(image, groups, float(cval), out, want)


def _whole_numbers(image, groups, cval, out, want):
    """Sums of integers stay integers until the end, where one division makes the mean."""
    count = 1
    for group in groups:
        image = _pass("sum", image, group, cval * count, None, np.dtype("f8"))
        count *= math.prod(row[1] for row in group)
    image /= count
    return _types.give(image, out, want)


def _parts(image, work, cval, out, want):
    made = np.empty(image.shape, want) if out is None else out
    if np.may_share_memory(image, made):
        image = image.copy()
    half = np.dtype(f"f{want.itemsize // 2}")
    _filtered(image.real, work, cval.real, made.real, half)
    _filtered(image.imag, work, cval.imag, made.imag, half)
    return made


def _groups(work):
    """One pass takes two axes of one border, or one axis."""
    work, groups = list(work), []
    while work:
        first = work.pop(0)
        second = next((row for row in work if row[3] == first[3]), None)
        if second:
            work.remove(second)
        groups.append(sorted((first, second)) if second else [first])
    return groups


def _pass(name, image, group, cval, out, want):
    border = group[0][3]
    if border == "constant":
        border = cval
        if image.dtype.kind != "f" and not _fits(cval, image.dtype):
            image = image.astype("f8")
    if len(group) == 2:
        return _plane(name, image, group, border, out, want)
    axis, size, at, _ = group[0]
    result = np.empty(image.shape, want) if out is None else out
    if axis == image.ndim - 1:
        f, lines = _box(name, 1, size, 0, at, border), (lambda a: np.atleast_2d(a))
    else:  # the axes behind are one row
        f, lines = _box(name, size, 1, at, 0, border), (lambda a: a.reshape(a.shape[:axis + 1] + (-1,)))
    if result.flags.c_contiguous:
        _apply(f, lines(image), lines(result), want)
        return result
    return _types.give(_apply(f, lines(image), None, want).reshape(image.shape), result, want)


def _plane(name, image, group, border, out, want):
    """Two axes at once."""
    (y, h, at_y, _), (x, w, at_x, _) = group
    f = _box(name, h, w, at_y, at_x, border)
    if (y, x) == (image.ndim - 2, image.ndim - 1):
        return _apply(f, image, out, want)
    seen = np.ascontiguousarray(np.moveaxis(image, (y, x), (-2, -1)))
    made = np.moveaxis(_apply(f, seen, None, want), (-2, -1), (y, x))
    return np.ascontiguousarray(made) if out is None else _types.give(made, out, want)


def _fits(cval, dtype):
    if dtype.kind == "b":
        return cval in (0, 1)
    return cval.is_integer() and np.iinfo(dtype).min <= cval <= np.iinfo(dtype).max


def _apply(f, image, out, want):
    if image.dtype.kind == "f" and f.names == ["box"] and want.kind in "iu":
        return _types.give(_arrays._mean(f, image, 0), out, want)
    return _arrays.apply(f, image, out, None if out is not None else want)
