#!/usr/bin/env python3
"""Measures a whole command from PNG to PNG beside libvips, and how writing scales with threads.

usage: png_speed.py SATFILTER [--size WxH ...] [--cores N ...] [--levels N ...] [--repeat N]
                    [--json FILE]

Two tables a size, of wall times that are the least of N, whole processes in turn, each bound to as
many cores as it has threads:
- satfilter --box 15 of an RGB PNG, at PNG levels 1 and 6, beside vips convsep at the same levels
  (1: filter none, vips' default, and up; 6: filter all, which packs as well as ours);
- satfilter --flip h of a PPM to PNG: little but encoding. The speed-up is over the first number of cores.
Needs numpy and cv2; without vips its columns stay empty. Set LD_LIBRARY_PATH for a library that is
not installed. 8192x8192 takes 1 GB of /dev/shm or TMPDIR.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import batch

WINDOW = 15


def make(folder, width, height):
    """A photograph's mixture of flat and fine: octaves of noise, and a grain of two grey levels."""
    import cv2
    import numpy as np

    random = np.random.default_rng(1)
    picture = np.full((height, width, 3), 128, np.float32)
    cell = 512
    while cell >= 2:
        shape = (height // cell + 2, width // cell + 2, 3)
        octave = random.normal(0, 2 * cell**0.5, shape).astype(np.float32)
        picture += cv2.resize(octave, (width, height), interpolation=cv2.INTER_CUBIC)
        cell //= 2
    for y in range(0, height, 256):
        part = picture[y:y + 256]
        part += random.normal(0, 2, part.shape).astype(np.float32)
    picture = np.clip(picture, 0, 255).astype(np.uint8)
    cv2.imwrite(os.path.join(folder, 'in.png'), picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    cv2.imwrite(os.path.join(folder, 'in.ppm'), picture)


def measure(command, cores):
    """Wall seconds of one process on so many of the cores that this one may use."""
    mine = sorted(os.sched_getaffinity(0))[:cores]
    environment = dict(os.environ, VIPS_CONCURRENCY=str(cores))
    start = time.monotonic()
    child = subprocess.Popen(command, env=environment,
                             preexec_fn=lambda: os.sched_setaffinity(0, mine))
    if child.wait():
        sys.exit('failed: ' + ' '.join(command))
    return time.monotonic() - start


def least(commands, cores, repeat):
    best = {}
    for _ in range(repeat):
        for name, command in commands.items():
            best[name] = min(measure(command, cores), best.get(name, float('inf')))
    return best


def whole_commands(folder, satfilter, level, cores):
    picture, mask = os.path.join(folder, 'in.png'), os.path.join(folder, 'mask.mat')
    with open(mask, 'w', encoding='ascii') as file:
        file.write(f'{WINDOW} 1 {WINDOW} 0\n' + '1 ' * WINDOW + '\n')
    ours = os.path.join(folder, 'ours.png')
    commands = {'satfilter': [satfilter, '-q', '-T', str(cores), '--png-level', str(level), '--box',
                              str(WINDOW), picture, ours]}
    if shutil.which('vips'):
        for name in ('none', 'up') if level == 1 else ('all',):
            out = os.path.join(folder, name + '.png')
            commands['vips, ' + name] = [
                'vips', 'convsep', picture, f'{out}[compression={level},filter={name}]', mask,
                '--precision', 'integer']
    return commands


def table_of_commands(folder, arguments, size, records):
    print(f'\n{size} RGB, box {WINDOW}, PNG to PNG\n\n| cores | level | program | ms | kB | '
          'satfilter takes |\n|--:|--:|---|--:|--:|--:|')
    for cores in arguments.cores:
        for level in arguments.levels:
            commands = whole_commands(folder, arguments.satfilter, level, cores)
            best = least(commands, cores, arguments.repeat)
            for name, seconds in best.items():
                out = commands[name][-1] if name == 'satfilter' else commands[name][3].split('[')[0]
                kilobytes = os.path.getsize(out) // 1000
                ratio = best['satfilter'] / seconds
                print(f'| {cores} | {level} | {name} | {seconds * 1e3:.1f} | {kilobytes} | '
                      f'{ratio:.2f} |')
                records.append({'size': size, 'cores': cores, 'level': level, 'name': name,
                                'ms': round(seconds * 1e3, 2), 'kilobytes': kilobytes})


def table_of_writing(folder, arguments, size, records):
    print(f'\n{size} RGB, PPM to PNG\n\n| level | cores | ms | speed-up |\n|--:|--:|--:|--:|')
    for level in arguments.levels:
        first = None
        for cores in arguments.cores:
            command = [arguments.satfilter, '-q', '-T', str(cores), '--png-level', str(level),
                       '--flip', 'h', os.path.join(folder, 'in.ppm'),
                       os.path.join(folder, 'ours.png')]
            seconds = least({'satfilter': command}, cores, arguments.repeat)['satfilter']
            first = first or seconds
            print(f'| {level} | {cores} | {seconds * 1e3:.1f} | {first / seconds:.2f} |')
            records.append({'size': size, 'cores': cores, 'level': level, 'name': 'writing',
                            'ms': round(seconds * 1e3, 2)})


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    there = len(os.sched_getaffinity(0))
    parser.add_argument('satfilter')
    parser.add_argument('--size', nargs='+', default=['1920x1080', '8192x8192'])
    parser.add_argument('--cores', nargs='+', type=int,
                        default=[n for n in (1, 2, 4, 8, 16, 32) if n <= there])
    parser.add_argument('--levels', nargs='+', type=int, default=[1, 6])
    parser.add_argument('--repeat', type=int, default=7)
    parser.add_argument('--json')
    arguments = parser.parse_args()
    records = []
    place = '/dev/shm' if os.path.isdir('/dev/shm') and 'TMPDIR' not in os.environ else None
    for size in arguments.size:
        with tempfile.TemporaryDirectory(dir=place) as folder:
            make(folder, *map(int, size.split('x')))
            table_of_commands(folder, arguments, size, records)
            table_of_writing(folder, arguments, size, records)
    if arguments.json:
        batch.write(records, arguments.json)


if __name__ == '__main__':
    main()
