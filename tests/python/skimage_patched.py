"""A plugin of pytest: scikit-image's tests meet satfilter's functions under scikit-image's names.

The last line counts the tests that called one of them.
"""
import functools

import satfilter.filters
import skimage.filters
import skimage.filters.thresholding

NAMES = ("gaussian", "threshold_local", "threshold_niblack", "threshold_otsu", "threshold_sauvola")
_called, _results = set(), {}


def _missing(*args, **named):
    raise NotImplementedError("satfilter.filters has no such function")


def _counted(function, name):
    @functools.wraps(function)
    def counted(*args, **named):
        _called.add(name)
        return function(*args, **named)
    return counted


for _name in NAMES:
    _ours = _counted(getattr(satfilter.filters, _name, _missing), _name)
    for _module in (skimage.filters, skimage.filters.thresholding):
        if hasattr(_module, _name):
            setattr(_module, _name, _ours)


def pytest_runtest_setup(item):
    _called.clear()


def pytest_runtest_logreport(report):
    if report.when == "call" and _called:
        _results[report.nodeid] = report.outcome


def pytest_terminal_summary(terminalreporter):
    passed = list(_results.values()).count("passed")
    terminalreporter.write_line(f"satfilter: {passed} of {len(_results)} tests pass that call {', '.join(NAMES)}")
