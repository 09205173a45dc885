"""What satfilter writes of a result, by docs/formats.md, and how files are compared with that."""
import math
from fractions import Fraction

from files import DTYPES, TOP, single
from sums import SLACK, U, half_up, real

REALS = ('f32', 'f64')


def to_real(value, error, kind):
    """(float of that kind, how far it may be off)."""
    nearest = value.numerator / value.denominator if isinstance(value, Fraction) else float(value)
    if kind == 'f32':
        nearest = single(nearest)
    if error:
        error += abs(nearest) * (2.0**-23 if kind == 'f32' else 2 * U)
    return nearest, error


def to_integer(value, error, top):
    """(integer of 0 ... top, how far it may be off)."""
    def limited(number):
        return min(max(half_up(number), 0), top)
    value = Fraction(value)
    middle = limited(value)
    if not error:
        return middle, 0
    if error == math.inf:
        return middle, top
    return middle, max(middle - limited(value - Fraction(error)),
                       limited(value + Fraction(error)) - middle)


def converted(image, channel, kind, top, low=0, factor=1):
    """(plane, errors) of that channel, less low and times factor, as samples of that kind, integers
    being 0 ... top."""
    far, out = abs(float(low)), []
    for y, row in enumerate(image.planes[channel]):
        line = []
        for x, value in enumerate(row):
            error = image.error(channel, y, x) + image.slack * (abs(float(value)) + far)
            if low or factor != 1:
                value, error = (Fraction(value) - low) * factor, error * float(factor)
            if math.isnan(error):
                error = math.inf
            line.append(to_real(value, error, kind) if kind in REALS else
                        to_integer(value, error, top))
        out.append(line)
    return [[v for v, _ in line] for line in out], [[e for _, e in line] for line in out]


def settled(image):
    """A filter's result in its exact type, as the next filter of a chain gets it."""
    exact = image.like(image.planes, errors=image.errors)
    top = image.full if image.kind in ('u8', 'u16') else TOP.get(image.kind)
    return image.of_pairs([converted(exact, channel, image.kind,
                                     image.limits[channel] if image.limits else top)
                           for channel in range(image.channels)], limits=None)


def opaque(image):
    return not image.errors and \
        all(value == image.alpha_span[1] for row in image.planes[-1] for value in row)


def outputs(random, result):
    """(the output's name, options) that suit a result."""
    options = {}
    colours = result.channels - bool(result.alpha)
    if random.random() < 0.4 or (result.span is None and random.random() < 0.7):
        if random.random() < 0.3:
            options['type'] = random.choice(('u8', 'u16', 'u32', 'u64', 'f32', 'f64'))
        return 'out.npy', options
    suffixes = ['png', 'pam', 'pnm', 'png']
    if not result.alpha or opaque(result):
        suffixes += {1: ['pgm', 'ppm'], 3: ['ppm']}.get(colours, [])
    if result.channels == 1 and result.span and not result.errors and \
            all(value in result.span for row in settled(result).planes[0] for value in row):
        suffixes += ['pbm', 'pbm']
    suffix = random.choice(suffixes)
    if suffix != 'pbm' and random.random() < 0.3:
        options['type'] = random.choice(('u8', 'u16'))
    if result.span is None:
        options['range'] = random.choice(('0:10', '-300:300', '0.5:1000'))
    elif suffix != 'pbm' and random.random() < 0.15:
        low, high = (float(bound) for bound in result.span)
        options['range'] = random.choice((f'0:{high + 1}', f'{low / 3 - 1}:{high / 7 + 1}',
                                          '10:20'))
    if suffix != 'pbm' and not result.errors and random.random() < 0.15:
        options['range'] = random.choice(('auto', 'auto:10', 'auto:49', 'auto:0.5'))
    return 'out.' + suffix, options


def found(image, text):
    """The values that occur, for --range auto[:P]."""
    percent = Fraction(text[5:] or 0)
    colours = image.channels - bool(image.alpha)
    values = sorted(v for plane in image.planes[:colours] for row in plane for v in row)
    k = math.floor(percent * (len(values) - 1) / 100)
    return Fraction(values[k]), Fraction(values[-1 - k])


