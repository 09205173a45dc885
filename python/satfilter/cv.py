"""OpenCV's functions that rest on sums over windows, with their arguments; OpenCV is not needed.

    from satfilter import cv
    smooth = cv.blur(image, (15, 15))

Means of integers are rounded to nearest, halves up, once; OpenCV's may differ by one. Images are (H, W) or (H, W, C),
parts of a larger one end at their own edge. (H, W, 1) counts as (H, W), as in OpenCV.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _arrays, _passes, _types, _words

__all__ = ["ADAPTIVE_THRESH_MEAN_C", "ADAPTIVE_THRESH_GAUSSIAN_C", "BINARIZATION_NIBLACK", "BINARIZATION_SAUVOLA",
           "BINARIZATION_WOLF", "BORDER_CONSTANT", "BORDER_DEFAULT", "BORDER_ISOLATED", "BORDER_REFLECT",
           "BORDER_REFLECT_101", "BORDER_REPLICATE", "BORDER_WRAP", "THRESH_BINARY", "THRESH_BINARY_INV",
           "GaussianBlur", "adaptiveThreshold", "blur", "boxFilter", "guidedFilter", "integral", "integral2",
           "niBlackThreshold", "sqrBoxFilter"]

BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, BORDER_WRAP, BORDER_REFLECT_101 = range(5)
BORDER_DEFAULT, BORDER_ISOLATED = BORDER_REFLECT_101, 16
THRESH_BINARY, THRESH_BINARY_INV = 0, 1
ADAPTIVE_THRESH_MEAN_C, ADAPTIVE_THRESH_GAUSSIAN_C = 0, 1
BINARIZATION_NIBLACK, BINARIZATION_SAUVOLA, BINARIZATION_WOLF = 0, 1, 2
_BORDERS: dict[int, Any] = {BORDER_CONSTANT: 0, BORDER_REPLICATE: "clamp", BORDER_REFLECT: "reflect",
                            BORDER_WRAP: "wrap", BORDER_REFLECT_101: "mirror"}
_DEPTHS = [np.dtype(t) for t in ("u1", "i1", "u2", "i2", "i4", "f4", "f8", "f2")]


def _dtype(name: str, depth: int, default: Any) -> Any:
    depth = _words.integer(name, depth)
    if depth == -1:
        return default
    if not 0 <= depth < len(_DEPTHS):
        raise ValueError(f"{name}={depth}: CV_8U is 0, CV_16U 2, CV_32F 5, CV_64F 6")
    return _DEPTHS[depth]


def _border(border: int) -> Any:
    border = _words.integer("borderType", border)
    if border & ~BORDER_ISOLATED not in _BORDERS:
        raise ValueError(f"borderType {border}: 0 to 4, constant, replicate, reflect, wrap or reflect_101")
    return _BORDERS[border & ~BORDER_ISOLATED]


def _image(src: Any) -> np.ndarray:
    """(H, W), or (H, W, C) of several channels."""
    image = src if type(src) is np.ndarray else _arrays.plain(src)
    return image[..., 0] if image.ndim == 3 and image.shape[2] == 1 else image


def _axis(image: np.ndarray) -> int | None:
    return None if image.ndim == 2 else -1


def _into(dst: Any, image: np.ndarray) -> Any:
    """dst as a result of such an image is shaped: OpenCV leaves (H, W, 1) to the caller."""
    return dst[..., 0] if image.ndim == 2 and getattr(dst, "shape", ())[2:] == (1,) else dst


def _filter(name: str, image: np.ndarray, ksize: Any, anchor: Any, border: int, dst: Any, dtype: Any) -> np.ndarray:
    """anchor: the place of the pixel in the window, (x, y); -1 its middle."""
    (w, h), (x, y) = _words.pair("ksize", ksize), _words.pair("anchor", anchor)
    if not (1 <= w <= 65535 and 1 <= h <= 65535 and -1 <= x < w and -1 <= y < h):
        raise ValueError(f"ksize={w, h}, anchor={x, y}: windows of 1 to 65535 pixels a side, (width, height), hold "
                         "their anchor, (x, y)")
    at = (0 if y < 0 else h // 2 - y, 0 if x < 0 else w // 2 - x)
    f = _arrays.made(name, size=(h, w), at=at, border=_border(border))
    made = _arrays.apply(f, image, _into(dst, image), None if dst is not None else dtype, _axis(image))
    return made if dst is None else dst


def _grey(src: Any) -> np.ndarray:
    image = _image(_arrays.plain(src))
    if image.dtype != np.dtype("u1") or image.ndim != 2:
        raise TypeError(f"src has {image.dtype} samples of shape {image.shape}: uint8 of shape (H, W) is possible")
    return image


def blur(src: np.ndarray, ksize: tuple[int, int], dst: np.ndarray | None = None, anchor: tuple[int, int] = (-1, -1),
         borderType: int = BORDER_DEFAULT) -> np.ndarray:
    """The mean over ksize = (width, height) pixels."""
    return _filter("box", _image(src), ksize, anchor, borderType, dst, None)


def boxFilter(src: np.ndarray, ddepth: int, ksize: tuple[int, int], dst: np.ndarray | None = None,
              anchor: tuple[int, int] = (-1, -1), normalize: bool = True,
              borderType: int = BORDER_DEFAULT) -> np.ndarray:
    """The mean over ksize = (width, height) pixels; not normalised, their sum, saturated. ddepth -1: src's."""
    image = _image(_arrays.plain(src))
    dtype = _dtype("ddepth", ddepth, image.dtype)
    if _words.flag("normalize", normalize):
        return _filter("box", image, ksize, anchor, borderType, dst, dtype)
    return _sums(image, ksize, anchor, borderType, dst, dtype)


