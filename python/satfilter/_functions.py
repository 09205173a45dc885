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

    The fastest blur, and exact: each pixel becomes the mean of the pixels around it. gauss is softer; guided
    and kuwahara keep edges.
    The exact definition: docs/filters.md#box.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    The soft blur of picture editors, without the square look of box. From S = 2 on no weight is off a
    Gaussian's by more than 4 % of the largest one; passes=5 is nearer.
    The exact definition: docs/filters.md#gauss.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    sigma : float
        standard deviation in pixels, 0.3 to 1000.
    passes : int
        boxes along each axis, 3 to 5: more are nearer to a Gaussian.
    border : str | float
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    Shows where a picture has detail: high on edges and texture, 0 on flat areas. The result is real numbers,
    of integers exact and never negative. Its square root is stddev.
    The exact definition: docs/filters.md#variance.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    Local contrast, in units of brightness: edges and texture are light, flat areas black. The result is real
    numbers.
    The exact definition: docs/filters.md#stddev.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    Totals of what samples count, such as light, people or cells. Of integers it is exact. For a mean take
    box.
    The exact definition: docs/filters.md#sum.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    For print on paper that has stains, or whose other side shows through. Not for pencil or faded ink:
    strokes less than a share k darker than their paper turn white. Take wolf for these. The window should be
    wider than strokes; a third of an inch is usual.
    The exact definition: docs/filters.md#sauvola.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    k : float
        threshold of flat paper: a share K below its mean, -10 to 10.
    r : float
        deviation whose threshold is the mean, in levels of 8 bits.
    full : int
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
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


