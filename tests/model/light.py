"""Filters that weigh a pixel against the mean around it, as filters.py has the others."""
import math
from fractions import Fraction

from moments import local, means, variances
from sums import SLACK, as_float, blank, bounds, channels, collect, half_up, kept, real, window_of


def full_of(image, link):
    """The full scale for the filter: the picture's, or of integers a lesser one, of floats any one
    that full= says."""
    full = link.get('full') or image.full
    return full if real(image) else min(full, image.full)


def level_of(image, link):
    """A level of 8 bits; of floats that say no full scale their own unit."""
    says = not real(image) or link.get('full') or image.depth
    return full_of(image, link) / 255 if says else 1.0


def thousandths(text):
    return Fraction(half_up(Fraction(text) * 1000), 1000)


def limits(image, link, count):
    """The largest samples of so many channels that the full scale limits, and of the others."""
    if real(image):
        return None
    return [full_of(image, link)] * count + [image.full] * (image.channels - count)


def colours(image):
    return image.channels - bool(image.alpha)


def near_means(image, window, channel, weighted):
    """Yields (y, x, p, error of p, m, error of m) of each sample and its mean; m is None where
    nothing counts."""
    for y, x, m, e_m, weight in means(image, channel, window, weighted):
        p = Fraction(image.planes[channel][y][x])
        yield y, x, p, image.error(channel, y, x), Fraction(m) if weight else None, e_m


def against_mean(image, link, function, empty):
    """function(p, m, e_p, e_m) = (value, error, size of what it is a sum of) of each sample of
    colour, and its mean; empty(p): where nothing counts."""
    window = window_of(image, link)

    def samples(channel, weighted):
        for y, x, p, e_p, m, e_m in near_means(image, window, channel, weighted):
            if m is None:
                yield y, x, empty(p), e_p
                continue
            value, error, size = function(p, m, e_p, e_m)
            yield y, x, value, error + (SLACK * float(size) if real(image) else 0)

    return collect(image, channels(image, samples, kept), slack=SLACK, limits=limits(image, link, colours(image)))


def unsharp(image, link):
    amount, threshold = (Fraction(float(link[name])) for name in ('amount', 'threshold'))
    threshold *= Fraction(level_of(image, link))
    if not real(image):
        amount = Fraction(half_up(Fraction(link['amount']) * 10000), 10000)
        threshold = thousandths(link['threshold']) * full_of(image, link) / 255

    def change(d):
        far = amount * max(abs(d) - threshold, 0)
        return far if d > 0 else -far

    def function(p, m, e_p, e_m):
        error = float(amount) * e_m + (1 + float(amount)) * e_p
        return p + change(p - m), error, abs(p) + amount * (abs(p) + abs(m) + threshold)

    if link.get('luma') and colours(image) == 3:
        return of_luma(image, link, change, amount)
    return against_mean(image, link, function, lambda p: p)


def of_luma(image, link, change, amount):
    """Each colour p + change(Y - mean of Y)."""
    window, weighted = window_of(image, link), bool(image.alpha)
    parts = [Fraction(part) if real(image) else Fraction(str(part))
             for part in (0.299, 0.587, 0.114)]
    found, errors = blank(image), blank(image)
    for pixel in zip(*(near_means(image, window, channel, weighted) for channel in range(3))):
        y, x = pixel[0][:2]
        if pixel[0][4] is None:
            continue
        found[y][x] = change(sum(part * (p - m) for part, (_, _, p, _, m, _) in zip(parts, pixel)))
        sizes = sum(abs(p) + abs(m) for _, _, p, _, m, _ in pixel)
        errors[y][x] = float(amount) * (sum(e_p + e_m for _, _, _, e_p, _, e_m in pixel) +
                                        (SLACK * float(sizes) if real(image) else 0))

    def samples(channel, weighted):
        for y, x, p, e_p in kept(image, channel):
            yield y, x, p + found[y][x], e_p + errors[y][x]

    return collect(image, channels(image, samples, kept), slack=SLACK, limits=limits(image, link, colours(image)))


def highpass(image, link):
    half = Fraction(full_of(image, link)) / 2
    return against_mean(image, link, lambda p, m, e_p, e_m:
                        (p - m + half, e_p + e_m, abs(p) + abs(m) + half), lambda p: half)


def flatten(image, link):
    target = Fraction(float(link['target'])) * Fraction(level_of(image, link))
    if not real(image):
        target = thousandths(link['target']) * full_of(image, link) / 255

    def function(p, m, e_p, e_m):
        if m == 0 or abs(m) <= e_m:
            return p, math.inf if e_m else e_p, 0
        value = p * target / m
        error = (e_p * float(abs(target)) + abs(float(value)) * e_m) / (abs(float(m)) - e_m)
        return value, error, abs(value)

    return against_mean(image, link, function, lambda p: p)


def normalize(image, link):
    c, window = float(link['c']) * level_of(image, link), window_of(image, link)

    def samples(channel, weighted):
        for y, x, of in variances(image, channel, window, weighted):
            w = local(image, of)
            if not w:
                yield y, x, 0, 0
                continue
            above = as_float(Fraction(image.planes[channel][y][x]) - w.mean)
            e_above = w.e_m + image.error(channel, y, x)
            value = above / (w.s + c)
            error = (e_above + abs(value) * w.e_s) / (w.s + c)
            yield y, x, value, error + SLACK * (abs(value) + (abs(w.m) if real(image) else 0) / c)

    span = bounds(image, link)
    span = span and tuple(sign * float(span[1] - span[0]) / c for sign in (-1, 1))
    return collect(image, channels(image, samples, kept), kind='f64', full=1, span=span)


FILTERS = {'unsharp': unsharp, 'highpass': highpass, 'flatten': flatten, 'normalize': normalize}
