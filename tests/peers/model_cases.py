"""Random cases of the model (model.py): pictures in files, chains of filters, and outputs."""
import os
import struct
from fractions import Fraction

from model_files import (COLOUR_TYPES, DTYPES, TOP, Image, flat, fold, npy_write, planes_of,
                         png_write, pnm_write)
from model_lines import box_of
from model_sums import valid_part

BORDERS = ('clamp', 'mirror', 'reflect', 'wrap', 'constant', 'shrink', 'valid', 'valid')
MOVES = ('transpose', 'rotate', 'flip', 'permute')
BLACK_AND_WHITE = ('sauvola', 'wolf', 'adaptive', 'bradley', 'niblack', 'nick')
WINDOWS = ('box', 'variance', 'stddev', 'sum', 'unsharp', 'highpass', 'flatten', 'normalize',
           'guided', 'kuwahara') + BLACK_AND_WHITE
FULL = ('unsharp', 'highpass', 'flatten', 'normalize', 'guided', 'sauvola', 'adaptive')
# Real parameters of filters: name, default, least and most that are tried.
REALS = {'sauvola': (('k', '0.34', -2, 2), ('r', '128', 1, 200)), 'wolf': (('k', '0.5', -2, 2),),
         'adaptive': (('offset', '5', -20, 40),), 'bradley': (('percent', '15', 0, 100),),
         'niblack': (('k', '-0.2', -2, 2),), 'nick': (('k', '-0.2', -2, 2),),
         'guided': (('amount', '0', 0, 5),), 'unsharp': (('threshold', '0', 0, 20),),
         'flatten': (('target', '128', 0, 255),), 'normalize': (('c', '1', 0.5, 20),)}
TUPLES = {1: 'GRAYSCALE', 2: 'GRAYSCALE_ALPHA', 3: 'RGB', 4: 'RGB_ALPHA'}


# -------------------------------------------------------------------------------------- pictures

