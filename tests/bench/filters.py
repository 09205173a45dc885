#!/usr/bin/env python3
"""Thresholds and guided filters beside doxapy, scikit-image and OpenCV (contrib): what these call by the same name.
Prints a line for each filter, peer and picture, with the number of pixels that differ where they must not; exits with
1 if there are any. tests/model/ has the definitions.

    pip install numpy doxapy scikit-image opencv-contrib-python-headless
    filters.py --satfilter ./satfilter [--data FOLDER]

Compared are pixels whose window lies inside, for borders differ from library to library. A mask must be the peer's but
where the pixel is within 1e-9 of the full scale of its threshold. What peers do differently is done here, too:
adaptiveThreshold() of OpenCV rounds the mean, niBlackThreshold() the threshold, of floats of 32 bits, to 0 ... 255.
Counted, and not judged, are its NICK, which is not what the paper says, and scikit-image's Sauvola of floats that have
an offset, whose variance loses its digits. Windows are odd and below 182, or doxapy's sums overflow.
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
from measure import TOP

FAR = 1e-9  # of the full scale


class Picture:
    """name, samples as an array, full scale; of floats that is None."""

    def __init__(self, name, samples, full):
        self.name, self.samples, self.full = name, samples, full
        self.level = full / 255 if full else 1.0
        self.scale = full or float(np.abs(samples).max())
        self.is_byte = samples.dtype == np.uint8


def write(picture, folder):
    if picture.full != 4095:
        np.save(folder / 'in.npy', picture.samples)
        return folder / 'in.npy'
    height, width = picture.samples.shape
    head = f'P5 {width} {height} {picture.full}\n'.encode()
    (folder / 'in.pgm').write_bytes(head + picture.samples.astype('>u2').tobytes())
    return folder / 'in.pgm'


def run(options, picture, spec):
    """What satfilter makes of the picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = write(picture, folder)
        word, value = spec.split(' ')
        subprocess.run([options.satfilter, '-q', '--' + word, value, source, folder / 'out.npy'], check=True)
        return np.load(folder / 'out.npy')


def photographs(folder, *names, kind):
    for name in names:
        image = cv2.imread(str(folder / name), kind)
        if image is not None:
            yield Picture(name, np.ascontiguousarray(image[:400, :400]), 255)


def pictures(folder):
    random = np.random.default_rng(1)
    yield from photographs(folder, 'camera.png', 'astronaut.png', 'page.png', 'rocket.jpg', 'scene.png',
                           kind=cv2.IMREAD_GRAYSCALE)
    blocks = np.kron(random.integers(0, 2, (20, 23), dtype=np.uint8), np.ones((10, 10), np.uint8))
    yield Picture('noise', random.integers(0, 256, (200, 230), dtype=np.uint8), 255)
    yield Picture('blank', np.full((200, 200), 200, np.uint8), 255)
    yield Picture('black', np.zeros((200, 200), np.uint8), 255)
    yield Picture('two-level', 20 + 180 * blocks, 255)
    yield Picture('maxval 4095', random.integers(0, 4096, (200, 200), dtype=np.uint16), 4095)
    yield Picture('16 bits', random.integers(0, 65536, (200, 200), dtype=np.uint16), 65535)
    yield Picture('floats around 1e6', 1e6 + random.normal(0, 30, (200, 200)), None)


def inner(samples, size):
    r = size // 2
    return samples[r:samples.shape[0] - r, r:samples.shape[1] - r]


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

    def line(self, what, peer, picture, wrong, judged=True):
        """wrong: an array, whether each pixel is."""
        count = int(wrong.sum())
        self.failed += bool(count) and judged
        verdict = 'ok' if not count else 'WRONG' if judged else 'known'
        print(f'{what:28} {peer:34} {picture.name:18} {count:6} of {wrong.size:6}  {verdict}')

    def masks(self, what, peer, picture, ours, theirs, near, judged=True):
        self.line(what, peer, picture, ((ours > 0) != (theirs > 0)) & ~near, judged)

    def reals(self, what, peer, picture, ours, theirs, judged=True):
        self.line(what, peer, picture, np.abs(ours - theirs) > FAR * picture.scale, judged)


