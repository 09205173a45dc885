"""What each filter computes, in exact integers and fractions, by the pages in docs/ and --help.

A filter takes an Image and returns one whose samples are not rounded yet. Beside each sample stands
how far the documentation lets the result be from it: 0 for integers, the bounds of docs/design.md
for sums of floats that are not exact. FILTERS maps names to functions of (image, link), link being
a dict of the parameters.
"""
import math
from collections import namedtuple
from fractions import Fraction

from model_files import TOP
from model_lines import dog, gauss
from model_sums import (SLACK, U, Sums, Window, as_float, blank, bounds, channels, collect, each, half_up,
                        moments, over, quotient_error, real, scaled, window_of)


# ------------------------------------------------------------------------------ means and moments

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


PLAIN = {'alpha': False, 'alpha_span': None}  # of sums that take alpha as any channel


def box(image, link):
    window = window_of(image, link)

    def function(channel, weighted):
        w, s = moments(image, channel, window, 1, weighted)
        for y, x, (weight, total), (e_weight, e_total) in each(image, w, s):
            yield (y, x) + mean(image, weight, total, e_weight, e_total, s.exact and w.exact,
                                weighted)

    return collect(image, channels(image, function), slack=SLACK, span=bounds(image, link))


def spread(image, values, errors, exact):
    """(variance, error) of one window, the variance as one division in double."""
    (weight, total, squares), (e_weight, e_total, e_squares) = values, errors
    if weight == 0 and e_weight == 0:
        return 0.0, 0
    numerator = Fraction(weight) * squares - Fraction(total)**2
    if exact and (not real(image) or float(Fraction(weight) * squares) < 2**53):
        return max(0.0, float(numerator) / float(weight * weight)), 0
    if weight <= e_weight:
        return 0.0, math.inf
    m, m2 = float(total / Fraction(weight)), float(squares / Fraction(weight))
    e_m = quotient_error(m, weight, e_total, e_weight)
    e_m2 = quotient_error(m2, weight, e_squares, e_weight)
    error = e_m2 + 2 * abs(m) * e_m + e_m * e_m + 16 * U * m2
    return max(0.0, float(numerator / Fraction(weight)**2)), 4 * error


def variances(image, channel, window, weighted):
    """Yields (y, x, moments, errors, variance, error)."""
    sums = moments(image, channel, window, 2, weighted)
    exact = all(s.exact for s in sums)
    for y, x, values, errors in each(image, *sums):
        yield (y, x, values, errors) + spread(image, values, errors, exact)


def root(variance, error):
    """(deviation, error)."""
    value = math.sqrt(variance)
    if error == 0:
        return value, 0
    return value, max(math.sqrt(variance + error) - value,
                      value - math.sqrt(max(0.0, variance - error))) * 1.0001


def of_variance(image, link, finish, high):
    window = window_of(image, link)

    def function(channel, weighted):
        if image.alpha and channel == image.channels - 1:
            w, s = moments(image, channel, window, 1, False)
            for y, x, (weight, total), (_, e_total) in each(image, w, s):
                value, error = mean(image, weight, total, 0, e_total, s.exact, False)
                yield y, x, as_float(value), error
            return
        for y, x, _, _, variance, error in variances(image, channel, window, weighted):
            yield (y, x) + finish(variance, error)

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
        s = Sums(image, window, [(image.planes[channel], image.errors and image.errors[channel])])
        for y, x, (value,), (error,) in each(image, s):
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
    return collect(image, channels(image, function), full=1,
                   kind=sum_type(image, area * TOP.get(image.kind, 0)**power),
                   **times(span, area))


# ----------------------------------------------------------------------- light and sharpening

def full_of(image, link):
    """The full scale for the filter: the picture's, or of integers a lesser one, of floats any one
    that full= says."""
    full = link.get('full') or image.full
    return full if real(image) else min(full, image.full)


# What a formula knows of a window: mean and deviation, how far each is off, the exact mean and
# mean square, and how far off the latter is.
Local = namedtuple('Local', 'm e_m s e_s mean square e_square')


def level_of(image, link):
    """A level of 8 bits; of floats that say no full scale their own unit."""
    says = not real(image) or link.get('full') or image.depth
    return full_of(image, link) / 255 if says else 1.0


def local(image, values, off, spread_, error):
    """None where nothing counts."""
    s, e_s = root(spread_, error)
    if values[0] == 0:
        return None if off[0] == 0 else Local(0.0, 0, s, e_s, 0, 0, 0)
    weight = Fraction(values[0])
    average, square = values[1] / weight, values[2] / weight
    m = as_float(average)
    e_m = quotient_error(m, weight, off[1], off[0])
    e_square = quotient_error(square, weight, off[2], off[0])
    if real(image):
        e_m += 4 * U * abs(m)
        e_s += 4 * U * s
        e_square += error + 2 * abs(m) * e_m + 16 * U * float(square)
    return Local(m, e_m, s, e_s, average, square, e_square)


