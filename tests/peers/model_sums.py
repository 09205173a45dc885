"""Windows, borders and sums of the model (model.py), in exact integers and fractions."""
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


# ------------------------------------------------------------------------------- windows and sums

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


def axis(n, start, length, border):
    """For each place how often each pixel counts in start ... start + length - 1 from there on."""
    places = []
    for x in range(n):
        counts = {}
        for i in range(x + start, x + start + length):
            i = inside(i, n, border)
            counts[i] = counts.get(i, 0) + 1
        outside = counts.pop(None, 0)
        places.append((list(counts.items()), outside))
    return places


class Window:
    """The rectangle over which a filter sums, with the border of link."""

    def __init__(self, width, height, link, rect):
        x, y, self.w, self.h = rect
        self.border = link['border']
        self.constant = link.get('constant', 0) if self.border == 'constant' else None
        self.columns = axis(width, x, self.w, self.border)
        self.rows = axis(height, y, self.h, self.border)

    def sums(self, plane, outside=0):
        """The exact sums of a plane of integers; outside is a sample beyond a constant border."""
        across = [[sum([count * row[i] for i, count in items]) + (beyond * outside if beyond else 0)
                   for items, beyond in self.columns] for row in plane]
        line = outside * self.w
        return [[sum([count * across[i][x] for i, count in items])
                 + (beyond * line if beyond else 0) for x in range(len(self.columns))]
                for items, beyond in self.rows]

    def areas(self):
        """The numbers of pixels that count."""
        if self.border != 'shrink':
            return [[self.w * self.h] * len(self.columns) for _ in self.rows]
        return self.sums([[1] * len(self.columns) for _ in self.rows])


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
    return out


def scaled(plane):
    """(integers, d): the plane times d."""
    if all(isinstance(value, int) for row in plane for value in row):
        return plane, 1
    fractions = [[Fraction(value) for value in row] for row in plane]
    d = math.lcm(*(value.denominator for row in fractions for value in row))
    return [[value.numerator * (d // value.denominator) for value in row] for row in fractions], d


def over(numerator, d):
    return numerator if d == 1 else Fraction(numerator, d)


class Sums:
    """Sums of products of planes over a window: sample (x, y) is value[y][x], off by at most
    error[y][x], if error is not None. outside: the product beyond a constant border."""

    def __init__(self, image, window, factors, outside=None):
        planes, d = [], 1
        for plane, _ in factors:
            integers, scale = scaled(plane)
            planes.append(integers)
            d *= scale
        product = [[math.prod(values) for values in zip(*rows)] for rows in zip(*planes)]
        if outside is None:
            outside = Fraction(window.constant or 0)**len(factors)
        outside = Fraction(outside) * d
        if outside.denominator != 1:
            product = [[value * outside.denominator for value in row] for row in product]
            d, outside = d * outside.denominator, outside * outside.denominator
        sums = window.sums(product, int(outside))
        self.value = [[over(value, d) for value in row] for row in sums]
        self.error = None
        inputs = any(any(map(any, errors)) for _, errors in factors if errors)
        if inputs:
            self.error = self.of_inputs(window, factors)
        magnitude = sum(abs(value) for row in product for value in row)
        magnitude += abs(int(outside)) * window.w * window.h
        reach = (2 * window.w + 7) * (2 * window.h + 7)
        self.exact = not inputs and (not real(image) or magnitude * reach < 2**53)
        if real(image) and not self.exact:
            bound = reach * (image.width + image.height + 12) * U * float(Fraction(magnitude, d))
            old = self.error or [[0] * image.width for _ in sums]
            self.error = [[bound + value for value in row] for row in old]

    @staticmethod
    def of_inputs(window, factors):
        """How far off the sums are because samples are."""
        least = [[1.0] * len(row) for row in factors[0][0]]
        most = [row[:] for row in least]
        for plane, errors in factors:
            for y, row in enumerate(plane):
                for x, value in enumerate(row):
                    size = abs(float(value))
                    least[y][x] *= size
                    most[y][x] *= size + (errors[y][x] if errors else 0)
        return window.sums([[(b - a) * 1.0001 + 1e-300 for a, b in zip(*rows)]
                            for rows in zip(least, most)])


def moments(image, channel, window, power, weighted):
    """[W, S, S2 ...] up to that power: sums of weights, of samples and of their squares."""
    sample = (image.planes[channel], image.errors and image.errors[channel])
    weight = [(image.planes[-1], image.errors and image.errors[-1])] if weighted else []
    out = [Sums(image, window, weight + [sample] * k) for k in range(1, power + 1)]
    if weighted:
        return [Sums(image, window, weight)] + out
    areas = Sums.__new__(Sums)
    areas.value, areas.error, areas.exact = window.areas(), None, True
    return [areas] + out


def each(image, *sums):
    """For each pixel the values of sums and how far each is off."""
    for y in range(image.height):
        for x in range(image.width):
            yield (y, x, [s.value[y][x] for s in sums],
                   [s.error[y][x] if s.error else 0 for s in sums])


def quotient_error(value, weight, e_sum, e_weight):
    """How far S / W is off, S and W being off by those errors."""
    if not e_sum and not e_weight:
        return 0
    if weight <= e_weight:
        return math.inf
    return (e_sum + abs(float(value)) * e_weight) / (float(weight) - e_weight)


def blank(image):
    return [[0] * image.width for _ in range(image.height)]


def collect(image, results, **changes):
    """The Image of a list of (values, errors), a pair for each channel."""
    changes = {'bilevel': False, 'limits': None, **({'depth': None} if 'kind' in changes else {}), **changes}
    out = image.like([values for values, _ in results], **changes)
    if any(error for _, errors in results for row in errors for error in row):
        out.errors = [errors for _, errors in results]
    return out


def channels(image, function):
    """A list of (values, errors); function(channel, weighted) yields (y, x, value, error)."""
    out = []
    for channel in range(image.channels):
        values, errors = blank(image), blank(image)
        weighted = image.alpha and channel < image.channels - 1
        for y, x, value, error in function(channel, weighted):
            values[y][x], errors[y][x] = value, error
        out.append((values, errors))
    return out
