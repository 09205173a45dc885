"""Filters to black and white, as filters.py has the others. THRESHOLDS maps their names."""
import bisect
import math
from collections import namedtuple
from fractions import Fraction

from files import single
from light import full_of, level_of, thousandths
from moments import local, root, variances
from sums import SLACK, as_float, blank, bounds, collect, real, valid_part, window_of


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


def only_grey(image, _):
    """The filter grey: in the image's type."""
    out = grey(image)
    if out is image:
        return image
    values = out.planes[0]
    if image.kind == 'f32':
        values = [list(map(single, row)) for row in values]
        if out.errors:
            out.errors[0] = [[e and e + abs(v) * 2**-23 for e, v in zip(*rows)] for rows in zip(out.errors[0], values)]
    out.kind, out.planes = image.kind, [values] + out.planes[1:]
    out.limits = image.limits and [image.limits[0]] + list(image.limits[3:])
    return out


def threshold(image, link, limit, low, high, reduction=lambda *_: None):
    """White where a pixel is above limit(Local, found) = (T, error, size of what T is a sum of),
    found being reduction's. low, high: what T may be."""
    span = bounds(image, link)
    span = span and (min(span[0], low(*span)), max(span[1], high(*span)))
    image = grey(image)
    window = window_of(image, link)
    plane, errors = image.channel(0)
    rows, flat = [], []
    for y, x, of in variances(image, 0, window, bool(image.alpha)):
        rows.append((y, x, local(image, of)))
        flat.append(root(of.variance, of.e_variance) if of else (0.0, 0))
    found = reduction(image, flat)
    values, out_errors = blank(image), blank(image)
    white = 0 if link.get('invert') else 255
    for y, x, w in rows:
        bound, error, size = limit(w, found) if w else (0, 0, 0)
        error = math.inf if math.isnan(error) else error
        if real(image):
            error += SLACK * abs(float(plane[y][x]))
        if link.get('surface'):
            values[y][x] = as_float(bound)
            out_errors[y][x] = error + SLACK * size if w else 0
            continue
        p, error = plane[y][x], error + (errors[y][x] if errors else 0)
        alike = found is not None and found.alike
        values[y][x] = white if not w or alike or p > bound else 255 - white
        doubt = alike is None or (error and abs(p - bound) <= error)
        out_errors[y][x] = 255 if w and not alike and doubt else 0
    changes = {'alpha': False, 'alpha_span': None}
    if link.get('surface'):
        changes.update(kind='f64', full=1, span=span)
    else:
        changes.update(kind='u8', full=255, span=(0, 255), bilevel=True)
    return collect(image, [(values, out_errors)], **changes)


def sauvola(image, link):
    k, r = float(link['k']), float(link['r']) * level_of(image, link)

    def limit(w, _):
        factor, size = 1 + k * (w.s / r - 1), abs(w.m) * (1 + abs(k) * (w.s / r + 1))
        error = 0
        if w.e_m or w.e_s:
            error = w.e_m * abs(factor) + (abs(w.m) + w.e_m) * abs(k) * w.e_s / r + SLACK * size
        return w.m * factor, error, size

    def products(low, high):
        rough = 1 - k + k * float(high - low) / 2 / r
        return [float(bound) * factor for bound in (low, high) for factor in (1 - k, rough)]

    return threshold(image, link, limit, lambda *span: min(products(*span)),
                     lambda *span: max(products(*span)))


# alike: whether no window deviates; None: nobody knows.
Reduction = namedtuple('Reduction', 'most e_most least e_least alike')


def wolf(image, link):
    k = float(link['k'])
    rows, columns = valid_part(image, link)

    def reduction(picture, deviations):
        weights = picture.planes[-1] if picture.alpha else None
        places = [(y, x) for y in rows for x in columns]
        seen = [(picture.planes[0][y][x], picture.errors[0][y][x] if picture.errors else 0)
                for y, x in places if not weights or weights[y][x]]
        deviations = [deviations[y * picture.width + x] for y, x in places]
        least = min((float(value) for value, _ in seen), default=0.0)
        most, e_most = max(s for s, _ in deviations), max(e for _, e in deviations)
        return Reduction(most, e_most, least, max((e for _, e in seen), default=0),
                      False if most > e_most else None if e_most else True)

    def limit(w, found):
        most, e_most, least, e_least = found[:4]
        if found.alike is None:
            return 0, math.inf, 0
        part, e_part = (0, 0) if found.alike else (w.s / most, 0)
        error, size = 0, abs(w.m) + abs(k) * (1 + part) * (abs(w.m) + abs(least))
        if w.e_m or w.e_s or e_most or e_least:
            if not found.alike:
                e_part = (w.e_s + e_most * part) / (most - e_most)
            error = w.e_m + abs(k) * ((abs(1 - part) + e_part) * (w.e_m + e_least)
                                      + e_part * abs(w.m - least))
            error += SLACK * size
        return w.m - k * (1 - part) * (w.m - least), error, size

    def far(low, high):
        return float(high) - k * float(high - low)

    return threshold(image, link, limit, far, far, reduction)


