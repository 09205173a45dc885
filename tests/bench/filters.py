#!/usr/bin/env python3
"""Filters over windows against other libraries: doxapy, scikit-image and OpenCV (contrib), and by
definition in numpy where no library has the filter. Prints a line for each filter, peer and picture, with
the number of pixels that differ where they must not; exits with 1 if there are any.

    pip install numpy doxapy scikit-image opencv-contrib-python-headless
    filters.py --satfilter ./satfilter [--data FOLDER]

Compared are pixels whose window lies inside, for borders differ from library to library. A mask
must be the peer's but where the pixel is within 1e-9 of the full scale of its threshold. What peers
do differently is done here, too: adaptiveThreshold() of OpenCV rounds the mean, niBlackThreshold()
the threshold, of floats of 32 bits, to 0 ... 255. Counted, and not judged, are its NICK, which is
not what the paper says, and scikit-image's Sauvola of floats that have an offset, whose variance loses its
digits. unsharp has no peer: scikit-image's unsharp_mask and sharpen of vips blur by a Gaussian.
Windows are odd and below 182, or doxapy's sums overflow.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import doxapy
import numpy as np
import skimage.filters

TOP = pathlib.Path(__file__).resolve().parents[2]
FAR = 1e-9  # of the full scale


class Picture:
    """name, samples as an array, full scale; of floats that is None."""

    def __init__(self, name, samples, full):
        self.name, self.samples, self.full = name, samples, full
        self.level = full / 255 if full else 1.0
        self.scale = full or float(np.abs(samples).max())
        self.is_byte = samples.dtype == np.uint8 and full == 255

    def integers(self):
        return self.samples.astype(np.int64)


def write(picture, path):
    if picture.full and picture.full not in (255, 65535):
        height, width = picture.samples.shape
        head = f'P5 {width} {height} {picture.full}\n'.encode()
        path.write_bytes(head + picture.samples.astype('>u2').tobytes())
        return
    np.save(path, picture.samples)


def run(options, picture, spec, other=None):
    """What satfilter makes of the picture, with an array for the FILE of by."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source = folder / ('in.pgm' if picture.full not in (None, 255, 65535) else 'in.npy')
        write(picture, source)
        name, value = spec.split(' ')
        if other is not None:
            np.save(folder / 'other.npy', other)
            value = str(folder / 'other.npy') + value
        subprocess.run([options.satfilter, '-q', '--' + name, value, source, folder / 'out.npy'],
                       check=True)
        return np.load(folder / 'out.npy')


def colours(folder):
    """In colour: a photograph, noise, and 16 bits."""
    random = np.random.default_rng(2)
    image = cv2.imread(str(folder / 'astronaut.png'), cv2.IMREAD_COLOR)
    if image is not None:
        yield Picture('astronaut.png', np.ascontiguousarray(image[:200, :200, ::-1]), 255)
    yield Picture('noise', random.integers(60, 190, (90, 110, 3), dtype=np.uint8), 255)
    yield Picture('16 bits', random.integers(0, 65536, (80, 70, 3), dtype=np.uint16), 65535)
    yield Picture('floats', random.normal(0, 30, (60, 70, 3)), None)


def pictures(folder):
    random = np.random.default_rng(1)
    for name in ('camera.png', 'astronaut.png', 'page.png', 'rocket.jpg'):
        image = cv2.imread(str(folder / name), cv2.IMREAD_GRAYSCALE)
        if image is not None:
            yield Picture(name, np.ascontiguousarray(image[:400, :400]), 255)
    noise = random.integers(0, 256, (200, 230), dtype=np.uint8)
    blocks = np.kron(random.integers(0, 2, (20, 23), dtype=np.uint8), np.ones((10, 10), np.uint8))
    yield Picture('noise', noise, 255)
    yield Picture('blank', np.full((200, 200), 200, np.uint8), 255)
    yield Picture('black', np.zeros((200, 200), np.uint8), 255)
    yield Picture('two-level', 20 + 180 * blocks, 255)
    yield Picture('maxval 4095', random.integers(0, 4096, (200, 200), dtype=np.uint16), 4095)
    yield Picture('16 bits', random.integers(0, 65536, (200, 200), dtype=np.uint16), 65535)
    yield Picture('floats around 1e6', 1e6 + random.normal(0, 30, (200, 200)), None)


# ------------------------------------------------------------------------ definitions in numpy