def thousandths(text):
    return Fraction(half_up(Fraction(text) * 1000), 1000)


def kept_alpha(image, channel):
    """Alpha's samples as they are."""
    errors = image.errors and image.errors[channel]
    for y, row in enumerate(image.planes[channel]):
        for x, value in enumerate(row):
            yield y, x, value, errors[y][x] if errors else 0


def near_means(image, window, channel, weighted):
    """Yields (y, x, p, error of p, m, error of m) of each sample and its mean; m is None where
    nothing counts."""
    plane, error_plane = image.planes[channel], image.errors and image.errors[channel]
    w, s = moments(image, channel, window, 1, weighted)
    for y, x, (weight, total_), (e_weight, e_total) in each(image, w, s):
        p, e_p = Fraction(plane[y][x]), error_plane[y][x] if error_plane else 0
        if weight == 0 and e_weight == 0:
            yield y, x, p, e_p, None, 0
            continue
        m, e_m = mean(image, weight, total_, e_weight, e_total, s.exact and w.exact, weighted)
        yield y, x, p, e_p, Fraction(m), e_m


def against_mean(image, link, function, empty):
    """function(p, m, e_p, e_m) = (value, error, size of what it is a sum of) of each sample of
    colour, and its mean; empty(p): where nothing counts."""
    window = window_of(image, link)

    def samples(channel, weighted):
        if image.alpha and not weighted:
            yield from kept_alpha(image, channel)
            return
        for y, x, p, e_p, m, e_m in near_means(image, window, channel, weighted):
            if m is None:
                yield y, x, empty(p), e_p
                continue
            value, error, size = function(p, m, e_p, e_m)
            yield y, x, value, error + (SLACK * float(size) if real(image) else 0)

    return collect(image, channels(image, samples), slack=SLACK,
                   limits=limits(image, link, image.channels - bool(image.alpha)))


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

    if link.get('luma') and image.channels - bool(image.alpha) == 3:
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
        for y, x, p, e_p in kept_alpha(image, channel):
            here = weighted or not image.alpha
            yield y, x, p + (found[y][x] if here else 0), e_p + (errors[y][x] if here else 0)

    return collect(image, channels(image, samples), slack=SLACK,
                   limits=limits(image, link, image.channels - bool(image.alpha)))


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
        error = (e_p * float(target) + abs(float(value)) * e_m) / (abs(float(m)) - e_m)
        return value, error, abs(value)

    return against_mean(image, link, function, lambda p: p)


def normalize(image, link):
    c, window = float(link['c']) * level_of(image, link), window_of(image, link)

    def samples(channel, weighted):
        plane, error_plane = image.planes[channel], image.errors and image.errors[channel]
        if image.alpha and not weighted:
            yield from kept_alpha(image, channel)
            return
        for y, x, values, off, spread_, error in variances(image, channel, window, weighted):
            w = local(image, values, off, spread_, error)
            if not w:
                yield y, x, 0, 0
                continue
            above = as_float(Fraction(plane[y][x]) - w.mean)
            e_above = w.e_m + (error_plane[y][x] if error_plane else 0)
            value = above / (w.s + c)
            error = (e_above + abs(value) * w.e_s) / (w.s + c)
            yield y, x, value, error + SLACK * (abs(value) + (abs(w.m) if real(image) else 0) / c)

    span = bounds(image, link)
    span = span and tuple(sign * float(span[1] - span[0]) / c for sign in (-1, 1))
    return collect(image, channels(image, samples), kind='f64', full=1, span=span)


def limits(image, link, count):
    """The largest samples of so many channels that the full scale limits, and of the others."""
    if real(image):
        return None
    return [full_of(image, link)] * count + [image.full] * (image.channels - count)


# ----------------------------------------------------------------------------------------- guided

def guided(image, link):
    """a and b of each window, then their means over the windows that contain a pixel: those of the
    pixels of the mirrored window."""
    (w, h), (x, y) = link['size'], link.get('at', (0, 0))
    left, above = w // 2 - x, h // 2 - y
    windows = (Window(image.width, image.height, link, (-left, -above, w, h)),
               Window(image.width, image.height, link, (left - w + 1, above - h + 1, w, h)))
    guide, full, out = link.get('guide'), full_of(image, link), []
    amount = Fraction(float(link['amount']))
    for channel in range(image.channels):
        sample = (image.planes[channel], image.errors and image.errors[channel])
        if guide:
            other = (guide.planes[channel if guide.channels > 1 else 0], None)
        base = lines(image, windows, sample, other if guide else sample, float(link['eps']),
                     full, other_full(image, guide, link, 'guide_full') if guide else full,
                     image.full / guide.full if guide else 1)
        out.append(with_detail(image, sample, base, amount))
    return collect(image, out, slack=SLACK, limits=limits(image, link, image.channels))


