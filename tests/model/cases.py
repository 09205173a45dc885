"""Random parameters of filters, for the cases of the model (model.py)."""
from fractions import Fraction

from files import DTYPES, TOP, flat, fold, npy_write, planes_of
from lines import WIDEST_OWN, reach_of
from pictures import array, pam, pixels, png, save
from sums import valid_part

BORDERS = ('clamp', 'mirror', 'reflect', 'wrap', 'constant', 'shrink', 'valid', 'valid')
# Real parameters of filters: name, default, least and most that are tried. Others have all of their range.
REALS = {'sauvola': (('k', '0.34', -2, 2), ('r', '128', 1, 200)), 'wolf': (('k', '0.35', -2, 2),),
         'adaptive': (('offset', '5', -20, 40),), 'bradley': (('percent', '15', 0, 100),),
         'niblack': (('k', '-0.2', -2, 2),), 'nick': (('k', '-0.2', -2, 2),),
         'guided': (('amount', '0', 0, 5),), 'unsharp': (('threshold', '0', 0, 20),),
         'flatten': (('target', '128', 0, 255),), 'normalize': (('c', '1', 0.5, 20),)}
TABLES = ('varbox', 'template', 'integral')  # of integers read from tables in any case
FILTERS = {}  # by name, as --list --json has them, with their parameters by name


def learn(listed):
    """Takes what --list --json says of all filters."""
    for one in listed:
        FILTERS[one['name']] = {**one, 'parameters': {p['name']: p for p in one['parameters']}}


def has(name, *parameters):
    return all(parameter in FILTERS[name]['parameters'] for parameter in parameters)


def is_windowed(name):
    return has(name, 'size', 'border')


def like_input(name):
    """Whether its result has a place in the picture, so that it serves a part of it."""
    one = FILTERS[name]
    return one['output_types'].get('u16') == 'u16' and one['kind'] != 'move' and name not in ('grey', 'resize')


def reals(name):
    return REALS.get(name) or [(p['name'], p['default'], p['min'], p['max'])
                               for p in FILTERS[name]['parameters'].values() if p['type'] == 'real']


def choices(image):
    """The filters that take such an image. Of wide integers, which others compute as doubles: those that move."""
    colours = image.channels - bool(image.alpha)
    wide = image.kind in ('u32', 'u64')
    return [name for name, one in FILTERS.items() if image.kind in one['output_types'] and
            (not wide or one['kind'] == 'move' or name == 'grey') and
            (colours in (1, 3) or not has(name, 'surface') and name != 'grey')]


def is_large(image):
    return image.width * image.height > 2000


def refuses_tables(name, floats):
    """Whether --engine sat and --algorithm do not serve the filter."""
    return FILTERS[name]['kind'] in ('lines', 'cells') or floats and name in ('kuwahara', 'varbox')


def window(random, image, link):
    side = random.choice((3, 5, 12, 12, 12, 30) + (100,) * is_large(image))
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
    if link.get('wish') in borders:
        link['border'] = link['wish']
    if link['border'] == 'valid' and not all(map(len, valid_part(image, link))):
        link['border'] = 'reflect'
    if link['border'] != 'constant':
        return '' if link['border'] == usual and random.random() < 0.5 else \
            ',border=' + link['border']
    link['constant'] = random.randint(0, image.full)
    if image.kind in ('f32', 'f64'):
        link['constant'] = random.choice((0, 0.5, 17.25) if image.alpha else (0, -3, 0.5, 17.25))
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


