"""Pixels that do not count: weights, NaN, nodata and masked arrays."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _types, _words
from ._arrays import _FILTERS, _MOVE, Filter, apply, filter_of, plain, real

_SUMS = {"sum", "integral", "template"}  # to which pixels that do not count add nothing
_MOVES = {name for name, row in _FILTERS.items() if row[3] == _MOVE} - {"grey"}
_NOWHERE = -2.0**1000


def is_plain(weights: Any, nan_policy: Any, nodata: Any) -> bool:
    """Whether all pixels count."""
    return weights is None and nodata is None and isinstance(nan_policy, str) and nan_policy == "propagate"


def called(f: Filter, image: Any, out: Any, dtype: Any, channel_axis: int | None, alpha: bool, weights: Any = None,
           nan_policy: str = "propagate", nodata: Any = None) -> np.ndarray:
    """apply(), by functions that people call."""
    if isinstance(image, np.ma.MaskedArray):
        return _masked(f, image, out, dtype, channel_axis, alpha, weights, nan_policy, nodata)
    if not hasattr(image, "shape"):
        image = plain(image)
    _words.channels(f.title if f.is_named else "filter", image.shape, channel_axis)
    if weights is not None and not isinstance(weights, (str, os.PathLike)):
        weights = real("weights", weights)
        if weights.ndim > 2:
            return _one_by_one(f, image, out, dtype, channel_axis, alpha, weights, nan_policy, nodata)
    if not is_plain(weights, nan_policy, nodata):
        f = f.leaving_out(weights, nan_policy, nodata)
    return apply(f, image, out, dtype, channel_axis, alpha)


def _one_by_one(f, image, out, dtype, channel_axis, alpha, weights, nan_policy, nodata):
    """Each image by its own weights."""
    channels = channel_axis is not None
    axis = _words.axis("channel_axis", channel_axis, image.ndim) if channels else -1
    image = np.moveaxis(plain(image), axis, -1) if channels else plain(image)
    lead = image.shape[:image.ndim - 2 - channels]
    if weights.shape[:-2] != lead:
        stack = f" or ({', '.join(map(str, lead))}, H, W)" if lead else ""
        raise ValueError(f"weights: of shape (H, W){stack}, not {weights.shape}")
    want = dtype if out is None else out.dtype
    made = [called(f, image[at], None, want, -1 if channels else None, alpha, weights[at], nan_policy, nodata)
            for at in np.ndindex(*lead)]
    result = np.reshape(made, lead + made[0].shape)
    return _types.give(np.moveaxis(result, -1, axis) if channels and result.ndim == image.ndim else result, out, None)


def _masked(f, image, out, dtype, channel_axis, alpha, weights, nan_policy, nodata):
    """A masked array, masked where nothing counted: where white bytes give a number that no sample is."""
    samples, mask = np.asarray(image.data), np.ma.getmaskarray(image)
    how = (channel_axis, alpha)
    if set(f.names) <= _MOVES:
        return np.ma.array(called(f, samples, out, dtype, *how), mask=called(f, mask, None, None, *how))
    if f.names[-1] in _MOVES:  # that moves the mask of what is in front of it
        *words, last = f.title.split()
        front = filter_of(" ".join(words)).leaving_out(*f.left_out)
        made = _masked(front, image, None, None, *how, weights, nan_policy, nodata)
        how = how if made.ndim == image.ndim else (None, False)
        return _masked(filter_of(last), made, out, dtype, *how, None, "propagate", None)
    image, hidden, weights = samples, mask, f.left_out[0] if weights is None else weights
    if channel_axis is not None:
        axis = _words.axis("channel_axis", channel_axis, image.ndim)
        mask = mask.any(axis)
        hidden = np.broadcast_to(np.expand_dims(mask, axis), image.shape)
    image = np.where(hidden, image.dtype.type(0), image)  # what is masked may be anything
    if len(f.names) == 1 and f.names[0] in _SUMS and weights is None:
        made = called(f, image, out, dtype, *how, None, nan_policy, nodata)
        nothing = f.names != ["template"] and called(f, (~hidden).astype("f8"), None, None, *how) == 0
        return np.ma.array(made, mask=nothing)
    counts = ~mask if weights is None else np.where(mask, 0, real("weights", weights))
    made = called(f, image, out, dtype, *how, counts, nan_policy, nodata)
    seen = called(f, np.full(image.shape, 255, "u1"), None, "f8", *how, counts, "propagate", _NOWHERE)
    nothing = seen == _NOWHERE
    if alpha and seen.ndim == image.ndim:
        nothing[...] = np.take(seen, [-1], axis) == 0
    return np.ma.array(made, mask=nothing)
