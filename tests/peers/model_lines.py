"""gauss and dog, of the model (model.py): passes along lines in exact integers and fractions."""
import math
from fractions import Fraction

from model_sums import SLACK, U, blank, bounds, channels, collect, inside, quotient_error, real


def box_of(link):
    """(r, the share of a sample at either end in 2^-16) of each pass of gauss."""
    variance = link['sigma']**2 / link['passes']
    r = math.floor((math.sqrt(12 * variance + 1) - 1) / 2)
    alpha = (2 * r + 1) * (r * (r + 1) - 3 * variance) / (6 * (variance - (r + 1)**2))
    return r, math.floor(alpha * 65536 + 0.5)


def smoothed(link, line, outside):
    """A line of exact numbers after all passes along it."""
    (r, share), passes, border = box_of(link), link['passes'], link['border']
    reach, n = passes * (r + 1), len(line)
    places = [inside(x, n, border) for x in range(-reach, n + reach)]

    def passed(line):
        for _ in range(passes):
            line = [65536 * sum(line[x + 1:x + 2 * r + 2]) + share * (line[x] + line[x + 2 * r + 2])
                    for x in range(len(line) - 2 * r - 2)]
        return line

    numbers = passed([outside if i is None else line[i] for i in places])
    if border == 'shrink':
        return [Fraction(value, one) for value, one in zip(numbers, passed([i is not None for i in places]))]
    return [Fraction(value, (65536 * (2 * r + 1) + 2 * share)**passes) for value in numbers]


def smooth_channels(image, link):
    """(values, errors) of each channel."""
    outside = Fraction(link['constant']) if link['border'] == 'constant' else Fraction(0)
    opaque = [[1] * image.width for _ in range(image.height)]
    r, _ = box_of(link)

    def smooth(channel, weighted):
        weights = image.planes[-1] if weighted else opaque
        plane = [[Fraction(p) * Fraction(w) for p, w in zip(*rows)] for rows in zip(image.planes[channel], weights)]
        beyond = outside * outside if weighted else outside
        columns = zip(*[smoothed(link, row, beyond) for row in plane])
        rows = list(zip(*[smoothed(link, column, beyond) for column in columns]))
        most = max([abs(beyond)] + [abs(p) for row in plane for p in row])
        if real(image):
            error = 8 * link['passes'] * (2 * r + 9) * U * float(most)
        else:
            bits = 16 if image.kind == 'u16' else 8
            error = 40 * 2.0**(bits * (1 + weighted) - 41)
        if image.errors:
            error += max(map(max, image.errors[channel])) * float(max(map(max, weights)))
        return rows, error

    def function(channel, weighted):
        rows, error = smooth(channel, weighted)
        weights, e_weight = smooth(image.channels - 1, False) if weighted else (None, 0)
        narrow = image.kind == 'u8' and not image.alpha and link['border'] != 'shrink'
        for y, row in enumerate(rows):
            for x, value in enumerate(row):
                if not weighted:
                    yield y, x, value, error + (1 / 32 if narrow else 0)
                elif weights[y][x] == 0:
                    yield y, x, 0, 0
                else:
                    mean = value / weights[y][x]
                    yield y, x, mean, quotient_error(mean, weights[y][x], error, e_weight)

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
