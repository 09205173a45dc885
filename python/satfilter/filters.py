"""skimage.filters' and skimage.transform's functions that rest on sums over windows, with their arguments.

    from satfilter.filters import threshold_sauvola

Results are skimage's, but for the last digits: here the sums of integers are exact. Images have two axes.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _functions, _tables, _types, _words, ndimage

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

__all__ = ["integral_image", "integrate", "threshold_local", "threshold_niblack", "threshold_sauvola"]


def _plane(image: Any, window: Any, name: str) -> tuple[np.ndarray, tuple[int, ...]]:
    image = _arrays.real("image", image)
    if image.ndim != 2:
        raise ValueError(f"an image of two axes, not {image.ndim}: filter one after the other")
    sizes = _words.numbers(name, window, 2)
    if any(size < 1 or size % 2 == 0 for size in sizes):
        raise ValueError(f"{name} must be odd, one for both axes or one for each, not {window}")
    return image, sizes


def _float(dtype: np.dtype) -> np.dtype:
    """The type that skimage computes in."""
    return np.dtype("f4") if dtype in (np.dtype("f4"), np.dtype("f2")) else np.dtype("f8")


def _moments(image: np.ndarray, size: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    return _tables.moments(image, size, border="mirror", dtype=_float(image.dtype))


def threshold_niblack(image: ArrayLike, window_size: Any = 15, k: float = 0.2) -> np.ndarray:
    """Niblack's threshold of each pixel: m - k s, mean and standard deviation of the window around it.

    Parameters
    ----------
    image : array of shape (H, W), of any integers, floats or bool
    window_size : odd int, or one for each axis
    k : how many deviations the threshold is below the mean

    Returns
    -------
    float64, of float32 and float16 images float32, of shape (H, W): white is where the image is above.
    """
    image, size = _plane(image, window_size, "window_size")
    mean, deviation = _moments(image, size)
    deviation *= _words.number("k", k)
    mean -= deviation
    return mean


def threshold_sauvola(image: ArrayLike, window_size: Any = 15, k: float = 0.2, r: float | None = None) -> np.ndarray:
    """Sauvola's threshold of each pixel: m (1 + k (s / r - 1)).

    r is in the samples' unit; None: half the range of the image's type, of floats 1. See threshold_niblack().
    """
    image, size = _plane(image, window_size, "window_size")
    if r is None:
        kind = image.dtype.kind
        r = 0.5 if kind == "b" else 1.0 if kind == "f" else (2 ** (8 * image.itemsize) - 1) / 2
    k, r = _words.number("k", k), _words.number("r", r)
    if r == 0:
        raise ValueError("r=0: the threshold is divided by it")
    unit = {np.dtype("u1"): 1, np.dtype("u2"): 257, np.dtype("f4"): 1, np.dtype("f8"): 1}.get(image.dtype)
    if unit and -10 <= k <= 10 and 1e-6 <= r / unit <= 1e6:
        f = _arrays.made("sauvola", size=size, border="mirror", k=k, r=r / unit, surface=True)
        return _arrays.apply(f, image, None, _float(image.dtype))
    mean, deviation = _moments(image, size)
    deviation *= k / r
    deviation += 1 - k
    mean *= deviation
    return mean


def threshold_local(image: ArrayLike, block_size: Any = 3, method: str = "gaussian", offset: float = 0,
                    mode: str = "reflect", param: Any = None, cval: float = 0) -> np.ndarray:
    """The mean of the block around each pixel, less offset: method="mean", the only one here.

    mode and cval are scipy's. See threshold_niblack().
    """
    if not isinstance(method, str) or method != "mean":
        raise ValueError(f"method {method!r}: of skimage's methods this has 'mean' alone")
    image, size = _plane(image, block_size, "block_size")
    mean = ndimage.uniform_filter(image, size, _float(image.dtype), mode=mode, cval=cval)
    mean -= _words.number("offset", offset)
    return mean


def integral_image(image: ArrayLike, *, dtype: DTypeLike | None = None) -> np.ndarray:
    """Sums of all samples up to each one, along all axes: of integers 64 bits, of floats at least float64."""
    image = _arrays.plain(image)
    if dtype is None and image.dtype.kind in "fc":
        dtype = np.promote_types(image.dtype, np.float64)
    want = _words.dtype("dtype", dtype) if dtype is not None else np.dtype("u8" if image.dtype.kind == "u" else "i8")
    if want.kind not in "biufc":
        raise TypeError(f"dtype={want}: sums are integers, floats or complex")
    exact = image.dtype in (np.dtype("u1"), np.dtype("u2"), np.dtype("?"))
    ours = want in (np.dtype("i8"), np.dtype("u8")) if exact else image.dtype.kind == want.kind == "f"
    if image.ndim < 2 or not ours:
        for axis in range(image.ndim):
            image = image.cumsum(axis=axis, dtype=want)
        return image
    table = _functions.integral(image, dtype=np.dtype("u8") if exact else want)
    for axis in range(image.ndim - 2):
        np.cumsum(table, axis=axis, out=table)
    return table.view(want) if exact else table


def _places(name: str, places: Any) -> np.ndarray:
    try:
        made = np.atleast_2d(np.array(places))
    except ValueError:
        made = np.array(())
    if made.ndim != 2 or made.shape[1] != 2 or made.dtype.kind not in "iu":
        raise ValueError(f"{name}={_words.shown(places)}: integers (row, column), or several of these")
    return _types.integers(name, made)


def integrate(ii: np.ndarray, start: Any, end: Any) -> np.ndarray:
    """Sums over windows from start to end, both inclusive, of the image whose integral image is given.

    start, end: (row, column), or arrays of them; negative ones count from the end. One sum for each.
    """
    if _words.array("ii", ii).ndim != 2:
        raise ValueError(f"ii: an integral image of two axes, not {ii.ndim}")
    start, end = _places("start", start), _places("end", end)
    rows = max(len(start), len(end))
    if min(len(start), len(end)) not in (1, rows):
        raise ValueError(f"start and end: {len(start)} and {len(end)} places")
    start, end = (np.broadcast_to(a, (rows, 2)) for a in (start, end))
    start, end = (np.where(a < 0, a + ii.shape, a) for a in (start, end))
    if np.any(end < start):
        raise IndexError("end coordinates must be greater or equal to start")
    return _tables.rect_sums(ii, np.concatenate((start, end - start + 1), axis=1))