def samples(random, count, full):
    """Integers of 0 ... full of various kinds of pictures."""
    kind = random.randrange(6)
    if kind == 0:
        return [random.randint(0, full)] * count
    if kind == 1:
        return [random.choice((0, full)) for _ in range(count)]
    if kind == 2:
        levels = [random.randint(0, full) for _ in range(3)]
        return [random.choice(levels) for _ in range(count)]
    if kind == 3:
        middle, spread = random.randint(0, full), max(1, full // 50)
        return [min(full, max(0, middle + random.randint(-spread, spread))) for _ in range(count)]
    return [random.randint(0, full) for _ in range(count)]


def pixels(random, width, height, channels, full, alpha):
    """Rows of pixels; alpha is opaque, or has transparent parts, or anything."""
    rows = fold(samples(random, width * height * channels, full), width, channels)
    if not alpha:
        return rows
    see = random.choice(('opaque', 'holes', 'any', 'none'))
    pick = {'opaque': lambda a: full, 'holes': lambda a: random.choice((0, full)),
            'any': lambda a: random.choice((a, a, 0)), 'none': lambda a: 0}[see]
    return [[pixel[:-1] + (pick(pixel[-1]),) for pixel in row] for row in rows]


def save(folder, name, data):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(data)
    return name


def sides(random):
    return random.randint(1, 12), random.randint(1, 12)


def png(random, folder):
    """(name, image) of a PNG of any colour type and depth."""
    width, height = sides(random)
    colour = random.choice((0, 0, 2, 3, 4, 6))
    depth = random.choice({0: (1, 2, 4, 8, 16), 3: (1, 2, 4, 8)}.get(colour, (8, 16)))
    most = 2**depth - 1
    rows = pixels(random, width, height, COLOUR_TYPES[colour], most, colour in (4, 6))
    palette = transparent = None
    kind = 'u16' if depth == 16 else 'u8'
    full, shown = TOP[kind], rows
    if colour == 3:
        colours = fold(samples(random, 3 * 2**depth, 255), 2**depth, 3)[0]
        palette, shown = colours, [[colours[i] for i, in row] for row in rows]
        if random.random() < 0.5:
            alphas = samples(random, random.randint(1, 2**depth), 255)
            transparent = bytes(alphas)
            alphas += [255] * (2**depth - len(alphas))
            shown = [[colours[i] + (alphas[i],) for i, in row] for row in rows]
    elif depth < 8:
        shown = [[(value * 255 // most,) for value, in row] for row in rows]
    if colour in (0, 2) and random.random() < 0.3:
        clear = random.choice(random.choice(rows))
        transparent = struct.pack(f'>{len(clear)}H', *clear)
        shown = [[seen + (0 if pixel == clear else full,) for pixel, seen in zip(*pair)]
                 for pair in zip(rows, shown)]
    data = png_write(rows, colour, depth, random.random() < 0.2, palette, transparent)
    alpha = colour in (4, 6) or transparent is not None
    return save(folder, 'in.png', data), Image(planes_of(shown), kind, full, alpha)


def any_full(random):
    return random.choice((255, 65535, 4095, 1023, 1, 100, random.randint(1, 255),
                          random.randint(256, 65535)))


def pnm(random, folder):
    """The same of a PNM of any kind and maxval."""
    (width, height), digit, full = sides(random), random.randint(1, 7), any_full(random)
    channels = {3: 3, 6: 3, 7: random.randint(1, 4)}.get(digit, 1)
    plain = digit == 7 and random.random() < 0.2
    full = 1 if digit in (1, 4) else full
    alpha = channels in (2, 4) and not plain
    rows = pixels(random, width, height, channels, full, alpha)
    data = pnm_write(rows, digit, full, None if plain else TUPLES[channels])
    if digit in (1, 4):  # bits are read as 0 and 255
        rows, full = [[(255 * value,) for value, in row] for row in rows], 255
    name = 'in.' + {1: 'pbm', 2: 'pgm', 3: 'ppm', 4: 'pbm', 5: 'pgm', 6: 'ppm', 7: 'pam'}[digit]
    kind = 'u8' if full < 256 else 'u16'
    return save(folder, name, data), Image(planes_of(rows), kind, full, alpha)


def numbers(random, count, kind):
    """Floats: whole numbers, quarters, or (of f64) anything."""
    way = random.randrange(5)
    if way < 2:
        return [float(random.randint(-300, 300)) for _ in range(count)]
    if way == 2:
        return [random.randint(0, 40) / 4 for _ in range(count)]
    values = [random.uniform(0, 1) * (1000 if way == 3 else 1) for _ in range(count)]
    return [struct.unpack('f', struct.pack('f', v))[0] for v in values] if kind == 'f32' else values


def npy(random, folder):
    """The same of an array of any type, shape and order."""
    width, height = sides(random)
    kind = random.choice(('u8', 'u16', 'f32', 'f64', 'u8', 'u16', 'f32', 'f64', 'bool', 'u32',
                          'u64'))
    channels = random.choice((0, 0, 1, 2, 3, 4))
    count = width * height * max(1, channels)
    full = {'bool': 1, 'f32': 1, 'f64': 1}.get(kind) or TOP[kind]
    real = kind in ('f32', 'f64')
    values = numbers(random, count, kind) if real else samples(random, count, full)
    rows = fold(values, width, max(1, channels))
    dtype, fortran = DTYPES[kind], random.random() < 0.3
    if dtype[0] == '<' and random.random() < 0.3:
        dtype = '>' + dtype[1:]
    if fortran:
        values = [rows[y][x][c] for c in range(max(1, channels)) for x in range(width)
                  for y in range(height)]
    shape = (height, width) + ((channels,) if channels else ())
    data = npy_write(values, shape, dtype, fortran, random.choice((1, 1, 2)))
    return save(folder, 'in.npy', data), Image(planes_of(rows), kind.replace('bool', 'u8'), full)


# --------------------------------------------------------------------------------------- filters

def choices(image):
    """The filters that take such an image."""
    if image.kind in ('u32', 'u64'):
        return MOVES
    colours = image.channels - bool(image.alpha)
    names = [name for name in WINDOWS + ('threshold',)
             if name not in BLACK_AND_WHITE + ('threshold',) or colours in (1, 3)]
    return names + ['gauss', 'dog', 'varbox', 'by', 'real', 'resize', 'pixelate', 'template', 'integral'] + list(MOVES)


def window(random, link):
    side = random.choice((3, 5, 12, 12, 12, 30))
    w, h = random.randint(1, side), random.randint(1, side)
    beside = link['name'] not in ('kuwahara', 'pixelate')
    if beside and random.random() < 0.01:
        w, h = random.choice(((257, 257), (300, 1), (2, 600)))
    word = f'{w}x{h}' if w != h or random.random() < 0.5 else f'{w}'
    link['size'] = (w, h)
    if beside and random.random() < 0.4:
        x, y = (random.randint(w // 2 - w + 1, w // 2), random.randint(h // 2 - h + 1, h // 2))
        link['at'] = (x, y)
        word += f',at={x}:{y}'
    return word


def border(random, image, link, usual, borders=BORDERS):
    """The word for a random border; none where it is the usual one of this case."""
    link['border'] = random.choice(borders + (usual, usual))
    if link['border'] == 'valid' and not all(map(len, valid_part(image, link))):
        link['border'] = 'reflect'
    if link['border'] != 'constant':
        return '' if link['border'] == usual and random.random() < 0.5 else \
            ',border=' + link['border']
    link['constant'] = random.randint(0, image.full)
    if image.kind in ('f32', 'f64'):
        link['constant'] = random.choice((0, -3, 0.5, 17.25))
    return f',border=constant:{link["constant"]}'


def weight(random):
    """(text, double)."""
    if random.random() < 0.5:
        a, b = random.choice((1, -1)) * random.randint(1, 9), random.randint(1, 300)
        return f'{a}/{b}', a / b
    text = random.choice(('1', '-1', '2.5', '-0.125', '0.1', '-3', '1e-3'))
    return text, float(text)


def template(random, folder, link, number):
    lines, link['rects'] = ['# x y w h weight', ''], []
    for _ in range(random.randint(1, 4)):
        x, y = random.randint(-9, 9), random.randint(-9, 9)
        w, h = random.randint(1, 9), random.randint(1, 9)
        text, value = weight(random)
        lines.append(f'{x} {y}  {w} {h} {text}')
        link['rects'].append(((x, y, w, h), value))
    return save(folder, f'template{number}.txt', '\n'.join(lines).encode() + b'\n')


def guide(random, folder, image, number):
    """A guide for the image: (name, Image)."""
    channels, alpha = image.channels, image.alpha
    if random.random() < 0.4:
        channels, alpha = 1, False
    count, real = image.width * image.height * channels, image.kind in ('f32', 'f64')
    if real:
        values, full = numbers(random, count, image.kind), 1
    else:
        full = image.full
        if random.random() < 0.4:
            full = random.randint(1, 255) if image.kind == 'u8' else random.randint(256, 65535)
        values = samples(random, count, full)
    rows = fold(values, image.width, channels)
    if not real and (full != TOP[image.kind] or alpha):
        data = pnm_write(rows, 7, full, TUPLES[channels] if alpha or channels in (1, 3) else None)
        name = save(folder, f'guide{number}.pam', data)
    else:
        data = npy_write(flat(rows), (image.height, image.width, channels), DTYPES[image.kind])
        name = save(folder, f'guide{number}.npy', data)
    return name, Image(planes_of(rows), image.kind, full, alpha)


def other(random, folder, image, number):
    """Another picture for by, of any type: (name, Image)."""
    kind = random.choice(('u8', 'u16', 'u8', 'u16', 'f32', 'f64'))
    channels = random.choice((1, image.channels - bool(image.alpha)))
    alpha = kind in ('u8', 'u16') and channels in (1, 3) and random.random() < 0.3
    channels += alpha
    count, full = image.width * image.height * channels, TOP.get(kind, 1)
    if kind not in TOP:
        values = numbers(random, count, kind)
    else:
        if random.random() < 0.4:
            full = random.randint(1, 255) if kind == 'u8' else random.randint(256, 65535)
        values = samples(random, count, full)
    rows = fold(values, image.width, channels)
    if alpha or full != TOP.get(kind, 1):
        data = pnm_write(rows, 7, full, TUPLES[channels] if alpha or channels in (1, 3) else None)
        name = save(folder, f'other{number}.pam', data)
    else:
        data = npy_write(flat(rows), (image.height, image.width, channels), DTYPES[kind])
        name = save(folder, f'other{number}.npy', data)
    return name, Image(planes_of(rows), kind, full, alpha)


def by(random, folder, image, link, number):
    """The word behind --by."""
    word, link['other'] = other(random, folder, image, number)
    link['op'] = random.choice(('add', 'sub', 'mul', 'div'))
    if link['op'] != 'add' or random.random() < 0.5:
        word += ',op=' + link['op']
    link['scale'] = random.choice(('1', '1', 'auto', '0.5', '0.3', '0.003921568627451',
                                   amount(random, 0, 3), amount(random, 0, 300)))
    if link['scale'] != '1' or random.random() < 0.5:
        word += ',scale=' + link['scale']
    word += full_scale(random, link['other'], link, 'other_full') if random.random() < 0.3 else ''
    return word + (full_scale(random, image, link) if random.random() < 0.3 else '')


def radii(random, folder, image, number):
    """(name, planes) of the radii of a picture's pixels."""
    count = 1 if random.random() < 0.6 else image.channels - bool(image.alpha)
    kind, part = random.choice((('u8', 1), ('u16', 1), ('f32', 8), ('f64', 3), ('f32', 1)))
    most = random.choice((2, 4, 4, 7))
    values = [random.randint(0, most * part) / part for _ in range(image.width * image.height * count)]
    values = [int(value) for value in values] if part == 1 and kind[0] == 'u' else values
    rows = fold(values, image.width, count)
    shape = (image.height, image.width, count)
    return save(folder, f'radii{number}.npy', npy_write(flat(rows), shape, DTYPES[kind])), planes_of(rows)


def order(random, folder, image, number):
    count = image.width * image.height
    places = list(range(count))
    random.shuffle(places)
    dtype = random.choice(('<i8', '<u4', '>i2', '<u8', '<i4'))
    shape = (count,) if random.random() < 0.5 else (image.height, image.width)
    return save(folder, f'order{number}.npy', npy_write(places, shape, dtype)), places


def amount(random, low, high):
    return f'{random.uniform(low, high):.{random.randint(0, 4)}f}'


def flags(random, link):
    """Words of filters to black and white."""
    given = [flag for flag in ('invert', 'surface') if random.random() < 0.3]
    link.update(dict.fromkeys(given, True))
    return ''.join(',' + flag for flag in given)


def full_scale(random, image, link, name='full'):
    link[name] = random.randint(0, min(65535, 2 * image.full))
    return f',{name}={link[name]}'


def level(random, image, low, high):
    """One of 255, or any number of floats."""
    beyond = image.kind in ('f32', 'f64') and random.random() < 0.3
    return amount(random, 3 * min(low, -high), 20 * high) if beyond else amount(random, low, high)


def shape(random, image, link):
    """The word of a smaller size."""
    if random.random() < 0.5:
        link['shape'] = random.randint(1, image.width), random.randint(1, image.height)
        return 'x'.join(map(str, link['shape']))
    share = random.choice(('50', '33', '100', '12.5', '99.999999', '0.000001'))
    link['shape'] = tuple(max(1, int(side * Fraction(share) / 100 + Fraction(1, 2)))
                          for side in (image.width, image.height))
    return share + '%'


def link_of(random, folder, image, name, number, usual):
    """(words of the command, link) of a filter with random parameters."""
    link = {'name': name, 'border': 'clamp'}
    if name in WINDOWS:
        word = window(random, link)
        link.update(eps='0.01', amount='1')
        colours = image.channels - bool(image.alpha)
        if name == 'unsharp' and random.random() < 0.8:
            link['amount'] = amount(random, 0, 5)
            if len(link['amount']) == 6 and random.random() < 0.5:
                link['amount'] += random.choice('37')  # to the nearest step
            word += ',amount=' + link['amount']
        for parameter, usually, least, most in REALS.get(name, ()):
            link[parameter] = usually
            if random.random() < 0.6:
                free = parameter in ('offset', 'target')
                link[parameter] = level(random, image, least, most) if free else amount(random, least, most)
                if len(link[parameter].partition('.')[2]) == 4:
                    link[parameter] += '7'  # not between two steps
                word += f',{parameter}={link[parameter]}'
        if name in BLACK_AND_WHITE:
            word += flags(random, link)
        if name == 'unsharp' and colours in (1, 3) and random.random() < 0.4:
            link['luma'] = True
            word += ',luma'
        if name == 'guided' and random.random() < 0.8:
            link['eps'] = random.choice(('0.001', '0.02', '0.00001', '0.5', '4'))
            word += ',eps=' + link['eps']
        if name == 'guided' and random.random() < 0.5:
            file, link['guide'] = guide(random, folder, image, number)
            word += ',guide=' + file
            word += full_scale(random, link['guide'], link, 'guide_full') if random.random() < 0.4 else ''
        if name in FULL and random.random() < 0.2:
            word += full_scale(random, image, link)
        return ['--' + name, word + border(random, image, link, usual)], link
    if name == 'template':
        word = template(random, folder, link, number)
        return ['--template', word + border(random, image, link, usual)], link
    if name == 'varbox':
        word, link['radii'] = radii(random, folder, image, number)
        return ['--varbox', word + border(random, image, link, usual, BORDERS[:6])], link
    if name == 'gauss':
        word, link['passes'] = amount(random, 0.5, 3), random.choice((4, 4, 3, 5))
        link['sigma'] = float(word)
        word += f',passes={link["passes"]}' if link['passes'] != 4 or random.random() < 0.2 else ''
        side = 2 * link['passes'] * (box_of(link)[0] + 1) + 1
        link['size'] = (side, side)
        return ['--gauss', word + border(random, image, link, usual)], link
    if name == 'dog':
        word, link['ratio'], link['passes'] = amount(random, 0.5, 2), 1.6, 4
        link['sigma'] = float(word)
        if random.random() < 0.6:
            ratio = amount(random, 1, 2)
            link['ratio'], word = float(ratio), word + f',ratio={ratio}'
        side = 2 * link['passes'] * (box_of({**link, 'sigma': link['sigma'] * link['ratio']})[0] + 1) + 1
        link['size'] = (side, side)
        return ['--dog', word + border(random, image, link, usual)], link
    if name == 'by':
        return ['--by', by(random, folder, image, link, number)], link
    if name == 'threshold':
        link['level'] = level(random, image, 0, 255)
        if len(link['level'].partition('.')[2]) == 4:
            link['level'] += '7'  # not between two steps
        if random.random() < 0.5:
            link['level'] = 'otsu'
        word = link['level'] + flags(random, link)
        word += full_scale(random, image, link) if random.random() < 0.2 else ''
        return ['--threshold', word], link
    if name == 'integral':
        link['squared'] = random.random() < 0.5
        return ['--integral'] + ['--squared'] * link['squared'], link
    if name == 'resize':
        return ['--resize', shape(random, image, link)], link
    if name == 'pixelate':
        return ['--pixelate', window(random, link)], link
    if name in ('transpose', 'real'):
        return ['--' + name], link
    if name == 'permute':
        file, link['order'] = order(random, folder, image, number)
        return ['--permute', file], link
    link['value'] = random.choice(('90', '180', '270') if name == 'rotate' else ('h', 'v'))
    return ['--' + name, link['value']], link
