"""What each filter computes, in exact integers and fractions, by the pages in docs/ and --help.

A filter takes an Image and returns one whose samples are not rounded yet. Beside each sample stands
how far the documentation lets the result be from it: 0 for integers, the bounds of docs/design.md
for sums of floats that are not exact. FILTERS maps names to functions of (image, link), link being
a dict of the parameters.
"""
import math
from fractions import Fraction

from model_files import TOP
from model_sums import (SLACK, U, Sums, Window, as_float, blank, channels, collect, each, half_up,
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


def bounds(image, link):
    """The possible range of what a window holds: a constant border's value belongs to it."""
    if image.span and link['border'] == 'constant':
        return min(image.span[0], link['constant']), max(image.span[1], link['constant'])
    return image.span


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


# --------------------------------------------------------------------- sharpening, black and white

def full_of(image, link):
    """The full scale for the filter: the picture's, or of integers a lesser one, of floats any one
    that full= says."""
    full = link.get('full') or image.full
    return full if real(image) else min(full, image.full)


def unsharp(image, link):
    window = window_of(image, link)
    amount = Fraction(float(link['amount']))
    if not real(image):
        amount = Fraction(half_up(Fraction(link['amount']) * 10000), 10000)

    def function(channel, weighted):
        plane, error_plane = image.planes[channel], image.errors and image.errors[channel]
        if image.alpha and not weighted:
            for y, row in enumerate(plane):
                for x, value in enumerate(row):
                    yield y, x, value, error_plane[y][x] if error_plane else 0
            return
        w, s = moments(image, channel, window, 1, weighted)
        for y, x, (weight, total_), (e_weight, e_total) in each(image, w, s):
            p, e_p = Fraction(plane[y][x]), error_plane[y][x] if error_plane else 0
            m, e_m = mean(image, weight, total_, e_weight, e_total, s.exact and w.exact, weighted)
            if weight == 0:
                m = p
            value = p + amount * (p - Fraction(m))
            error = float(amount) * e_m + (1 + float(amount)) * e_p
            if real(image):
                size = abs(p) + amount * (abs(p) + abs(Fraction(m)))
                error += SLACK * float(size)
            yield y, x, value, error

    return collect(image, channels(image, function), slack=SLACK,
                   limits=limits(image, link, image.channels - bool(image.alpha)))


def limits(image, link, count):
    """The largest samples of so many channels that the full scale limits, and of the others."""
    if real(image):
        return None
    return [full_of(image, link)] * count + [image.full] * (image.channels - count)


def grey(image):
    """The image as grey, and alpha if there is."""
    colours = image.channels - bool(image.alpha)
    if colours == 1:
        return image
    rgb, values = image.planes[:3], blank(image)
    for y in range(image.height):
        for x in range(image.width):
            r, g, b = (plane[y][x] for plane in rgb)
            values[y][x] = (0.299 * float(r) + 0.587 * float(g) + 0.114 * float(b)
                            if real(image) else (299 * r + 587 * g + 114 * b + 500) // 1000)
    out = image.like([values] + image.planes[3:], kind='f64' if real(image) else image.kind)
    if image.errors:
        first = [[sum(plane[y][x] for plane in image.errors[:3]) * 1.0001
                  for x in range(image.width)] for y in range(image.height)]
        if not real(image):
            first = [[value and value + 1 for value in row] for row in first]
        out.errors = [first] + image.errors[3:]
    return out


def threshold(image, link, survey, limit):
    """White where a pixel is above limit(m, s, found) = (T, error), found being survey's."""
    image = grey(image)
    window = window_of(image, link)
    plane, errors = image.planes[0], image.errors and image.errors[0]
    rows, flat = [], []
    for y, x, values, off, spread_, error in variances(image, 0, window, bool(image.alpha)):
        s, e_s = root(spread_, error)
        weight, total_ = values[:2]
        m = as_float(total_ / Fraction(weight)) if weight else 0.0
        e_m = quotient_error(m, weight, off[1], off[0]) if weight else 0
        if real(image):
            e_m += 4 * U * abs(m)
            e_s += 4 * U * s
        rows.append((y, x, weight == 0 and off[0] == 0, m, e_m, s, e_s))
        flat.append((s, e_s))
    found = survey(image, flat)
    values, out_errors = blank(image), blank(image)
    for y, x, clear, m, e_m, s, e_s in rows:
        p, e_p = float(plane[y][x]), errors[y][x] if errors else 0
        bound, error = limit(m, e_m, s, e_s, found)
        error += e_p
        values[y][x] = 255 if clear or p > bound else 0
        out_errors[y][x] = 255 if error and abs(p - bound) <= error and not clear else 0
    return collect(image, [(values, out_errors)], kind='u8', full=255, span=(0, 255), alpha=False,
                   alpha_span=None, bilevel=True)


def sauvola(image, link):
    k, r = float(link['k']), float(link['r'])
    if not real(image) or link.get('full'):
        r = r * (full_of(image, link) / 255)

    def limit(m, e_m, s, e_s, _):
        bound = m * (1 + k * (s / r - 1))
        error = 0
        if e_m or e_s:
            error = e_m * abs(1 + k * (s / r - 1)) + (abs(m) + e_m) * abs(k) * e_s / r
            error += SLACK * (abs(m) * (1 + abs(k) * (s / r + 1)))
        return bound, error

    return threshold(image, link, lambda *_: None, limit)


def wolf(image, link):
    k = float(link['k'])

    def survey(picture, deviations):
        weights = picture.planes[-1] if picture.alpha else None
        seen = [(value, picture.errors[0][y][x] if picture.errors else 0)
                for y, row in enumerate(picture.planes[0]) for x, value in enumerate(row)
                if not weights or weights[y][x]]
        least = min((float(value) for value, _ in seen), default=0.0)
        return (max(s for s, _ in deviations), max(e for _, e in deviations), least,
                max((e for _, e in seen), default=0))

    def limit(m, e_m, s, e_s, found):
        most, e_most, least, e_least = found
        if most <= e_most:
            return -math.inf if most == 0 and e_most == 0 else 0, math.inf if e_most else 0
        bound = m - k * (1 - s / most) * (m - least)
        error = 0
        if e_m or e_s or e_most or e_least:
            share = abs(1 - s / most)
            e_share = (e_s + e_most * s / most) / (most - e_most)
            error = e_m + abs(k) * ((share + e_share) * (e_m + e_least) + e_share * abs(m - least))
            error += SLACK * (abs(m) + abs(k) * (1 + s / most) * (abs(m) + abs(least)))
        return bound, error

    return threshold(image, link, survey, limit)


# ----------------------------------------------------------------------------------------- guided

def guided(image, link):
    """a and b of each window, then their means over the windows that contain a pixel: those of the
    pixels of the mirrored window."""
    (w, h), (x, y) = link['size'], link.get('at', (0, 0))
    left, above = w // 2 - x, h // 2 - y
    windows = (Window(image.width, image.height, link, (-left, -above, w, h)),
               Window(image.width, image.height, link, (left - w + 1, above - h + 1, w, h)))
    guide, full, out = link.get('guide'), full_of(image, link), []
    for channel in range(image.channels):
        sample = (image.planes[channel], image.errors and image.errors[channel])
        if guide:
            other = (guide.planes[channel if guide.channels > 1 else 0], None)
        out.append(lines(image, windows, sample, other if guide else sample, float(link['eps']),
                         full, guide_full(guide, link) if guide else full))
    return collect(image, out, slack=SLACK, limits=limits(image, link, image.channels))


def guide_full(guide, link):
    """full= counts for a guide that does not say its own."""
    said = not real(guide) and guide.full != TOP[guide.kind]
    return guide.full if said else full_of(guide, link)


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


def lines(image, windows, sample, guide, eps, full, guide_full):
    """(values, errors) of one channel: the mean lines at the guide's samples."""
    window, back = windows
    beyond = window.constant or 0
    other = beyond
    if guide is not sample and not real(image):
        other = min(half_up(Fraction(beyond * guide_full, full)), guide_full)
    sums = [Sums(image, window, factors, outside) for factors, outside in
            (([sample], beyond), ([guide], other), ([guide] * 2, other**2),
             ([guide, sample], other * beyond))]
    steps = (0, 0)
    if not real(image):
        steps = (2.0**-25 * full / guide_full, 2.0**-17 if full < 256 else 2.0**-9)
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


FILTERS = {'box': box, 'variance': variance, 'stddev': stddev, 'sum': total, 'unsharp': unsharp,
           'guided': guided, 'sauvola': sauvola, 'wolf': wolf, 'template': template,
           'integral': integral, 'transpose': transpose, 'rotate': rotate, 'flip': flip,
           'permute': permute}
