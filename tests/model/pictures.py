"""Random pictures of the model (model.py), in PNG, PNM and .npy files."""
import os
import struct

from files import COLOUR_TYPES, DTYPES, TOP, Image, flat, fold, npy_write, planes_of, png_write, pnm_write, single

TUPLES = {1: 'GRAYSCALE', 2: 'GRAYSCALE_ALPHA', 3: 'RGB', 4: 'RGB_ALPHA'}
# What pictures are of: a type; with an a behind it with alpha; maxval: a PNM whose white is none of its type's; real:
# integers that --real makes floats of; scene32 and scene64: bytes divided by 255.
SOURCES = ('u8', 'f32', 'u8a', 'f64', 'u16', 'real', 'u16a', 'maxval', 'scene32', 'bit', 'maxvala', 'reala', 'bool',
           'scene64', 'wide', 'any')


def save(folder, name, data):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(data)
    return name


# ---------------------------------------------------------------------------------------- samples

def scene(random, width, height, levels):
    """Rows of a few flat shapes before a ground, as most pictures have them, so with many ties."""
    rows = [[random.choice(levels)] * width for _ in range(height)]
    if random.random() < 0.5:
        rows = [rows[0][:] for _ in range(height)]
    for _ in range(random.randint(1, 6)):
        x, y, level = random.randrange(width), random.randrange(height), random.choice(levels)
        w, h = random.randint(1, max(1, width // 2)), random.randint(1, max(1, height // 2))
        for row in rows[y:y + h]:
            row[x:x + w] = [level] * len(row[x:x + w])
    return rows


def integers(random, width, height, full):
    """Rows of integers of 0 ... full of various kinds of pictures."""
    kind, count = random.randrange(8), width * height
    if kind == 0:
        line = [random.randint(0, full)] * count
    elif kind == 1:
        line = [random.choice((0, full)) for _ in range(count)]
    elif kind == 2:
        levels = [random.randint(0, full) for _ in range(3)]
        line = [random.choice(levels) for _ in range(count)]
    elif kind == 3:
        middle, spread = random.randint(0, full), max(1, full // 50)
        line = [min(full, max(0, middle + random.randint(-spread, spread))) for _ in range(count)]
    elif kind == 4:
        return scene(random, width, height, [random.randint(0, full) for _ in range(4)])
    else:
        line = [random.randint(0, full) for _ in range(count)]
    return [line[i:i + width] for i in range(0, count, width)]


def floats(random, width, height, kind):
    """Rows of floats: whole numbers, quarters, fractions; small numbers with an offset, beside much larger
    shapes, or around a few outliers."""
    way = random.randrange(8)
    size = random.choice((1.0, 1.0, 1000.0, 1e-6))
    pick = (lambda: float(random.randint(-300, 300)), lambda: random.randint(0, 40) / 4)[way] if way < 2 else \
        lambda: random.uniform(0, 1) * size
    rows = [[pick() for _ in range(width)] for _ in range(height)]
    if way == 4:
        offset = random.choice((1e7, -1e7, 1e5, 12345.678))
        rows = [[value + offset for value in row] for row in rows]
    if way == 5:
        far = random.choice((1e7, 6e4, -1e7))
        shapes = scene(random, width, height, (0.0, 0.0, far))
        rows = [[b or a for a, b in zip(*pair)] for pair in zip(rows, shapes)]
    if way == 6:
        for _ in range(random.randint(1, 3)):
            rows[random.randrange(height)][random.randrange(width)] = random.choice((1e9, -1e9, 1e-30))
    if way == 7:
        rows = [[random.choice(row) for _ in row] for row in rows]
    return [list(map(single, row)) for row in rows] if kind == 'f32' else rows


def disc(random, width, height, full):
    """Rows of alpha: a shape with smooth edges, clear around it."""
    x, y, r = random.uniform(0, width), random.uniform(0, height), random.uniform(0.5, max(width, height) / 2)
    steps = [(i + 0.5) / 4 for i in range(4)]
    return [[round(full * sum((a + i - x)**2 + (b + j - y)**2 < r * r for i in steps for j in steps) / 16)
             for a in range(width)] for b in range(height)]


def merged(planes):
    """Rows of pixels of planes."""
    return [list(zip(*rows)) for rows in zip(*planes)]


def pixels(random, size, channels, full, alpha):
    """Rows of pixels; alpha is opaque, has smooth edges or holes, is anything, or is 0 everywhere."""
    planes = [integers(random, *size, full) for _ in range(channels)]
    if random.random() < 0.2:  # grey
        planes = planes[:1] * channels
    if alpha:
        see = random.choice(('opaque', 'holes', 'any', 'none', 'disc', 'disc', 'disc'))
        if see == 'disc':
            planes[-1] = disc(random, *size, full)
        else:
            pick = {'opaque': lambda a: full, 'holes': lambda a: random.choice((0, full)),
                    'any': lambda a: random.choice((a, a, 0)), 'none': lambda a: 0}[see]
            planes[-1] = [list(map(pick, row)) for row in planes[-1]]
    return merged(planes)


def sides(random, large=False):
    if large:
        return random.choice(((600, 400), (640, 401), (401, 640), (1031, 233), (1, 3000), (2500, 1)))
    if random.random() < 0.06:
        return random.choice(((1, 1), (1, 1), (1, 40), (60, 1), (2, 1), (40, 30)))
    return random.randint(1, 12), random.randint(1, 12)


# ------------------------------------------------------------------------------------------ files

def png(random, folder, size, depth, alpha, name='in.png'):
    """(name, Image) of a PNG of that depth, of any colour type, with alpha or not."""
    kinds = {8: (2, 3), 16: (2,)}.get(depth, (0, 3)) if alpha else {8: (0, 0, 2, 3), 16: (0, 2)}.get(depth, (0, 3))
    colour = random.choice(kinds + ((4, 6, 4, 6, 4, 6) if alpha and depth > 4 else ()))
    most = 2**depth - 1
    rows = pixels(random, size, COLOUR_TYPES[colour], most, colour in (4, 6))
    kind, palette, transparent = 'u16' if depth == 16 else 'u8', None, None
    full, shown, bits = TOP[kind], rows, colour == 0 and depth == 1 and not alpha
    if colour == 3:
        palette = fold([random.randint(0, 255) for _ in range(3 * 2**depth)], 2**depth, 3)[0]
        shown = [[palette[i] for i, in row] for row in rows]
        if alpha:
            alphas = [random.choice((0, 255, random.randint(0, 255))) for _ in range(random.randint(1, 2**depth))]
            transparent = bytes(alphas)
            alphas += [255] * (2**depth - len(alphas))
            shown = [[palette[i] + (alphas[i],) for i, in row] for row in rows]
    elif depth < 8:
        shown = [[(value * 255 // most,) for value, in row] for row in rows]
    if colour in (0, 2) and alpha:
        clear = random.choice(random.choice(rows))
        transparent = struct.pack(f'>{len(clear)}H', *clear)
        shown = [[seen + (0 if pixel == clear else full,) for pixel, seen in zip(*pair)]
                 for pair in zip(rows, shown)]
    data = png_write(rows, colour, depth, random.random() < 0.2, palette, transparent)
    image = Image(planes_of(shown), kind, full, alpha)
    image.bilevel = bits
    return save(folder, name, data), image


def pam(random, folder, rows, full, alpha, name):
    """(name, Image) of a PAM of such rows."""
    channels, kind = len(rows[0][0]), 'u8' if full < 256 else 'u16'
    data = pnm_write(rows, 7, full, TUPLES[channels] if alpha or channels in (1, 3) else None)
    return save(folder, name + '.pam', data), Image(planes_of(rows), kind, full, alpha)


def pnm(random, folder, size, full, alpha):
    """The same of a PNM of any kind with that maxval."""
    digit = 7 if alpha else random.choice((2, 3, 5, 6, 7) if full > 1 else (1, 4, 2, 5, 7))
    channels = {3: 3, 6: 3, 7: random.choice((2, 4) if alpha else (1, 2, 3, 4))}.get(digit, 1)
    plain = digit == 7 and not alpha
    rows = pixels(random, size, channels, full, alpha)
    data = pnm_write(rows, digit, full, None if plain else TUPLES[channels])
    bits = digit in (1, 4)
    if bits:  # they are read as 0 and 255
        rows, full = [[(255 * value,) for value, in row] for row in rows], 255
    name = 'in.' + {1: 'pbm', 2: 'pgm', 3: 'ppm', 4: 'pbm', 5: 'pgm', 6: 'ppm', 7: 'pam'}[digit]
    image = Image(planes_of(rows), 'u8' if full < 256 else 'u16', full, alpha)
    image.bilevel = bits
    return save(folder, name, data), image


def stored(random, folder, rows, kind, name):
    """The same of an array of such rows, in any order."""
    height, width, channels = len(rows), len(rows[0]), len(rows[0][0])
    dtype, fortran, values = DTYPES[kind], random.random() < 0.3, flat(rows)
    if dtype[0] == '<' and random.random() < 0.3:
        dtype = '>' + dtype[1:]
    if fortran:
        values = [rows[y][x][c] for c in range(channels) for x in range(width) for y in range(height)]
    shape = (height, width) if channels == 1 and random.random() < 0.5 else (height, width, channels)
    full = {'bool': 1, 'f32': 1, 'f64': 1}.get(kind) or TOP[kind]
    data = npy_write(values, shape, dtype, fortran, random.choice((1, 1, 2)))
    return save(folder, name + '.npy', data), Image(planes_of(rows), kind.replace('bool', 'u8'), full)


def array(random, folder, size, channels, kind, name='in'):
    """The same of an array of that type."""
    if kind in ('f32', 'f64'):
        rows = merged([floats(random, *size, kind) for _ in range(channels)])
    else:
        rows = pixels(random, size, channels, 1 if kind == 'bool' else TOP[kind], False)
    return stored(random, folder, rows, kind, name)


def bytes_as_floats(random, folder, size, channels, kind):
    """The same of a scene of bytes, divided by 255."""
    levels = [random.randint(0, 255) for _ in range(random.choice((2, 4, 200)))]
    rows = merged([[[value / 255 for value in row] for row in scene(random, *size, levels)] for _ in range(channels)])
    if kind == 'f32':
        rows = [[tuple(map(single, pixel)) for pixel in row] for row in rows]
    return stored(random, folder, rows, kind, 'in')


def any_full(random):
    return random.choice((65535, 4095, 1023, 1, 100, random.randint(1, 254), random.randint(256, 65535)))


def source(random, folder, of, large):
    """(name, Image) of one of SOURCES."""
    size, alpha = sides(random, large), of.endswith('a')
    channels = random.choice((1, 1, 1, 3) if large else (1, 1, 2, 3, 4))
    if of in ('real', 'reala'):
        of = random.choice(('u8', 'u16', 'maxval')) + 'a' * alpha
    if of == 'any':
        of = random.choice(SOURCES[:-1])
        return source(random, folder, of, large)
    if of[:3] == 'max':
        return pnm(random, folder, size, any_full(random), alpha)
    if of[:5] == 'scene':
        return bytes_as_floats(random, folder, size, channels, 'f' + of[5:])
    if of in ('f32', 'f64', 'bool'):
        return array(random, folder, size, channels, of)
    if of == 'wide':
        return array(random, folder, size, channels, random.choice(('u32', 'u64')))
    if of == 'bit' and random.random() < 0.5:
        return pnm(random, folder, size, 1, False)
    depth = {'u8': 8, 'u16': 16}.get(of[:-1] if alpha else of) or random.choice((1, 1, 2, 4))
    way = random.random()
    if way < 0.3 and depth > 4:
        return pnm(random, folder, size, 2**depth - 1, alpha)
    if way < 0.5 and not alpha and depth > 4:
        return array(random, folder, size, channels, of)
    return png(random, folder, size, depth, alpha)
