#!/usr/bin/env python3
"""Compares satfilter with a model of it that is written from the documentation alone: README.md,
docs/, the headers and --help. Random pictures in PNG, PNM and .npy files go through chains of up to
three filters into files of all kinds. The model computes them in exact integers and fractions, and
must find the same samples; of floats whose sums round, within the bounds of docs/numbers.md. What is
written is read again by the command. Python's standard library is all that it needs.

usage: model.py [--satfilter FILE] [--cases N] [--seed N] [--only N] [--first FILTER] [--keep FOLDER]
"""
import argparse
import concurrent.futures
import json
import os
import random as randoms
import shlex
import shutil
import subprocess
import sys
import tempfile

import cases
import pictures
from files import npy_read, planes_of, png_read, pnm_read
from choice import CHOICES
from filters import FILTERS as OTHERS
from resize import FILTERS as SMALLER
from output import difference, outputs, settled, written
from sums import trimmed
from thresholds import THRESHOLDS

FILTERS = {**OTHERS, **CHOICES, **SMALLER, **THRESHOLDS}
LARGE = 101  # one case in so many is of a large picture


def command(folder, satfilter, words):
    """Runs it; (status, what it says)."""
    done = subprocess.run([satfilter, '-q', *words], cwd=folder, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stderr.strip()


def read(path):
    """(planes, of what: a word, maxval or depth, alpha) of a file that satfilter has written."""
    with open(path, 'rb') as file:
        data = file.read()
    if path.endswith('.npy'):
        rows, dtype = npy_read(data)
        return planes_of(rows), dtype, None, False
    if path.endswith('.png'):
        rows, depth, alpha = png_read(data)
        return planes_of(rows), 'png', 2**depth - 1, alpha
    rows, digit, full, alpha = pnm_read(data)
    return planes_of(rows), f'P{digit}', full, alpha


def engine(random, chain, tables, real):
    """Words that must not change a result, but for what tables make of floats."""
    names, words = [link['name'] for link in chain], ['-T', random.choice('12')]
    if tables and any(cases.is_windowed(name) or name in cases.TABLES for name in names):
        return words + random.choice((['--engine', 'sat'], ['--algorithm', random.choice(
            ('2r1w', '1r1w', '1+r') if real else ('2r2w', '4r1w', '2r1w', '1r1w', '1+r'))]))
    pick = random.randrange(4)
    if pick == 0 and not tables and all(cases.is_windowed(name) and name != 'kuwahara' for name in names):
        words += ['--engine', 'window']
    return words + ['--no-stream'] * (pick == 1)


def wish(number, names):
    """The filter, the border and the kind of picture of a case: all of them together in some thousand."""
    rest, first = divmod(number, len(names))
    borders, sources = cases.BORDERS, pictures.SOURCES
    return names[first], borders[(rest + number) % len(borders)], \
        sources[(7 * number + 3 * rest + rest // len(borders)) % len(sources)]


def region(random, image, result):
    """(text, result): a part of the result, all else as in the image."""
    x, y = random.randrange(image.width), random.randrange(image.height)
    w, h = random.randint(1, image.width - x), random.randint(1, image.height - y)

    def pasted(ground, plane):
        return [row[:x] + part[x:x + w] + row[x + w:] if y <= k < y + h else row
                for k, (row, part) in enumerate(zip(ground, plane))]

    def paste(one):
        out = one.like([pasted(*pair) for pair in zip(image.planes, one.planes)], slack=one.slack)
        if one.errors:
            out.errors = [pasted([[0] * image.width] * image.height, plane) for plane in one.errors]
        return out

    out = paste(result)
    out.either = [paste(way) for way in result.either]
    return f'{x},{y},{w}x{h}', out


def make(random, folder, number, names):
    """A case: (words of the command, output's name, what the model expects: one of some)."""
    first, border, source = wish(number, names)
    large = number % LARGE == 60
    name, image = pictures.source(random, folder, source, large)
    result = image
    words, chain, real, whole = [], [], source[:4] == 'real' or image.kind in ('f32', 'f64'), image
    tables = random.random() < 0.25 and not cases.refuses_tables(first, real)
    usual = random.choice(('clamp', 'clamp', 'mirror', 'reflect', 'wrap', 'shrink'))
    picks = ['real'] * source.startswith('real') + [first if first in cases.choices(image) else None]
    for at in range(max(len(picks), 1 if large else random.choice((1, 1, 2, 3)))):
        image = settled(result)
        allowed = [one for one in cases.choices(image)
                   if not tables or not cases.refuses_tables(one, image.kind in ('f32', 'f64'))]
        pick = picks[at] if at < len(picks) and picks[at] else random.choice(allowed)
        more, link = cases.link_of(random, folder, image, pick, at, usual, border if at < len(picks) else None)
        link['tables'] = tables
        words, chain = words + more, chain + [link]
        result = trimmed(FILTERS[pick](image, link), image, link)
        real = real or result.kind in ('f32', 'f64')
    if random.random() < 0.1 and result.limits in (None, [whole.full] * whole.channels) and \
            all(cases.like_input(link['name']) and link['border'] != 'valid' for link in chain):
        part, result = region(random, whole, result)
        words += ['--region', part]
    output, options = outputs(random, result)
    words = engine(random, chain, tables, real) + words
    if usual != 'clamp' and any(cases.has(link['name'], 'border') for link in chain):
        words += ['--border', usual]
    if output.endswith('.png'):
        words += ['--png-level', random.choice('0123456789')]
    for option, value in options.items():
        words += ['--' + option, value]
    return words + [name, output], output, [written(one, output, **options) for one in result.either or [result]]


def again(folder, satfilter, output):
    """What is wrong when the output is read by the command and written once more."""
    copy = 'again' + os.path.splitext(output)[1]
    status, says = command(folder, satfilter, ['--flip', 'h', '--flip', 'h', output, copy])
    if status:
        return f'the output is not read again: {says}'
    one, other = (read(os.path.join(folder, name)) for name in (output, copy))
    return '' if one == other else 'read and written again, the output differs'


def run(case):
    """(line about a case that differs or '', its filter)."""
    number, seed, satfilter, keep, names = case
    random = randoms.Random(f'{seed} {number}')
    folder = os.path.join(keep, str(number))
    os.makedirs(folder, exist_ok=True)
    words, output, expected = make(random, folder, number, names)
    status, says = command(folder, satfilter, words)
    wrong = f'status {status}: {says}' if status else \
        difference(read(os.path.join(folder, output)), expected)
    wrong = wrong or again(folder, satfilter, output)
    used = [word[2:] for word in words if word[2:] in FILTERS]
    if not wrong:
        shutil.rmtree(folder)
        return '', used
    return f'case {number}: {wrong}\n  cd {folder} && {shlex.join([satfilter, *words])}', used


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--satfilter', default='./satfilter')
    parser.add_argument('--cases', type=int, default=10000)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--only', type=int, help='this case alone')
    parser.add_argument('--first', help='the filter that each case begins with')
    parser.add_argument('--keep', help='the folder for the files of cases that differ')
    options = parser.parse_args()
    satfilter = os.path.abspath(options.satfilter)
    listed = json.loads(subprocess.run([satfilter, '--list', '--json'], capture_output=True,
                                       check=True).stdout)['filters']
    names = [entry['name'] for entry in listed]
    for name in set(names) ^ set(FILTERS):
        sys.exit(f'filters/{name}.h: no function for it in FILTERS of tests/model/filters.py' if name in names else
                 f'tests/model: {name} is no filter')
    if options.first:
        names = [options.first]
    keep = options.keep or tempfile.mkdtemp(prefix='satfilter-model.')
    numbers = range(options.cases) if options.only is None else [options.only]
    todo = [(number, options.seed, satfilter, keep, names) for number in numbers]
    seen, differ = set(), 0
    with concurrent.futures.ProcessPoolExecutor(initializer=cases.learn, initargs=(listed,)) as pool:
        for line, used in pool.map(run, todo, chunksize=8):
            seen.update(used)
            differ += bool(line)
            if line:
                print(line)
    if options.only is None and options.cases >= 50 and not seen.issuperset(names):
        sys.exit(f'no case has {sorted(set(names) - seen)}')
    if not differ and not options.keep:
        shutil.rmtree(keep)
    print(f'{len(todo)} cases, {differ} differ')
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main())