def with_detail(image, sample, base, amount):
    """(values, errors) of q + A (p - q)."""
    (samples, off), (values, errors), far = sample, base, abs(1 - float(amount))
    for y in range(image.height):
        for x in range(image.width):
            p, q, e_p = Fraction(samples[y][x]), values[y][x], off[y][x] if off else 0
            values[y][x] = q + amount * (p - q)
            errors[y][x] = far * errors[y][x] + float(amount) * (e_p + SLACK * float(abs(p)))
    return values, errors


def says_full(image):
    """Whether it has another full scale than its type: floats do behind real alone."""
    return bool(image.depth) if real(image) else image.full != TOP[image.kind]


def named_full(image, other, link, name):
    """What options say of the full scale of another image: its own one, or full= for both that are
    alike and say nothing. Of integers it counts if it is at most what the image says."""
    alike = real(image) and real(other) or image.kind == other.kind
    shared = alike and not says_full(image) and not says_full(other)
    named = link.get(name) or (link.get('full') if shared else None)
    return named if named and (real(other) or named <= other.full) else None


def other_full(image, other, link, name):
    return named_full(image, other, link, name) or other.full


def by_scale(image, link, other, plane):
    """(s, its error) of one channel of the other picture."""
    if link['scale'] == 'auto':
        values = [Fraction(value) for row in plane for value in row]
        size = float(sum(map(abs, values))) / len(values)
        return sum(values) / len(values), len(values) * U * size if real(other) else 0
    if real(image) or real(other):
        return Fraction(float(link['scale'])), 0
    places = 10**(15 if Fraction(link['scale']) < 1 else 9)
    return Fraction(half_up(Fraction(link['scale']) * places), places), 0


def by_sample(link, p, q, s, full):
    """(exact value, size of what it is a sum of)."""
    if link['op'] == 'mul':
        return p * q * s, abs(p * q * s)
    if link['op'] == 'div':
        value = p * s / q if q else Fraction(full if p else 0)
        return value, abs(value)
    return p + (s * q if link['op'] == 'add' else -s * q), abs(p) + abs(s * q)


def by(image, link):
    other, full, floats = link['other'], full_of(image, link), real(image) or real(link['other'])
    cancels = link['op'] == 'div' and link['scale'] == 'auto'
    said = named_full(image, other, {**link, 'full': None}, 'other_full')
    as_it_is = cancels or floats and not said
    ratio = 1 if as_it_is else Fraction(full, other_full(image, other, link, 'other_full'))

    def samples(channel, weighted):
        if image.alpha and not weighted:
            yield from kept_alpha(image, channel)
            return
        plane = other.planes[channel if other.channels - bool(other.alpha) > 1 else 0]
        s, e_s = by_scale(image, link, other, plane)
        for y, row in enumerate(image.planes[channel]):
            for x, p in enumerate(row):
                q = Fraction(plane[y][x]) * ratio
                e_p = image.errors[channel][y][x] if image.errors else 0
                value, size = by_sample(link, Fraction(p), q, s, full)
                factor = {'mul': q * s, 'div': s / q if q else math.inf}.get(link['op'], 1)
                rest = size if s == 0 else size / abs(s)
                error = (abs(float(factor)) * e_p if e_p else 0) + e_s * float(rest)
                yield y, x, value, error + (SLACK * float(size) if floats else 0)

    return collect(image, channels(image, samples), slack=SLACK,
                   limits=limits(image, link, image.channels - bool(image.alpha)))


def widened(image, link):
    """real: the same numbers; of integers the full scale is said from here on."""
    del link
    depth = image.depth if real(image) else 'u8' if image.kind == 'u8' else 'u16'
    planes = [[[float(value) for value in row] for row in plane] for plane in image.planes]
    return image.like(planes, errors=image.errors, slack=image.slack, kind='f64', depth=depth,
                      limits=None, bilevel=False)


