#!/usr/bin/env python3
"""The Python package beside others on the host, in turn; satfilter must be importable.

    OMP_NUM_THREADS=1 taskset -c 1 python3 package.py opencv [--repeat 40] [--json FILE]
    package.py host [--repeat 40] [--json FILE]
    package.py gaussians
    package.py skimage test_thresholding.py

opencv: satfilter.cv, the same calls on 1920 x 1080 pixels, one thread each; ximgproc's functions are those of
        opencv-contrib-python-headless.
host:   what a call costs, one thread on 4096 x 4096 bytes beside scipy and scikit-image where they are, and a stack of
        1,000 images on one thread and on all, into `out` where the call has one.
gaussians: the figures of docs/python.md, how far Gaussians that gauss makes go from scikit-image's.
skimage: scikit-image's own tests on satfilter.filters, and how many call it. The file is of its sources, which wheels
        do not have: tests/skimage/filters/test_thresholding.py of the installed version. It needs pytest.

Results are compared first; times are the least of each, in ms.
"""
import os
import subprocess
import sys

import cv2
import numpy as np

import measure
import satfilter
import satfilter.filters
import satfilter.ndimage
from satfilter import cv

PAGE = cv2.blur(np.random.default_rng(1).normal(190, 120, (1080, 1920)).clip(0, 255).astype("u1"), (3, 3))
COLOUR = np.dstack([PAGE, PAGE[::-1], PAGE[:, ::-1]])
INTEGERS, REAL = PAGE.astype("i4"), PAGE.astype("f4")
# The call, of ours or cv2; how far results may be apart, and in what share of pixels they may.
OPENCV = {
    "blur 15": (lambda m: m.blur(PAGE, (15, 15)), 0, 0),
    "blur 15, BGR": (lambda m: m.blur(COLOUR, (15, 15)), 0, 0),
    "blur 15, int32": (lambda m: m.blur(INTEGERS, (15, 15)), 0, 0),
    "boxFilter 15, sums in int32": (lambda m: m.boxFilter(PAGE, 4, (15, 15), normalize=False), 0, 0),
    "boxFilter 15, float32": (lambda m: m.boxFilter(PAGE, 5, (15, 15)), 1e-3, 1),
    "sqrBoxFilter 15, float32": (lambda m: m.sqrBoxFilter(PAGE, 5, (15, 15)), 1, 1),
    "sqrBoxFilter 15, sums in float64": (lambda m: m.sqrBoxFilter(PAGE, 6, (15, 15), normalize=False), 0, 0),
    "sqrBoxFilter 15, of float32": (lambda m: m.sqrBoxFilter(REAL, 5, (15, 15)), 1, 1),
    "adaptiveThreshold 15": (lambda m: m.adaptiveThreshold(PAGE, 255, 0, 0, 15, 7), 0, 0),
    "adaptiveThreshold 51, inverse, 200": (lambda m: m.adaptiveThreshold(PAGE, 200, 0, 1, 51, 7.5), 0, 0),
    "adaptiveThreshold 35, Gaussian": (lambda m: m.adaptiveThreshold(PAGE, 255, 1, 0, 35, 7), 255, 0.02),
    "integral": (lambda m: m.integral(PAGE), 0, 0),
    "integral, BGR": (lambda m: m.integral(COLOUR), 0, 0),
    "integral, float64": (lambda m: m.integral(PAGE, sdepth=6), 0, 0),
    "integral2": (lambda m: m.integral2(PAGE)[1], 0, 0),
    "GaussianBlur 5 x 5": (lambda m: m.GaussianBlur(PAGE, (5, 5), 0), 1, 1),
    "GaussianBlur, sigma 1.5": (lambda m: m.GaussianBlur(PAGE, (0, 0), 1.5), 2, 1),
    "GaussianBlur, sigma 3": (lambda m: m.GaussianBlur(PAGE, (0, 0), 3), 4, 1),
    "GaussianBlur, sigma 10": (lambda m: m.GaussianBlur(PAGE, (0, 0), 10), 4, 1),
}
XIMGPROC = {
    "niBlackThreshold 31, Niblack": (lambda m: m.niBlackThreshold(PAGE, 255, 0, 31, -0.2), 255, 0.002),
    "niBlackThreshold 31, Sauvola": (
        lambda m: m.niBlackThreshold(PAGE, 255, 0, 31, 0.2, binarizationMethod=1), 255, 0.002),
    "niBlackThreshold 31, Wolf": (
        lambda m: m.niBlackThreshold(PAGE, 255, 0, 31, 0.2, binarizationMethod=2), 255, 0.002),
    "guidedFilter 8": (lambda m: m.guidedFilter(PAGE, PAGE, 8, 400.0), 1, 1),
}