def beside(random, folder, image, kind, channels, alpha, name):
    """(name, Image) of another picture of that type for the image, in a file of any kind."""
    size = image.width, image.height
    if kind in ('f32', 'f64') or kind == 'u8' and not alpha and random.random() < 0.15:
        return array(random, folder, size, channels, kind if kind[0] == 'f' else 'bool', name)
    way = random.random()
    if channels == 1 and way < 0.3:
        # of one channel: what is not the colour type's is tried again
        file, other = png(random, folder, size, 8 if kind == 'u8' else 16, False, name + '.png')
        if other.channels == 1:
            return file, other
    if way < 0.6 and not alpha:
        return array(random, folder, size, channels, kind, name)
    least, most = (1, 255) if kind == 'u8' else (256, 65535)
    full = random.choice((TOP[kind], image.full, random.randint(least, most)))
    if kind != ('u8' if full < 256 else 'u16'):
        full = TOP[kind]
    return pam(random, folder, pixels(random, size, channels, full, alpha), full, alpha, name)


def guide(random, folder, image, number, colour):
    """A guide for the image: (name, Image)."""
    if colour and random.random() < 0.7:
        kind = random.choice(('u8', 'u16', 'f32', 'f64'))
        alpha = kind[0] == 'u' and random.random() < 0.2
        return beside(random, folder, image, kind, 3 + alpha, alpha, f'guide{number}')
    channels, alpha = image.channels, image.alpha
    if random.random() < 0.4:
        channels, alpha = 1, False
    return beside(random, folder, image, image.kind, channels, alpha, f'guide{number}')


