#!/usr/bin/env python3
"""Measures how satfilter streams a large grey PNG: wall and processor time, and peak memory.

usage: large.py SATFILTER [--size WxH] [--box N] [--repeat N] [--vips] [--keep FILE]

The picture is made here, by rows: smooth waves under noise of two bits, so it packs to a third.
--vips runs libvips' separable integer convolution in turn, at PNG level 1 as well. A picture of
65536 x 65536 takes 1.5 GB of disk. Exits with 77 where vips is missing.
"""
import argparse
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib


def make(path, width, height):
    import numpy as np  # not in the process that measures, see there

    random = np.random.default_rng(1)
    noise = random.integers(0, 4, size=(64, width), dtype=np.uint8)
    across = (80 * np.sin(np.arange(width) / 700)).astype(int)
    packer = zlib.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_RLE)
    above = np.zeros((1, width), np.uint8)
    with open(path, 'wb') as file:

        def chunk(name, data):
            file.write(struct.pack('>I', len(data)) + name + data +
                       struct.pack('>I', zlib.crc32(name + data)))

        file.write(b'\x89PNG\r\n\x1a\n')
        chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0))
        for y in range(0, height, 64):
            down = (40 * np.cos(np.arange(y, min(y + 64, height)) / 900)).astype(int)
            rows = (across + down[:, None] + 128).astype(np.uint8)
            rows += np.roll(noise[:len(rows)], y, axis=1)
            up = rows - np.vstack([above, rows[:-1]])
            above = rows[-1:]
            packed = packer.compress(np.insert(up, 0, 2, axis=1).tobytes())
            if packed:
                chunk(b'IDAT', packed)
        chunk(b'IDAT', packer.flush())
        chunk(b'IEND', b'')


def measure(command):
    """Wall and processor seconds, peak MiB of one process; this one is small, so that the peak that
    a child inherits from it does not count."""
    start = time.monotonic()
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit('failed: ' + ' '.join(command))
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('satfilter')
    parser.add_argument('--size', default='32768x16384')
    parser.add_argument('--box', type=int, default=15)
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--vips', action='store_true')
    parser.add_argument('--keep', help='make the picture here, or take it from here')
    options = parser.parse_args()
    if options.vips and not shutil.which('vips'):
        print('vips is missing')
        sys.exit(77)
    width, height = map(int, options.size.split('x'))
    with tempfile.TemporaryDirectory() as work:
        picture = options.keep or os.path.join(work, 'in.png')
        if not os.path.exists(picture):
            maker = os.fork()
            if maker == 0:
                make(picture, width, height)
                os._exit(0)
            if os.waitpid(maker, 0)[1]:
                sys.exit('the picture could not be made')
        mask = os.path.join(work, 'mask.mat')
        with open(mask, 'w', encoding='ascii') as file:
            file.write(f'{options.box} 1 {options.box} 0\n' + '1 ' * options.box + '\n')
        out = os.path.join(work, 'out.png')
        commands = {'satfilter': [options.satfilter, '-q', '--max-pixels', '8G', '--box',
                                  str(options.box), picture, out]}
        if options.vips:
            commands['vips convsep'] = ['vips', 'convsep', picture, out + '[compression=1]', mask]
        runs = {name: [] for name in commands}
        for _ in range(options.repeat):
            for name, command in commands.items():
                runs[name].append(measure(command))
        print(f'{width} x {height} grey PNG, box {options.box}, medians of {options.repeat}')
        print('| command | wall s | processor s | peak MiB |')
        print('|---|--:|--:|--:|')
        for name, results in runs.items():
            wall, busy, peak = (statistics.median(column) for column in zip(*results))
            print(f'| {name} | {wall:.2f} | {busy:.2f} | {peak:.1f} |')


if __name__ == '__main__':
    main()
