"""Filters between samples and light, as filters.py has the others."""
from fractions import Fraction

from files import TOP
from light import full_of
from sums import as_float, channels, collect, half_up, kept, real

POWER = 2.0**-44  # what a power may be off, of itself


def light_of(v, curve):
    if curve != 'srgb':
        return v**float(curve)
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055)**2.4


def sample_of(v, curve):
    if curve != 'srgb':
        return v**(1 / float(curve))
    return v * 12.92 if v <= 0.0031308 else 1.055 * v**(1 / 2.4) - 0.055


def white_of(image, link, kind):
    """What is white in a result of that kind."""
    full = full_of(image, link)
    if kind not in TOP or kind == image.kind:
        return full
    if real(image):
        says = image.depth or link.get('full')
        return max(1, half_up(Fraction(full))) if says and full <= TOP[kind] else TOP[kind]
    return max(1, half_up(Fraction(full) * 257 if kind == 'u16' else Fraction(full, 257)))


def scaled(image, link, kind, function):
    """The samples by that function of shares of white, in a result of that kind."""
    full, white = full_of(image, link), white_of(image, link, kind)
    times = white / full
    said = white if kind in TOP or image.depth or not real(image) else image.full

    def bent(value):
        share = abs(as_float(value)) / full
        return function(share, link['curve']) * full * times * (-1 if value < 0 else 1)

    def samples(channel, _):
        for y, x, value, error in kept(image, channel):
            result, off = bent(value), 0
            if error:
                off = max(abs(bent(value + error) - result), abs(bent(value - error) - result))
            yield y, x, result, off + POWER * abs(result)

    def alpha(_, channel):
        for y, x, value, error in kept(image, channel):
            yield y, x, Fraction(value) * Fraction(white) / Fraction(full), error * times

    def spread(span):
        return span and tuple(bound * times for bound in span)

    span = spread(image.span)
    if kind in TOP:
        depth, span = None, (0, white)
    else:
        depth = image.depth if real(image) else 'u8' if image.kind == 'u8' else 'u16'
    opaque = spread(image.alpha_span)
    if opaque and kind in TOP:
        opaque = opaque[0], min(opaque[1], white)
    return collect(image, channels(image, samples, alpha), kind=kind, full=said, span=span, depth=depth,
                   alpha_span=opaque)


def linearize(image, link):
    narrow = link['curve'] == 'srgb' or float(link['curve']) <= 2
    kind = {'u8': 'u16' if narrow else 'f32', 'u16': 'f32'}.get(image.kind, image.kind)
    return scaled(image, link, kind, light_of)


def delinearize(image, link):
    usual = 'u8' if image.kind == 'u16' else image.kind
    kind = usual if link['depth'] == 'auto' else 'u' + link['depth']
    return scaled(image, link, kind, sample_of)


FILTERS = {'linearize': linearize, 'delinearize': delinearize}