def sums(samples, size):
    """The sums over N x N, of windows that lie inside."""
    table = np.zeros((samples.shape[0] + 1, samples.shape[1] + 1), samples.dtype)
    table[1:, 1:] = samples.cumsum(0).cumsum(1)
    return (table[size:, size:] - table[:-size, size:] - table[size:, :-size]
            + table[:-size, :-size])


def inner(samples, size):
    r = size // 2
    return samples[r:samples.shape[0] - r, r:samples.shape[1] - r]


def moments(picture, size):
    """(p, n, S, V) of integers, exact; of floats they are of what is above the mean of all."""
    samples = picture.integers() if picture.full else picture.samples - picture.samples.mean()
    s, s2 = sums(samples, size), sums(samples * samples, size)
    n = size * size
    return inner(samples, size), n, s, n * s2 - s * s


def bradley(picture, size, percent):
    p, n, s, _ = moments(picture, size)
    if picture.full:
        return 100 * p * n > (100 - percent) * s
    p, m = p + picture.samples.mean(), s / n + picture.samples.mean()
    return p > m * (1 - percent / 100)


def adaptive(picture, size, offset):
    p, n, s, _ = moments(picture, size)
    if picture.full:
        return n * (255 * p + offset * picture.full) > 255 * s
    return p > s / n - offset


