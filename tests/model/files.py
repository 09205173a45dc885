"""Pictures of the model (model.py), and the files that hold them: PNG, PNM and .npy, written and
read as their own specifications say. The standard library does all of it.
"""
import ast
import copy
import itertools
import struct
import zlib

TOP = {'u8': 255, 'u16': 65535, 'u32': 2**32 - 1, 'u64': 2**64 - 1}
DTYPES = {'u8': '|u1', 'u16': '<u2', 'u32': '<u4', 'u64': '<u8', 'f32': '<f4', 'f64': '<f8',
          'bool': '|b1'}
LETTERS = {'u1': 'B', 'u2': 'H', 'u4': 'I', 'u8': 'Q', 'f4': 'f', 'f8': 'd', 'b1': 'B'}
SIGNATURE = b'\x89PNG\r\n\x1a\n'
COLOUR_TYPES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
TUPLES = {'BLACKANDWHITE': 1, 'GRAYSCALE': 1, 'RGB': 3, 'BLACKANDWHITE_ALPHA': 2,
          'GRAYSCALE_ALPHA': 2, 'RGB_ALPHA': 4}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
          (0, 1, 1, 2)]


class Image:
    """planes[channel][y][x] are samples: integers, or floats. kind: u8 ... f64. full: the sample
    that is white, 1 of floats. span: the values that are black and white, None if nobody knows;
    alpha_span: the same of alpha, which is the last channel if alpha is set. errors: planes of how
    far each sample may be from the one here, None if not at all. slack: likewise, relative, of
    samples that are not rounded yet. either: Images of which each pixel is that of one, if several
    are right. limits: of each channel the largest integer that samples become, None if it is the
    type's. depth: behind real, what a picture of it has, 'u8' or 'u16'; its full scale is said then.
    bilevel: whether it is black and white of one bit a pixel."""

    def __init__(self, planes, kind, full, alpha=False):
        self.planes, self.kind, self.full, self.alpha = planes, kind, full, alpha
        self.span = None if kind in ('f32', 'f64') else (0, full)
        self.alpha_span, self.bilevel = (0, full) if alpha else None, False
        self.errors, self.slack, self.limits, self.depth, self.either = None, 0, None, None, []

    width = property(lambda self: len(self.planes[0][0]))
    height = property(lambda self: len(self.planes[0]))
    channels = property(lambda self: len(self.planes))

    def like(self, planes, **changes):
        """Another image of exact samples, which differs in what is named."""
        image = copy.copy(self)
        image.planes, image.errors, image.slack, image.either = planes, None, 0, []
        for name, value in changes.items():
            setattr(image, name, value)
        return image

    def of_pairs(self, pairs, **changes):
        """Another image of (values, errors) of each channel."""
        image = self.like([values for values, _ in pairs], **changes)
        if any(error for _, errors in pairs for row in errors for error in row):
            image.errors = [errors for _, errors in pairs]
        return image

    def channel(self, number):
        """(values, errors) of a channel, the errors None if all samples are exact."""
        return self.planes[number], self.errors and self.errors[number]

    def error(self, number, y, x):
        return self.errors[number][y][x] if self.errors else 0


def single(value):
    return struct.unpack('f', struct.pack('f', value))[0]


def planes_of(rows):
    return [[[pixel[channel] for pixel in row] for row in rows]
            for channel in range(len(rows[0][0]))]


def flat(rows):
    return [sample for row in rows for pixel in row for sample in pixel]


def fold(samples, width, channels):
    """The rows of pixels that such a list of samples is."""
    pixels = [tuple(samples[i:i + channels]) for i in range(0, len(samples), channels)]
    return [pixels[i:i + width] for i in range(0, len(pixels), width)]


# -------------------------------------------------------------------------------------------- PNG

def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))


def packed_rows(rows, depth):
    """Rows of samples, each row filled up to whole bytes, the first sample in the highest bits."""
    out = []
    for row in rows:
        bits = ''.join(format(sample, f'0{depth}b') for pixel in row for sample in pixel)
        bits += '0' * (-len(bits) % 8)
        out.append(bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)))
    return out


def png_write(rows, colour, depth, interlaced=False, palette=None, transparent=None):
    """The bytes of a PNG. palette: a list of (R, G, B). transparent: tRNS's bytes."""
    height, width = len(rows), len(rows[0])
    passes = PASSES if interlaced else [(0, 0, 1, 1)]
    raw = b''
    for x, y, dx, dy in passes:
        part = [row[x::dx] for row in rows[y::dy]]
        if part and part[0]:
            raw += b''.join(b'\0' + row for row in packed_rows(part, depth))
    data = SIGNATURE + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, colour, 0, 0,
                                                  interlaced))
    if palette:
        data += chunk(b'PLTE', bytes(itertools.chain(*palette)))
    if transparent is not None:
        data += chunk(b'tRNS', transparent)
    return data + chunk(b'IDAT', zlib.compress(raw, 1)) + chunk(b'IEND', b'')


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def unfiltered(raw, height, stride, step):
    above, out = bytearray(stride), []
    for y in range(height):
        method, *row = raw[y * (stride + 1):(y + 1) * (stride + 1)]
        for i in range(stride):
            a, b = row[i - step] if i >= step else 0, above[i]
            c = above[i - step] if i >= step else 0
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth(a, b, c))[method]) & 255
        out.append(row)
        above = row
    return out


