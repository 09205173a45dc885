"""gauss and dog, of the model (model.py): passes along lines in exact integers and fractions."""
import math
from fractions import Fraction

from sums import (SLACK, U, added, as_float, blank, bounds, channels, collect, inside, quotient_error, real,
                        scaled, sliding)


def box_of(link):
    """(r, the share of a sample at either end in 2^-16) of each pass of gauss."""
    variance = link['sigma']**2 / link['passes']
    r = math.floor((math.sqrt(12 * variance + 1) - 1) / 2)
    alpha = (2 * r + 1) * (r * (r + 1) - 3 * variance) / (6 * (variance - (r + 1)**2))
    return r, math.floor(alpha * 65536 + 0.5)


def smoothed(link, line, outside):
    """A line of integers after all passes along it, times scale(link) but under shrink."""
    (r, share), passes, border = box_of(link), link['passes'], link['border']
    reach, n = passes * (r + 1), len(line)
    places = [inside(x, n, border) for x in range(-reach, n + reach)]

    def passed(line):
        for _ in range(passes):
            line = [65536 * inner + share * (first + last) for inner, first, last in
                    zip(sliding(line[1:-1], 2 * r + 1), line, line[2 * r + 2:])]
        return line

    numbers = passed([outside if i is None else line[i] for i in places])
    if border == 'shrink':
        return [Fraction(value, one) for value, one in zip(numbers, passed([int(i is not None) for i in places]))]
    return numbers


def smooth(link, plane, outside=0):
    """The plane along rows, then down the columns, as exact numbers."""
    integers, d = scaled(plane + [[outside]])
    *integers, (beyond,) = integers
    if link['border'] != 'shrink':
        r, share = box_of(link)
        d *= (65536 * (2 * r + 1) + 2 * share)**(2 * link['passes'])
    rows = [smoothed(link, row, beyond) for row in integers]
    far = smoothed(link, [beyond], beyond)[0]  # a row of what lies outside
    return [[Fraction(value) / d for value in row]
            for row in zip(*[smoothed(link, column, far) for column in zip(*rows)])]


def smooth_channels(image, link):
    """(values, errors) of each channel."""
    outside = Fraction(link['constant']) if link['border'] == 'constant' else Fraction(0)
    r, _ = box_of(link)

    def errors_of(plane, beyond, errors, weighted):
        """How far each result is off: of floats, by the magnitudes around it."""
        if real(image):
            sizes = smooth(link, [list(map(abs, row)) for row in plane], abs(beyond))
            off = [[8 * link['passes'] * (2 * r + 9) * U * as_float(size) for size in row] for row in sizes]
        else:
            off = [[40 * 2.0**((16 if image.kind == 'u16' else 8) * (1 + weighted) - 41)] * image.width] * image.height
        if errors and any(math.inf in row for row in errors):
            return [[math.inf] * image.width] * image.height
        return added(off, errors and [list(map(as_float, row)) for row in smooth(link, errors)])

    def weighed(channel):
        """Samples times alpha, and how far these are off."""
        colour, alpha = image.planes[channel], image.planes[-1]
        plane = [[Fraction(p) * Fraction(w) for p, w in zip(*rows)] for rows in zip(colour, alpha)]
        if not image.errors:
            return plane, None
        return plane, [[abs(p) * e_w + (w + e_w) * e_p for p, w, e_p, e_w in zip(*rows)]
                       for rows in zip(colour, alpha, image.errors[channel], image.errors[-1])]

    def function(channel, weighted):
        plain = image.channel(channel)
        plane, errors = weighed(channel) if weighted else plain
        beyond = outside * outside if weighted else outside
        values, off = smooth(link, plane, beyond), errors_of(plane, beyond, errors, weighted)
        if weighted:
            alphas, e_alpha = smooth(link, image.planes[-1], outside), image.errors and image.errors[-1]
            far = errors_of(image.planes[-1], outside, e_alpha, False)
        narrow = image.kind == 'u8' and not image.alpha and link['border'] != 'shrink'
        for y, row in enumerate(values):
            for x, value in enumerate(row):
                if not weighted:
                    yield y, x, value, off[y][x] + (1 / 32 if narrow else 0)
                elif alphas[y][x] == 0:
                    yield y, x, 0, 0
                else:
                    mean = value / alphas[y][x]
                    yield y, x, mean, quotient_error(mean, alphas[y][x], off[y][x], far[y][x])

    return channels(image, function)


def gauss(image, link):
    return collect(image, smooth_channels(image, link), slack=SLACK, span=bounds(image, link))


def dog(image, link):
    sigmas, out = (link['sigma'], link['sigma'] * link['ratio']), []
    for narrow, wide in zip(*(smooth_channels(image, {**link, 'sigma': sigma}) for sigma in sigmas)):
        values = [[a - b for a, b in zip(*rows)] for rows in zip(narrow[0], wide[0])]
        errors = [[e + f + SLACK * float(abs(a) + abs(b)) for a, b, e, f in zip(*rows)]
                  for rows in zip(narrow[0], wide[0], narrow[1], wide[1])]
        out.append((values, errors))
    if image.alpha:
        out[-1] = (image.planes[-1], image.errors[-1] if image.errors else blank(image))
    span = bounds(image, link)
    span = span and (span[0] - span[1], span[1] - span[0])
    return collect(image, out, kind='f64', full=1, span=span)
