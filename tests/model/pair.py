"""Filters of two pictures, and what makes one of real numbers, as filters.py has the others."""
import math
from fractions import Fraction

from files import TOP, Image
from light import colours, full_of, limits
from moments import variances
from sums import SLACK, U, Sums, Window, as_float, blank, channels, collect, each, half_up, kept, real


# --------------------------------------------------------------------------------------------- by

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
        plane = other.planes[channel if colours(other) > 1 else 0]
        s, e_s = by_scale(image, link, other, plane)
        for y, row in enumerate(image.planes[channel]):
            for x, p in enumerate(row):
                q = Fraction(plane[y][x]) * ratio
                e_p = image.error(channel, y, x)
                value, size = by_sample(link, Fraction(p), q, s, full)
                factor = {'mul': q * s, 'div': s / q if q else math.inf}.get(link['op'], 1)
                rest = size if s == 0 else size / abs(s)
                error = (abs(float(factor)) * e_p if e_p else 0) + e_s * float(rest)
                yield y, x, value, error + (SLACK * float(size) if floats else 0)

    return collect(image, channels(image, samples, kept), slack=SLACK,
                   limits=limits(image, link, colours(image)))


def widened(image, link):
    """real: the same numbers; of integers the full scale is said from here on."""
    del link
    depth = image.depth if real(image) else 'u8' if image.kind == 'u8' else 'u16'
    planes = [[[float(value) for value in row] for row in plane] for plane in image.planes]
    return image.like(planes, errors=image.errors, slack=image.slack, kind='f64', depth=depth,
                      limits=None, bilevel=False)



# ----------------------------------------------------------------------------------------- guided

def with_detail(image, sample, base, amount):
    """(values, errors) of q + A (p - q)."""
    (samples, off), (values, errors), far = sample, base, abs(1 - float(amount))
    for y in range(image.height):
        for x in range(image.width):
            p, q, e_p = Fraction(samples[y][x]), values[y][x], off[y][x] if off else 0
            values[y][x] = q + amount * (p - q)
            errors[y][x] = far * errors[y][x] + float(amount) * (e_p + SLACK * float(abs(p)))
    return values, errors


def line_of(image, means, errors, eps, steps):
    """(a, b, error of a, of b) of a window: means of p and of the guide g, variance of g, covariance of both; how far
    these are off."""
    m_p, m_g, variance, covariance = means
    e_mp, e_mg, e_var, e_cov = errors
    a = covariance / (variance + eps)
    b = m_p - a * m_g
    loss = 0 if real(image) else 16 * U * as_float(variance + abs(covariance) + m_p * m_p + m_g * m_g)
    least = as_float(variance + eps) - e_var
    e_a = math.inf
    if least > 0:
        e_a = (e_cov + loss + abs(as_float(a)) * (e_var + loss)) / least + steps[0] + SLACK * abs(as_float(a))
    e_b = e_mp + abs(as_float(a)) * e_mg + e_a * (abs(as_float(m_g)) + e_mg) + steps[1]
    e_b += SLACK * as_float(abs(m_p) + abs(a * m_g))
    a, b = as_float(a), as_float(b)
    return a, b, e_a + U * abs(a), e_b + U * abs(b)


def by_itself(image, window, channel):
    """Yields (y, x, means, errors) of each window for line_of(): the picture is its own guide."""
    for y, x, of in variances(image, channel, window, False):
        m, total, squares = (Fraction(value) for value in (of.mean, *of.sums[1:]))
        exact = squares / of.sums[0] - m * m
        yield y, x, (m, m, exact, exact), (of.e_mean, of.e_mean, of.e_variance, of.e_variance)


def by_guide(image, window, sample, guide, beyond, other):
    """The same of another guide. beyond, other: what lies outside of both."""
    sums = [Sums(image, window, factors, outside) for factors, outside in
            (([sample], beyond), ([guide], other), ([guide] * 2, other**2), ([guide, sample], other * beyond))]
    areas = window.areas()
    for y, x, values, errors in each(*sums):
        n = areas[y][x]
        m_p, m_g, gg, gp = (Fraction(value) / n for value in values)
        e_mp, e_mg, e_var, e_cov = (value / n for value in errors)
        e_var += 2 * abs(as_float(m_g)) * e_mg + e_mg**2
        e_cov += abs(as_float(m_g)) * e_mp + abs(as_float(m_p)) * e_mg + e_mg * e_mp
        if real(image):
            lost = 16 * U * as_float(gg + abs(gp) + m_p * m_p)
            e_var, e_cov = e_var + lost, e_cov + lost
        yield y, x, (m_p, m_g, gg - m_g * m_g, gp - m_g * m_p), (e_mp, e_mg, e_var, e_cov)


