#!/usr/bin/env python3
"""The share of results that are not the exact ones, by satfilter and by others (exact_peers.py): means, variances, a
Gaussian and area means of u8, u16 and f32 at offset 1000, of samples/scene.png, or other pictures, and seeded noise.

    exact.py --json results/cpu/exact.json [PICTURE...]

Exact results are fractions of integers: sums are int64, what may be larger is Python's int, whose division rounds once.
Those of the Gaussian are float64. Only results whose window lies inside the picture count, so borders do not matter.
"""
from pathlib import Path

import numpy as np
from PIL import Image

import exact_peers
import library
import measure
from exact_peers import INTEGERS, RADIUS, RATIOS, SIGMA

WINDOWS = (3, 7, 15, 31, 63, 127, 255)
SIDE = 128         # of the results that count, but for area means
AREA_SIDE = 384    # of the pictures whose area means count
MARGIN = 16        # around Gaussians: some peers' are wider than the radius
OFFSET, STEP = 1000, 2.0 ** -14  # floats lie in 512 ... 1024, where a step of f32 is 2^-14


# ------------------------------------------------------------------ pictures
def pictures(paths):
    """(name, samples, array), one channel each."""
    draw = np.random.default_rng(1)
    for path in paths:
        scene = np.asarray(Image.open(path).convert("RGB"))[..., 1]
        if min(scene.shape) < max(AREA_SIDE, SIDE + max(WINDOWS) - 1):
            measure.fail(f"{path} is too small")
        low = draw.integers(0, 256, scene.shape)
        yield path.name, "u8", np.ascontiguousarray(scene)
        yield path.name, "u16", (256 * scene.astype(int) + low).astype(np.uint16)
        yield path.name, "f32", floats((scene + low / 256) / 256)
    yield "noise", "u8", draw.integers(0, 1 << 8, (400, 400)).astype(np.uint8)
    yield "noise", "u16", draw.integers(0, 1 << 16, (400, 400)).astype(np.uint16)
    yield "noise", "f32", floats(draw.normal(0, 1, (400, 400)))


def floats(above):
    return (OFFSET + np.rint(above / STEP) * STEP).astype(np.float32)


def whole(a):
    """(int64 samples, their unit, their offset): a sample is offset + unit * integer."""
    if a.dtype != np.float32:
        return a.astype(np.int64), 1.0, 0
    return ((a.astype(float) - OFFSET) / STEP).astype(np.int64), STEP, OFFSET


# ------------------------------------------------------------- exact results
def sums(a, height, width):
    """Of all windows inside."""
    table = np.zeros((a.shape[0] + 1, a.shape[1] + 1), a.dtype)
    table[1:, 1:] = a.cumsum(0).cumsum(1)
    return table[height:, width:] - table[:-height, width:] - table[height:, :-width] + table[:-height, :-width]


def exact_mean(a, window):
    """(numerators, the denominator) as ints"""
    values, unit, offset = whole(a)
    n = window ** 2
    return sums(values, window, window) + int(offset / unit) * n, n * int(1 / unit)


def exact_area(a, ratio):
    """The same; pixels are cut into as many parts as make each result a whole number of them."""
    up, down = RATIOS[ratio]
    values, unit, offset = whole(a)
    parts = values.repeat(down, 0).repeat(down, 1)
    return sums(parts, up, up)[::up, ::up] + int(offset / unit) * up ** 2, up ** 2 * int(1 / unit)


def exact_variance(a, window):
    """float64, the nearest."""
    values, unit, _ = whole(a)
    n = window ** 2
    first, second = (sums(v, window, window).astype(object) for v in (values, values ** 2))
    return ((n * second - first ** 2) / (n * int(1 / unit)) ** 2).astype(float)


def exact_gauss(a):
    values, unit, offset = whole(a)
    weights = np.exp(-np.arange(-RADIUS, RADIUS + 1) ** 2 / (2.0 * SIGMA ** 2))
    weights /= weights.sum()
    for axis in (0, 1):
        values = np.apply_along_axis(np.convolve, axis, values, weights, "valid")
    cut = MARGIN - RADIUS
    return (offset + unit * values)[cut:-cut, cut:-cut]