def shape_of(image, suffix):
    """(what a file is, channels, alpha) in a picture of that suffix."""
    colours = image.channels - bool(image.alpha)
    if suffix == 'png':
        return 'png', image.channels, image.channels in (2, 4)
    digit = {'pbm': 4, 'pgm': 5, 'ppm': 6, 'pam': 7}.get(suffix)
    if not digit:
        digit = 7 if image.alpha else {1: 5, 3: 6}.get(colours, 7)
    if digit < 7:
        return f'P{digit}', 3 if digit == 6 else 1, False
    return 'P7', image.channels, image.alpha


def written(result, output, **options):
    """(planes, errors, what, maxval, alpha) as model.read() says it of a file."""
    suffix, kind = output.split('.')[1], options.get('type')
    exact = kind not in (None, result.kind) and (suffix == 'npy' or not real(result))
    own = result if exact else settled(result)
    if suffix == 'npy':
        kind = kind or result.kind
        tops = [min([TOP[kind]] + (own.limits or [])[channel:channel + 1]) if kind in TOP else None
                for channel in range(own.channels)]
        pairs = [converted(own, channel, kind, top) for channel, top in enumerate(tops)]
        bools = kind == 'u8' and own.full == 1 and not options.get('type')
        what = DTYPES['bool' if bools else kind]
        return [plane for plane, _ in pairs], [e for _, e in pairs], what, None, False
    what, channels, alpha = shape_of(own, suffix)
    pairs, full = picture(result, own, suffix, kind, options.get('range'))
    if channels == 3 and len(pairs) < 3:
        pairs = pairs[:1] * 3
    pairs = pairs[:channels]
    return [plane for plane, _ in pairs], [e for _, e in pairs], what, full, alpha


def picture(result, own, suffix, kind, given):
    """(planes with errors, maxval) in image form."""
    bits = suffix == 'pbm' or (own.bilevel and not kind and not given and suffix == 'png')
    kind = kind or own.depth or ('u8' if own.kind == 'u8' else 'u16')
    top = TOP[kind]
    span = own.span
    if given:
        span = found(own, given) if given.startswith('auto') else \
            tuple(Fraction(float(text)) for text in given.split(':'))
    stored = not given and kind == own.kind and span == (0, own.full) and \
        (suffix != 'png' or own.full == top)
    if stored and not bits:
        return [(plane, errors or [[0] * own.width for _ in plane])
                for plane, errors in map(own.channel, range(own.channels))], own.full
    pairs = []
    if real(own):  # this mapping is of doubles, in double
        own = own.like(own.planes, errors=own.errors, slack=max(own.slack, SLACK))
    for channel in range(own.channels):
        low, high = own.alpha_span if own.alpha and channel == own.channels - 1 else span
        low, wide, most = Fraction(low), Fraction(high) - Fraction(low), 1 if bits else top
        factor = most / wide if wide else 10**9 * most  # what is above is white
        pairs.append(converted(own, channel, kind, most, low, factor))
    return pairs, 1 if bits else top


def difference(seen, expected):
    """What differs between a file and what the model expects of it, each pixel as one of some, or ''."""
    planes, *kind = seen
    values, errors, *wanted = expected[0]
    if kind != wanted:
        return f'is {kind}, the model says {wanted}'
    if len(planes) != len(values) or len(planes[0]) != len(values[0]) or \
            len(planes[0][0]) != len(values[0][0]):
        return 'has another shape than the model says'

    def far(x, y, one):
        """The channel that is wrong, if there is one."""
        for channel, plane in enumerate(planes):
            if not abs(plane[y][x] - one[0][channel][y][x]) <= one[1][channel][y][x]:
                return channel
        return None

    for y in range(len(planes[0])):
        for x in range(len(planes[0][0])):
            channel = far(x, y, expected[0])
            if channel is not None and all(far(x, y, one) is not None for one in expected[1:]):
                want, error = values[channel][y][x], errors[channel][y][x]
                more = (f' within {error!r}' if error else '') + ', or another' * (len(expected) > 1)
                return f'channel {channel} at ({x}, {y}) is {planes[channel][y][x]!r}, the model says {want!r}{more}'
    return ''
