#!/usr/bin/env python3
"""Pictures by rows: filters beside a decoder and an encoder alone.

    rows.py [--build DIR] [--work DIR] [--side 32768] [--threads 16,1] [--repeat 3]

Prints for a grey PNG under guided=9, and for a TIFF of floats under three boxes, the least seconds, processor seconds
and peak memory in MiB (16 at least, which are Python's) of the command, and of one that decodes and encodes alone
(crop, of all); x is one by the other. Another build's figures: run it with --build.
"""
import os
import pathlib
import subprocess
import tempfile
import time

import measure

CASES = (("png", ("--guided", "9")), ("tif", ("--box", "15", "--box", "9", "--box", "31")))


def timed(command, environment):
    """Seconds, processor seconds, MiB."""
    start = time.perf_counter()
    child = subprocess.Popen(command, env=environment)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        measure.fail(f"{' '.join(command)}: failed")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def write_grey(path, side):
    """Low entropy: each row is a part of one line of steps."""
    line = bytes((x >> 5 ^ x * 7 >> 9) & 255 for x in range(2 * side))
    with open(path, "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (side, side))
        for y in range(side):
            file.write(line[y:y + side])


def main():
    parser = measure.parser_of(__doc__, build=pathlib.Path("."), work=None, repeat=3)
    parser.add_argument("--side", type=int, default=32768)
    parser.add_argument("--threads", default="16,1")
    o = parser.parse_args()
    program, environment = measure.program_of(o.build.resolve())
    environment["SATFILTER_FORMATS"] = str(o.build.resolve() / ".libs")
    with tempfile.TemporaryDirectory(dir=o.work) as folder:
        grey = f"{folder}/in.pgm"
        write_grey(grey, o.side)
        for suffix, filters in CASES:
            source, to = f"{folder}/in.{suffix}", f"{folder}/out.{suffix}"
            real = ("--type", "f32", "--range", "0:255") if suffix == "tif" else ()
            timed([program, "-q", "--box", "3", *real, grey, source], environment)
            for threads in o.threads.split(","):
                best = {}
                for _ in range(o.repeat):
                    for chain in (filters, ("--crop", f"{o.side}x{o.side}+0+0")):
                        command = [program, "-q", "-f", "--stream", "--device", "cpu", "--threads", threads, *chain,
                                   *real, source, to]
                        best[chain] = min(best.get(chain, (1e9,)), timed(command, environment))
                seconds = [best[chain][0] for chain in best]
                for chain, (wall, cpu, mib) in best.items():
                    print(f"{suffix} {o.side} on {threads} threads: {' '.join(chain):34} {wall:7.2f} s {cpu:7.2f} s "
                          f"{mib:6.1f} MiB")
                print(f"  x {seconds[0] / seconds[1]:.2f}")
            os.remove(source)


if __name__ == "__main__":
    main()
