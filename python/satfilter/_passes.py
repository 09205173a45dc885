"""Filters along any axes of an array, as passes of the library's over one axis or two."""
from __future__ import annotations

import math

import numpy as np

from . import _arrays, _core, _types

# A row of work is (axis, size, how far the window lies to the right, border): of a Gaussian, size is its standard
# deviation and the weights of the pixel and of those beside it on one side.


def filtered(how, image, work, cval, out, want):
    """how(image, work, cval, out, want) of real samples, also of the two parts of complex ones."""
    if image.size == 0 or not work:
        return _types.give(image, np.empty(image.shape, want) if out is None else out, want)
    if image.dtype.kind == "c":
        return _parts(how, image, work, complex(cval), out, want)
    if want.kind == "c":  # complex results of real samples
        made = filtered(how, image, work, cval, None, np.dtype(f"f{want.itemsize // 2}"))
        return _types.give(made, out, want)
    return how(image, work, float(cval.real if isinstance(cval, complex) else cval), out, want)


def _parts(how, image, work, cval, out, want):
    made = np.empty(image.shape, want) if out is None else out
    if np.may_share_memory(image, made):
        image = image.copy()
    half = np.dtype(f"f{want.itemsize // 2}")
    filtered(how, image.real, work, cval.real, made.real, half)
    filtered(how, image.imag, work, cval.imag, made.imag, half)
    return made


def _chain(make, image, groups, cval, out, want):
    """Doubles between the passes."""
    for group in groups[:-1]:
        image = _pass(make, image, group, cval, None, np.dtype("f8"))
    return _pass(make, image, groups[-1], cval, out, want)


# ------------------------------------------------------------------------------------------- means


def mean(image, work, cval, out, want):
    one = all(_alike(work[0], row) for row in work)  # then the last two axes go first: they are images as they lie
    groups = _groups(work[::-1] if one else work, _alike)
    if len(groups) == 1 or image.dtype.kind == "f":
        return _chain(_box, image, groups, cval, out, want)
    return _whole_numbers(image, groups, cval, out, want)


def _whole_numbers(image, groups, cval, out, want):
    """Sums of integers stay integers until the end, where one division makes the mean."""
    image, count = _sums(image, groups, cval)
    image /= count
    return _types.give(image, out, want)


def _sums(image, groups, cval):
    """In double, and of how many samples."""
    count = 1
    for group in groups:
        image = _pass(_sum, image, group, cval * count, None, np.dtype("f8"))
        count *= math.prod(row[1] for row in group)
    return image, count


def masked_mean(mask, image, work, cval, out, want):
    """The mean of the samples that are not masked, and of a constant outside; masked where there are none."""
    groups = _groups(work[::-1], _alike)
    counts = _sums(np.where(mask, 0.0, 1.0), groups, 1.0)[0]

    def how(image, work, cval, out, want):
        return _types.give(_sums(image, groups, cval)[0] / np.maximum(counts, 1), out, want)

    made = filtered(how, np.where(mask, image.dtype.type(0), image), work, cval, out, want)
    return np.ma.array(made, mask=counts == 0)


def _alike(a, b):
    """Rows of work of one border."""
    return a[3] == b[3]


def _box(y, x, border, name="box"):
    (h, at_y), (w, at_x) = (row[1:3] if row else (1, 0) for row in (y, x))
    return _arrays.made(name, size=(h, w), at=(at_y, at_x), border=border)


def _sum(y, x, border):
    return _box(y, x, border, "sum")


# --------------------------------------------------------------------------------------- Gaussians

_GAUSS_FROM = 2.0  # narrower Gaussians have scipy's bits, so that flat paper is decided alike
_PADS = {"reflect": "symmetric", "mirror": "reflect", "clamp": "edge", "wrap": "wrap"}
_PIECE = 1 << 24  # products of samples and weights, between two looks for signals
_NEAR = 1 << 17  # of those whose sums stay in the caches
_WIDE = 512  # columns that are worth going down; fewer are neighbours along rows
_CODES = _arrays.CODES
_TAKEN = {np.dtype(t) for t in ("u1", "u2", "f4", "f8")}
_MADE = {np.dtype(t) for t in ("u1", "u2", "f8")}


def gaussian_row(axis, sigma, radius, border):
    """A row of work; the Gaussian ends radius samples from its middle. The weights have scipy's bits."""
    weights = np.exp(-0.5 / (sigma * sigma) * np.arange(-radius, radius + 1) ** 2)
    return axis, (sigma, tuple((weights / weights.sum())[radius:])), 0, border


def gaussian(image, work, cval, out, want):
    """By gauss along two axes of the same wide Gaussian; along others each sample is weighted."""
    groups = _groups(work, lambda a, b: a[1:] == b[1:] and _is_whole(a))
    # gauss rounds integers between the axes: bytes are rounded once more than here, other integers are not.
    exact = want.kind == "f" or image.dtype.itemsize > 1
    made = image.astype("f8") if image.dtype.kind != "f" and exact and len(groups[0]) == 2 else image
    while groups:
        group = groups.pop(0)
        if groups and len(group) == len(groups[0]) == 1 and _goes_first(image, group[0][0], groups[0][0][0]):
            group += groups.pop(0)
        to, kind = (None, np.dtype("f8")) if groups else (out, want)
        if len(group) == 2 and _is_whole(group[0]) and group[0][1:] == group[1][1:]:
            made = _pass(_gauss, made, group, cval, to, kind)
        else:
            made = _weighted(made, group, cval, to, kind)
    return made


