"""gauss and dog, of the model (model.py): passes along lines in exact integers and fractions."""
import decimal
import functools
import math
from fractions import Fraction

from sums import (SLACK, U, added, as_float, blank, bounds, channels, collect, half_up, inside, quotient_error, real,
                  scaled, sliding)


WIDEST_OWN = 6  # sigma of Gaussians that have weights of their own; passes of these is 0


def reach_of(link):
    """How far a result looks."""
    return link['passes'] * (box_of(link)[0] + 1) if link['passes'] else math.ceil(4 * link['sigma'])


@functools.lru_cache(None)
def weights_of(sigma, fine):
    """(weights of the middle and of those beside it on one side, the sum of all): integers. fine: bits of those of
    integers; 0: as near as can be."""
    radius, precise = math.ceil(4 * sigma), decimal.Context(prec=60)
    exact = decimal.Decimal(sigma)
    sampled = [int(precise.multiply(precise.exp(precise.divide(-k * k, precise.multiply(2 * exact, exact))),
                                    1 << 150)) for k in range(radius + 1)]
    total = sampled[0] + 2 * sum(sampled[1:])
    if not fine:
        return sampled, total
    shares = [Fraction(weight << fine, total) for weight in sampled]
    weights = [math.floor(share) for share in shares]
    pairs, odd = divmod((1 << fine) - weights[0] - 2 * sum(weights[1:]), 2)
    for k in sorted(range(1, radius + 1), key=lambda k: weights[k] - shares[k])[:pairs]:
        weights[k] += 1
    weights[0] += odd
    return weights, 1 << fine


def weigh(weights, line):
    """The weighted sums of a line that is longer by the weights on either side."""
    radius = len(weights) - 1
    return [weights[0] * line[x] + sum(w * (line[x - k] + line[x + k]) for k, w in enumerate(weights) if k)
            for x in range(radius, len(line) - radius)]


def box_of(link):
    """(r, the share of a sample at either end in 2^-16) of each pass of gauss."""
    variance = link['sigma']**2 / link['passes']
    r = math.floor((math.sqrt(12 * variance + 1) - 1) / 2)
    alpha = (2 * r + 1) * (r * (r + 1) - 3 * variance) / (6 * (variance - (r + 1)**2))
    return r, math.floor(alpha * 65536 + 0.5)


def times_of(link, fine):
    """What results along an axis are times."""
    if link['border'] == 'shrink':
        return 1
    r, share = box_of(link) if link['passes'] else (0, 0)
    return (65536 * (2 * r + 1) + 2 * share)**link['passes'] if link['passes'] else weights_of(link['sigma'], fine)[1]


def smoothed(link, line, outside, fine=0):
    """A line of integers after all passes along it, times times_of(link, fine)."""
    passes, border, reach, n = link['passes'], link['border'], reach_of(link), len(line)
    places = [inside(x, n, border) for x in range(-reach, n + reach)]

    def passed(line):
        if not passes:
            return weigh(weights_of(link['sigma'], fine)[0], line)
        r, share = box_of(link)
        for _ in range(passes):
            line = [65536 * inner + share * (first + last) for inner, first, last in
                    zip(sliding(line[1:-1], 2 * r + 1), line, line[2 * r + 2:])]
        return line

    numbers = passed([outside if i is None else line[i] for i in places])
    if border == 'shrink':
        return [Fraction(value) / one for value, one in zip(numbers, passed([int(i is not None) for i in places]))]
    return numbers


def smooth(link, plane, outside=0, bits=None, fine=0):
    """The plane along rows, then down the columns, as exact numbers; but with so many bits of fraction in between,
    and weights that are whole numbers of so many bits, those of integers."""
    integers, d = scaled(plane + [[outside]])
    *integers, (beyond,) = integers
    whole, shrinks = bits is not None, link['border'] == 'shrink'
    times = times_of(link, fine)
    *rows, (far, *_) = [smoothed(link, row, beyond, fine) for row in [*integers, [beyond]]]  # a row of what is outside
    d *= times
    if whole:
        def between(value):
            value = Fraction(value) * 2**bits / d
            return round(value) if shrinks else half_up(value)  # round(): halves to even
        rows, far, d = [list(map(between, row)) for row in rows], between(far), 2**bits
    d *= times
    return [[Fraction(value) / d for value in row]
            for row in zip(*[smoothed(link, column, far, fine) for column in zip(*rows)])]


def smooth_channels(image, link):
    """(values, errors) of each channel."""
    outside = Fraction(link['constant']) if link['border'] == 'constant' else Fraction(0)
    own, wide = not link['passes'], image.kind == 'u16'
    fine = 0 if real(image) or not own else 28 if wide and not image.alpha else 15
    single = image.kind == 'f32' and own and not image.alpha and link['border'] != 'shrink'
    roundings = 2 * (reach_of(link) + 90) if own else 8 * link['passes'] * (2 * box_of(link)[0] + 9)

    def bits_of(weighted, alpha=False):
        """Of fraction between the axes, of integers by weights: of colour times alpha, or of the alpha beside it."""
        bits = 6 if wide and (weighted or alpha) else 8
        return None if real(image) or not own else bits + (16 if wide else 8) * alpha

    def errors_of(plane, beyond, errors, weighted):
        """How far each result is off: of floats, by the magnitudes around it; in float, by the largest."""
        if single:  # 2 axes: of magnitudes 2 roundings, of differences 3 and those of sums, whose parts add up to this
            most = max(abs(beyond), *(abs(value) for row in plane for value in row))
            off = [[as_float(most) * 2**-24 * (16 + 4 * link['sigma']) + 2**-145] * image.width] * image.height
        elif real(image):
            sizes = smooth(link, [list(map(abs, row)) for row in plane], abs(beyond))
            off = [[roundings * U * as_float(size) for size in row] for row in sizes]
        elif own:  # a quotient in double of colour of 16 bits times alpha may be rounded to a half
            inexact = errors or (wide and weighted and link['border'] == 'shrink')
            off = [[2.0**-bits_of(weighted) if inexact else 0.0] * image.width] * image.height
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
        is_alpha = image.alpha and channel == len(image.planes) - 1
        values = smooth(link, plane, beyond, bits_of(weighted, is_alpha), fine)
        off = errors_of(plane, beyond, errors, weighted)
        if weighted:
            alphas = smooth(link, image.planes[-1], outside, bits_of(True, True), fine)
            e_alpha = image.errors and image.errors[-1]
            far = errors_of(image.planes[-1], outside, e_alpha, False)
        narrow = image.kind == 'u8' and not image.alpha and link['border'] != 'shrink' and not own
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