def thresholds(options, report, picture):
    """niblack, nick, sauvola and wolf: masks of doxapy, surfaces of scikit-image."""
    for name, size, k in (('niblack', 25, -0.2), ('niblack', 25, 0.2), ('nick', 41, -0.2),
                          ('nick', 41, -0.1), ('sauvola', 31, 0.34), ('wolf', 41, 0.5)):
        border = ',border=shrink' if name == 'wolf' else ''
        spec = f'{name} {size},k={k}{border}'
        surface = inner(run(options, picture, spec + ',surface'), size)
        ours, p = inner(run(options, picture, spec), size), inner(picture.samples, size)
        near = np.abs(p - surface) <= FAR * picture.scale
        if name != 'wolf' or len(np.unique(picture.samples)) > 1:
            report.masks(spec, 'p > its surface', picture, ours, p > surface, near)
        if picture.is_byte:
            report.masks(spec, 'doxapy', picture, ours, inner(doxa(name, picture, size, k), size), near)
        if name in ('niblack', 'sauvola'):
            more = (size, -k) if name == 'niblack' else (size, k, 128 * picture.level)
            theirs = getattr(skimage.filters, 'threshold_' + name)(picture.samples.astype(float), *more)
            report.reals(spec + ',surface', f'scikit-image threshold_{name}', picture, surface, inner(theirs, size),
                         name == 'niblack' or picture.full is not None)
    theirs = skimage.filters.threshold_local(picture.samples.astype(float), 15, 'mean', offset=5 * picture.level)
    report.reals('adaptive 15,surface', 'scikit-image threshold_local', picture,
                 inner(run(options, picture, 'adaptive 15,surface'), 15), inner(theirs, 15))


def opencv(options, report, picture):
    """Thresholds of bytes that are rounded there."""
    size, offset = 15, 5
    surface = inner(run(options, picture, f'adaptive {size},surface'), size)
    p = inner(picture.samples.astype(int), size)
    theirs = inner(cv2.adaptiveThreshold(picture.samples, 255, cv2.ADAPTIVE_THRESH_MEAN_C,
                                         cv2.THRESH_BINARY, size, offset), size)
    near = np.abs((surface + offset) % 1 - 0.5) < 1e-6  # halves may go either way there
    rounded = p > np.floor(surface + offset + 0.5) - offset
    report.masks(f'adaptive {size},surface', 'OpenCV adaptiveThreshold, rounded', picture, rounded, theirs, near)
    for name, size, k, which in (('niblack', 25, -0.2, cv2.ximgproc.BINARIZATION_NIBLACK),
                                 ('nick', 41, -0.2, cv2.ximgproc.BINARIZATION_NICK)):
        surface = inner(run(options, picture, f'{name} {size},k={k},surface'), size)
        theirs = cv2.ximgproc.niBlackThreshold(picture.samples, 255, cv2.THRESH_BINARY, size, k, which)
        rounded = inner(picture.samples, size) > np.clip(np.rint(surface), 0, 255)
        report.masks(f'{name} {size},k={k},surface', 'OpenCV niBlackThreshold, rounded', picture, rounded,
                     inner(theirs, size), np.abs(surface % 1 - 0.5) < 0.01, name == 'niblack')


def guides(options, report, picture):
    """He's filter by R, G and B together."""
    for size, eps in ((9, 0.01), (5, 0.001), (25, 0.05)):
        spec = f'guided {size},eps={eps},colour,border=reflect'
        theirs = cv2.ximgproc.guidedFilter(picture.samples, picture.samples, size // 2, eps * 255 ** 2)
        wrong = np.abs(run(options, picture, spec).astype(float) - theirs) > 1
        report.line(spec, 'cv2.ximgproc, by a level', picture, wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--satfilter', default='./satfilter')
    parser.add_argument('--data', type=pathlib.Path, default=TOP / 'samples')
    options = parser.parse_args()
    options.satfilter = os.path.abspath(options.satfilter)
    report = Report()
    for picture in pictures(options.data):
        thresholds(options, report, picture)
        if picture.is_byte:
            opencv(options, report, picture)
    noise = np.random.default_rng(2).integers(60, 190, (90, 110, 3), dtype=np.uint8)
    for picture in [*photographs(options.data, 'astronaut.png', 'scene.png', kind=cv2.IMREAD_COLOR),
                    Picture('noise', noise, 255)]:
        guides(options, report, picture)
    print(f'{report.failed} comparisons failed')
    return 1 if report.failed else 0


if __name__ == '__main__':
    sys.exit(main())
