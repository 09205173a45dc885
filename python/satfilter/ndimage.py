"""scipy.ndimage's uniform_filter, uniform_filter1d and gaussian_filter, with its arguments.

    from satfilter.ndimage import uniform_filter

Results are scipy's but where these are not the mean, and but for wide Gaussians: see gaussian_filter(). Integers are
rounded once, to nearest, halves up; scipy truncates after each axis. Floats are summed in double and rounded once. A
NaN or an infinity stays in the windows that hold it. Of bool samples the result is the share of True, in float64.
float16 is taken. mode="constant" wants a finite cval.
"""
from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _core, _passes, _types, _words

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["gaussian_filter", "uniform_filter", "uniform_filter1d"]

_BORDERS = {"reflect": "reflect", "grid-mirror": "reflect", "mirror": "mirror", "nearest": "clamp", "wrap": "wrap",
            "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant"}
_quick: dict[Any, _arrays.Filter] = {}  # by size and mode: of images without an origin
_run = _core.run


def uniform_filter(input: ArrayLike, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0, *, axes: Any = None) -> np.ndarray:
    """The mean over size samples along each axis, or along axes.

    Parameters
    ----------
    input : array of any shape, of integers, floats, bool or complex samples; a masked array gives the means of what is
        not masked, and is masked where there is none
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
    image = _samples(input)
    out, want = _output(output, image)
    axes = _axes(axes, image.ndim)
    sizes, origins, modes = (_each(value, len(axes)) for value in (size, origin, mode))
    sizes = [_number("size", value) for value in sizes]
    work = [_window(*row) for row in zip(axes, sizes, origins, modes) if row[1] > 1]
    if len(work) == 2 and work[0][3] == work[1][3] and not any(origins) and axes == (0, 1) and image.ndim == 2:
        _remember(size, mode, work)
    return _mean(input, image, work, _constant(cval), out, want)


def uniform_filter1d(input: ArrayLike, size: int, axis: int = -1, output: Any = None, mode: str = "reflect",
                     cval: Any = 0.0, origin: int = 0) -> np.ndarray:
    """The mean over size samples along one axis. See uniform_filter()."""
    image = _samples(input)
    axis = _axes((axis,), image.ndim)[0]
    size = _number("size", size)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    out, want = _output(output, image)
    return _mean(input, image, [_window(axis, size, origin, mode)], _constant(cval), out, want)


def gaussian_filter(input: ArrayLike, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect",
                    cval: Any = 0.0, truncate: float = 4.0, *, radius: Any = None, axes: Any = None) -> np.ndarray:
    """The mean weighted by a Gaussian of standard deviation sigma along each axis, or along axes.

    Of a sigma of 2 and more that is the same along two axes, the Gaussian is that of satfilter.gauss(). Up to 6 it ends
    4 sigma from its middle whatever truncate says; above, it is made of boxes: no weight along an axis is off by more
    than 4 % of the largest one, and the time is the same for any sigma.
    Everything else is scipy's, but for the last digits. Integers are rounded once, to nearest, halves up.

    Parameters
    ----------
    input, output, mode, cval, axes : see uniform_filter()
    sigma : standard deviation in samples, or one for each of the axes; 0: nothing happens along it
    order : 0, the only one here
    truncate : where the Gaussian ends, in standard deviations
    radius : where it ends, in samples, or one for each of the axes
    """
    image = _arrays.plain(input)
    out, want = _output(output, image)
    axes = _axes(axes, image.ndim)
    count = len(axes)
    if any(_words.integer("order", value) for value in _each(order, count)):
        raise ValueError(f"order={_words.shown(order)}: 0, the only one here; derivatives are not made of boxes")
    sigmas = [_words.number("sigma", value) for value in _each(sigma, count)]
    truncate = _words.number("truncate", truncate)
    if not np.isfinite([*sigmas, truncate]).all():
        raise ValueError(f"sigma={_words.shown(sigma)}, truncate={truncate}: finite numbers")
    ends = [int(truncate * s + 0.5) if end is None else end for s, end in zip(sigmas, _each(radius, count))]
    work = [_gaussian(*row) for row in zip(axes, sigmas, ends, _each(mode, count)) if row[1] > 1e-15]
    return _passes.filtered(_passes.gaussian, image, work, _constant(cval), out, want)


def _samples(input):
    return _arrays.plain(input.data if isinstance(input, np.ma.MaskedArray) else input)


def _mean(input, image, work, cval, out, want):
    if isinstance(input, np.ma.MaskedArray):
        return _passes.masked_mean(np.ma.getmaskarray(input), image, work, cval, out, want)
    return _passes.filtered(_passes.mean, image, work, cval, out, want)


def _gaussian(axis, sigma, radius, mode):
    return _passes.gaussian_row(axis, sigma, _words.integer("radius", radius, 0, 1_000_000), _border(mode))


def _remember(size, mode, work):
    border = work[0][3]
    if border != "constant":
        try:
            _arrays.keep(_quick, (size, mode), _passes._box(*work, border))
        except TypeError:
            pass


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
    return axis, size, -origin, _border(mode)


def _border(mode):
    if not isinstance(mode, str) or mode not in _BORDERS:
        raise RuntimeError("boundary mode not supported")
    return _BORDERS[mode]


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


def __dir__():
    return __all__
