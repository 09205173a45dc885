#!/usr/bin/env python3
"""TIFFs that satfilter writes, as other programs read them: tiff_written.py [SATFILTER]

Arrays of every sample type, number of channels and compression, two pages each, and black and
white in Group 4. tifffile must read the same samples; tiffinfo, exiftool, ImageMagick, libvips and
Pillow must read them without a warning, as far as they know such samples at all. Needs numpy,
tifffile with imagecodecs, Pillow; a program that is not there is passed over.
"""
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import tifffile
from PIL import Image

satfilter = sys.argv[1] if len(sys.argv) > 1 else './satfilter'
READERS = {'tiffinfo': lambda f: ['tiffinfo', '-D', f],
           'exiftool': lambda f: ['exiftool', '-validate', '-warning', '-a', f],
           'ImageMagick': lambda f: ['identify', f],
           'libvips': lambda f: ['vips', 'avg', f]}
UNKNOWN = {'ImageMagick': ('u8',), 'libvips': ('u8', 'f8'), 'Pillow': ('u4', 'u8', 'f8')}


def pillow_reads(path):
    with Image.open(path) as picture:
        for page in range(picture.n_frames):
            picture.seek(page)
            picture.load()


def check(path, want, kind, channels):
    faults = []
    got = tifffile.imread(path)
    if got.dtype.newbyteorder('=') != want.dtype or got.shape != want.shape or not (got == want).all():
        faults.append('tifffile: other samples')
    for name, command in READERS.items():
        words = command(path)
        if kind in UNKNOWN.get(name, ()) or not shutil.which(words[0]):
            continue
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        said = done.stderr.strip() if name != 'exiftool' else done.stdout.strip()
        lines = [line for line in said.splitlines()  # EXIF, which has no Deflate and few others, is no matter here
                 if 'Validate' not in line and 'Compression' not in line]
        if done.returncode or lines:
            faults.append(f'{name}: {" ".join(lines)[:200] or done.returncode}')
    if kind not in UNKNOWN['Pillow'] and not (channels > 1 and kind != 'u1'):
        try:
            pillow_reads(path)
        except Exception as error:  # pylint: disable=broad-except
            faults.append(f'Pillow: {error}')
    return faults


def main():
    random = np.random.default_rng(50)
    count = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        array, out = f'{folder}/a.npy', f'{folder}/a.tif'
        for kind in ('u1', 'u2', 'u4', 'u8', 'f4', 'f8'):
            for channels in (1, 2, 3, 4):
                for compression in ('none', 'lzw', 'deflate', 'zstd'):
                    a = (random.random((2, 37, 53, channels)) * 250).astype(kind)
                    a = a[..., 0] if channels == 1 else a
                    np.save(array, a)
                    axes = 'ZYX' if channels == 1 else 'ZYXC'
                    subprocess.run([satfilter, '-q', '-f', '--flip', 'h', '--flip', 'h', '--axes', axes,
                                    '--compression', compression, array, out], check=True)
                    count += 1
                    for fault in check(out, a, kind, channels):
                        bad += 1
                        print(f'{kind}, {channels} channels, {compression}: {fault}')
        np.save(array, (random.random((80, 93)) * 250).astype('u1'))
        subprocess.run([satfilter, '-q', '-f', '--sauvola', '9', array, out], check=True)
        subprocess.run([satfilter, '-q', '-f', '--sauvola', '9', array, f'{folder}/b.npy'], check=True)
        count += 1
        white_is_zero = np.load(f'{folder}/b.npy') == 0  # tifffile gives the bits of the file
        for fault in check(out, white_is_zero, 'b', 1):
            bad += 1
            print(f'black and white: {fault}')
    print(f'{count} files, {bad} faults')
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
