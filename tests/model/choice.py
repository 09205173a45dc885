"""Filters that choose among windows, or take one from an image, by the pages in docs/ and --help
(filters.py)."""
import math
from collections import namedtuple
from fractions import Fraction

from moments import mean, means, variances
from sums import SLACK, U, Window, blank, bounds, channels, collect, each, moments, real

# How much a window varies, how far off that is, its channels' mean squares added up, and their (mean, error).
Varied = namedtuple('Varied', 'variance error squares means')


def varied(image, window):
    """Those of each place. A window in which nothing counts varies infinitely."""
    places = [[Varied(Fraction(0), 0.0, Fraction(0), []) for _ in window.columns[window.w - 1:]]
              for _ in window.rows[window.h - 1:]]
    for channel in range(image.channels):
        weighted = bool(image.alpha) and channel < image.channels - 1
        if image.alpha and not weighted:
            w, s = moments(image, channel, window, 1, False)
            for y, x, (weight, total), (_, error) in each(w, s):
                places[y][x].means.append(mean(image, weight, total, 0, error, False, False))
            continue
        for y, x, of in variances(image, channel, window, weighted):
            place = places[y][x]
            if of is None or of.sums[0] == 0:
                place.means.append((0, of.e_mean if of else 0))
                places[y][x] = place._replace(variance=math.inf, error=math.inf if of else 0.0)
                continue
            square = of.sums[2] / Fraction(of.sums[0])
            place.means.append((of.mean, of.e_mean + 4 * U * abs(float(of.mean)) * real(image)))
            places[y][x] = place._replace(variance=place.variance + square - Fraction(of.mean)**2,
                                          error=place.error + of.e_variance, squares=place.squares + square)
    return places


def alike(image, one, other):
    """Whether two windows vary alike; None: nobody knows."""
    if math.inf in (one.error, other.error):
        return None
    if math.inf in (one.variance, other.variance):
        return one.variance == other.variance

    def rounding(window):
        value = float(window.variance)
        by_samples = 3 * (2.0**-24 if image.kind == 'f32' else 2.0**-53) * math.sqrt(value * float(window.squares))
        return min(max(by_samples, value * 2.0**-30), value / 64)
    far, most = abs(float(one.variance - other.variance)), rounding(one) + rounding(other)
    doubt = one.error + other.error + 1e-12 * (most + float(one.variance + other.variance) * (one.error > 0))
    return None if abs(far - most) <= doubt else far < most


def taken(image, windows):
    """Those of which one is taken: the first that varies like the least; all of them where it depends on the order of
    comparisons or on what rounds."""
    least = min(windows, key=lambda window: window.variance)
    if not real(image):
        return [least]
    near = [window for window in windows if window is least or alike(image, window, least) in (True, None)]
    clear = all(alike(image, one, other) is (other in near) for one in near for other in windows if one is not other)
    return near[:1] if clear else near


def kuwahara(image, link):
    w, h = link['size']
    found = varied(image, Window(image.width, image.height, link, (0, 0, w, h), (w - 1, h - 1)))
    picks = [[taken(image, [found[y + down][x + across] for down in (0, h - 1) for across in (0, w - 1)])
              for x in range(image.width)] for y in range(image.height)]
    out = [(blank(image), blank(image)) for _ in range(image.channels)]
    for y, row in enumerate(picks):
        for x, windows in enumerate(row):
            for channel, (values, errors) in enumerate(out):
                value, error = windows[0].means[channel]
                values[y][x] = value
                errors[y][x] = max([error] + [e + abs(float(v - value)) for v, e in
                                              (window.means[channel] for window in windows[1:])])
    result = collect(image, out, slack=SLACK, span=bounds(image, link))
    ways = max(len(windows) for row in picks for windows in row)
    result.either = [way(image, link, picks, k) for k in range(ways)] if ways > 1 else []
    return result


def way(image, link, picks, k):
    """The result that takes the k-th of the windows at each pixel, or the first."""
    picked = [[windows[k if k < len(windows) else 0].means for windows in row] for row in picks]
    return collect(image, [tuple([[place[channel][part] for place in row] for row in picked] for part in (0, 1))
                           for channel in range(image.channels)], slack=SLACK, span=bounds(image, link))


def varbox(image, link):
    radii, found = link['radii'], {}

    def of_radius(channel, weighted, radius):
        key = channel, radius
        if key not in found:
            side = 2 * radius + 1
            window = Window(image.width, image.height, link, (-radius, -radius, side, side))
            found[key] = {place[:2]: place[2:] for place in means(image, channel, window, weighted)}
        return found[key]

    def samples(channel, weighted):
        plane = radii[min(channel, len(radii) - 1)]
        for y in range(image.height):
            for x in range(image.width):
                radius, more = divmod(Fraction(plane[y][x]), 1)
                value, error, weight = of_radius(channel, weighted, radius)[y, x]
                if more:
                    other, far, _ = of_radius(channel, weighted, radius + 1)[y, x]
                    value = other if weight == 0 else value + more * (Fraction(other) - Fraction(value))
                    error = max(error, far) + SLACK * (abs(float(value)) + abs(float(other)))
                yield y, x, value, error

    return collect(image, channels(image, samples), slack=SLACK, span=bounds(image, link))


CHOICES = {'kuwahara': kuwahara, 'varbox': varbox}
