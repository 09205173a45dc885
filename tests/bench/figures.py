#!/usr/bin/env python3
"""Measures the records of the CPU in results/cpu anew and renders their tables.

    figures.py [--build DIR] [--sizes LIST] [--repeat N]

A few minutes on a quiet machine; --sizes are those of the table of SATs ("paper": all 13 of the
dissertation, up to 11 GiB).
"""
import os
import subprocess
import sys

from measure import TOP, parser_of

HERE = TOP / "tests" / "bench"


def run(*command, environment=None):
    done = subprocess.run(command, cwd=TOP, env=environment)
    if done.returncode:
        sys.exit(f"figures.py: {' '.join(map(str, command))}: exit status {done.returncode}")


def main():
    parser = parser_of(__doc__, build=".", repeat=15)
    parser.add_argument("--sizes", default="1K,2K,4K,8K")
    arguments = parser.parse_args()
    build = arguments.build
    filters = ("filter", "--sizes", "4K", "--types", "u8,f32", "--windows", "3,15,63,255", "-T")
    types = ("sat", "--sizes", "4K", "--types", "u8,u16,f32,f64", "--algorithms", "blocked", "-T")
    runs = {"sat": ("sat", "--sizes", arguments.sizes, "-T", "1"), "types-1": (*types, "1"),
            "types-2": (*types, "2"), "filter-1": (*filters, "1"), "filter-2": (*filters, "2")}
    for name, options in runs.items():
        run("satbench", *options, "--json", f"results/cpu/{name}.json",
            environment=dict(os.environ, PATH=f"{build}:{os.environ['PATH']}"))
    run(HERE / "commands.py", "box", "--build", os.path.relpath(build, TOP), "--repeat", str(arguments.repeat),
        "--json", "results/cpu/commands.json")
    run(TOP / "tests" / "records" / "h200.py")


if __name__ == "__main__":
    main()