def _goes_first(image, axis, next_axis):
    """Whether results along the axis are whole rows of the next: these are weighted while they are in the caches."""
    return axis < next_axis and math.prod(image.shape[axis + 1:]) >= _WIDE


def _is_whole(row):
    """Whether gauss may stand for it: wide, and not cut off early."""
    sigma, weights = row[1]
    return _GAUSS_FROM <= sigma <= 1000 and len(weights) - 1 >= int(3 * sigma)


def _gauss(y, x, border):
    return _arrays.made("gauss", sigma=y[1][0], border=border)


def _weighted(image, rows, cval, out, want):
    """The sums of samples along an axis, and perhaps along a later one, by weights, in double."""
    seen = np.ascontiguousarray(image if image.dtype in _TAKEN else image.astype("f8"))
    made = np.empty(image.shape, want if want in _MADE else np.dtype("f8"))
    passes = [_steps(image.shape, *row) for row in rows]
    n, behind, places, weights = passes[0]
    if behind < _WIDE:
        _along(seen, made, passes[0], cval)
        return _types.give(made, out, want)
    count = max(1, (_PIECE if len(passes) == 1 else _NEAR) // (behind * len(weights)))
    between = np.empty((min(count, n), behind))
    for one, result in zip(seen.reshape(-1, n, behind), made.reshape(-1, n, behind)):
        for k in range(0, n, count):
            part = result[k:k + count]
            sums = part if len(passes) == 1 else between[:len(part)]
            where = places[k:k + len(part) + 2 * len(weights) - 2]
            _core.weigh(one, _CODES[one.dtype], n, behind, 0, where, weights, cval, sums, _CODES[sums.dtype])
            if sums is not part:
                _along(sums, part, passes[1], cval)
    return _types.give(made, out, want)


def _steps(shape, axis, kernel, _, border):
    """Samples along the axis, how far apart they lie, which lies where, and the weights."""
    weights = np.array(kernel[1])
    return shape[axis], math.prod(shape[axis + 1:]), _places(shape[axis], weights, border), weights


def _along(image, out, what, cval):
    """Rows at a time, so that Ctrl-C need not wait."""
    n, step, places, weights = what
    image, out = image.reshape(-1, n * step), out.reshape(-1, n * step)
    count = max(1, _PIECE // (n * step * len(weights)))
    for k in range(0, len(out), count):
        rows, part = image[k:k + count], out[k:k + count]
        _core.weigh(rows, _CODES[rows.dtype], *rows.shape, step, places, weights, cval, part, _CODES[part.dtype])


def _places(n, weights, border):
    """Which sample lies where, from the first weight's to the last one's; -1 outside of constant."""
    constant = {"constant_values": -1} if border == "constant" else {}
    return np.pad(np.arange(n), len(weights) - 1, mode="constant" if constant else _PADS[border], **constant)


# ------------------------------------------------------------------------------------------ passes


def _groups(work, together):
    """One pass takes two axes that go together, or one."""
    work, groups = list(work), []
    while work:
        first = work.pop(0)
        second = next((row for row in work if together(first, row)), None)
        if second:
            work.remove(second)
        groups.append(sorted((first, second)) if second else [first])
    return groups


def _pass(make, image, group, cval, out, want):
    """The filter make(row of the first axis, of the second, border), or None for an axis that is left alone."""
    border = group[0][3]
    if border == "constant":
        border = cval
        if image.dtype.kind != "f" and not _fits(cval, image.dtype):
            image = image.astype("f8")
    if len(group) == 2:
        return _plane(make(*group, border), image, [row[0] for row in group], out, want)
    row = group[0]
    axis = row[0]
    result = np.empty(image.shape, want) if out is None else out
    if axis == image.ndim - 1:
        f, lines = make(None, row, border), (lambda a: np.atleast_2d(a))
    else:  # the axes behind are one row
        f, lines = make(row, None, border), (lambda a: a.reshape(a.shape[:axis + 1] + (-1,)))
    if result.flags.c_contiguous:
        _apply(f, lines(image), lines(result), want)
        return result
    return _types.give(_apply(f, lines(image), None, want).reshape(image.shape), result, want)


def _plane(f, image, axes, out, want):
    """Two axes at once."""
    if axes == [image.ndim - 2, image.ndim - 1]:
        return _apply(f, image, out, want)
    if axes == [image.ndim - 3, image.ndim - 2] and image.shape[-1] <= 4 and image.dtype.kind != "c":
        return _apply(f, image, out, want, -1)
    seen = np.ascontiguousarray(np.moveaxis(image, axes, (-2, -1)))
    made = np.moveaxis(_apply(f, seen, None, want), (-2, -1), axes)
    return np.ascontiguousarray(made) if out is None else _types.give(made, out, want)


def _fits(cval, dtype):
    if dtype.kind == "b":
        return cval in (0, 1)
    return cval.is_integer() and np.iinfo(dtype).min <= cval <= np.iinfo(dtype).max


def _apply(f, image, out, want, channel_axis=None):
    return _arrays.apply(f, image, out, None if out is not None else want, channel_axis)
