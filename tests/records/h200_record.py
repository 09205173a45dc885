#!/usr/bin/env python3
"""Measures the records in results/h200/ anew, each by the command that it holds.

    h200_record.py [--build DIR] [--into DIR] [NAME...]

NAME: sat, types, ...; without one, all .json there. Without --build the build is
the current folder. A record, and its plot in docs/images, is replaced when its command
has succeeded on a device of the same name, else it stays. --into DIR leaves them as they
are and writes those of any device into DIR. Exits with 1 if one could not be measured.
Then h200.py writes the tables.
"""
import argparse
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from base import TOP

RESULTS = TOP / "results" / "h200"
IMAGES = TOP / "docs" / "images"


class Unmeasured(Exception):
    """In one sentence, why a record was not measured anew."""


def measure(name, build, into):
    """Runs the record's command in a folder of its own, then copies what that has written."""
    old = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    words = shlex.split(old["command"])
    words[0] = pathlib.PurePath(words[0]).name
    programs = {"satbench": build / "satbench", "gpu_peers.py": TOP / "tests/bench/gpu_peers.py",
                "gpu_filters.py": TOP / "tests/bench/gpu_filters.py"}
    if words[0] not in programs:
        raise Unmeasured(f"its command is not {' or '.join(programs)}")
    made = f"{name}.json"
    words[words.index("--json") + 1] = made
    plot = words[words.index("--plot") + 1] if "--plot" in words else None
    print(f"h200_record.py: {shlex.join(words)}", flush=True)
    with tempfile.TemporaryDirectory() as work:
        code = subprocess.run(words, executable=programs[words[0]], cwd=work, check=False).returncode
        if code:
            raise Unmeasured(f"exit status {code}")
        new = json.loads(pathlib.Path(work, made).read_text(encoding="utf-8"))
        names = [record["device"]["name"] for record in (old, new)]
        if not into and names[0] != names[1]:
            raise Unmeasured(f"it is of {names[0]}, this is {names[1]}; --into keeps both")
        if plot:
            shutil.copyfile(pathlib.Path(work, plot), (into or IMAGES) / plot)
        shutil.copyfile(pathlib.Path(work, made), (into or RESULTS) / made)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path.cwd(), metavar="DIR")
    parser.add_argument("--into", type=pathlib.Path, metavar="DIR")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        default=sorted(path.stem for path in RESULTS.glob("*.json")))
    given = parser.parse_args()
    if given.into:
        given.into.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in given.names:
        try:
            measure(name, given.build.resolve(), given.into)
        except (Unmeasured, OSError, ValueError, LookupError) as error:
            print(f"h200_record.py: {name} was not measured: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