# ---------------------------------------------------------------- comparing
def compared(got, exact, integers):
    """Counts of results that are not the nearest to the exact ones, halves up, but for those that are by halves to
    even; and the largest distance, in levels or in steps of f32. Real results of integers are rounded first."""
    if integers:
        nearest, step = np.floor(exact + 0.5), 1
        rounded = got if got.dtype.kind == "u" else np.floor(got + 0.5)
        away = rounded != nearest
        halves = away & (rounded == np.rint(exact))
        away &= ~halves
    else:
        rounded, step = got.astype(np.float32), np.spacing(exact.astype(np.float32)).astype(float)
        away = np.abs(rounded - exact) > step / 2
        halves = np.zeros(1, bool)
    distance = np.abs(rounded.astype(float) - exact) / step
    return {"pixels": got.size, "wrong": int(away.sum()), "even": int(halves.sum()),
            "by_1": int((distance >= 1).sum()), "worst": round(float(distance.max()), 4)}


def compared_variance(got32, got64, exact):
    """Counts of results further than half a step from the exact ones, in f32 and f64, and the worst relative error."""
    half = np.spacing(exact.astype(np.float32)).astype(float) / 2
    error = np.abs(got64 - exact)[exact > 0] / exact[exact > 0]
    return {"pixels": got64.size, "wrong": int((np.abs(got32.astype(float) - exact) > half).sum()),
            "wrong_f64": int((got64 != exact).sum()), "below_0": int((got64 < 0).sum()),
            "worst": float(f"{error.max():.3g}")}


# ------------------------------------------------------------------ measuring
def inside(a, window):
    return a[window // 2:window // 2 + SIDE, window // 2:window // 2 + SIDE]


def cases(a, samples, table, ours):
    """(operation, program, call, window or ratio, counts) of one picture."""
    integers = samples in INTEGERS
    for window in WINDOWS:
        part = np.ascontiguousarray(a[:SIDE + window - 1, :SIDE + window - 1])
        above, below = exact_mean(part, window)
        for program, call, types, _, run in table["mean"]:
            if samples in types:
                made = inside(run(part, window), window)
                yield "mean", program, call, window, compared(made, above / below, integers)
        exact = exact_variance(part, window)
        for program, call, types, _, run in table["variance"]:
            if samples in types:
                made = run(part, window)
                single = made.astype(np.float32)
                if program == "satfilter":
                    single = ours(f"variance={window}", part, np.float32)
                yield "variance", program, call, window, compared_variance(
                    inside(single, window), inside(made, window), exact)
    part = np.ascontiguousarray(a[:SIDE + 2 * MARGIN, :SIDE + 2 * MARGIN])
    exact = exact_gauss(part)
    for program, call, types, _, run in table["gauss"]:
        if samples in types:
            yield "gauss", program, call, "", compared(run(part)[MARGIN:-MARGIN, MARGIN:-MARGIN], exact, integers)
    part = np.ascontiguousarray(a[:AREA_SIDE, :AREA_SIDE])
    for program, call, types, ratios, run in table["area"]:
        for ratio in ratios if samples in types else ():
            above, below = exact_area(part, ratio)
            yield "area", program, call, ratio, compared(run(part, ratio), above / below, integers)


def main():
    parser = measure.parser_of(__doc__, build=measure.TOP)
    parser.add_argument("pictures", nargs="*", type=Path, default=[measure.TOP / "samples" / "scene.png"])
    options = parser.parse_args()
    satfilter = library.Library(options.build, 1)

    def ours(spec, a, kind=None, shape=None):
        return satfilter.plan(spec, a, np.empty(shape or a.shape, kind or a.dtype))()

    table, rows = exact_peers.peers(ours), []
    for name, samples, a in pictures(options.pictures):
        for operation, program, call, size, counts in cases(a, samples, table, ours):
            rows.append({"operation": operation, "program": program, "call": call, "samples": samples,
                         "picture": name, "size": size, **counts})
            print(*rows[-1].values(), sep="\t", flush=True)
    measure.write(options.json, rows, versions=exact_peers.versions())


if __name__ == "__main__":
    main()
