"""What filters are, written plainly and slowly, for the tests beside."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

PADS = {"clamp": "edge", "mirror": "reflect", "reflect": "symmetric", "wrap": "wrap"}


def windows(image, size, border="clamp", at=(0, 0)):
    """The window around each pixel: (..., H, W, rows, columns)."""
    h, w = size if np.ndim(size) else (size, size)
    first = [h // 2 - at[0], w // 2 - at[1]]
    pads = [(0, 0)] * (image.ndim - 2) + [(f, n - 1 - f) for f, n in zip(first, (h, w))]
    if border in PADS:
        padded = np.pad(image, pads, mode=PADS[border])
    else:
        padded = np.pad(image, pads, constant_values=border)
    return sliding_window_view(padded, (h, w), axis=(-2, -1))


def sums(image, size, border="clamp", at=(0, 0)):
    wide = image.astype({"b": "i8", "i": "i8", "u": "u8", "f": "f8", "c": "c16"}[image.dtype.kind])
    return windows(wide, size, border, at).sum((-2, -1))


def area(size):
    return int(np.prod(size)) if np.ndim(size) else size * size


def true_mean(image, size, border="clamp", at=(0, 0)):
    return sums(image, size, border, at) / area(size)


def rounded_mean(image, size, border="clamp", at=(0, 0)):
    """Of integers: to nearest, halves up."""
    n = area(size)
    total = sums(image, size, border, at).astype(object)
    return ((2 * total + n) // (2 * n)).astype(image.dtype)


def variance(image, size, border="clamp"):
    """Of integers: one division of exact numbers."""
    n = area(size)
    if image.dtype.kind == "f":
        return windows(image.astype("f8"), size, border).var((-2, -1))
    wide = image.astype(object)
    seen = windows(wide, size, border)
    total, squares = seen.sum((-2, -1)), (seen * seen).sum((-2, -1))
    return ((n * squares - total * total) / (n * n)).astype("f8")


def threshold(image, size, k, r):
    """Sauvola's."""
    return true_mean(image, size) * (1 + k * (np.sqrt(variance(image, size)) / r - 1))