def highpass(picture, size):
    p, n, s, _ = moments(picture, size)
    if picture.full:
        full = picture.full
        return np.clip((2 * (n * p - s) + full * n + n) // (2 * n), 0, full)
    return p - s / n + 0.5


def flatten(picture, size, target):
    p, n, s, _ = moments(picture, size)
    if picture.full:
        full, down = picture.full, np.maximum(510 * s, 1)
        flat = (2 * target * p * full * n + 255 * s) // down
        return np.where(s == 0, p, np.minimum(flat, full))
    mean = picture.samples.mean()
    return (p + mean) * target / (s / n + mean)


def normalize(picture, size, c):
    p, n, s, v = moments(picture, size)
    return (n * p - s) / (np.sqrt(np.maximum(v, 0)) + n * c * picture.level)


def soft(picture, p, above, n, amount, threshold):
    """p + A max(|d| - T, 0) with d's sign, d = above / n; A in tenths, T in levels of 8 bits."""
    if not picture.full:
        d = above / n
        return p + amount / 10 * np.sign(d) * np.maximum(np.abs(d) - threshold, 0)
    full, down = picture.full, 2550 * n
    change = amount * np.maximum(255 * np.abs(above) - threshold * full * n, 0)
    up = p * down + np.sign(above) * change
    return np.clip((2 * up + down) // (2 * down), 0, full)


def unsharp(picture, size, amount, threshold):
    p, n, s, _ = moments(picture, size)
    sharp = soft(picture, p, n * p - s, n, amount, threshold)
    return sharp if picture.full else sharp + picture.samples.mean()


def unsharp_luma(picture, size, amount, threshold):
    """Integers: the luma in thousandths."""
    samples = picture.integers() if picture.full else picture.samples
    luma = samples @ np.array((299, 587, 114))
    n, unit = size * size, 1000
    above = n * inner(luma, size) - sums(luma, size)
    return np.stack([soft(picture, inner(samples[..., k], size), above, unit * n, amount, threshold)
                     for k in range(3)], -1)


def guided(picture, size, eps, amount):
    """He's, guided by itself, where no window reaches the border; and its detail."""
    full = picture.full or 1
    samples = picture.samples.astype(float) / full
    n, p = size * size, inner(samples, size)
    mean, square = sums(samples, size) / n, sums(samples * samples, size) / n
    a = (square - mean * mean) / (square - mean * mean + eps)
    base = sums(a, size) / n * inner(p, size) + sums(mean - a * mean, size) / n
    return full * (base + amount * (inner(p, size) - base))


def guided_colour(guide, samples, size, eps):
    """The same for channels of 0 ... 1 whose guide is R, G and B together: a 3 x 3 system a pixel."""
    def mean(of):
        return np.stack([sums(np.ascontiguousarray(of[..., k]), size) / size ** 2
                         for k in range(of.shape[-1])], -1)
    middle, own = mean(guide), mean(samples)
    squares = mean((guide[..., :, None] * guide[..., None, :]).reshape(*guide.shape[:2], 9))
    products = mean((guide[..., :, None] * samples[..., None, :]).reshape(*guide.shape[:2], -1))
    matrix = squares.reshape(*middle.shape, 3) - middle[..., :, None] * middle[..., None, :]
    right = products.reshape(*middle.shape, -1) - middle[..., :, None] * own[..., None, :]
    a = np.linalg.solve(matrix + eps * np.eye(3), right)
    b = own - (middle[..., :, None] * a).sum(-2)
    slopes = mean(a.reshape(*a.shape[:2], -1)).reshape(-1, 3, samples.shape[-1])
    inside = inner(inner(guide, size), size).reshape(-1, 3, 1)
    offsets = mean(b)
    return (inside * slopes).sum(1).reshape(offsets.shape) + offsets


def by(picture, other, op, scale):
    """(over, under) is the number s of integers; None: the mean."""
    p, q = picture.samples.astype(float), other.astype(float)
    if not picture.full:
        s = q.mean() if scale is None else scale[0] / scale[1]
        zero = np.where(p == 0, 0, 1.0)
        down = np.where(q == 0, 1, q)
        return {'add': p + s * q, 'sub': p - s * q, 'mul': p * q * s,
                'div': np.where(q == 0, zero, p * s / down)}[op]
    full, p, q = picture.full, picture.integers(), other.astype(np.int64)
    over, under = scale or (int(q.sum()), q.size)
    term, down = {'add': (q, 1), 'sub': (q, 1), 'mul': (p * q, 1), 'div': (p, q)}[op]
    down = under * np.where(down == 0, 1, down)
    if op in ('add', 'sub'):
        sign = 1 if op == 'add' else -1
        value = (2 * (p * down + sign * over * term) + down) // (2 * down)
    else:
        value = (2 * over * term + down) // (2 * down)
    value = np.clip(value, 0, full)
    return np.where(q == 0, np.where(p == 0, 0, full), value) if op == 'div' else value


# ---------------------------------------------------------------------------------------- peers

def doxa(name, picture, size, k):
    algorithm = getattr(doxapy.Binarization.Algorithms, name.upper())
    out = np.empty(picture.samples.shape, np.uint8)
    method = doxapy.Binarization(algorithm)
    method.initialize(picture.samples)
    method.to_binary(out, {'window': size, 'k': k})
    return out


class Report:
    def __init__(self):
        self.failed = 0

    def line(self, what, peer, picture, wrong, of, judged=True):
        self.failed += bool(wrong) and judged
        verdict = 'ok' if not wrong else 'WRONG' if judged else 'known'
        print(f'{what:28} {peer:34} {picture.name:18} {wrong:6} of {of:6}  {verdict}')

    def masks(self, what, peer, picture, ours, theirs, near, judged=True):
        wrong = int(((ours > 0) != (theirs > 0))[~near].sum())
        self.line(what, peer, picture, wrong, ours.size, judged)

    def definition(self, spec, picture, ours, theirs):
        """Of integers bit for bit."""
        if picture.full:
            self.line(spec, 'definition', picture, int((ours != theirs).sum()), ours.size)
        else:
            self.reals(spec, 'definition', picture, ours, theirs)

    def reals(self, what, peer, picture, ours, theirs, size=None, judged=True):
        far = np.abs(ours - theirs) > FAR * (size or picture.scale)
        self.line(what, peer, picture, int(far.sum()), ours.size, judged)


def thresholds(options, report, picture):
    """niblack, nick, sauvola and wolf: masks of doxapy, surfaces of scikit-image."""
    for name, size, k in (('niblack', 25, -0.2), ('niblack', 25, 0.2), ('nick', 41, -0.2),
                          ('nick', 41, -0.1), ('sauvola', 31, 0.34), ('wolf', 41, 0.5)):
        border = ',border=shrink' if name == 'wolf' else ''
        spec = f'{name} {size},k={k}{border}'
        surface = inner(run(options, picture, spec + ',surface'), size)
        ours = inner(run(options, picture, spec), size)
        p = inner(picture.samples, size)
        near = np.abs(p - surface) <= FAR * picture.scale
        if name != 'wolf' or len(np.unique(picture.samples)) > 1:
            report.masks(spec, 'p > its surface', picture, ours, p > surface, near)
        if picture.is_byte:
            theirs = inner(doxa(name, picture, size, k), size)
            report.masks(spec, 'doxapy', picture, ours, theirs, near)
        if name == 'niblack':
            theirs = skimage.filters.threshold_niblack(picture.samples.astype(float), size, -k)
            report.reals(spec + ',surface', 'scikit-image threshold_niblack', picture, surface,
                         inner(theirs, size))
        if name == 'sauvola':
            theirs = skimage.filters.threshold_sauvola(picture.samples.astype(float), size, k,
                                                       128 * picture.level)
            report.reals(spec + ',surface', 'scikit-image threshold_sauvola', picture, surface,
                         inner(theirs, size), judged=picture.full is not None)


def opencv(options, report, picture):
    """Thresholds of bytes that are rounded there."""
    size, offset = 15, 5
    surface = inner(run(options, picture, f'adaptive {size},surface'), size)
    p = inner(picture.integers(), size)
    theirs = inner(cv2.adaptiveThreshold(picture.samples, 255, cv2.ADAPTIVE_THRESH_MEAN_C,
                                         cv2.THRESH_BINARY, size, offset), size)
    near = np.abs((surface + offset) % 1 - 0.5) < 1e-6  # halves may go either way there
    rounded = p > np.floor(surface + offset + 0.5) - offset
    report.masks(f'adaptive {size},surface', 'OpenCV adaptiveThreshold, rounded', picture, rounded,
                 theirs, near)
    for name, size, k, which in (('niblack', 25, -0.2, cv2.ximgproc.BINARIZATION_NIBLACK),
                                 ('nick', 41, -0.2, cv2.ximgproc.BINARIZATION_NICK)):
        surface = inner(run(options, picture, f'{name} {size},k={k},surface'), size)
        theirs = cv2.ximgproc.niBlackThreshold(picture.samples, 255, cv2.THRESH_BINARY, size, k,
                                               which)
        p, near = inner(picture.integers(), size), np.abs(surface % 1 - 0.5) < 0.01
        rounded = p > np.clip(np.rint(surface), 0, 255)
        report.masks(f'{name} {size},k={k},surface', 'OpenCV niBlackThreshold, rounded', picture,
                     rounded, inner(theirs, size), near, name == 'niblack')


def definitions(options, report, picture):
    """What numpy has in a line: integers exactly, floats within the bound."""
    for size, offset in ((15, 5), (15, 0), (31, 20), (31, -3)):
        spec = f'adaptive {size},offset={offset}'
        ours = inner(run(options, picture, spec), size)
        near = np.zeros_like(ours, bool)
        if not picture.full:
            surface = inner(run(options, picture, spec + ',surface'), size)
            near = np.abs(inner(picture.samples, size) - surface) <= FAR * picture.scale
        report.masks(spec, 'definition', picture, ours, adaptive(picture, size, offset), near)
    theirs = skimage.filters.threshold_local(picture.samples.astype(float), 15, 'mean',
                                             offset=5 * picture.level)
    report.reals('adaptive 15,surface', 'scikit-image threshold_local', picture,
                 inner(run(options, picture, 'adaptive 15,surface'), 15), inner(theirs, 15))
    for size, percent in ((65, 15), (65, 0), (31, 40)):
        ours = inner(run(options, picture, f'bradley {size},percent={percent}'), size)
        theirs = bradley(picture, size, percent)
        near = np.zeros_like(ours, bool)
        report.masks(f'bradley {size},percent={percent}', 'definition', picture, ours, theirs, near)
    if picture.full:
        windows = np.lib.stride_tricks.sliding_window_view(picture.integers(), (14, 15))
        totals = windows.sum((2, 3))
        for spec, theirs in (('box 15x14,border=valid', (2 * totals + 210) // 420),
                             ('sum 15x14,border=valid', totals)):
            ours = run(options, picture, spec)
            wrong = int((ours != theirs).sum()) if ours.shape == theirs.shape else ours.size
            report.line(spec, 'numpy sliding_window_view', picture, wrong, ours.size)
    mean = 0 if picture.full else picture.samples.mean()
    for spec, size, theirs, room in (
            ('highpass 15', 15, highpass(picture, 15), None),
            ('flatten 101', 101, flatten(picture, 101, 128), None),
            ('flatten 31,target=255', 31, flatten(picture, 31, 255), None),
            ('normalize 31', 31, normalize(picture, 31, 1), 1 + mean)):
        ours = inner(run(options, picture, spec), size).astype(float)
        if 'normalize' in spec:
            report.reals(spec, 'definition', picture, ours, theirs, room)
        else:
            report.definition(spec, picture, ours, theirs)


def sharpening(options, report, picture):
    """Of integers bit for bit; guided within what rounds its slopes and offsets."""
    for size, amount, threshold in ((7, 15, 0), (15, 15, 3), (5, 40, 12), (31, 10, 1)):
        spec = f'unsharp {size},amount={amount / 10},threshold={threshold}'
        ours = inner(run(options, picture, spec), size).astype(float)
        theirs = unsharp(picture, size, amount, threshold)
        report.definition(spec, picture, ours, theirs)
    for size, eps, amount in ((9, 0.01, 0), (9, 0.001, 1.5), (15, 0.02, 3)):
        if not picture.full:
            continue
        spec = f'guided {size},eps={eps},amount={amount}'
        ours = inner(inner(run(options, picture, spec), size), size).astype(float)
        theirs = np.clip(guided(picture, size, eps, amount), 0, picture.full)
        wrong = int((np.abs(ours - theirs) > 0.5 + 0.02 * (1 + amount)).sum())
        report.line(spec, "He's algorithm in doubles", picture, wrong, ours.size)


def colour(options, report, picture):
    """Luma alone: by definition, and R - G and B - G stay where nothing saturates."""
    for size, amount, threshold in ((7, 15, 0), (15, 15, 3), (5, 40, 1)):
        spec = f'unsharp {size},amount={amount / 10},threshold={threshold},luma'
        ours = inner(run(options, picture, spec), size).astype(float)
        theirs = unsharp_luma(picture, size, amount, threshold)
        report.definition(spec, picture, ours, theirs)
        before = inner(picture.samples, size).astype(float)
        within = (ours > 0) & (ours < picture.full) if picture.full else np.ones(ours.shape, bool)
        moved = np.abs((ours - before) - (ours - before)[..., 1:2]).max(-1)[within.all(-1)]
        report.line(spec, 'R - G and B - G of the input', picture,
                    int((moved > (0 if picture.full else 1e-9)).sum()), moved.size)


def guides(options, report, picture):
    """He's filter by R, G and B together: in numpy within what is kept, and OpenCV's, of floats of 32 bits."""
    full = picture.full or 1
    samples = picture.samples / full
    for size, eps in ((9, 0.01), (5, 0.001), (25, 0.05)):
        spec = f'guided {size},eps={eps},colour,border=reflect'
        whole = run(options, picture, spec).astype(float)
        ours = inner(inner(whole, size), size)
        theirs = full * guided_colour(samples, samples, size, eps)
        most = 0.52 if picture.full else 1e-9
        theirs = theirs.clip(0, full) if picture.full else theirs
        wrong = int((np.abs(ours - theirs) > most).sum())
        report.line(spec, "He's algorithm in doubles", picture, wrong, ours.size)
        if picture.is_byte:
            theirs = cv2.ximgproc.guidedFilter(picture.samples, picture.samples, size // 2, eps * 255 ** 2)
            wrong = int((np.abs(whole - theirs) > 1).sum())
            report.line(spec, 'cv2.ximgproc, by a level', picture, wrong, whole.size)


def pairs(options, report, picture):
    """by: what a dark frame and a flat field are for, and all else, beside numpy."""
    random = np.random.default_rng(2)
    shape, most = picture.samples.shape, picture.full or 1000
    falling = (0.6 + 0.4 * np.cos(np.linspace(-1, 1, shape[1]))) * np.ones(shape)
    flat = (most * falling * random.normal(1, 0.01, shape)).clip(0, most)
    flat = flat.astype(picture.samples.dtype)
    dark = random.integers(0, most // 30 + 2, shape).astype(picture.samples.dtype)
    for other, name in ((flat, 'flat'), (dark, 'dark')):
        for op in ('add', 'sub', 'mul', 'div'):
            for text, scale in (('1', (1, 1)), ('0.3', (3, 10)), ('auto', None)):
                if text == 'auto' and op != 'div':
                    continue
                spec = f'by ,op={op},scale={text}'
                ours = run(options, picture, spec, other)
                theirs = by(picture, other, op, scale)
                if picture.full:
                    wrong = int((ours != theirs).sum())
                    report.line(spec, f'numpy, {name}', picture, wrong, ours.size)
                else:
                    report.reals(spec, f'numpy, {name}', picture, ours, theirs,
                                 np.abs(theirs).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--satfilter', default='./satfilter')
    parser.add_argument('--data', type=pathlib.Path, default=TOP / 'samples')
    options = parser.parse_args()
    options.satfilter = os.path.abspath(options.satfilter)
    report = Report()
    for picture in pictures(options.data):
        thresholds(options, report, picture)
        definitions(options, report, picture)
        sharpening(options, report, picture)
        pairs(options, report, picture)
        if picture.is_byte:
            opencv(options, report, picture)
    for picture in colours(options.data):
        colour(options, report, picture)
        guides(options, report, picture)
    print(f'{report.failed} comparisons failed')
    return 1 if report.failed else 0


if __name__ == '__main__':
    sys.exit(main())