def other(random, folder, image, number):
    """Another picture for by, of any type: (name, Image)."""
    kind = random.choice(('u8', 'u16', 'u8', 'u16', 'f32', 'f64'))
    channels = random.choice((1, image.channels - bool(image.alpha)))
    alpha = kind in ('u8', 'u16') and channels in (1, 3) and random.random() < 0.3
    return beside(random, folder, image, kind, channels + alpha, alpha, f'other{number}')


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
    most = random.choice((2, 4, 4, 7)) if not is_large(image) else 2
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
    W, H = image.width, image.height
    way = random.random()
    if way < 0.3:
        link['shape'] = random.randint(1, W), random.randint(1, H)
        return 'x'.join(map(str, link['shape'])) + '!'
    if way < 0.7:  # the most that fits, and no more than there is
        w, h = random.randint(1, 3 * W // 2), random.randint(1, 3 * H // 2)
        word, fits = random.choice(((f'{w}x{h}', (Fraction(w, W), Fraction(h, H))),
                                    (f'{w}x', (Fraction(w, W),)), (f'x{h}', (Fraction(h, H),))))
        scale = min(1, *fits)
        link['shape'] = tuple(max(1, int(side * scale + Fraction(1, 2))) for side in (W, H))
        return word
    share = random.choice(('50', '33', '100', '12.5', '99.999999', '0.000001'))
    link['shape'] = tuple(max(1, int(side * Fraction(share) / 100 + Fraction(1, 2))) for side in (W, H))
    return share + '%'


def part(random, image, link):
    """The word of a part."""
    w, h = random.randint(1, image.width), random.randint(1, image.height)
    if random.random() < 0.5:
        link['part'] = w, h, (image.width - w) // 2, (image.height - h) // 2
        return f'{w}x{h}'
    left, top = random.randint(0, image.width - w), random.randint(0, image.height - h)
    link['part'] = w, h, left, top
    return f'{w}x{h}+{left}+{top}'


def link_of(random, folder, image, name, number, usual, wish=None):
    """(words of the command, link) of a filter with random parameters, with that border if it has one."""
    link = {'name': name, 'border': 'clamp', 'wish': wish}
    if is_windowed(name):
        word = window(random, image, link)
        link.update(eps='0.01', amount='1')
        colours = image.channels - bool(image.alpha)
        if name == 'unsharp' and random.random() < 0.8:
            link['amount'] = amount(random, 0, 5)
            if len(link['amount']) == 6 and random.random() < 0.5:
                link['amount'] += random.choice('37')  # to the nearest step
            word += ',amount=' + link['amount']
        for parameter, usually, least, most in reals(name):
            link[parameter] = usually
            if random.random() < 0.6:
                free = parameter in ('offset', 'target')
                link[parameter] = level(random, image, least, most) if free else amount(random, least, most)
                if len(link[parameter].partition('.')[2]) == 4:
                    link[parameter] += '7'  # not between two steps
                word += f',{parameter}={link[parameter]}'
        if has(name, 'surface'):
            word += flags(random, link)
        if name == 'unsharp' and colours in (1, 3) and random.random() < 0.4:
            link['luma'] = True
            word += ',luma'
        if name == 'guided' and random.random() < 0.3:
            noise = amount(random, 1, 60)
            share = float(noise) / 255
            link['eps'] = repr(3 * share * share)
            word += ',noise=' + noise
        elif name == 'guided' and random.random() < 0.8:
            link['eps'] = random.choice(('0.001', '0.02', '0.00001', '0.5', '4'))
            word += ',eps=' + link['eps']
        if name == 'guided' and random.random() < 0.3 and not is_large(image):
            link['colour'] = True
            word += ',colour'
        if name == 'guided' and random.random() < 0.5:
            file, link['guide'] = guide(random, folder, image, number, link.get('colour'))
            word += ',guide=' + file
            word += full_scale(random, link['guide'], link, 'guide_full') if random.random() < 0.4 else ''
        if has(name, 'full') and random.random() < 0.2:
            word += full_scale(random, image, link)
        return ['--' + name, word + border(random, image, link, usual)], link
    if name == 'template':
        word = template(random, folder, link, number)
        return ['--template', word + border(random, image, link, usual)], link
    if name == 'varbox':
        word, link['radii'] = radii(random, folder, image, number)
        return ['--varbox', word + border(random, image, link, usual, BORDERS[:6])], link
    if name == 'gauss':
        word, passes = amount(random, *random.choice(((0.5, 3), (3, 6), (6, 8)))), random.choice((4, 4, 3, 5))
        link['sigma'] = float(word)
        link['passes'] = passes if link['sigma'] > WIDEST_OWN else 0
        word += f',passes={link["passes"] or 4}' if link['passes'] not in (0, 4) or random.random() < 0.2 else ''
        side = 2 * reach_of(link) + 1
        link['size'] = (side, side)
        return ['--gauss', word + border(random, image, link, usual)], link
    if name == 'dog':
        word, link['ratio'] = amount(random, 0.5, 5), 1.6
        link['sigma'] = float(word)
        if random.random() < 0.6:
            ratio = amount(random, 1, 2)
            link['ratio'], word = float(ratio), word + f',ratio={ratio}'
        widest = link['sigma'] * link['ratio']
        link['passes'] = 4 if widest > WIDEST_OWN else 0
        side = 2 * reach_of({**link, 'sigma': widest}) + 1
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
        link['squared'], link['zeros'] = random.random() < 0.5, random.random() < 0.3
        return ['--integral'] + ['--squared'] * link['squared'] + ['--zeros'] * link['zeros'], link
    if name == 'resize':
        return ['--resize', shape(random, image, link)], link
    if name == 'pixelate':
        return ['--pixelate', window(random, image, link)], link
    if name == 'crop':
        return ['--crop', part(random, image, link)], link
    if name in ('linearize', 'delinearize'):
        word = link['curve'] = random.choice(('srgb', 'srgb', '2.2', '1', '1.8', '0.45'))
        if name == 'delinearize':
            link['depth'] = random.choice(('auto', 'auto', '8', '16'))
            word += ',depth=' + link['depth'] if link['depth'] != 'auto' or random.random() < 0.2 else ''
        word += full_scale(random, image, link) if random.random() < 0.2 else ''
        return ['--' + name, word], link
    if name in ('transpose', 'real', 'grey'):
        return ['--' + name], link
    if name == 'permute':
        file, link['order'] = order(random, folder, image, number)
        return ['--permute', file], link
    if name in ('rotate', 'flip'):
        link['value'] = random.choice(('90', '180', '270') if name == 'rotate' else ('h', 'v'))
        return ['--' + name, link['value']], link
    raise SystemExit(f'filters/{name}.h: link_of() of tests/model/cases.py has no random parameters for it')