def _sums(image: np.ndarray, ksize: Any, anchor: Any, border: int, dst: Any, dtype: np.dtype) -> np.ndarray:
    if dst is not None or dtype.kind == "f" or image.dtype.kind != "u":
        return _filter("sum", image, ksize, anchor, border, dst, dtype)
    sums = _filter("sum", image, ksize, anchor, border, None, None)  # of 32 bits, unless they need more
    w, h = _words.pair("ksize", ksize)
    if dtype == np.dtype("i4") and w * h * int(np.iinfo(image.dtype).max) < 2**31:
        return sums.view("i4")
    return _types.give(sums, None, dtype)


def sqrBoxFilter(src: np.ndarray, ddepth: int, ksize: tuple[int, int], dst: np.ndarray | None = None,
                 anchor: tuple[int, int] = (-1, -1), normalize: bool = True,
                 borderType: int = BORDER_DEFAULT) -> np.ndarray:
    """The mean, or sum, of the squares over ksize = (width, height) pixels. ddepth -1: float32, of floats float64."""
    image = _image(_arrays.real("src", src))
    dtype = _dtype("ddepth", ddepth, np.dtype("f8") if image.dtype.kind == "f" else np.dtype("f4"))
    if image.dtype == np.dtype("u1"):
        squares = np.multiply(image, image, dtype="u2")
    else:
        squares = image.astype("f8")
        squares *= squares
    if _words.flag("normalize", normalize):
        return _filter("box", squares, ksize, anchor, borderType, dst, dtype)
    return _sums(squares, ksize, anchor, borderType, dst, dtype)


def GaussianBlur(src: np.ndarray, ksize: tuple[int, int], sigmaX: float, dst: np.ndarray | None = None,
                 sigmaY: float = 0, borderType: int = BORDER_DEFAULT, hint: int = 0) -> np.ndarray:
    """The mean weighted by a Gaussian of ksize = (width, height) pixels and standard deviations sigmaX and sigmaY.

    sigmaY 0: sigmaX; a side 0 follows from sigma, and sigma 0 from the side. Where sigma is 2 or more, the same along
    both axes, and the sides leave 3 sigma, the Gaussian is that of satfilter.gauss(): see
    satfilter.ndimage.gaussian_filter().
    hint is there for OpenCV's sake.
    """
    image = _image(_arrays.real("src", src))
    if image.ndim not in (2, 3):
        raise ValueError(f"an image of shape (H, W) or (H, W, C), not {image.shape}")
    sides, border = _words.pair("ksize", ksize), _border(borderType)
    sigmas = [_words.number("sigmaX", sigmaX), _words.number("sigmaY", sigmaY)]
    sigmas[1] = sigmas[1] if sigmas[1] > 0 else sigmas[0]
    work = [_gaussian(axis, sides[k], sigmas[k], image.dtype, border if border != 0 else "constant")
            for axis, k in ((0, 1), (1, 0))]
    out = None if dst is None else _into(_words.array("dst", dst), image)
    work = [row for row in work if len(row[1][1]) > 1]
    want = _types.result(image.dtype if out is None else out.dtype)
    made = _passes.filtered(_passes.gaussian, image, work, 0.0, out, want)
    return made if dst is None else dst


