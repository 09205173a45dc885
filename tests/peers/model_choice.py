"""Filters that choose among windows, or take one from an image, by the pages in docs/ and --help
(model_filters.py)."""
import math
from fractions import Fraction

from model_filters import bounds, mean, variances
from model_sums import SLACK, Window, blank, channels, collect, each, moments, real


def varied(image, window):
    """For each pixel how much its window varies and how far off that is, infinitely where nothing
    counts, and the (mean, error) of each channel."""
    total, off = blank(image), blank(image)
    means = [blank(image) for _ in range(image.channels)]
    for channel in range(image.channels):
        weighted = image.alpha and channel < image.channels - 1
        if image.alpha and not weighted:
            w, s = moments(image, channel, window, 1, False)
            for y, x, (weight, sum_), (_, e_sum) in each(image, w, s):
                means[channel][y][x] = mean(image, weight, sum_, 0, e_sum, s.exact, False)
            continue
        for y, x, values, errors, _, error in variances(image, channel, window, weighted):
            weight = Fraction(values[0])
            means[channel][y][x] = mean(image, weight, values[1], errors[0], errors[1], False,
                                        weighted)
            exact = (values[2] / weight - (values[1] / weight)**2) if weight else math.inf
            total[y][x] += exact
            off[y][x] += error + (1e-9 * float(exact) + 1e-12 if real(image) and weight else 0)
    return total, off, means


def kuwahara(image, link):
    w, h = link['size']
    found = [varied(image, Window(image.width, image.height, link, (x, y, w, h)))
             for y in (1 - h, 0) for x in (1 - w, 0)]
    out = [(blank(image), blank(image)) for _ in range(image.channels)]
    for y in range(image.height):
        for x in range(image.width):
            best = min(range(4), key=lambda k: found[k][0][y][x])
            total, off, means = found[best]
            most = total[y][x] + off[y][x]
            for channel, (values, errors) in enumerate(out):
                values[y][x], errors[y][x] = means[channel][y][x]
                for other, far, others in found:  # which rounding may have chosen
                    if far[y][x] + off[y][x] and other[y][x] - far[y][x] <= most:
                        value, error = others[channel][y][x]
                        errors[y][x] = max(errors[y][x], error + abs(float(value - values[y][x])))
    return collect(image, out, slack=SLACK, span=bounds(image, link))


def varbox(image, link):
    radii, found = link['radii'], {}

    def means(channel, weighted, radius):
        key = channel, radius
        if key not in found:
            side = 2 * radius + 1
            window = Window(image.width, image.height, link, (-radius, -radius, side, side))
            w, s = moments(image, channel, window, 1, weighted)
            found[key] = {(y, x): mean(image, weight, total, e_weight, e_total,
                                       s.exact and w.exact, weighted) + (weight,)
                          for y, x, (weight, total), (e_weight, e_total) in each(image, w, s)}
        return found[key]

    def samples(channel, weighted):
        plane = radii[min(channel, len(radii) - 1)]
        for y in range(image.height):
            for x in range(image.width):
                radius, more = divmod(Fraction(plane[y][x]), 1)
                value, error, weight = means(channel, weighted, radius)[y, x]
                if more:
                    other, far, _ = means(channel, weighted, radius + 1)[y, x]
                    value = other if weight == 0 else value + more * (Fraction(other) - Fraction(value))
                    error += far + 1e-12 * (1 + abs(float(value)) + abs(float(other)))
                yield y, x, value, error

    return collect(image, channels(image, samples), slack=SLACK, span=bounds(image, link))


CHOICES = {'kuwahara': kuwahara, 'varbox': varbox}
