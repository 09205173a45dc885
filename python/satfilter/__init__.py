"""Exact image filters on summed area tables.

    import satfilter
    blurred = satfilter.box(image, 15)
    page = satfilter.filter(image, "box=3 sauvola=31,k=0.3")

Images are arrays of shape (..., H, W) or, with channel_axis, of channels too; leading axes count images. Plain
arrays are neither copied nor changed. list_filters() names the filters, each of which is a function here.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, _functions
from ._arrays import Filter, called as _apply, filter_of as _filter_of
from ._core import Error, set_threads
from ._files import Image, encode, filter_file, probe, read, read_image, write
from ._functions import *  # noqa: F403
from ._tables import Plan, moments, rect_stats, rect_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike

__version__: str = _core.version()
__all__ = ["Error", "Filter", "Image", "Plan", "encode", "filter_file", "list_filters", "moments", "probe", "read",
           "read_image", "rect_stats", "rect_sums", "set_threads", "write"]
# `from satfilter import *` leaves Python's own sum() and filter() alone.
__all__ += _functions.__all__
__all__.remove("sum")


def filter(image: ArrayLike, spec: str | Filter, *, out: np.ndarray | None = None,
           dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False) -> np.ndarray:
    """A chain of filters as the command takes it, "box=3 sauvola=31,k=0.3", or a Filter, applied to each image.

    In the text a window is WIDTHxHEIGHT and at=X:Y, as in the command; in functions pairs are (rows, columns).
    Everything else is as for the functions: see box().
    """
    return _apply(_filter_of(spec), image, out, dtype, channel_axis, alpha)


def list_filters() -> list[str]:
    """The names of all filters."""
    return [row[0] for row in _core.table()]