def line_of(n, sums, e, eps, steps):
    """(a, b, error of a, of b) of a window of n pixels: sums of p, g, g g and g p, off by e."""
    m_p, m_g, gg, gp = (Fraction(value) / n for value in sums)
    variance_, covariance = gg - m_g * m_g, gp - m_g * m_p
    a = covariance / (variance_ + eps)
    b = m_p - a * m_g
    e_mp, e_mg, e_var, e_cov = (value / n for value in e)
    e_var += 2 * abs(float(m_g)) * e_mg + e_mg**2
    e_cov += abs(float(m_g)) * e_mp + abs(float(m_p)) * e_mg + e_mg * e_mp
    loss = 16 * U * float(gg + abs(gp) + m_p * m_p)
    least = float(variance_ + eps) - e_var
    e_a = math.inf
    if least > 0:
        e_a = (e_cov + loss + abs(float(a)) * (e_var + loss)) / least + steps[0]
    e_b = e_mp + abs(float(a)) * e_mg + e_a * (abs(float(m_g)) + e_mg) + steps[1]
    e_b += SLACK * float(abs(m_p) + abs(a * m_g))
    a, b = as_float(a), as_float(b)
    return a, b, e_a + U * abs(a), e_b + U * abs(b)


def lines(image, windows, sample, guide, eps, full, guide_full, tops):
    """(values, errors) of one channel: the mean lines at the guide's samples. tops: the largest sample
    of the image over that of the guide."""
    window, back = windows
    beyond = window.constant or 0
    other = beyond
    if guide is not sample:
        other = Fraction(beyond) * Fraction(guide_full) / Fraction(full)
        other = other if real(image) else min(half_up(other), guide_full)
    sums = [Sums(image, window, factors, outside) for factors, outside in
            (([sample], beyond), ([guide], other), ([guide] * 2, other**2),
             ([guide, sample], other * beyond))]
    steps = (0, 0)
    if not real(image):
        steps = (2.0**-25 * tops, 2.0**-17 if full < 256 else 2.0**-9)
    areas, found = window.areas(), [blank(image) for _ in range(4)]
    for y, x, values, e in each(image, *sums):
        line = line_of(areas[y][x], values, e, Fraction(eps) * guide_full**2, steps)
        for plane, value in zip(found, line):
            plane[y][x] = value
    slopes, offsets, e_slopes, e_offsets = found
    middle = image.like(image.planes, kind='f64')
    s_a = Sums(middle, back, [(slopes, e_slopes)], 0)  # beyond a constant border a is 0, b is V
    s_b = Sums(middle, back, [(offsets, e_offsets)])
    areas, values, errors = back.areas(), blank(image), blank(image)
    for y, x, (ta, tb), (e_a, e_b) in each(image, s_a, s_b):
        n, at, off = areas[y][x], Fraction(guide[0][y][x]), guide[1][y][x] if guide[1] else 0
        values[y][x] = (Fraction(ta) * at + Fraction(tb)) / n
        error = e_a * (abs(float(at)) + off) + e_b + abs(float(ta)) * off
        errors[y][x] = (error + SLACK * float(abs(ta * at) + abs(tb))) / n
    return values, errors


# ----------------------------------------------------------------------------- templates and moves

def template(image, link):
    rects = link['rects']

    def function(channel, _):
        sample = (image.planes[channel], image.errors and image.errors[channel])
        parts = [Sums(image, Window(image.width, image.height, link, rect), [sample])
                 for rect, _ in rects]
        exact = all(part.exact for part in parts)
        for y, x, values, errors in each(image, *parts):
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


def transpose(image, _):
    return moved(image, image.height, image.width, lambda x, y: (y, x))


def rotate(image, link):
    w, h = image.width, image.height
    if link['value'] == '90':
        return moved(image, h, w, lambda x, y: (y, h - 1 - x))
    if link['value'] == '180':
        return moved(image, w, h, lambda x, y: (w - 1 - x, h - 1 - y))
    return moved(image, h, w, lambda x, y: (w - 1 - y, x))


def flip(image, link):
    w, h = image.width, image.height
    if link['value'] == 'h':
        return moved(image, w, h, lambda x, y: (w - 1 - x, y))
    return moved(image, w, h, lambda x, y: (x, h - 1 - y))


def permute(image, link):
    w = image.width
    return moved(image, w, image.height,
                 lambda x, y: divmod(link['order'][y * w + x], w)[::-1])


FILTERS = {'box': box, 'gauss': gauss, 'dog': dog, 'variance': variance, 'stddev': stddev, 'sum': total,
           'unsharp': unsharp, 'highpass': highpass, 'flatten': flatten, 'normalize': normalize, 'guided': guided,
           'by': by, 'real': widened, 'template': template, 'integral': integral,
           'transpose': transpose, 'rotate': rotate,
           'flip': flip, 'permute': permute}
