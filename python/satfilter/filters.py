"""skimage.filters' and skimage.transform's functions that rest on sums over windows, with their arguments.

    from satfilter.filters import threshold_sauvola

Results are skimage's, but for the last digits, here the sums of integers are exact; and but for wide Gaussians, see
satfilter.ndimage.gaussian_filter().
"""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _tables, _types, _words, ndimage

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

__all__ = ["gaussian", "integral_image", "integrate", "threshold_local", "threshold_niblack", "threshold_otsu",
           "threshold_sauvola"]


def _array(image: Any, window: Any, name: str) -> tuple[np.ndarray, tuple[int, ...]]:
    """The image, and the sides of the window along its axes."""
    image = _arrays.real("image", image)
    sizes = _words.numbers(name, window, image.ndim)
    if any(size < 1 or size % 2 == 0 for size in sizes):
        raise ValueError(f"{name} must be odd, one for all axes or one for each, not {window}")
    return image, sizes


def _float(dtype: np.dtype) -> np.dtype:
    """The type that skimage computes in."""
    return np.dtype("f4") if dtype in (np.dtype("f4"), np.dtype("f2")) else np.dtype("f8")


def _moments(image: np.ndarray, size: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation over a window along all axes."""
    if 0 in image.shape or image.ndim == 0:
        raise ValueError(f"an image of shape {image.shape} has no windows")
    want = _float(image.dtype)
    if image.ndim == 1:
        mean, deviation = _moments(image[None], (1, *size))
        return mean[0], deviation[0]
    if set(size[:-2]) <= {1}:
        return _tables.moments_of(image, size[-2:], border="mirror", dtype=want)
    mean, variance = _planes(image, size[-2:])
    for axis, n in enumerate(size[:-2]):  # the variance of the whole: that of the means, and the mean of the others
        rows = (*mean.shape[:axis + 1], -1)
        mean, variance = mean.reshape(rows), variance.reshape(rows)
        between = _arrays.apply(_arrays.made("variance", size=(n, 1), border="mirror"), mean)
        means = _arrays.made("box", size=(n, 1), border="mirror")
        mean, variance = (_arrays.apply(means, a).reshape(image.shape) for a in (mean, variance))
        variance += between.reshape(image.shape)
    return mean.astype(want), np.sqrt(variance).astype(want)


def _planes(image, size):
    return (_arrays.apply(_arrays.made(name, size=size, border="mirror"), image, None, np.dtype("f8"))
            for name in ("box", "variance"))


def threshold_niblack(image: ArrayLike, window_size: Any = 15, k: float = 0.2) -> np.ndarray:
    """Niblack's threshold of each pixel: m - k s, mean and standard deviation of the window around it.

    Parameters
    ----------
    image : array of any shape, of any integers, floats or bool; the window extends along all its axes, also of colours
    window_size : odd int, or one for each axis
    k : how many deviations the threshold is below the mean

    Returns
    -------
    float64, of float32 and float16 images float32, of the image's shape: white is where the image is above.
    """
    image, size = _array(image, window_size, "window_size")
    mean, deviation = _moments(image, size)
    deviation *= _words.number("k", k)
    mean -= deviation
    return mean


def threshold_sauvola(image: ArrayLike, window_size: Any = 15, k: float = 0.2, r: float | None = None) -> np.ndarray:
    """Sauvola's threshold of each pixel: m (1 + k (s / r - 1)).

    r is in the samples' unit; None: half the range of the image's type, of floats 1. See threshold_niblack().
    """
    image, size = _array(image, window_size, "window_size")
    if r is None:
        kind = image.dtype.kind
        r = 0.5 if kind == "b" else 1.0 if kind == "f" else (2 ** (8 * image.itemsize) - 1) / 2
    k, r = _words.number("k", k), _words.number("r", r)
    if r == 0:
        raise ValueError("r=0: the threshold is divided by it")
    unit = {np.dtype("u1"): 1, np.dtype("u2"): 257, np.dtype("f4"): 1, np.dtype("f8"): 1}.get(image.dtype)
    if image.ndim == 2 and unit and -10 <= k <= 10 and 1e-6 <= r / unit <= 1e6:
        f = _arrays.made("sauvola", size=size, border="mirror", k=k, r=r / unit, surface=True)
        return _arrays.apply(f, image, None, _float(image.dtype))
    mean, deviation = _moments(image, size)
    deviation *= k / r
    deviation += 1 - k
    mean *= deviation
    return mean


def threshold_local(image: ArrayLike, block_size: Any = 3, method: str = "gaussian", offset: float = 0,
                    mode: Any = "reflect", param: Any = None, cval: float = 0) -> np.ndarray:
    """The weighted mean of the block around each pixel, less offset.

    method="gaussian" weighs by a Gaussian of standard deviation param, or (block_size - 1) / 6; see
    satfilter.ndimage.gaussian_filter(). method="mean" does not weigh. "median" and "generic" are skimage's alone.
    mode and cval are scipy's. See threshold_niblack().
    """
    if not isinstance(method, str) or method not in ("gaussian", "mean"):
        raise ValueError(f"method={_words.shown(method)}: 'gaussian' or 'mean'; skimage has 'median' and 'generic'")
    image, size = _array(image, block_size, "block_size")
    if method == "gaussian":
        sigma = [(n - 1) / 6 for n in size] if param is None else param
        mean = ndimage.gaussian_filter(image, sigma, 0, _float(image.dtype), mode, cval)
    else:
        mean = ndimage.uniform_filter(image, size, _float(image.dtype), mode=mode, cval=cval)
    mean -= _words.number("offset", offset)
    return mean


def gaussian(image: ArrayLike, sigma: Any = 1.0, *, mode: Any = "nearest", cval: float = 0,
             preserve_range: bool = False, truncate: float = 4.0, channel_axis: int | None = None,
             out: np.ndarray | None = None) -> np.ndarray:
    """The mean weighted by a Gaussian: satfilter.ndimage.gaussian_filter() of the image as floats.

    Without preserve_range, bytes of 0 to 255 become 0 to 1, and so do other integers by the range of their type, signed
    ones -1 to 1. sigma: one for all axes but channel_axis, or one for each.
    """
    image = _arrays.real("image", image)
    each = isinstance(sigma, (list, tuple)) or isinstance(sigma, np.ndarray) and sigma.ndim > 0
    sigmas = [_words.number("sigma", value) for value in (sigma if each else [sigma])]
    if any(value < 0 for value in sigmas):
        raise ValueError(f"sigma={_words.shown(sigma)}: 0 or more")
    if channel_axis is not None:
        axis = _words.axis("channel_axis", channel_axis, image.ndim)
        sigmas = sigmas if each else sigmas * (image.ndim - 1)
        if len(sigmas) == image.ndim - 1:
            sigmas.insert(axis, 0)
    if not _words.flag("preserve_range", preserve_range):
        image, cval = _unit(image), _words.number("cval", cval)
    if out is not None and _words.array("out", out).dtype.kind != "f":
        raise ValueError(f"dtype of `out` must be float; got {out.dtype!r}.")
    sigma = sigmas if each or channel_axis is not None else sigmas[0]
    return ndimage.gaussian_filter(image, sigma, 0, _float(image.dtype) if out is None else out, mode, cval, truncate)


def _unit(image: np.ndarray) -> np.ndarray:
    """Samples in shares of the largest one of their type."""
    if image.dtype.kind not in "iu":
        return image
    most = np.iinfo(image.dtype).max
    return np.maximum(image / most, -1.0)


def threshold_otsu(image: ArrayLike | None = None, nbins: int = 256, *, hist: Any = None) -> Any:
    """Otsu's threshold of an image, or of a histogram: the level that divides samples best into those above and others.

    nbins: of the histogram of floats; of integers each level is one. hist: counts, or (counts, levels), without an
    image. Of an image of one level, that level.
    """
    if image is None and hist is None:
        raise ValueError("Either image or hist must be provided.")
    if image is not None:
        image = _arrays.real("image", image)
        if image.ndim > 2 and image.shape[-1] in (3, 4):
            warnings.warn(f"threshold_otsu takes an image of shape {image.shape} as grayscale: its colours are counted "
                          "together", stacklevel=2)
        if image.size == 0:
            raise IndexError(f"an image of shape {image.shape} has no samples")
        if image.min() == image.max():
            return image.flat[0]
        counts, levels = _histogram(image, nbins)
    if hist is not None:
        counts, levels = _given(hist)
    below, above = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    means = np.cumsum(counts * levels) / below
    others = (np.cumsum((counts * levels)[::-1]) / above[::-1])[::-1]
    between = below[:-1] * above[1:] * (means[:-1] - others[1:]) ** 2
    return levels[np.argmax(between)]


def _histogram(image: np.ndarray, nbins: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts in double, and the levels that are counted."""
    if image.dtype.kind in "iu":
        if image.itemsize > 2:
            levels, counts = np.unique(image, return_counts=True)
            return counts.astype("f8"), levels if image.dtype == np.dtype("u8") else levels.astype("i8")
        least = int(image.min())
        counts = np.bincount((image.ravel().astype("i8") if image.dtype.kind == "i" else image.ravel()) - least)
        return counts.astype("f8"), np.arange(least, least + len(counts))
    image = image.view("u1") if image.dtype.kind == "b" else image
    counts, edges = np.histogram(image, _words.integer("nbins", nbins, 1))
    return counts.astype("f8"), (edges[:-1] + edges[1:]) / 2


def _given(hist: Any) -> tuple[np.ndarray, np.ndarray]:
    """Without empty ends."""
    pair = isinstance(hist, (tuple, list)) and len(hist) == 2 and np.ndim(hist[0]) == 1
    counts = _arrays.real("hist", hist[0] if pair else hist)
    levels = _arrays.real("hist", hist[1]) if pair else np.arange(counts.size)
    if counts.ndim != 1 or counts.shape != levels.shape or not (counts > 0).any():
        raise ValueError(f"hist={_words.shown(hist)}: counts, or (counts, levels), of one axis, that are not all 0")
    filled = np.flatnonzero(counts > 0)
    part = slice(filled[0], filled[-1] + 1)
    return counts[part].astype("f8"), levels[part]


def integral_image(image: ArrayLike, *, dtype: DTypeLike | None = None) -> np.ndarray:
    """Sums of all samples up to each one, along all axes: of integers 64 bits, of floats at least float64."""
    image = _arrays.plain(image)
    if dtype is None and image.dtype.kind in "fc":
        dtype = np.promote_types(image.dtype, np.float64)
    want = _words.dtype("dtype", dtype) if dtype is not None else np.dtype("u8" if image.dtype.kind == "u" else "i8")
    if want.kind not in "biufc":
        raise TypeError(f"dtype={want}: sums are integers, floats or complex")
    exact = image.dtype.kind in "iub" and image.itemsize <= 2
    ours = want in (np.dtype("i8"), np.dtype("u8")) if exact else image.dtype.kind == want.kind == "f"
    if image.ndim < 2 or 0 in image.shape or not ours:
        for axis in range(image.ndim):
            image = image.cumsum(axis=axis, dtype=want)
        return image
    wide = np.dtype("i8" if image.dtype.kind == "i" else "u8")
    table = _arrays.apply(_arrays.made("integral"), image, None, wide if exact else want)
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


def __dir__():
    return __all__