def mean_threshold(image, link, factor, offset, low, high):
    """T = factor m - offset, exactly of integers."""
    def limit(w, _):
        size = abs(w.m) * float(factor) + abs(float(offset))
        if not real(image):
            return factor * w.mean - offset, w.e_m * float(factor), size
        error = w.e_m * float(factor) + SLACK * size if w.e_m else 0
        return w.m * float(factor) - float(offset), error, size

    return threshold(image, link, limit, low, high)


def adaptive(image, link):
    offset = Fraction(float(link['offset'])) * Fraction(level_of(image, link))
    steps = offset
    if not real(image):
        steps = thousandths(link['offset']) * full_of(image, link) / 255
    return mean_threshold(image, link, 1, steps, lambda low, high: low - offset,
                          lambda low, high: high - offset)


def bradley(image, link):
    percent = thousandths(link['percent'])
    factor = 1 - Fraction(float(link['percent'])) / 100 if real(image) else 1 - percent / 100
    return mean_threshold(image, link, factor, 0, lambda low, high: low * factor,
                          lambda low, high: high * factor)


def niblack(image, link):
    k = float(link['k'])

    def limit(w, _):
        size = abs(w.m) + abs(k) * w.s
        error = w.e_m + abs(k) * w.e_s + SLACK * size if w.e_m or w.e_s else 0
        return w.m + k * w.s, error, size

    beyond = (math.sqrt(1 + k * k) - 1) / 2
    return threshold(image, link, limit,
                     lambda low, high: low - (float(high - low) * beyond if k < 0 else 0),
                     lambda low, high: high + (float(high - low) * beyond if k > 0 else 0))


def nick(image, link):
    k = float(link['k'])

    def limit(w, _):
        q, e_q = root(as_float(w.square), w.e_square)
        size = abs(w.m) + abs(k) * q
        error = w.e_m + abs(k) * e_q + SLACK * size if w.e_m or e_q else 0
        return w.m + k * q, error, size

    def far(low, high):
        return k * float(max(abs(low), abs(high)))

    return threshold(image, link, limit, lambda *span: span[0] + min(far(*span), 0),
                     lambda *span: span[1] + max(far(*span), 0))


def otsu(image):
    """The first level that makes q1 q2 (m1 - m2)^2 greatest; -1 where none parts anything."""
    counts = {}
    for y, row in enumerate(image.planes[0]):
        for x, value in enumerate(row):
            counts[value] = counts.get(value, 0) + (image.planes[-1][y][x] if image.alpha else 1)
    n, s = sum(counts.values()), sum(level * count for level, count in counts.items())
    best, most, n1, s1 = -1, 0, 0, 0
    for level in sorted(counts):
        n1, s1 = n1 + counts[level], s1 + level * counts[level]
        merit = Fraction((n * s1 - n1 * s)**2, n1 * (n - n1)) if 0 < n1 < n else 0
        if merit > most:
            best, most = level, merit
    return best


def otsu_of_floats(image, full):
    """The upper edge of a bin of 256, by the level of these."""
    samples = [float(value) for row in image.planes[0] for value in row]
    alphas = [float(value) for row in image.planes[-1] for value in row]
    times = [math.floor(min(65535, alpha / full * 65535 + 0.5)) if image.alpha else 1 for alpha in alphas]
    counted = [value for value, n in zip(samples, times) if n > 0 and math.isfinite(value)] or [0]
    low, high = min(counted) / 2, max(counted) / 2
    edges = [2 * (low + (high - low) * (k / 256)) for k in range(1, 257)]
    bins = [bisect.bisect_left(edges[:-1], value) if math.isfinite(value) else 0 for value in samples]
    counts = [0 if not math.isfinite(value) else n for value, n in zip(samples, times)]
    level = otsu(image.like([[bins], [counts]], alpha=True))
    return edges[level] if level >= 0 else math.nextafter(min(counted), -math.inf)


def one_level(image, link):
    error = 0
    if link['level'] == 'otsu':
        picture = grey(image)
        level = otsu_of_floats(picture, full_of(image, link)) if real(image) else otsu(picture)
        unsure = any(e for plane in picture.errors or () for row in plane for e in row)
        error = math.inf if unsure else 0
    elif real(image):
        level = float(link['level']) * level_of(image, link)
    else:
        level = thousandths(link['level']) * full_of(image, link) / 255
    return threshold(image, {**link, 'size': (1, 1)}, lambda w, _: (level, error, 0),
                     lambda *_: max(level, 0), lambda *_: level)  # -1 is shown as 0


THRESHOLDS = {'grey': only_grey, 'sauvola': sauvola, 'wolf': wolf, 'adaptive': adaptive, 'bradley': bradley,
              'niblack': niblack, 'nick': nick, 'threshold': one_level}
