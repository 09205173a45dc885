"""OpenCV's functions that rest on sums over windows, with their arguments; OpenCV is not needed.

    from satfilter import cv
    smooth = cv.blur(image, (15, 15))

Means of integers are rounded to nearest, halves up, once; OpenCV's may differ by one. Images are (H, W) or (H, W, C),
parts of a larger one end at their own edge.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _arrays, _functions, _types, _words

__all__ = ["adaptiveThreshold", "blur", "boxFilter", "guidedFilter", "integral", "integral2", "niBlackThreshold",
           "sqrBoxFilter"]

BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, BORDER_WRAP, BORDER_REFLECT_101 = range(5)
BORDER_DEFAULT, BORDER_ISOLATED = BORDER_REFLECT_101, 16
THRESH_BINARY, THRESH_BINARY_INV = 0, 1
ADAPTIVE_THRESH_MEAN_C = 0
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


def _filter(name: str, src: np.ndarray, ksize: Any, anchor: Any, border: int, dst: Any, dtype: Any) -> np.ndarray:
    """anchor: the place of the pixel in the window, (x, y); -1 its middle."""
    (w, h), (x, y) = _words.pair("ksize", ksize), _words.pair("anchor", anchor)
    if not (1 <= w <= 65535 and 1 <= h <= 65535 and -1 <= x < w and -1 <= y < h):
        raise ValueError(f"ksize={w, h}, anchor={x, y}: windows of 1 to 65535 pixels a side, (width, height), hold "
                         "their anchor, (x, y)")
    at = (0 if y < 0 else h // 2 - y, 0 if x < 0 else w // 2 - x)
    f = _arrays.made(name, size=(h, w), at=at, border=_border(border))
    image = src if type(src) is np.ndarray else _arrays.plain(src)
    return _arrays.apply(f, image, dst, None if dst is not None else dtype, None if image.ndim == 2 else -1)


def _grey(src: Any) -> np.ndarray:
    image = _arrays.plain(src)
    if image.dtype != np.dtype("u1") or image.ndim != 2:
        raise TypeError(f"src has {image.dtype} samples of shape {image.shape}: uint8 of shape (H, W) is possible")
    return image


def _name(normalize: Any) -> str:
    return "box" if _words.flag("normalize", normalize) else "sum"


def blur(src: np.ndarray, ksize: tuple[int, int], dst: np.ndarray | None = None, anchor: tuple[int, int] = (-1, -1),
         borderType: int = BORDER_DEFAULT) -> np.ndarray:
    """The mean over ksize = (width, height) pixels."""
    return _filter("box", src, ksize, anchor, borderType, dst, None)


def boxFilter(src: np.ndarray, ddepth: int, ksize: tuple[int, int], dst: np.ndarray | None = None,
              anchor: tuple[int, int] = (-1, -1), normalize: bool = True,
              borderType: int = BORDER_DEFAULT) -> np.ndarray:
    """The mean over ksize = (width, height) pixels; not normalised, their sum, saturated. ddepth -1: src's."""
    image = _arrays.plain(src)
    dtype = _dtype("ddepth", ddepth, image.dtype)
    return _filter(_name(normalize), image, ksize, anchor, borderType, dst, dtype)


def sqrBoxFilter(src: np.ndarray, ddepth: int, ksize: tuple[int, int], dst: np.ndarray | None = None,
                 anchor: tuple[int, int] = (-1, -1), normalize: bool = True,
                 borderType: int = BORDER_DEFAULT) -> np.ndarray:
    """The mean, or sum, of the squares over ksize = (width, height) pixels. ddepth -1: float32, of floats float64."""
    image = _arrays.real("src", src)
    dtype = _dtype("ddepth", ddepth, np.dtype("f8") if image.dtype.kind == "f" else np.dtype("f4"))
    square = image.astype("f8")
    square *= square
    return _filter(_name(normalize), square, ksize, anchor, borderType, dst, dtype)


