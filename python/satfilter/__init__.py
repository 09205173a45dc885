"""Exact image filters on summed area tables.

    import satfilter
    blurred = satfilter.box(image, 15)
    page = satfilter.filter(image, "box=3 sauvola=31,k=0.3")

Images are arrays of shape (..., H, W) or, with channel_axis, of channels too; leading axes count images. Plain
arrays are neither copied nor changed. list_filters() names the filters, each of which is a function here. The modules
satfilter.ndimage, satfilter.filters and satfilter.cv have functions of scipy, scikit-image and OpenCV.
"""
from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from . import _core, _functions
from ._arrays import Filter, filter_of as _filter_of
from ._core import Error, set_threads
from ._counting import called as _apply
from ._files import Image, encode, filter_file, probe, read, read_image, write
from ._functions import *  # noqa: F403
from ._tables import Plan, moments, rect_stats, rect_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike

    from . import cv, dask, filters, ndimage, ocrmypdf, zarr

__version__: str = _core.version()
__all__ = ["Error", "Filter", "Image", "Plan", "encode", "filter_file", "list_filters", "moments", "probe", "read",
           "read_image", "rect_stats", "rect_sums", "set_threads", "write"]
# `from satfilter import *` leaves Python's own sum() and filter() alone.
__all__ += _functions.__all__
__all__.remove("sum")


def filter(image: ArrayLike, spec: str | Filter, *, out: np.ndarray | None = None,
           dtype: DTypeLike | None = None, channel_axis: int | None = None, alpha: bool = False,
           weights: ArrayLike | None = None, nan_policy: str = "propagate", nodata: float | None = None) -> np.ndarray:
    """A chain of filters as the command takes it, "box=3 sauvola=31,k=0.3", or a Filter, applied to each image.

    In the text a window is WIDTHxHEIGHT and at=X:Y, as in the command; in functions pairs are (rows, columns).
    Everything else is as for the functions: see box().
    """
    return _apply(_filter_of(spec), image, out, dtype, channel_axis, alpha, weights, nan_policy, nodata)


def list_filters() -> list[str]:
    """The names of all filters."""
    return [row[0] for row in _core.table()]


_MODULES = {"cv": "", "dask": "dask", "filters": "", "ndimage": "", "ocrmypdf": "ocrmypdf", "zarr": ""}
"""Modules that are imported when they are first named, and the package without which they are not listed."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'satfilter' has no attribute {name!r}")
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"satfilter.{name}: {error}") from error


def __dir__() -> list[str]:
    there = [name for name, needs in _MODULES.items() if not needs or importlib.util.find_spec(needs)]
    return sorted([*__all__, *there, "__version__", "filter", "sum"])
