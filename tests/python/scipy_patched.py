"""A plugin of pytest: scipy's tests meet satfilter's functions under scipy's names; derivatives stay scipy's."""
import functools

import numpy as np

import satfilter.ndimage
import scipy.ndimage
from scipy._lib import _array_api


@functools.wraps(satfilter.ndimage.gaussian_filter)
def _gaussian_filter(input, sigma, order=0, *args, _theirs=scipy.ndimage.gaussian_filter, **named):
    call = _theirs if np.any(order) else satfilter.ndimage.gaussian_filter
    return call(input, sigma, order, *args, **named)


for _name in ("uniform_filter", "uniform_filter1d", "gaussian_filter"):
    _ours, _table = getattr(satfilter.ndimage, _name), getattr(_array_api, "xp_capabilities_table", {})
    _ours = _gaussian_filter if _name == "gaussian_filter" else _ours
    _table[_ours] = _table.get(getattr(scipy.ndimage, _name))
    setattr(scipy.ndimage, _name, _ours)
