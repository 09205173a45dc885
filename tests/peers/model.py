#!/usr/bin/env python3
"""Compares satfilter with a model of it that is written from the documentation alone: README.md,
docs/, the headers and --help. Random pictures in PNG, PNM and .npy files go through chains of up to
three filters into files of all kinds. The model computes them in exact integers and fractions, and
must find the same samples; of floats whose sums round, within the bounds of docs/design.md. What is
written is read again by the command. Python's standard library is all that it needs.

usage: model.py [--satfilter FILE] [--cases N] [--seed N] [--only N] [--keep FOLDER]
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

import model_cases
from model_files import npy_read, planes_of, png_read, pnm_read
from model_choice import CHOICES
from model_filters import FILTERS as OTHERS
from model_resize import FILTERS as SMALLER
from model_output import difference, outputs, settled, written
from model_sums import trimmed
from model_thresholds import THRESHOLDS

FILTERS = {**OTHERS, **CHOICES, **SMALLER, **THRESHOLDS}
NO_SUMS = model_cases.MOVES + ('by', 'real', 'threshold')
NO_TABLES = ('gauss', 'dog', 'resize', 'pixelate')
NO_TABLES_OF_FLOATS = ('kuwahara', 'varbox')
NO_BORDER = model_cases.MOVES + ('integral', 'by', 'real', 'threshold', 'resize', 'pixelate')


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


def engine(random, chain, real):
    """Words that must not change a result."""
    words = ['-T', random.choice('12')]
    names = {link['name'] for link in chain}
    without = NO_TABLES + (NO_TABLES_OF_FLOATS if real else ())
    tables = names - set(NO_SUMS) and not names & set(without)
    pick = random.randrange(6)
    if pick < 2 and not tables:
        return words
    if pick == 0:
        words += ['--engine', 'sat']
    elif pick == 1:
        words += ['--algorithm', random.choice(('2r1w', '1r1w', '1+r') if real else
                                               ('2r2w', '4r1w', '2r1w', '1r1w', '1+r'))]
    elif pick == 2:
        words.append('--no-stream')
    return words


def make(random, folder, first):
    """A case: (words of the command, output's name, what the model expects)."""
    source = random.choice((model_cases.png, model_cases.pnm, model_cases.npy))
    name, image = source(random, folder)
    words, chain, real = [], [], image.kind in ('f32', 'f64')
    usual = random.choice(('clamp', 'clamp', 'mirror', 'reflect', 'wrap', 'shrink'))
    for number in range(random.choice((1, 1, 2, 3))):
        if chain:
            image = settled(result)
        names = model_cases.choices(image)
        pick = first if not chain and first in names else random.choice(names)
        more, link = model_cases.link_of(random, folder, image, pick, number, usual)
        words, chain = words + more, chain + [link]
        result = trimmed(FILTERS[pick](image, link), image, link)
        real = real or result.kind in ('f32', 'f64')
    output, options = outputs(random, result)
    words = engine(random, chain, real) + words
    if usual != 'clamp' and any(link['name'] not in NO_BORDER for link in chain):
        words += ['--border', usual]
    if output.endswith('.png'):
        words += ['--png-level', random.choice('0123456789')]
    for option, value in options.items():
        words += ['--' + option, value]
    return words + [name, output], output, written(result, output, **options)


def again(folder, satfilter, output):
    """What is wrong when the output is read by the command and written once more."""
    copy = 'again' + os.path.splitext(output)[1]
    status, says = command(folder, satfilter, ['--flip', 'h', '--flip', 'h', output, copy])
    if status:
        return f'the output is not read again: {says}'
    one, other = (read(os.path.join(folder, name)) for name in (output, copy))
    if one[2] == 1 and one[1] == 'png':
        one = ([[[255 * value for value in row] for row in plane] for plane in one[0]], 'png', 255,
               one[3])
    return '' if one == other else 'read and written again, the output differs'


def run(case):
    """(line about a case that differs or '', its filter)."""
    number, seed, satfilter, keep, names = case
    random = randoms.Random(f'{seed} {number}')
    folder = os.path.join(keep, str(number))
    os.makedirs(folder, exist_ok=True)
    words, output, expected = make(random, folder, names[number % len(names)])
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
    parser.add_argument('--keep', help='the folder for the files of cases that differ')
    options = parser.parse_args()
    satfilter = os.path.abspath(options.satfilter)
    listed = json.loads(subprocess.run([satfilter, '--list', '--json'], capture_output=True,
                                       check=True).stdout)['filters']
    names = [entry['name'] for entry in listed]
    if set(names) != set(FILTERS):
        sys.exit(f'filters without a model, or models without a filter: '
                 f'{sorted(set(names) ^ set(FILTERS))}')
    keep = options.keep or tempfile.mkdtemp(prefix='satfilter-model.')
    numbers = range(options.cases) if options.only is None else [options.only]
    cases = [(number, options.seed, satfilter, keep, names) for number in numbers]
    seen, differ = set(), 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for line, used in pool.map(run, cases, chunksize=8):
            seen.update(used)
            differ += bool(line)
            if line:
                print(line)
    if options.only is None and options.cases >= 50 and seen != set(names):
        sys.exit(f'no case has {sorted(set(names) - seen)}')
    if not differ and not options.keep:
        shutil.rmtree(keep)
    print(f'{len(cases)} cases, {differ} differ')
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main())
