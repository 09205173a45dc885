"""Windows, borders and sums of the model (model.py), in exact integers and fractions."""
import itertools
import math
from fractions import Fraction

U = 2.0**-53
SLACK = 8 * U  # a few roundings of a formula in double


def real(image):
    return image.kind in ('f32', 'f64')


def half_up(value):
    return math.floor(value + Fraction(1, 2))


def as_float(value):
    """An exact number as the nearest double."""
    return value.numerator / value.denominator if isinstance(value, Fraction) else float(value)


# ------------------------------------------------------------------------------------- windows

def inside(i, n, border):
    """Where coordinate i of an axis of n pixels comes from; None: from outside."""
    if 0 <= i < n:
        return i
    if border in ('clamp', 'valid'):
        return min(max(i, 0), n - 1)
    if border == 'wrap':
        return i % n
    if border == 'reflect':
        return min(i % (2 * n), 2 * n - 1 - i % (2 * n))
    if border == 'mirror':
        period = max(2 * n - 2, 1)
        return min(i % period, period - i % period) if n > 1 else 0
    return None


def sliding(line, length):
    """The sums of each so many numbers of a line that follow one another."""
    total = [0, *itertools.accumulate(line)]
    return [b - a for a, b in zip(total, total[length:])]


def extremes(line, length, pick):
    """Of each so many numbers of a line that follow one another the least, or the greatest."""
    ahead, behind = [], []
    for first in range(0, len(line), length):
        part = line[first:first + length]
        ahead += itertools.accumulate(part, pick)
        behind += reversed(list(itertools.accumulate(reversed(part), pick)))
    return [pick(a, b) for a, b in zip(behind, ahead[length - 1:])]


class Window:
    """The rectangle over which a filter sums, (x, y) from each place of a picture, with the border of
    link. before: so many columns and rows of places more, in front of the picture's first."""

    def __init__(self, width, height, link, rect, before=(0, 0)):
        x, y, self.w, self.h = rect
        self.border = link['border']
        self.constant = link.get('constant', 0) if self.border == 'constant' else None
        self.tables = link.get('tables', False)
        self.columns, self.rows = ([inside(i, n, self.border) for i in range(first - more, first + n + side - 1)]
                                   for n, first, side, more in ((width, x, self.w, before[0]),
                                                                (height, y, self.h, before[1])))

    def sums(self, plane, outside=0):
        """The exact sums of a plane of integers; outside is a sample beyond a constant border."""
        across = [sliding([outside if i is None else row[i] for i in self.columns], self.w) for row in plane]
        beyond = [outside * self.w] * len(across[0])
        lines = [beyond if i is None else across[i] for i in self.rows]
        return [list(row) for row in zip(*[sliding(column, self.h) for column in zip(*lines)])]

    def ranges(self, plane, weights=None):
        """The differences of the greatest and the least sample that count; 0 where none does."""
        def far(pick, none):
            counted = [[value if not weights or weights[y][x] else none for x, value in enumerate(row)]
                       for y, row in enumerate(plane)]
            outside = none if self.border == 'shrink' or weights and not self.constant else self.constant or 0
            across = [extremes([outside if i is None else row[i] for i in self.columns], self.w, pick)
                      for row in counted]
            lines = [[outside] * len(across[0]) if i is None else across[i] for i in self.rows]
            return zip(*[extremes(column, self.h, pick) for column in zip(*lines)])

        return [[float(high - low) if high > low else 0.0 for high, low in zip(*rows)]
                for rows in zip(far(max, -math.inf), far(min, math.inf))]

    def areas(self):
        """The numbers of pixels that count."""
        if self.border == 'shrink':
            return self.sums([[1] * (1 + max(i or 0 for i in self.columns))] *
                             (1 + max(i or 0 for i in self.rows)))
        return [[self.w * self.h] * (len(self.columns) - self.w + 1) for _ in self.rows[self.h - 1:]]


