"""A plugin of pytest: scipy's tests meet satfilter's functions under scipy's names."""
import satfilter.ndimage
import scipy.ndimage
from scipy._lib import _array_api

for _name in ("uniform_filter", "uniform_filter1d"):
    _ours, _table = getattr(satfilter.ndimage, _name), getattr(_array_api, "xp_capabilities_table", {})
    _table[_ours] = _table.get(getattr(scipy.ndimage, _name))
    setattr(scipy.ndimage, _name, _ours)