def by_colour(window, sample, guides, beyond, other, eps, steps):
    """Yields (y, x, [a of each colour, b], [how far these are off]) of each window: RGB guides as one."""
    count = range(len(guides))
    pairs = [(i, j) for i in count for j in count if i <= j]
    image = Image([sample[0]], 'f64', 1)
    sums = [Sums(image, window, factors, outside) for factors, outside in
            [([sample], beyond)] + [([guide], other) for guide in guides] +
            [([guides[i], guides[j]], other**2) for i, j in pairs] +
            [([guide, sample], other * beyond) for guide in guides]]
    largest = [max(abs(as_float(value)) for row in plane for value in row) for plane, _ in [sample] + guides]
    loss = 4 * U * max(largest + [abs(as_float(Fraction(other))), abs(as_float(Fraction(beyond)))])**2
    areas = window.areas()
    for y, x, values, errors in each(*sums):
        means, off = [Fraction(value) / areas[y][x] for value in values], [e / areas[y][x] for e in errors]
        m_p, m, rest = means[0], means[1:len(guides) + 1], means[len(guides) + 1:]
        matrix = [[Fraction(0)] * len(guides) for _ in count]
        for (i, j), value in zip(pairs, rest):
            matrix[i][j] = matrix[j][i] = value - m[i] * m[j] + (eps if i == j else 0)
        a = solved(matrix, [value - mean * m_p for value, mean in zip(rest[len(pairs):], m)])
        b = m_p - sum(one * mean for one, mean in zip(a, m))
        sizes = [abs(as_float(mean)) for mean in means[:len(guides) + 1]]
        far = max(off) + 2 * max(sizes) * max(off[:len(sizes)]) + max(off[:len(sizes)])**2 + loss
        norm, least = sum(abs(as_float(one)) for one in a), as_float(eps) - len(guides) * far
        e_a = len(guides) * far * (1 + norm) / least + steps[0] + SLACK * norm if least > 0 else math.inf
        e_b = off[0] + norm * max(off[1:len(sizes)]) + e_a * sum(sizes[1:]) + steps[1]
        e_b += SLACK * (sizes[0] + norm * max(sizes[1:]))
        yield y, x, list(map(as_float, a)) + [as_float(b)], [e_a] * len(guides) + [e_b]


def solved(matrix, right):
    """The numbers that the matrix takes to those on the right; it is positive definite."""
    rows = [row + [value] for row, value in zip(matrix, right)]
    for i, row in enumerate(rows):
        for other in rows:
            if other is not row and other[i]:
                factor = other[i] / row[i]
                other[:] = [b - factor * a for a, b in zip(row, other)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def lines(image, link, channel, windows, full):
    """(values, errors) of one channel: the mean lines at the guide's samples."""
    (window, back), guide = windows, link.get('guide')
    sample = image.channel(channel)
    steps, scale, beyond = (0, 0), full, window.constant or 0
    other, of_floats = beyond, real(image) or bool(guide) and real(guide)
    if not of_floats:
        steps = 2.0**-25 * (image.full / guide.full if guide else 1), 2.0**-17 if full < 256 else 2.0**-9
    if guide:
        scale = other_full(image, guide, link, 'guide_full')
        other = Fraction(beyond) * Fraction(scale) / Fraction(full)
        other = other if real(guide) else min(half_up(other), scale)
    eps = Fraction(float(link['eps'])) * scale**2
    if link.get('colour') and colours(guide or image) == 3 and (guide or not image.alpha or channel < 3):
        guides = [(plane, None if guide else image.errors and image.errors[i])
                  for i, plane in enumerate((guide or image).planes[:3])]
        found = by_colour(window, sample, guides, beyond, other, eps, steps)
    else:
        guides = [(guide.planes[channel if guide.channels > 1 else 0], None) if guide else sample]
        found = ((y, x, [line[0], line[1]], [line[2], line[3]]) for y, x, line in (
            (y, x, line_of(image, means, errors, eps, steps))
            for y, x, means, errors in (by_guide(image, window, sample, guides[0], beyond, other) if guide else
                                        by_itself(image, window, channel))))
    return back_to_pixels(image, back, guides, found, 2.0**-16 if of_floats and not real(image) else 0)


def back_to_pixels(image, back, guides, found, step):
    """(values, errors) of the means of a and b over the windows that contain a pixel, at the guides' samples."""
    planes, errors = ([blank(image) for _ in range(len(guides) + 1)] for _ in range(2))
    for y, x, line, off in found:
        for plane, error, value, e in zip(planes, errors, line, off):
            plane[y][x], error[y][x] = value, e
    middle = image.like(image.planes, kind='f64')
    # beyond a constant border a is 0, b is V
    sums = [Sums(middle, back, [pair], *[0] * (i < len(guides))) for i, pair in enumerate(zip(planes, errors))]
    areas, values, far = back.areas(), blank(image), blank(image)
    for y, x, totals, off in each(*sums):
        value, error, size = Fraction(totals[-1]), off[-1], abs(totals[-1])
        for (plane, e_plane), total, e in zip(guides, totals, off):
            place, e_place = Fraction(plane[y][x]), e_plane[y][x] if e_plane else 0
            value, size = value + total * place, size + abs(total * place)
            error += e * (abs(as_float(place)) + e_place) + abs(as_float(total)) * e_place
        values[y][x] = value / areas[y][x]
        far[y][x] = (error + SLACK * as_float(size)) / areas[y][x] + step
    return values, far


def guided(image, link):
    """a and b of each window, then their means over the windows that contain a pixel: those of the
    pixels of the mirrored window."""
    (w, h), (x, y) = link['size'], link.get('at', (0, 0))
    left, above = w // 2 - x, h // 2 - y
    windows = (Window(image.width, image.height, link, (-left, -above, w, h)),
               Window(image.width, image.height, link, (left - w + 1, above - h + 1, w, h)))
    amount, out = Fraction(float(link['amount'])), []
    for channel in range(image.channels):
        sample = image.channel(channel)
        base = lines(image, link, channel, windows, full_of(image, link))
        out.append(with_detail(image, sample, base, amount))
    return collect(image, out, slack=SLACK, limits=limits(image, link, image.channels))


FILTERS = {'by': by, 'real': widened, 'guided': guided}