def window_of(image, link):
    (w, h), (x, y) = link['size'], link.get('at', (0, 0))
    return Window(image.width, image.height, link, (x - w // 2, y - h // 2, w, h))


def bounds(image, link):
    """The possible range of what a window holds: a constant border's value belongs to it."""
    if image.span and link['border'] == 'constant':
        return min(image.span[0], link['constant']), max(image.span[1], link['constant'])
    return image.span


def valid_part(image, link):
    """(rows, columns) of the pixels that have a result: under border valid those whose windows,
    in all steps, lie inside the image; else all."""
    if link['border'] != 'valid':
        return range(image.height), range(image.width)
    if 'rects' in link:
        rects = [rect for rect, _ in link['rects']] + [(0, 0, 1, 1)]
        left, above = -min(x for x, *_ in rects), -min(y for _, y, *_ in rects)
        right, below = (max(x + w for x, _, w, _ in rects) - 1,
                        max(y + h for _, y, _, h in rects) - 1)
    else:
        (w, h), (x, y) = link['size'], link.get('at', (0, 0))
        left, above = w // 2 - x, h // 2 - y
        right, below = w - 1 - left, h - 1 - above
    if link['name'] in ('guided', 'kuwahara'):
        left = right = left + right
        above = below = above + below
    return range(above, image.height - below), range(left, image.width - right)


def trimmed(result, image, link):
    """What is left of what the filter makes of all pixels, which is not rounded yet."""
    rows, columns = valid_part(image, link)

    def trim(planes):
        return planes and [[[plane[y][x] for x in columns] for y in rows] for plane in planes]

    if link['border'] != 'valid':
        return result
    out = result.like(trim(result.planes), slack=result.slack)
    out.errors = trim(result.errors)
    out.either = [trimmed(one, image, link) for one in result.either]
    return out


# ---------------------------------------------------------------------------------------- sums

def scaled(plane):
    """(integers, d): the plane times d."""
    if all(isinstance(value, int) for row in plane for value in row):
        return plane, 1
    ratios = [[value.as_integer_ratio() for value in row] for row in plane]
    d = math.lcm(*{below for row in ratios for _, below in row})
    return [[above * (d // below) for above, below in row] for row in ratios], d


def over(numerator, d):
    return numerator if d == 1 else Fraction(numerator, d)


def magnitudes(window, plane):
    """The sums over a window of doubles that are not negative, each rounded up a little."""
    finite = [value for row in plane for value in row if value < math.inf]
    if not any(map(any, plane)):
        return None
    unit = max(2.0**-1022, math.ldexp(1.0, math.frexp(max(finite, default=0))[1] - 60))
    sums = window.sums([[math.ceil(value / unit) if value < math.inf else 0 for value in row] for row in plane])
    sums = [[value * unit for value in row] for row in sums]
    if len(finite) < sum(map(len, plane)):
        beyond = window.sums([[int(value == math.inf) for value in row] for row in plane])
        sums = [[math.inf if n else value for value, n in zip(*rows)] for rows in zip(sums, beyond)]
    return sums


def added(*planes):
    """The sum of planes, of which some may be None."""
    planes = [plane for plane in planes if plane]
    return [[sum(values) for values in zip(*rows)] for rows in zip(*planes)] if planes else None


class Sums:
    """Sums of products of planes over a window: place (x, y) has value[y][x], off by at most
    error[y][x], if error is not None; inputs: the part of it that samples are off by. size: the same sum of
    magnitudes, of floats. outside: the product beyond a constant border."""

    def __init__(self, image, window, factors, outside=None):
        planes, d = [], 1
        for plane, _ in factors:
            integers, scale = scaled(plane)
            planes.append(integers)
            d *= scale
        product = planes[0] if len(planes) == 1 else \
            [[math.prod(values) for values in zip(*rows)] for rows in zip(*planes)]
        if outside is None:
            outside = Fraction(window.constant or 0)**len(factors)
        outside = Fraction(outside) * d
        if outside.denominator != 1:
            product = [[value * outside.denominator for value in row] for row in product]
            d, outside = d * outside.denominator, outside * outside.denominator
        outside = int(outside)
        self.value = [[over(value, d) for value in row] for row in window.sums(product, outside)]
        self.inputs = self.of_inputs(window, factors) if any(errors for _, errors in factors) else None
        self.error, self.size = self.inputs, None
        self.exact = not self.inputs and (not real(image) or self.is_exact(window, product, outside))
        if real(image):
            sums = self.value
            if outside < 0 or min(map(min, product)) < 0:
                sums = [[over(value, d) for value in row]
                        for row in window.sums([list(map(abs, row)) for row in product], abs(outside))]
            self.size = [[as_float(value) for value in row] for row in sums]
            if not self.exact:
                self.error = added(self.inputs, self.roundings(image, window, len(factors), product, abs(outside), d))

    @staticmethod
    def total(window, product, outside):
        return sum(abs(value) for row in product for value in row) + abs(outside) * window.w * window.h

    @staticmethod
    def reach(window):
        return (2 * window.w + 7) * (2 * window.h + 7)

    def is_exact(self, window, product, outside):
        """Whether no engine rounds anything."""
        return self.total(window, product, outside) * self.reach(window) < 2**53

    def roundings(self, image, window, factors, product, outside, d):
        """How far off any engine's sums may be: by this window's samples alone, but for tables."""
        if window.tables:
            bound = self.reach(window) * (image.width + image.height + 12) * U
            bound *= as_float(Fraction(self.total(window, product, outside), d))
            return [[bound] * len(row) for row in self.value]
        bound = (window.w + window.h + factors) * U
        return [[bound * size for size in row] for row in self.size]

    @staticmethod
    def of_inputs(window, factors):
        """How far off the sums are because samples are."""
        size = [[1.0] * len(row) for row in factors[0][0]]
        far = [[0.0] * len(row) for row in size]
        for plane, errors in factors:
            for y, row in enumerate(plane):
                for x, value in enumerate(row):
                    value, error = abs(float(value)), errors[y][x] if errors else 0
                    if math.inf in (error, far[y][x]):
                        far[y][x] = math.inf
                    elif error or far[y][x]:
                        far[y][x] = size[y][x] * error + far[y][x] * (value + error)
                    size[y][x] *= value
        return magnitudes(window, [[value * 1.0001 for value in row] for row in far])


def moments(image, channel, window, power, weighted):
    """[W, S, S2 ...] up to that power: sums of weights, of samples and of their squares."""
    sample = image.channel(channel)
    weight = [image.channel(-1)] if weighted else []
    out = [Sums(image, window, weight + [sample] * k) for k in range(1, power + 1)]
    if weighted:
        return [Sums(image, window, weight)] + out
    areas = Sums.__new__(Sums)
    areas.value, areas.error, areas.inputs, areas.exact = window.areas(), None, None, True
    return [areas] + out


def each(*sums):
    """For each place the values of sums and how far each is off."""
    for y in range(len(sums[0].value)):
        for x in range(len(sums[0].value[0])):
            yield (y, x, [s.value[y][x] for s in sums],
                   [s.error[y][x] if s.error else 0 for s in sums])


def quotient_error(value, weight, e_sum, e_weight):
    """How far S / W is off, S and W being off by those errors."""
    if not e_sum and not e_weight:
        return 0
    if weight <= e_weight:
        return math.inf
    return (e_sum + abs(float(value)) * e_weight) / (float(weight) - e_weight)


# ---------------------------------------------------------------------------------- results

def blank(image):
    return [[0] * image.width for _ in range(image.height)]


def collect(image, results, **changes):
    """The Image of a list of (values, errors), a pair for each channel."""
    changes = {'bilevel': False, 'limits': None, **({'depth': None} if 'kind' in changes else {}), **changes}
    return image.of_pairs(results, **changes)


def kept(image, channel):
    """A channel's samples as they are: (y, x, value, error)."""
    for y, row in enumerate(image.planes[channel]):
        for x, value in enumerate(row):
            yield y, x, value, image.error(channel, y, x)


def channels(image, function, alpha=None):
    """A list of (values, errors); function(channel, weighted) yields (y, x, value, error), alpha(image, channel) those
    of alpha if it is no channel as any."""
    out = []
    for channel in range(image.channels):
        values, errors = blank(image), blank(image)
        weighted = image.alpha and channel < image.channels - 1
        samples = alpha(image, channel) if alpha and image.alpha and not weighted else function(channel, weighted)
        for y, x, value, error in samples:
            values[y][x], errors[y][x] = value, error
        out.append((values, errors))
    return out
