"""What each filter computes, in exact integers and fractions, by the pages in docs/ and --help.

A filter takes an Image and returns one whose samples are not rounded yet. Beside each sample stands
how far the documentation lets the result be from it: 0 for integers, the bounds of docs/numbers.md
for sums of floats that are not exact. FILTERS maps names to functions of (image, link), link being
a dict of the parameters.
"""
from fractions import Fraction

from curve import FILTERS as CURVE
from files import TOP
from light import FILTERS as LIGHT
from lines import dog, gauss
from moments import means, root, variances
from pair import FILTERS as PAIR
from sums import (SLACK, U, Sums, Window, as_float, bounds, channels, collect, each, over, real, scaled,
                        window_of)

PLAIN = {'alpha': False, 'alpha_span': None}  # of sums that take alpha as any channel


# ------------------------------------------------------------------------------ means and moments

def box(image, link):
    window = window_of(image, link)

    def function(channel, weighted):
        for y, x, value, error, _ in means(image, channel, window, weighted):
            yield y, x, value, error

    return collect(image, channels(image, function), slack=SLACK, span=bounds(image, link))


def of_variance(image, link, finish, high):
    window = window_of(image, link)

    def function(channel, weighted):
        if image.alpha and channel == image.channels - 1:
            for y, x, value, error, _ in means(image, channel, window, False):
                yield y, x, as_float(value), error
            return
        for y, x, of in variances(image, channel, window, weighted):
            yield (y, x) + (finish(of.variance, of.e_variance) if of else (0.0, 0))

    span = bounds(image, link)
    span = span and (0, high(Fraction(span[1]) - Fraction(span[0])))
    return collect(image, channels(image, function), kind='f64', full=1, span=span)


def variance(image, link):
    return of_variance(image, link, lambda value, error: (value, error), lambda d: (d / 2)**2)


def stddev(image, link):
    return of_variance(image, link, root, lambda d: d / 2)


def sum_type(image, largest):
    if real(image):
        return 'f64'
    return 'u32' if largest <= TOP['u32'] else 'u64'


def total(image, link):
    window, (w, h) = window_of(image, link), link['size']

    def function(channel, _):
        s = Sums(image, window, [image.channel(channel)])
        for y, x, (value,), (error,) in each(s):
            yield y, x, value, error

    return collect(image, channels(image, function), kind=sum_type(image, TOP[image.kind] * w * h)
                   if not real(image) else 'f64', full=1, **times(bounds(image, link), w * h))


def times(span, area):
    """The range of sums of so many samples, of which none is alpha."""
    return {'span': span and tuple(bound * area for bound in span), **PLAIN}


def integral(image, link):
    power, area = 2 if link.get('squared') else 1, image.width * image.height

    def function(channel, _):
        plane, d = scaled(image.planes[channel])
        errors = image.errors[channel] if image.errors else [[0]]
        biggest = float(max(abs(Fraction(value, d)) for row in plane for value in row))
        far = max(map(max, errors))
        magnitude = sum(abs(value)**power for row in plane for value in row)
        bound = area * ((biggest + far)**power - biggest**power) * 1.0001
        if real(image) and magnitude * 4 >= 2**53:
            bound += (image.width + image.height) * U * float(Fraction(magnitude, d**power))
        above = [0] * image.width
        for y, row in enumerate(plane):
            left = 0
            for x, value in enumerate(row):
                left += value**power
                above[x] += left
                yield y, x, over(above[x], d**power), bound

    span = image.span
    if span and power == 2:
        span = (0, max(bound**2 for bound in span))
    out = channels(image, function)
    if link.get('zeros'):
        out = [tuple([[0] * (image.width + 1)] + [[0] + row for row in plane] for plane in pair) for pair in out]
    return collect(image, out, full=1, kind=sum_type(image, area * TOP.get(image.kind, 0)**power),
                   **times(span, area))


# ----------------------------------------------------------------------------- templates and moves

def template(image, link):
    rects = link['rects']

    def function(channel, _):
        sample = image.channel(channel)
        parts = [Sums(image, Window(image.width, image.height, {**link, 'tables': True}, rect), [sample])
                 for rect, _ in rects]
        exact = all(part.exact for part in parts)
        for y, x, values, errors in each(*parts):
            if exact:
                result = 0.0
                for value, (_, weight) in zip(values, rects):
                    result += weight * float(value)
                yield y, x, result, 0
                continue
            pairs = list(zip(values, rects, errors))
            result = sum(Fraction(weight) * value for value, (_, weight), _ in pairs)
            size = float(sum(abs(Fraction(weight) * value) for value, (_, weight), _ in pairs))
            error = sum(abs(weight) * e for _, (_, weight), e in pairs)
            yield y, x, as_float(result), error + (len(pairs) + 2) * U * size

    span = bounds(image, link)
    if span:
        weights = [Fraction(weight) * w * h for (_, _, w, h), weight in rects]
        ends = [(weight * Fraction(span[0]), weight * Fraction(span[1])) for weight in weights]
        span = sum(map(min, ends)), sum(map(max, ends))

    return collect(image, channels(image, function), kind='f64', full=1,
                   span=span, **PLAIN)


def moved(image, width, height, source):
    """The image of that size whose pixel (x, y) is pixel source(x, y)."""
    def move(plane):
        return [[plane[b][a] for a, b in (source(x, y) for x in range(width))]
                for y in range(height)]
    out = image.like([move(plane) for plane in image.planes])
    out.errors = image.errors and [move(plane) for plane in image.errors]
    return out


# For each value the sides of the result, and the pixel that each of its pixels is.
TURNS = {'': lambda w, h: (h, w, lambda x, y: (y, x)), '90': lambda w, h: (h, w, lambda x, y: (y, h - 1 - x)),
         '180': lambda w, h: (w, h, lambda x, y: (w - 1 - x, h - 1 - y)),
         '270': lambda w, h: (h, w, lambda x, y: (w - 1 - y, x)),
         'h': lambda w, h: (w, h, lambda x, y: (w - 1 - x, y)), 'v': lambda w, h: (w, h, lambda x, y: (x, h - 1 - y))}


def turned(image, link):
    return moved(image, *TURNS[link.get('value', '')](image.width, image.height))


def permute(image, link):
    w = image.width
    return moved(image, w, image.height,
                 lambda x, y: divmod(link['order'][y * w + x], w)[::-1])


def crop(image, link):
    w, h, left, top = link['part']
    return moved(image, w, h, lambda x, y: (x + left, y + top))


FILTERS = {**CURVE, 'box': box, 'gauss': gauss, 'dog': dog, 'variance': variance, 'stddev': stddev, 'sum': total,
           'template': template, 'integral': integral, 'transpose': turned, 'rotate': turned, 'flip': turned,
           'permute': permute, 'crop': crop, **LIGHT, **PAIR}