_SMALL = {1: (1.0,), 3: (0.5, 0.25), 5: (0.375, 0.25, 0.0625), 7: (0.28125, 0.21875, 0.109375, 0.03125)}


def _gaussian(axis: int, side: int, sigma: float, dtype: np.dtype, border: str) -> tuple:
    """A row of work for _passes.gaussian(); small windows without a sigma have OpenCV's own weights."""
    if not (side >= 0 and sigma < 1e5) or side <= 0 and sigma <= 0 or side and side % 2 == 0:
        raise ValueError(f"ksize and sigma: {side} and {sigma}; sides are odd, or 0 where sigma is above 0")
    if sigma <= 0 and side in _SMALL:
        return axis, (0.0, _SMALL[side]), 0, border
    if side == 0:
        side = int(np.rint(sigma * (3 if dtype == np.dtype("u1") else 4) * 2 + 1)) | 1
    if sigma <= 0:
        sigma = 0.3 * ((side - 1) * 0.5 - 1) + 0.8
    return _passes.gaussian_row(axis, sigma, side // 2, border)


def adaptiveThreshold(src: np.ndarray, maxValue: float, adaptiveMethod: int, thresholdType: int, blockSize: int,
                      C: float, dst: np.ndarray | None = None) -> np.ndarray:
    """maxValue where a pixel is above the mean around it less C; adaptiveMethod 1 weighs by GaussianBlur()'s Gaussian.

    src: uint8 of shape (H, W). OpenCV rounds the mean, and C up, or down for thresholdType 1 (inverse).
    """
    method = _words.integer("adaptiveMethod", adaptiveMethod)
    if method not in (ADAPTIVE_THRESH_MEAN_C, ADAPTIVE_THRESH_GAUSSIAN_C):
        raise ValueError("adaptiveMethod: 0 or 1, ADAPTIVE_THRESH_MEAN_C or ADAPTIVE_THRESH_GAUSSIAN_C")
    if _words.integer("thresholdType", thresholdType) not in (THRESH_BINARY, THRESH_BINARY_INV):
        raise ValueError("thresholdType: 0 or 1, THRESH_BINARY or THRESH_BINARY_INV")
    if _words.integer("blockSize", blockSize) % 2 == 0 or blockSize < 3:
        raise ValueError(f"blockSize: odd and at least 3, not {blockSize}")
    image, window = _grey(src), (blockSize, blockSize)
    C = max(-256.0, min(256.0, _words.number("C", C)))
    below = min(max(math.ceil(C) if thresholdType == THRESH_BINARY else math.floor(C), -256), 256)
    if method == ADAPTIVE_THRESH_MEAN_C:
        mean = _filter("box", image, window, (-1, -1), BORDER_REPLICATE, None, None)
    else:
        mean = GaussianBlur(image, window, 0, borderType=BORDER_REPLICATE)
    return _two_values(_above(image, mean, below), maxValue, thresholdType, dst)


def _above(image: np.ndarray, limit: np.ndarray, below: int) -> np.ndarray:
    """Where a byte is above another less so many levels; the limit's samples change. No sum leaves the bytes."""
    if below > 0:
        if below > 255:
            return np.ones(image.shape, "?")
        np.maximum(limit, below - 1, out=limit)
        limit -= np.uint8(below - 1)
        return image >= limit
    if below < -255:
        return np.zeros(image.shape, "?")
    np.minimum(limit, 255 + below, out=limit)
    limit += np.uint8(-below)
    return image > limit


def _two_values(white: np.ndarray, value: float, thresholdType: int, dst: Any) -> np.ndarray:
    """Bytes of 0 and the value."""
    if thresholdType == THRESH_BINARY_INV:
        np.logical_not(white, out=white)
    level = _types.give(np.array(_words.number("maxValue", value)), None, np.dtype("u1"))
    made = white.view("u1")
    made *= level
    if dst is None:
        return made
    out = _into(_words.array("dst", dst), made)
    if out.shape != made.shape:
        raise ValueError(f"dst has shape {out.shape}, the result {made.shape}")
    _types.give(made, out, _types.result(out.dtype))
    return dst


def niBlackThreshold(src: np.ndarray, maxValue: float, type: int, blockSize: int, k: float,
                     dst: np.ndarray | None = None, binarizationMethod: int = BINARIZATION_NIBLACK,
                     r: float = 128) -> np.ndarray:
    """cv2.ximgproc's: maxValue where a pixel is above Niblack's (0), Sauvola's (1) or Wolf's (2) threshold, rounded."""
    names = {BINARIZATION_NIBLACK: "niblack", BINARIZATION_SAUVOLA: "sauvola", BINARIZATION_WOLF: "wolf"}
    if _words.integer("binarizationMethod", binarizationMethod) not in names:
        raise ValueError("binarizationMethod: 0 Niblack, 1 Sauvola or 2 Wolf; OpenCV's NICK is not the paper's")
    if _words.integer("type", type) not in (THRESH_BINARY, THRESH_BINARY_INV):
        raise ValueError("type: 0 or 1, THRESH_BINARY or THRESH_BINARY_INV")
    image = _grey(src)
    name = names[binarizationMethod]
    params = {"size": _words.integer("blockSize", blockSize), "k": k, "surface": True,
              **({"r": r} if name == "sauvola" else {})}
    limit = _arrays.apply(_arrays.made(name, **params), image, None, image.dtype)
    return _two_values(image > limit, maxValue, type, dst)


def guidedFilter(guide: np.ndarray, src: np.ndarray, radius: int, eps: float,
                 dst: np.ndarray | None = None) -> np.ndarray:
    """cv2.ximgproc's, of a guide with one channel or three; eps is in the samples' unit squared."""
    image, other = _image(_arrays.real("src", src)), _image(_arrays.real("guide", guide))
    if guide is src:
        other = image
    if other.ndim != 2 and other.shape[2:] != (3,):
        raise ValueError("a guide of one channel, (H, W), or of three, (H, W, 3)")
    full = _types.full_scale(other.dtype)
    radius = _words.integer("radius", radius, 0, 32767)
    share = _words.number("eps", eps) / full**2
    if share < 1e-6:
        raise ValueError(f"eps={_words.shown(eps)}: {full**2 / 1e6:.3g} or more, for {other.dtype} samples")
    params = {"size": 2 * radius + 1, "eps": share, "border": "reflect", "colour": other.ndim > 2}
    f = _arrays.Filter.of("guided", **params, **({} if other is image else {"guide": other}))
    made = _arrays.apply(f, image, _into(dst, image), None, _axis(image))
    return made if dst is None else dst


def integral(src: np.ndarray, sum: np.ndarray | None = None, sdepth: int = -1) -> np.ndarray:
    """The summed area table with a row and a column of zeros: int32 of uint8 (sdepth -1), else float64."""
    image = _image(_arrays.plain(src))
    want = _dtype("sdepth", sdepth, np.dtype("i4") if image.dtype == np.dtype("u1") else np.dtype("f8"))
    return _table(image, False, sum, want)


def integral2(src: np.ndarray, sum: np.ndarray | None = None, sqsum: np.ndarray | None = None, sdepth: int = -1,
              sqdepth: int = -1) -> tuple[np.ndarray, np.ndarray]:
    """integral(), and that of the squares, in float64 (sqdepth -1)."""
    squares = _table(_image(_arrays.plain(src)), True, sqsum, _dtype("sqdepth", sqdepth, np.dtype("f8")))
    return integral(src, sum, sdepth), squares


def _table(image: np.ndarray, squared: bool, out: Any, want: np.dtype) -> np.ndarray:
    f = _arrays.made("integral", squared=squared, zeros=True)
    table = _arrays.apply(f, image, None, None, _axis(image))  # of integers exact, of 32 or 64 bits
    if table.dtype.kind == "f" and want.kind != "f" or table.dtype == want:
        made = _types.give(table, None, want)
    else:  # integers modulo 2**32, as OpenCV's
        made = table.view(want) if (table.dtype, want) == (np.dtype("u4"), np.dtype("i4")) else table.astype(want)
    if out is None:
        return made
    return _types.give(made, _words.array("sum", out), _types.result(out.dtype))


def __dir__():
    return __all__