def png_read(data):
    """(rows, depth, alpha) of a PNG without interlacing, palette and tRNS."""
    assert data[:8] == SIGNATURE
    at, body = 8, b''
    while at < len(data):
        (n,), name = struct.unpack('>I', data[at:at + 4]), data[at + 4:at + 8]
        content = data[at + 8:at + 8 + n]
        assert zlib.crc32(name + content) == struct.unpack('>I', data[at + 8 + n:at + 12 + n])[0]
        if name == b'IHDR':
            width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', content)
        body += content if name == b'IDAT' else b''
        at += 12 + n
    assert colour != 3 and not interlaced
    channels = COLOUR_TYPES[colour]
    bits = channels * depth
    stride = (width * bits + 7) // 8
    rows = []
    for row in unfiltered(zlib.decompress(body), height, stride, max(1, bits // 8)):
        text = ''.join(format(byte, '08b') for byte in row)
        samples = [int(text[i:i + depth], 2) for i in range(0, width * bits, depth)]
        rows += fold(samples, width, channels)
    return rows, depth, colour in (4, 6)


# -------------------------------------------------------------------------------------------- PNM

def pnm_write(rows, kind, full, tupltype=None):
    """kind: 1 ... 7, the digit of the header. Bits of P1 and P4 are 1 for black."""
    height, width, channels = len(rows), len(rows[0]), len(rows[0][0])
    samples = flat(rows)
    if kind == 7:
        head = (f'P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {channels}\nMAXVAL {full}\n'
                + (f'TUPLTYPE {tupltype}\n' if tupltype else '') + 'ENDHDR\n')
    else:
        head = f'P{kind}\n# a comment\n{width} {height}\n' + (f'{full}\n' if kind % 3 != 1 else '')
    if kind == 1:
        body = ' '.join(str(1 - sample) for sample in samples).encode() + b'\n'
    elif kind in (2, 3):
        body = ' '.join(map(str, samples)).encode() + b'\n'
    elif kind == 4:
        body = b''.join(packed_rows([[(1 - pixel[0],) for pixel in row] for row in rows], 1))
    else:
        body = struct.pack(f'>{len(samples)}' + ('B' if full < 256 else 'H'), *samples)
    return head.encode() + body


def pnm_read(data):
    """(rows, kind, full, alpha) of what satfilter writes: P4 to P7."""
    kind = int(data[1:2])
    if kind == 7:
        head, body = data.split(b'ENDHDR\n', 1)
        words = dict(line.split(None, 1) for line in head.decode().split('\n')[1:] if line)
        width, height, channels = (int(words[word]) for word in ('WIDTH', 'HEIGHT', 'DEPTH'))
        full, alpha = int(words['MAXVAL']), words.get('TUPLTYPE', '').endswith('_ALPHA')
        assert TUPLES.get(words.get('TUPLTYPE'), channels) == channels
    else:
        fields = data.split(None, 4)
        width, height, channels, alpha = int(fields[1]), int(fields[2]), 3 if kind == 6 else 1, 0
        full = 1 if kind == 4 else int(fields[3])
        body = data[data_start(data, 3 if kind == 4 else 4):]
    if kind == 4:
        stride = (width + 7) // 8
        assert len(body) == stride * height
        lines = [''.join(format(byte, '08b') for byte in body[y * stride:(y + 1) * stride])
                 for y in range(height)]
        return [[(1 - int(bit),) for bit in line[:width]] for line in lines], 4, 1, False
    samples = list(struct.unpack(f'>{width * height * channels}' + ('B' if full < 256 else 'H'),
                                 body))
    return fold(samples, width, channels), kind, full, bool(alpha)


def data_start(data, words):
    """Where a plain header of so many words ends: one white space behind the last of them."""
    at = 0
    for _ in range(words):
        while data[at:at + 1].isspace():
            at += 1
        while not data[at:at + 1].isspace():
            at += 1
    return at + 1


# ------------------------------------------------------------------------------------------- .npy

def npy_write(samples, shape, dtype, fortran=False, version=1):
    """samples in the order in which they lie; dtype: '<f4' and so on."""
    text = str({'descr': dtype, 'fortran_order': fortran, 'shape': tuple(shape)})
    length = 2 if version == 1 else 4
    text += ' ' * (-(8 + length + len(text) + 1) % 64) + '\n'
    head = b'\x93NUMPY' + bytes([version, 0]) + len(text).to_bytes(length, 'little')
    order = '>' if dtype[0] == '>' else '<'
    letter = {**LETTERS, 'i1': 'b', 'i2': 'h', 'i4': 'i', 'i8': 'q'}[dtype[1:]]
    return head + text.encode() + struct.pack(f'{order}{len(samples)}{letter}', *samples)


def npy_read(data):
    """(rows, dtype) of a version 1 file in C order."""
    assert data[:8] == b'\x93NUMPY\x01\x00'
    n = int.from_bytes(data[8:10], 'little')
    assert (10 + n) % 64 == 0
    head = ast.literal_eval(data[10:10 + n].decode())
    shape, dtype = head['shape'], head['descr']
    assert not head['fortran_order'] and len(shape) in (2, 3)
    channels = shape[2] if len(shape) == 3 else 1
    assert len(shape) == 2 or channels > 1
    samples = struct.unpack(f'<{shape[0] * shape[1] * channels}{LETTERS[dtype[1:]]}',
                            data[10 + n:])
    return fold(list(samples), shape[1], channels), dtype
