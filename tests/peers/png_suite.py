#!/usr/bin/env python3
"""Compares what satfilter decodes of a folder of PNG files with a decoder written here from the
PNG specification (ISO/IEC 15948), which shares no code with libpng. Files whose names begin with x
are damaged, as in PngSuite (www.schaik.com/pngsuite), and must be refused.

usage: png_suite.py SATFILTER FOLDER
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
          (0, 1, 1, 2)]


def chunks(data):
    at = 8
    while at < len(data):
        (n,) = struct.unpack('>I', data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + n]
        at += 12 + n


def unfilter(raw, rows, row_bytes, step):
    """Undoes the five filters, byte by byte; returns the rows and what is left of raw."""
    above = np.zeros(row_bytes, int)
    out = np.zeros((rows, row_bytes), np.uint8)
    for y in range(rows):
        kind, row = raw[0], np.frombuffer(raw, np.uint8, row_bytes, 1).astype(int)
        raw = raw[1 + row_bytes:]
        for i in range(row_bytes):
            a = row[i - step] if i >= step else 0
            b, c = above[i], above[i - step] if i >= step else 0
            if kind == 4:
                near = sorted((abs(b - c), abs(a - c), abs(a + b - 2 * c)))[0]
                guess = a if abs(b - c) == near else b if abs(a - c) == near else c
            else:
                guess = (0, a, b, (a + b) // 2)[kind]
            row[i] = (row[i] + guess) & 255
        out[y], above = row, row
    return out, raw


def samples(rows, width, channels, depth):
    if depth == 16:
        return rows.view('>u2').reshape(len(rows), width, channels).astype(int)
    bits = np.unpackbits(rows, axis=1)[:, :width * channels * depth]
    weights = 1 << np.arange(depth)[::-1]
    return (bits.reshape(len(rows), width, channels, depth) * weights).sum(axis=3)


def decode(data):
    palette, transparent, idat = None, None, b''
    for name, body in chunks(data):
        if name == b'IHDR':
            width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', body)
        elif name == b'PLTE':
            palette = np.frombuffer(body, np.uint8).reshape(-1, 3).astype(int)
        elif name == b'tRNS':
            transparent = body
        elif name == b'IDAT':
            idat += body
    channels, raw = CHANNELS[colour], zlib.decompress(idat)
    picture = np.zeros((height, width, channels), int)
    for x, y, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        w, h = -((x - width) // dx), -((y - height) // dy)
        if w > 0 and h > 0:
            rows, raw = unfilter(raw, h, (w * channels * depth + 7) // 8,
                                 max(1, channels * depth // 8))
            picture[y::dy, x::dx] = samples(rows, w, channels, depth)
    if colour == 3:
        index = picture[:, :, 0]
        picture = palette[index]
        if transparent is not None:
            alpha = np.full(256, 255)
            alpha[:len(transparent)] = list(transparent)
            picture = np.dstack([picture, alpha[index]])
        depth = 8
    elif transparent is not None:
        clear = struct.unpack('>%dH' % channels, transparent)
        alpha = np.where((picture == clear).all(axis=2), 0, (1 << depth) - 1)
        picture = np.dstack([picture, alpha])
    if depth < 8:
        picture = picture * (255 // ((1 << depth) - 1))
    if picture.shape[2] in (2, 4):
        picture[picture[:, :, -1] == 0] = 0  # what a mean weighted by alpha makes of it
    return picture.squeeze(axis=2) if picture.shape[2] == 1 else picture


def main(satfilter, folder):
    right, refused, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, 'out.npy')
        for name in sorted(n for n in os.listdir(folder) if n.endswith('.png')):
            path = os.path.join(folder, name)
            done = subprocess.run([satfilter, '-q', '--box', '1', path, out], capture_output=True,
                                  text=True, check=False)
            if name.startswith('x'):
                if done.returncode == 1 and done.stderr.count('\n') == 1:
                    refused += 1
                else:
                    wrong.append(name + ' was read')
                continue
            if done.returncode:
                wrong.append(name + ': ' + done.stderr.strip())
                continue
            with open(path, 'rb') as file:
                want = decode(file.read())
            got = np.load(out)
            if got.shape == want.shape and (got == want).all():
                right += 1
            else:
                wrong.append(name + ' differs')
    for line in wrong:
        print(line)
    print(f'{right} files read alike, {refused} damaged ones refused, {len(wrong)} wrong')
    return 1 if wrong or not right else 0


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
