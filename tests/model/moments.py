"""Means, variances and deviations over windows, of the model (model.py)."""
import math
from collections import namedtuple
from fractions import Fraction

from sums import U, Sums, as_float, each, moments, quotient_error, real


def mean(image, weight, total, e_weight, e_total, exact, weighted):
    """(mean, error) of one window."""
    if weight == 0 and e_weight == 0:
        return 0, 0
    value = Fraction(total) / Fraction(weight) if weight else 0
    error = quotient_error(value, weight, e_total, e_weight)
    if not real(image):
        return value, error
    if exact and not weighted:
        return float(total) * (1 / weight), 0
    return value, error + 4 * U * abs(float(value))


def means(image, channel, window, weighted):
    """Yields (y, x, mean, error, weight) of each window."""
    w, s = moments(image, channel, window, 1, weighted)
    for y, x, (weight, total), (e_weight, e_total) in each(w, s):
        yield (y, x) + mean(image, weight, total, e_weight, e_total, s.exact and w.exact, weighted) + (
            weight or e_weight,)


class Shift:
    """What is rounded of floats where a formula reads squares: sums are those of samples less a value p. It is a
    sample of the window; for tables one of the picture, or 0 where samples are not far from it."""

    def __init__(self, image, channel, window, weighted):
        weights, self.tables = image.planes[-1] if weighted else None, window.tables
        seen = [value for y, row in enumerate(image.planes[channel]) for x, value in enumerate(row)
                if not weights or weights[y][x]]
        seen += [window.constant] if window.constant is not None else []
        self.range = float(max(seen) - min(seen)) if seen else 0.0
        self.most = max((abs(float(value)) for value in seen), default=0.0)
        if not self.tables:
            self.ranges = window.ranges(image.planes[channel], weights)
            steps = window.w.bit_length()
            self.terms = (1 + weighted) * (3 * window.h + 18 * steps + 40)
            return
        self.terms = 4 * Sums.reach(window) * (image.width + image.height + 12)
        self.count = image.width * image.height + window.w * window.h
        if weights:
            self.count *= float(max(abs(window.constant or 0), *map(max, weights)))

    def distance(self, average):
        """How far a mean may be from the value, by tables."""
        return max(self.range, min(average, 65 * self.range))

    def errors(self, y, x, variance, average, area):
        """How far the variance and the mean of the window at a place are off."""
        if not self.tables:
            far = self.ranges[y][x]
            return self.terms * U * far**2, self.terms * U * far + 6 * U * (average + far)
        d2, far = variance + self.distance(average)**2, self.count / area * self.distance(self.most)**2
        return (self.terms * U * (far + d2) * 1.01,
                self.terms * U * (math.sqrt(d2) + math.sqrt(far * self.count / area)) + 4 * U * average)


# What is known of a window: its sums; its variance and mean, and how far these are off; the part of the variance's
# error that samples are off by.
Moments = namedtuple('Moments', 'sums variance e_variance mean e_mean e_inputs')


def moments_of(image, place, values, inputs, exact, shift):
    """Those of one window, the variance as one division in double; None where nothing counts."""
    (weight, total, squares), (e_weight, e_total, e_squares) = values, inputs
    if weight == 0 and e_weight == 0:
        return None
    if weight <= e_weight or math.inf in (e_total, e_squares):
        return Moments(values, 0.0, math.inf, 0, math.inf, math.inf)
    weight, total, squares = Fraction(weight), Fraction(total), Fraction(squares)
    numerator, average = weight * squares - total**2, total / weight
    m = abs(as_float(average))
    e_m = quotient_error(m, weight, e_total, e_weight)
    error = quotient_error(as_float(squares / weight), weight, e_squares, e_weight) + 2 * m * e_m + e_m * e_m
    if exact and real(image):
        unit = math.lcm((weight * squares).denominator, total.denominator**2)
        exact = as_float(weight)**2 * (shift.most + shift.range)**2 * unit < 2**53
    if exact or not real(image):
        return Moments(values, as_float(numerator) / as_float(weight**2), error, average, e_m, error)
    value = as_float(numerator / weight**2)
    rounded = shift.errors(*place, value, m, as_float(weight))
    return Moments(values, value, error + rounded[0], average, e_m + rounded[1], error)


def variances(image, channel, window, weighted):
    """Yields (y, x, Moments) of each place; None where nothing counts."""
    sums = moments(image, channel, window, 2, weighted)
    exact, shift = all(s.exact for s in sums), Shift(image, channel, window, weighted) if real(image) else None
    inputs = [sums[0].error if window.tables else sums[0].inputs] + [s.inputs for s in sums[1:]]
    for y, x, values, _ in each(*sums):
        off = [plane[y][x] if plane else 0 for plane in inputs]
        yield y, x, moments_of(image, (y, x), values, off, exact, shift)


def root(variance, error):
    """(deviation, error)."""
    value = math.sqrt(variance)
    if error == 0:
        return value, 0
    return value, max(math.sqrt(variance + error) - value,
                      value - math.sqrt(max(0.0, variance - error))) * 1.0001


# What a formula knows of a window: mean and deviation, how far each is off, the exact mean and
# mean square, and how far off the latter is.
Local = namedtuple('Local', 'm e_m s e_s mean square e_square')


def local(image, of):
    """None where nothing counts."""
    if of is None:
        return None
    s, e_s = root(of.variance, of.e_variance)
    if of.e_variance == math.inf:
        return Local(0.0, math.inf, s, math.inf, 0, 0, math.inf)
    square = Fraction(of.sums[2]) / Fraction(of.sums[0])
    m, e_m = as_float(of.mean), of.e_mean
    e_square = of.e_variance + (2 * abs(m) + e_m) * e_m
    if real(image):
        e_m += 4 * U * abs(m)
        e_s += 4 * U * s
        e_square += 16 * U * as_float(square)
    return Local(m, e_m, s, e_s, of.mean, square, e_square)