def adaptiveThreshold(src: np.ndarray, maxValue: float, adaptiveMethod: int, thresholdType: int, blockSize: int,
                      C: float, dst: np.ndarray | None = None) -> np.ndarray:
    """maxValue where a pixel is above the mean around it less C; adaptiveMethod 0, the mean, is the only one here.

    src: uint8 of shape (H, W). OpenCV rounds the mean, and C up, or down for thresholdType 1 (inverse).
    """
    if _words.integer("adaptiveMethod", adaptiveMethod) != ADAPTIVE_THRESH_MEAN_C:
        raise ValueError("adaptiveMethod: 0, ADAPTIVE_THRESH_MEAN_C, alone")
    if _words.integer("thresholdType", thresholdType) not in (THRESH_BINARY, THRESH_BINARY_INV):
        raise ValueError("thresholdType: 0 or 1, THRESH_BINARY or THRESH_BINARY_INV")
    if _words.integer("blockSize", blockSize) % 2 == 0 or blockSize < 3:
        raise ValueError(f"blockSize: odd and at least 3, not {blockSize}")
    image = _grey(src)
    mean = _filter("box", image, (blockSize, blockSize), (-1, -1), BORDER_REPLICATE, None, None).astype("i2")
    C = max(-256.0, min(256.0, _words.number("C", C)))
    mean -= min(max(math.ceil(C) if thresholdType == THRESH_BINARY else math.floor(C), -256), 256)
    return _two_values(image > mean, maxValue, thresholdType, image.dtype, dst)


def _two_values(white: np.ndarray, value: float, thresholdType: int, dtype: np.dtype, dst: Any) -> np.ndarray:
    if thresholdType == THRESH_BINARY_INV:
        white = ~white
    out = np.empty(white.shape, dtype) if dst is None else _words.array("dst", dst)
    if out.shape != white.shape:
        raise ValueError(f"dst has shape {out.shape}, the result {white.shape}")
    of_src = _types.give(np.array(_words.number("maxValue", value)), None, dtype)
    return _types.give(np.where(white, of_src, dtype.type(0)), out, _types.result(out.dtype))


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
    f = _arrays.made(name, **params)
    limit = _arrays.apply(f, image, None, image.dtype)
    return _two_values(image > limit, maxValue, type, image.dtype, dst)


def guidedFilter(guide: np.ndarray, src: np.ndarray, radius: int, eps: float,
                 dst: np.ndarray | None = None) -> np.ndarray:
    """cv2.ximgproc's, of a guide with one channel or three; eps is in the samples' unit squared."""
    image, other = _arrays.real("src", src), _arrays.real("guide", guide)
    if other.ndim != 2 and other.shape[2:] != (3,):
        raise ValueError("a guide of one channel, (H, W), or of three, (H, W, 3)")
    full = _types.full_scale(other.dtype)
    radius = _words.integer("radius", radius, 0, 32767)
    share = _words.number("eps", eps) / full**2
    if share < 1e-6:
        raise ValueError(f"eps={_words.shown(eps)}: {full**2 / 1e6:.3g} or more, for {other.dtype} samples")
    params = {"size": 2 * radius + 1, "eps": share, "border": "reflect", "colour": other.ndim > 2}
    f = _arrays.Filter.of("guided", **params, **({} if other is image else {"guide": other}))
    return _arrays.apply(f, image, dst, None, None if image.ndim == 2 else -1)


def integral(src: np.ndarray, sum: np.ndarray | None = None, sdepth: int = -1) -> np.ndarray:
    """The summed area table with a row and a column of zeros: int32 of uint8 (sdepth -1), else float64."""
    image = _arrays.plain(src)
    want = _dtype("sdepth", sdepth, np.dtype("i4") if image.dtype == np.dtype("u1") else np.dtype("f8"))
    return _table(image, False, sum, want)


def integral2(src: np.ndarray, sum: np.ndarray | None = None, sqsum: np.ndarray | None = None, sdepth: int = -1,
              sqdepth: int = -1) -> tuple[np.ndarray, np.ndarray]:
    """integral(), and that of the squares, in float64 (sqdepth -1)."""
    image = _arrays.plain(src)
    return integral(image, sum, sdepth), _table(image, True, sqsum, _dtype("sqdepth", sqdepth, np.dtype("f8")))


def _table(image: np.ndarray, squared: bool, out: Any, want: np.dtype) -> np.ndarray:
    axis = None if image.ndim == 2 else -1
    if want == np.dtype("i4") and image.dtype.kind in "biu":  # modulo 2**32, as OpenCV's
        bits = _functions.integral(image, squared=squared, zeros=True, channel_axis=axis).astype(want)
        out = None if out is None else _words.array("sum", out)
        return _types.give(bits, out, want if out is None else _types.result(out.dtype))
    return _functions.integral(image, squared=squared, zeros=True, channel_axis=axis, out=out,
                               dtype=None if out is not None else want)
