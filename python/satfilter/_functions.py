"""A function for each filter of the library. Written by make_functions.py; do not edit."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arrays import Filter, _made, called as _apply, make as _make

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike

__all__ = [
    "box", "gauss", "variance", "stddev", "sum", "sauvola", "wolf", "adaptive", "bradley", "niblack", "nick",
    "threshold", "unsharp", "highpass", "dog", "flatten", "normalize", "guided", "kuwahara", "varbox", "crop",
    "resize", "pixelate", "grey", "by", "real", "template", "integral", "transpose", "rotate", "flip",
    "permute",
]


def box(image: ArrayLike, size: int | tuple[int, int] = 3, *, at: tuple[int, int] = (0, 0),
        border: str | float = "clamp", out: np.ndarray | None = None, dtype: DTypeLike | None = None,
        channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Mean over a window.

    The mean of the N x N (or W x H) pixels around each pixel. The mean of integers is exact, rounded to
    nearest, halves up; that of floats is formed in double. Colour is weighted by alpha, alpha is averaged by
    itself. The result has the input's type and range.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("box", size, at, border)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def gauss(image: ArrayLike, sigma: float = 2, *, passes: int = 4, border: str | float = "clamp",
          out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
          alpha: bool = False) -> np.ndarray:
    """Gaussian blur, fast for any sigma.

    The mean around each pixel, weighted by a Gaussian of standard deviation S: K boxes with fractional ends
    one after the other, whose variances add up to that of the Gaussian. With 4 passes no weight along a row
    is off by more than 4 % of the largest one (5 % below S = 2, 11 % below 1.1). A result depends on pixels
    up to K (r + 1) away, at most 3.5 S + 3 with 4 passes; 2 r + 1 is a box's side. The border extends the
    picture once. Passes over integers are together within 1 / 32 of a level of exact arithmetic; then the
    result is rounded, halves up. Colour is weighted by alpha, alpha is averaged by itself. The result has the
    input's type and range.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    sigma : float
        standard deviation in pixels, 0.3 to 1000.
    passes : int
        boxes along each axis, 3 to 5: more are nearer to a Gaussian.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("gauss", sigma, passes, border)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, sigma=sigma, passes=passes, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def variance(image: ArrayLike, size: int | tuple[int, int] = 3, *, at: tuple[int, int] = (0, 0),
             border: str | float = "clamp", out: np.ndarray | None = None, dtype: DTypeLike | None = None,
             channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Local variance over a window.

    The population variance (A S2 - S^2) / A^2 of the N x N (or W x H) pixels around each pixel: A their
    number, S their sum, S2 the sum of their squares. Of integers the numerator is exact and divided once in
    double. Never negative; at most ((hi - lo) / 2)^2 for samples in lo ... hi, which is what a 16-bit picture
    of it spans. Colour is weighted by alpha, alpha is averaged. The result is f64.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of float64; of float16 samples, float32.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("variance", size, at, border)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def stddev(image: ArrayLike, size: int | tuple[int, int] = 3, *, at: tuple[int, int] = (0, 0),
           border: str | float = "clamp", out: np.ndarray | None = None, dtype: DTypeLike | None = None,
           channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Local standard deviation over a window.

    The square root, in double, of the population variance of the N x N (or W x H) pixels around each pixel.
    At most (hi - lo) / 2 for samples in lo ... hi, which is what a 16-bit picture of it spans. Colour is
    weighted by alpha, alpha is averaged. The result is f64.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of float64; of float16 samples, float32.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("stddev", size, at, border)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def sum(image: ArrayLike, size: int | tuple[int, int] = 3, *, at: tuple[int, int] = (0, 0),
        border: str | float = "clamp", out: np.ndarray | None = None, dtype: DTypeLike | None = None,
        channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Sum over a window.

    The sum of the N x N (or W x H) pixels around each pixel; under the border shrink pixels outside the image
    count nothing. Sums of integers are exact in u32 or, when the largest possible one does not fit, u64;
    those of floats are f64. Alpha becomes a plain channel. A 16-bit picture of it spans 0 ... largest sample
    x W x H.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of exact sums: uint32 or uint64, of signed samples int64, of floats float64 (of float16 float32).

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("sum", size, at, border)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def sauvola(image: ArrayLike, size: int | tuple[int, int] = 31, *, at: tuple[int, int] = (0, 0),
            border: str | float = "clamp", k: float = 0.34, r: float = 128, full: int = 0,
            invert: bool = False, surface: bool = False, out: np.ndarray | None = None,
            dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Black and white: scanned pages, after Sauvola.

    White where a pixel is above T = m (1 + k (s / r - 1)), m being the mean and s the standard deviation of
    the N x N (or W x H) pixels around it; black elsewhere. Colour becomes grey first: (299 R + 587 G + 114 B
    + 500) div 1000. Transparent pixels count nothing; where all are, the result is white. r is in levels of 8
    bits, 255ths of the full scale, and of floats in their own unit. Windows should be larger than strokes are
    wide: a third of an inch is usual. Not for pencil or faded ink: strokes less than a share k darker than
    their paper turn white. Take wolf.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats but integers of 32 and 64 bits.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    k : float
        how far flat surroundings lower the threshold below their mean, -10 to 10.
    r : float
        the deviation at which they do not, in levels of 8 bits, 0.000001 to 1000000, of floats any above 0.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    invert : bool
        black and white change places.
    surface : bool
        the threshold itself, as f64.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    A uint8 array of 0 and 255; with surface, of float64. Channels become one.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("sauvola", size, at, border, k, r, full, invert, surface)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, k=k, r=r, full=full, invert=invert, surface=surface)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def wolf(image: ArrayLike, size: int | tuple[int, int] = 41, *, at: tuple[int, int] = (0, 0),
         border: str | float = "clamp", k: float = 0.5, invert: bool = False, surface: bool = False,
         out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
         alpha: bool = False) -> np.ndarray:
    """Black and white: faint text, after Wolf.

    White where a pixel is above T = m - k (1 - s / smax) (m - min), m being the mean and s the standard
    deviation of the N x N (or W x H) pixels around it, smax the largest such deviation and min the least
    sample of the whole image, of those that are finite; black elsewhere. Colour becomes grey first: (299 R +
    587 G + 114 B + 500) div 1000. Transparent pixels count nothing; where all are, the result is white. An
    image without a window that deviates turns white, flat windows at the least sample turn black.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats but integers of 32 and 64 bits.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    k : float
        how far flat surroundings lower the threshold from their mean to the least sample, -10 to 10.
    invert : bool
        black and white change places.
    surface : bool
        the threshold itself, as f64.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    A uint8 array of 0 and 255; with surface, of float64. Channels become one.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("wolf", size, at, border, k, invert, surface)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, k=k, invert=invert, surface=surface)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def adaptive(image: ArrayLike, size: int | tuple[int, int] = 15, *, at: tuple[int, int] = (0, 0),
             border: str | float = "clamp", offset: float = 5, full: int = 0, invert: bool = False,
             surface: bool = False, out: np.ndarray | None = None, dtype: DTypeLike | None = None,
             channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Black and white: above the mean less a few levels.

    White where a pixel is above T = m - C, m being the mean of the N x N (or W x H) pixels around it; black
    elsewhere. Of integers this is decided exactly. Colour becomes grey first: (299 R + 587 G + 114 B + 500)
    div 1000. Transparent pixels count nothing; where all are, the result is white. The plain threshold for
    printed pages, also in a shadow; wolf reads more of worn ones. Take a larger C for stains and for what
    shows through, less for faint ink. Not C = 0: T is p on blank paper then, which turns black.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats but integers of 32 and 64 bits.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    offset : float
        how far the threshold is below the mean, in levels of 8 bits, of integers -255 to 255 in steps of
        0.001, of floats any number.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    invert : bool
        black and white change places.
    surface : bool
        the threshold itself, as f64.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    A uint8 array of 0 and 255; with surface, of float64. Channels become one.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("adaptive", size, at, border, offset, full, invert, surface)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, offset=offset, full=full, invert=invert,
                  surface=surface)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def bradley(image: ArrayLike, size: int | tuple[int, int] = 65, *, at: tuple[int, int] = (0, 0),
            border: str | float = "clamp", percent: float = 15, invert: bool = False, surface: bool = False,
            out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
            alpha: bool = False) -> np.ndarray:
    """Black and white: above a share of the mean.

    White where a pixel is above T = m (1 - t / 100), m being the mean of the N x N (or W x H) pixels around
    it and t the percent; black elsewhere. Of integers this is decided exactly. Colour becomes grey first:
    (299 R + 587 G + 114 B + 500) div 1000. Transparent pixels count nothing; where all are, the result is
    white. For pages in uneven light, whose ink is a share darker than their paper, with windows of an eighth
    of the width. Not for dark pages, where a share is less than noise. Where all is 0, all is black.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats but integers of 32 and 64 bits.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    percent : float
        how much of the mean the threshold is below it, 0 to 100, of integers in steps of 0.001.
    invert : bool
        black and white change places.
    surface : bool
        the threshold itself, as f64.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    A uint8 array of 0 and 255; with surface, of float64. Channels become one.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("bradley", size, at, border, percent, invert, surface)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, percent=percent, invert=invert, surface=surface)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def niblack(image: ArrayLike, size: int | tuple[int, int] = 25, *, at: tuple[int, int] = (0, 0),
            border: str | float = "clamp", k: float = -0.2, invert: bool = False, surface: bool = False,
            out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
            alpha: bool = False) -> np.ndarray:
    """Black and white: detail everywhere, after Niblack.

    White where a pixel is above T = m + k s, m being the mean and s the standard deviation of the N x N (or W
    x H) pixels around it; black elsewhere. Colour becomes grey first: (299 R + 587 G + 114 B + 500) div 1000.
    Transparent pixels count nothing; where all are, the result is white. For pictures that are full of detail
    everywhere, and to compare with. Not for pages: every flat window turns black, as T is p there, and noise
    on paper is half black. Take adaptive, sauvola or wolf.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats but integers of 32 and 64 bits.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    k : float
        how many deviations the threshold is above the mean, -10 to 10.
    invert : bool
        black and white change places.
    surface : bool
        the threshold itself, as f64.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    A uint8 array of 0 and 255; with surface, of float64. Channels become one.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("niblack", size, at, border, k, invert, surface)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, k=k, invert=invert, surface=surface)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def nick(image: ArrayLike, size: int | tuple[int, int] = 41, *, at: tuple[int, int] = (0, 0),
         border: str | float = "clamp", k: float = -0.2, invert: bool = False, surface: bool = False,
         out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
         alpha: bool = False) -> np.ndarray:
    """Black and white: bright noisy paper, after Khurshid (NICK).

    White where a pixel is above T = m + k q, m being the mean of the N x N (or W x H) pixels around it and q
    the root of the mean of their squares; black elsewhere. Colour becomes grey first: (299 R + 587 G + 114 B
    + 500) div 1000. Transparent pixels count nothing; where all are, the result is white. For bright paper
    with noise or faint ink: there T is about 1 + k of the paper. Not for dark pages, or for ink less than a
    share -k darker than its paper: k = -0.1 keeps more of it. Where all is 0, all is black.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats but integers of 32 and 64 bits.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    k : float
        how many roots of the mean square the threshold is above the mean, -10 to 10.
    invert : bool
        black and white change places.
    surface : bool
        the threshold itself, as f64.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    A uint8 array of 0 and 255; with surface, of float64. Channels become one.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("nick", size, at, border, k, invert, surface)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, k=k, invert=invert, surface=surface)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def threshold(image: ArrayLike, level: float | str = 128, *, full: int = 0, invert: bool = False,
              surface: bool = False, out: np.ndarray | None = None, dtype: DTypeLike | None = None,
              channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Black and white: above one level, given or found.

    White where a pixel is above T, black elsewhere. T = V M / 255, M being the full scale, or V itself for
    floats that have none. With otsu T is the level t for which q1 q2 (m1 - m2)^2 is greatest, the first of
    several: q1 and q2 are the shares of the pixels up to t and above it, m1 and m2 their means (N. Otsu,
    1979). Of integers it is found exactly. Floats are counted in 256 bins of one width from the least to the
    greatest that is finite; t is a bin, and T its upper edge. Colour becomes grey first: (299 R + 587 G + 114
    B + 500) div 1000. Transparent pixels count nothing; where all are, the result is white. Alpha weighs the
    others. A picture of one level turns white; its T is -1, of floats the next number below the level. One
    level serves a page that is lit evenly; sauvola and adaptive follow shadows.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats but integers of 32 and 64 bits.
    level : float | str
        a level of 8 bits, of integers 0 to 255 in steps of 0.001, of floats any number; otsu: the level that
        parts the picture's samples best.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    invert : bool
        black and white change places.
    surface : bool
        the threshold itself, as f64.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    A uint8 array of 0 and 255; with surface, of float64. Channels become one.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("threshold", level, full, invert, surface)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, level=level, full=full, invert=invert, surface=surface)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def unsharp(image: ArrayLike, size: int | tuple[int, int] = 15, *, at: tuple[int, int] = (0, 0),
            border: str | float = "clamp", amount: float = 1, threshold: float = 0, luma: bool = False,
            full: int = 0, out: np.ndarray | None = None, dtype: DTypeLike | None = None,
            channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Sharpen: away from the mean over a window.

    p + A (p - m), p being the pixel and m the mean of the N x N (or W x H) pixels around it. Of integers it
    is one fraction, rounded to nearest, halves up, and saturated: to 0 and the full scale; into floats it is
    neither. The mean of colour is weighted by alpha; alpha stays as it is, and so does a pixel whose whole
    window is transparent. The result has the input's type and range. threshold=T adds A max(|p - m| - T, 0)
    with the sign of p - m: what is within T of the mean stays as it is, and nothing jumps there. Take 2 to 5
    where noise or grain would be sharpened; not where faint detail is wanted. luma takes Y = (299 R + 587 G +
    114 B) / 1000 in place of p in p - m, not rounded, and adds the same to R, G and B: colour noise stays
    what it was. Take it for photographs in colour; not for channels that are no RGB. Grey is as without it.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    amount : float
        how far, 0 to 100, of integers in steps of 0.0001.
    threshold : float
        how far from the mean a pixel stays as it is, in levels of 8 bits, of integers 0 to 255 in steps of
        0.001, of floats 0 or more.
    luma : bool
        of colour the luma alone is sharpened.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("unsharp", size, at, border, amount, threshold, luma, full)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, amount=amount, threshold=threshold, luma=luma,
                  full=full)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def highpass(image: ArrayLike, size: int | tuple[int, int] = 15, *, at: tuple[int, int] = (0, 0),
             border: str | float = "clamp", full: int = 0, out: np.ndarray | None = None,
             dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Detail alone: away from the mean, around grey.

    p - m + M / 2, p being the pixel, m the mean of the N x N (or W x H) pixels around it and M the full
    scale. Of integers it is one fraction, rounded to nearest, halves up, and saturated; into floats it is
    neither. Where nothing counts it is M / 2. Alpha weighs colour, and stays as it is. For detail that is
    laid over a picture or looked at. Not to sharpen: take unsharp. Not to measure: what is more than M / 2
    from the mean is cut; take normalize, or floats.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("highpass", size, at, border, full)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, full=full)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def dog(image: ArrayLike, sigma: float = 2, *, ratio: float = 1.6, border: str | float = "clamp",
        out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
        alpha: bool = False) -> np.ndarray:
    """Difference of two Gaussians: edges, and blobs of one size.

    What gauss=S makes less what gauss=T makes, T being R times S, both with 4 passes and not rounded to
    samples: above 0 where it is lighter than around, below 0 where it is darker. It is largest at blobs whose
    radius is about 1.8 S, and crosses 0 at edges. The result is f64, from lo - hi to hi - lo for samples in
    lo ... hi, which is what a 16-bit picture of it spans; to look at it take --range -30:30. Of u8 it is off
    by at most 1 / 16 of a level; behind --real it is not. Alpha weighs colour, and stays as it is.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    sigma : float
        standard deviation of the narrower Gaussian in pixels, 0.3 to 200.
    ratio : float
        how many times as wide the other one is, 1 to 5.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of float64; of float16 samples, float32.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("dog", sigma, ratio, border)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, sigma=sigma, ratio=ratio, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def flatten(image: ArrayLike, size: int | tuple[int, int] = 101, *, at: tuple[int, int] = (0, 0),
            border: str | float = "clamp", target: float = 128, full: int = 0, out: np.ndarray | None = None,
            dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Even light: each pixel over the mean around it.

    p V / m, p being the pixel, m the mean of the N x N (or W x H) pixels around it and V the target. Of
    integers it is one fraction, rounded to nearest, halves up, and saturated; into floats it is neither.
    Where m is 0 or nothing counts, p stays. Alpha weighs colour, and stays as it is. For pages and plates in
    uneven light: windows should be larger than what is on them, and paper goes to V, so take 230 for pages.
    Not for large areas of different brightness: they turn alike.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    target : float
        where the mean goes, in levels of 8 bits, of integers 0 to 255 in steps of 0.001, of floats any
        number.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("flatten", size, at, border, target, full)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, target=target, full=full)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def normalize(image: ArrayLike, size: int | tuple[int, int] = 31, *, at: tuple[int, int] = (0, 0),
              border: str | float = "clamp", c: float = 1, full: int = 0, out: np.ndarray | None = None,
              dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Local contrast evened: deviations above the mean.

    (p - m) / (s + c), p being the pixel, m the mean and s the standard deviation of the N x N (or W x H)
    pixels around it; 0 where nothing counts. The result is f64, from -(hi - lo) / c to as much for samples in
    lo ... hi, which is what a 16-bit picture of it spans: to look at it take --range -3:3. Alpha weighs
    colour, and stays as it is. For patterns that are matched or learned whatever the light. Not for flat
    ground: a small c makes noise as strong as detail there.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    c : float
        what is added to the deviation, so that noise on flat ground stays small, in levels of 8 bits,
        0.000001 to 1000000, of floats any above 0.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of float64; of float16 samples, float32.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("normalize", size, at, border, c, full)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, c=c, full=full)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def guided(image: ArrayLike, size: int | tuple[int, int] = 9, *, at: tuple[int, int] = (0, 0),
           border: str | float = "clamp", eps: float = 0.01, noise: float = 0, amount: float = 0,
           guide: ArrayLike | None = None, colour: bool = False, full: int = 0, guide_full: int = 0,
           out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
           alpha: bool = False) -> np.ndarray:
    """Smooth, but keep the edges of a guide.

    In each window of N x N (or W x H) pixels the result is a line over the guide I: a I + b, with a = cov(I,
    p) / (var(I) + eps) and b = mean(p) - a mean(I). A pixel takes the means of a and b over the windows that
    hold it. The image is its own guide unless guide=FILE names another one of its size and depth, with its
    channels, or with one that guides all. Edges of a contrast well above the root of eps stay, what is below
    is smoothed; eps is a share of the guide's full scale squared (1 of floats). noise=D, 255ths of that
    scale, says the deviation of noise to remove: eps is 3 (D / 255)^2. Each channel is filtered by itself,
    alpha too. With colour, an RGB guide, of any depth and whatever the image's channels, guides as one: a is
    three numbers, the inverse of the covariance matrix of R, G and B + eps times what each has in common with
    p. Every channel of the image has its own a, and alpha too; an image without guide=FILE guides its alpha
    by itself. Where the guide is not RGB, colour changes nothing. The guide's full scale M' is its own: its
    maxval, or the most of its type. guide_full=M' says a lesser one, such as 4095 for 12 bits in 16; full=M
    says both where the two have one type and neither a maxval. What lies outside under constant:V is V M' / M
    in the guide, M being the input's full scale, of integers rounded and at most M'; beyond that border a is
    0 and b is V. Of integers guided by integers a is taken to 2^-24, over a guide scaled to the input's
    largest sample, and b to 2^-16 (full scales above 255: 2^-8). Guided by floats, of any range, neither is
    rounded, and the result is taken to 2^-16. Of integers it is rounded to nearest and saturated to 0 and the
    full scale. It has the input's type. With amount=A it is q + A (p - q), q being the result without: base
    and detail.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    at : tuple[int, int]
        (rows, columns). The window's centre lies so far below and to the right of the pixel, which the window
        contains.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    eps : float
        variance below which the guide counts as flat, 0.000001 to 1000000.
    noise : float
        in place of eps: the deviation of noise to remove, in 255ths of the full scale, 0 to 255.
    amount : float
        how much of what was smoothed away comes back: 1 is the image itself, more its detail amplified; 0 to
        10.
    guide : array | None
        an image of the same size and type, (H, W) or (H, W, C), whose edges stay; with colour=True, (H, W, 3)
        of any type. The image itself without.
    colour : bool
        an RGB guide's channels guide together, so edges of colour stay that no channel shows alone.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    guide_full : int
        the full scale of guide=FILE where it does not say it; 0: its own, or that of full=M.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    if guide is not None:
        f = Filter.of("guided", size=size, at=at, border=border, eps=eps, noise=noise, amount=amount,
                      guide=guide, colour=colour, full=full, guide_full=guide_full)
        return _apply(f, image, out, dtype, channel_axis, alpha)
    key = ("guided", size, at, border, eps, noise, amount, colour, full, guide_full)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, at=at, border=border, eps=eps, noise=noise, amount=amount, colour=colour,
                  full=full, guide_full=guide_full)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def kuwahara(image: ArrayLike, size: int | tuple[int, int] = 5, *, border: str | float = "clamp",
             out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
             alpha: bool = False) -> np.ndarray:
    """Smooth like a painting: the mean on the flatter side of edges.

    Four windows of N x N (or W x H) pixels have the pixel in a corner. The result is the mean of the window
    that varies least: edges stay sharp, and areas between them become flat. Of windows that vary alike the
    first counts: upper left, upper right, lower left, lower right. A window varies by the sum of the
    variances of its channels, so that all of a pixel's channels come from one window; of integers these are
    compared exactly, floats vary alike where rounding the samples may have made the difference. Colour is
    weighted by alpha, in the variances too; alpha becomes the mean of the window, and does not vary. A window
    counts last if all of it is transparent, or not all of it finite. The result has the input's type and
    range.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("kuwahara", size, border)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def varbox(image: ArrayLike, map: ArrayLike, *, border: str | float = "clamp", out: np.ndarray | None = None,
           dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Blur by a depth map: the mean over each pixel's own window.

    The mean of the 2 r + 1 by 2 r + 1 pixels around each pixel, r being the sample of MAP there: depth of
    field from a depth map, or a blur that grows towards the edges. The sample counts as it is, 3 is a window
    of 7 x 7, whatever MAP's depth. Between two integers the result is between the means of the two windows: m
    + (r - floor(r)) (m' - m), in double. r below 0, or no number, counts as 0; above 32767 as that. Means are
    those of box: of integers exact for whole r, rounded to nearest once, halves up. Colour is weighted by
    alpha, alpha is averaged by itself; where all of the smaller window is transparent the larger one counts
    alone. MAP's alpha is left out. The result has the input's type and range.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    map : array
        the radius r of each pixel's window, of any type: (H, W), which serves all channels, or (H, W, C).
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    f = Filter.of("varbox", map=map, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def crop(image: ArrayLike, part: str | tuple[int, int] | tuple[int, int, int, int], *,
         out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
         alpha: bool = False) -> np.ndarray:
    """A part of the picture: W x H pixels.

    W x H pixels from column X and row Y on, counted from 0 at the upper left; without +X+Y those of the
    middle, where an odd number of pixels to drop leaves the one more at the right and below. The part lies
    within the picture, or it is refused. Pixels stay as they are, alpha with them, of any sample type, and so
    does the resolution. Filters behind it see nothing else of the picture. X and Y are those of the pixels as
    the file stores them, whatever its orientation.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    part : str | tuple[int, int] | tuple[int, int, int, int]
        (rows, columns) of the middle, or (row, column, rows, columns): where it begins, and its sides. Or
        text, columns first: "640x480+10+20".
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type, whatever it is.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("crop", part)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, part=part)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def resize(image: ArrayLike, size: str | tuple[int, int] = "50%", *, out: np.ndarray | None = None,
           dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Smaller: the mean of what each pixel covers.

    The largest picture that fits into W x H pixels and keeps its proportions: one side fills the box, the
    other follows, rounded, halves up, at least 1. Of Wx, such as 1024x, the height follows, of xH the width.
    P% takes that share of both sides, P%xQ% of each. WxH! makes these very sides, whatever the proportions.
    Each pixel is the mean of the pixels that it covers, of those at its edges the part that it covers. The
    mean of integers is exact, rounded to nearest, halves up; that of floats is formed in double. Colour is
    weighted by alpha, alpha is averaged by itself. The result has the input's type and range, and its
    resolution is smaller likewise. W and H are those of the pixels as the file stores them, whatever its
    orientation. Pictures do not become larger: one that is smaller keeps its size, and of WxH! it is refused.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : str | tuple[int, int]
        (rows, columns) of the result, whatever the proportions; or text that keeps them: a share of the
        image's, "33%", "1024x" or "x768", or a box, "1024x768".
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("resize", size)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def pixelate(image: ArrayLike, size: int | tuple[int, int] = 16, *, out: np.ndarray | None = None,
             dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Squares of one colour: the mean of each cell of a grid.

    The picture is cut into cells of N x N (or W x H) pixels, from its upper left corner on; the last of a row
    or column may be smaller. All pixels of a cell become its mean. That of integers is exact, rounded to
    nearest, halves up; that of floats is formed in double. Colour is weighted by alpha, alpha is averaged by
    itself. The result has the input's type and range. With --region it hides a part of a picture. Few cells
    hide: at most four across a face, and cells higher than letters, which can be guessed from smaller ones.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("pixelate", size)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, size=size)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def grey(image: ArrayLike, *, out: np.ndarray | None = None, dtype: DTypeLike | None = None,
         channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Colour becomes grey.

    (299 R + 587 G + 114 B) / 1000 of each pixel, of integers rounded to nearest, halves up, as filters to
    black and white see it. Alpha stays as it is. A picture that is grey already stays one, of any sample
    type. The result has the input's type and range.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("grey",)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def by(image: ArrayLike, other: ArrayLike, *, op: str = "add", scale: float | str = 1, full: int = 0,
       other_full: int = 0, out: np.ndarray | None = None, dtype: DTypeLike | None = None,
       channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Another picture added, subtracted, multiplied or divided by.

    For each pixel p and that of FILE, q: p + s q, p - s q, s p q or s p / q. Where q is 0 the quotient is the
    full scale, or 0 where p is 0 too. A dark frame is subtracted (op=sub), a flat field divides
    (op=div,scale=auto). FILE has the input's size, and its channels, or one that serves all; with auto s is
    the mean of each channel. The input's alpha stays as it is, that of FILE is left out. Of FILE's pages the
    first counts. Its type may be another: where both are of integers q counts as q M / M', M and M' being the
    full scales of input and FILE, so that white is white; auto's mean is of q as it is, and op=div,scale=auto
    does without M', which cancels. M' is FILE's own: its maxval, or the most of its type. other_full=M' says
    a lesser one, such as 4095 for 12 bits in 16; full=M says both where the two have one type and neither a
    maxval. These results are exact, rounded to nearest once, halves up, and saturated to 0 and M; s is a
    decimal of 9 places, below 1 of 15. Where either is of floats samples count as they are, in double, unless
    other_full=M' says what is white in FILE; results that are floats are neither rounded nor saturated. The
    result has the input's type.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    other : array
        the other image, of any type: (H, W), which serves all channels, or (H, W, C).
    op : str
        add, sub, mul, div: p + s q, p - s q, s p q or s p / q.
    scale : float | str
        the number s, 0 to 1000000, or auto: the mean of q.
    full : int
        the full scale where the picture does not say it, such as 4095 for 12 bits in 16, 1 for floats of 0 to
        1; 0: the picture's, the most of integers.
    other_full : int
        the full scale of FILE where it does not say it; 0: its own, or that of full=M.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type. Integers are rounded once, halves up; into floats nothing is rounded. Of
    bool samples, float64.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    f = Filter.of("by", other=other, op=op, scale=scale, full=full, other_full=other_full)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def real(image: ArrayLike, *, out: np.ndarray | None = None, dtype: DTypeLike | None = None,
         channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Real numbers from here on: what follows is not rounded.

    Each sample as a double, and nothing else: filters behind it keep what is behind the point, also what is
    below black or above white, until the result is written. Take it in front of a chain of several means, or
    of differences of them. The full scale stays, so parameters mean the same. Integer bits are no longer
    promised: real numbers may differ in the last digits from machine to machine. A picture gets its input's
    depth again, rounded once; an array is f64.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of float64; of float16 samples, float32.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("real",)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def template(image: ArrayLike, rects: ArrayLike, *, border: str | float = "clamp",
             out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
             alpha: bool = False) -> np.ndarray:
    """Weighted sums over rectangles around each pixel.

    For each line `x y w h weight` of FILE the sum of the w x h pixels whose upper left one lies (x, y) from
    the pixel, times weight; their total in double, in the order of the lines. `-1 -1 3 3 1` is the sum of 3 x
    3 pixels. Under the border shrink pixels outside the image count nothing. Alpha becomes a plain channel.
    The result is f64; a 16-bit picture of it spans the smallest to the largest possible response.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    rects : array
        rows of (row, column, height, width, weight): rectangles by their upper left pixel, relative to the
        pixel that is computed.
    border : str | float
        what lies outside the image: clamp, mirror, reflect, wrap, shrink or valid, or a number, which is all
        samples there. valid makes the result smaller: whole windows only.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of float64; of float16 samples, float32.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    f = Filter.of("template", rects=rects, border=border)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def integral(image: ArrayLike, *, squared: bool = False, zeros: bool = False, out: np.ndarray | None = None,
             dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """The summed area table (integral image).

    Each sample becomes the sum of all samples above and left of it, itself included. Sums of integers are
    exact in u32 or, when the largest possible one does not fit, u64; those of floats are f64. Alpha becomes a
    plain channel. A 16-bit picture of it spans 0 ... largest sample x width x height.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    squared : bool
        sum the squares of the samples instead.
    zeros : bool
        a row and a column of zeros in front, as OpenCV has them: one pixel wider and higher.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of exact sums: uint32 or uint64, of signed samples int64, of floats float64 (of float16 float32).

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("integral", squared, zeros)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, squared=squared, zeros=zeros)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def transpose(image: ArrayLike, *, out: np.ndarray | None = None, dtype: DTypeLike | None = None,
              channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Rows become columns.

    The pixel at column x of row y goes to column y of row x, so the upper left corner stays where it is and
    width and height change places. Pixels stay as they are, alpha with them, of any sample type. So do the
    resolutions of x and y change places, and an EXIF orientation becomes the one under which viewers show the
    transpose of what they showed.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type, whatever it is.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("transpose",)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def rotate(image: ArrayLike, angle: int = 90, *, out: np.ndarray | None = None,
           dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Quarter turns, clockwise.

    Turns the image clockwise by 90, 180 or 270 degrees; by 90 the upper left corner becomes the upper right
    one. By 90 and 270 width and height change places, and so do the resolutions of x and y. Pixels stay as
    they are, alpha with them, of any sample type. An EXIF orientation becomes the one under which viewers
    show what they showed, turned.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    angle : int
        90, 180, 270: degrees, clockwise.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type, whatever it is.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("rotate", angle)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, angle=angle)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def flip(image: ArrayLike, axis: str = "h", *, out: np.ndarray | None = None, dtype: DTypeLike | None = None,
         channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Mirror image: left to right, or upside down.

    The horizontal flip mirrors each row, the vertical one the order of the rows. Pixels stay as they are,
    alpha with them, of any sample type. An EXIF orientation becomes the one under which viewers show the flip
    of what they showed.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    axis : str
        h, v: h: left and right change places; v: top and bottom do.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type, whatever it is.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    key = ("flip", axis)
    try:
        f = _made[key]
    except (KeyError, TypeError):
        f = _make(key, axis=axis)
    return _apply(f, image, out, dtype, channel_axis, alpha)


def permute(image: ArrayLike, order: ArrayLike, *, out: np.ndarray | None = None,
            dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """Pixels in another order.

    Pixel k of the result is pixel P[k] of the image, pixels being counted from 0 along the rows, and P the
    array in FILE: in NumPy, out = in.reshape(H * W, -1)[P]. Pixels stay as they are, alpha with them, of any
    sample type; so do width and height, and all that the file says besides.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    order : array
        integers of shape (H * W) or (H, W), each of 0 to H * W - 1 once: pixel k of the result, counted along
        the rows, is pixel order[k] of the image.
    out : array that takes the result, of its shape and any type; it may be the image
    dtype : the type of a new result: integers are rounded halves up and saturated
    channel_axis : the axis that counts channels, if there is one
    alpha : the last channel is straight alpha, which weighs the others

    Returns
    -------
    An array of the image's type, whatever it is.

    Raises
    ------
    ValueError : a parameter or a shape is out of its range; the message says which
    TypeError : samples of this type cannot be filtered; the message says what makes others
    """
    f = Filter.of("permute", order=order)
    return _apply(f, image, out, dtype, channel_axis, alpha)