def compare(name, made, want, far, share):
    off = np.abs(made.astype("f8") - want)
    if made.dtype != want.dtype or off.max() > far or (off > 0).mean() > share:
        measure.fail(f"{name}: off by {off.max()} in {(off > 0).mean():.4f} of the pixels")


def opencv():
    """Yields name, {program: call}, calls for a time."""
    cv2.setNumThreads(1)
    for module, calls in ((cv2, OPENCV), (getattr(cv2, "ximgproc", None), XIMGPROC)):
        for name, (call, far, share) in calls.items() if module else ():
            compare(name, call(cv), call(module), far, share)
            yield name, {"satfilter": lambda: call(cv), "OpenCV": lambda: call(module)}, 1


def bytes_of(*shape):
    return np.random.default_rng(3).integers(0, 256, shape, "u1")


def boxes(side, calls):
    image = bytes_of(side, side)
    out, plan = np.empty_like(image), satfilter.Plan("box=15", image)
    uniform = satfilter.ndimage.uniform_filter
    programs = {"box": lambda: satfilter.box(image, 15, out=out), "plan": lambda: plan(image, out),
                "uniform_filter": lambda: uniform(image, 15, output=out)}
    try:
        from scipy import ndimage
        if side > 1000:
            programs["scipy"] = lambda: ndimage.uniform_filter(image, 15, output=out)
    except ImportError:
        pass
    return f"box {side}, out", programs, calls


def thresholds():
    image, ours = bytes_of(4096, 4096), satfilter.filters.threshold_sauvola
    out = np.empty_like(image)
    programs = {"sauvola, out": lambda: satfilter.sauvola(image, 31, out=out), "filters": lambda: ours(image, 31)}
    try:
        from skimage.filters import threshold_sauvola as theirs
        np.testing.assert_allclose(ours(image, 31), theirs(image, 31), rtol=1e-9)
        programs |= {"skimage": lambda: theirs(image, 31), "skimage, bilevel": lambda: image > theirs(image, 31)}
    except ImportError:
        pass
    return "threshold_sauvola 4096", programs, 1


def host():
    yield boxes(64, 500)
    yield boxes(4096, 1)
    yield thresholds()
    images = bytes_of(1000, 64, 64)
    out, want = np.empty_like(images), np.stack([satfilter.box(image, 15) for image in images])
    for threads in (1, os.cpu_count()):
        satfilter.set_threads(threads)
        satfilter.box(images, 15, out=out)
        np.testing.assert_array_equal(out, want)
        yield f"1,000 x box 64, {threads} threads", {"satfilter": lambda: satfilter.box(images, 15, out=out)}, 5


def gaussians():
    from skimage import data, filters
    lines = []
    for block in (3, 11, 15, 35, 101):
        rows = []
        for image in (data.page(), data.camera(), data.coins()):
            made, want = (module.threshold_local(image, block) for module in (satfilter.filters, filters))
            off, otherwise = made - want, ((image > made) != (image > want)).mean()
            rows.append((np.abs(off).max(), np.sqrt((off * off).mean()), 100 * otherwise))
        most = np.max(rows, 0)
        lines.append([block, f"{most[0]:.1f} of 255", f"{most[1]:.1f}", f"{most[2]:.1f} %"])
    measure.table(["block", "largest difference of thresholds", "root mean square", "pixels that turn out otherwise"],
                  lines)


def skimage(*files):
    code = "import sys, pytest; sys.path.insert(0, sys.argv[1]); sys.exit(pytest.main(sys.argv[2:]))"
    options = ["-q", "-p", "skimage_patched", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line"]
    plugin = measure.TOP / "tests" / "python"
    sys.exit(subprocess.run([sys.executable, "-c", code, plugin, *options, *files], check=False).returncode)


def main():
    parser = measure.parser_of(__doc__, repeat=40)
    parser.add_argument("what", choices=["opencv", "host", "gaussians", "skimage"])
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if options.what in ("gaussians", "skimage"):
        return globals()[options.what](*options.files)
    satfilter.set_threads(1)
    records = {}
    for name, programs, calls in globals()[options.what]():
        found = measure.in_turn({one: measure.repeated(call, calls) for one, call in programs.items()}, options.repeat)
        records[name] = {one: min(times) for one, times in found.items()}
        mine = next(iter(records[name].values()))
        print(f"{name:36}", *(f"{one} {ms:.4f} ({ms / mine:.2f})" for one, ms in records[name].items()), flush=True)
    measure.write(options.json, records, OpenCV=cv2.__version__)


if __name__ == "__main__":
    main()