def wolf(image: ArrayLike, size: int | tuple[int, int] = 21, *, at: tuple[int, int] = (0, 0),
         border: str | float = "clamp", k: float = 0.35, invert: bool = False, surface: bool = False,
         out: np.ndarray | None = None, dtype: DTypeLike | None = None, channel_axis: int | None = None,
         alpha: bool = False) -> np.ndarray:
    """Black and white: faint text, after Wolf.

    The first to try on a page: it follows the light, and keeps pencil and faint ink. It compares with the
    darkest sample and the strongest contrast of the whole page. Where pale ink goes missing beside dark ink
    take k=0.2; where stains turn black take sauvola. Take a window a little larger than the font.
    The exact definition: docs/filters.md#wolf.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    k : float
        flat paper: threshold K of the way to the darkest, -10 to 10.
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

    The plain threshold, for clean print in any light. A larger offset drops stains and what shows through, a
    smaller one keeps faint ink. Not 0: blank paper turns black then. Worn pages are read better by wolf.
    The exact definition: docs/filters.md#adaptive.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    offset : float
        how far below the mean, in levels of 8 bits, -255 to 255.
    full : int
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
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

    For pages whose light falls off by factors, as on a photographed book: ink is a share darker than its
    paper. Take a window of an eighth of the width. Not for dark pages, where that share is less than noise.
    The exact definition: docs/filters.md#bradley.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    percent : float
        per cent below the mean, 0 to 100.
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

    For pictures that are full of detail, and to compare methods. Not for pages: blank paper turns black or
    into noise. Take wolf, sauvola or adaptive for these.
    The exact definition: docs/filters.md#niblack.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    k : float
        deviations above the mean, -10 to 10.
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

    For bright, noisy paper, and for thin strokes that sauvola loses. Not for dark pages, nor for ink less
    than a share -k darker than its paper: k=-0.1 keeps more of it.
    The exact definition: docs/filters.md#nick.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    k : float
        roots of the mean square above the mean, -10 to 10.
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

    One level for the whole picture: for pages in even light, and for masks. otsu finds the level that parts
    dark from light best. In uneven light take wolf or adaptive.
    The exact definition: docs/filters.md#threshold.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats but integers of 32 and 64 bits.
    level : float | str
        level of 8 bits, 0 to 255, of floats any number; otsu finds it.
    full : int
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
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

    Edges become crisper. For photographs add luma, so that colour noise stays what it was; where noise or
    grain would be sharpened add threshold=3, unless faint detail matters. For more local contrast without
    bright rims take guided with amount.
    The exact definition: docs/filters.md#unsharp.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    amount : float
        strength, 0 to 100.
    threshold : float
        what is within T levels of 8 bits of the mean stays, 0 to 255.
    luma : bool
        sharpen brightness alone, of pictures in colour.
    full : int
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
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

    To look at detail, or to lay it over a picture in an editor. Not to sharpen: take unsharp. Not to measure:
    what is more than half of the full scale from the mean is cut; take normalize.
    The exact definition: docs/filters.md#highpass.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    full : int
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
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

    Finds blobs of a radius of about 1.8 S, where it is farthest from 0, and edges, where it crosses 0. Light
    spots are above 0, dark ones below. The result is real numbers.
    The exact definition: docs/filters.md#dog.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    sigma : float
        standard deviation of the narrower Gaussian in pixels, 0.3 to 200.
    ratio : float
        how many times as wide the other Gaussian is, 1 to 5.
    border : str | float
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    Takes shadows off pages and plates, which stay in shades of grey or colour. Take a window larger than what
    is on them; for pages target=230, which becomes the level of paper. Not for pictures with large areas of
    different brightness: they become alike.
    The exact definition: docs/filters.md#flatten.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    target : float
        where the mean goes, in levels of 8 bits, 0 to 255.
    full : int
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
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

    For patterns that are matched or learned in any light: each pixel becomes its distance from the mean
    around it, in standard deviations. A larger c keeps noise on flat ground small. The result is real
    numbers.
    The exact definition: docs/filters.md#normalize.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    c : float
        added to the deviation, in levels of 8 bits, above 0.
    full : int
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
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
    """Smooth, but keep edges.

    Against noise give its deviation, noise=18, and colour for pictures in colour. amount=2 brings out detail
    without halos. With guide=FILE another picture's edges stay.
    The exact definition: docs/filters.md#guided.

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
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
    eps : float
        variance that counts as flat, a share of full scale squared.
    noise : float
        instead of eps: the noise's deviation, in 255ths of full scale.
    amount : float
        how much of the detail comes back: 1 all of it, 2 twice, up to 10.
    guide : array | None
        an image of the same size and type, (H, W) or (H, W, C), whose edges stay; with colour=True, (H, W, 3)
        of any type. The image itself without.
    colour : bool
        R, G and B guide together: keeps edges that are of colour alone.
    full : int
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
    guide_full : int
        full scale of guide=FILE; 0: its own, or that of full=M.
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

    Flat strokes of about the window's size, with sharp edges. Also against strong noise, where texture may
    go; guided keeps more of it.
    The exact definition: docs/filters.md#kuwahara.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    size : int | tuple[int, int]
        pixels, 1 to 65535: of a square window, or (rows, columns).
    border : str | float
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    Depth of field: a sample of MAP is a radius in pixels, 0 where the picture stays sharp, 3 for a window of
    7 x 7. A template with the line `0 0 1 1 8/255` makes radii of 0 to 8 of a depth map.
    The exact definition: docs/filters.md#varbox.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    map : array
        the radius r of each pixel's window, of any type: (H, W), which serves all channels, or (H, W, C).
    border : str | float
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    X and Y count from 0 at the upper left; without them it is the middle. Samples stay as they are; a JPEG is
    coded anew. A part that leaves the picture is an error.
    The exact definition: docs/filters.md#crop.

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

    Proportions stay: 1024x1024 is a box that the result fits into, 1024x a width, x768 a height, 25% a share.
    Pictures do not become larger: a smaller one keeps its size. 300x200! takes both sides as they are.
    The exact definition: docs/filters.md#resize.

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

    Hides faces and number plates. Take few cells, at most four across a face, and cells higher than letters:
    what smaller ones hide can be guessed.
    The exact definition: docs/filters.md#pixelate.

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

    The luma, 0.299 R + 0.587 G + 0.114 B, as filters to black and white see it. Alpha stays. In front of a
    filter that takes each colour by itself it makes one result of three.
    The exact definition: docs/filters.md#grey.

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

    Takes a dark frame off (op=sub), or divides by a flat field (op=div,scale=auto keeps brightness and
    colour). Depths may differ: white counts as white. Of several pages FILE gives the first.
    The exact definition: docs/filters.md#by.

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
        full scale, such as 4095 for 12 bits in 16; 0: the picture's.
    other_full : int
        full scale of FILE; 0: its own, or that of full=M.
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

    Put it in front of several means, or differences of them, which are else rounded one by one. What is below
    black or above white is kept as well. A picture is rounded once, when it is written; an array is f64. The
    last digits may differ from machine to machine.
    The exact definition: docs/filters.md#real.

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

    Any filter made of rectangles: edges, lines, Haar features, or sharpening by hand. A line `-1 -1 3 3 1/9`
    is the mean of 3 x 3. The result is real numbers.
    The exact definition: docs/filters.md#template.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    rects : array
        rows of (row, column, height, width, weight): rectangles by their upper left pixel, relative to the
        pixel that is computed.
    border : str | float
        what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror
        (reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes
        the result smaller: whole windows only.
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

    Each sample becomes the sum of all samples above and left of it, itself included, of integers exactly. For
    programs that take sums of rectangles: four numbers give any of them.
    The exact definition: docs/filters.md#integral.

    Parameters
    ----------
    image : array of shape (..., H, W), or with channels on channel_axis
        Leading axes count images. Any integers and floats, bool.
    squared : bool
        sum the squares of the samples instead.
    zeros : bool
        a row and a column of zeros in front, as OpenCV has them.
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

    The upper left corner stays where it is. Samples stay as they are. An EXIF orientation turns along:
    viewers show the transpose of what they showed.
    The exact definition: docs/filters.md#transpose.

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

    By 90 the upper left corner becomes the upper right one. Samples stay as they are; a JPEG is coded anew.
    An EXIF orientation turns along: viewers show what they showed, turned.
    The exact definition: docs/filters.md#rotate.

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

    Samples stay as they are; a JPEG is coded anew. An EXIF orientation turns along: viewers show the flip of
    what they showed.
    The exact definition: docs/filters.md#flip.

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

    Pixel k of the result, counted along the rows, is pixel P[k] of the image, P being the array in FILE: in
    NumPy, out = in.reshape(H * W, -1)[P]. Samples stay as they are.
    The exact definition: docs/filters.md#permute.

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
